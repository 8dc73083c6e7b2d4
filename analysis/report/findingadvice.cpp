// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about what to do first: the expert's advice, ranked, with gains, evidence and a query each.
#include "analysis/report/findings.h"

#include "analysis/expert/expert.h"
#include "analysis/report/advicetables.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <set>

namespace longpole {

namespace {

constexpr std::size_t mostItems = 10;
constexpr std::size_t mostPictures = 4;  // each costs time and space twice, as it is rendered for both themes
constexpr std::size_t mostPoints = 5;

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
    constexpr double nearlyAll = 0.9;  // a bound of so much of the run says nothing
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
    if (!advice.range.isEmpty()) facts.push_back({tr("When"), rangeText(store, advice.range)});
    return facts;
}

// A picture of the worst place, with as much time before and after it, on the evidence's processors and some others.
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
    for (const Processor& processor : store.processors())  // to compare them with
        if (pes.size() < mostPes && processor.kind != TrackKind::CommThread) pes.insert(processor.pe);
    return {.kind = FigureKind::Timeline,
            .caption = tr("%1; the critical path is marked.").arg(rangeText(store, range)),
            .range = range,
            .pes = {pes.begin(), pes.end()},
            .withPath = true};
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
        item.points << evidenceText(store, advice.evidence[i]);
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

constexpr std::size_t mostCandidates = 15;

TableData candidatesOf(const TraceStore& store, const SchedulingAnalysis& scheduling)
{
    return pathEntryTable(store)
        .only({"entry", "class", "purity", "critical_count", "count", "over_ns", "residual_ns", "idle_ns", "potential"})
        .renamed("critical_count", "critical")
        .data(scheduling.entries, mostCandidates);
}

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
    for (std::size_t i = 0; i < std::min(mostItems, expert.advice.size()); ++i)
        finding.items.push_back(itemOf(context.store, expert.advice[i], i < mostPictures));
    if (!expert.advice.empty())
        finding.paragraphs
            << tr("Times here count from the run's begin; SQL counts in the trace's clock, where that is %1 ns.")
                   .arg(context.store.info().begin);
    if (expert.advice.size() > mostItems) finding.paragraphs << tr("The first %1 are shown.").arg(mostItems);
    if (!expert.scheduling.entries.empty()) finding.tables.push_back(candidatesOf(context.store, expert.scheduling));
    const auto advice = adviceTable(context.store)
                            .only({"id", "kind", "node", "title", "entry", "severity_pe_ns", "confidence", "bound_ns",
                                   "estimate_ns", "predicted_gain", "begin_ns", "end_ns", "evidence"});
    finding.json = {{"advice", rowsJson(advice, expert.advice, &context.store)},
                    {"verdict", expert.scheduling.verdict}};
    return finding;
}

}  // namespace

const Analysis adviceAnalysis{.id = "advice",
                              .title = QT_TRANSLATE_NOOP("longpole", "What to do first"),
                              .evaluate = findAdvice};

}  // namespace longpole
