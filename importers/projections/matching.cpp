// SPDX-License-Identifier: GPL-3.0-or-later
// Matches executions, one destination at a time, by looking their keys up in the creations of their sources.
#include "importers/projections/matching.h"

#include "core/base/limits.h"
#include "core/base/sortrows.h"
#include "core/trace/columns.h"
#include "core/trace/trackids.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace longpole {
// The run-time system delivers an array broadcast by steps of its own, all under the key of the broadcast: one that has
// another entry method is no delivery of it, but follows from it. Under any other message's key such an execution has
// nothing to do with it: resumed threads, say, all carry the first key of PE 0.
Link linkOf(const Creation& creation, std::uint32_t entry)
{
    if (creation.entry == entry) return Link::Message;
    return isBroadcastType(creation.messageType) ? Link::Forwarded : Link::None;
}

struct Matching::Destination {
    std::uint32_t number;
    std::uint32_t pe;
    std::uint32_t row = 0;
    CreationLookup& creations;
    RowSink& sink;
    ImportLog& log;
    std::unordered_map<std::uint32_t, Latency> latencies;  // by source log

    void note(IssueKind kind) const
    {
        if (log.count(kind) == 0) log.addAt(kind, QStringLiteral("task %1:%2").arg(pe).arg(row));
        else log.add(kind);
    }
    void emit(Link link, std::int64_t sourcePe, std::int64_t sourceRow, TimeNs offset, TimeNs latency,
              std::int64_t message, std::int64_t creator) const
    {
        std::array<std::int64_t, TaskSourceColumn::Count> values;
        values[TaskSourceColumn::Link] = static_cast<std::int64_t>(link);
        values[TaskSourceColumn::SourcePe] = sourcePe;
        values[TaskSourceColumn::SourceIndex] = sourceRow;
        values[TaskSourceColumn::Offset] = offset;
        values[TaskSourceColumn::Latency] = latency;
        values[TaskSourceColumn::MessageIndex] = message;
        values[TaskSourceColumn::CreatorPe] = creator;
        sink.append(ChunkKind::TaskSource, processorTrack(pe), values);
    }
};

std::optional<std::uint32_t> logOfProcessor(std::span<const std::uint32_t> pes, std::int64_t pe)
{
    if (pe < 0 || pe > 0xffffffffll) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(pe);
    if (number < pes.size() && pes[number] == number) return number;
    const auto found = std::lower_bound(pes.begin(), pes.end(), number);
    if (found == pes.end() || *found != number) return std::nullopt;
    return static_cast<std::uint32_t>(found - pes.begin());
}

Matching::Matching(std::span<const std::uint32_t> pes, std::vector<BroadcastCreation> broadcasts,
                   std::vector<RecordedMerge> merges, const Spill& executionSpill, std::int64_t processors,
                   ExecutionTally& tally, const Progress& progress)
    : m_pes(pes), m_broadcasts(std::move(broadcasts)), m_merges(std::move(merges)), m_executionSpill(executionSpill),
      m_processors(processors), m_tally(tally)
{
    sortRows(m_broadcasts, progress);
    orderBySend(progress);
    sortRows(m_merges, progress);
    m_merges.erase(std::unique(m_merges.begin(), m_merges.end()), m_merges.end());
    m_isMergeFound.resize(m_merges.size());
    m_mergesLeft = limits::mergesInto.of(static_cast<std::int64_t>(m_merges.size()));
}

std::optional<std::uint32_t> Matching::logOf(std::int64_t pe) const { return logOfProcessor(m_pes, pe); }

void Matching::match(std::uint32_t destination, const Executions& executions, CreationLookup& creations, RowSink& sink,
                     ImportLog& log, const Progress& progress)
{
    constexpr std::uint32_t asksEvery = 1 << 14;  // rows
    Destination to{.number = destination,
                   .pe = m_pes[destination],
                   .creations = creations,
                   .sink = sink,
                   .log = log,
                   .latencies = {}};
    Executions::Reader reader(executions, m_executionSpill);
    PendingExecution execution;
    for (; reader.next(execution); ++to.row) {
        if (to.row % asksEvery == 0 && progress.isCancelled()) return;
        if (execution.isBlock) {
            emitBlock(execution, to);
            continue;
        }
        const std::optional<Found> found = find(execution, to);
        if (found) {
            if (found->link != Link::Forwarded) m_tally.add(found->source, found->position);
            emitFound(execution, *found, to);
        } else {
            to.note(IssueKind::UnmatchedExecution);
            to.emit(Link::None, 0, 0, 0, 0, -1, -1);
        }
        if (!m_merges.empty()) emitMerges(execution, found, to);
    }
    emitLatencies(to);
}

