// SPDX-License-Identifier: GPL-3.0-or-later
// Turns one location's records into events, with its stack of regions, its MPI records and its counters.
#include "importers/otf2/events.h"

#include <algorithm>
#include <utility>

namespace longpole {
namespace {

std::int64_t serialOf(std::uint64_t request)
{
    return static_cast<std::int64_t>(request & std::numeric_limits<std::int64_t>::max());
}

std::int64_t bytesOf(std::uint64_t bytes)
{
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(bytes, most));
}

double valueOf(OTF2_Type type, OTF2_MetricValue value)
{
    switch (type) {
    case OTF2_TYPE_INT64: return static_cast<double>(value.signed_int);
    case OTF2_TYPE_UINT64: return static_cast<double>(value.unsigned_int);
    default: return value.floating_point;
    }
}

CollectiveShape otf2Shape(OTF2_CollectiveOp operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BCAST: return CollectiveShape::Bcast;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV: return CollectiveShape::Gather;
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV: return CollectiveShape::Scatter;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV: return CollectiveShape::Allgather;
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW: return CollectiveShape::Alltoall;
    case OTF2_COLLECTIVE_OP_ALLREDUCE: return CollectiveShape::Allreduce;
    case OTF2_COLLECTIVE_OP_REDUCE: return CollectiveShape::Reduce;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK: return CollectiveShape::ReduceScatter;
    case OTF2_COLLECTIVE_OP_SCAN: return CollectiveShape::Scan;
    case OTF2_COLLECTIVE_OP_EXSCAN: return CollectiveShape::Exscan;
    case OTF2_COLLECTIVE_OP_BARRIER: return CollectiveShape::None;
    default: return CollectiveShape::Neighbours;
    }
}

bool makesHandle(OTF2_CollectiveOp operation)
{
    return operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE || operation == OTF2_COLLECTIVE_OP_DESTROY_HANDLE
           || operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE
           || operation == OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE;
}

}  // namespace

Otf2Events::Otf2Events(const Otf2Run& run, std::size_t location, MpiEvents& events, QString file,
                       Otf2Completions completions)
    : m_run(run), m_events(events), m_file(std::move(file)), m_readCompletions(std::move(completions)),
      m_rank(run.rankOf(location)), m_stepsLeft(limits::contextSteps.shared(0, run.locations.size()))
{
}

bool Otf2Events::record(const char* kind, OTF2_TimeStamp time, std::uint64_t position)
{
    m_isRepeating |= m_isCut && time < m_read;
    if (m_isRepeating) return false;
    m_read = time;
    TimeNs now = m_run.clock.toNs(time);
    const bool isFirst = position == 1 || m_position == 0;
    m_position = position;
    m_hasEndedCall = false;
    if (now > m_run.latest) {
        issue(IssueKind::TimeOutOfRange);
        now = isFirst ? 0 : m_time;
    }
    if (isFirst) m_first = now;
    if (m_isFlushing) {
        m_isFlushing = false;
        m_events.leave(std::clamp(m_flushEnd, m_time, std::max(now, m_time)), m_run.flushRegion);
    }
    if (now < m_time) issue(IssueKind::TimeBackwards);
    else m_time = now;
    m_events.record(kind);
    return true;
}

void Otf2Events::issue(IssueKind kind)
{
    const bool isFirst = m_log.count(kind) == 0;
    m_log.addAt(kind, isFirst ? QStringLiteral("%1, event %2").arg(m_file, QString::number(m_position)) : QString());
}

void Otf2Events::damaged()
{
    ++m_position;
    issue(IssueKind::DamagedLog);
}

void Otf2Events::finish(ImportLog& log)
{
    if (m_time != std::numeric_limits<TimeNs>::min()) {
        if (m_isFlushing) {
            m_time = std::max(m_flushEnd, m_time);
            m_events.leave(m_time, m_run.flushRegion);
        }
        m_events.span(m_first, m_time);
    }
    log.merge(m_log);
}

