// SPDX-License-Identifier: GPL-3.0-or-later
// Branch C of the decision tree (Sinha and Kale, section 5.2): how the program shares information, from its own user
// stats named shared/<kind>/<operation>/<variable> (docs/algorithms.md 5), and branch H, what of its work was
// speculative.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/base/thresholds.h"
#include "analysis/graph/activitygraph.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

enum class SharedKind : std::uint8_t { Table, ReadOnly, WriteOnce, Accumulator, Monotonic };

// inserts: insert, create; finds: find; reads: read, deref, collect; updates: update, add.
struct SharedVariable {
    QString name{};
    SharedKind kind = SharedKind::Table;
    std::int64_t inserts = 0, finds = 0, deletes = 0, reads = 0, updates = 0;
    std::int64_t accepted = 0;             // of the updates of a monotonic variable
    std::int64_t keys = 0;                 // different ones (tables)
    std::vector<std::int64_t> homes{};     // keys by home PE (tables)
    std::vector<std::int64_t> accesses{};  // all operations by the PE that made them
};

// One of the paper's six concerns about one variable (or about none of its kind).
struct SharedConcern {
    QString id{};        // "key_distribution", "speculative", "frequent_access", "rare_reads", "update_rate",
                         // "found_once"
    QString variable{};  // empty: no variable of that kind
    QString metric{};    // "largest share of keys / mean"
    double value = 0;
    double threshold = 0;
    bool fired = false;
    bool isJudged = true;  // false: `seen` says which stats are missing
    TimeNs severity = 0;   // PE-time it cost, as far as that can be said
    QString seen{};        // what was seen, in a sentence or a few
    QString action{};      // what to do; empty unless fired
    QString text() const { return action.isEmpty() ? seen : seen + QLatin1Char(' ') + action; }
    std::vector<Evidence> evidence{};
};

// What of the work was speculative with respect to a monotonic variable, over equal parts of the run. A value
// counts as delivered at a PE where the first message that carries it begins to execute, or where the program's next
// read or accepted update shows it. Entry methods that carry it are those that follow accepted updates, not rejected.
struct SpeculativeSeries {
    QString variable{};
    std::vector<TimeNs> edges{};
    std::vector<TimeNs> user{};         // work of all PEs
    std::vector<TimeNs> speculative{};  // of that, between an accepted better value and its delivery at the PE
    std::vector<TimeNs> outdated{};     // of that, in executions that had read the value that was surpassed
    struct Update {
        TimeNs time;
        ProcessorId pe;
        double value;
        bool accepted;
    };
    std::vector<Update> updates{};    // by time
    std::vector<Update> best{};       // of those, the ones that made the best value of all PEs better
    std::vector<EntryId> carriers{};  // entry methods that deliver it; empty: any message may
    bool isSmallerBetter = true;      // as the accepted values show
    bool hasReads = false;            // without recorded reads `outdated` equals `speculative`
    TimeNs totalUser = 0, total = 0, totalOutdated = 0;
    std::vector<Evidence> evidence{};  // where most was done before a value came, the worst first
};

struct SharedAccess {
    bool isRecorded = false;                  // any shared/... stat at all
    std::vector<SharedVariable> variables{};  // by kind, then name
    std::vector<SharedConcern> concerns{};    // the six, in the paper's order; several of one id if several variables
    std::vector<SpeculativeSeries> speculative{};
    // Stats that do not fit the convention. Of kind "shared_stat_name" (kind, operation or variable is not known),
    // "shared_stat_left_out" (of more variables than limits::sharedVariables), "shared_stat_key" (no whole number from
    // 0 to 2^53) and "shared_stat_value" (no number) they were left out; of "shared_stat_home" (no processor of the
    // run) the entry's home counts as unknown, and of "shared_stat_accepted" (neither 1 nor 0) the update counts as
    // accepted.
    std::vector<Issue> issues{};
};

// O(counter samples + tasks). Errors: damaged chunks, cancelled.
Result<SharedAccess> sharedAccess(const TraceStore& store, const ActivityGraph& graph, const Thresholds& thresholds,
                                  const Progress& progress);

// Ten lines of Charm++ that record shared variables: what to show where a trace has none.
QString sharedStatExample();

}  // namespace longpole
