// Branch C of the decision tree (Sinha and Kale, section 5.2): how the program shares information, from its own user
// stats named shared/<kind>/<operation>/<variable> (ALGORITHMS 5), and branch H, what of its work was speculative.
#pragma once

#include "analysis/evidence.h"
#include "analysis/thresholds.h"
#include "core/ids.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/tracestore.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

enum class SharedKind : std::uint8_t { Table, ReadOnly, WriteOnce, Accumulator, Monotonic };
const char* name(SharedKind kind);  // "table", "readonly", "writeonce", "accumulator", "monotonic"

struct SharedVariable {
    QString name{};
    SharedKind kind = SharedKind::Table;
    std::int64_t inserts = 0, finds = 0, deletes = 0, reads = 0, updates = 0;
    std::vector<std::int64_t> homes{};     // keys by home PE (tables)
    std::vector<std::int64_t> accesses{};  // by the PE that made them
};

// One of the paper's six concerns about one variable (or about none of its kind).
struct SharedConcern {
    QString id{};        // "key_distribution", "frequent_access", "rare_reads", "update_rate", "found_once", "speculative"
    QString variable{};  // empty: no variable of that kind
    QString metric{};    // "largest share of keys / mean"
    double value = 0;
    double threshold = 0;
    bool fired = false;
    bool isJudged = true;     // false: `text` says which stats are missing
    TimeNs severity = 0;      // PE-time it cost, as far as that can be said
    QString text{};           // what was seen, and the advice
    std::vector<Evidence> evidence{};
};

// Over equal parts of the run: the work between an accepted better value and its delivery at the PE that did it.
struct SpeculativeSeries {
    QString variable{};
    std::vector<TimeNs> edges{};
    std::vector<TimeNs> speculative{};     // sum over PEs
    std::vector<TimeNs> user{};
    struct Update { TimeNs time; ProcessorId pe; double value; bool accepted; };
    std::vector<Update> updates{};         // by time
    TimeNs total = 0;
};

struct SharedAccess {
    bool isRecorded = false;               // any shared/... stat at all
    std::vector<SharedVariable> variables{};
    std::vector<SharedConcern> concerns{}; // the six, in the paper's order; several of one id if several variables
    std::vector<SpeculativeSeries> speculative{};
    std::vector<Issue> issues{};           // stats whose names or values do not fit the convention
};

// O(counter samples + tasks). Errors: damaged chunks, cancelled.
Result<SharedAccess> sharedAccess(const TraceStore& store, const Thresholds& thresholds, const Progress& progress);

}  // namespace longpole
