// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of noise(), for a run whose tasks lie in several stores: which entry methods have stretched tasks, which
// tasks these are, and what that comes to.
#pragma once

#include "analysis/noise/noise.h"
#include "analysis/statistics/distribution.h"

#include <cstdint>
#include <map>
#include <vector>

namespace longpole {

// By the durations of all tasks. Most lost first.
std::vector<EntryNoise> noisyEntries(const Distribution& durations, const NoiseRequest& request);

// From which duration on a task of an entry method is stretched, and what it usually takes.
struct StretchThreshold {
    TimeNs from = maxTime;
    TimeNs usual = 0;
};
std::vector<StretchThreshold> stretchThresholds(const std::vector<EntryNoise>& entries);  // by entry id; may be shorter

// A task that was stretched or not running. What its CPU time leaves open, its entry method's other tasks decide.
struct NoiseCandidate {
    StretchedTask task;
    bool isStretched = false;
    bool isOpen = false;
};

// Of one entry method.
struct StretchedSums {
    std::int64_t stretched = 0;
    std::int64_t interrupted = 0, open = 0;
    TimeNs interruptedFor = 0, openFor = 0;
    std::int64_t mostOnOnePe = 0;  // stretched

    void add(const StretchedSums& other);
};

// What was found on some processors.
struct NoiseFound {
    std::vector<NoiseCandidate> worst;  // most lost first, as many as the request names
    std::vector<NoisePeriod> periods;
    std::map<EntryId, StretchedSums> entries;  // whose ids may be far apart

    void add(NoiseFound&& other, const NoiseRequest& request);
};
// On the processors of one store. Errors: damaged chunks; cancelled.
Result<NoiseFound> findStretched(const TraceStore& store, const NoiseRequest& request, const ProcessorTime& cpu,
                                 const std::vector<StretchThreshold>& thresholds, const Progress& progress);

// Of all processors of a run with that info. `time`: of all tasks.
Noise noiseOf(const TraceInfo& info, TimeNs time, std::vector<EntryNoise> entries, NoiseFound found);

}  // namespace longpole
