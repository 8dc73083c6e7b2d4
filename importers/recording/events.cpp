// SPDX-License-Identifier: GPL-3.0-or-later
// Decoding a thread's records into events.
#include "importers/recording/events.h"

#include "recorder/format/recording.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace longpole {
namespace {

#define LP_ROW(name, what, kind) RecordedCall{"MPI_" #name, LP_CLASS_##what, LP_KIND_##kind},
constexpr std::array<RecordedCall, LP_CALL_COUNT + 1> calls{
    {LP_CALLS(LP_ROW) RecordedCall{"MPI (unknown call)", LP_CLASS_OTHER, LP_KIND_NONE}}};
#undef LP_ROW

template <typename Record>
Record recordAt(const char* at)
{
    Record record;
    std::memcpy(&record, at, sizeof record);
    return record;
}

// By the beginning of the call's name, the longer first.
CollectiveShape shapeOf(const RecordedCall& call)
{
    struct Named {
        std::string_view name;
        CollectiveShape shape;
    };
    static constexpr std::array known = {
        Named{"neighbor", CollectiveShape::Neighbours},
        Named{"bcast", CollectiveShape::Bcast},
        Named{"reduce_scatter", CollectiveShape::ReduceScatter},
        Named{"reduce", CollectiveShape::Reduce},
        Named{"scatter", CollectiveShape::Scatter},
        Named{"gather", CollectiveShape::Gather},
        Named{"allreduce", CollectiveShape::Allreduce},
        Named{"allgather", CollectiveShape::Allgather},
        Named{"alltoall", CollectiveShape::Alltoall},
        Named{"scan", CollectiveShape::Scan},
        Named{"exscan", CollectiveShape::Exscan},
    };
    QByteArray name = QByteArray(call.name).mid(4).toLower();
    if (call.what == LP_CLASS_START_COLLECTIVE) name.remove(0, 1);
    for (const Named& each : known)
        if (name.startsWith(QByteArrayView(each.name.data(), qsizetype(each.name.size())))) return each.shape;
    return CollectiveShape::None;
}

// Which way a one-sided or file call's bytes go.
MpiMoved transferOf(const lp_call_record& call)
{
    const std::string_view name = recordedCall(call.call).name;
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (call.bytes == 0) return {};
    if (has("Get_accumulate") || has("get_accumulate") || has("Fetch_and_op") || has("Compare_and_swap"))
        return {call.bytes, call.bytes};
    return has("read") || has("Get") || has("Rget") ? MpiMoved{0, call.bytes} : MpiMoved{call.bytes, 0};
}

// What a one-sided call does at its window; empty: nothing that others wait for.
std::optional<WindowStep> windowStepOf(std::uint32_t call)
{
    switch (call) {
    case LP_Win_fence: return WindowStep::Fence;
    case LP_Win_post: return WindowStep::Post;
    case LP_Win_start: return WindowStep::Start;
    case LP_Win_complete: return WindowStep::Complete;
    case LP_Win_wait:
    case LP_Win_test: return WindowStep::Wait;
    case LP_Win_lock:
    case LP_Win_lock_all: return WindowStep::Lock;
    case LP_Win_unlock:
    case LP_Win_unlock_all: return WindowStep::Unlock;
    case LP_Win_create:
    case LP_Win_allocate:
    case LP_Win_allocate_shared:
    case LP_Win_create_dynamic:
    case LP_Win_free:
    case LP_Win_sync: return {};
    default: return WindowStep::Access;
    }
}

std::uint32_t at(const std::vector<std::uint32_t>& numbers, std::uint32_t number, std::uint32_t otherwise)
{
    return number < numbers.size() ? numbers[number] : otherwise;
}

}  // namespace

const RecordedCall& recordedCall(std::uint32_t call) { return calls[std::min<std::uint32_t>(call, LP_CALL_COUNT)]; }

