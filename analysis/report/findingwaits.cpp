// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about wait states: what ranks waited for, in which code the others were meanwhile, and what caused it.
#include "analysis/report/findings.h"

#include "analysis/mpi/mpiquestions.h"
#include "analysis/report/mpitables.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostWaitRows = 12;

// The longest waits of all states; those in wrong order occur once only, as late senders.
std::vector<WorstWait> longestWaits(const WaitStates& found)
{
    std::vector<WorstWait> longest;
    for (const WaitState& state : found.states) {
        if (isPartOfAnother(state.kind)) continue;
        const std::vector<WorstWait> waits = worstWaits(state);
        longest.insert(longest.end(), waits.begin(), waits.end());
    }
    std::stable_sort(longest.begin(), longest.end(), [](const WorstWait& a, const WorstWait& b) {
        return a.wait->wait.length() > b.wait->wait.length();
    });
    if (longest.size() > mostWaitRows) longest.resize(mostWaitRows);
    return longest;
}

QString waitedSentence(const WaitStates& found)
{
    const WaitState& most = found.states.front();
    return (found.threads > 0
                ? tr("Ranks and threads waited %1, %2 of the time of all of them. Most of that, %3, was %4. "
                     "%5")
                : tr("Ranks waited %1, %2 of the time of all of them. Most of that, %3, was %4. %5"))
        .arg(formatTime(found.total), shareText(found.total, found.totalTime), shareText(most.time, found.total),
             titleInSentence(most.kind), explanation(most.kind));
}

QString longestSentence(const TraceStore& store, const WaitInstance& longest)
{
    if (longest.track != noTrack) {
        const QString text = tr("The longest wait was of a thread of rank %1: %2 in %3, from %4 on.")
                                 .arg(longest.rank)
                                 .arg(formatTime(longest.wait.length()), callName(store, longest.call),
                                      formatTime(longest.wait.begin - store.info().begin));
        if (longest.meanwhile.entry == noEntry) return text;
        return text
               + tr(" It waited for another that was longest in %1.").arg(nameOfCode(store, longest.meanwhile.entry));
    }
    const QString where = tr("The longest wait was rank %1's: %2 in %3, from %4 on")
                              .arg(longest.rank)
                              .arg(formatTime(longest.wait.length()), callName(store, longest.call),
                                   formatTime(longest.wait.begin - store.info().begin));
    if (longest.culprit < 0) return where + tr(".");
    const QString meanwhile = culpritText(store, longest.meanwhile);
    if (meanwhile.isEmpty()) return where + tr(", for rank %1.").arg(longest.culprit);
    return where + tr(". It waited for rank %1, %2.").arg(QString::number(longest.culprit), meanwhile);
}

QString causeSentence(const TraceStore& store, const WaitStates& found)
{
    const DelayCost& most = found.causes.front();
    if (store.processors().size() == 1)
        return tr("Cause: %1 of the waiting traces back to %2, which took longer on late threads.")
            .arg(shareText(most.sum(), found.total), codeInWords(store, most.entry));
    const DelayCost* there = mostOnOneRank(found, most.entry);
    const QString share = shareText(most.sum(), found.total), code = codeInWords(store, most.entry);
    const QString rank = QString::number(there->rank);
    QString text =
        there->sum() > most.sum() / 2
            ? tr("Cause: %1 of the waiting traces back to %2, which took longer on late ranks, mostly rank %3.")
                  .arg(share, code, rank)
            : tr("Cause: %1 of the waiting traces back to %2, which took longer on late ranks: on rank %3 "
                 "most, %4 of that.")
                  .arg(share, code, rank, shareText(there->sum(), most.sum()));
    TimeNs propagated = 0;
    for (const DelayCost& cost : found.causes) propagated = saturatingAdd(propagated, cost.propagated);
    if (propagated > 0)
        text += tr(" %1 of all waiting came by way of others: ranks waited for ranks that waited themselves.")
                    .arg(shareText(propagated, found.total));
    return text;
}

TableData stateTable(const TraceStore& store, const WaitStates& found)
{
    return waitStateTable(store, found.totalTime)
        .only({"pattern", "count", "time_ns", "share", "rank", "there_ns"})
        .renamed("pattern", "state")
        .data(found.states);
}

TableData causeTable(const TraceStore& store, const WaitStates& found)
{
    const auto table = delayCauseTable(store, found.total);
    return (store.callPaths().empty()
                ? table.only({"entry", "time_ns", "share", "direct_ns", "propagated_ns", "rank", "there_ns"})
                : table.only({"entry", "where", "time_ns", "share", "direct_ns", "propagated_ns", "rank"}))
        .data(delayCauses(found), mostWaitRows);
}

TableData longestTable(const TraceStore& store, const std::vector<WorstWait>& longest)
{
    const auto table = worstWaitTable(store);
    return (store.callPaths().empty() ? table.only({"rank", "time_ns", "begin_ns", "call", "culprit", "during",
                                                    "during_ns", "culprit_waited_ns", "task"})
                                      : table.only({"rank", "time_ns", "begin_ns", "call", "where", "culprit", "during",
                                                    "culprit_waited_ns", "culprit_where", "task"}))
        .data(longest);
}

