// SPDX-License-Identifier: GPL-3.0-or-later
// The machine of runQueues: an event is a processor that takes its next task.
#include "analysis/queues/queue.h"
#include "analysis/replay/run.h"
#include "analysis/replay/sends.h"

#include "analysis/base/bigarray.h"
#include "core/base/result.h"
#include "core/base/translate.h"

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

constexpr std::uint32_t replayedPerReport = 1u << 14;

struct PeState {
    TimeNs free = 0;                  // its last task ended
    FlatHeap<Arriving> startUp;       // what makes its objects
    FlatHeap<Arriving> inbox;         // looked at when that has run
    TaskLine glued;                   // go on where that task ended
    std::uint32_t follower = noTask;  // the next task that the same message starts; it runs after those in `glued`
    TaskLine expedited;
    FlatHeap<Queued> queue;
    bool goesOn() const { return !glued.isEmpty() || follower != noTask; }
    bool isStarting() const { return !startUp.isEmpty(); }
    bool hasWork() const { return goesOn() || !expedited.isEmpty() || !queue.isEmpty(); }
};

// A task that began.
struct Running {
    std::uint32_t task;
    std::uint32_t pe;
    TimeNs begin;
    TimeNs end;
};

class QueueMachine {
public:
    explicit QueueMachine(const ReplayInput& input)
        : m_model(input.model), m_graph(*input.model.graph), m_question(input.question), m_times(input.times),
          m_delays(input), m_pes(m_graph.byProcessor.size()), m_clock(m_pes.size())
    {
        for (PeState& pe : m_pes) pe.free = m_graph.run.begin;
        m_last = m_graph.run.begin;
        m_usualLatency = m_model.usualLatency[static_cast<std::size_t>(input.reading)];
        if (input.keepsTimes) resizeBig(m_run.begin, m_graph.size());
        const bool sharesWork = !m_model.joins.joins.empty() || !m_model.pools.isEmpty();
        if (input.keepsTimes && (!m_times.areRecorded() || sharesWork)) {
            resizeBig(m_run.length, m_graph.size());
            resizeBig(m_run.source, m_graph.size(), noTask);
            resizeBig(m_run.offset, m_graph.size());
        }
        for (const ReplayJoin& join : m_model.joins.joins) m_membersLeft.push_back(join.members);
        m_mergesLeft = m_model.mergesLeft;
        if (!m_model.pools.isEmpty()) {
            m_pe = m_graph.pe;
            m_nextRequest = m_model.pools.firstRequest;
        }
        m_latest.resize(m_model.merged.size(), minTime);
        for (const QueuePriorities::OfEntry& of : m_question.priorities.entries) {
            const std::size_t entry = index(of.entry);
            if (entry >= mostIds) continue;
            if (entry >= m_priorityOf.size()) m_priorityOf.resize(entry + 1, 0);
            m_priorityOf[entry] = of.priority;
        }
    }

    Result<ReplayedRun> run(const Progress& progress)
    {
        for (std::uint32_t task = 0; task < m_model.firstOfTail; ++task)
            if (m_graph.source[task] == noTask && !m_model.isForwardedTo(task))
                release(task, m_graph.run.begin, nullptr);
        while (!m_clock.isOver()) {
            if (m_done % replayedPerReport == 0) {
                if (progress.isCancelled()) return cancelledError();
                progress.report(static_cast<double>(m_done) / static_cast<double>(m_graph.size()));
            }
            act(m_clock.first());
        }
        if (m_done < m_model.firstOfTail)
            return Error{.what = tr("The replay came to a stop: %1 tasks wait for each other.")
                                     .arg(m_model.firstOfTail - m_done),
                         .where = {},
                         .hint = tr("Please report this trace.")};
        m_run.duration = m_last + m_model.afterLastEnd - m_graph.run.begin;
        for (std::size_t task = m_model.firstOfTail; task < m_run.begin.size(); ++task) {
            m_run.begin[task] = m_graph.begin[task] + m_last - m_model.endBeforeTail;
            if (!m_run.length.empty()) m_run.length[task] = m_graph.duration[task];
        }
        if (!m_run.begin.empty()) m_run.pe = std::move(m_pe);
        return std::move(m_run);
    }

private:
    bool isOfStartUp(std::uint32_t task, std::uint32_t pe) const
    {
        return pe < m_model.startUpEnd.size() && task < m_model.startUpEnd[pe] && m_model.is(task, ReplayModel::Fixed);
    }

