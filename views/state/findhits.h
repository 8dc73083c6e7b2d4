// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks whose entry methods a search matches (also nested ones), by their begins, and how they spread over the run.
#pragma once

#include "analysis/results/results.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

struct FindHit {
    TimeNs begin = 0;
    TaskId task;
    friend bool operator==(const FindHit&, const FindHit&) = default;
};

struct FindHits {
    std::vector<FindHit> hits;            // by begin, then processor
    std::vector<std::int64_t> histogram;  // hits in each of equal parts of the run
    std::int64_t count = 0;               // of all hits, also of those that are not kept
};

// Reads every task of the trace. At most 8 million hits are kept. Errors: a damaged chunk, cancelled.
struct FindQuestion {
    using Answer = FindHits;
    static constexpr const char* id = "hits of Find";

    std::vector<bool> matching{};  // by entry id
    std::size_t bins = 0;          // of the histogram

    Result<std::shared_ptr<const FindHits>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const FindHits& found);
    friend bool operator==(const FindQuestion&, const FindQuestion&) = default;
};

// The index of the hit after (or before) `from`, which need not be a hit; after the last one comes the first. `hits` is
// not empty.
std::size_t nextHit(const std::vector<FindHit>& hits, const FindHit& from, bool forward);

}  // namespace longpole
