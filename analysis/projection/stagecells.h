// SPDX-License-Identifier: GPL-3.0-or-later
// Quantities per stage and processor, exact, from the event chunks.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "analysis/projection/stagequantity.h"
#include "analysis/projection/stages.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// Cells: [pe][stage]. Stage: all PEs added up, one row. Processor: all stages added up, one column.
enum class StageAxis : std::uint8_t { Cells, Stage, Processor };

struct StageRequest {
    std::vector<Measure> measures;
    Stages stages;
    std::vector<ProcessorId> pes{};  // empty: all that are no comm threads
    StageAxis axis = StageAxis::Cells;
    std::shared_ptr<const CriticalPath> path{};  // for StageQuantity::CriticalPath; without it that is 0
    // Of executions, only those whose own (exclusive) time lies in it: user time, tasks, messages processed, latencies
    // and waits. What is idle, lost or created is counted whole.
    std::optional<TimeRange> grain{};
};

// What a request asks for, as far as it is filled. Filled by one call of fill(); others may look at the rows that are
// there meanwhile.
class StageCells {
public:
    // Allocates rows x columns x measures x 8 bytes. Errors: more than the memory that is allowed (`mostBytes`); a PE
    // that the trace does not have; no stages.
    static Result<std::shared_ptr<StageCells>> prepare(const TraceStore& store, StageRequest request,
                                                       std::int64_t mostBytes = std::int64_t{1} << 30);

    const StageRequest& request() const { return m_request; }  // with all PEs named
    std::size_t rows() const { return m_rows; }                // PEs, or 1 on axis Stage
    std::size_t columns() const { return m_columns; }          // stages, or 1 on axis Processor
    std::size_t measures() const { return m_request.measures.size(); }
    // One row of a measure; reals only where isReal(quantity).
    std::span<const std::int64_t> counts(std::size_t measure, std::size_t row) const;
    std::span<const double> reals(std::size_t measure, std::size_t row) const;
    double value(std::size_t measure, std::size_t row, std::size_t column) const;
    // Whether a PE was counted. Acquire: what was counted for it is then visible (axis Cells and Processor). With
    // SentInNode, which other PEs add to, all are there at the end.
    bool isThere(std::size_t pe) const { return m_there[pe].load(std::memory_order_acquire) != 0; }
    // Whether a PE has no log: nothing is known of it, which is not nothing.
    bool isLost(std::size_t pe) const { return m_lost[pe] != 0; }
    // Unknown receive times were estimated for Waiting, QueueWait.
    bool isEstimated() const { return m_estimated.load(std::memory_order_relaxed); }

private:
    friend class StageFiller;
    friend class StageTiles;
    StageCells() = default;
    StageRequest m_request;
    std::size_t m_rows = 0, m_columns = 0;
    std::vector<std::vector<std::int64_t>> m_counts;  // by measure
    std::vector<std::vector<double>> m_reals;
    std::vector<std::atomic<std::uint8_t>> m_there;  // by PE
    std::vector<std::uint8_t> m_lost;                // the same
    std::atomic<bool> m_estimated{false};
};

// By PE: whether it has no log.
std::vector<std::uint8_t> lostAmong(const TraceStore& store, std::span<const ProcessorId> pes);

// Counts all PEs, spread ones first (every 64th, then those between), several at a time. O(rows of the chunks in the
// stages' time). Errors: damaged chunks; cancelled.
Result<> fill(StageCells& cells, const TraceStore& store, const Progress& progress);

// prepare and fill.
Result<std::shared_ptr<const StageCells>> stageCells(const TraceStore& store, StageRequest request,
                                                     const Progress& progress);

}  // namespace longpole
