// SPDX-License-Identifier: GPL-3.0-or-later
// All values of one quantity - durations of tasks, sizes of messages, lengths of idling, waiting times - by entry
// method: what histograms, percentiles and clusters of durations are made of.
#pragma once

#include "analysis/base/valuecounts.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <optional>
#include <span>
#include <vector>

namespace longpole {

enum class DistributedQuantity : std::uint8_t {
    TaskDuration,  // ns a task ran itself, without what ran nested in it (grain size); sums to the busy time
    MessageSize,   // bytes of each creation (a broadcast counts once); entry: the one it is sent to
    IdleLength,    // ns; without entry method
    Latency,    // ns from a message's sending to each delivery: the begin of its execution, of MPI its receipt; below
                // 0 where clocks disagree
    QueueWait,  // ns from its arrival to there; arrivals the log does not have are estimated
                // (docs/definitions.md, "Receive time")
};
const char* name(DistributedQuantity quantity);  // "task-duration", as options call it
std::optional<DistributedQuantity> quantityOf(const QString& wanted);
bool isTime(DistributedQuantity quantity);  // else bytes
// Those that a run has. Ranks have no queues.
std::vector<DistributedQuantity> quantitiesOf(const TraceInfo& info);

struct DistributionRequest {
    DistributedQuantity of = DistributedQuantity::TaskDuration;
    TimeRange range{};                    // what begins (is sent) in it; empty: all of the logs
    std::vector<ProcessorId> pes{};       // empty: all
    std::vector<EntryId> entries{};       // empty: all; of idling there are none
    std::size_t mostValues = 12'000'000;  // different ones that are kept exactly, 16 bytes each
    friend bool operator==(const DistributionRequest&, const DistributionRequest&) = default;
};

struct EntryDistribution {
    EntryId entry = noEntry;
    std::vector<ValueCount> values;  // by value
    std::int64_t count = 0;
    std::int64_t sum = 0;        // exact also where values are rounded; saturates
    std::int64_t estimated = 0;  // of count: values that rest on an estimate
};

struct Distribution {
    DistributedQuantity of = DistributedQuantity::TaskDuration;
    std::vector<EntryDistribution> entries;  // largest sum first, then by id; none without values
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::int64_t estimated = 0;
    bool isRounded = false;  // there were too many different values: they are rounded as roundedValue() says
};

// O(rows), decodes only the columns it needs, on all threads. Memory: 16 bytes per different value of an entry method.
// Errors: damaged chunks; cancelled.
Result<Distribution> distribution(const TraceStore& store, const DistributionRequest& request,
                                  const Progress& progress);

// Of all entry methods together, by value.
std::vector<ValueCount> allValues(const Distribution& distribution);

}  // namespace longpole
