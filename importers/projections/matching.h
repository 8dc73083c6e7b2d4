// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the creation of every execution by (creating PE, event), repairs array broadcasts with a wrong key, tells what
// has the key of another entry method's message, and finds both ends of recorded merge edges.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "importers/common/importlog.h"
#include "importers/common/merges.h"
#include "importers/common/nesting.h"
#include "importers/common/rowsink.h"
#include "importers/projections/creations.h"
#include "importers/projections/executions.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// A creation of an array broadcast, found by event and entry when an execution's key is wrong.
struct BroadcastCreation {
    std::uint32_t event = 0;
    std::uint32_t entry = 0;
    std::uint32_t source = 0;  // number of its log
    std::uint32_t position = 0;
    TimeNs sent = 0;
    friend auto operator<=>(const BroadcastCreation&, const BroadcastCreation&) = default;
};

// Counts the executions of creations. Any number of threads at once.
class ExecutionTally {
public:
    virtual ~ExecutionTally() = default;
    virtual void add(std::uint32_t source, std::uint32_t position) = 0;
};

class Matching {
public:
    // `pes`: the PE of each log of the run, ascending; `broadcasts` in any order: of all logs, or those that have an
    // event and entry method of some execution that is to be matched; `merges` of all logs, in any order. Once it is
    // cancelled, nothing can be matched.
    Matching(std::span<const std::uint32_t> pes, std::vector<BroadcastCreation> broadcasts,
             std::vector<RecordedMerge> merges, const Spill& executionSpill, std::int64_t processors,
             ExecutionTally& tally, const Progress& progress = Progress());

    // Emits a TaskSource row per execution of a log, a Merge row per recorded edge into one, and the latencies seen
    // there. Different logs may be matched by different threads at once, each with its own view of the creations.
    // Once cancelled it emits no more.
    void match(std::uint32_t destination, const Executions& executions, CreationLookup& creations, RowSink& sink,
               ImportLog& log, const Progress& progress = {});

    // The merges as they are matched: each once, sorted; and, by the same number, 1 for those that were found so far.
    std::span<const RecordedMerge> merges() const { return m_merges; }
    std::span<std::uint8_t> mergesFound() { return m_isMergeFound; }
    // After all were matched: the merge edges that belong to no execution, or whose message is in no log.
    void reportUnmatchedMerges(ImportLog& log) const;

private:
    struct Found {
        std::uint32_t source = 0;
        std::uint32_t position = 0;
        Creation creation;
        Link link = Link::Message;
    };
    struct Latency {
        TimeNs least = maxTime;  // over executions whose entry is that of their creation
        TimeNs leastOfOthers = maxTime;
        std::int64_t messages = 0;
    };
    struct Destination;

    std::optional<std::uint32_t> logOf(std::int64_t pe) const;
    std::optional<Found> find(const PendingExecution& execution, Destination& to);
    std::optional<Found> repair(const PendingExecution& execution, Destination& to) const;
    void orderBySend(const Progress& progress);
    const BroadcastCreation* broadcastBefore(const PendingExecution& execution) const;
    const BroadcastCreation* firstBroadcast(const PendingExecution& execution) const;
    void emitBlock(const PendingExecution& execution, Destination& to);
    void emitFound(const PendingExecution& execution, const Found& found, Destination& to);
    void emitMerges(const PendingExecution& execution, const std::optional<Found>& found, Destination& to);
    void emitLatencies(Destination& to);

    std::span<const std::uint32_t> m_pes;
    std::vector<BroadcastCreation> m_broadcasts;
    std::vector<std::uint32_t> m_bySend;       // numbers of broadcasts
    std::vector<std::uint32_t> m_runs;         // where in m_bySend the run of one log's begins
    std::vector<RecordedMerge> m_merges;       // sorted
    std::vector<std::uint8_t> m_isMergeFound;  // by the same number, set by any thread
    std::atomic<std::int64_t> m_mergesLeft;    // executions that merges may still lead into
    const Spill& m_executionSpill;
    std::int64_t m_processors;
    ExecutionTally& m_tally;
};

// The number of a PE's log, if it has one. `pes`: as above.
std::optional<std::uint32_t> logOfProcessor(std::span<const std::uint32_t> pes, std::int64_t pe);

// How an execution of this entry method depends on the creation that has its key (docs/formats/projections.md).
Link linkOf(const Creation& creation, std::uint32_t entry);

}  // namespace longpole
