// SPDX-License-Identifier: GPL-3.0-or-later
// longpole online: the critical path of a program that runs, as its recorder finds it.
#include "app/commandline/chartoptions.h"
#include "app/commandline/sharedoptions.h"
#include "app/commands/commands.h"
#include "app/output/onlineoutput.h"
#include "app/record/onlinesamples.h"
#include "app/record/recordingfolder.h"
#include "app/record/runstate.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFileInfo>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace longpole {

namespace {

constexpr std::chrono::milliseconds pause{250};

// Waits for a program that has not come to MPI_Init, so that its folder is empty or its ranks have just begun.
Result<OnlineSamples> openWhenThere(const QString& run)
{
    for (int grace = 4;; std::this_thread::sleep_for(pause)) {
        auto samples = OnlineSamples::open(run);
        if (samples || !QFileInfo(run).isDir()) return samples;
        const bool begins = recordedFolder(run).ranks > 0 && --grace > 0;
        if (!begins && !QDir(run).isEmpty()) return samples;
    }
}

// Writes samples as they come, until the last one, until the program is not there any more, or until nobody reads.
Result<> follow(OnlineSamples& samples, OutputFormat format, Output& output)
{
    std::optional<OnlineSample> last;
    for (bool isOver = false;;) {
        const auto found = samples.read();
        if (!found) return found.error();
        for (const OnlineSample& sample : *found) {
            output.write(format == OutputFormat::Json ? dump(sample.json, -1) : sampleText(sample).toUtf8());
            if (!sample.isFinal) continue;
            if (format == OutputFormat::Text) writeProfile(output, sample);
            return output.finish();
        }
        if (!found->empty()) last = found->back();
        if (isOver && found->empty()) {
            if (last && format == OutputFormat::Text) writeProfile(output, *last);
            const Result<> written = output.finish();
            tellUser(tr("the program ended without MPI_Finalize: what came after the last sample is missing"));
            return written;
        }
        // Each sample is out when it is there, also in a pipe.
        if (!found->empty())
            if (const Result<> written = output.flush(); !written) return written;
        // What it wrote before it ended is read once more.
        const RunState state = found->empty() ? followedRun(samples.folder()).state : RunState::Unknown;
        isOver = state == RunState::Ended || state == RunState::Gone;
        if (!isOver) std::this_thread::sleep_for(pause);
    }
}

ExitCode runOnline(const CommandLine& line)
{
    auto chart = chartOutput(line);
    if (!chart) return ExitCode::Usage;
    if (line.has("follow") && (chart->isPicture || chart->format == OutputFormat::Csv || line.has("o")))
        return usageError(line.command, tr("--follow writes text or --json, to the standard output"));
    auto samples = line.has("follow") ? openWhenThere(line.arguments[0]) : OnlineSamples::open(line.arguments[0]);
    if (!samples) return fail(samples.error());
    if (line.has("follow")) {
        auto output = Output::open({});
        const Result<> done = follow(*samples, chart->format, *output);
        return done ? ExitCode::Fine : fail(done.error());
    }
    auto all = samples->read();
    if (!all) return fail(all.error());
    if (chart->isPicture) {
        if (all->empty())
            return fail(Error{tr("There is no sample yet."), line.arguments[0],
                              tr("The first comes when all ranks have met often enough.")});
        const int usualWidth = ChartPicture{}.size.width();
        chart->picture.size = completed(chart->picture.size, {usualWidth, 0});
        return deliverPicture(line, renderGroupedBars(profileBars(all->back(), chart->picture.theme), chart->picture));
    }
    return deliver(line, [&](Output& output) { writeSamples(output, chart->format, std::move(*all)); });
}

constexpr CommandOption onlineOptions[] = {
    {"follow", nullptr, "write each sample when it comes, until the run has ended"},
    {"json", nullptr, "write JSON; with --follow one line for each sample"},
    {"csv", nullptr, "write the procedures of the last sample as comma-separated values"},
    chartFileOption,
    themeOption,
    sizeOption,
};

constexpr CommandExample onlineExamples[] = {
    {"longpole online run.lprec", "how long the critical path is so far, and which code and ranks are on it"},
    {"longpole online run.lprec --follow", "a line for each sample, until the program ends"},
    {"longpole online run.lprec -o path.png", "what the path consists of, beside what all ranks did, as a picture"},
};

}  // namespace

extern const Command onlineCommand;  // commands.cpp lists it
const Command onlineCommand{
    .name = "online",
    .arguments = "RUN",
    .summary = "the critical path of a program while it runs",
    .description =
        R"(Shows the samples of the critical path that 'longpole record --online' writes into the recording's folder while
the program runs: how long the path is so far, and at the end what it consists of, by procedure and by rank.
With --follow it waits for more until the last sample, which MPI_Finalize writes, or until the program is gone; one
that runs on another machine, and ends without MPI_Finalize, it waits for until Ctrl+C.

--json gives {"samples": [...]}, each as the recorder wrote it. --csv and pictures are of the last sample: of each
procedure its part of the path, its part of the time of all ranks, and, if --zeroing followed it, by how much the path
were shorter without it.)",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .isOpenEnded = true,
    .options = onlineOptions,
    .examples = onlineExamples,
    .run = runOnline,
};

}  // namespace longpole