    // A processor takes its next task: goes on with its step, or looks at what has arrived by now, then at its queue.
    void act(std::uint32_t peNumber)
    {
        PeState& pe = m_pes[peNumber];
        const TimeNs now = m_clock.timeOf(peNumber);
        m_looked.clear();
        const bool isStarting = pe.isStarting() && !pe.goesOn();
        if (isStarting) m_looked.push_back(pe.startUp.pop());
        while (!isStarting && !pe.goesOn() && !pe.inbox.isEmpty() && pe.inbox.top().time <= now) {
            m_looked.push_back(pe.inbox.pop());
            enqueue(pe, m_looked.back().task);
        }
        const std::uint32_t task = isStarting                ? m_looked.back().task
                                   : !pe.glued.isEmpty()     ? pe.glued.pop()
                                   : pe.follower != noTask   ? std::exchange(pe.follower, noTask)
                                   : !pe.expedited.isEmpty() ? pe.expedited.pop()
                                                             : pe.queue.pop().task;
        TimeNs begin = pe.free
                       + (isForwarding(task) ? m_model.forwarding[task - m_graph.size()].length
                                             : TimeNs{m_model.gap[task]});
        for (const Arriving& arrived : m_looked)
            if (arrived.task == task) begin = std::max(begin, arrived.time);
        if (isForwarding(task)) {
            forward(m_model.forwarded[task - m_graph.size()], begin);
            m_clock.set(peNumber, nextTime(peNumber));
            return;
        }
        const Running running{task, peNumber, begin, begin + lengthOf(task)};
        pe.free = running.end;
        m_last = std::max(m_last, running.end);
        ++m_done;
        if (!m_run.begin.empty()) m_run.begin[task] = begin;
        if (!m_run.length.empty()) m_run.length[task] = running.end - begin;
        send(running);
        follow(pe, running);
        m_clock.set(peNumber, nextTime(peNumber));
    }

    // What waits in queues is a task of the graph or, from its size on, a broadcast to be handed on.
    bool isForwarding(std::uint32_t task) const { return task >= m_graph.size(); }

    std::uint32_t firstOf(std::uint32_t task) const
    {
        return isForwarding(task) ? m_model.forwarded[task - m_graph.size()].targets.front() : task;
    }

    // The turn of a broadcast has come: its processor hands it on.
    void forward(const ForwardedBroadcast& broadcast, TimeNs time)
    {
        m_pes[broadcast.pe].free = time;
        const TimeNs begun = m_run.begin.empty() ? time : m_run.begin[broadcast.sender];
        const Running running{broadcast.sender, broadcast.pe, begun, time};
        for (const std::uint32_t target : broadcast.targets) {
            if (!m_run.source.empty()) {
                m_run.source[target] = broadcast.sender;
                m_run.offset[target] = time - begun;
            }
            depart(target, time + m_delays.afterForwarding(target), &running);
        }
    }

    // The broadcasts of a task: [first, last) in model.forwarded.
    std::pair<std::uint32_t, std::uint32_t> broadcastsOf(std::uint32_t sender) const
    {
        const auto isBefore = [](const ForwardedBroadcast& one, std::uint32_t task) { return one.sender < task; };
        const auto first = std::lower_bound(m_model.forwarded.begin(), m_model.forwarded.end(), sender, isBefore);
        auto last = first;
        while (last != m_model.forwarded.end() && last->sender == sender) ++last;
        return {static_cast<std::uint32_t>(first - m_model.forwarded.begin()),
                static_cast<std::uint32_t>(last - m_model.forwarded.begin())};
    }
    std::uint32_t forwardingId(std::uint32_t broadcast) const
    {
        return static_cast<std::uint32_t>(m_graph.size()) + broadcast;
    }