std::size_t RecordingEvents::take(std::span<const char> records, const Progress& progress)
{
    constexpr std::uint32_t lookEvery = 4096;  // records
    const std::size_t all = records.size();
    for (std::uint32_t taken = 1; !records.empty(); ++taken) {
        if (taken % lookEvery == 0 && progress.isCancelled()) return all;
        const auto type = static_cast<std::uint8_t>(records[0]);
        const std::uint32_t size = lp_record_size(type);
        if (size == 0 || size > records.size()) {
            m_log.add(IssueKind::DamagedRecording);
            return all;
        }
        const char* const record = records.data();
        records = records.subspan(size);
        if (type >= LP_FIRST_COMPLETION) {
            takeCompletion(recordAt<lp_completion_record>(record));
            continue;
        }
        // It lies between calls, or in a loop of polls, and ends neither.
        if (type == LP_MACHINE_RECORD) {
            takeMachine(recordAt<lp_machine_record>(record));
            continue;
        }
        const bool isOfLoop = m_isPolling && continuesLoop({record, size});
        m_isPolling = isOfLoop && type == LP_POLLS_RECORD;
        if (!isOfLoop && endBlock() && m_events.pauses()) return all - records.size() - size;
        switch (type) {
        case LP_CALL_RECORD:
        case LP_JOINED_RECORD: takeCall(recordAt<lp_call_record>(record), nullptr); break;
        case LP_CALL2_RECORD:
        case LP_JOINED2_RECORD: {
            const auto call = recordAt<lp_call2_record>(record);
            takeCall(call.call, &call);
            break;
        }
        case LP_ENTER_RECORD:
        case LP_LEAVE_RECORD: takeRegion(recordAt<lp_region_record>(record)); break;
        case LP_SWITCH_RECORD: takeSwitch(recordAt<lp_region_record>(record)); break;
        case LP_OWN_RECORD: takeOwn(recordAt<lp_own_record>(record)); break;
        case LP_POLLING_RECORD: takePolling(recordAt<lp_polling_record>(record), records); break;
        case LP_POLLS_RECORD: takePolls(recordAt<lp_polls_record>(record)); break;
        default: break;
        }
    }
    return all;
}

// The aligned time, saturated, and never before one that was given already.
TimeNs RecordingEvents::advance(std::int64_t local)
{
    constexpr TimeNs most = maxTime / 4;
    if (local > most || local < -most) {
        m_log.add(IssueKind::TimeOutOfRange);
        return m_last == minTime ? m_last = 0 : m_last;
    }
    const TimeNs time = m_clock(local);
    if (time < m_last) m_log.add(IssueKind::TimeBackwards);
    return m_last = std::max(m_last, time);
}

void RecordingEvents::takePolls(const lp_polls_record& polls)
{
    const TimeNs time = advance(polls.time);
    if (m_regions.hasPolls) giveCounter(time, 0, static_cast<double>(polls.count));
    m_events.record("failed polls");
}

// It was seen at the end of a call.
void RecordingEvents::takeMachine(const lp_machine_record& machine)
{
    m_events.record("look at the machine");
    if (!m_regions.hasMachine || m_last == minTime) return;
    const std::uint32_t first = m_regions.hasPolls ? 1 : 0;
    const auto give = [&](MachineCounter counter, auto value) {
        giveCounter(m_last, first + static_cast<std::uint32_t>(counter), static_cast<double>(value));
    };
    give(MachineCounter::CpuTime, machine.cpu);
    give(MachineCounter::WithoutCore, machine.without);
    give(MachineCounter::Taken, machine.taken);
    give(MachineCounter::GivenUp, machine.given);
    constexpr std::uint16_t unknown = 0xffff;
    if (machine.core != unknown) give(MachineCounter::Core, machine.core);
}

// Of a location in the order of time.
void RecordingEvents::giveCounter(TimeNs time, std::uint32_t counter, double value)
{
    m_counted = std::max(m_counted, time);
    m_events.counter(m_counted, counter, value);
}

const RecordingEventsState& RecordingEvents::endCall()
{
    endBlock();
    return *this;
}

// False: no call was open.
bool RecordingEvents::endBlock()
{
    if (!m_isInCall) return false;
    m_isInCall = false;
    m_events.endCall(m_last);
    return true;
}

// Whether the record belongs to the loop of failed polls before it: the call that ended it does, if nothing begins with
// it, and the counts of polls up to that call.
bool RecordingEvents::continuesLoop(std::span<const char> record)
{
    const auto type = static_cast<std::uint8_t>(record[0]);
    if (type == LP_POLLS_RECORD) return true;
    if (type != LP_CALL_RECORD) return false;
    const lp_call_class what = recordedCall(recordAt<lp_call_record>(record.data()).call).what;
    return what == LP_CLASS_COMPLETION || what == LP_CLASS_PROBE;
}

