// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/mpitables.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/naming.h"
#include "analysis/base/unknownbytes.h"
#include "core/base/drawnhash.h"
#include "core/base/translate.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace longpole {

namespace {

Cell numberOrNone(std::int64_t number) { return number >= 0 ? Cell(number) : Cell(); }

std::vector<Word> stateWords()
{
    std::vector<Word> words;
    for (std::size_t i = 0; i < waitStateKinds; ++i) {
        const auto kind = static_cast<WaitStateKind>(i);
        words.push_back({QLatin1String(name(kind)), title(kind)});
    }
    return words;
}

Cell callCell(const TraceStore* store, RegionId call) { return callName(*store, call); }

Cell trackCell(const TraceStore* store, TrackId id)
{
    if (id == noTrack || store == nullptr) return {};
    for (const Track& track : store->tracks())
        if (track.id == id) return track.name;
    return {};
}

// Of a rank that another one waited for; empty where nobody was, and of threads.
std::function<Cell(const WorstWait&)> timeMeanwhile(TimeNs CulpritWork::*time)
{
    return [time](const WorstWait& row) {
        return row.wait->meanwhile.within > 0 ? Cell(row.wait->meanwhile.*time) : Cell();
    };
}

std::size_t worstRank(const WaitState& state)
{
    return static_cast<std::size_t>(std::max_element(state.byRank.begin(), state.byRank.end()) - state.byRank.begin());
}

}  // namespace

std::vector<WorstWait> worstWaits(const WaitState& state)
{
    std::vector<WorstWait> waits;
    for (const WaitInstance& wait : state.worst) waits.push_back({&state, &wait});
    return waits;
}

Table<WorstWait> worstWaitTable(const TableScope& scope)
{
    return {QStringLiteral("waits.worst"),
            tr("The longest waits"),
            {
                {Column("pattern", tr("Wait state"), CellKind::Text, tr("The wait state that it is counted as"))
                     .oneOf(stateWords()),
                 [](const WorstWait& row) { return name(row.state->kind); }},
                {{"count", tr("Calls"), CellKind::Count, tr("Calls that waited so")},
                 [](const WorstWait& row) { return row.state->count; }},
                {{"pattern_time_ns", tr("All together"), CellKind::Time, tr("What all calls waited so")},
                 [](const WorstWait& row) { return row.state->time; }},
                {{"rank", tr("Rank"), CellKind::Number, tr("The rank that waited")},
                 [](const WorstWait& row) { return row.wait->rank; }},
                {Column("thread", tr("Thread"), CellKind::Text,
                        tr("The thread of the rank that waited, in a barrier or for a device; none: in an MPI call"))
                     .orNone(),
                 [store = scope.store](const WorstWait& row) { return trackCell(store, row.wait->track); }},
                {Column("seq", tr("Call"), CellKind::Number,
                        tr("Its number among the rank's MPI calls, from 0 on; none: a thread's barrier or device"))
                     .orNone(),
                 [](const WorstWait& row) { return numberOrNone(row.wait->seq); }},
                {{"call", tr("In"), CellKind::Text, tr("The call or barrier in which it waited")},
                 [store = scope.store](const WorstWait& row) { return callCell(store, row.wait->call); }},
                {{"begin_ns", tr("From"), CellKind::Instant, tr("Start of the waiting")},
                 [](const WorstWait& row) { return row.wait->wait.begin; }},
                {{"end_ns", tr("Until"), CellKind::Instant, tr("End of the waiting")},
                 [](const WorstWait& row) { return row.wait->wait.end; }},
                {{"time_ns", tr("Waited"), CellKind::Time, tr("Length of the waiting")},
                 [](const WorstWait& row) { return row.wait->wait.length(); }},
                {Column("culprit", tr("For rank"), CellKind::Number, tr("The rank that was waited for")).orNone(),
                 [](const WorstWait& row) { return numberOrNone(row.wait->culprit); }},
                {Column("culprit_seq", tr("Its call"), CellKind::Number,
                        tr("The call that was waited for: its number among that rank's MPI calls, from 0 on"))
                     .orNone(),
                 [](const WorstWait& row) { return numberOrNone(row.wait->culpritSeq); }},
                {Column("culprit_thread", tr("For thread"), CellKind::Text,
                        tr("The thread of its own rank, or the device's stream, that a thread waited for"))
                     .orNone(),
                 [store = scope.store](const WorstWait& row) { return trackCell(store, row.wait->culpritTrack); }},
                {Column("task", tr("Task"), CellKind::Text,
                        tr("What that rank did meanwhile, as rank:index: its longest task in that code"))
                     .orNone(),
                 [](const WorstWait& row) { return row.wait->meanwhile.task; }},
                {Column("during", tr("Which ran"), CellKind::Code,
                        tr("The code outside MPI that it ran longest during the wait; none then: the last before"))
                     .orNone(),
                 [](const WorstWait& row) { return row.wait->meanwhile.entry; }},
                {Column("during_ns", tr("For"), CellKind::Time,
                        tr("How long it ran that code during the wait; none: of threads"))
                     .orNone(),
                 timeMeanwhile(&CulpritWork::ran)},
                {Column("culprit_waited_ns", tr("Waited itself"), CellKind::Time,
                        tr("What that rank waited itself meanwhile: look at that wait next; none: of threads"))
                     .orNone(),
                 timeMeanwhile(&CulpritWork::waited)},
                {Column("where", tr("Waited at"), CellKind::Text,
                        tr("The place in the source of the call that waited; of recordings with call stacks"))
                     .orNone(),
                 [store = scope.store](const WorstWait& row) { return textOrNone(pathText(*store, row.wait->path)); }},
                {Column("culprit_where", tr("Ran at"), CellKind::Text,
                        tr("The function in which that rank was meanwhile; of recordings with call stacks"))
                     .orNone(),
                 [store = scope.store, paths = pathsOf(scope.store)](const WorstWait& row) {
                     const CulpritWork& work = row.wait->meanwhile;
                     const bool isTold = work.function != noCallPath;
                     return textOrNone(pathText(*store, isTold ? work.function : paths->of(work.task)));
                 }},
            }};
}

