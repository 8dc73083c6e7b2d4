// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/rankrows.h"

#include "core/trace/columns.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <tuple>

namespace longpole {
namespace {

constexpr std::int64_t absent = -1;

// Peer, tag and communicator of a call's messages and collective operation, as far as these agree, and their bytes.
struct Partner {
    static constexpr std::int32_t unknown = -2;
    std::int32_t peer = unknown;
    std::int32_t tag = unknown;
    std::uint32_t comm = noComm;
    std::int32_t instance = -1;
    MpiMoved moved{};

    void add(std::int32_t otherPeer, std::int32_t otherTag, std::uint32_t otherComm)
    {
        if (peer == unknown) std::tie(peer, tag, comm) = std::tuple(otherPeer, otherTag, otherComm);
        if (peer != otherPeer) peer = -1;
        if (tag != otherTag) tag = -1;
        if (comm != otherComm) comm = noComm;
    }
    void addMoved(MpiMoved more)
    {
        moved.sent = saturatingAdd(moved.sent, std::max<std::int64_t>(more.sent, 0));
        moved.received = saturatingAdd(moved.received, std::max<std::int64_t>(more.received, 0));
    }
};

class RankRows {
public:
    RankRows(const MpiLayout& layout, const MatchedRank& rank, const MpiPartners& partners, TileBuilder& tiles,
             RowSink& sink, const Progress& progress, const GrowingRank& growing)
        : m_layout(layout), m_matched(rank), m_partners(partners), m_progress(progress), m_rank(rank.rank),
          m_mine(rank.self), m_track(layout.rankTrack(rank.rank)), m_tiles(tiles), m_sink(sink), m_growing(growing),
          m_rest(layout.names().info.begin, layout.spareBins())
    {
        if (!growing.before.empty()) {
            m_before = growing.before[m_rank];
            m_latencies = m_before.latencies;
            m_totals.idle = m_before.idle;
        }
        if (!growing.reached) return;
        *growing.reached = m_before;
        growing.reached->calls += growing.calls;
        growing.reached->sends += growing.sends;
        growing.reached->tasks = growing.tasks;
    }

    MpiRankTotals write(ImportLog& log)
    {
        writeThreadWaits();
        writeCalls(mpiWaitsOf(m_rank, m_mine, m_layout.completions(), m_partners, m_progress));
        writeSources(edges(log));
        writeMessages();
        writeDeliveries();
        for (std::size_t i = 0; i < m_mine.receives.size(); ++i) {
            const MpiReceive& receive = m_mine.receives[i];
            const bool isWanted = receive.completion != noCall && !receive.isCancelled;
            if (isWanted && !m_partners.isSent(m_rank, static_cast<std::uint32_t>(i))) ++m_totals.receivesUnmatched;
        }
        if (m_layout.hasBins() && m_growing.isLast) writeTiles();
        return m_totals;
    }

private:
    // Numbers in the part that is written, as numbers in the run.
    std::uint32_t callNumber(std::int64_t rank, std::uint32_t call) const
    {
        return m_growing.before.empty() ? call : m_growing.before[static_cast<std::size_t>(rank)].calls + call;
    }
    std::int64_t messageNumber(std::uint32_t rank, std::int64_t send) const
    {
        return m_growing.before.empty() ? send : m_growing.before[rank].sends + send;
    }
    bool goesOnFromEarlier() const { return !m_growing.before.empty(); }
    bool isWhole() const { return m_growing.before.empty() && m_growing.isLast; }
    void settled(std::initializer_list<ChunkKind> kinds) { m_sink.settled({kinds.begin(), kinds.size()}); }

    std::vector<Partner> partners() const;
    void writeCalls(const std::vector<MpiWait>& waits);
    void writeCall(std::uint32_t number, const Partner& partner, const MpiWait& wait);
    void writeIdle(const MpiCall& call, const MpiWait& wait);
    void writeThreadWaits();
    void idleBefore(TimeNs time);
    void idle(TimeNs begin, TimeNs end);
    void writeSources(const std::vector<MpiEdge>& edges);
    void writeMerges(std::span<const MpiEdge> edges);
    void writeSource(const MpiEdge& edge);
    void writeMessages();
    void writeDeliveries();
    void writeTiles();
    std::vector<MpiEdge> edges(ImportLog& log);
    void noteSources(std::span<const MpiEdge> later);
    bool goesOn() const { return !m_progress.isCancelled(); }
    TimeNs beginOf(std::uint32_t task) const { return m_matched.begins.at(task); }
    static TimeNs offsetOf(const MpiEdge& edge) { return saturatingSubtract(edge.left, edge.sourceBegin); }

