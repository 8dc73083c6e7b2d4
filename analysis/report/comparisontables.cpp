// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/comparisontables.h"

#include "analysis/base/naming.h"
#include "analysis/compare/comparisonwords.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

const char* unitOf(CellKind kind)
{
    return kind == CellKind::Time ? "ns" : kind == CellKind::Bytes ? "bytes" : "count";
}

QString amountText(std::int64_t value, CellKind kind) { return cellText(Cell(value), kind, nullptr); }

std::vector<Word> amountUnitWords()
{
    std::vector<Word> words;
    for (const CellKind kind : {CellKind::Time, CellKind::Count, CellKind::Bytes})
        words.push_back({QLatin1String(unitOf(kind)), QLatin1String(unitOf(kind))});
    return words;
}

Cell relativeCell(double a, double b) { return readAs(relativeChange(a, b), relativeText(a, b)); }

FigureRow rowOf(const QString& id, const QString& title, TimeNs a, TimeNs b)
{
    return {.id = id, .title = title, .kind = CellKind::Time, .a = a, .b = b};
}

// The row with each figure's share of its run's duration.
FigureRow withShares(FigureRow row, const Comparison& c)
{
    if (c.a.duration() > 0) row.shareA = double(row.a) / double(c.a.duration());
    if (c.b.duration() > 0) row.shareB = double(row.b) / double(c.b.duration());
    return row;
}

// Adds a figure of both runs as two columns: time_ns as time_a_ns and time_b_ns. A cell is empty if the method did not
// run in that run.
void addOfBoth(Table<ComparedMethod>& table, const TableColumn<MethodFigures>& figure)
{
    const QString base = figure.key.endsWith(QLatin1String("_ns")) ? figure.key.chopped(3) : figure.key;
    const QString unit = figure.key.mid(base.size());
    const auto add = [&](const QString& letter, std::optional<MethodFigures> ComparedMethod::*run) {
        Column column(base % QLatin1Char('_') % letter.toLower() % unit,
                      tr("%1 %2").arg(figure.title.toLower(), letter), figure.kind,
                      tr("%1; in run %2").arg(figure.meaning, letter));
        table.columns.emplace_back(std::move(column).orNone(), [run, cell = figure.cell](const ComparedMethod& row) {
            return row.*run ? cell(*(row.*run)) : Cell();
        });
    };
    add(QStringLiteral("A"), &ComparedMethod::a);
    add(QStringLiteral("B"), &ComparedMethod::b);
}

// Adds the times that are compared and their change, all in one measure.
void addTimes(Table<ComparedMethod>& table, Vocabulary words)
{
    const QString meaning = words.say(tr("Its own time, summed over the run; the mean of a PE where the runs have "
                                         "different PEs"),
                                      tr("Its own time, summed over the run; the mean of a rank where the runs have "
                                         "different ranks"));
    const auto add = [&](const char* key, const QString& letter, auto ran, TimeNs ComparedMethod::*time) {
        table.columns.emplace_back(
            Column(key, tr("time %1").arg(letter), CellKind::Time, tr("%1; in run %2").arg(meaning, letter)).orNone(),
            [ran, time](const ComparedMethod& row) { return row.*ran ? Cell(row.*time) : Cell(); });
    };
    add("time_a_ns", QStringLiteral("A"), &ComparedMethod::a, &ComparedMethod::timeA);
    add("time_b_ns", QStringLiteral("B"), &ComparedMethod::b, &ComparedMethod::timeB);
    table.columns.emplace_back(Column("change_ns", tr("change"), CellKind::Time, tr("Of that time: B - A")).belowZero(),
                               [](const ComparedMethod& row) {
                                   return readAs(row.change, signedText(row.change, CellKind::Time));
                               });
    table.columns.emplace_back(Column("relative", tr("relative"), CellKind::Share,
                                      tr("Of that time: B / A - 1; empty where A is 0"))
                                   .belowZero()
                                   .orNone(),
                               [](const ComparedMethod& row) {
                                   return relativeCell(double(row.timeA), double(row.timeB));
                               });
}

double valueOf(const ExactFigure& figure)
{
    return double(figure.numerator) / double(std::max<std::int64_t>(1, figure.denominator));
}