Table<WaitState> waitStateTable(const TableScope& scope, TimeNs totalTime)
{
    const auto worst = worstWaitTable(scope).only({"rank", "thread", "seq", "call", "begin_ns", "end_ns", "time_ns",
                                                   "culprit", "culprit_seq", "culprit_thread", "task", "during",
                                                   "during_ns", "culprit_waited_ns", "where", "culprit_where"});
    return {QStringLiteral("waits"),
            tr("Wait states"),
            {
                {Column("pattern", tr("Wait state"), CellKind::Text, tr("Scalasca's name of the pattern"))
                     .oneOf(stateWords()),
                 [](const WaitState& row) { return name(row.kind); }},
                {Column("part_of", tr("Part of"), CellKind::Text,
                        tr("The wait state in which this one's time is counted, too"))
                     .oneOf(stateWords())
                     .orNone(),
                 [](const WaitState& row) -> Cell {
                     const auto whole = wholeOf(row.kind);
                     return whole ? Cell(name(*whole)) : Cell();
                 }},
                {{"count", tr("Calls"), CellKind::Count, tr("Calls that waited so")}, &WaitState::count},
                {{"time_ns", tr("Waited"), CellKind::Time, tr("What all of them waited so")}, &WaitState::time},
                {{"share", tr("Of all time"), CellKind::Share,
                  tr("Of ranks x duration; where threads wait in barriers, of ranks and those threads")},
                 [totalTime](const WaitState& row) { return ratio(row.time, totalTime); }},
                {Column("by_rank_ns", tr("By rank"), CellKind::Rows, tr("What each rank waited, from rank 0"))
                     .of(CellKind::Time),
                 [](const WaitState& row) {
                     QVariantList times;
                     for (const TimeNs time : row.byRank) times << qlonglong(time);
                     return Cell(times);
                 }},
                {{"rank", tr("Most on rank"), CellKind::Number, tr("The rank that waited longest so")}, worstRank},
                {{"there_ns", tr("There"), CellKind::Time, tr("What that rank waited so")},
                 [](const WaitState& row) { return row.byRank.empty() ? TimeNs{0} : row.byRank[worstRank(row)]; }},
                {Column("worst", tr("Worst"), CellKind::Rows, tr("The longest first, as many as --worst says"))
                     .of(worst.heads()),
                 [worst](const WaitState& row) { return rowsCell(worst.data(worstWaits(row))); }},
            }};
}

