// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about the time in MPI: by call and by rank, and the imbalance of synchronizing collectives.
#include "analysis/base/naming.h"
#include "analysis/report/findings.h"

#include "analysis/mpi/mpiquestions.h"
#include "analysis/report/mpitables.h"
#include "analysis/statistics/efficiencyquestions.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t callRows = 15;
constexpr std::size_t rankRows = 32;

QString ratioText(const std::optional<double>& ratio) { return cellText(Cell(ratio), CellKind::Ratio, nullptr); }

// What calls took besides waiting: work, but where ranks are missing, for which they may have waited.
QString timeSentence(const TraceStore& store, const MpiProfile& profile, TimeNs whole)
{
    TimeNs starting = 0;
    for (std::size_t c = 0; c < profile.calls.size(); ++c)
        if (isStartOrEnd(callName(store, profile.calls[c]))) addSaturating(starting, profile.ofCall(c).execution);
    const QString text =
        tr("%1 took %2 of the time of all ranks: %3 waiting, %4 start-up and shut-down, %5 at work in the "
           "library.")
            .arg(counted("%1 MPI calls", "%1 MPI call", profile.total.calls), shareText(profile.total.time, whole),
                 shareText(profile.total.wait(), whole), shareText(starting, whole),
                 shareText(saturatingSubtract(profile.total.execution, starting), whole));
    if (hasAllRanks(store)) return text;
    return text % QLatin1Char(' ') % tr("Some of that work may be waiting for ranks that are not in the trace.");
}

QString imbalanceSentence(const MpiProfile& profile)
{
    const MpiImbalance program = imbalanceOfProgram(profile);
    if (!program.waitExecution) return {};
    QString text = tr("In collective calls of all ranks they waited %1, and were in the call together for %2.")
                       .arg(formatTime(profile.total.syncWait), formatTime(profile.total.syncExecution));
    std::uint32_t most = 0;
    for (std::uint32_t rank = 1; rank < profile.ranks; ++rank)
        if (profile.byRank[rank].syncWait > profile.byRank[most].syncWait) most = rank;
    if (profile.ranks > 1)
        text += tr(" Rank %1 waited longest in them: %2.").arg(most).arg(formatTime(profile.byRank[most].syncWait));
    return text;
}

TableData callTable(const TraceStore& store, const MpiProfile& profile, TimeNs whole)
{
    return mpiCallTable(store, whole)
        .only({"call", "calls", "time_ns", "share", "wait_ns", "bytes", "imbalance"})
        .renamed("calls", "count")
        .data(mpiByCall(profile), callRows);
}

TableData rankTable(const TraceStore& store, const MpiProfile& profile)
{
    std::vector<MpiSumsRow> rows = mpiByRank(profile);
    const bool all = rows.size() <= rankRows;
    if (!all)
        std::stable_sort(rows.begin(), rows.end(),
                         [](const MpiSumsRow& a, const MpiSumsRow& b) { return a.sums.wait() > b.sums.wait(); });
    return mpiRankTable(store)
        .only({"rank", "calls", "program_ns", "time_ns", "wait_ns", "imbalance", "wait_execution"})
        .titled(all ? tr("MPI by rank") : tr("MPI by rank, longest waits first"))
        .data(rows, rankRows);
}

QString ratiosSentence(const MpiProfile& profile)
{
    const MpiImbalance program = imbalanceOfProgram(profile);
    if (!program.waitExecution) return {};
    return tr("Of these calls wait / execution is %1, and wait / (execution + time outside MPI) %2 (Korkhov et al.).")
        .arg(ratioText(program.waitExecution), ratioText(program.ofProcess));
}

QString efficiencySentence(const Efficiency& found)
{
    return tr("Parallel efficiency is %1: load balance %2 x serialization %3 x transfer %4.")
        .arg(formatShare(found.parallel), formatShare(found.loadBalance), formatShare(found.serialization),
             formatShare(found.transfer));
}

JsonValue efficiencyJson(const Efficiency& found)
{
    return {{"parallel", found.parallel},
            {"load_balance", found.loadBalance},
            {"communication", found.communication},
            {"serialization", found.serialization},
            {"transfer", found.transfer}};
}

void writeProfile(JsonText& text, const TraceStore& store, const MpiProfile& profile)
{
    const MpiImbalance program = imbalanceOfProgram(profile);
    text.member("calls", profile.total.calls);
    text.member("time_ns", profile.total.time);
    text.member("wait_ns", profile.total.wait());
    text.member("program_ns", profile.outside());
    text.member("imbalance", program.ofProcess);
    text.member("wait_execution", program.waitExecution);
    text.key("by_call");
    text.beginList();
    for (const MpiSumsRow& row : mpiByCall(profile)) {
        if (text.isCancelled()) break;
        text.value({{"call", callName(store, row.call)},
                    {"count", row.sums.calls},
                    {"time_ns", row.sums.time},
                    {"wait_ns", row.sums.wait()}});
    }
    text.endList();
}

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
    finding.paragraphs << timeSentence(context.store, *profile, whole);
    if (const QString imbalance = imbalanceSentence(*profile); !imbalance.isEmpty()) finding.paragraphs << imbalance;
    if (const QString ratios = ratiosSentence(*profile); !ratios.isEmpty()) finding.appendix.paragraphs << ratios;
    if (profile->total.notSynchronizing > 0)
        finding.appendix.paragraphs
            << tr("The ratios leave out %1 that a rank left before the last one came, or that do not block.")
                   .arg(counted("%1 collective calls", "%1 collective call", profile->total.notSynchronizing));
    finding.appendix.paragraphs << tr(
        "Serialization is what waiting for each other costs on an ideal network; transfer what network and library "
        "cost.");
    finding.appendix.tables.push_back(callTable(context.store, *profile, whole));
    finding.appendix.tables.push_back(rankTable(context.store, *profile));
    const auto efficient = context.results.ask(EfficiencyQuestion{}, context.progress);
    const bool isEfficient = efficient && (*efficient)->parallel > 0;
    if (isEfficient) {
        finding.paragraphs.insert(1, efficiencySentence(**efficient));
        if (const QString threads = otherThreadsSentence((*efficient)->threads); !threads.isEmpty())
            finding.appendix.paragraphs << threads;
    }
    finding.json = [store = context.results.sharedStore(), profile,
                    efficiency = isEfficient ? *efficient : std::shared_ptr<const Efficiency>()](JsonText& text) {
        text.beginObject();
        writeProfile(text, *store, *profile);
        if (efficiency) text.member("efficiency", efficiencyJson(*efficiency));
        text.endObject();
    };
    return finding;
}

}  // namespace

const Analysis mpiAnalysis{.id = "mpi",
                           .title = QT_TRANSLATE_NOOP("longpole", "MPI"),
                           .evaluate = findMpi,
                           .needsRanks = true};

}  // namespace longpole
