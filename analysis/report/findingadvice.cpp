// SPDX-License-Identifier: GPL-3.0-or-later
// What to do first: the expert's advice by severity and confidence, each with its bound, evidence and query.
#include "analysis/report/findings.h"

#include "analysis/expert/expert.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <set>

namespace longpole {

namespace {

constexpr std::size_t mostItems = 10;
constexpr std::size_t mostPictures = 4;  // each is rendered for both themes
constexpr std::size_t mostPoints = 5;

QString timeIn(const TraceStore& store, TimeNs time)
{
    return formatTime(saturatingSubtract(time, store.info().begin));
}

QString rangeIn(const TraceStore& store, TimeRange range)
{
    return tr("%1 to %2").arg(timeIn(store, range.begin), timeIn(store, range.end));
}

QString gainText(const Prediction& prediction)
{
    if (!prediction.isUsable()) return tr("too uncertain to say");
    if (prediction.gainLow == prediction.gainHigh) return formatShare(prediction.gainLow);
    return tr("%1 to %2").arg(formatShare(prediction.gainLow), formatShare(prediction.gainHigh));
}

std::vector<FindingItem::Fact> factsOf(const TraceStore& store, const Advice& advice)
{
    const TraceInfo& info = store.info();
    std::vector<FindingItem::Fact> facts;
    if (advice.prediction) facts.push_back({tr("Predicted gain"), gainText(*advice.prediction)});
    else if (advice.estimate) facts.push_back({tr("Estimated gain"), formatTime(*advice.estimate)});
    constexpr double nearlyAll = 0.9;  // such a bound says nothing
    if (advice.bound && double(*advice.bound) < nearlyAll * double(info.duration()))
        facts.push_back({tr("Gain at most"),
                         tr("%1 (%2 of the run)")
                             .arg(formatTime(*advice.bound),
                                  formatShare(ratio(double(*advice.bound), double(info.duration()))))});
    const double whole = double(info.duration()) * double(info.processors);
    facts.push_back(
        {store.words().say(tr("PE-time lost"), tr("Rank-time lost")),
         tr("%1 (%2 of all)").arg(formatTime(advice.severity), formatShare(ratio(double(advice.severity), whole)))});
    facts.push_back({tr("Confidence"), formatShare(advice.confidence)});
    if (!advice.range.isEmpty()) facts.push_back({tr("When"), rangeIn(store, advice.range)});
    return facts;
}

// The worst place with as much time around it as it lasts, on the processors that the evidence names.
FindingFigure pictureOf(const TraceStore& store, const Advice& advice)
{
    constexpr std::size_t mostPes = 8;
    const TimeRange run = store.info().range();
    TimeRange range = advice.evidence.empty() ? advice.range : advice.evidence.front().range;
    if (range.isEmpty()) range = run;
    const TimeNs around = std::max<TimeNs>(range.length(), run.length() / 200);
    range = {std::max(run.begin, saturatingSubtract(range.begin, around)),
             std::min(run.end, saturatingAdd(range.end, around))};
    std::set<ProcessorId> pes;
    for (const Evidence& evidence : advice.evidence)
        if (pes.size() < mostPes && store.processor(evidence.pe) != nullptr) pes.insert(evidence.pe);
    for (const Processor& processor : store.processors())  // and some beside them
        if (pes.size() < mostPes && processor.kind != TrackKind::CommThread) pes.insert(processor.pe);
    return {.kind = FigureKind::Timeline,
            .caption = tr("%1; the critical path is marked.").arg(rangeIn(store, range)),
            .range = range,
            .pes = {pes.begin(), pes.end()},
            .withPath = true};
}

QString pointOf(const TraceStore& store, const Evidence& evidence)
{
    const QString place = store.words()
                              .say(tr("PE %1, %2"), tr("Rank %1, %2"))
                              .arg(index(evidence.pe))
                              .arg(rangeIn(store, evidence.range));
    return evidence.text.isEmpty() ? place : place % QStringLiteral(": ") % evidence.text;
}

FindingItem itemOf(const TraceStore& store, const Advice& advice, bool withPicture)
{
    FindingItem item;
    item.title = advice.title;
    item.facts = factsOf(store, advice);
    item.paragraphs << advice.text;
    if (!advice.doubts.isEmpty())
        item.paragraphs << tr("Less sure because: %1").arg(advice.doubts.join(QLatin1Char(' ')));
    for (std::size_t i = 0; i < std::min(mostPoints, advice.evidence.size()); ++i)
        item.points << pointOf(store, advice.evidence[i]);
    if (withPicture) item.figures.push_back(pictureOf(store, advice));
    item.sql = advice.sql;
    return item;
}

QString leadSentence(const Expert& expert)
{
    const std::size_t count = expert.advice.size();
    if (count == 0)
        return tr("Nothing in this run crosses a threshold of the decision tree: there is no advice to give.");
    const QString first = expert.advice.front().title;
    return count == 1 ? tr("There is one thing to do: %1.").arg(first)
                      : tr("Of %1 pieces of advice, begin with this one: %2. They are in the order of what they would "
                           "save and how sure that is.")
                            .arg(count)
                            .arg(first);
}

TableData candidatesOf(const SchedulingAnalysis& scheduling)
{
    TableData table;
    table.title = tr("Entry methods on the critical path, as candidates for a priority");
    table.columns = {{"entry", tr("Entry method"), CellKind::Entry},
                     {"class", tr("Class"), CellKind::Text},
                     {"purity", tr("Critical part of its time"), CellKind::Share},
                     {"critical", tr("Critical"), CellKind::Count},
                     {"count", tr("Of"), CellKind::Count},
                     {"over_ns", tr("Waited behind others"), CellKind::Time},
                     {"residual_ns", tr("For a running task"), CellKind::Time},
                     {"idle_ns", tr("Idle before"), CellKind::Time},
                     {"potential", tr("Potential"), CellKind::Text}};
    constexpr std::size_t mostRows = 15;
    for (const PathEntry& entry : scheduling.entries) {
        if (table.rows.size() == mostRows) break;
        table.rows.push_back({index(entry.entry), QString::fromLatin1(name(entry.entryClass)), entry.purity(),
                              qlonglong(entry.criticalCount), qlonglong(entry.count), qlonglong(entry.wait.overtaken),
                              qlonglong(entry.wait.residual), qlonglong(entry.idleBefore),
                              !entry.isPotential                     ? tr("no")
                              : entry.entryClass == EntryClass::Once ? tr("only once")
                                                                     : tr("yes")});
    }
    table.rowsOmitted = std::int64_t(scheduling.entries.size() - table.rows.size());
    return table;
}

JsonValue adviceJson(const TraceStore& store, const Advice& advice)
{
    JsonValue evidence = JsonValue::array();
    for (const Evidence& seen : advice.evidence) {
        JsonValue tasks = JsonValue::array();
        for (const TaskId task : seen.tasks) tasks.push_back(toText(task));
        evidence.push_back({{"pe", index(seen.pe)},
                            {"begin_ns", seen.range.begin},
                            {"end_ns", seen.range.end},
                            {"tasks", tasks},
                            {"text", seen.text}});
    }
    const auto& prediction = advice.prediction;
    return {{"id", advice.id},
            {"kind", advice.kind},
            {"node", advice.node},
            {"title", advice.title},
            {"entry", advice.entry == noEntry ? JsonValue() : entryJson(store, advice.entry)},
            {"severity_pe_ns", advice.severity},
            {"confidence", advice.confidence},
            {"bound_ns", advice.bound},
            {"estimate_ns", advice.estimate},
            {"predicted_gain", prediction && prediction->isUsable()
                                   ? JsonValue::array({prediction->gainLow, prediction->gainHigh})
                                   : JsonValue()},
            {"begin_ns", advice.range.begin},
            {"end_ns", advice.range.end},
            {"evidence", evidence}};
}

}  // namespace

Finding findAdvice(const AnalysisContext& context)
{
    Finding finding;
    if (context.expert == nullptr) {
        finding.notEvaluated = withoutEvents(context.store, QString());
        return finding;
    }
    const Expert& expert = *context.expert;
    finding.paragraphs << leadSentence(expert);
    if (!expert.scheduling.verdict.isEmpty()) finding.paragraphs << expert.scheduling.verdict;
    else if (!expert.scheduling.notEvaluated.isEmpty())
        finding.paragraphs << tr("Priorities could not be judged: %1").arg(expert.scheduling.notEvaluated);
    JsonValue json = JsonValue::array();
    for (std::size_t i = 0; i < expert.advice.size(); ++i) {
        const Advice& advice = expert.advice[i];
        if (i < mostItems) finding.items.push_back(itemOf(context.store, advice, i < mostPictures));
        json.push_back(adviceJson(context.store, advice));
    }
    if (!expert.advice.empty())
        finding.paragraphs
            << tr("Times here count from the run's begin; SQL counts in the trace's clock, where that is %1 ns.")
                   .arg(context.store.info().begin);
    if (expert.advice.size() > mostItems) finding.paragraphs << tr("The first %1 are shown.").arg(mostItems);
    if (!expert.scheduling.entries.empty()) finding.tables.push_back(candidatesOf(expert.scheduling));
    finding.json = {{"advice", json}, {"verdict", expert.scheduling.verdict}};
    return finding;
}

}  // namespace longpole
