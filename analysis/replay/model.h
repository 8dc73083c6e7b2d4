// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay knows of a run, computed once: when messages arrived, as far as the trace can tell, what processors
// needed between tasks, which messages left when the last of several tasks had run.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/queues/discipline.h"
#include "analysis/replay/forwarding.h"
#include "analysis/replay/joins.h"
#include "analysis/replay/pools.h"
#include "analysis/replay/readingdelays.h"
#include "analysis/replay/replay.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

class ReplayModel {
public:
    enum Trait : std::uint8_t {
        Expedited = 1,  // runs before everything that is queued
        Glued = 2,    // goes on in the scheduler's step: a Structured Dagger block where its source ended, or the next
                      // element that a broadcast to an array reaches
        Fixed = 4,    // nothing is known to have caused it: it arrives when it did
        Member = 8,   // of a join
        Joined = 16,  // leaves when the last member of its join has run
        Merged = 32,  // waits for more than its message
        MergeSource = 64,  // something else waits for it
        Held = 128         // it did not wait in the queue: it arrived when it began
    };

    std::shared_ptr<const ActivityGraph> graph;
    std::vector<std::uint8_t> traits;  // per graph task
    // From where the message left its source's prefix to its arrival; of Fixed ones from the run's begin.
    ReadingDelays delay;
    std::array<TimeNs, arrivalReadings> usualLatency{};  // between two processors, of any size
    CompactTimes gap;                   // what the PE needs between the task before and this one, if it is waiting
    std::vector<TimeNs> usualGap;       // per PE: so long after a task its scheduler takes what has arrived by then
    std::vector<std::uint32_t> bySize;  // what of a latency the size of the message makes, ns; may be empty
    // Graph tasks that each task's messages start: sends[firstSend[i]] to sends[firstSend[i + 1]], by send time.
    std::vector<std::uint32_t> firstSend;
    std::vector<std::uint32_t> sends;
    // Graph tasks after which another runs with the same message, a broadcast; and of each of these which.
    RankedBits isFollowed;
    std::vector<std::uint32_t> follower;
    // Broadcasts that wait in a queue before they reach their targets, which nothing else starts; by sender and offset.
    std::vector<ForwardedBroadcast> forwarded;
    static constexpr std::uint32_t noJoin = 0xffffffffu;
    struct Forwarding {
        TimeNs length = 0;            // what the processor needs to hand it on
        std::uint32_t join = noJoin;  // with the last member of this one it leaves; its actor is the sender
        std::uint32_t place = 0;      // how many of its sender's sends leave before it; of those without a join
    };
    std::vector<Forwarding> forwarding;         // of each
    std::vector<std::uint32_t> forwardedJoins;  // ascending: the joins of those that have one
    std::vector<std::uint32_t> joinForwarded;   // of each of these: which
    std::vector<bool> isForwarded;              // per graph task: a target of these; may be empty
    ReplayJoins joins;
    ReplayPools pools;
    std::vector<std::uint32_t> startUpEnd;  // see analysis/replay/startup.h; may be empty
    std::vector<MergeEdge> merges;          // by source
    std::vector<std::uint32_t> merged;      // tasks that wait for merges, ascending
    std::vector<std::uint32_t> mergesLeft;  // of each: how many
    // Of each, how long after the last of them it arrives: not 0 for what followed other tasks for a reason that the
    // trace does not show (consequences.h). Where messages take no time, a late reading keeps it, others do not.
    std::vector<TimeNs> afterMerges;
    // Graph tasks from here on came after everything else without a known cause, as those that end a trace: they keep
    // their distance from the last end before them.
    std::uint32_t firstOfTail = 0;
    TimeNs endBeforeTail = 0;
    bool isEstimated = false;  // most arrivals of messages between tasks
    TimeNs lastFixed = 0;      // when the last Fixed one before the tail arrived
    std::int64_t dropped = 0;  // tasks whose sender began after them, or is not in the trace
    TimeNs afterLastEnd = 0;   // from there to the end of the run
    // How long the run takes as it was, per reading; below zero until somebody asks.
    mutable std::array<std::atomic<TimeNs>, arrivalReadings> baseline{-1, -1, -1, -1};
    QueueDiscipline discipline;  // of its queues
    double noise = 0;            // see analysis/replay/runnoise.h
    // How far the record is from that: tasks, and those out of order.
    std::int64_t ordered = 0;
    std::int64_t outOfOrder = 0;

    bool is(std::uint32_t task, Trait trait) const { return (traits[task] & trait) != 0; }
    // Whether another element had its message before it: nothing is sent to it.
    bool isFollower(std::uint32_t task) const
    {
        return !follower.empty() && is(task, Glued) && (graph->flags[task] & ActivityGraph::BlockEdge) == 0;
    }
    // The broadcasts that leave with the last member of a join.
    std::span<const std::uint32_t> forwardedWith(std::uint32_t join) const
    {
        const auto [first, last] = std::equal_range(forwardedJoins.begin(), forwardedJoins.end(), join);
        const auto place = static_cast<std::size_t>(first - forwardedJoins.begin());
        return {joinForwarded.data() + place, static_cast<std::size_t>(last - first)};
    }
    bool isForwardedTo(std::uint32_t task) const { return !isForwarded.empty() && isForwarded[task]; }
    std::uint32_t followerOf(std::uint32_t task) const
    {
        return !follower.empty() && isFollowed.has(task) ? follower[isFollowed.rank(task)] : noTask;
    }
};

// As replayModel of analysis/replay/replay.h, but lets the merges go as soon as they are no longer needed.
Result<std::shared_ptr<const ReplayModel>> replayModel(const TraceStore& store,
                                                       std::shared_ptr<const ActivityGraph> graph,
                                                       std::shared_ptr<const MergeInference> merges,
                                                       const Progress& progress);

// As replay(), but tells only how long the run takes, without the 28 bytes a task that its times take.
Result<TimeNs> replayedDuration(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                                const Progress& progress);

// For tests: the model of a graph whose broadcasts are known. `follows`: see analysis/replay/broadcasts.h.
std::shared_ptr<const ReplayModel> replayModel(std::shared_ptr<const ActivityGraph> graph,
                                               std::vector<std::uint8_t> follows);

// For tests, whose runs lie in no trace: the model of a graph with what else is known of the run. Otherwise as
// replayModel of analysis/replay/replay.h. `numbers`: see MessageTurns; `forwarded`: by sender and offset.
std::shared_ptr<const ReplayModel> replayModel(std::shared_ptr<const ActivityGraph> graph, const TaskObjects& objects,
                                               std::span<const Entry> entries, std::span<const Chare> chares,
                                               std::span<const std::uint8_t> isGroupBroadcast,
                                               std::vector<std::uint32_t> numbers = {},
                                               std::vector<ForwardedBroadcast> forwarded = {});

}  // namespace longpole
