// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of the made-up machine as the replay sees them: run under the options of a seed, with a queue that they ask
// for, and the model of what was recorded.
#pragma once

#include "analysis/replay/model.h"
#include "analysis/replay/replay.h"
#include "support/machines/machineprograms.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

// How a run of the machine queues messages; the default: first in, first out.
struct PlayedQueue {
    const char* first = nullptr;        // at priority -1
    std::vector<const char*> others{};  // too
    const char* expedited = nullptr;    // past the queue
    bool isLifo = false;
    const char* newestFirst = nullptr;  // of this entry only
    const char* shuffled = nullptr;     // priorities by chance, of this entry's messages
    bool isShuffled = false;            // of all messages
    bool forwardsBroadcasts = false;    // those to groups wait at the sender's before they are handed on
};

inline MachineOptions machineOptions(std::uint64_t seed)
{
    std::mt19937_64 random(seed * 77 + 5);
    const auto below = [&random](std::uint64_t n) { return static_cast<double>(random() % n); };
    MachineOptions options;
    options.processors = 3 + static_cast<std::uint32_t>(below(8));
    options.latency = 5 + below(30);
    options.latencyNoise = below(15);
    options.wake = below(25);
    options.overhead = 1 + below(3);
    options.workNoise = 0.01 * below(8);
    options.workExtra = below(70);
    return options;
}

inline MachineRun playedRun(const MachineProgram& program, std::uint64_t seed, MachineOptions options,
                            const PlayedQueue& queue)
{
    options.isLifo = queue.isLifo;
    options.forwardsBroadcasts = queue.forwardsBroadcasts;
    options.isShuffled = options.isShuffled || queue.isShuffled;
    Machine machine(options);
    const std::uint32_t start = program.build(machine, seed);
    if (queue.first != nullptr) machine.setPriority(queue.first, -1);
    for (const char* other : queue.others) machine.setPriority(other, -1);
    if (queue.expedited != nullptr) machine.setExpedited(queue.expedited);
    if (queue.newestFirst != nullptr) machine.setNewestFirst(queue.newestFirst);
    if (queue.shuffled != nullptr) machine.setShuffled(queue.shuffled);
    return machine.run(start);
}

inline MachineRun playedRun(const MachineProgram& program, std::uint64_t seed, const MachineOptions& options,
                            const char* first = nullptr)
{
    return playedRun(program, seed, options, PlayedQueue{.first = first});
}

// The median of several runs of a seed's program, as real programs are measured.
inline TimeNs playedMedian(const MachineProgram& program, std::uint64_t seed, const PlayedQueue& queue,
                           std::uint64_t runs = 5)
{
    std::vector<TimeNs> times;
    for (std::uint64_t again = 2; again < 2 + runs; ++again) {
        MachineOptions options = machineOptions(seed);
        options.seed = again;
        times.push_back(playedRun(program, seed * 1000 + 7, options, queue).duration());
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(runs / 2), times.end());
    return times[runs / 2];
}

inline std::shared_ptr<const ReplayModel> modelOf(const MachineRun& recorded)
{
    const auto graph = recorded.graph();
    return replayModel(graph, recorded.taskObjects(*graph), recorded.entries, recorded.chares,
                       recorded.isGroupBroadcast, recorded.messageNumbers(*graph), recorded.forwarded(*graph));
}

inline ReplayQuestion prioritizedAt(EntryId entry, std::int32_t priority = -1)
{
    return {.queue = QueueOrder::Priority, .priorities = {.entries = {{entry, priority}}, .tasks = {}}};
}

}  // namespace longpole