void Otf2Events::push(std::uint32_t region)
{
    Frame frame{.region = region, .open = Open::Region};
    if (region == otf2None) {
        issue(IssueKind::UnknownDefinition);
    } else if (m_run.regions[region].isMpi && m_callDepth == 0) {
        frame.open = Open::Call;
        m_callDepth = m_stack.size() + 1;
        m_events.beginCall(m_time, region);
        if (m_run.regions[region].isLifetime && m_run.world != noComm)
            m_events.collective(blocking, m_run.world, noRank, {}, CollectiveKind::None);
    } else {
        m_events.enter(m_time, region);
    }
    m_stack.push_back(frame);
}

void Otf2Events::pop()
{
    const Frame frame = m_stack.back();
    m_stack.pop_back();
    if (frame.open == Open::Call) {
        m_callDepth = 0;
        m_hasEndedCall = true;
        m_events.endCall(m_time);
    } else if (frame.region != otf2None) {
        m_events.leave(m_time, frame.region);
    }
    if (frame.isTeam) m_events.endTeam(m_time);
}

void Otf2Events::enter(OTF2_RegionRef region, OTF2_AttributeList* attributes)
{
    constexpr std::uint64_t ofOmpt = std::uint64_t{1} << 63;  // apart from the numbers of recorded teams
    const std::uint32_t place = m_run.regionIndex[region];
    std::uint64_t team = 0;
    const bool isTeam = m_run.parallelId && place != otf2None && m_run.regions[place].isImplicitTask
                        && OTF2_AttributeList_GetUint64(attributes, *m_run.parallelId, &team) == OTF2_SUCCESS;
    if (isTeam) m_events.beginTeam(m_time, team | ofOmpt);
    push(place);
    m_stack.back().isTeam = isTeam;
}

void Otf2Events::teamBegin(OTF2_CommRef team) { m_events.beginTeam(m_time, team); }

void Otf2Events::teamEnd(OTF2_CommRef) { m_events.endTeam(m_time); }

void Otf2Events::leave(OTF2_RegionRef region)
{
    if (!m_stack.empty() && m_stack.back().open == Open::Off) pop();
    if (m_stack.empty()) {
        issue(IssueKind::LeaveWithoutEnter);
        return;
    }
    if (m_stack.back().region != m_run.regionIndex[region]) issue(IssueKind::RegionMismatch);
    pop();
}

// Makes the path from the root to `context` the open one. Its innermost `newlyEntered` nodes were left and entered
// again even where they look the same (a function called twice). False: samples between deep paths without common nodes
// would make more of the file than its records are (limits::contextSteps); the path stays as it is.
bool Otf2Events::moveTo(std::uint32_t context, std::uint32_t newlyEntered)
{
    if (!m_stack.empty() && m_stack.back().open == Open::Off) pop();
    m_stepsLeft += limits::contextSteps.per;
    const std::size_t length = m_run.contexts[context].depth;
    const std::size_t most = length - std::min<std::size_t>(newlyEntered, length);
    std::size_t kept = length;
    m_chain.clear();
    for (std::uint32_t node = context; kept > 0 && (kept > m_path.size() || m_path[kept - 1] != node); --kept) {
        m_chain.push_back(node);
        if (--m_stepsLeft < 0) return isTooFar();
        node = m_run.contexts[node].parent;
    }
    for (; kept > most; --kept) {
        m_chain.push_back(m_path[kept - 1]);
        if (--m_stepsLeft < 0) return isTooFar();
    }
    while (m_path.size() > kept) {
        m_path.pop_back();
        if (!m_stack.empty()) pop();
    }
    for (; !m_chain.empty(); m_chain.pop_back()) {
        push(m_run.contexts[m_chain.back()].region);
        m_path.push_back(m_chain.back());
    }
    return true;
}

bool Otf2Events::isTooFar()
{
    m_stepsLeft = 0;
    issue(IssueKind::DeepNesting);
    return false;
}

void Otf2Events::contextEnter(OTF2_CallingContextRef context, std::uint32_t unwindDistance)
{
    const std::uint32_t place = m_run.contextIndex[context];
    if (place == otf2None) return issue(IssueKind::UnknownDefinition);
    // An instrumented region is entered anew each time.
    moveTo(place, std::max<std::uint32_t>(unwindDistance, 2) - 1);
}

void Otf2Events::contextLeave(OTF2_CallingContextRef context)
{
    const std::uint32_t place = m_run.contextIndex[context];
    if (place == otf2None) return issue(IssueKind::UnknownDefinition);
    if (!moveTo(place, 0)) return;
    m_path.pop_back();
    if (!m_stack.empty()) pop();
}