Table<DelayCost> delayCostTable(const TableScope& scope)
{
    return {QStringLiteral("waits.costs"),
            tr("Code that others waited for, by rank"),
            {
                {{"entry_id", tr("Number"), CellKind::Number, tr("The code's number in the trace")},
                 [](const DelayCost& row) { return index(row.entry); }},
                {{"entry", tr("Code"), CellKind::Code, tr("Region, or MPI call, that others waited for")},
                 &DelayCost::entry},
                {{"rank", tr("Rank"), CellKind::Number, tr("The rank that others waited for")}, &DelayCost::rank},
                {{"time_ns", tr("Caused"), CellKind::Time, tr("Waiting that goes back to it, on all ranks")},
                 &DelayCost::sum},
                {{"direct_ns", tr("Directly"), CellKind::Time, tr("Of ranks that waited for this one")},
                 &DelayCost::direct},
                {{"propagated_ns", tr("By way of others"), CellKind::Time,
                  tr("Of ranks that waited for ranks that waited themselves")},
                 &DelayCost::propagated},
                {Column("where", tr("Where"), CellKind::Text,
                        tr("Where in the source most of it was; of recordings with call stacks"))
                     .orNone(),
                 [store = scope.store](const DelayCost& row) { return textOrNone(pathText(*store, row.path)); }},
            }};
}

std::vector<DelayCause> delayCauses(const WaitStates& found)
{
    std::vector<DelayCause> causes;
    std::unordered_map<std::uint32_t, std::size_t, DrawnHash> at;
    for (const DelayCost& cost : found.causes) {
        at.emplace(index(cost.entry), causes.size());
        causes.push_back({cost, {}});
    }
    for (const DelayCost& cost : found.causesByRank) causes[at.at(index(cost.entry))].ranks.push_back(cost);
    return causes;
}

Table<DelayCause> delayCauseTable(const TableScope& scope, TimeNs total)
{
    const auto ranks = delayCostTable(scope).only({"rank", "time_ns", "direct_ns", "propagated_ns"});
    return {QStringLiteral("waits.causes"),
            tr("Code that others waited for"),
            {
                {{"entry", tr("Code that others waited for"), CellKind::Code,
                  tr("Region, or MPI call, that took longer on ranks that others waited for than on those")},
                 [](const DelayCause& row) { return row.cost.entry; }},
                {Column("share", tr("Of all waiting"), CellKind::Share, tr("Of all waiting of the run")).atMostOne(),
                 [total](const DelayCause& row) { return ratio(row.cost.sum(), total); }},
                {{"time_ns", tr("Caused"), CellKind::Time, tr("Waiting that goes back to it, on all ranks")},
                 [](const DelayCause& row) { return row.cost.sum(); }},
                {{"direct_ns", tr("Directly"), CellKind::Time, tr("Of ranks that waited for the one in this code")},
                 [](const DelayCause& row) { return row.cost.direct; }},
                {{"propagated_ns", tr("By way of others"), CellKind::Time,
                  tr("Of ranks that waited for ranks that waited themselves")},
                 [](const DelayCause& row) { return row.cost.propagated; }},
                {{"rank", tr("Most on rank"), CellKind::Number, tr("The rank on which it caused most")},
                 [](const DelayCause& row) { return row.ranks.front().rank; }},
                {{"there_ns", tr("There"), CellKind::Time, tr("What it caused on that rank")},
                 [](const DelayCause& row) { return row.ranks.front().sum(); }},
                {Column("where", tr("Where"), CellKind::Text,
                        tr("Where in the source most of it was; of recordings with call stacks"))
                     .orNone(),
                 [store = scope.store](const DelayCause& row) { return textOrNone(pathText(*store, row.cost.path)); }},
                {Column("ranks", tr("By rank"), CellKind::Rows, tr("What it caused on each rank, the largest first"))
                     .of(ranks.heads()),
                 [ranks](const DelayCause& row) { return rowsCell(ranks.data(row.ranks)); }},
            }};
}

