// SPDX-License-Identifier: GPL-3.0-or-later
// How often each creation of all logs was executed: a byte for each, and a table of those with many executions.
#pragma once

#include "core/base/drawnhash.h"
#include "importers/common/rowsink.h"
#include "importers/projections/creations.h"
#include "importers/projections/matching.h"

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace longpole {

class ExecutionCounts final : public ExecutionTally {
public:
    // `creations` by log, complete.
    explicit ExecutionCounts(const std::vector<Creations>& creations);

    void add(std::uint32_t source, std::uint32_t position) override;
    // What others have counted, at least one; by one thread, when no other counts.
    void addMany(std::uint32_t source, std::uint32_t position, std::int64_t executions);

    // After all were counted: emits a MessageExecutions row per creation of a log, on its PE's track; returns how many
    // were executed.
    std::int64_t emit(std::uint32_t source, TrackId track, RowSink& sink) const;

private:
    std::vector<std::vector<std::uint8_t>> m_counts;
    std::mutex m_mutex;                                                 // m_many
    std::unordered_map<std::uint64_t, std::int64_t, DrawnHash> m_many;  // executions beyond 255
};

}  // namespace longpole