void Otf2Events::contextSample(OTF2_CallingContextRef context, std::uint32_t unwindDistance, OTF2_InterruptGeneratorRef)
{
    const std::uint32_t place = m_run.contextIndex[context];
    if (place == otf2None) return issue(IssueKind::UnknownDefinition);
    moveTo(place, unwindDistance == 0 ? 0 : unwindDistance - 1);
}

void Otf2Events::bufferFlush(OTF2_TimeStamp stop)
{
    m_flushEnd = m_run.clock.toNs(stop);
    m_isFlushing = true;  // ends no later than the next record
    m_events.enter(m_time, m_run.flushRegion);
}

void Otf2Events::measurement(OTF2_MeasurementMode mode)
{
    const bool isOff = !m_stack.empty() && m_stack.back().open == Open::Off;
    if (mode == OTF2_MEASUREMENT_OFF && !isOff) {
        m_events.enter(m_time, m_run.offRegion);
        m_stack.push_back({.region = m_run.offRegion, .open = Open::Off});
    } else if (mode == OTF2_MEASUREMENT_ON && isOff) {
        pop();
    }
}

void Otf2Events::unknown() { issue(IssueKind::UnknownRecord); }

const Otf2Comm* Otf2Events::mpiComm(OTF2_CommRef comm)
{
    const std::uint32_t place = m_run.commIndex[comm];
    if (place != otf2None && m_run.comms[place].place != noComm) return &m_run.comms[place];
    issue(IssueKind::RankOutOfRange);
    return nullptr;
}

template <typename Report>
void Otf2Events::inCall(int lone, const Report& report)
{
    if (m_callDepth != 0) return report();
    const auto region = m_run.callRegions.find(lone);
    if (region == m_run.callRegions.end()) return issue(IssueKind::RankOutOfRange);
    issue(IssueKind::RecordOutsideCall);
    m_events.beginCall(m_time, region->second);
    report();
    m_hasEndedCall = true;
    m_events.endCall(m_time);
}

void Otf2Events::send(std::int64_t request, Otf2LoneCall lone, std::uint32_t receiver, OTF2_CommRef comm,
                      std::uint32_t tag, std::uint64_t bytes)
{
    const Otf2Comm* known = mpiComm(comm);
    if (known == nullptr) return;
    const std::uint32_t to = known->peer(m_rank, receiver);
    if (to >= m_run.names.ranks) return issue(IssueKind::RankOutOfRange);
    inCall(static_cast<int>(lone), [&] {
        const bool isSynchronous = m_callDepth != 0 && m_run.regions[m_stack[m_callDepth - 1].region].isSynchronous;
        m_events.send(request, known->place, to, static_cast<std::int32_t>(tag), bytesOf(bytes), isSynchronous);
    });
}

void Otf2Events::mpiSend(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes)
{
    send(blocking, Otf2LoneCall::Send, receiver, comm, tag, bytes);
}

void Otf2Events::mpiIsend(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                          std::uint64_t request)
{
    send(serialOf(request), Otf2LoneCall::Isend, receiver, comm, tag, bytes);
}

void Otf2Events::mpiIsendComplete(std::uint64_t request)
{
    inCall(static_cast<int>(Otf2LoneCall::Wait), [&] { m_events.sendCompleted(serialOf(request)); });
}

void Otf2Events::mpiIrecvRequest(std::uint64_t request)
{
    inCall(static_cast<int>(Otf2LoneCall::Irecv), [&] { m_events.postReceive(serialOf(request)); });
}

void Otf2Events::receive(std::int64_t request, Otf2LoneCall lone, std::uint32_t sender, OTF2_CommRef comm,
                         std::uint32_t tag, std::uint64_t bytes)
{
    const Otf2Comm* known = mpiComm(comm);
    if (known == nullptr) return;
    const std::uint32_t from = known->peer(m_rank, sender);
    if (from >= m_run.names.ranks) return issue(IssueKind::RankOutOfRange);
    inCall(static_cast<int>(lone),
           [&] { m_events.received(request, known->place, from, static_cast<std::int32_t>(tag), bytesOf(bytes)); });
}

void Otf2Events::mpiRecv(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes)
{
    receive(blocking, Otf2LoneCall::Receive, sender, comm, tag, bytes);
}

