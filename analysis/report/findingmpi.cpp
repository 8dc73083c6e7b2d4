// SPDX-License-Identifier: GPL-3.0-or-later
// What an MPI program spent in MPI: by call and by rank, and how well balanced its collective calls are.
#include "analysis/report/findings.h"

#include "analysis/mpi/mpiquestions.h"
#include "analysis/statistics/efficiencyquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

constexpr std::size_t callRows = 15;
constexpr std::size_t rankRows = 32;

double shareOf(TimeNs part, TimeNs whole) { return ratio(double(part), double(whole)); }

QString callName(const TraceStore& store, RegionId call)
{
    const Region* const region = store.region(call);
    return region != nullptr ? region->name : tr("call %1").arg(index(call));
}

QString ratioText(const std::optional<double>& ratio) { return ratio ? QString::number(*ratio, 'f', 3) : QString(); }

TimeNs wholeProgram(const MpiProfile& profile)
{
    return std::accumulate(profile.program.begin(), profile.program.end(), TimeNs(0), saturatingAdd);
}

MpiSums sumsOf(const MpiProfile& profile, std::size_t call)
{
    MpiSums sums;
    for (std::size_t rank = 0; rank < profile.ranks; ++rank) sums += profile.cell(call, rank);
    return sums;
}

QString timeSentence(const MpiProfile& profile, TimeNs whole)
{
    return tr("%1 took %2 of the time of all ranks: %3 waiting and %4 at work in the library. Outside MPI was %5.")
        .arg(counted(profile.total.calls, tr("MPI call"), tr("MPI calls")),
             formatShare(shareOf(profile.total.time, whole)), formatShare(shareOf(profile.total.wait(), whole)),
             formatShare(shareOf(profile.total.execution, whole)), formatShare(shareOf(wholeProgram(profile), whole)));
}

QString imbalanceSentence(const MpiProfile& profile)
{
    const MpiImbalance program = imbalanceOfProgram(profile);
    if (!program.waitExecution) return {};
    QString text =
        tr("In collective calls in which all ranks met, they waited %1 and were in the call together for %2: "
           "wait / execution is %3, and wait / (execution + time outside MPI) %4 (Korkhov et al.).")
            .arg(formatTime(profile.total.syncWait), formatTime(profile.total.syncExecution),
                 ratioText(program.waitExecution), ratioText(program.ofProcess));
    std::uint32_t most = 0;
    for (std::uint32_t rank = 1; rank < profile.ranks; ++rank)
        if (profile.byRank[rank].syncWait > profile.byRank[most].syncWait) most = rank;
    if (profile.ranks > 1)
        text += tr(" Rank %1 waited longest in them, %2.").arg(most).arg(formatTime(profile.byRank[most].syncWait));
    return text;
}

FindingTable callTable(const TraceStore& store, const MpiProfile& profile, TimeNs whole)
{
    FindingTable table;
    table.title = tr("MPI calls by time");
    table.columns = {{QStringLiteral("call"), tr("Call"), CellKind::Text},
                     {QStringLiteral("count"), tr("Calls"), CellKind::Count},
                     {QStringLiteral("time_ns"), tr("Time"), CellKind::Time},
                     {QStringLiteral("share"), tr("Of all ranks' time"), CellKind::Share},
                     {QStringLiteral("wait_ns"), tr("Wait"), CellKind::Time},
                     {QStringLiteral("bytes"), tr("Bytes"), CellKind::Bytes},
                     {QStringLiteral("imbalance"), tr("Wait / execution"), CellKind::Text}};
    for (std::size_t call = 0; call < std::min(callRows, profile.calls.size()); ++call) {
        const MpiSums sums = sumsOf(profile, call);
        table.rows.push_back({callName(store, profile.calls[call]), qlonglong(sums.calls), qlonglong(sums.time),
                              shareOf(sums.time, whole), qlonglong(sums.wait()), qlonglong(sums.bytes),
                              ratioText(imbalanceOfCall(sums).ofCall)});
    }
    table.rowsOmitted = static_cast<std::int64_t>(profile.calls.size() - table.rows.size());
    return table;
}