std::optional<Matching::Found> Matching::find(const PendingExecution& execution, Destination& to)
{
    std::optional<Found> found;
    if (execution.creator < 0 || execution.creator >= m_processors) to.note(IssueKind::ProcessorOutOfRange);
    if (const std::optional<std::uint32_t> source = logOf(execution.creator)) {
        const auto position = to.creations.find(*source, static_cast<std::uint32_t>(execution.event));
        if (position) {
            const Creation creation = to.creations.at(*source, *position);
            found = Found{*source, *position, creation, linkOf(creation, execution.entry)};
        }
    }
    if (found && found->link == Link::Message) return found;
    if (std::optional<Found> repaired = repair(execution, to)) return repaired;
    if (found) to.note(IssueKind::ForeignKey);
    return found && found->link != Link::None ? found : std::nullopt;
}

// Of one event and entry in the order of sending; of those sent at once the one first in order comes last.
void Matching::orderBySend(const Progress& progress)
{
    const auto key = [this](std::uint32_t i) {
        const BroadcastCreation& b = m_broadcasts[i];
        return std::tuple(b.event, b.entry, b.sent, ~b.source, ~b.position);
    };
    m_bySend.resize(m_broadcasts.size());
    std::iota(m_bySend.begin(), m_bySend.end(), 0u);
    sortRows(m_bySend, progress, [key](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    m_runs.resize(m_bySend.size());
    for (std::size_t i = 0; i < m_bySend.size(); ++i) {
        const bool isSame = i > 0 && m_broadcasts[m_bySend[i - 1]].source == m_broadcasts[m_bySend[i]].source;
        m_runs[i] = isSame ? m_runs[i - 1] : static_cast<std::uint32_t>(i);
    }
}

// An array broadcast's elements on other processes name the local PE instead of the origin (docs/formats/projections.md
// 4): the creation has the same event and entry on another PE. If there are several, it is the last one sent before the
// execution; if none was sent before, the first one in the order of logs. O(log broadcasts).
std::optional<Matching::Found> Matching::repair(const PendingExecution& execution, Destination& to) const
{
    const BroadcastCreation* const best = broadcastBefore(execution);
    const BroadcastCreation* const found = best ? best : firstBroadcast(execution);
    if (!found) return std::nullopt;
    to.note(IssueKind::RepairedBroadcast);
    return Found{found->source, found->position, to.creations.at(found->source, found->position), Link::RepairedBcast};
}

// The last one that another PE sent before the execution.
const BroadcastCreation* Matching::broadcastBefore(const PendingExecution& execution) const
{
    const std::tuple wanted(static_cast<std::uint32_t>(execution.event), execution.entry, execution.begin);
    const auto key = [this](std::uint32_t i) {
        const BroadcastCreation& b = m_broadcasts[i];
        return std::tuple(b.event, b.entry, b.sent);
    };
    const auto after = std::upper_bound(m_bySend.begin(), m_bySend.end(), wanted,
                                        [key](const auto& value, std::uint32_t i) { return value < key(i); });
    std::size_t i = static_cast<std::size_t>(after - m_bySend.begin());
    // The creator's own are passed a run at a time; before a run comes another PE's.
    if (i > 0 && std::int64_t{m_pes[m_broadcasts[m_bySend[i - 1]].source]} == execution.creator) i = m_runs[i - 1];
    if (i == 0) return nullptr;
    const BroadcastCreation& found = m_broadcasts[m_bySend[i - 1]];
    return found.event == std::get<0>(wanted) && found.entry == std::get<1>(wanted) ? &found : nullptr;
}

// The first one of another PE, in the order of logs.
const BroadcastCreation* Matching::firstBroadcast(const PendingExecution& execution) const
{
    const auto event = static_cast<std::uint32_t>(execution.event);
    const auto isOf = [&](auto at) {
        return at != m_broadcasts.end() && at->event == event && at->entry == execution.entry;
    };
    auto at = std::lower_bound(m_broadcasts.begin(), m_broadcasts.end(), BroadcastCreation{event, execution.entry});
    if (isOf(at) && std::int64_t{m_pes[at->source]} == execution.creator)
        at = std::lower_bound(at, m_broadcasts.end(), BroadcastCreation{event, execution.entry, at->source + 1});
    return isOf(at) ? &*at : nullptr;
}

void Matching::emitBlock(const PendingExecution& execution, Destination& to)
{
    if (execution.before == noRow) to.emit(Link::None, 0, 0, 0, 0, -1, -1);
    else to.emit(Link::Block, to.pe, execution.before, execution.beforeOffset, 0, -1, to.pe);
}

void Matching::emitFound(const PendingExecution& execution, const Found& found, Destination& to)
{
    const Creation& creation = found.creation;
    const std::uint32_t pe = m_pes[found.source];
    const TimeNs latency = execution.begin - creation.sent;
    Latency& seen = to.latencies[found.source];
    TimeNs& least = creation.entry == execution.entry ? seen.least : seen.leastOfOthers;
    least = std::min(least, latency);
    if (creation.entry == execution.entry) ++seen.messages;
    if (latency < 0) to.note(IssueKind::NegativeLatency);
    const std::int64_t delivered = found.link == Link::Forwarded ? -1 : std::int64_t{found.position};
    if (creation.task == noRow) to.emit(Link::NoTask, pe, 0, 0, latency, delivered, pe);
    else to.emit(found.link, pe, creation.task, creation.offset, latency, found.position, pe);
}

// Emits the recorded merges into an execution. They name it by the key of its creation, if that was found, as the key
// of a repaired broadcast names the wrong PE.
void Matching::emitMerges(const PendingExecution& execution, const std::optional<Found>& found, Destination& to)
{
    if (!found && (execution.creator < 0 || execution.event < 0)) return;
    const RecordedMerge first{.pe = found ? m_pes[found->source] : static_cast<std::uint32_t>(execution.creator),
                              .event = found ? found->creation.event : static_cast<std::uint32_t>(execution.event)};
    auto merge = std::lower_bound(m_merges.begin(), m_merges.end(), first);
    for (; merge != m_merges.end() && merge->pe == first.pe && merge->event == first.event; ++merge) {
        if (--m_mergesLeft < 0) {
            to.note(IssueKind::UnmatchedMerge);
            return;
        }
        const std::optional<std::uint32_t> source = logOf(merge->sourcePe);
        const auto position = source ? to.creations.find(*source, merge->sourceEvent) : std::nullopt;
        if (!position) continue;
        std::atomic_ref(m_isMergeFound[static_cast<std::size_t>(merge - m_merges.begin())])
            .store(1, std::memory_order_relaxed);
        const Creation creation = to.creations.at(*source, *position);
        if (creation.task == noRow) continue;  // sent outside of any task, so there is none to wait for
        std::array<std::int64_t, MergeColumn::Count> row;
        row[MergeColumn::Task] = to.row;
        row[MergeColumn::SourcePe] = merge->sourcePe;
        row[MergeColumn::SourceIndex] = creation.task;
        row[MergeColumn::Offset] = creation.offset;
        row[MergeColumn::MessageIndex] = *position;
        row[MergeColumn::Link] = static_cast<std::int64_t>(Link::Message);
        to.sink.append(ChunkKind::Merge, processorTrack(to.pe), row);
    }
}

void Matching::reportUnmatchedMerges(ImportLog& log) const
{
    for (std::size_t i = 0; i < m_merges.size(); ++i) {
        if (m_isMergeFound[i] != 0) continue;
        const RecordedMerge& merge = m_merges[i];
        if (log.count(IssueKind::UnmatchedMerge) > 0) log.add(IssueKind::UnmatchedMerge);
        else
            log.addAt(IssueKind::UnmatchedMerge, QStringLiteral("MERGE %1 %2 %3 %4")
                                                     .arg(merge.pe)
                                                     .arg(merge.event)
                                                     .arg(merge.sourcePe)
                                                     .arg(merge.sourceEvent));
    }
}

void Matching::emitLatencies(Destination& to)
{
    const std::map<std::uint32_t, Latency> sorted(to.latencies.begin(), to.latencies.end());
    for (const auto& [source, latency] : sorted) {
        const TimeNs least = latency.least != maxTime ? latency.least : latency.leastOfOthers;
        const std::array<std::int64_t, LatencyColumn::Count> row = {m_pes[source], least, latency.messages};
        to.sink.append(ChunkKind::Latency, processorTrack(to.pe), row);
    }
}

}  // namespace longpole
