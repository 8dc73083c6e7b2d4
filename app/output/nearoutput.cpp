// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/nearoutput.h"

#include "analysis/report/pathtables.h"
#include "core/trace/format.h"

namespace longpole {
namespace {

// Why only the critical path is listed.
QString whyAlone(const NearPaths& paths, const NearCriticalOptions& options)
{
    if (paths.size() < 2) return tr("There is no other path: all tasks lie on the critical one");
    const NearCriticalPath& next = paths[1];
    const double share = next.path->length > 0
                             ? static_cast<double>(next.distinct) / static_cast<double>(next.path->length)
                             : 0;
    const QString limits = options.slackShare < 1
                               ? tr("No other path within %1 of its length has %2 of its time on tasks of its own.")
                                     .arg(formatShare(options.slackShare), formatShare(options.distinctShare))
                               : tr("No other path has %1 of its time on tasks of its own.")
                                     .arg(formatShare(options.distinctShare));
    const QString own = formatTime(next.distinct), ownShare = formatShare(share);
    const QString longest = next.slack == 0
                                ? tr("The longest other path is as long; %1 of it (%2) lies on tasks of its own.")
                                      .arg(own, ownShare)
                                : tr("The longest other path is %1 shorter; %2 of it (%3) lies on tasks of its own.")
                                      .arg(formatTime(next.slack), own, ownShare);
    return limits % QLatin1Char(' ') % longest;
}

void writeNearText(Output& output, const TraceStore& store, const NearAnswer& answer)
{
    output.write(tr("Longest paths: %1, edges %2")
                     .arg(QLatin1String(name(answer.model.mode)), QLatin1String(name(answer.model.edges)))
                 + QLatin1Char('\n') + (answer.text.isEmpty() ? QString() : answer.text + QLatin1Char('\n'))
                 + takeoverText(answer)
                 + (answer.longest && answer.longest->size() > 1
                        ? QLatin1Char(' ') + tr("--min-new 0 lists it and those that follow.")
                        : QString())
                 + QStringLiteral("\n\n"));
    writeTable(output, OutputFormat::Text,
               nearCriticalTable(store).only({"path", "length_ns", "slack_ns", "distinct_ns", "step_count", "to",
                                              "entry"}),
               numbered(*answer.paths), store);
}

// A row for each step, which repeats the figures of its path.
void writeNearCsv(Output& output, const TraceStore& store, const NearPaths& paths)
{
    const auto figures = nearCriticalTable(store).only({"path", "length_ns", "slack_ns", "distinct_ns"});
    const auto steps = listedSteps(store);
    std::vector<Column> columns = figures.heads();
    for (const Column& column : steps.columns) columns.push_back(column);
    TableWriter table(output, OutputFormat::Csv, std::move(columns), &store);
    for (const NumberedPath& path : numbered(paths))
        for (const PathStep& step : path.near->path->steps) {
            std::vector<QVariant> cells = figures.cells(path);
            for (QVariant& cell : steps.cells(step)) cells.push_back(std::move(cell));
            if (!table.row(cells)) return;
        }
    table.finish();
}

}  // namespace

QString takeoverText(const NearAnswer& answer)
{
    const NearPaths& paths = *answer.paths;
    if (paths.empty()) return tr("There is no path: the trace holds no tasks that take time");
    if (answer.longest) return whyAlone(*answer.longest, answer.options);
    if (paths.size() < 2) return tr("Only the critical path was asked for");
    if (paths[1].slack == 0)
        return tr("The second path is as long, %1 of it on tasks of its own: shortening only what the first has alone "
                  "gains "
                  "nothing")
            .arg(formatTime(paths[1].distinct));
    return tr("Shorten the first path by more than %1, and the second takes over").arg(formatTime(paths[1].slack));
}

void writeNear(Output& output, OutputFormat format, const TraceStore& store, const NearAnswer& answer,
               const PathNotes& notes)
{
    if (format == OutputFormat::Text) return writeNearText(output, store, answer);
    if (format == OutputFormat::Csv) return writeNearCsv(output, store, *answer.paths);
    writeWithSteps(
        output, store, nearCriticalTable(store).only({"length_ns", "slack_ns", "distinct_ns"}), numbered(*answer.paths),
        [](const NumberedPath& row) -> const std::vector<PathStep>& { return row.near->path->steps; }, notes);
}

}  // namespace longpole
