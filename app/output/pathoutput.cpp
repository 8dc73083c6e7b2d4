// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/pathoutput.h"

#include "analysis/base/naming.h"
#include "analysis/report/profiletables.h"
#include "core/trace/format.h"

#include <algorithm>
#include <span>

namespace longpole {

namespace {

constexpr std::size_t stepsShown = 50;

Table<PathStep> pathSteps(const TraceStore& store, const PathNotes& notes)
{
    Table<PathStep> steps = pathStepTable(store, 0, notes.interrupted)
                                .only({"task", "pe", "entry", "part", "begin_ns", "end_ns", "weight_ns", "where",
                                       "interrupted_ns"});
    if (!notes.placeOf) return steps;
    for (TableColumn<PathStep>& column : steps.columns)
        if (column.key == QLatin1String("where"))
            column.cell = [placeOf = notes.placeOf](const PathStep& row) { return textOrNone(placeOf(row.task)); };
    return steps;
}

void writeText(Output& output, const TraceStore& store, const CriticalPath& path, const PathNotes& notes)
{
    const QString share = path.duration > 0 ? tr(", %1 of the duration %2")
                                                  .arg(formatShare(double(path.length) / double(path.duration)),
                                                       formatTime(path.duration))
                                            : QString();
    output.write(
        tr("Critical path: %1, edges %2").arg(QLatin1String(name(path.mode)), QLatin1String(name(path.edges)))
        + QLatin1Char('\n')
        + tr("Length %1%2, steps: %3").arg(formatTime(path.length), share, formatCount(std::int64_t(path.steps.size())))
        + QLatin1Char('\n'));
    if (!notes.text.isEmpty()) output.write(notes.text + QLatin1Char('\n'));
    if (path.doubtfulWeight > 0)
        output.write(tr("%1 of it rests on repaired or estimated messages or inferred merges")
                         .arg(formatTime(path.doubtfulWeight))
                     + QLatin1Char('\n'));
    if (path.mode == PathMode::Elapsed) {
        output.write(QByteArray("\n"));
        writeTable(output, OutputFormat::Text, pathPartTable(store, path.length), spoken(path.parts, store.words()),
                   store);
    }
    output.write(QByteArray("\n"));
    writeTable(output, OutputFormat::Text, pathProfileTable(store), entryShares(store, path), store);
    if (path.steps.empty()) return;
    output.write(QByteArray("\n"));
    const std::size_t shown = std::min(stepsShown, path.steps.size());
    const std::span<const PathStep> first = std::span(path.steps).first(shown);
    const bool isInterrupted = notes.interrupted != nullptr
                               && std::any_of(first.begin(), first.end(), [&notes](const PathStep& step) {
                                      return notes.interrupted->contains(step.task);
                                  });
    Table<PathStep> steps = pathSteps(store, notes);
    std::erase_if(steps.columns, [&](const TableColumn<PathStep>& column) {
        return (column.key == QLatin1String("where") && store.callPaths().empty())
               || (column.key == QLatin1String("interrupted_ns") && !isInterrupted);
    });
    writeTable(output, OutputFormat::Text, steps, first, store);
    const auto more = std::int64_t(path.steps.size() - shown);
    if (more == 0) return;
    const QString said = notes.isOneOfMany ? counted("%1 more steps: --answers FOLDER writes all",
                                                     "%1 more step: --answers FOLDER writes all", more)
                                           : counted("%1 more steps: --csv and --json list all",
                                                     "%1 more step: --csv and --json list all", more);
    output.write(said + QLatin1Char('\n'));
}

}  // namespace

QByteArray beginOf(const JsonFrame& frame)
{
    return dump(frame.before).chopped(3) + ",\n  \"" + frame.key + "\": ";  // without its closing brace
}

QByteArray endOf(const JsonFrame& frame)
{
    return frame.after.empty() ? QByteArray("}\n") : ',' + dump(frame.after).mid(1);  // without its opening brace
}

Table<PathStep> listedSteps(const TraceStore& store, const PathNotes& notes)
{
    Table<PathStep> steps = pathSteps(store, notes);
    std::erase_if(steps.columns,
                  [](const TableColumn<PathStep>& column) { return column.key == QLatin1String("interrupted_ns"); });
    return steps;
}

void writePath(Output& output, OutputFormat format, const TraceStore& store, const CriticalPath& path,
               const PathNotes& notes)
{
    if (format == OutputFormat::Text) return writeText(output, store, path, notes);
    const auto steps = pathSteps(store, notes);
    if (format == OutputFormat::Csv) return writeTable(output, format, steps, path.steps, store);
    const JsonFrame frame{{{"mode", name(path.mode)},
                           {"edges", name(path.edges)},
                           {"length_ns", path.length},
                           {"duration_ns", path.duration}},
                          "steps",
                          {{"profile", rowsJson(pathProfileTable(store), entryShares(store, path), &store)},
                           {"parts", partsJson(path.parts)}}};
    writeJson(output, frame, steps, path.steps, store);
}

}  // namespace longpole
