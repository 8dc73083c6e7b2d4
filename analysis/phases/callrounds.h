// SPDX-License-Identifier: GPL-3.0-or-later
// Iterations of an MPI program as its ranks go through them: a place in the source to which each rank that comes there
// comes equally often, from elsewhere or to call MPI. The path alone miscounts them: its code has the names of calls,
// which are the same in all loops.
#pragma once

#include "analysis/phases/pathphases.h"
#include "analysis/phases/placeentries.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace longpole {

constexpr std::uint32_t anyCall = std::numeric_limits<std::uint32_t>::max();

// The calls of one name from one place, on all ranks that make them; or, with anyCall, the visits of a place from which
// functions are called that call MPI (PlaceEntries), of those that begin with a call from `entry`: what is gone through
// but differs each time is no loop. Ordered by path, call and entry.
struct CallPlace {
    std::uint32_t path = noCallPath;
    std::uint32_t call = 0;            // a region, or anyCall
    std::uint32_t entry = noCallPath;  // of visits
    std::int64_t count = 0;            // of calls or visits on one rank, the largest
    bool isEven = true;                // as many on each rank that has any
    TimeNs first = maxTime;            // begin of the first call
    TimeNs last = minTime;             // end of the last one
    TimeNs time = 0;  // of all calls, not of visits: in them and since the rank's calls before them; not negative
};

// Those of the store's own ranks whose calls begin in the range; empty: in the whole run. O(calls). Errors: damaged
// chunks, cancelled.
Result<std::vector<CallPlace>> callPlaces(const TraceStore& store, TimeRange range, const Progress& progress);
// As if the ranks of both were one store's.
std::vector<CallPlace> joined(const std::vector<CallPlace>& a, const std::vector<CallPlace>& b);

// A loop: even places with equal counts whose times hang together. Marked by the place that comes first: by a call, if
// it comes as often as what is around it, else by the outermost place.
struct LoopCandidate {
    std::uint32_t path = noCallPath;
    std::uint32_t call = 0;            // or anyCall
    std::uint32_t entry = noCallPath;  // of visits
    std::int64_t count = 0;
    TimeNs begin = 0, end = 0;  // of all its places
    TimeNs markBegin = 0, markEnd = 0;
};
// What may be the program's outermost loop: of at least three iterations. A call's time is that of the loop of fewest
// iterations that it is in. A loop has at least a hundredth of all time, so there are at most a hundred; and of the
// time of loops of as many iterations or more that go on meanwhile, its own included, as many hundredths as the largest
// of these has more iterations, up to ten: what is done now and then is no loop, nor is what is done instead of
// something else. `base` has most time, its own and that of loops within it; `loops`: those with less than twice as
// many iterations, those of the fewest first.
struct LoopCandidates {
    LoopCandidate base;
    std::vector<LoopCandidate> loops;
};
std::optional<LoopCandidates> loopCandidates(const std::vector<CallPlace>& places, const PlaceEntries& entries);
// By candidate how many of the base's marks lie outside of its time, on the rank that has most there. O(calls). Errors
// as above.
Result<std::vector<std::int64_t>> callsOutside(const TraceStore& store, TimeRange range,
                                               const LoopCandidates& candidates, const Progress& progress);

// The call or visit that begins the iterations of a loop, or ends them, and the time of the loop.
struct CallLoop {
    std::uint32_t path = noCallPath;
    std::uint32_t call = 0;            // or anyCall
    std::uint32_t entry = noCallPath;  // of visits
    std::int64_t count = 0;
    TimeRange range{};
    bool isMarkLast = false;  // the loop begins before the first such call, and nothing of it follows the last one
};
// The candidate of the fewest iterations that leaves no more than one and a half of them outside; or, where another
// goes on beside it that has less than one and a half times as many, that one: an iteration does not come everywhere.
std::optional<CallLoop> outermostLoop(const std::vector<CallPlace>& places, const LoopCandidates& candidates,
                                      const std::vector<std::int64_t>& outside);

// When the k-th such call begins on the first of the store's own ranks, of as many as one of them has. O(calls). Errors
// as above.
Result<std::vector<TimeNs>> loopMarks(const TraceStore& store, TimeRange range, const CallLoop& loop,
                                      const Progress& progress);
// As if the ranks of both were one store's.
std::vector<TimeNs> firstOfBoth(const std::vector<TimeNs>& a, const std::vector<TimeNs>& b);
// Gives the rounds to the phases that lie in the loop.
void setLoop(PathPhases& phases, const CallLoop& loop, const std::vector<TimeNs>& marks);

// The program's outermost loop; none of a store that lacks call paths. Of a store that keeps parts of the calls only,
// the stored one of the whole run. Errors as above; there is none for a part of the run in such a store; damaged.
Result<std::optional<CallLoop>> programLoop(const TraceStore& store, TimeRange range, const Progress& progress);
// All of it: gives the rounds of that loop to the phases.
Result<> findCallRounds(const TraceStore& store, TimeRange range, PathPhases& phases, const Progress& progress);

}  // namespace longpole