    // A broadcast leaves its sender, for the queue in which it waits.
    void departForwarding(std::uint32_t id, TimeNs left, const Running& from)
    {
        const std::uint32_t peNumber = m_model.forwarded[id - m_graph.size()].pe;
        PeState& pe = m_pes[peNumber];
        const bool isHere = from.pe == peNumber;
        if (isHere && left <= from.end) return enqueue(pe, id);
        const bool takesTime = !isHere && m_question.network == NetworkModel::Recorded;
        pe.inbox.push({left + (takesTime ? m_usualLatency : 0), id});
        if (!isHere && nextTime(peNumber) < m_clock.timeOf(peNumber)) m_clock.set(peNumber, nextTime(peNumber));
    }

    // The next element runs with the same message.
    void follow(PeState& pe, const Running& running)
    {
        const std::uint32_t follower = m_model.followerOf(running.task);
        if (follower == noTask) return;
        pe.follower = follower;
        if (!m_pe.empty()) m_pe[follower] = running.pe;
        if (m_run.source.empty()) return;
        m_run.source[follower] = m_run.source[running.task];
        m_run.offset[follower] = m_run.offset[running.task];
    }

    TimeNs nextTime(std::uint32_t peNumber) const
    {
        const PeState& pe = m_pes[peNumber];
        const TimeNs looks = pe.free + m_model.usualGap[peNumber];
        if (pe.isStarting()) return pe.goesOn() ? looks : std::max(looks, pe.startUp.top().time);
        if (pe.hasWork()) return looks;
        return pe.inbox.isEmpty() ? maxTime : std::max(looks, pe.inbox.top().time);
    }

    TimeNs lengthOf(std::uint32_t task)
    {
        if (!m_model.is(task, ReplayModel::Member)) return m_times.length(task);
        for (const ReplayJoins::Membership& member : m_model.joins.of(task)) {
            const ReplayJoin& join = m_model.joins.joins[member.join];
            if (!join.sharesRoles) continue;
            return m_times.length(m_model.joins.role(join, m_membersLeft[member.join]));
        }
        return m_times.length(task);
    }

    // All messages of a task leave in the order of time, since those to its own processor enter the queue in that
    // order.
    void send(const Running& running)
    {
        const std::uint32_t role = m_pe.empty() ? running.task : handOut(running.task);
        const TimeNs length = running.end - running.begin;
        m_leaving.clear();
        const auto broadcasts = m_model.forwarded.empty() ? std::pair(0u, 0u) : broadcastsOf(role);
        std::uint32_t next = broadcasts.first;
        const auto leaveBroadcasts = [&](std::uint32_t place) {
            for (; next < broadcasts.second; ++next) {
                if (m_model.forwarding[next].join != ReplayModel::noJoin) continue;
                if (m_model.forwarding[next].place > place) return;
                const TimeNs offset = m_times.part(role, m_model.forwarded[next].offset);
                m_leaving.push_back({running.begin + std::min(offset, length), forwardingId(next)});
            }
        };
        for (std::uint32_t at = m_model.firstSend[role]; at < m_model.firstSend[role + 1]; ++at) {
            leaveBroadcasts(at - m_model.firstSend[role]);
            const std::uint32_t task = m_model.sends[at];
            TimeNs offset = m_times.part(role, m_graph.offset[task]);
            // A task may send the messages of another one that took longer (counters): those that would leave after its
            // end leave at its end.
            if (m_graph.offset[task] <= m_graph.duration[role]) offset = std::min(offset, length);
            m_leaving.push_back({running.begin + offset, task});
        }
        leaveBroadcasts(noTask);
        if (m_model.is(running.task, ReplayModel::Member) && join(running))
            std::stable_sort(m_leaving.begin(), m_leaving.end(), [this](const Arriving& a, const Arriving& b) {
                return std::pair(a.time, firstOf(a.task)) < std::pair(b.time, firstOf(b.task));
            });
        for (const Arriving& leaving : m_leaving)
            if (isForwarding(leaving.task)) departForwarding(leaving.task, leaving.time, running);
            else release(leaving.task, leaving.time, &running);
        if (m_model.is(running.task, ReplayModel::MergeSource)) leaveMerges(running);
    }