std::function<Cell(const JudgedLimit&)> limitedCell(std::optional<ExactFigure> JudgedLimit::*figure)
{
    return [figure](const JudgedLimit& row) {
        if (!(row.*figure)) return readAs({}, QStringLiteral("–"));
        const std::int64_t value = (row.*figure)->rounded();
        return readAs(value, amountText(value, specOf(row.limit.figure).kind));
    };
}

std::vector<Word> limitedWords(Vocabulary words)
{
    std::vector<Word> figures;
    figures.reserve(std::size(limitSpecs));
    for (const LimitSpec& spec : limitSpecs) figures.push_back({QLatin1String(spec.id), tr(words.say(spec.title))});
    return figures;
}

std::vector<Word> limitVerdictWords()
{
    return {{QLatin1String(name(LimitVerdict::Kept)), tr("kept")},
            {QLatin1String(name(LimitVerdict::Crossed)), tr("CROSSED")},
            {QLatin1String(name(LimitVerdict::NotJudged)), tr("not judged")}};
}

}  // namespace

std::vector<FigureRow> comparedFigures(const Comparison& comparison)
{
    std::vector<FigureRow> rows;
    for (const ComparedFigure& figure : comparison.figures) {
        FigureRow row{QLatin1String(figure.id), tr(figure.title), figure.kind, figure.a, figure.b};
        rows.push_back(figure.isShareOfRun ? withShares(std::move(row), comparison) : std::move(row));
    }
    return rows;
}

std::vector<FigureRow> comparedPathParts(const Comparison& comparison)
{
    const RunFigures &a = comparison.a, &b = comparison.b;
    std::vector<FigureRow> rows;
    if (!a.work || !b.work) return rows;
    const Vocabulary words = a.info.vocabulary;
    const std::tuple<const char*, QString, TimeNs PathParts::*> parts[] = {
        {"compute", tr("compute"), &PathParts::compute},
        {"network", tr("network"), &PathParts::network},
        {"queue", tr("queue"), &PathParts::queue},
        {"overhead", words.say(tr("overhead"), tr("in MPI and barriers")), &PathParts::overhead},
        {"startup", tr("start-up and shut-down"), &PathParts::startup},
        {"unexplained", tr("unexplained"), &PathParts::unexplained}};
    // Ranks have no queues, and PEs no start-up: what both runs lack by their kind is no row.
    for (const auto& [id, title, part] : parts)
        if (part != (words.ofRanks() ? &PathParts::queue : &PathParts::startup) || a.elapsed.*part != 0
            || b.elapsed.*part != 0)
            rows.push_back(withShares(rowOf(QLatin1String(id), title, a.elapsed.*part, b.elapsed.*part), comparison));
    return rows;
}

std::vector<FigureRow> comparedIdleCauses(const Comparison& comparison)
{
    std::vector<FigureRow> rows;
    if (!comparison.a.idle || !comparison.b.idle) return rows;
    for (std::size_t i = 0; i < idleCauseCount; ++i) {
        const auto mean = [i](const RunFigures& run) {
            return (*run.idle)[i] / std::max<std::int64_t>(1, run.info.processors);
        };
        const auto cause = static_cast<IdleCause>(i);
        rows.push_back(rowOf(QLatin1String(name(cause)), title(cause), mean(comparison.a), mean(comparison.b)));
    }
    return rows;
}

Table<FigureRow> figureTable(const TableScope&)
{
    return {QStringLiteral("compare.figures"),
            tr("What changed"),
            {
                {{"id", tr("Id"), CellKind::Text, tr("The figure's name")}, &FigureRow::id},
                {{"figure", tr("Figure"), CellKind::Text, tr("What both runs have as one number")}, &FigureRow::title},
                {Column("unit", tr("Unit"), CellKind::Text, tr("Of the figure")).oneOf(amountUnitWords()),
                 [](const FigureRow& row) { return unitOf(row.kind); }},
                {Column("a", tr("A"), CellKind::Count, tr("In run A")).belowZero(),
                 [](const FigureRow& row) { return readAs(row.a, amountText(row.a, row.kind)); }},
                {Column("share_a", tr("of run"), CellKind::Share, tr("Of the duration of run A")).orNone(),
                 &FigureRow::shareA},
                {Column("b", tr("B"), CellKind::Count, tr("In run B")).belowZero(),
                 [](const FigureRow& row) { return readAs(row.b, amountText(row.b, row.kind)); }},
                {Column("share_b", tr("of run"), CellKind::Share, tr("Of the duration of run B")).orNone(),
                 &FigureRow::shareB},
                {Column("change", tr("change"), CellKind::Count, tr("B - A")).belowZero(),
                 [](const FigureRow& row) {
                     const std::int64_t change = saturatingSubtract(row.b, row.a);
                     return readAs(change, signedText(change, row.kind));
                 }},
                {Column("relative", tr("relative"), CellKind::Share, tr("B / A - 1; empty where A is 0"))
                     .belowZero()
                     .orNone(),
                 [](const FigureRow& row) { return relativeCell(double(row.a), double(row.b)); }},
            }};
}