void RecordingEvents::takePolling(const lp_polling_record& loop, std::span<const char> behind)
{
    m_events.record("polling loop");
    lp_call_record polls{};
    polls.call = loop.call;
    polls.begin = loop.begin;
    polls.end = loop.end;
    polls.stack = loop.stack;
    m_isPolling = loop.is_ended != 0;
    beginBlock(polls, behind);
    m_events.polled();
    advance(loop.end);
}

// A loop and the call that ended it are named after the longer of them.
void RecordingEvents::beginBlock(const lp_call_record& call, std::span<const char> behind)
{
    std::uint32_t longest = call.call;
    std::uint32_t stack = call.stack;
    while (m_isPolling && !behind.empty()) {
        const std::uint32_t size = lp_record_size(static_cast<std::uint8_t>(behind[0]));
        if (size == 0 || size > behind.size()) break;
        if (behind[0] == LP_POLLS_RECORD || behind[0] == LP_MACHINE_RECORD) {
            behind = behind.subspan(size);
            continue;
        }
        if (!continuesLoop(behind)) break;
        const auto ending = recordAt<lp_call_record>(behind.data());
        if (saturatingSubtract(ending.end, call.end) > saturatingSubtract(call.end, call.begin)) {
            longest = ending.call;
            stack = ending.stack;
        }
        break;
    }
    m_events.beginCall(advance(call.begin), m_regions.calls[std::min<std::uint32_t>(longest, LP_CALL_COUNT)]);
    const std::uint32_t path = at(m_numbers.stacks, stack, noCallPath);
    if (path != noCallPath) m_events.callPath(path);
    m_isInCall = true;
}

void RecordingEvents::takeCall(const lp_call_record& call, const lp_call2_record* second)
{
    if (!m_isInCall) beginBlock(call, {});
    if (call.call >= LP_CALL_COUNT) m_log.add(IssueKind::UnknownRecord);
    m_events.record(recordedCall(call.call).name);
    giveOperations(call, second);
    advance(call.end);
}

void RecordingEvents::giveOperations(const lp_call_record& call, const lp_call2_record* second)
{
    const RecordedCall& known = recordedCall(call.call);
    const std::uint32_t comm = commOf(call.comm);
    const bool isSynchronous = call.call == LP_Ssend || call.call == LP_Issend;
    switch (known.what) {
    case LP_CLASS_SEND: giveSend(blocking, comm, call.peer, call.tag, call.bytes, isSynchronous); break;
    case LP_CLASS_PROBE:
        if (call.peer >= 0)
            m_events.probed(comm, static_cast<std::uint32_t>(call.peer), call.tag,
                            call.call == LP_Mprobe || call.call == LP_Improbe);
        break;
    case LP_CLASS_RECEIVE: giveReceived(blocking, comm, call.peer, call.tag, call.bytes); break;
    case LP_CLASS_SENDRECEIVE:
        giveSend(blocking, comm, call.peer, call.tag, call.bytes, false);
        if (second) giveReceived(blocking, comm, second->peer2, second->tag2, second->bytes2);
        break;
    case LP_CLASS_START_SEND:
        if (call.request != 0) giveSend(call.request, comm, call.peer, call.tag, call.bytes, isSynchronous);
        break;
    case LP_CLASS_START_SENDRECEIVE:
        giveSend(blocking, comm, call.peer, call.tag, call.bytes, false);
        if (call.request != 0)
            givePost(call.request, comm, second ? second->peer2 : noRank, second ? second->tag2 : -1);
        break;
    case LP_CLASS_START_RECEIVE:
        if (call.request != 0) givePost(call.request, comm, call.peer, call.tag);
        break;
    case LP_CLASS_LIFETIME: giveCollective(known, blocking, comm == noComm ? m_numbers.world : comm, noRank, {}); break;
    case LP_CLASS_START_COLLECTIVE:
    case LP_CLASS_START_COMMUNICATOR:
        if (call.request != 0) giveCollective(known, call.request, comm, call.peer, movedBy(call, second, comm));
        break;
    case LP_CLASS_PREPARE:
        if (known.collective != LP_KIND_NONE && second)
            m_prepared[call.comm] = {static_cast<CollectiveKind>(known.collective), {call.bytes, second->bytes2}};
        break;
    case LP_CLASS_ONE_SIDED: giveWindowStep(call, comm); [[fallthrough]];
    case LP_CLASS_IO:
        giveCollective(known, blocking, comm, noRank, {});
        m_events.transferred(comm, std::max(call.peer, noRank), transferOf(call));
        break;
    default: giveCollective(known, blocking, comm, call.peer, movedBy(call, second, comm)); break;
    }
}

