// SPDX-License-Identifier: GPL-3.0-or-later
// What the ranks of an MPI program waited for, in which code the others were, and who caused it.
#include "analysis/report/findings.h"

#include "analysis/mpi/mpiquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <map>

namespace longpole {

namespace {

constexpr std::size_t tableRows = 12;

double shareOf(TimeNs part, TimeNs whole) { return ratio(double(part), double(whole)); }

QString callName(const TraceStore& store, RegionId call)
{
    const Region* const region = store.region(call);
    return region != nullptr ? region->name : tr("call %1").arg(index(call));
}

QString codeName(const TraceStore& store, EntryId code)
{
    return code == noEntry ? QString() : nameOfCode(store, code);
}

// The longest waits of all states, wrong order as late sender.
std::vector<WaitInstance> longestWaits(const WaitStates& found)
{
    std::vector<WaitInstance> longest;
    for (const WaitState& state : found.states)
        if (!isPartOfAnother(state.kind)) longest.insert(longest.end(), state.worst.begin(), state.worst.end());
    std::stable_sort(longest.begin(), longest.end(),
                     [](const WaitInstance& a, const WaitInstance& b) { return a.wait.length() > b.wait.length(); });
    if (longest.size() > tableRows) longest.resize(tableRows);
    return longest;
}

// In the middle of a sentence: "late sender", "wait at N x N".
QString lowerTitle(WaitStateKind kind)
{
    const QString text = title(kind);
    return text.left(1).toLower() + text.mid(1);
}

QString waitedSentence(const WaitStates& found)
{
    const WaitState& most = found.states.front();
    return tr("Ranks waited %1, %2 of the time of all of them. Most of that, %3, was %4. %5")
        .arg(formatTime(found.total), formatShare(shareOf(found.total, found.totalTime)),
             formatShare(shareOf(most.time, found.total)), lowerTitle(most.kind), explanation(most.kind));
}

QString longestSentence(const TraceStore& store, const WaitInstance& longest)
{
    const QString where = tr("The longest wait was rank %1's: %2 in %3, from %4 after the begin of the run on")
                              .arg(longest.rank)
                              .arg(formatTime(longest.wait.length()), callName(store, longest.call),
                                   formatTime(longest.wait.begin - store.info().begin));
    if (longest.culprit < 0) return where + tr(".");
    if (longest.during == noEntry) return where + tr(", for rank %1.").arg(longest.culprit);
    return where + tr(", for rank %1, which was in %2.").arg(longest.culprit).arg(nameOfCode(store, longest.during));
}

QString causeSentence(const TraceStore& store, const WaitStates& found)
{
    const DelayCost& most = found.causes.front();
    const auto there = std::find_if(found.causesByRank.begin(), found.causesByRank.end(),
                                    [&most](const DelayCost& cost) { return cost.entry == most.entry; });
    QString text =
        tr("%1 of the waiting goes back to %2: it took longer on ranks that others waited for than on those. "
           "Most of it, %3, on rank %4.")
            .arg(formatShare(shareOf(most.sum(), found.total)), nameOfCode(store, most.entry), formatTime(there->sum()))
            .arg(there->rank);
    TimeNs propagated = 0;
    for (const DelayCost& cost : found.causes) propagated = saturatingAdd(propagated, cost.propagated);
    if (propagated > 0)
        text += tr(" Of all waiting, %1 was caused by way of others: ranks waited for ranks that waited themselves.")
                    .arg(formatShare(shareOf(propagated, found.total)));
    return text;
}

FindingTable stateTable(const WaitStates& found)
{
    FindingTable table;
    table.title = tr("Wait states");
    table.columns = {{QStringLiteral("state"), tr("Wait state"), CellKind::Text},
                     {QStringLiteral("count"), tr("Calls"), CellKind::Count},
                     {QStringLiteral("time_ns"), tr("Waited"), CellKind::Time},
                     {QStringLiteral("share"), tr("Of all ranks' time"), CellKind::Share},
                     {QStringLiteral("rank"), tr("Most on rank"), CellKind::Count},
                     {QStringLiteral("there_ns"), tr("There"), CellKind::Time}};
    for (const WaitState& state : found.states) {
        const auto most = std::max_element(state.byRank.begin(), state.byRank.end());
        const QString part = isPartOfAnother(state.kind) ? tr("%1 (part of late sender)") : QStringLiteral("%1");
        table.rows.push_back({part.arg(title(state.kind)), qlonglong(state.count), qlonglong(state.time),
                              shareOf(state.time, found.totalTime), qlonglong(most - state.byRank.begin()),
                              qlonglong(*most)});
    }
    return table;
}

FindingTable causeTable(const TraceStore& store, const WaitStates& found)
{
    FindingTable table;
    table.title = tr("Code that others waited for");
    table.columns = {{QStringLiteral("code"), tr("Code"), CellKind::Text},
                     {QStringLiteral("time_ns"), tr("Caused"), CellKind::Time},
                     {QStringLiteral("share"), tr("Of all waiting"), CellKind::Share},
                     {QStringLiteral("direct_ns"), tr("Directly"), CellKind::Time},
                     {QStringLiteral("propagated_ns"), tr("By way of others"), CellKind::Time},
                     {QStringLiteral("rank"), tr("Most on rank"), CellKind::Count},
                     {QStringLiteral("there_ns"), tr("There"), CellKind::Time}};
    std::map<EntryId, const DelayCost*> most;
    for (const DelayCost& cost : found.causesByRank) most.try_emplace(cost.entry, &cost);
    for (const DelayCost& cost : found.causes) {
        if (table.rows.size() == tableRows) break;
        const DelayCost& there = *most.at(cost.entry);
        table.rows.push_back({nameOfCode(store, cost.entry), qlonglong(cost.sum()), shareOf(cost.sum(), found.total),
                              qlonglong(cost.direct), qlonglong(cost.propagated), there.rank, qlonglong(there.sum())});
    }
    table.rowsOmitted = static_cast<std::int64_t>(found.causes.size() - table.rows.size());
    return table;
}

FindingTable longestTable(const TraceStore& store, const std::vector<WaitInstance>& longest)
{
    FindingTable table;
    table.title = tr("The longest waits");
    table.columns = {{QStringLiteral("rank"), tr("Rank"), CellKind::Count},
                     {QStringLiteral("time_ns"), tr("Waited"), CellKind::Time},
                     {QStringLiteral("at_ns"), tr("After the begin"), CellKind::Time},
                     {QStringLiteral("call"), tr("In"), CellKind::Text},
                     {QStringLiteral("culprit"), tr("For rank"), CellKind::Count},
                     {QStringLiteral("during"), tr("Which was in"), CellKind::Text},
                     {QStringLiteral("task"), tr("Task"), CellKind::Text}};
    for (const WaitInstance& wait : longest)
        table.rows.push_back({wait.rank, qlonglong(wait.wait.length()), qlonglong(wait.wait.begin - store.info().begin),
                              callName(store, wait.call),
                              wait.culprit >= 0 ? QVariant(qlonglong(wait.culprit)) : QVariant(),
                              codeName(store, wait.during), wait.delayed.isValid() ? toText(wait.delayed) : QString()});
    return table;
}

// Scalasca's critical-path imbalance; nothing where no activity has any.
FindingTable pathTable(const AnalysisContext& context)
{
    FindingTable table;
    table.title = tr("Imbalance on the elapsed path: more of a region than a rank has on average");
    table.columns = {{QStringLiteral("code"), tr("Region"), CellKind::Text},
                     {QStringLiteral("path_ns"), tr("On the path"), CellKind::Time},
                     {QStringLiteral("average_ns"), tr("Mean of ranks"), CellKind::Time},
                     {QStringLiteral("imbalance_ns"), tr("Imbalance"), CellKind::Time},
                     {QStringLiteral("impact"), tr("Of the run"), CellKind::Share}};
    const auto ranks = static_cast<std::size_t>(std::max<std::int64_t>(0, context.store.info().processors));
    for (const PathImbalance& activity : pathImbalances(context.graph, context.elapsed, ranks)) {
        if (activity.imbalance <= 0 || table.rows.size() == tableRows) break;
        table.rows.push_back({nameOfCode(context.store, activity.entry), qlonglong(activity.onPath),
                              qlonglong(activity.average), qlonglong(activity.imbalance), activity.impact});
    }
    return table;
}

// The wait with as much before and behind it, on both ranks.
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
    figure.caption = wait.culprit < 0
                         ? tr("The longest wait, of rank %1.").arg(wait.rank)
                         : tr("The longest wait, of rank %1 for rank %2.").arg(wait.rank).arg(wait.culprit);
    return figure;
}

QJsonObject waitsJson(const TraceStore& store, const WaitStates& found)
{
    QJsonArray states, causes;
    for (const WaitState& state : found.states)
        states.append(QJsonObject{{QStringLiteral("pattern"), QLatin1String(name(state.kind))},
                                  {QStringLiteral("count"), qint64(state.count)},
                                  {QStringLiteral("time_ns"), qint64(state.time)}});
    for (const DelayCost& cost : found.causes)
        causes.append(QJsonObject{{QStringLiteral("entry"), qint64(index(cost.entry))},
                                  {QStringLiteral("name"), nameOfCode(store, cost.entry)},
                                  {QStringLiteral("direct_ns"), qint64(cost.direct)},
                                  {QStringLiteral("propagated_ns"), qint64(cost.propagated)}});
    return {{QStringLiteral("total_ns"), qint64(found.total)},
            {QStringLiteral("ranks_time_ns"), qint64(found.totalTime)},
            {QStringLiteral("unexplained_ns"), qint64(found.unexplained)},
            {QStringLiteral("states"), states},
            {QStringLiteral("causes"), causes}};
}

}  // namespace

Finding findWaits(const AnalysisContext& context)
{
    Finding finding;
    const auto asked = context.results.ask(WaitsQuestion::of(context.store), context.progress);
    if (!asked) {
        finding.notEvaluated = toText(asked.error());
        return finding;
    }
    const std::shared_ptr<const WaitStates>& found = *asked;
    finding.json = waitsJson(context.store, *found);
    if (found->total == 0) {
        finding.paragraphs << tr("No rank waited for another.");
        return finding;
    }
    const std::vector<WaitInstance> longest = longestWaits(*found);
    finding.paragraphs << waitedSentence(*found) << longestSentence(context.store, longest.front());
    if (!found->causes.empty()) finding.paragraphs << causeSentence(context.store, *found);
    finding.tables.push_back(stateTable(*found));
    if (!found->causes.empty()) finding.tables.push_back(causeTable(context.store, *found));
    finding.tables.push_back(longestTable(context.store, longest));
    if (FindingTable path = pathTable(context); !path.rows.empty()) finding.tables.push_back(std::move(path));
    finding.figures.push_back(figureOf(context.store, longest.front()));
    return finding;
}

}  // namespace longpole