FindingTable rankTable(const MpiProfile& profile)
{
    std::vector<std::uint32_t> order(profile.ranks);
    std::iota(order.begin(), order.end(), 0u);
    const bool all = order.size() <= rankRows;
    if (!all)
        std::stable_sort(order.begin(), order.end(), [&profile](std::uint32_t a, std::uint32_t b) {
            return profile.byRank[a].wait() > profile.byRank[b].wait();
        });
    FindingTable table;
    table.title = all ? tr("MPI by rank") : tr("MPI by rank, longest waits first");
    table.columns = {{QStringLiteral("rank"), tr("Rank"), CellKind::Count},
                     {QStringLiteral("calls"), tr("Calls"), CellKind::Count},
                     {QStringLiteral("program_ns"), tr("Outside MPI"), CellKind::Time},
                     {QStringLiteral("time_ns"), tr("In MPI"), CellKind::Time},
                     {QStringLiteral("wait_ns"), tr("Wait"), CellKind::Time},
                     {QStringLiteral("imbalance"), tr("Imbalance"), CellKind::Text},
                     {QStringLiteral("wait_execution"), tr("Wait / execution"), CellKind::Text}};
    for (std::size_t i = 0; i < std::min(rankRows, order.size()); ++i) {
        const std::uint32_t rank = order[i];
        const MpiSums& sums = profile.byRank[rank];
        const MpiImbalance imbalance = imbalanceOfProcess(profile, rank);
        table.rows.push_back({rank, qlonglong(sums.calls), qlonglong(profile.program[rank]), qlonglong(sums.time),
                              qlonglong(sums.wait()), ratioText(imbalance.ofProcess),
                              ratioText(imbalance.waitExecution)});
    }
    table.rowsOmitted = static_cast<std::int64_t>(order.size() - table.rows.size());
    return table;
}

QString efficiencySentence(const Efficiency& found)
{
    return tr("Parallel efficiency is %1: load balance %2 x communication %3; and communication is serialization %4 "
              "(what "
              "waiting for each other costs on an ideal network) x transfer %5 (what the network and the library "
              "cost).")
        .arg(formatShare(found.parallel), formatShare(found.loadBalance), formatShare(found.communication),
             formatShare(found.serialization), formatShare(found.transfer));
}

QJsonObject efficiencyJson(const Efficiency& found)
{
    return {{QStringLiteral("parallel"), found.parallel},
            {QStringLiteral("load_balance"), found.loadBalance},
            {QStringLiteral("communication"), found.communication},
            {QStringLiteral("serialization"), found.serialization},
            {QStringLiteral("transfer"), found.transfer}};
}

QJsonValue ratioJson(const std::optional<double>& ratio) { return ratio ? QJsonValue(*ratio) : QJsonValue(); }

QJsonObject profileJson(const TraceStore& store, const MpiProfile& profile)
{
    QJsonArray calls;
    for (std::size_t call = 0; call < profile.calls.size(); ++call) {
        const MpiSums sums = sumsOf(profile, call);
        calls.append(QJsonObject{{QStringLiteral("call"), callName(store, profile.calls[call])},
                                 {QStringLiteral("count"), qint64(sums.calls)},
                                 {QStringLiteral("time_ns"), qint64(sums.time)},
                                 {QStringLiteral("wait_ns"), qint64(sums.wait())}});
    }
    const MpiImbalance program = imbalanceOfProgram(profile);
    return {{QStringLiteral("calls"), qint64(profile.total.calls)},
            {QStringLiteral("time_ns"), qint64(profile.total.time)},
            {QStringLiteral("wait_ns"), qint64(profile.total.wait())},
            {QStringLiteral("program_ns"), qint64(wholeProgram(profile))},
            {QStringLiteral("imbalance"), ratioJson(program.ofProcess)},
            {QStringLiteral("wait_execution"), ratioJson(program.waitExecution)},
            {QStringLiteral("by_call"), calls}};
}

}  // namespace

Finding findMpi(const AnalysisContext& context)
{
    Finding finding;
    const TraceInfo& info = context.store.info();
    const auto asked = context.results.ask(MpiProfileQuestion{}, context.progress);
    if (!asked || (*asked)->calls.empty()) {
        finding.notEvaluated = asked ? tr("The trace holds no MPI calls.") : toText(asked.error());
        return finding;
    }
    const std::shared_ptr<const MpiProfile>& profile = *asked;
    const TimeNs whole = saturatingMultiply(info.duration(), std::max<std::int64_t>(0, info.processors));
    finding.paragraphs << timeSentence(*profile, whole);
    if (const QString imbalance = imbalanceSentence(*profile); !imbalance.isEmpty()) finding.paragraphs << imbalance;
    if (profile->total.notSynchronizing > 0)
        finding.paragraphs
            << tr("The ratios leave out %1 that a rank left before the last one came, or that do not block.")
                   .arg(counted(profile->total.notSynchronizing, tr("collective call"), tr("collective calls")));
    finding.tables.push_back(callTable(context.store, *profile, whole));
    finding.tables.push_back(rankTable(*profile));
    QJsonObject json = profileJson(context.store, *profile);
    const auto efficient = context.results.ask(EfficiencyQuestion{}, context.progress);
    if (efficient && (*efficient)->parallel > 0) {
        finding.paragraphs.insert(1, efficiencySentence(**efficient));
        json.insert(QStringLiteral("efficiency"), efficiencyJson(**efficient));
    }
    finding.json = json;
    return finding;
}

}  // namespace longpole