void RecordingEvents::giveSend(std::int64_t request, std::uint32_t comm, std::int32_t to, std::int32_t tag,
                               std::int64_t bytes, bool isSynchronous)
{
    if (to == LP_FOREIGN_RANK)
        m_log.addAt(IssueKind::UnmatchedSend, QStringLiteral("to a program that is not in this recording"));
    if (to >= 0) m_events.send(request, comm, static_cast<std::uint32_t>(to), tag, bytes, isSynchronous);
    else if (request != blocking) ++m_silent[request];
}

// Peer or tag are negative of one that takes messages of several channels.
void RecordingEvents::givePost(std::int64_t request, std::uint32_t comm, std::int32_t from, std::int32_t tag)
{
    if (from >= 0 && tag >= 0) m_events.postReceiveFrom(request, comm, static_cast<std::uint32_t>(from), tag);
    else m_events.postReceive(request);
}

void RecordingEvents::giveReceived(std::int64_t request, std::uint32_t comm, std::int32_t from, std::int32_t tag,
                                   std::int64_t bytes)
{
    if (from == LP_FOREIGN_RANK)
        m_log.addAt(IssueKind::UnmatchedReceive, QStringLiteral("from a program that is not in this recording"));
    if (from >= 0) m_events.received(request, comm, static_cast<std::uint32_t>(from), tag, bytes);
    else if (request != blocking) m_events.receivedNothing(request);
}

void RecordingEvents::giveCollective(const RecordedCall& call, std::int64_t request, std::uint32_t comm,
                                     std::int32_t root, MpiMoved moved, CollectiveKind kind)
{
    if (call.collective == LP_KIND_NONE) return;
    if (comm != noComm) m_events.collective(request, comm, std::max(root, noRank), moved, kind);
    else if (request != blocking) ++m_silent[request];
}

// Posts and starts have a step for each member of their group, which follow. Before windows had numbers, nothing is
// known of them.
void RecordingEvents::giveWindowStep(const lp_call_record& call, std::uint32_t comm)
{
    const std::optional<WindowStep> step = windowStepOf(call.call);
    m_window = call.tag < 0 ? -std::max(call.tag, -std::numeric_limits<std::int32_t>::max()) : call.tag;
    m_windowStep = step.value_or(WindowStep::Fence);
    const bool isOfAll = call.call == LP_Win_lock_all || call.call == LP_Win_unlock_all || call.call == LP_Win_flush_all
                         || call.call == LP_Win_flush_local_all;
    const bool hasPeer = step == WindowStep::Lock || step == WindowStep::Unlock || step == WindowStep::Access;
    if (!step || comm == noComm || m_window == 0) return;
    if (step == WindowStep::Post || step == WindowStep::Start || (hasPeer && !isOfAll && call.peer < 0)) return;
    m_events.atWindow(*step, comm, m_window, hasPeer ? std::max(call.peer, noRank) : noRank, call.tag < 0);
}

void RecordingEvents::startPrepared(const lp_completion_record& done, std::uint32_t comm)
{
    const auto prepared = m_prepared.find(done.comm);
    if (comm == noComm || prepared == m_prepared.end()) {
        ++m_silent[done.request];
        return;
    }
    m_events.collective(done.request, comm, std::max(done.peer, noRank), prepared->second.moved, prepared->second.kind);
}

// Version 4 has both numbers of bytes; before, there was one.
MpiMoved RecordingEvents::movedBy(const lp_call_record& call, const lp_call2_record* second, std::uint32_t comm) const
{
    if (second) return {call.bytes, second->bytes2};
    if (!m_self.known || comm >= m_self.known->size()) return {call.bytes, call.bytes};
    const auto [known, isNew] = m_members.try_emplace(comm);
    CollectiveMember& member = known->second;
    if (isNew) {
        const std::vector<std::uint32_t>& members = (*m_self.known)[comm].members;
        const auto own = std::find(members.begin(), members.end(), m_self.rank);
        member.members = static_cast<std::int64_t>(members.size());
        member.place = own == members.end() ? 0 : own - members.begin();
    }
    member.isRoot = call.peer == static_cast<std::int32_t>(m_self.rank);
    return movedByArgument(shapeOf(recordedCall(call.call)), member, call.bytes);
}

