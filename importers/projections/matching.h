// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the creation of every execution by (creating PE, event), repairs array broadcasts with a wrong key, tells what
// has the key of another entry method's message, finds both ends of recorded merge edges, and counts the executions of
// every creation.
#pragma once

#include "core/base/drawnhash.h"
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
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
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

class Matching {
public:
    // `pes`: the PE of each log, ascending; `creations` by log, complete; `broadcasts` and `merges` of all logs, in any
    // order.
    Matching(std::span<const std::uint32_t> pes, const std::vector<Creations>& creations,
             std::vector<BroadcastCreation> broadcasts, std::vector<RecordedMerge> merges, const Spill& creationSpill,
             const Spill& executionSpill, std::int64_t processors);

    // Emits a TaskSource row per execution of a log, a Merge row per recorded edge into one, and the latencies seen
    // there. Different logs may be matched by different threads at once.
    // Once cancelled it emits no more.
    void match(std::uint32_t destination, const Executions& executions, RowSink& sink, ImportLog& log,
               const Progress& progress = {});

    // After all were matched: emits a MessageExecutions row per creation of a log; returns how many were executed.
    std::int64_t countExecutions(std::uint32_t source, RowSink& sink) const;
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
    void orderBySend();
    const BroadcastCreation* broadcastBefore(const PendingExecution& execution) const;
    const BroadcastCreation* firstBroadcast(const PendingExecution& execution) const;
    void count(const Found& found);
    void emitBlock(const PendingExecution& execution, Destination& to);
    void emitFound(const PendingExecution& execution, const Found& found, Destination& to);
    void emitMerges(const PendingExecution& execution, const std::optional<Found>& found, Destination& to);
    void emitLatencies(Destination& to);

    std::span<const std::uint32_t> m_pes;
    const std::vector<Creations>& m_creations;
    std::vector<BroadcastCreation> m_broadcasts;
    std::vector<std::uint32_t> m_bySend;       // numbers of broadcasts
    std::vector<std::uint32_t> m_runs;         // where in m_bySend the run of one log's begins
    std::vector<RecordedMerge> m_merges;       // sorted
    std::vector<std::uint8_t> m_isMergeFound;  // by the same number, set by any thread
    std::atomic<std::int64_t> m_mergesLeft;    // executions that merges may still lead into
    const Spill& m_creationSpill;
    const Spill& m_executionSpill;
    std::int64_t m_processors;
    std::vector<std::vector<std::uint8_t>> m_counts;
    std::mutex m_mutex;                                                 // m_many
    std::unordered_map<std::uint64_t, std::int64_t, DrawnHash> m_many;  // executions beyond 255
};

}  // namespace longpole
