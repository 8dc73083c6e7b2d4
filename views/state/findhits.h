// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks whose entry methods a search matches (also nested ones), by their begins, and how they spread over the run.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstdint>
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

// Reads every task of the trace; `matching` is by entry id. At most `most` hits are kept. Errors: a damaged chunk,
// cancelled.
Result<FindHits> findHits(const TraceStore& store, const std::vector<bool>& matching, std::size_t bins,
                          const Progress& progress, std::size_t most = 8'000'000);

// The index of the hit after (or before) `from`, which need not be a hit; after the last one comes the first. `hits` is
// not empty.
std::size_t nextHit(const std::vector<FindHit>& hits, const FindHit& from, bool forward);

}  // namespace longpole
