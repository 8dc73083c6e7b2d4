// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about what to do first: the expert's advice, ranked, with gains, evidence and a query each.
#include "analysis/report/findings.h"

#include "analysis/expert/expertwords.h"
#include "analysis/report/advicetables.h"
#include "analysis/report/experttables.h"
#include "analysis/scheduling/advicewhere.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <set>

namespace longpole {

namespace {

constexpr std::size_t mostItems = 3;  // told in full, with a picture, which costs time and space twice
constexpr std::size_t mostBrief = 4;  // told by their verdict
constexpr std::size_t mostPoints = 2;

std::vector<FindingItem::Fact> factsOf(const TraceStore& store, const Advice& advice)
{
    const TraceInfo& info = store.info();
    std::vector<FindingItem::Fact> facts;
    if (isReplayed(advice))
        facts.push_back({tr("Predicted saving"), tr("%1 of the duration").arg(savingShares(*advice.prediction))});
    if (const auto limit = saidLimitOf(advice, info.duration()))
        facts.push_back({tr("Could save at most"),
                         tr("%1 (%2 of the duration)")
                             .arg(formatTime(*limit), formatShare(ratio(double(*limit), double(info.duration()))))});
    const double whole = double(info.duration()) * double(info.processors);
    if (!advice.isOfScheduling() && advice.severity <= 0)
        facts.push_back({store.words().say(tr("PE-time lost"), tr("Rank-time lost")), tr("not known")});
    else if (!advice.isOfScheduling())
        facts.push_back({store.words().say(tr("PE-time lost"), tr("Rank-time lost")),
                         store.words()
                             .say(tr("%1 (%2 of all PE-time)"), tr("%1 (%2 of all rank-time)"))
                             .arg(formatTime(advice.severity), formatShare(ratio(double(advice.severity), whole)))});
    facts.push_back({tr("Confidence"), formatShare(advice.confidence)});
    if (const QString where = whereOf(store, advice); !where.isEmpty()) facts.push_back({tr("Where"), where});
    facts.push_back({tr("Scope"), advice.scope.text});
    return facts;
}

// A picture of the worst place, with as much time before and after it, on the evidence's processors and some others.
FindingFigure pictureOf(const TraceStore& store, const Advice& advice)
{
    constexpr std::size_t mostPes = 8;
    const TimeRange run = store.info().range();
    TimeRange range = advice.evidence.empty() ? advice.range : advice.evidence.front().range;
    if (range.isEmpty()) range = run;
    const TimeRange marked = range == run ? TimeRange{} : range;
    const TimeNs around = std::max<TimeNs>(range.length(), run.length() / 200);
    range = {std::max(run.begin, saturatingSubtract(range.begin, around)),
             std::min(run.end, saturatingAdd(range.end, around))};
    std::set<ProcessorId> pes;
    for (const Evidence& evidence : advice.evidence)
        if (pes.size() < mostPes && store.processor(evidence.pe) != nullptr) pes.insert(evidence.pe);
    for (const Processor& processor : store.processors())  // to compare them with
        if (pes.size() < mostPes && processor.kind != TrackKind::CommThread) pes.insert(processor.pe);
    return {.kind = FigureKind::Timeline,
            .caption = tr("%1; the scheduled path is marked.").arg(rangeText(store, range)),
            .range = range,
            .pes = {pes.begin(), pes.end()},
            .marked = marked,
            .withPath = true};
}

FindingItem itemOf(const TraceStore& store, const Advice& advice)
{
    FindingItem item;
    item.title = advice.title;
    item.facts = factsOf(store, advice);
    item.paragraphs << (advice.meaning.isEmpty() ? advice.verdict : advice.verdict % QLatin1Char(' ') % advice.meaning)
                    << advice.action;
    if (isReplayed(advice) && !advice.replayChange.isEmpty()) item.paragraphs << advice.replayChange;
    if (!advice.notReplayed.isEmpty()) item.paragraphs << advice.notReplayed;
    if (!advice.doubts.isEmpty()) item.paragraphs << tr("Doubt: %1").arg(advice.doubts.join(QLatin1Char(' ')));
    for (std::size_t i = 0; i < std::min(mostPoints, advice.evidence.size()); ++i)
        item.points << evidenceText(store, advice.evidence[i]);
    item.figures.push_back(pictureOf(store, advice));
    item.sql = advice.sql;
    return item;
}

FindingItem briefItemOf(const TraceStore& store, const Advice& advice)
{
    FindingItem item;
    item.title = advice.title;
    item.facts = {factsOf(store, advice).front()};
    item.paragraphs << advice.verdict;
    item.sql = advice.sql;
    return item;
}

constexpr std::size_t mostCandidates = 15;

TableData candidatesOf(const TraceStore& store, const SchedulingAnalysis& scheduling)
{
    return pathEntryTable(store)
        .only({"entry", "class", "purity", "critical_count", "count", "over_ns", "residual_ns", "idle_ns", "potential"})
        .renamed("critical_count", "critical")
        .data(scheduling.entries, mostCandidates);
}

// What was measured and is not worth it.
TableData notWorthIt(const TraceStore& store, const std::vector<Advice>& advice)
{
    const std::vector<Advice> rest(advice.begin() + std::ptrdiff_t(countWorthIt(advice)), advice.end());
    const bool areReplayed = std::all_of(rest.begin(), rest.end(), isReplayed);
    const auto table = areReplayed ? adviceTable(store).only({"title", "gain_low", "gain_high"})
                                   : adviceTable(store).only({"title", "gain_low", "gain_high", "bound_ns"});
    return table.titled(tr("Measured, not worth it")).data(rest);
}

// What was found about priorities: that none helps where one might expect it, the rest for who wants to know.
void addPriorities(Finding& finding, const AnalysisContext& context)
{
    const SchedulingAnalysis& scheduling = context.expert->scheduling;
    if (context.store.info().hasRanks()) return;
    if (!scheduling.notEvaluated.isEmpty()) {
        finding.appendix.paragraphs << tr("Priorities could not be judged. %1").arg(scheduling.notEvaluated);
        return;
    }
    if (scheduling.verdict.isEmpty()) return;
    finding.appendix.paragraphs << scheduling.verdict;
    if (const QString said = prioritiesText(scheduling); !said.isEmpty() && countWorthIt(context.expert->advice) > 0)
        finding.paragraphs << said;
}

Finding findAdvice(const AnalysisContext& context)
{
    Finding finding;
    if (context.expert == nullptr) {
        finding.notEvaluated = withoutEvents(context.store, QString());
        return finding;
    }
    const Expert& expert = *context.expert;
    if (const QString first = firstWords(expert.health.checks); !first.isEmpty()) finding.paragraphs << first;
    finding.paragraphs << leadText(expert, context.store);
    if (context.thresholds.without.any())
        if (const TreeNode* root = expert.tree.find(QStringLiteral("when")); root != nullptr)
            finding.paragraphs << root->why;
    const std::size_t worth = countWorthIt(expert.advice);
    for (std::size_t i = 0; i < std::min(mostItems + mostBrief, worth); ++i)
        finding.items.push_back(i < mostItems ? itemOf(context.store, expert.advice[i])
                                              : briefItemOf(context.store, expert.advice[i]));
    if (worth < expert.advice.size()) finding.tables.push_back(notWorthIt(context.store, expert.advice));
    addPriorities(finding, context);
    if (!expert.advice.empty()) {
        finding.appendix.paragraphs
            << tr("Times here count from the start of the run; SQL counts in the trace's clock, where that is %1 ns.")
                   .arg(context.store.info().begin)
            << tr("The column lost_ns of each query adds up to the time that its advice is about.");
        finding.appendix.tables.push_back(adviceTable(context.store)
                                              .only({"title", "severity_pe_ns", "confidence", "gain_low", "gain_high",
                                                     "scope"})
                                              .titled(tr("All advice"))
                                              .data(expert.advice));
    }
    if (!expert.scheduling.entries.empty())
        finding.appendix.tables.push_back(candidatesOf(context.store, expert.scheduling));
    const auto advice = adviceTable(context.store)
                            .only({"id", "kind", "node", "title", "entry", "severity_pe_ns", "confidence", "bound_ns",
                                   "estimate_ns", "predicted_gain", "replay", "not_replayed", "worth_it", "begin_ns",
                                   "end_ns", "evidence"});
    finding.json = JsonValue{{"judged", judgedJson(context.store, expert.health.checks)},
                             {"advice", rowsJson(advice, expert.advice, &context.store)},
                             {"verdict", expert.scheduling.verdict}};
    return finding;
}

}  // namespace

const Analysis adviceAnalysis{.id = "advice",
                              .title = QT_TRANSLATE_NOOP("longpole", "What to do first"),
                              .evaluate = findAdvice};

}  // namespace longpole