Table<PathImbalance> pathImbalanceTable(const TableScope&)
{
    return {QStringLiteral("path-imbalance"),
            tr("Imbalance on the elapsed path: more of a region than a rank has on average"),
            {
                {{"code", tr("Region"), CellKind::Code, tr("Region, or MPI call, on the elapsed path")},
                 &PathImbalance::entry},
                {{"path_ns", tr("On the path"), CellKind::Time, tr("Its time on the path")}, &PathImbalance::onPath},
                {{"average_ns", tr("Mean of ranks"), CellKind::Time, tr("Its time on a rank, on average")},
                 [](const PathImbalance& row) { return static_cast<TimeNs>(row.average); }},
                {{"imbalance_ns", tr("Imbalance"), CellKind::Time,
                  tr("What perfect balance of it could save at most: the path's time less the average")},
                 [](const PathImbalance& row) { return static_cast<TimeNs>(row.imbalance); }},
                {{"impact", tr("Of the run"), CellKind::Share,
                  tr("Its share of the resources that the run allocates, ranks x duration")},
                 &PathImbalance::impact},
            }};
}

std::vector<MpiSumsRow> mpiByRank(const MpiProfile& profile)
{
    std::vector<MpiSumsRow> rows;
    for (std::uint32_t rank = 0; rank < profile.ranks; ++rank)
        rows.push_back({rank, {}, profile.program[rank], profile.byRank[rank], imbalanceOfProcess(profile, rank)});
    return rows;
}

MpiSumsRow mpiOfProgram(const MpiProfile& profile)
{
    return {{}, {}, profile.outside(), profile.total, imbalanceOfProgram(profile)};
}

std::vector<MpiSumsRow> mpiByCall(const MpiProfile& profile)
{
    std::vector<MpiSumsRow> rows;
    for (std::size_t call = 0; call < profile.calls.size(); ++call) {
        const MpiSums sums = profile.ofCall(call);
        rows.push_back({{}, profile.calls[call], 0, sums, imbalanceOfCall(sums)});
    }
    return rows;
}

namespace {

std::vector<TableColumn<MpiSumsRow>> sumColumns()
{
    const auto sum = [](std::int64_t MpiSums::*of) { return [of](const MpiSumsRow& row) { return row.sums.*of; }; };
    return {
        {{"calls", tr("Calls"), CellKind::Count, tr("MPI calls")}, sum(&MpiSums::calls)},
        {{"time_ns", tr("Time"), CellKind::Time, tr("Time in MPI calls")}, sum(&MpiSums::time)},
        {{"bytes", tr("Bytes"), CellKind::Bytes, tr("Sent or received by these calls")}, sum(&MpiSums::bytes)},
        {{"wait_ns", tr("Wait"), CellKind::Time, tr("Wait before and wait after together")},
         [](const MpiSumsRow& row) { return row.sums.wait(); }},
        {{"wait_before_ns", tr("Wait before"), CellKind::Time, tr("Waiting for another rank to come")},
         sum(&MpiSums::waitBefore)},
        {{"execution_ns", tr("Execution"), CellKind::Time, tr("At work in the library")}, sum(&MpiSums::execution)},
        {{"wait_after_ns", tr("Wait after"), CellKind::Time, tr("Waiting in the call when its own part was done")},
         sum(&MpiSums::waitAfter)},
        {{"sync_wait_ns", tr("Wait"), CellKind::Time,
          tr("Of blocking collective calls in which all ranks met: time until the last one had come")},
         sum(&MpiSums::syncWait)},
        {{"sync_execution_ns", tr("Execution"), CellKind::Time,
          tr("Of blocking collective calls in which all ranks met: time in which all of them were in the call")},
         sum(&MpiSums::syncExecution)},
        {{"not_synchronizing", tr("Left out"), CellKind::Count,
          tr("Collective calls that a rank left before the last one came, or that do not block")},
         sum(&MpiSums::notSynchronizing)},
    };
}

}  // namespace

