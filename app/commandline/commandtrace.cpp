// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandtrace.h"

#include "app/output/output.h"
#include "core/trace/format.h"

#include <QFileInfo>

#include <optional>

namespace longpole {

namespace {

// Large, since a command ends soon, and its questions rest on the same graph.
constexpr std::int64_t capacity = std::int64_t{4} << 30;

}  // namespace

ImportOptions importOptions(const CommandLine& line)
{
    ImportOptions options;
    if (line.has("symbols")) options.symbols = line.value("symbols");
    return options;
}

Result<CommandTrace> openTrace(const CommandLine& line) { return openTrace(line, line.arguments.front()); }

Result<CommandTrace> openTrace(const CommandLine& line, const QString& path)
{
    std::optional<Result<OpenedTrace>> trace;
    withProgress(tr("Importing %1").arg(QFileInfo(path).fileName()),
                 [&](const Progress& progress) { trace = openTrace(path, importOptions(line), progress); });
    if (!trace->ok()) return trace->error();
    const std::shared_ptr<const TraceStore> store = (**trace).store;
    return CommandTrace{std::move(**trace), std::make_shared<Results>(store, capacity)};
}

std::optional<TimeRange> chosenRange(const CommandLine& line, const TraceInfo& info)
{
    if (!line.has("range")) return TimeRange{};
    const auto range = parseRange(line.value("range"), info.range());
    if (range && !range->overlaps(info.range())) {
        usageError(line.command, tr("--range: %1 lies outside of the run of %2")
                                     .arg(line.value("range"), formatTime(info.duration())));
        return {};
    }
    // A range that covers the run is the whole run, in which creations before its begin count, too.
    if (range && range->begin <= info.begin && range->end >= info.end) return TimeRange{};
    if (range) return *range;
    usageError(line.command, tr("--range: %1").arg(toText(range.error())));
    return {};
}

std::optional<std::vector<ProcessorId>> chosenProcessors(const CommandLine& line, const TraceInfo& info)
{
    if (!line.has("pes")) return std::vector<ProcessorId>();
    const auto pes = parseProcessors(line.value("pes"), info.processors);
    if (pes) return *pes;
    usageError(line.command, tr("--pes: %1").arg(toText(pes.error())));
    return {};
}

}  // namespace longpole
