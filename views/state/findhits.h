// SPDX-License-Identifier: GPL-3.0-or-later
// Executions of the entry methods that a search matches, inner ones too: in order of begin, with their spread over
// time.
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
    std::vector<std::int64_t> histogram;  // all hits, in equal parts of the run
    std::int64_t count = 0;               // all, also those beyond `most`
};

// Looks at every task of the trace. At most `most` hits are kept. Errors: a damaged chunk, cancelled.
Result<FindHits> findHits(const TraceStore& store, const std::vector<bool>& matching, std::size_t bins,
                          const Progress& progress, std::size_t most = 8'000'000);

// The hit after or before a task that begins at `begin`, round the end; `hits` is not empty.
std::size_t nextHit(const std::vector<FindHit>& hits, const FindHit& from, bool forward);

}  // namespace longpole
