// SPDX-License-Identifier: GPL-3.0-or-later
// Noise: tasks that took longer than others of their entry method usually do, after the noise miner of Projections, and
// which of them were interrupted - by the operating system, another process, a page fault - and did not just do more.
#pragma once

#include "analysis/noise/processortime.h"
#include "analysis/statistics/durationclusters.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <vector>

namespace longpole {

// Per entry method the durations (exclusive: what a task ran itself) are cut into clusters (durationclusters.h).
// Clusters with at least `usualShare` of the tasks are what they usually take: an entry method may do now this, now
// that. The longest of these is the base (without any, the one with most tasks). Tasks of the clusters above whose
// median is at least `ratio` times that of the base and `least` longer are stretched, and have lost what they took
// beyond the base's median. Work that is seldom done looks the same. A task counts as interrupted, for whoever leaves
// such tasks out, if its CPU time says that it was not running or, where that says nothing, if the stretched tasks of
// its entry method are rare and spread over the processors, and lost no longer than the run's ranks are known to have
// waited for a core.
struct NoiseRequest {
    TimeRange range{};               // tasks that begin in it; empty: all
    std::vector<ProcessorId> pes{};  // empty: all
    std::int64_t leastTasks = 20;    // an entry method with fewer has no usual duration
    double usualShare = 0.2;
    double ratio = 1.25;
    TimeNs least = 5'000;     // ns
    std::size_t worst = 100;  // tasks that are named
    friend bool operator==(const NoiseRequest&, const NoiseRequest&) = default;
};

struct EntryNoise {
    EntryId entry = noEntry;
    std::int64_t count = 0;  // tasks
    TimeNs time = 0;
    std::vector<DurationCluster> clusters;  // by duration
    std::size_t base = 0;                   // among clusters
    std::size_t firstStretched = 0;         // clusters from here on are stretched; clusters.size(): none
    std::int64_t stretched = 0;
    TimeNs lost = 0;
    std::int64_t interrupted = 0;  // of the stretched
    TimeNs interruptedFor = 0;     // of lost

    TimeNs usual() const { return clusters[base].median; }
};

struct StretchedTask {
    TaskId task;
    EntryId entry = noEntry;
    TimeNs begin = 0;
    TimeNs duration = 0;
    TimeNs lost = 0;
    bool isInterrupted = false;
    friend bool operator==(const StretchedTask&, const StretchedTask&) = default;
};

// Stretched tasks of one PE begin at regular intervals: three quarters of the at least five intervals between them are
// within 15 % of a period, or of two to four of it (one was too short to tell). Something that runs on a timer.
struct NoisePeriod {
    ProcessorId pe{};
    TimeNs period = 0;
    std::int64_t tasks = 0;
    double regular = 0;  // share of the intervals that fit
};

struct Noise {
    std::vector<EntryNoise> entries;   // with stretched tasks only, most lost first
    std::vector<StretchedTask> worst;  // stretched or interrupted; most lost first
    std::vector<NoisePeriod> periods;  // by PE
    std::int64_t stretched = 0;
    TimeNs lost = 0;
    std::int64_t interrupted = 0;  // also tasks that were not running and of which no usual duration is known
    TimeNs interruptedFor = 0;     // what they lost
    TimeNs time = 0;               // of all tasks that were looked at

    double interruptedShare() const { return time > 0 ? double(interruptedFor) / double(time) : 0; }
};

// Two passes over the tasks. Errors: damaged chunks; cancelled.
Result<Noise> noise(const TraceStore& store, const NoiseRequest& request, const ProcessorTime& cpu,
                    const Progress& progress);

// The period of times in ascending order, as NoisePeriod says; 0: none. `regular` gets the share that fits.
TimeNs regularPeriod(const std::vector<TimeNs>& times, double& regular);

}  // namespace longpole