Table<MpiSumsRow> mpiRankTable(const TableScope& scope)
{
    Table<MpiSumsRow> table{QStringLiteral("waits.ranks"), tr("MPI by rank"), {}};
    table.columns = {{{"rank", tr("Rank"), CellKind::Number, tr("The rank; all ranks together where it says so")},
                      [](const MpiSumsRow& row) -> Cell { return row.rank ? Cell(*row.rank) : Cell(tr("all")); }},
                     {{"program_ns", tr("Outside MPI"), CellKind::Time,
                       tr("Time outside MPI calls while it was recorded")},
                      &MpiSumsRow::program}};
    for (TableColumn<MpiSumsRow>& column : sumColumns()) table.columns.push_back(std::move(column));
    table.columns.emplace_back(Column("imbalance", tr("Imbalance"), CellKind::Ratio,
                                      tr("Wait / (execution + time outside MPI) of collective calls, as the text of "
                                         "Korkhov et al. defines it"))
                                   .orNone(),
                               [](const MpiSumsRow& row) { return row.imbalance.ofProcess; });
    table.columns.emplace_back(Column("wait_execution", tr("Wait/execution"), CellKind::Ratio,
                                      tr("Wait / execution of collective calls, as their table prints it"))
                                   .orNone(),
                               [](const MpiSumsRow& row) { return row.imbalance.waitExecution; });
    return knowingBytes(std::move(table), scope);
}

Table<MpiSumsRow> mpiCallTable(const TableScope& scope, TimeNs ranksTime)
{
    Table<MpiSumsRow> table{QStringLiteral("waits.calls"), tr("MPI calls by time"), {}};
    table.columns = {{{"call", tr("Call"), CellKind::Text, tr("Name of the MPI call")},
                      [store = scope.store](const MpiSumsRow& row) { return callCell(store, row.call); }},
                     {{"share", tr("Of all ranks' time"), CellKind::Share, tr("Of ranks x duration")},
                      [ranksTime](const MpiSumsRow& row) { return ratio(row.sums.time, ranksTime); }}};
    for (TableColumn<MpiSumsRow>& column : sumColumns()) table.columns.push_back(std::move(column));
    table.columns.emplace_back(Column("imbalance", tr("Imbalance"), CellKind::Ratio,
                                      tr("Wait / execution of collective calls of that name"))
                                   .orNone(),
                               [](const MpiSumsRow& row) { return row.imbalance.ofCall; });
    return knowingBytes(std::move(table), scope);
}

Table<MpiCallRow> callMemberTable(const TableScope&)
{
    return {
        QStringLiteral("selection.members"),
        tr("Members of a collective call"),
        {
            {{"rank", tr("Rank"), CellKind::Number, tr("The rank that took part")}, &MpiCallRow::rank},
            {{"begin_ns", tr("Came"), CellKind::Instant, tr("When it came into its call")},
             [](const MpiCallRow& row) { return row.range.begin; }},
            {{"wait_before_ns", tr("Wait before"), CellKind::Time, tr("Waiting for another rank to come")},
             &MpiCallRow::waitBefore},
            {{"execution_ns", tr("Execution"), CellKind::Time, tr("At work in the library")}, &MpiCallRow::execution},
            {{"wait_after_ns", tr("Wait after"), CellKind::Time, tr("Waiting in the call when its own part was done")},
             &MpiCallRow::waitAfter},
        }};
}

std::vector<TableInfo> mpiTables(Vocabulary words)
{
    return {infoOf(waitStateTable(words)), infoOf(worstWaitTable(words)),     infoOf(delayCauseTable(words)),
            infoOf(delayCostTable(words)), infoOf(pathImbalanceTable(words)), infoOf(mpiRankTable(words)),
            infoOf(mpiCallTable(words)),   infoOf(callMemberTable(words))};
}

}  // namespace longpole
