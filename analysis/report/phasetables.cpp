// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/phasetables.h"

#include "core/base/translate.h"

namespace longpole {

std::vector<PhaseRow> phaseRows(const CutPhases& cuts)
{
    std::vector<PhaseRow> rows;
    for (std::size_t i = 0; i < cuts.durations.size(); ++i)
        rows.push_back({i + 1, &cuts.phases->phases[i], &cuts.durations[i]});
    return rows;
}

Table<PhaseRow> phaseTable(const TableScope&)
{
    return {
        QStringLiteral("phases"),
        tr("Repeated phases"),
        {
            {Column("phase", tr("#"), CellKind::Number, tr("Number of the phase, from 1, by score")).atLeast(1),
             &PhaseRow::number},
            {Column("instances", tr("Times"), CellKind::Count, tr("How often its pattern occurs")).atLeast(2),
             [](const PhaseRow& row) { return row.phase->begins.size(); }},
            {Column("pattern_length", tr("Long"), CellKind::Count, tr("Steps of the pattern")).atLeast(1),
             [](const PhaseRow& row) { return row.phase->pattern.size(); }},
            {Column("score", tr("Score"), CellKind::Count, tr("Occurrences times the square of the pattern's length"))
                 .atLeast(2),
             [](const PhaseRow& row) { return row.phase->score; }},
            {{"proven", tr("Proven"), CellKind::Flag,
              tr("No: the search ended before it was certain that nothing scores more")},
             [](const PhaseRow& row) { return row.phase->proven; }},
            {{"pieces", tr("Cut"), CellKind::Count, tr("Iterations, repeats or occurrences that it cuts the run into")},
             [](const PhaseRow& row) { return row.cut->pieces; }},
            {{"median_ns", tr("Median"), CellKind::Time, tr("Median of the durations of these pieces")},
             [](const PhaseRow& row) { return row.cut->durations.median; }},
            {{"spread_ns", tr("Spread"), CellKind::Time, tr("Median absolute deviation of their durations")},
             [](const PhaseRow& row) { return row.cut->durations.spread; }},
            {{"slow", tr("Slow"), CellKind::Count, tr("Pieces that took longer than median + 3 x spread")},
             [](const PhaseRow& row) { return row.cut->durations.slow.size(); }},
        }};
}

Table<PhaseSpan> phaseSpanTable(const TableScope&)
{
    return {QStringLiteral("phases.spans"),
            tr("Iterations, repeats or occurrences of a phase"),
            {
                {Column("phase", tr("Phase"), CellKind::Number, tr("Number of the phase, from 1, by score")).atLeast(1),
                 &PhaseSpan::phase},
                {Column("number", tr("#"), CellKind::Number, tr("Number of the piece, from 1, in order of time"))
                     .atLeast(1),
                 &PhaseSpan::number},
                {{"begin_ns", tr("Start"), CellKind::Instant, tr("Where it begins")},
                 [](const PhaseSpan& row) { return row.span.begin; }},
                {{"end_ns", tr("End"), CellKind::Instant, tr("Where it ends")},
                 [](const PhaseSpan& row) { return row.span.end; }},
                {{"duration_ns", tr("Duration"), CellKind::Time, tr("From its start to its end")},
                 [](const PhaseSpan& row) { return row.span.length(); }},
                {Column("deviation_ns", tr("To median"), CellKind::Time,
                        tr("How much longer it is than the median of all pieces"))
                     .belowZero(),
                 [](const PhaseSpan& row) { return row.span.length() - row.median; }},
                {{"slow", tr("Slow"), CellKind::Flag, tr("It took longer than median + 3 x spread")},
                 &PhaseSpan::isSlow},
            }};
}

Table<FoldedTrace> foldTable(const TableScope& scope)
{
    const auto figure = [](std::int64_t FoldReport::*of) {
        return [of](const FoldedTrace& row) { return row.report.*of; };
    };
    return {
        QStringLiteral("fold"),
        tr("A folded trace"),
        {
            {{"file", tr("File"), CellKind::Text, tr("The folded trace, as it was written")}, &FoldedTrace::file},
            {Column("iterations", tr("Iterations"), CellKind::Count, tr("Iterations that were laid over each other"))
                 .atLeast(2),
             figure(&FoldReport::iterations)},
            {Column("rows", tr("Rows"), CellKind::Count,
                    scope.words.say(tr("Rows of the folded trace: PEs times iterations"),
                                    tr("Rows of the folded trace: ranks times iterations")))
                 .atLeast(2),
             figure(&FoldReport::rows)},
            {{"length_ns", tr("Length"), CellKind::Time, tr("Length of the common axis")}, figure(&FoldReport::length)},
            {{"executions", tr("Tasks"), CellKind::Count, tr("Tasks, with the parts of those that were cut")},
             figure(&FoldReport::executions)},
            {{"cut_executions", tr("Parts"), CellKind::Count, tr("Parts of tasks that began in the iteration before")},
             figure(&FoldReport::cutExecutions)},
            {{"messages", tr("Messages"), CellKind::Count, tr("Messages that were kept")},
             figure(&FoldReport::messages)},
            {{"dropped_links", tr("Dropped"), CellKind::Count,
              tr("Tasks whose message was sent in another iteration, or in none")},
             figure(&FoldReport::droppedLinks)},
            {{"cut_iterations", tr("Cut"), CellKind::Count, tr("Iterations that are longer than the axis")},
             figure(&FoldReport::cutIterations)},
            {{"cut_ns", tr("Cut off"), CellKind::Time, tr("What these iterations took behind the end of the axis")},
             figure(&FoldReport::cutTime)},
            {Column("outside_ns", tr("Outside"), CellKind::Time, tr("Time of the run that lies in no iteration"))
                 .belowZero(),
             figure(&FoldReport::outside)},
        }};
}

std::vector<TableInfo> phaseTables(Vocabulary words)
{
    return {infoOf(phaseTable(words)), infoOf(phaseSpanTable(words)), infoOf(foldTable(words))};
}

}  // namespace longpole
