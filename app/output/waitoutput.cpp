// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/waitoutput.h"

#include "analysis/base/naming.h"
#include "analysis/report/mpitables.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <span>

namespace longpole {

namespace {

void say(Output& output, const QString& text) { output.write(QString(text + QLatin1Char('\n'))); }

void saySums(Output& output, const WaitStates& found, const QString& none)
{
    if (found.states.empty()) say(output, none);
    else if (found.isOfPart)
        say(output, tr("Waited: %1, in waits that begin in this range, counted whole").arg(formatTime(found.total)));
    else
        say(output, (found.threads > 0 ? tr("Waited: %1, %2 of the time of all ranks and threads")
                                       : tr("Waited: %1, %2 of the time of all ranks"))
                        .arg(formatTime(found.total), shareText(found.total, found.totalTime)));
    // Not beside a choice of waits, which is no part of these sums, nor of a range, in which ranks wait since before,
    // too.
    const bool isWhole = !found.isOfPart && saturatingAdd(found.idle.inStates, found.idle.elsewhere) == found.total;
    if (isWhole && found.idle.idle() > 0) say(output, idleSentence(found.idle));
    for (const QString& sentence : unjudgedSentences(found.unjudged, found.totalTime)) say(output, sentence);
}

void writeState(Output& output, const TraceStore& store, const WaitState& state, const WaitStates& found)
{
    QString head = tr("%1: %2 in %3")
                       .arg(title(state.kind), formatTime(state.time), counted("%1 calls", "%1 call", state.count));
    if (!found.isOfPart) head += QStringLiteral(", ") % shareText(state.time, found.totalTime);
    if (const auto whole = wholeOf(state.kind)) head += tr(" (also counted as %1)").arg(titleInSentence(*whole));
    say(output, QLatin1Char('\n') + head);
    output.write(wrapped(explanation(state.kind), 2));
    if (state.worst.empty()) return;
    const bool isOfThreads = state.worst.front().track != noTrack;
    const auto table = isOfThreads ? worstWaitTable(store).only({"rank", "thread", "time_ns", "begin_ns", "call",
                                                                 "culprit_thread", "during"})
                       : state.worst.front().culprit >= 0
                           ? (store.callPaths().empty()
                                  ? worstWaitTable(store).only({"rank", "time_ns", "begin_ns", "call", "seq", "culprit",
                                                                "culprit_seq", "during", "during_ns",
                                                                "culprit_waited_ns"})
                                  : worstWaitTable(store).only({"rank", "time_ns", "begin_ns", "call", "where",
                                                                "culprit", "during", "during_ns", "culprit_waited_ns",
                                                                "culprit_where"}))
                       : store.callPaths().empty()
                           ? worstWaitTable(store).only({"rank", "time_ns", "begin_ns", "call", "seq"})
                           : worstWaitTable(store).only({"rank", "time_ns", "begin_ns", "call", "seq", "where"});
    writeTable(output, OutputFormat::Text, table, worstWaits(state), store);
}

// One row per wait that the answer lists.
void writeWaitsCsv(Output& output, const TraceStore& store, const WaitStates& found)
{
    std::vector<WorstWait> rows;
    for (const WaitState& state : found.states)
        for (const WorstWait& wait : worstWaits(state)) rows.push_back(wait);
    writeTable(output, OutputFormat::Csv, worstWaitTable(store), rows, store);
}

JsonValue causesJson(const TraceStore& store, const WaitStates& found)
{
    const auto table = delayCauseTable(store, found.total)
                           .only({"entry", "where", "share", "time_ns", "direct_ns", "propagated_ns", "ranks"});
    return {{"total_ns", found.total},
            {"unexplained_ns", found.unexplained},
            {"unjudged", {{"one_sided_ns", found.unjudged.oneSided}, {"files_ns", found.unjudged.files}}},
            {"idle",
             {{"in_states_ns", found.idle.inStates},
              {"before_last_ns", found.idle.beforeLast},
              {"after_first_ns", found.idle.afterFirst},
              {"elsewhere_ns", found.idle.elsewhere}}},
            {"causes", rowsJson(table, delayCauses(found), &store)}};
}

JsonValue imbalanceJson(const TraceStore& store, const MpiProfile& profile)
{
    const auto ranks = mpiRankTable(store).only({"rank", "program_ns", "calls", "time_ns", "bytes", "wait_before_ns",
                                                 "execution_ns", "wait_after_ns", "sync_wait_ns", "sync_execution_ns",
                                                 "not_synchronizing", "imbalance", "wait_execution"});
    const auto calls = mpiCallTable(store).only({"call", "calls", "time_ns", "bytes", "wait_before_ns", "execution_ns",
                                                 "wait_after_ns", "sync_wait_ns", "sync_execution_ns",
                                                 "not_synchronizing", "imbalance"});
    JsonValue program = rowJson(ranks, mpiOfProgram(profile), &store);
    program.erase("rank");
    return {{"program", program},
            {"ranks", rowsJson(ranks, mpiByRank(profile), &store)},
            {"calls", rowsJson(calls, mpiByCall(profile), &store)}};
}

}  // namespace

void writeWaits(Output& output, OutputFormat format, const TraceStore& store, const WaitStates& found,
                const QString& none)
{
    if (format == OutputFormat::Json) {
        const auto table = waitStateTable(store, found.totalTime)
                               .only({"pattern", "part_of", "count", "time_ns", "share", "by_rank_ns", "worst"});
        output.write(dump(rowsJson(table, found.states, &store)));
    } else if (format == OutputFormat::Csv) {
        writeWaitsCsv(output, store, found);
    } else {
        saySums(output, found, none);
        for (const WaitState& state : found.states) writeState(output, store, state, found);
    }
}

void writeCauseRows(Output& output, const TraceStore& store, const WaitStates& found)
{
    say(output, tr("Without a known cause: %1").arg(formatTime(found.unexplained)) + QLatin1Char('\n'));
    constexpr std::size_t mostRows = 25;
    const std::vector<DelayCause> causes = delayCauses(found);
    const std::size_t shown = std::min(mostRows, causes.size());
    const auto table = delayCauseTable(store, found.total);
    writeTable(output, OutputFormat::Text,
               store.callPaths().empty()
                   ? table.only({"entry", "time_ns", "share", "direct_ns", "propagated_ns", "rank", "there_ns"})
                   : table.only({"entry", "where", "time_ns", "share", "direct_ns", "propagated_ns", "rank"}),
               std::span(causes).first(shown), store);
    if (shown == causes.size()) return;
    TimeNs others = 0;
    for (const DelayCause& cause : std::span(causes).subspan(shown)) others = saturatingAdd(others, cause.cost.sum());
    say(output, tr("%1 more, %2 together; --json and --csv have all")
                    .arg(formatCount(std::int64_t(causes.size() - shown)), formatTime(others)));
}

void writeCauses(Output& output, OutputFormat format, const TraceStore& store, const WaitStates& found,
                 const QString& none)
{
    if (format == OutputFormat::Json) output.write(dump(causesJson(store, found)));
    if (format == OutputFormat::Csv) writeTable(output, format, delayCostTable(store), found.causesByRank, store);
    if (format != OutputFormat::Text) return;
    saySums(output, found, none);
    if (found.total > 0) writeCauseRows(output, store, found);
}

void writeImbalance(Output& output, OutputFormat format, const TraceStore& store, const MpiProfile& profile)
{
    if (format == OutputFormat::Json) {
        output.write(dump(imbalanceJson(store, profile)));
        return;
    }
    const auto table = mpiRankTable(store).only({"rank", "calls", "program_ns", "time_ns", "sync_execution_ns",
                                                 "sync_wait_ns", "imbalance", "wait_execution"});
    std::vector<MpiSumsRow> ranks = mpiByRank(profile);
    if (format == OutputFormat::Csv) return writeTable(output, format, table, ranks, store);
    say(output, wrapped(tr("Of blocking collective calls in which all ranks met: execution is the time that all of "
                           "them were in the call, wait the rest. Imbalance is wait / (execution + time outside MPI), "
                           "and of a call wait / execution."),
                        0));
    ranks.push_back(mpiOfProgram(profile));
    writeTable(output, format, table, ranks, store);
    output.write(QByteArray("\n"));
    writeTable(output, format,
               mpiCallTable(store).only({"call", "calls", "time_ns", "wait_before_ns", "execution_ns", "wait_after_ns",
                                         "imbalance"}),
               mpiByCall(profile), store);
}

}  // namespace longpole