// The table of Scalasca's critical-path imbalance; without rows if no activity has any.
TableData pathTable(const AnalysisContext& context)
{
    if (context.store.info().isPart()) return {};
    const auto ranks = static_cast<std::size_t>(std::max<std::int64_t>(0, context.store.info().processors));
    std::vector<PathImbalance> rows = pathImbalances(context.graph, context.elapsed, ranks);
    std::erase_if(rows, [](const PathImbalance& row) { return row.imbalance <= 0; });
    if (rows.size() > mostWaitRows) rows.resize(mostWaitRows);
    return pathImbalanceTable(context.store).data(rows);
}

// A timeline of the wait, with as much time before and after it, on both ranks.
FindingFigure figureOf(const TraceStore& store, const WaitInstance& wait)
{
    FindingFigure figure;
    figure.kind = FigureKind::Timeline;
    const TimeNs length = wait.wait.length();
    figure.range = intersection({saturatingSubtract(wait.wait.begin, length), saturatingAdd(wait.wait.end, length)},
                                store.info().range());
    figure.pes.push_back(ProcessorId{wait.rank});
    if (wait.culprit >= 0 && wait.culprit < rankCount(store) && wait.culprit != wait.rank)
        figure.pes.push_back(ProcessorId{static_cast<std::uint32_t>(wait.culprit)});
    std::sort(figure.pes.begin(), figure.pes.end());
    figure.caption = wait.culprit < 0 || wait.track != noTrack
                         ? tr("The longest wait, of rank %1.").arg(wait.rank)
                         : tr("The longest wait, of rank %1 for rank %2.").arg(wait.rank).arg(wait.culprit);
    return figure;
}

// What the causes say is null if they are not known.
JsonValue waitsJson(const TraceStore& store, const WaitStates& found, bool hasCauses)
{
    JsonValue states = JsonValue::array(), causes = JsonValue::array();
    for (const WaitState& state : found.states)
        states.push_back({{"pattern", QLatin1String(name(state.kind))},
                          {"count", state.count},
                          {"time_ns", state.time}});
    for (const DelayCost& cost : found.causes)
        causes.push_back({{"entry", index(cost.entry)},
                          {"name", nameOfCode(store, cost.entry)},
                          {"direct_ns", cost.direct},
                          {"propagated_ns", cost.propagated}});
    return {{"total_ns", found.total},
            {"ranks_time_ns", found.totalTime},
            {"unexplained_ns", hasCauses ? JsonValue(found.unexplained) : JsonValue()},
            {"states", states},
            {"causes", hasCauses ? causes : JsonValue()}};
}

Finding findWaits(const AnalysisContext& context)
{
    Finding finding;
    const auto caused = context.results.ask(WaitsQuestion::of(context.store), context.progress);
    // A trace of parts may have the waits without their causes.
    const auto asked = caused ? caused
                              : context.results.ask(WaitsQuestion::of(context.store, {.withCauses = false}),
                                                    context.progress);
    if (!asked) {
        finding.notEvaluated = toText(asked.error());
        return finding;
    }
    const std::shared_ptr<const WaitStates>& found = *asked;
    finding.json = waitsJson(context.store, *found, caused.ok());
    if (found->total == 0) {
        finding.paragraphs << tr("No rank waited for another.");
        for (const QString& sentence : unjudgedSentences(found->unjudged, found->totalTime))
            finding.paragraphs << sentence;
        return finding;
    }
    const std::vector<WorstWait> longest = longestWaits(*found);
    finding.paragraphs << waitedSentence(*found);
    // A trace of parts may say of all waits how long they were, and of none where it was.
    if (!longest.empty()) finding.paragraphs << longestSentence(context.store, *longest.front().wait);
    if (found->idle.idle() != found->total) finding.paragraphs << idleSentence(found->idle);
    for (const QString& sentence : unjudgedSentences(found->unjudged, found->totalTime)) finding.paragraphs << sentence;
    if (!caused) finding.paragraphs << toText(caused.error());
    else if (!found->causes.empty()) finding.paragraphs << causeSentence(context.store, *found);
    std::vector<TableData>& tables = finding.appendix.tables;
    tables.push_back(stateTable(context.store, *found));
    if (!found->causes.empty()) tables.push_back(causeTable(context.store, *found));
    if (!longest.empty()) tables.push_back(longestTable(context.store, longest));
    if (TableData path = pathTable(context); !path.rows.empty()) tables.push_back(std::move(path));
    if (!longest.empty()) finding.figures.push_back(figureOf(context.store, *longest.front().wait));
    return finding;
}

}  // namespace

const Analysis waitsAnalysis{.id = "waits",
                             .title = QT_TRANSLATE_NOOP("longpole", "Wait states"),
                             .evaluate = findWaits,
                             .needsRanks = true};

}  // namespace longpole
