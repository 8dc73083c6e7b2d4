// SPDX-License-Identifier: GPL-3.0-or-later
// longpole render: the timeline as a picture, without a display.
#include "views/drawing/pictures/render.h"
#include "analysis/paths/pathquestions.h"
#include "app/commandline/chartoptions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/output.h"

#include <optional>

namespace longpole {

namespace {

struct PictureRequest {
    TimelinePicture picture;
    bool svg = false;
};

// Reads the options that need no trace. Empty after a usage error, which was printed.
std::optional<PictureRequest> pictureRequest(const CommandLine& line)
{
    PictureRequest request;
    if (!line.has("o")) {
        usageError(line.command, tr("-o FILE.png or -o FILE.svg is missing"));
        return {};
    }
    request.svg = line.output.ending == QLatin1String("svg");
    const auto size = pictureSize(line, TimelinePicture{}.size);
    if (!size) return {};
    request.picture.size = *size;
    if (line.value("theme") == QLatin1String("dark")) request.picture.theme = darkTheme();
    return request;
}

Result<std::shared_ptr<const CriticalPath>> defaultPath(Results& results)
{
    return withProgress(tr("Finding the path"),
                        [&](const Progress& progress) { return results.ask(PathQuestion{}, progress); });
}

ExitCode runRender(const CommandLine& line)
{
    auto request = pictureRequest(line);
    if (!request) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    const auto range = chosenRange(line, store.info());
    const auto pes = chosenProcessors(line, store.info());
    if (!range || !pes) return ExitCode::Usage;
    request->picture.range = *range;
    request->picture.pes = *pes;
    std::shared_ptr<const CriticalPath> path;
    if (line.has("path")) {
        auto found = defaultPath(*trace->results);
        if (!found) return fail(found.error());
        path = *found;
        request->picture.path = path.get();
    }
    const auto bytes = renderTimelineFile(store, request->picture, request->svg);
    if (!bytes) return fail(bytes.error());
    return deliver(line, [&](Output& output) { output.write(*bytes); });
}

constexpr CommandOption renderOptions[] = {
    {"o", "FILE", "the picture: .png (default) or .svg", nullptr, "png svg"},
    {"range", "A..B", "this part of the run"},
    fromOption,
    untilOption,
    {"pes", "PES", "these PEs or ranks"},
    {"path", nullptr, "mark the critical path (work path, edges order)"},
    {"theme", "THEME", "light (default) or dark", "light dark"},
    {"size", "WxH", "pixels, e.g. 1920x1080, or 1920: as high as the rows need"},
    symbolsOption,
};

constexpr CommandExample renderExamples[] = {
    {"longpole render jacobi2d.sts --path -o timeline.png", "all PEs over the whole run, with the critical path"},
};

}  // namespace

extern const Command renderCommand;  // commands.cpp lists it
const Command renderCommand{
    .name = "render",
    .arguments = "TRACE",
    .summary = "the timeline as a picture",
    .description = "Draws the timeline into a file, without a display.",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .options = renderOptions,
    .examples = renderExamples,
    .run = runRender,
};

}  // namespace longpole
