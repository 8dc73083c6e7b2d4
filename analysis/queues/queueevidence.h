// SPDX-License-Identifier: GPL-3.0-or-later
// How often tasks of one entry method began while messages of another waited: the evidence for a queue's discipline.
#pragma once

#include "analysis/queues/latencies.h"
#include "analysis/queues/processorrecord.h"

#include <cstdint>
#include <map>
#include <span>
#include <utility>

namespace longpole {

// How often tasks of one entry method began while a message of another one certainly waited: in all, and where that
// message had certainly come earlier or later than the task's own.
struct QueueMeetings {
    std::int64_t all = 0;
    std::int64_t overtook = 0;
    std::int64_t keptNewer = 0;  // a message that had come later waited on
    void add(const QueueMeetings& other)
    {
        all += other.all;
        overtook += other.overtook;
        keptNewer += other.keptNewer;
    }
};

// By the entry method that began, and the one whose message waited.
using QueueEvidence = std::map<std::pair<std::uint32_t, std::uint32_t>, QueueMeetings>;

// Looks at no more than 256 entry methods, those with the most tasks.
QueueEvidence queueEvidence(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies);

}  // namespace longpole
