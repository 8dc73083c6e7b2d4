// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/locationrows.h"

#include "core/trace/columns.h"

#include <algorithm>
#include <array>
#include <bit>

namespace longpole {
namespace {

constexpr std::size_t deepest = 65536;  // regions that are nested deeper are left out
constexpr std::size_t mostTexts = 1'000'000;
constexpr std::uint32_t nowEvery = 8192;  // m_everyNow is called after so many events

}  // namespace

MpiLocationRows::MpiLocationRows(const MpiLayout& layout, std::size_t location, RowSink& sink, Spill& spill,
                                 ImportLog& log, bool keepsAllTasks, std::function<void()> everyNow,
                                 const MpiLocationState* from)
    : m_layout(layout), m_location(location), m_track(layout.track(location)), m_sink(sink), m_log(log),
      m_everyNow(std::move(everyNow)), m_untilNow(nowEvery),
      m_intervals(spill, from ? from->intervals : MpiIntervals::State{}), m_syncs(static_cast<std::uint32_t>(location))
{
    const MpiLocation& names = layout.names().locations[location];
    if (names.kind == TrackKind::Rank)
        m_pieces.emplace(layout, names.rank, sink, keepsAllTasks, from ? &from->pieces : nullptr);
    if (!from) return;
    m_textBytes = from->textBytes;
    m_result = from->result;
    m_now = from->standing.now;
    m_measuring = from->measuring;
    m_tooDeep = from->tooDeep;
    m_openIntervals = from->intervals.open;
}

MpiLocationState MpiLocationRows::state() const
{
    MpiLocationState state(m_pieces->state());
    state.result.hasEvents = m_result.hasEvents;
    state.result.first = m_result.first;
    state.result.records = m_result.records;
    state.result.counts = m_result.counts;
    state.result.texts = m_result.texts;
    state.intervals = m_intervals.state();
    state.textBytes = m_textBytes;
    state.measuring = m_measuring;
    state.tooDeep = m_tooDeep;
    state.standing = standing();
    return state;
}

MpiStanding MpiLocationRows::standing() const
{
    const MpiRank& rank = m_result.calls.rank;
    MpiStanding standing;
    standing.counts = {rank.calls.size(), rank.sends.size(), rank.receives.size(), rank.probes.size(),
                       rank.collectives.size()};
    standing.now = m_now;
    standing.tasks = m_pieces->result().tasks;
    standing.hasStarted = m_pieces->result().started != minTime;
    standing.isSettled = !m_isInCall && m_requests.isEmpty() && m_result.calls.unknown.empty() && m_syncs.isUnused()
                         && !m_recorded;
    return standing;
}

bool MpiLocationRows::pauses() const
{
    return m_isMeeting && (m_meetings == m_pauseAt.meeting || m_result.calls.rank.calls.size() >= m_pauseAt.calls);
}

void MpiLocationRows::between(std::size_t place)
{
    if (m_atPlace) m_atPlace(place);
}

// An event's time, never before that of the one above it: rows stay in order whatever the source says.
TimeNs MpiLocationRows::clamped(TimeNs time)
{
    if (--m_untilNow == 0) {
        m_untilNow = nowEvery;
        if (m_everyNow) m_everyNow();
    }
    if (!m_result.hasEvents) {
        m_result.hasEvents = true;
        m_result.first = m_now = time;
        if (m_pieces) m_pieces->begin(time);
    }
    if (time < m_now) m_log.add(IssueKind::TimeBackwards);
    m_now = std::max(m_now, time);
    return m_now;
}

void MpiLocationRows::enter(TimeNs time, std::uint32_t region)
{
    time = clamped(time);
    if (m_intervals.depth() == deepest) {
        m_log.add(IssueKind::DeepNesting);
        ++m_tooDeep;
        return;
    }
    if (isMeasurement(region)) ++m_measuring;
    if (!m_isInCall) {
        if (m_syncs.isHeld()) {
            if (m_layout.kind(region) == MpiRegionKind::User) pauseSync(time, region);
        } else if (!m_syncs.isOpen() && syncOf(region) != MpiSyncKind::None) {
            beginSync(time, region);
        } else if (m_pieces) {
            m_pieces->border(time, region, region, m_measuring > 0);
        }
    }
    m_intervals.enter(time, region);
}

void MpiLocationRows::beginTeam(TimeNs time, std::uint64_t team) { m_syncs.beginTeam(clamped(time), team); }

void MpiLocationRows::endTeam(TimeNs time)
{
    clamped(time);
    m_syncs.endTeam();
}

// What a device records of itself is its work.
MpiSyncKind MpiLocationRows::syncOf(std::uint32_t region) const
{
    const MpiRunNames& names = m_layout.names();
    return names.locations[m_location].kind == TrackKind::Stream ? MpiSyncKind::None : names.regions[region].sync;
}

// The time in such a call is no task's, like that in a call of MPI.
void MpiLocationRows::beginSync(TimeNs time, std::uint32_t region)
{
    m_syncs.begin(time, region, syncOf(region), m_intervals.depth() + 1);
    if (m_pieces) m_pieces->beginCall(time, region);
}

void MpiLocationRows::pauseSync(TimeNs time, std::uint32_t innermost)
{
    m_syncs.pause(time);
    if (m_pieces) m_pieces->endCall(time, m_syncs.region(), innermost, m_measuring > 0);
}

void MpiLocationRows::resumeSync(TimeNs time)
{
    m_syncs.resume(time);
    if (m_pieces) m_pieces->beginCall(time, m_syncs.region());
}

void MpiLocationRows::endSync(TimeNs time, std::uint32_t region)
{
    const bool isHeld = m_syncs.isHeld();
    m_syncs.end(time);
    if (!m_pieces) return;
    if (isHeld) m_pieces->endCall(time, region, innermost(), m_measuring > 0);
    else m_pieces->border(time, region, innermost(), m_measuring > 0);
}

void MpiLocationRows::keepDeviceWork(TimeNs end, std::uint32_t region)
{
    const MpiRunNames& names = m_layout.names();
    if (names.locations[m_location].kind != TrackKind::Stream || !m_intervals.isEmpty() || !m_layout.hasDeviceSyncs())
        return;
    if (isMeasurement(region) || names.regions[region].sync != MpiSyncKind::None) return;
    m_result.work.push_back({end, static_cast<std::uint32_t>(m_location)});
}

void MpiLocationRows::leave(TimeNs time, std::uint32_t region)
{
    time = clamped(time);
    if (m_tooDeep > 0) {
        --m_tooDeep;
    } else if (m_intervals.isEmpty()) {
        m_log.add(IssueKind::LeaveWithoutEnter);
    } else {
        if (m_intervals.innermost() != region) m_log.add(IssueKind::RegionMismatch);
        finishRegion(time);
    }
}

void MpiLocationRows::finishRegion(TimeNs time)
{
    const std::uint32_t region = m_intervals.innermost();
    if (isMeasurement(region)) --m_measuring;
    m_intervals.leave(time);
    keepDeviceWork(time, region);
    if (m_isInCall) return;
    if (m_syncs.isOpen() && m_intervals.depth() < m_syncs.depth()) return endSync(time, region);
    if (m_syncs.isHeld()) return;
    if (m_syncs.isOpen() && m_intervals.depth() == m_syncs.depth()) return resumeSync(time);
    if (m_pieces) m_pieces->border(time, region, innermost(), m_measuring > 0);
}

void MpiLocationRows::beginCall(TimeNs time, std::uint32_t region)
{
    time = clamped(time);
    if (m_isInCall) {
        m_log.add(IssueKind::CallInsideCall);
        finishCall(time);
    }
    if (m_syncs.isHeld()) pauseSync(time, innermost());
    MpiCall call;
    call.begin = call.end = time;
    call.region = region;
    call.location = static_cast<std::uint32_t>(m_location);
    if (m_pieces) {
        const MpiPieces::CallTasks tasks = m_pieces->beginCall(time, region);
        call.piece = tasks.piece;
        call.hub = tasks.hub;
    }
    m_result.calls.rank.calls.push_back(call);
    m_isInCall = true;
    m_isMeeting = false;
}

void MpiLocationRows::endCall(TimeNs time)
{
    time = clamped(time);
    if (m_isInCall) finishCall(time);
    else m_log.add(IssueKind::LeaveWithoutEnter);
}

void MpiLocationRows::polled()
{
    if (m_isInCall) m_result.calls.rank.calls.back().isPolling = true;
}

void MpiLocationRows::callPath(std::uint32_t path)
{
    if (m_isInCall && path <= m_layout.names().callPaths.size()) m_result.calls.rank.calls.back().path = path;
}

void MpiLocationRows::finishCall(TimeNs time)
{
    MpiCall& call = m_result.calls.rank.calls.back();
    call.end = time;
    m_intervals.addNested(saturatingSubtract(time, call.begin));
    if (m_pieces) call.after = m_pieces->endCall(time, call.region, innermost(), m_measuring > 0);
    m_isInCall = false;
    if (m_syncs.isOpen() && m_intervals.depth() == m_syncs.depth()) resumeSync(time);
}

// Whether an event that belongs to a call comes outside of any; if so, counts it.
bool MpiLocationRows::isStray()
{
    if (m_isInCall) return false;
    m_log.add(IssueKind::StrayCommunication);
    return true;
}

bool MpiLocationRows::isKnownRank(std::uint32_t rank)
{
    if (rank < m_layout.ranks()) return true;
    m_log.add(IssueKind::RankOutOfRange);
    return false;
}

std::uint32_t MpiLocationRows::knownComm(std::uint32_t comm) const
{
    return comm < m_layout.names().communicators.size() ? comm : noComm;
}

void MpiLocationRows::start(std::int64_t request, RequestKind kind, std::size_t index)
{
    if (request != blocking) m_requests.insert({request, static_cast<std::uint32_t>(index), kind});
}

void MpiLocationRows::became(const RequestEvent& event)
{
    if (!m_result.calls.apply(event, m_requests)) m_result.calls.unknown.push_back(event);
}

void MpiLocationRows::send(std::int64_t request, std::uint32_t comm, std::uint32_t to, std::int32_t tag,
                           std::int64_t bytes, bool isSynchronous)
{
    if (isStray() || !isKnownRank(to)) return;
    MpiSend send;
    send.call = currentCall();
    send.completion = request == blocking ? send.call : noCall;
    send.comm = knownComm(comm);
    send.to = to;
    send.tag = tag;
    send.isSynchronous = isSynchronous;
    send.bytes = bytes;
    std::vector<MpiSend>& sends = m_result.calls.rank.sends;
    start(request, RequestKind::Send, sends.size());
    sends.push_back(send);
    if (m_pieces) m_pieces->sent(bytes);
}

void MpiLocationRows::postReceive(std::int64_t request)
{
    if (!isStray() && request != blocking) post(request, {});
}

void MpiLocationRows::postReceiveFrom(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag)
{
    if (isStray() || request == blocking) return;
    MpiReceive receive;
    receive.comm = knownComm(comm);
    receive.from = from;
    receive.tag = tag;
    receive.isPlaced = from < m_layout.ranks();
    post(request, receive);
}

void MpiLocationRows::post(std::int64_t request, MpiReceive receive)
{
    std::vector<MpiReceive>& receives = m_result.calls.rank.receives;
    receive.call = currentCall();
    receive.isMatched = isMatchedReceive();
    start(request, RequestKind::Receive, receives.size());
    receives.push_back(receive);
}

void MpiLocationRows::received(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag,
                               std::int64_t bytes)
{
    if (isStray() || !isKnownRank(from)) return;
    MpiReceive receive;
    receive.comm = knownComm(comm);
    receive.from = from;
    receive.tag = tag;
    receive.bytes = bytes;
    if (request != blocking) return became({RequestEvent::Kind::Received, currentCall(), request, receive});
    receive.call = receive.completion = currentCall();
    receive.isMatched = isMatchedReceive();
    m_result.calls.rank.receives.push_back(receive);
}

bool MpiLocationRows::isMatchedReceive() const
{
    return m_layout.call(m_result.calls.rank.calls.back().region).isMatchedReceive;
}

void MpiLocationRows::probed(std::uint32_t comm, std::uint32_t from, std::int32_t tag, bool takes)
{
    if (isStray() || !isKnownRank(from)) return;
    m_result.calls.rank.probes.push_back({currentCall(), knownComm(comm), from, tag, takes});
}

void MpiLocationRows::sendCompleted(std::int64_t request)
{
    if (!isStray()) became({RequestEvent::Kind::SendCompleted, currentCall(), request, {}});
}

void MpiLocationRows::receivedNothing(std::int64_t request)
{
    if (!isStray()) became({RequestEvent::Kind::ReceivedNothing, currentCall(), request, {}});
}

void MpiLocationRows::cancelled(std::int64_t request)
{
    if (!isStray()) became({RequestEvent::Kind::Cancelled, currentCall(), request, {}});
}

void MpiLocationRows::freed(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag)
{
    if (isStray() || (from != unknownSender && !isKnownRank(from))) return;
    MpiReceive receive;
    receive.comm = knownComm(comm);
    receive.from = from;
    receive.tag = tag;
    receive.isPlaced = from != unknownSender;
    became({RequestEvent::Kind::Freed, currentCall(), request, receive});
}

void MpiLocationRows::transferred(std::uint32_t comm, std::int32_t peer, MpiMoved moved)
{
    if (isStray()) return;
    m_result.calls.rank.transfers.push_back({currentCall(), comm == noComm ? noComm : knownComm(comm), peer, moved});
}

void MpiLocationRows::atWindow(WindowStep step, std::uint32_t comm, std::int32_t window, std::int32_t peer,
                               bool isExclusive)
{
    if (isStray() || comm >= m_layout.names().communicators.size()) return;
    if (peer != noRank && !isKnownRank(static_cast<std::uint32_t>(peer))) return;
    m_result.calls.rank.windowSteps.push_back({currentCall(), comm, window, step, peer, isExclusive});
}

void MpiLocationRows::collective(std::int64_t request, std::uint32_t comm, std::int32_t root, MpiMoved moved,
                                 CollectiveKind kind)
{
    if (isStray()) return;
    MpiCollectivePart part;
    part.call = currentCall();
    part.completion = request == blocking ? part.call : noCall;
    part.comm = knownComm(comm);
    part.isStarted = kind != CollectiveKind::None;
    part.kind = part.isStarted ? kind : m_layout.call(m_result.calls.rank.calls.back().region).collective;
    part.root = root;
    part.moved = moved;
    const bool isOfAll = part.kind == CollectiveKind::Barrier || part.kind == CollectiveKind::NToN;
    if (isOfAll && request == blocking && m_layout.isOfAllRanks(part.comm) && !m_isMeeting) {
        m_isMeeting = true;
        ++m_meetings;
    }
    std::vector<MpiCollectivePart>& parts = m_result.calls.rank.collectives;
    start(request, RequestKind::Collective, parts.size());
    parts.push_back(part);
}

void MpiLocationRows::collectiveCompleted(std::int64_t request)
{
    if (!isStray()) became({RequestEvent::Kind::CollectiveCompleted, currentCall(), request, {}});
}

void MpiLocationRows::counter(TimeNs time, std::uint32_t counter, double value)
{
    const std::array<std::int64_t, CounterColumn::Count> row = {clamped(time), index(m_layout.counter(counter)),
                                                                std::bit_cast<std::int64_t>(value),
                                                                std::bit_cast<std::int64_t>(-1.0)};
    m_sink.append(ChunkKind::Counter, m_track, row);
}

void MpiLocationRows::mark(TimeNs time, std::uint32_t region, const QString& text)
{
    std::int64_t textId = -1;
    const std::int64_t bytes = 2 * text.size();
    if (!text.isEmpty() && bytes > m_textBytes) m_log.add(IssueKind::LongText);
    if (!text.isEmpty() && bytes <= m_textBytes && m_result.texts.size() < mostTexts) {
        m_textBytes -= bytes;
        textId = (static_cast<std::int64_t>(m_location) << 32) | static_cast<std::int64_t>(m_result.texts.size());
        m_result.texts.push_back(text);
    }
    const std::array<std::int64_t, MarkColumn::Count> row = {clamped(time), 0, region, 0, textId};
    m_sink.append(ChunkKind::Mark, m_track, row);
}

void MpiLocationRows::record(const char* kind)
{
    ++m_result.records;
    for (auto& [known, count] : m_result.counts) {
        if (known == kind) {
            ++count;
            return;
        }
    }
    m_result.counts.emplace_back(kind, 1);
}

// The timeline's row is as long as the location's records, of which some are only counted.
void MpiLocationRows::span(TimeNs first, TimeNs last) { m_recorded = {first, last}; }

// Those that the earlier import left open stand among its rows.
void MpiLocationRows::giveIntervals()
{
    const std::vector<MpiIntervals::Open>& before = m_openIntervals;
    std::vector<RowSink::Replaced> replaced;
    const auto settle = [&] { m_sink.settled(std::array{ChunkKind::Interval}, replaced); };
    if (before.empty()) settle();
    m_intervals.give([&](const NestedInterval& interval) {
        const std::array<std::int64_t, IntervalColumn::Count> row = {interval.begin, interval.duration, interval.nested,
                                                                     interval.depth, interval.region,   0};
        if (replaced.size() == before.size()) return m_sink.append(ChunkKind::Interval, m_track, row);
        const auto number = static_cast<std::int64_t>(before[replaced.size()].number);
        replaced.push_back({number, {row.begin(), row.end()}});
        if (replaced.size() == before.size()) settle();
    });
}

MpiLocationResult MpiLocationRows::finish()
{
    if (m_isInCall) {
        m_log.add(IssueKind::OpenRegion);
        m_result.calls.rank.calls.back().isOpen = true;
        finishCall(m_now);
    }
    for (; !m_intervals.isEmpty(); finishRegion(m_now)) m_log.add(IssueKind::OpenRegion);
    m_result.last = m_now;
    if (m_recorded) {
        m_result.first = m_result.hasEvents ? std::min(m_result.first, m_recorded->begin) : m_recorded->begin;
        m_result.last = m_result.hasEvents ? std::max(m_now, m_recorded->end) : m_recorded->end;
        m_result.hasEvents = true;
    }
    m_result.calls.open = m_requests.open();
    m_result.syncs = m_syncs.take();
    for (const MpiSync& sync : m_result.syncs) m_result.syncRegions.insert(sync.region);
    giveIntervals();
    if (m_pieces) m_result.pieces = m_pieces->finish(m_now);
    return std::move(m_result);
}

}  // namespace longpole