std::vector<TenthRow> comparedTenths(const Comparison& comparison)
{
    std::vector<TenthRow> rows;
    if (comparison.a.tenths.size() != comparison.b.tenths.size()) return rows;
    for (std::size_t i = 0; i < comparison.a.tenths.size(); ++i)
        rows.push_back({i + 1, comparison.a.tenths[i], comparison.b.tenths[i]});
    return rows;
}

Table<TenthRow> tenthTable(const TableScope&)
{
    const auto share = [](Usage TenthRow::*run, TimeNs Usage::*part) {
        return [run, part](const TenthRow& row) -> Cell {
            const Usage& usage = row.*run;
            return usage.sum() > 0 ? Cell(ratio(double(usage.*part), double(usage.sum()))) : Cell();
        };
    };
    return {
        QStringLiteral("compare.tenths"),
        tr("How busy both runs were at the same share of their time"),
        {
            {{"tenth", tr("Tenth of the run"), CellKind::Number, tr("Of ten equal parts, from 1")},
             [](const TenthRow& row) { return row.number; }},
            {Column("busy_a", tr("busy A"), CellKind::Share, tr("Busy share of run A's time in that tenth")).orNone(),
             share(&TenthRow::a, &Usage::user)},
            {Column("busy_b", tr("busy B"), CellKind::Share, tr("Busy share of run B's time in that tenth")).orNone(),
             share(&TenthRow::b, &Usage::user)},
            {Column("idle_a", tr("idle A"), CellKind::Share, tr("Idle share of run A's time in that tenth")).orNone(),
             share(&TenthRow::a, &Usage::idle)},
            {Column("idle_b", tr("idle B"), CellKind::Share, tr("Idle share of run B's time in that tenth")).orNone(),
             share(&TenthRow::b, &Usage::idle)},
        }};
}

Table<MethodFigures> methodFiguresTable(const TableScope&)
{
    return {
        QStringLiteral("compare.run-entries"),
        tr("What an entry method took in one run"),
        {
            {{"id", tr("Id"), CellKind::Number, tr("Of the entry in that run")},
             [](const MethodFigures& row) { return index(row.entry); }},
            {{"count", tr("Count"), CellKind::Count, tr("Tasks")}, &MethodFigures::count},
            {{"time_ns", tr("Time"), CellKind::Time, tr("Its own time, summed over the run")}, &MethodFigures::time},
            {{"grain_ns", tr("Grain"), CellKind::Time, tr("Time / count, rounded down")}, &MethodFigures::meanGrain},
            {{"messages", tr("Messages"), CellKind::Count, tr("Messages that it created")}, &MethodFigures::messages},
            {{"bytes", tr("Bytes"), CellKind::Bytes, tr("Bytes of these")}, &MethodFigures::bytes},
            {{"work_path_ns", tr("Work path"), CellKind::Time, tr("Its time on the work path at messages")},
             &MethodFigures::onWorkPath},
            {{"elapsed_path_ns", tr("Elapsed path"), CellKind::Time, tr("Its time on the elapsed path")},
             &MethodFigures::onElapsedPath},
            {{"queued_ns", tr("Queued"), CellKind::Time,
              tr("Its tasks on the work path at messages, from the arrivals of their messages to their starts")},
             &MethodFigures::queued},
            {{"in_flight_ns", tr("In flight"), CellKind::Time,
              tr("From the sending of those messages to their arrival")},
             &MethodFigures::inFlight},
        }};
}