bool RecordingEvents::takeSilent(std::int64_t request)
{
    const auto found = m_silent.find(request);
    if (found == m_silent.end()) return false;
    if (--found->second == 0) m_silent.erase(found);
    return true;
}

void RecordingEvents::takeCompletion(const lp_completion_record& done)
{
    if (!m_isInCall) {
        m_log.add(IssueKind::MalformedRecord);
        return;
    }
    const std::int64_t request = done.request;
    const std::uint32_t comm = commOf(done.comm);
    if (!m_silent.empty() && takeSilent(request)) return;
    switch (static_cast<int>(done.type) - LP_FIRST_COMPLETION) {
    case LP_SEND_DONE: m_events.sendCompleted(request); break;
    case LP_RECV_DONE: giveReceived(request, comm, done.peer, done.tag, done.bytes); break;
    case LP_COMM_DONE:
    case LP_COLLECTIVE_DONE: m_events.collectiveCompleted(request); break;
    case LP_CANCELLED: m_events.cancelled(request); break;
    case LP_FREED: m_events.freed(request, noComm, unknownSender, 0); break;
    case LP_FREED_ANY:
        m_events.freed(request, comm, done.peer < 0 ? unknownSender : static_cast<std::uint32_t>(done.peer), done.tag);
        break;
    case LP_SEND_STARTED: giveSend(request, comm, done.peer, done.tag, done.bytes, false); break;
    case LP_SSEND_STARTED: giveSend(request, comm, done.peer, done.tag, done.bytes, true); break;
    case LP_RECV_STARTED: givePost(request, comm, done.peer, done.tag); break;
    case LP_COLLECTIVE_STARTED: startPrepared(done, comm); break;
    case LP_EPOCH_PEER:
        if (comm != noComm && m_window != 0 && done.peer >= 0)
            m_events.atWindow(m_windowStep, comm, m_window, done.peer, false);
        break;
    default: m_log.add(IssueKind::UnknownRecord); break;
    }
}

void RecordingEvents::takeRegion(const lp_region_record& record)
{
    const std::uint32_t region = at(m_numbers.regions, record.region, m_regions.unnamed);
    const TimeNs time = advance(record.time);
    if (record.type == LP_ENTER_RECORD) {
        m_events.record("region enter");
        m_open.open(region);
        m_events.enter(time, region);
        return;
    }
    m_events.record("region leave");
    if (!m_open.isInnermost(region) && m_lost.close(region)) return;
    m_open.close(region);
    m_events.leave(time, region);
}

// While recording pauses nothing is known of regions: the open ones end, and their own ends, which may come later, are
// ignored.
void RecordingEvents::takeSwitch(const lp_region_record& record)
{
    const TimeNs time = advance(record.time);
    m_events.record(record.region != 0 ? "recording on" : "recording off");
    if ((record.region != 0) != m_isOff) return;
    if (m_isOff) {
        m_events.leave(time, m_regions.off);
    } else {
        m_lost = std::exchange(m_open, {});
        m_lost.forEach([&](std::uint32_t open) { m_events.leave(time, open); });
        m_events.enter(time, m_regions.off);
    }
    m_isOff = !m_isOff;
}

void RecordingEvents::takeOwn(const lp_own_record& own)
{
    m_events.record("recorder");
    m_events.enter(advance(own.begin), m_regions.own);
    m_events.leave(advance(own.end), m_regions.own);
}

void RecordingEvents::takeOpenCall(std::uint32_t call, std::int64_t begin)
{
    endBlock();
    m_events.beginCall(advance(begin), m_regions.calls[std::min<std::uint32_t>(call, LP_CALL_COUNT)]);
}

void RecordingEvents::finish()
{
    endBlock();
    if (m_isOff) m_events.leave(m_last, m_regions.off);
}

std::uint32_t RecordingEvents::commOf(std::uint32_t number) const { return at(m_numbers.comms, number, noComm); }

}  // namespace longpole