    // The task whose recorded messages this task sends. If it hands out a piece of a pool, the piece goes to the
    // processor that asked.
    std::uint32_t handOut(std::uint32_t task)
    {
        const std::uint32_t pool = m_model.pools.poolOf[task];
        if (pool == ReplayPools::none) return task;
        const std::uint32_t role = m_model.pools.requests[m_nextRequest[pool]++];
        const std::uint32_t asker = m_pe[m_graph.source[task]];
        for (std::uint32_t at = m_model.firstSend[role]; at < m_model.firstSend[role + 1]; ++at)
            if (const std::uint32_t piece = m_model.sends[at]; m_model.pools.isPiece[piece] != 0) m_pe[piece] = asker;
        return role;
    }

    std::uint32_t peOf(std::uint32_t task) const { return m_pe.empty() ? m_graph.pe[task] : m_pe[task]; }

    void leaveMerges(const Running& running)
    {
        const auto isBefore = [](const MergeEdge& edge, std::uint32_t task) { return edge.source < task; };
        auto edge = std::lower_bound(m_model.merges.begin(), m_model.merges.end(), running.task, isBefore);
        for (; edge != m_model.merges.end() && edge->source == running.task; ++edge)
            depart(edge->task, running.begin + m_times.part(running.task, edge->offset), &running);
    }

    // If the task is the last member of a join, adds the messages that leave with the join to m_leaving. Returns
    // whether there are any.
    bool join(const Running& running)
    {
        const std::size_t before = m_leaving.size();
        for (const ReplayJoins::Membership& member : m_model.joins.of(running.task)) {
            if (--m_membersLeft[member.join] > 0) continue;
            const ReplayJoin& join = m_model.joins.joins[member.join];
            const TimeNs whole = m_times.length(join.actor);
            const TimeNs length = running.end - running.begin;
            const auto leave = [&](TimeNs recorded, std::uint32_t id) {
                const TimeNs offset = m_times.part(join.actor, recorded);
                const bool isSame = join.sharesRoles || running.task == join.actor;
                const TimeNs left = isSame ? offset : std::max<TimeNs>(0, length - (whole - offset));
                m_leaving.push_back({running.begin + (offset <= whole ? std::min(left, length) : left), id});
            };
            for (std::uint32_t t = join.firstTarget; t < join.firstTarget + join.targets; ++t) {
                const std::uint32_t target = m_model.joins.targets[t];
                if (!m_model.isForwardedTo(target) && !m_model.isFollower(target))
                    leave(m_graph.offset[target], target);
            }
            for (const std::uint32_t broadcast : m_model.forwardedWith(member.join))
                leave(m_model.forwarded[broadcast].offset, forwardingId(broadcast));
        }
        return m_leaving.size() > before;
    }

    // The message of a task leaves its sender at `left`.
    void release(std::uint32_t task, TimeNs left, const Running* from)
    {
        if (from != nullptr && !m_run.source.empty()) {
            m_run.source[task] = from->task;
            m_run.offset[task] = left - from->begin;
        }
        depart(task, left + (from == nullptr ? m_delays(task) : delayBetween(*from, task)), from);
    }

    // How long a message is under way. With pools and joins the sender may be on another processor than in the record,
    // so that the message needs the network now and did not then, or the reverse.
    TimeNs delayBetween(const Running& from, std::uint32_t task) const
    {
        const std::uint32_t source = m_graph.source[task];
        if (source == noTask || (m_pe.empty() && source == from.task)) return m_delays(task);
        const bool isHere = from.pe == peOf(task);
        const bool wasHere = m_graph.pe[source] == m_graph.pe[task];
        if (isHere == wasHere) return m_delays(task);
        if (isHere || m_question.network == NetworkModel::Ideal) return 0;
        return m_question.network == NetworkModel::Recorded ? m_usualLatency : 0;
    }

