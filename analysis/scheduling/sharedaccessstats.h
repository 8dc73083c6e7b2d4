// SPDX-License-Identifier: GPL-3.0-or-later
// The user stats of a trace that follow the convention shared/<kind>/<operation>/<variable>, variable by variable.
#pragma once

#include "analysis/scheduling/sharedaccess.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

enum class SharedOperation : std::uint8_t { Insert, Find, Delete, Read, Create, Deref, Add, Collect, Update };

struct SharedStatName {
    SharedKind kind = SharedKind::Table;
    SharedOperation operation = SharedOperation::Insert;
    QString variable{};
};

// Whether a stat is meant for us at all: its name begins with "shared/", in whatever case.
bool isSharedStatName(const QString& name);
// Nothing for an unknown kind or operation, an operation that the kind does not have, an empty variable.
std::optional<SharedStatName> parseSharedStatName(const QString& name);

struct SharedSample {
    TimeNs time = 0;
    std::uint32_t pe = 0;
    SharedOperation operation = SharedOperation::Insert;
    double value = 0;
    std::int64_t user = -1;  // home PE of a table's entry, -1 if unknown; 1 or 0 of an update: whether it was accepted
};

// An entry of a distributed table, put together from the stats of its operations.
struct TableEntry {
    double key = 0;
    bool isInserted = false;
    std::uint32_t inserter = 0;  // PE of the first insert
    std::int64_t home = -1;      // -1: not recorded
    std::int64_t finds = 0;
    std::int64_t remoteFinds = 0;  // by PEs other than its home
    std::int64_t finders = 0;      // different PEs
    std::uint32_t finder = 0;      // PE of the first find
};

struct RecordedVariable {
    SharedVariable counts{};
    std::vector<SharedSample> samples{};  // by time, then PE, then as logged; of what does not fit only the rest
    std::vector<TableEntry> entries{};    // of a table, by key
};

struct RecordedVariables {
    std::vector<RecordedVariable> variables{};  // by kind, then name
    std::vector<Issue> issues{};
    bool isRecorded = false;
};

// O(counter samples), threads. Errors: damaged chunks, cancelled.
Result<RecordedVariables> readSharedStats(const TraceStore& store, const Progress& progress);

}  // namespace longpole
