// SPDX-License-Identifier: GPL-3.0-or-later
// longpole cache: lists or clears the imported traces.
#include "analysis/base/naming.h"
#include "analysis/report/tracetables.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/tracecache.h"
#include "app/common/userfolders.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <QDateTime>

namespace longpole {

namespace {

ExitCode listCache(const CommandLine& line, OutputFormat format)
{
    const QDateTime now = QDateTime::currentDateTime();
    std::vector<CachedTrace> traces;
    std::int64_t bytes = 0;
    for (const CacheEntry& entry : cacheEntries()) {
        bytes += entry.bytes;
        const TimeNs age = std::max<qint64>(0, entry.used.msecsTo(now)) * 1'000'000;
        traces.push_back({entry.file, entry.bytes, age, entry.source});
    }
    return deliver(line, [&](Output& output) {
        if (format != OutputFormat::Text || !traces.empty())
            writeTable(output, format, cacheTable(Vocabulary()).data(traces), nullptr);
        if (format == OutputFormat::Text)
            output.write(
                tr("%1 in %2 of at most %3").arg(formatBytes(bytes), cacheFolder(), formatBytes(cacheLimitBytes))
                + QLatin1Char('\n'));
    });
}

ExitCode emptyCache(const CommandLine& line, OutputFormat format)
{
    const auto cleared = clearCache();
    if (!cleared) return fail(cleared.error());
    return deliver(line, [&](Output& output) {
        if (format == OutputFormat::Json) output.write(dump({{"files", cleared->files}, {"bytes", cleared->bytes}}));
        else if (format == OutputFormat::Csv)
            output.write(QStringLiteral("files,bytes\n%1,%2\n").arg(cleared->files).arg(cleared->bytes));
        else
            output.write(
                counted("Removed %1 files, %2", "Removed %1 file, %2", cleared->files).arg(formatBytes(cleared->bytes))
                + QLatin1Char('\n'));
    });
}

ExitCode runCache(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const QString action = line.arguments.value(0, QStringLiteral("list"));
    if (action == QLatin1String("list")) return listCache(line, *format);
    if (action == QLatin1String("clear")) return emptyCache(line, *format);
    return usageError(line.command, tr("it takes list or clear, not '%1'").arg(action)
                                        + suggestion(action, {QStringLiteral("list"), QStringLiteral("clear")}));
}

constexpr CommandOption cacheOptions[] = {jsonOption, csvOption, fileOption};

constexpr CommandExample cacheExamples[] = {
    {"longpole cache", "the traces that were imported, and how much room they take"},
};

}  // namespace

extern const Command cacheCommand;  // commands.cpp lists it
const Command cacheCommand{
    .name = "cache",
    .arguments = "[list|clear]",
    .summary = "list or clear the imported traces",
    .description =
        R"(Lists the imported traces with size, source and age, or removes them all. They lie in
$XDG_CACHE_HOME/longpole, 20 GB at most; the ones not used for longest go first.)",
    .minArguments = 0,
    .maxArguments = 1,
    .options = cacheOptions,
    .examples = cacheExamples,
    .run = runCache,
};

}  // namespace longpole