Table<ComparedMethod> comparedMethodTable(const TableScope& scope)
{
    const Table<MethodFigures> figures = methodFiguresTable(scope);
    Table<ComparedMethod> table{QStringLiteral("compare.entries"),
                                scope.words.say(tr("Entry methods by change"), tr("Regions by change")),
                                {{{"entry", scope.words.say(tr("Entry methods by change"), tr("Regions by change")),
                                   CellKind::Text, tr("The same in both runs where chare and name are")},
                                  [](const ComparedMethod& row) { return methodName(row.any()); }}}};
    for (const TableColumn<MethodFigures>& figure : figures.columns) {
        if (figure.key == QLatin1String("id")) continue;
        if (figure.key == QLatin1String("time_ns")) addTimes(table, scope.words);
        else addOfBoth(table, figure);
    }
    return table;
}

Table<JudgedLimit> limitTable(const TableScope& scope)
{
    return {QStringLiteral("check"),
            tr("Limits"),
            {
                {Column("figure", tr("Figure"), CellKind::Text,
                        tr("idle and overhead: mean over the run's PEs or ranks; critical_path: work path at messages; "
                           "iteration: the median; grain: mean of an entry method's tasks"))
                     .oneOf(limitedWords(scope.words)),
                 [](const JudgedLimit& row) { return specOf(row.limit.figure).id; }},
                {Column("entry", scope.words.say(tr("Entry method"), tr("Region")), CellKind::Text,
                        tr("Of grain, as given"))
                     .orNone(),
                 [](const JudgedLimit& row) { return row.limit.entry.isEmpty() ? Cell() : Cell(row.limit.entry); }},
                {{"subject", tr("Limit on"), CellKind::Text, tr("The figure, and the entry method that it is of")},
                 [words = scope.words](const JudgedLimit& row) -> QString {
                     const QString title = tr(words.say(specOf(row.limit.figure).title));
                     return row.limit.entry.isEmpty() ? title : tr("%1 of %2").arg(title, onOneLine(row.limit.entry));
                 }},
                {Column("unit", tr("Unit"), CellKind::Text, tr("Of baseline and run")).oneOf(amountUnitWords()),
                 [](const JudgedLimit& row) { return unitOf(specOf(row.limit.figure).kind); }},
                {Column("baseline", tr("baseline"), CellKind::Count,
                        tr("In the baseline, rounded down; judged exactly"))
                     .belowZero()
                     .orNone(),
                 limitedCell(&JudgedLimit::baseline)},
                {Column("run", tr("run"), CellKind::Count, tr("In the run, rounded down; judged exactly"))
                     .belowZero()
                     .orNone(),
                 limitedCell(&JudgedLimit::run)},
                {Column("relative", tr("change"), CellKind::Share,
                        tr("run / baseline - 1; empty where the baseline is 0 or missing"))
                     .belowZero()
                     .orNone(),
                 [](const JudgedLimit& row) {
                     return row.baseline && row.run ? relativeCell(valueOf(*row.baseline), valueOf(*row.run))
                                                    : readAs({}, QStringLiteral("–"));
                 }},
                {{"limit", tr("limit"), CellKind::Text, tr("+5 %, -3 %, +10 ms, at most 200 ms")},
                 [](const JudgedLimit& row) { return toText(row.limit); }},
                {{"by_default", tr("by default"), CellKind::Flag, tr("Nobody asked for it")},
                 [](const JudgedLimit& row) { return !row.limit.isAsked; }},
                {Column("verdict", tr("verdict"), CellKind::Text, tr("Whether the run keeps to it"))
                     .oneOf(limitVerdictWords()),
                 [](const JudgedLimit& row) { return name(row.verdict); }},
                {{"note", tr("note"), CellKind::Text, tr("Why it is not judged; what else to know; may be empty")},
                 &JudgedLimit::note},
            }};
}

std::vector<TableInfo> comparisonTables(Vocabulary words)
{
    return {infoOf(figureTable(words)), infoOf(tenthTable(words)), infoOf(comparedMethodTable(words)),
            infoOf(methodFiguresTable(words)), infoOf(limitTable(words))};
}

}  // namespace longpole
