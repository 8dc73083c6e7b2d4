// SPDX-License-Identifier: GPL-3.0-or-later
// Matches executions, one destination at a time, by looking their keys up in the creations of their sources.
#include "importers/projections/matching.h"

#include "core/trace/columns.h"
#include "core/trace/trackids.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>

namespace longpole {
namespace {

constexpr std::uint8_t many = 255;

// The run-time system delivers an array broadcast by steps of its own, all under the key of the broadcast: one that has
// another entry method is no delivery of it, but follows from it. Under any other message's key such an execution has
// nothing to do with it: resumed threads, say, all carry the first key of PE 0.
Link linkOf(const Creation& creation, std::uint32_t entry)
{
    if (creation.entry == entry) return Link::Message;
    return isBroadcastType(creation.messageType) ? Link::Forwarded : Link::None;
}

}  // namespace

struct Matching::Destination {
    std::uint32_t number;
    std::uint32_t pe;
    std::uint32_t row = 0;
    CreationReader reader;
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

Matching::Matching(std::span<const std::uint32_t> pes, const std::vector<Creations>& creations,
                   std::vector<BroadcastCreation> broadcasts, std::vector<RecordedMerge> merges,
                   const Spill& creationSpill, const Spill& executionSpill, std::int64_t processors)
    : m_pes(pes), m_creations(creations), m_broadcasts(std::move(broadcasts)), m_merges(std::move(merges)),
      m_creationSpill(creationSpill), m_executionSpill(executionSpill), m_processors(processors)
{
    std::sort(m_broadcasts.begin(), m_broadcasts.end());
    std::sort(m_merges.begin(), m_merges.end());
    m_merges.erase(std::unique(m_merges.begin(), m_merges.end()), m_merges.end());
    m_isMergeFound.resize(m_merges.size());
    m_counts.reserve(m_creations.size());
    for (const Creations& source : m_creations) m_counts.emplace_back(source.size());
}

std::optional<std::uint32_t> Matching::logOf(std::int64_t pe) const
{
    if (pe < 0 || pe > 0xffffffffll) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(pe);
    if (number < m_pes.size() && m_pes[number] == number) return number;
    const auto found = std::lower_bound(m_pes.begin(), m_pes.end(), number);
    if (found == m_pes.end() || *found != number) return std::nullopt;
    return static_cast<std::uint32_t>(found - m_pes.begin());
}

void Matching::match(std::uint32_t destination, const Executions& executions, RowSink& sink, ImportLog& log)
{
    Destination to{.number = destination,
                   .pe = m_pes[destination],
                   .reader = CreationReader(m_creations, m_creationSpill),
                   .sink = sink,
                   .log = log,
                   .latencies = {}};
    Executions::Reader reader(executions, m_executionSpill);
    PendingExecution execution;
    for (; reader.next(execution); ++to.row) {
        if (execution.isBlock) {
            emitBlock(execution, to);
            continue;
        }
        const std::optional<Found> found = find(execution, to);
        if (found) {
            if (found->link != Link::Forwarded) count(*found);
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
        const auto position = to.reader.find(*source, static_cast<std::uint32_t>(execution.event));
        if (position) {
            const Creation creation = to.reader.at(*source, *position);
            found = Found{*source, *position, creation, linkOf(creation, execution.entry)};
        }
    }
    if (found && found->link == Link::Message) return found;
    if (std::optional<Found> repaired = repair(execution, to)) return repaired;
    if (found) to.note(IssueKind::ForeignKey);
    return found && found->link != Link::None ? found : std::nullopt;
}

// An array broadcast's elements on other processes name the local PE instead of the origin (docs/formats/projections.md
// 4): the creation has the same event and entry on another PE. If there are several, it is the last one sent before the
// execution.
std::optional<Matching::Found> Matching::repair(const PendingExecution& execution, Destination& to) const
{
    const auto event = static_cast<std::uint32_t>(execution.event);
    const BroadcastCreation* best = nullptr;
    auto at = std::lower_bound(m_broadcasts.begin(), m_broadcasts.end(), BroadcastCreation{event, execution.entry});
    for (; at != m_broadcasts.end() && at->event == event && at->entry == execution.entry; ++at) {
        if (std::int64_t{m_pes[at->source]} == execution.creator) continue;
        const bool isBefore = at->sent <= execution.begin;
        if (!best || (isBefore && (best->sent > execution.begin || at->sent > best->sent))) best = &*at;
    }
    if (!best) return std::nullopt;
    to.note(IssueKind::RepairedBroadcast);
    return Found{best->source, best->position, to.reader.at(best->source, best->position), Link::RepairedBcast};
}

void Matching::count(const Found& found)
{
    std::atomic_ref<std::uint8_t> counter(m_counts[found.source][found.position]);
    std::uint8_t value = counter.load(std::memory_order_relaxed);
    while (value < many && !counter.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) {}
    if (value < many) return;
    const std::lock_guard lock(m_mutex);
    ++m_many[(std::uint64_t{found.source} << 32) | found.position];
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
    const bool isDelivery = found.link != Link::Forwarded;
    if (creation.task == noRow) to.emit(Link::NoTask, pe, 0, 0, latency, isDelivery ? found.position : -1, pe);
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
        const std::optional<std::uint32_t> source = logOf(merge->sourcePe);
        const auto position = source ? to.reader.find(*source, merge->sourceEvent) : std::nullopt;
        if (!position) continue;
        std::atomic_ref(m_isMergeFound[static_cast<std::size_t>(merge - m_merges.begin())])
            .store(1, std::memory_order_relaxed);
        const Creation creation = to.reader.at(*source, *position);
        if (creation.task == noRow) continue;  // sent outside of any task, so there is none to wait for
        std::array<std::int64_t, MergeColumn::Count> row;
        row[MergeColumn::Task] = to.row;
        row[MergeColumn::SourcePe] = merge->sourcePe;
        row[MergeColumn::SourceIndex] = creation.task;
        row[MergeColumn::Offset] = creation.offset;
        row[MergeColumn::MessageIndex] = *position;
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

std::int64_t Matching::countExecutions(std::uint32_t source, RowSink& sink) const
{
    std::int64_t matched = 0;
    const std::vector<std::uint8_t>& counts = m_counts[source];
    for (std::uint32_t position = 0; position < counts.size(); ++position) {
        std::int64_t executions = counts[position];
        if (executions > 0) ++matched;
        if (executions == many) {
            const auto more = m_many.find((std::uint64_t{source} << 32) | position);
            if (more != m_many.end()) executions += more->second;
        }
        sink.append(ChunkKind::MessageExecutions, processorTrack(m_pes[source]), {&executions, 1});
    }
    return matched;
}

}  // namespace longpole