    const MpiLayout& m_layout;
    const MatchedRank& m_matched;
    const MpiPartners& m_partners;
    const Progress& m_progress;
    const std::uint32_t m_rank;
    const MpiRank& m_mine;
    const TrackId m_track;
    TileBuilder& m_tiles;
    RowSink& m_sink;
    MpiRankTotals m_totals;
    std::vector<TimeRange> m_threadIdle;  // of the rank's own thread, in barriers and for devices
    std::size_t m_nextThreadIdle = 0;
    std::map<std::uint32_t, RankLatency> m_latencies;  // by source rank
    std::vector<MpiEdge> m_merges;
    const GrowingRank m_growing;
    RankSoFar m_before;
    LaterTiles m_rest;        // behind the place from which the next import goes on
    bool m_isBehind = false;  // that place
    std::int64_t m_mergesWritten = 0;
};

// For every call: sends and collectives describe the call that starts them, receives also the call that completes them.
// Bytes count once: where they are sent, and where they are received.
std::vector<Partner> RankRows::partners() const
{
    std::vector<Partner> partners(m_mine.calls.size());
    for (const MpiSend& send : m_mine.sends) {
        partners[send.call].add(static_cast<std::int32_t>(send.to), send.tag, send.comm);
        partners[send.call].addMoved({send.bytes, 0});
        if (send.completion != noCall && send.completion != send.call)
            partners[send.completion].add(static_cast<std::int32_t>(send.to), send.tag, send.comm);
    }
    for (const MpiReceive& receive : m_mine.receives) {
        if (receive.completion == noCall) continue;
        const auto from = static_cast<std::int32_t>(receive.from);
        partners[receive.call].add(from, receive.tag, receive.comm);
        if (receive.completion != receive.call) partners[receive.completion].add(from, receive.tag, receive.comm);
        partners[receive.completion].addMoved({0, receive.bytes});
    }
    for (const MpiProbe& probe : m_mine.probes)
        partners[probe.call].add(static_cast<std::int32_t>(probe.from), probe.tag, probe.comm);
    for (const MpiTransfer& transfer : m_mine.transfers) {
        partners[transfer.call].add(transfer.peer, -1, transfer.comm);
        partners[transfer.call].addMoved(transfer.moved);
    }
    for (std::size_t i = 0; i < m_mine.collectives.size(); ++i) {
        const MpiCollectivePart& part = m_mine.collectives[i];
        const std::uint32_t number = m_partners.instanceNumber(m_rank, static_cast<std::uint32_t>(i));
        const auto instance = static_cast<std::int32_t>(number == noInstance ? number : m_growing.instances + number);
        partners[part.call].add(part.root, -1, part.comm);
        partners[part.call].addMoved(part.moved);
        partners[part.call].instance = instance;
        if (part.completion == noCall || part.completion == part.call) continue;
        partners[part.completion].add(part.root, -1, part.comm);
        partners[part.completion].instance = instance;
    }
    return partners;
}

void RankRows::writeCalls(const std::vector<MpiWait>& waits)
{
    const std::vector<Partner> about = partners();
    settled({ChunkKind::MpiCall, ChunkKind::Idle});
    for (std::uint32_t number = 0; number < m_mine.calls.size() && goesOn(); ++number) {
        m_isBehind = !m_growing.reached || number >= m_growing.calls;
        const MpiCall& call = m_mine.calls[number];
        const TimeRange active = m_matched.active;
        MpiWait wait = waits[number];
        // In start-up and shut-down there is no waiting.
        if (call.begin < active.begin || call.begin >= active.end) wait = MpiWait{.flags = wait.flags};
        writeCall(number, about[number], wait);
        if (m_layout.track(call.location) != m_track) continue;
        idleBefore(call.begin);
        writeIdle(call, wait);
    }
    idleBefore(maxTime);
}

void RankRows::writeThreadWaits()
{
    const TimeRange active = m_matched.active;
    for (const MpiThreadWait& found : m_matched.threadWaits) {
        const TimeRange range = found.sync.range;
        const bool isActive = range.begin >= active.begin && range.begin < active.end;
        const TrackId track = m_layout.track(found.sync.location);
        const bool hasWaited = isActive && found.wait > 0;
        std::array<std::int64_t, ThreadWaitColumn::Count> row;
        row[ThreadWaitColumn::Begin] = range.begin;
        row[ThreadWaitColumn::Duration] = range.length();
        row[ThreadWaitColumn::Region] = found.sync.region;
        row[ThreadWaitColumn::Wait] = hasWaited ? found.wait : 0;
        row[ThreadWaitColumn::Pattern] = hasWaited ? static_cast<std::int64_t>(found.pattern) : 0;
        row[ThreadWaitColumn::Instance] = found.instance;
        row[ThreadWaitColumn::Culprit] = hasWaited ? index(m_layout.track(found.culprit)) : absent;
        m_sink.append(ChunkKind::ThreadWait, track, row);
        if (hasWaited && track == m_track)
            m_threadIdle.push_back({range.begin, saturatingAdd(range.begin, found.wait)});
    }
}

// Idle time of threads that began before `time`, so that all idle time is written in order.
void RankRows::idleBefore(TimeNs time)
{
    for (; m_nextThreadIdle < m_threadIdle.size() && m_threadIdle[m_nextThreadIdle].begin < time; ++m_nextThreadIdle)
        idle(m_threadIdle[m_nextThreadIdle].begin, m_threadIdle[m_nextThreadIdle].end);
}

void RankRows::writeCall(std::uint32_t number, const Partner& partner, const MpiWait& wait)
{
    const MpiCall& call = m_mine.calls[number];
    const TimeNs duration = saturatingSubtract(call.end, call.begin);
    std::uint16_t flags = wait.flags;
    if (call.isOpen) flags |= MpiCallFlag::Incomplete;
    if (m_layout.call(call.region).completes) flags |= MpiCallFlag::Completes;

    std::array<std::int64_t, MpiCallColumn::Count> row;
    row[MpiCallColumn::Begin] = call.begin;
    row[MpiCallColumn::Duration] = duration;
    row[MpiCallColumn::Region] = call.region;
    row[MpiCallColumn::Seq] = callNumber(m_rank, number);
    row[MpiCallColumn::Comm] = partner.comm == noComm ? absent : index(m_layout.communicator(partner.comm));
    row[MpiCallColumn::Peer] = std::max(partner.peer, -1);
    row[MpiCallColumn::Tag] = std::max(partner.tag, -1);
    row[MpiCallColumn::Bytes] = saturatingAdd(partner.moved.sent, partner.moved.received);
    row[MpiCallColumn::Sent] = partner.moved.sent;
    row[MpiCallColumn::WaitBefore] = wait.before;
    row[MpiCallColumn::Execution] = duration - wait.before - wait.after;
    row[MpiCallColumn::WaitAfter] = wait.after;
    row[MpiCallColumn::Pattern] = static_cast<std::int64_t>(wait.pattern);
    row[MpiCallColumn::Severity] = wait.severity;
    row[MpiCallColumn::Culprit] = wait.culprit;
    row[MpiCallColumn::CulpritSeq] = wait.culpritCall == noCall ? absent : callNumber(wait.culprit, wait.culpritCall);
    row[MpiCallColumn::Instance] = partner.instance;
    row[MpiCallColumn::Task] = call.piece == noPiece ? absent : call.piece;
    row[MpiCallColumn::Flags] = flags;
    row[MpiCallColumn::Path] = call.path;
    m_sink.append(ChunkKind::MpiCall, m_layout.track(call.location), row);
}

void RankRows::writeIdle(const MpiCall& call, const MpiWait& wait)
{
    const TimeNs executes = saturatingAdd(call.begin, wait.before);
    const TimeNs waits = saturatingSubtract(call.end, wait.after);
    if (executes >= waits) {
        if (wait.before > 0 || wait.after > 0) idle(call.begin, call.end);
        return;
    }
    idle(call.begin, executes);
    idle(waits, call.end);
}

void RankRows::idle(TimeNs begin, TimeNs end)
{
    if (begin >= end) return;
    const std::array<std::int64_t, IdleColumn::Count> row = {begin, saturatingSubtract(end, begin)};
    m_sink.append(ChunkKind::Idle, m_track, row);
    if (!isWhole()) {
        if (m_isBehind) m_rest.idle({begin, end}, m_matched.tasks);
    } else if (m_layout.hasBins()) {
        m_tiles.idle(begin, end);
    }
    const TimeRange counted{m_layout.names().info.begin, maxTime};
    m_totals.idle = saturatingAdd(m_totals.idle, overlap({begin, end}, counted));
    if (m_isBehind || !m_growing.reached) return;
    m_growing.tiles->idle({begin, end}, m_growing.tasks);
    ++m_growing.reached->idleRows;
    m_growing.reached->idle = m_totals.idle;
}

// With the numbers of the run, and those into the first task that the earlier import found.
std::vector<MpiEdge> RankRows::edges(ImportLog& log)
{
    std::vector<MpiEdge> found = m_growing.edges ? std::move(*m_growing.edges)
                                                 : mpiEdgesOf(m_rank, m_mine, m_partners, log, m_progress);
    if (!goesOnFromEarlier()) return found;
    for (MpiEdge& edge : found)
        if (edge.message >= 0) edge.message = messageNumber(edge.sourceRank, edge.message);
    found.insert(found.begin(), m_before.edges.begin(), m_before.edges.end());
    return found;
}

// The call before the place is known to its end: what led to the task behind it is, too.
void RankRows::noteSources(std::span<const MpiEdge> later)
{
    RankSoFar& reached = *m_growing.reached;
    reached.latencies = m_latencies;
    reached.mergeRows = m_before.mergeRows + m_mergesWritten;
    const auto isOther = [&](const MpiEdge& edge) { return edge.piece != m_growing.tasks; };
    reached.edges.assign(later.begin(), std::find_if(later.begin(), later.end(), isOther));
}

// One row a task. Of several edges into one task the first is what started it, the others are merges.
void RankRows::writeSources(const std::vector<MpiEdge>& edges)
{
    constexpr std::array<std::int64_t, TaskSourceColumn::Count> sourceless = {
        static_cast<std::int64_t>(Link::None), 0, 0, 0, 0, absent, absent};
    std::size_t edge = 0;
    settled({ChunkKind::TaskSource, ChunkKind::Merge});
    for (std::uint32_t task = m_before.tasks; task < m_matched.tasks && goesOn(); ++task) {
        if (m_growing.reached && task == m_growing.tasks) noteSources(std::span(edges).subspan(edge));
        if (edge == edges.size() || edges[edge].piece != task) {
            m_sink.append(ChunkKind::TaskSource, m_track, sourceless);
            continue;
        }
        std::size_t end = edge + 1;
        while (end < edges.size() && edges[end].piece == task) ++end;
        writeSource(edges[edge]);
        if (end > edge + 1) writeMerges(std::span(edges).subspan(edge + 1, end - edge - 1));
        edge = end;
    }
    if (m_growing.reached && m_growing.tasks >= m_matched.tasks) noteSources(std::span(edges).subspan(edge));
    if (!m_growing.isLast) return;
    for (const auto& [source, latency] : m_latencies) {
        const std::array<std::int64_t, LatencyColumn::Count> row = {source, latency.least, latency.messages};
        m_sink.append(ChunkKind::Latency, m_track, row);
    }
}

void RankRows::writeSource(const MpiEdge& edge)
{
    const TimeNs latency = saturatingSubtract(beginOf(edge.piece), edge.left);
    std::array<std::int64_t, TaskSourceColumn::Count> row;
    row[TaskSourceColumn::Link] = static_cast<std::int64_t>(edge.link);
    row[TaskSourceColumn::SourcePe] = edge.sourceRank;
    row[TaskSourceColumn::SourceIndex] = edge.source;
    row[TaskSourceColumn::Offset] = offsetOf(edge);
    row[TaskSourceColumn::Latency] = latency;
    row[TaskSourceColumn::MessageIndex] = edge.message;
    row[TaskSourceColumn::CreatorPe] = edge.sourceRank;
    m_sink.append(ChunkKind::TaskSource, m_track, row);
    if (edge.link != Link::Message) return;
    RankLatency& seen = m_latencies[edge.sourceRank];
    seen.least = std::min(seen.least, latency);
    ++seen.messages;
}

void RankRows::writeMerges(std::span<const MpiEdge> edges)
{
    m_merges.assign(edges.begin(), edges.end());
    std::sort(m_merges.begin(), m_merges.end(), [](const MpiEdge& a, const MpiEdge& b) {
        return std::tie(a.sourceRank, a.message, a.source) < std::tie(b.sourceRank, b.message, b.source);
    });
    for (const MpiEdge& edge : m_merges) {
        const std::array<std::int64_t, MergeColumn::Count> row = {edge.piece,   edge.sourceRank,
                                                                  edge.source,  offsetOf(edge),
                                                                  edge.message, static_cast<std::int64_t>(edge.link)};
        m_sink.append(ChunkKind::Merge, m_track, row);
        ++m_mergesWritten;
    }
}

void RankRows::writeMessages()
{
    settled({ChunkKind::Message, ChunkKind::MessageExecutions});
    for (std::size_t i = 0; i < m_mine.sends.size() && goesOn(); ++i) {
        const MpiSend& send = m_mine.sends[i];
        const MpiCall& call = m_mine.calls[send.call];
        const bool hasTask = call.piece != noPiece;
        std::array<std::int64_t, MessageColumn::Count> row;
        row[MessageColumn::Sent] = call.begin;
        row[MessageColumn::Task] = hasTask ? call.piece : absent;
        row[MessageColumn::Offset] = hasTask ? saturatingSubtract(call.begin, beginOf(call.piece)) : 0;
        row[MessageColumn::Entry] = call.region;
        row[MessageColumn::Bytes] = std::max<std::int64_t>(send.bytes, 0);
        row[MessageColumn::Kind] = static_cast<std::int64_t>(MessageKind::Single);
        row[MessageColumn::Destinations] = 1;
        row[MessageColumn::Duration] = saturatingSubtract(call.end, call.begin);
        row[MessageColumn::Event] = messageNumber(m_rank, static_cast<std::int64_t>(i));
        row[MessageColumn::MessageType] = 0;
        m_sink.append(ChunkKind::Message, m_track, row);
        const bool isBehind = !m_growing.reached || i >= m_growing.sends;
        if (!isWhole()) {
            if (isBehind) m_rest.message(call.begin, row[MessageColumn::Bytes], m_matched.tasks);
        } else if (m_layout.hasBins()) {
            m_tiles.message(call.begin, row[MessageColumn::Bytes]);
        }
        if (!isBehind) m_growing.tiles->message(call.begin, row[MessageColumn::Bytes], m_growing.tasks);
        const std::int64_t executions = m_partners.isReceived(m_rank, static_cast<std::uint32_t>(i)) ? 1 : 0;
        m_sink.append(ChunkKind::MessageExecutions, m_track, {&executions, 1});
        m_totals.messagesMatched += executions;
    }
    m_totals.messages = m_before.sends + static_cast<std::int64_t>(m_mine.sends.size());
    m_totals.messagesMatched += m_before.sends;
}

void RankRows::writeTiles()
{
    TilePyramid pyramid = m_tiles.finish();
    if (!isWhole()) m_totals.isBroken = !m_growing.tiles->addTo(pyramid) || !m_rest.addTo(pyramid);
    m_sink.append(m_track, pyramid);
}

// Requests may complete in another order than receives are posted.
void RankRows::writeDeliveries()
{
    if (!goesOn()) return;
    settled({ChunkKind::Delivery});
    std::vector<std::pair<TimeNs, std::uint32_t>> order;
    for (std::uint32_t i = 0; i < m_mine.receives.size(); ++i)
        if (m_partners.isSent(m_rank, i)) order.emplace_back(m_mine.calls[m_mine.receives[i].completion].end, i);
    std::sort(order.begin(), order.end());
    for (const auto& [time, number] : order) {
        if (!goesOn()) return;
        const MpiPartner from = m_partners.senderOf(m_rank, number);
        const std::uint32_t after = m_mine.calls[m_mine.receives[number].completion].after;
        std::array<std::int64_t, DeliveryColumn::Count> row;
        row[DeliveryColumn::Time] = time;
        row[DeliveryColumn::Task] = after != noPiece ? after : absent;
        row[DeliveryColumn::CreatorPe] = from.rank;
        row[DeliveryColumn::MessageIndex] = messageNumber(from.rank, from.row);
        row[DeliveryColumn::SourceIndex] = from.piece != noPiece ? from.piece : absent;
        row[DeliveryColumn::Latency] = saturatingSubtract(time, from.begin);
        row[DeliveryColumn::Bytes] = std::max<std::int64_t>(from.bytes, 0);
        m_sink.append(ChunkKind::Delivery, m_track, row);
        if (m_growing.reached && m_mine.receives[number].completion < m_growing.calls) ++m_growing.reached->deliveries;
    }
}

}  // namespace

MpiRankTotals writeRankRows(const MpiLayout& layout, const MatchedRank& rank, const MpiPartners& partners,
                            TileBuilder&& tiles, RowSink& sink, ImportLog& log, const Progress& progress,
                            const GrowingRank& growing)
{
    return RankRows(layout, rank, partners, tiles, sink, progress, growing).write(log);
}

}  // namespace longpole
