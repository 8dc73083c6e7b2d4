// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/waitoutput.h"

#include "app/output/jsonoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

namespace longpole {

namespace {

double shareOf(TimeNs part, TimeNs whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

QString callName(const TraceStore& store, RegionId call)
{
    const Region* const region = store.region(call);
    return region != nullptr ? region->name : tr("call %1").arg(index(call));
}

QVariant numberOr(std::int64_t number, const QVariant& otherwise)
{
    return number >= 0 ? QVariant(qlonglong(number)) : otherwise;
}

// As entryJson(), and of MPI calls, which are regions, too.
JsonValue codeJson(const TraceStore& store, EntryId code)
{
    if (code == noEntry || store.entry(code) != nullptr) return entryJson(store, code);
    return {{"id", index(code)}, {"name", toJson(nameOfCode(store, code))}, {"chare", nullptr}};
}

JsonValue instanceJson(const TraceStore& store, const WaitInstance& instance)
{
    return {{"rank", instance.rank},
            {"seq", instance.seq},
            {"call", toJson(callName(store, instance.call))},
            {"begin_ns", instance.wait.begin},
            {"end_ns", instance.wait.end},
            {"time_ns", instance.wait.length()},
            {"culprit", toJson(numberOr(instance.culprit, {}))},
            {"culprit_seq", toJson(numberOr(instance.culpritSeq, {}))},
            {"task", instance.delayed.isValid() ? toJson(toText(instance.delayed)) : JsonValue()},
            {"during", codeJson(store, instance.during)}};
}

JsonValue waitsJson(const TraceStore& store, const WaitStates& found)
{
    JsonValue list = JsonValue::array();
    for (const WaitState& state : found.states) {
        JsonValue worst = JsonValue::array();
        for (const WaitInstance& instance : state.worst) worst.push_back(instanceJson(store, instance));
        JsonValue byRank = JsonValue::array();
        for (const TimeNs time : state.byRank) byRank.push_back(time);
        list.push_back({{"pattern", name(state.kind)},
                        {"part_of",
                         isPartOfAnother(state.kind) ? JsonValue(name(WaitStateKind::LateSender)) : JsonValue()},
                        {"count", state.count},
                        {"time_ns", state.time},
                        {"share", shareOf(state.time, found.totalTime)},
                        {"by_rank_ns", byRank},
                        {"worst", worst}});
    }
    return list;
}

QString waitedSentence(const WaitStates& found)
{
    if (found.total == 0) return tr("No rank waited for another.") + QLatin1Char('\n');
    return tr("Waited: %1, %2 of the time of all ranks")
               .arg(formatTime(found.total), formatShare(shareOf(found.total, found.totalTime)))
           + QLatin1Char('\n');
}

// "rank 3" and its call; what it did before.
QString culpritText(const WaitInstance& instance)
{
    if (instance.culprit < 0) return {};
    const QString rank = tr("rank %1").arg(instance.culprit);
    return instance.culpritSeq < 0 ? rank : tr("%1, call %2").arg(rank).arg(instance.culpritSeq);
}

void writeState(Output& output, const TraceStore& store, const WaitState& state, TimeNs totalTime)
{
    const QString calls = state.count == 1 ? tr("1 call") : tr("%1 calls").arg(formatCount(state.count));
    QString head = tr("%1: %2 in %3, %4")
                       .arg(title(state.kind), formatTime(state.time), calls,
                            formatShare(shareOf(state.time, totalTime)));
    if (isPartOfAnother(state.kind)) head += tr(" (also counted as late sender)");
    output.write(QLatin1Char('\n') + head + QLatin1Char('\n') + wrapped(explanation(state.kind), 2));
    if (state.worst.empty()) return;
    const bool hasCulprit = state.worst.front().culprit >= 0;
    std::vector<FindingColumn> columns{{QStringLiteral("rank"), tr("Rank"), CellKind::Count},
                                       {QStringLiteral("time_ns"), tr("Waited"), CellKind::Time},
                                       {QStringLiteral("begin_ns"), tr("At"), CellKind::Time},
                                       {QStringLiteral("call"), tr("In"), CellKind::Text}};
    if (hasCulprit) {
        columns.push_back({QStringLiteral("culprit"), tr("For"), CellKind::Text});
        columns.push_back({QStringLiteral("during"), tr("Which was in"), CellKind::Text});
    }
    TableWriter table(output, OutputFormat::Text, std::move(columns), &store);
    for (const WaitInstance& instance : state.worst) {
        std::vector<QVariant> cells{instance.rank, qlonglong(instance.wait.length()),
                                    qlonglong(instance.wait.begin - store.info().begin),
                                    tr("%1, call %2").arg(callName(store, instance.call)).arg(instance.seq)};
        if (hasCulprit) {
            cells.push_back(culpritText(instance));
            cells.push_back(instance.during == noEntry ? QString() : nameOfCode(store, instance.during));
        }
        if (!table.row(cells)) return;
    }
    table.finish();
}

// One row per instance.
void writeWaitsCsv(Output& output, const TraceStore& store, const WaitStates& found)
{
    TableWriter table(output, OutputFormat::Csv,
                      {{QStringLiteral("pattern"), {}, CellKind::Text},
                       {QStringLiteral("count"), {}, CellKind::Count},
                       {QStringLiteral("pattern_time_ns"), {}, CellKind::Time},
                       {QStringLiteral("rank"), {}, CellKind::Count},
                       {QStringLiteral("seq"), {}, CellKind::Count},
                       {QStringLiteral("call"), {}, CellKind::Text},
                       {QStringLiteral("begin_ns"), {}, CellKind::Time},
                       {QStringLiteral("end_ns"), {}, CellKind::Time},
                       {QStringLiteral("time_ns"), {}, CellKind::Time},
                       {QStringLiteral("culprit"), {}, CellKind::Count},
                       {QStringLiteral("culprit_seq"), {}, CellKind::Count},
                       {QStringLiteral("task"), {}, CellKind::Text},
                       {QStringLiteral("during"), {}, CellKind::Text}},
                      &store);
    for (const WaitState& state : found.states)
        for (const WaitInstance& one : state.worst)
            if (!table.row({QLatin1String(name(state.kind)), qlonglong(state.count), qlonglong(state.time), one.rank,
                            qlonglong(one.seq), callName(store, one.call), qlonglong(one.wait.begin),
                            qlonglong(one.wait.end), qlonglong(one.wait.length()), numberOr(one.culprit, {}),
                            numberOr(one.culpritSeq, {}), one.delayed.isValid() ? toText(one.delayed) : QString(),
                            one.during == noEntry ? QString() : nameOfCode(store, one.during)}))
                return;
    table.finish();
}

// Per code: the rank that caused most.
std::unordered_map<std::uint32_t, const DelayCost*> mostByCode(const WaitStates& found)
{
    std::unordered_map<std::uint32_t, const DelayCost*> most;
    for (const DelayCost& cost : found.causesByRank) most.try_emplace(index(cost.entry), &cost);
    return most;
}

void writeCausesText(Output& output, const TraceStore& store, const WaitStates& found)
{
    output.write(waitedSentence(found));
    if (found.total == 0) return;
    output.write(tr("Without a known cause: %1").arg(formatTime(found.unexplained)) + QStringLiteral("\n\n"));
    TableWriter table(output, OutputFormat::Text,
                      {{QStringLiteral("code"), tr("Code that others waited for"), CellKind::Text},
                       {QStringLiteral("time_ns"), tr("Caused"), CellKind::Time},
                       {QStringLiteral("share"), tr("Of all"), CellKind::Share},
                       {QStringLiteral("direct_ns"), tr("Directly"), CellKind::Time},
                       {QStringLiteral("propagated_ns"), tr("By way of others"), CellKind::Time},
                       {QStringLiteral("rank"), tr("Most on rank"), CellKind::Count},
                       {QStringLiteral("there_ns"), QString(), CellKind::Time}},
                      &store);
    constexpr std::size_t mostRows = 25;
    const auto most = mostByCode(found);
    const std::size_t shown = std::min(mostRows, found.causes.size());
    for (const DelayCost& cost : std::span(found.causes).first(shown)) {
        const DelayCost& there = *most.at(index(cost.entry));
        if (!table.row({nameOfCode(store, cost.entry), qlonglong(cost.sum()), shareOf(cost.sum(), found.total),
                        qlonglong(cost.direct), qlonglong(cost.propagated), there.rank, qlonglong(there.sum())}))
            return;
    }
    table.finish();
    if (shown == found.causes.size()) return;
    TimeNs others = 0;
    for (const DelayCost& cost : std::span(found.causes).subspan(shown)) others = saturatingAdd(others, cost.sum());
    output.write(tr("%1 more, %2 together; --json and --csv have all")
                     .arg(formatCount(std::int64_t(found.causes.size() - shown)), formatTime(others))
                 + QLatin1Char('\n'));
}

// Per code and rank.
void writeCausesCsv(Output& output, const TraceStore& store, const WaitStates& found)
{
    TableWriter table(output, OutputFormat::Csv,
                      {{QStringLiteral("entry_id"), {}, CellKind::Count},
                       {QStringLiteral("entry"), {}, CellKind::Text},
                       {QStringLiteral("rank"), {}, CellKind::Count},
                       {QStringLiteral("time_ns"), {}, CellKind::Time},
                       {QStringLiteral("direct_ns"), {}, CellKind::Time},
                       {QStringLiteral("propagated_ns"), {}, CellKind::Time}},
                      &store);
    for (const DelayCost& cost : found.causesByRank)
        if (!table.row({index(cost.entry), nameOfCode(store, cost.entry), cost.rank, qlonglong(cost.sum()),
                        qlonglong(cost.direct), qlonglong(cost.propagated)}))
            return;
    table.finish();
}

JsonValue costJson(const DelayCost& cost)
{
    return {{"time_ns", cost.sum()}, {"direct_ns", cost.direct}, {"propagated_ns", cost.propagated}};
}

JsonValue causesJson(const TraceStore& store, const WaitStates& found)
{
    std::unordered_map<std::uint32_t, JsonValue> byRank;
    for (const DelayCost& cost : found.causesByRank) {
        JsonValue row = {{"rank", cost.rank}};
        row.update(costJson(cost));
        byRank.try_emplace(index(cost.entry), JsonValue::array()).first->second.push_back(std::move(row));
    }
    JsonValue causes = JsonValue::array();
    for (const DelayCost& cost : found.causes) {
        JsonValue row = {{"entry", codeJson(store, cost.entry)}, {"share", shareOf(cost.sum(), found.total)}};
        row.update(costJson(cost));
        row["ranks"] = byRank[index(cost.entry)];
        causes.push_back(std::move(row));
    }
    return {{"total_ns", found.total}, {"unexplained_ns", found.unexplained}, {"causes", causes}};
}

JsonValue ratioJson(const std::optional<double>& ratio) { return ratio ? JsonValue(*ratio) : JsonValue(); }

JsonValue sumsJson(const MpiSums& sums)
{
    return {{"calls", sums.calls},
            {"time_ns", sums.time},
            {"bytes", sums.bytes},
            {"wait_before_ns", sums.waitBefore},
            {"execution_ns", sums.execution},
            {"wait_after_ns", sums.waitAfter},
            {"sync_wait_ns", sums.syncWait},
            {"sync_execution_ns", sums.syncExecution},
            {"not_synchronizing", sums.notSynchronizing}};
}

JsonValue processJson(const MpiSums& sums, TimeNs program, const MpiImbalance& imbalance)
{
    JsonValue row = {{"program_ns", program}};
    row.update(sumsJson(sums));
    row["imbalance"] = ratioJson(imbalance.ofProcess);
    row["wait_execution"] = ratioJson(imbalance.waitExecution);
    return row;
}

TimeNs wholeProgram(const MpiProfile& profile)
{
    TimeNs program = 0;
    for (const TimeNs rank : profile.program) program = saturatingAdd(program, rank);
    return program;
}

JsonValue imbalanceJson(const TraceStore& store, const MpiProfile& profile)
{
    JsonValue ranks = JsonValue::array();
    for (std::uint32_t rank = 0; rank < profile.ranks; ++rank) {
        JsonValue row = {{"rank", rank}};
        row.update(processJson(profile.byRank[rank], profile.program[rank], imbalanceOfProcess(profile, rank)));
        ranks.push_back(std::move(row));
    }
    JsonValue calls = JsonValue::array();
    for (std::size_t call = 0; call < profile.calls.size(); ++call) {
        MpiSums sums;
        for (std::size_t rank = 0; rank < profile.ranks; ++rank) sums += profile.cell(call, rank);
        JsonValue row = {{"call", toJson(callName(store, profile.calls[call]))}};
        row.update(sumsJson(sums));
        row["imbalance"] = ratioJson(imbalanceOfCall(sums).ofCall);
        calls.push_back(std::move(row));
    }
    return {{"program", processJson(profile.total, wholeProgram(profile), imbalanceOfProgram(profile))},
            {"ranks", ranks},
            {"calls", calls}};
}

// "0.713"; "-" where nothing can be said. CSV: all digits, or nothing.
QVariant ratioCell(const std::optional<double>& ratio, OutputFormat format)
{
    if (format == OutputFormat::Csv) return ratio ? QVariant(*ratio) : QVariant();
    return ratio ? QString::number(*ratio, 'f', 3) : QStringLiteral("-");
}

void writeRanks(Output& output, OutputFormat format, const TraceStore& store, const MpiProfile& profile)
{
    TableWriter table(output, format,
                      {{QStringLiteral("rank"), tr("Rank"), CellKind::Text},
                       {QStringLiteral("calls"), tr("Calls"), CellKind::Count},
                       {QStringLiteral("program_ns"), tr("Outside MPI"), CellKind::Time},
                       {QStringLiteral("time_ns"), tr("In MPI"), CellKind::Time},
                       {QStringLiteral("sync_execution_ns"), tr("Execution"), CellKind::Time},
                       {QStringLiteral("sync_wait_ns"), tr("Wait"), CellKind::Time},
                       {QStringLiteral("imbalance"), tr("Imbalance"), CellKind::Text},
                       {QStringLiteral("wait_execution"), tr("Wait/execution"), CellKind::Text}},
                      &store);
    const auto write = [&](const QVariant& rank, const MpiSums& sums, TimeNs program, const MpiImbalance& imbalance) {
        return table.row({rank, qlonglong(sums.calls), qlonglong(program), qlonglong(sums.time),
                          qlonglong(sums.syncExecution), qlonglong(sums.syncWait),
                          ratioCell(imbalance.ofProcess, format), ratioCell(imbalance.waitExecution, format)});
    };
    for (std::uint32_t rank = 0; rank < profile.ranks; ++rank)
        if (!write(rank, profile.byRank[rank], profile.program[rank], imbalanceOfProcess(profile, rank))) return;
    if (format == OutputFormat::Text
        && !write(tr("all"), profile.total, wholeProgram(profile), imbalanceOfProgram(profile)))
        return;
    table.finish();
}

void writeCalls(Output& output, const TraceStore& store, const MpiProfile& profile)
{
    TableWriter table(output, OutputFormat::Text,
                      {{QStringLiteral("call"), tr("Call"), CellKind::Text},
                       {QStringLiteral("calls"), tr("Calls"), CellKind::Count},
                       {QStringLiteral("time_ns"), tr("Time"), CellKind::Time},
                       {QStringLiteral("wait_before_ns"), tr("Wait before"), CellKind::Time},
                       {QStringLiteral("execution_ns"), tr("Execution"), CellKind::Time},
                       {QStringLiteral("wait_after_ns"), tr("Wait after"), CellKind::Time},
                       {QStringLiteral("imbalance"), tr("Imbalance"), CellKind::Text}},
                      &store);
    for (std::size_t call = 0; call < profile.calls.size(); ++call) {
        MpiSums sums;
        for (std::size_t rank = 0; rank < profile.ranks; ++rank) sums += profile.cell(call, rank);
        if (!table.row({callName(store, profile.calls[call]), qlonglong(sums.calls), qlonglong(sums.time),
                        qlonglong(sums.waitBefore), qlonglong(sums.execution), qlonglong(sums.waitAfter),
                        ratioCell(imbalanceOfCall(sums).ofCall, OutputFormat::Text)}))
            return;
    }
    table.finish();
}

}  // namespace

void writeWaits(Output& output, OutputFormat format, const TraceStore& store, const WaitStates& found)
{
    if (format == OutputFormat::Json) output.write(dump(waitsJson(store, found)));
    else if (format == OutputFormat::Csv) writeWaitsCsv(output, store, found);
    else {
        output.write(waitedSentence(found));
        for (const WaitState& state : found.states) writeState(output, store, state, found.totalTime);
    }
}

void writeCauses(Output& output, OutputFormat format, const TraceStore& store, const WaitStates& found)
{
    if (format == OutputFormat::Json) output.write(dump(causesJson(store, found)));
    else if (format == OutputFormat::Csv) writeCausesCsv(output, store, found);
    else writeCausesText(output, store, found);
}

void writeImbalance(Output& output, OutputFormat format, const TraceStore& store, const MpiProfile& profile)
{
    if (format == OutputFormat::Json) {
        output.write(dump(imbalanceJson(store, profile)));
        return;
    }
    if (format == OutputFormat::Text)
        output.write(
            wrapped(tr("Of blocking collective calls in which all ranks met: execution is the time that all of "
                       "them were in the call, wait the rest. Imbalance is wait / (execution + time outside MPI), "
                       "and of a call wait / execution."),
                    0)
            + QLatin1Char('\n'));
    writeRanks(output, format, store, profile);
    if (format != OutputFormat::Text) return;
    output.write(QByteArray("\n"));
    writeCalls(output, store, profile);
}

}  // namespace longpole