    // A task waits for its message and for merges: one of these is there at `time`.
    void depart(std::uint32_t task, TimeNs time, const Running* from)
    {
        if (m_model.is(task, ReplayModel::Merged)) {
            const auto at = static_cast<std::size_t>(std::lower_bound(m_model.merged.begin(), m_model.merged.end(),
                                                                      task)
                                                     - m_model.merged.begin());
            m_latest[at] = std::max(m_latest[at], time);
            if (m_mergesLeft[at]-- > 0) return;
            time = m_latest[at] + m_delays.afterMerges(at);
        }
        const std::uint32_t peNumber = peOf(task);
        PeState& pe = m_pes[peNumber];
        const bool isHere = from != nullptr && from->pe == peNumber;
        if (isHere && time <= from->end) return enqueue(pe, task);
        (from == nullptr && isOfStartUp(task, peNumber) ? pe.startUp : pe.inbox).push({time, task});
        if (!isHere && nextTime(peNumber) < m_clock.timeOf(peNumber)) m_clock.set(peNumber, nextTime(peNumber));
    }

    void enqueue(PeState& pe, std::uint32_t task)
    {
        if (isForwarding(task)) return enqueueForwarding(pe, task);
        if (m_model.is(task, ReplayModel::Glued)) return pe.glued.push(task);
        if (m_model.is(task, ReplayModel::Expedited)) return pe.expedited.push(task);
        const std::uint32_t sequence = m_sequence++;
        if (m_question.queue == QueueOrder::Kept) {
            const std::int32_t rank = m_model.discipline.of(m_graph.entry[task]);
            // Where single messages had priorities, their recorded order is kept: tasks are numbered by their recorded
            // begins.
            if (m_model.discipline.isOrderedByMessage(m_graph.entry[task])) return pe.queue.push({rank, task, task});
            return pe.queue.push({rank, QueueDiscipline::isLifo(rank) ? ~sequence : sequence, task});
        }
        pe.queue.push({m_question.queue == QueueOrder::Priority ? priorityOf(task) : 0,
                       m_question.queue == QueueOrder::Lifo ? ~sequence : sequence, task});
    }

    // Queues a broadcast with the priority of the tasks it starts. The record shows no priority of its own, since those
    // tasks pass no queue.
    void enqueueForwarding(PeState& pe, std::uint32_t id)
    {
        const std::uint32_t sequence = m_sequence++;
        std::int32_t rank = 0;
        if (m_question.queue == QueueOrder::Kept) rank = m_model.discipline.usual;
        if (m_question.queue == QueueOrder::Priority)
            rank = priorityOf(m_model.forwarded[id - m_graph.size()].targets.front());
        const bool isNewestFirst = m_question.queue == QueueOrder::Lifo
                                   || (m_question.queue == QueueOrder::Kept && QueueDiscipline::isLifo(rank));
        pe.queue.push({rank, isNewestFirst ? ~sequence : sequence, id});
    }

    std::int32_t priorityOf(std::uint32_t task) const
    {
        if (task < m_question.priorities.tasks.size()) return m_question.priorities.tasks[task];
        return m_graph.entry[task] < m_priorityOf.size() ? m_priorityOf[m_graph.entry[task]] : 0;
    }

    const ReplayModel& m_model;
    const ActivityGraph& m_graph;
    const ReplayQuestion& m_question;
    const ReplayTimes& m_times;
    ReplayDelays m_delays;
    std::vector<PeState> m_pes;
    ProcessorClock m_clock;
    std::vector<std::uint32_t> m_membersLeft;  // by join
    std::vector<std::uint32_t> m_mergesLeft;   // by place in model.merged; the message counts as one more
    std::vector<TimeNs> m_latest;
    std::vector<std::uint32_t> m_pe;           // per task; empty: as recorded
    std::vector<std::uint32_t> m_nextRequest;  // per pool
    std::vector<std::int32_t> m_priorityOf;    // by entry
    std::vector<Arriving> m_looked;            // what the processor that acts has just taken from its inbox
    std::vector<Arriving> m_leaving;           // from the task that has just begun
    TimeNs m_usualLatency = 0;
    std::uint32_t m_sequence = 0;
    std::uint64_t m_done = 0;
    TimeNs m_last = 0;  // end of all so far
    ReplayedRun m_run;
};

}  // namespace

Result<ReplayedRun> runQueues(const ReplayInput& input, const Progress& progress)
{
    if (input.model.graph->size() == 0) return ReplayedRun{.duration = input.model.graph->run.length()};
    return QueueMachine(input).run(progress);
}

}  // namespace longpole