void Otf2Events::mpiIrecv(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                          std::uint64_t request)
{
    receive(serialOf(request), Otf2LoneCall::Wait, sender, comm, tag, bytes);
}

void Otf2Events::mpiRequestCancelled(std::uint64_t request)
{
    inCall(static_cast<int>(Otf2LoneCall::Wait), [&] { m_events.cancelled(serialOf(request)); });
}

std::int32_t Otf2Events::rootOf(const Otf2Comm& comm, std::uint32_t root) const
{
    if (root == OTF2_COLLECTIVE_ROOT_SELF) return static_cast<std::int32_t>(m_rank);
    if (root == OTF2_COLLECTIVE_ROOT_NONE || root == OTF2_COLLECTIVE_ROOT_THIS_GROUP) return noRank;
    const std::uint32_t rank = comm.peer(m_rank, root);
    return rank < m_run.names.ranks ? static_cast<std::int32_t>(rank) : noRank;
}

void Otf2Events::collective(std::int64_t request, OTF2_CollectiveOp operation, const Otf2Comm& comm, std::int32_t root,
                            MpiMoved counted)
{
    const auto [known, isNew] = m_members.try_emplace(comm.place);
    CollectiveMember& member = known->second;
    if (isNew) {
        const std::vector<std::uint32_t>& members = m_run.names.communicators[comm.place].members;
        const auto own = std::find(members.begin(), members.end(), m_rank);
        member.members = static_cast<std::int64_t>(members.size());
        member.place = own == members.end() ? 0 : own - members.begin();
    }
    member.isRoot = root == static_cast<std::int32_t>(m_rank);
    m_events.collective(request, comm.place, root, movedByScoreP(otf2Shape(operation), member, counted),
                        CollectiveKind::None);
}

void Otf2Events::mpiCollectiveEnd(OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root,
                                  std::uint64_t sent, std::uint64_t received)
{
    const bool isInCall = m_callDepth != 0;
    if (makesHandle(operation) && (!isInCall || m_run.regions[m_stack[m_callDepth - 1].region].isLifetime)) return;
    const Otf2Comm* known = mpiComm(comm);
    if (known == nullptr) return;
    inCall(operation, [&] {
        collective(blocking, operation, *known, rootOf(*known, root), {bytesOf(sent), bytesOf(received)});
    });
}

void Otf2Events::collectiveRequest(std::uint64_t request)
{
    if (!std::exchange(m_hasCompletions, true)) {
        for (const Otf2Completion& completion : m_readCompletions())
            m_completions[completion.request].push_back(completion);
        for (auto& [id, list] : m_completions) std::reverse(list.begin(), list.end());
    }
    const auto found = m_completions.find(request);
    if (found == m_completions.end() || found->second.empty()) return;  // never completed: nothing is known of it
    const Otf2Completion completion = found->second.back();
    found->second.pop_back();
    const Otf2Comm* known = mpiComm(completion.comm);
    if (known == nullptr) return;
    inCall(static_cast<int>(Otf2LoneCall::Nonblocking), [&] {
        collective(serialOf(request), completion.operation, *known, rootOf(*known, completion.root),
                   completion.counted);
    });
}

void Otf2Events::collectiveComplete(OTF2_CollectiveOp, OTF2_CommRef, std::uint32_t, std::uint64_t, std::uint64_t,
                                    std::uint64_t request)
{
    inCall(static_cast<int>(Otf2LoneCall::Wait), [&] { m_events.collectiveCompleted(serialOf(request)); });
}

void Otf2Events::metric(OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type* types,
                        const OTF2_MetricValue* values)
{
    const std::uint32_t place = m_run.metricIndex[metric];
    if (place == otf2None) return issue(IssueKind::UnknownDefinition);
    const std::vector<Otf2Metric>& members = m_run.metrics[place];
    for (std::size_t i = 0; i < std::min<std::size_t>(count, members.size()); ++i) {
        const Otf2Metric& member = members[i];
        if (member.counter == otf2None) continue;
        double value = valueOf(types[i], values[i]) * member.scale;
        if (member.isRelative) {
            m_sums.resize(m_run.names.counters.size());
            value = m_sums[member.counter] += value;
        }
        m_events.counter(m_time, member.counter, value);
    }
}

}  // namespace longpole
