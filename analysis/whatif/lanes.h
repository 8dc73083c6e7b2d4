// SPDX-License-Identifier: GPL-3.0-or-later
// The longest paths under many what-if questions at once: one forward pass in which every task carries a lane per
// question (docs/algorithms.md 3). It keeps the choices by which the path of each lane is traced back.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/whatif/laneplan.h"
#include "analysis/whatif/zeroing.h"
#include "core/base/drawnhash.h"
#include "core/base/progress.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

constexpr std::size_t mostLanes = 16;

// The factor by which each lane multiplies an entry method's time: the numerator of the lane's question if that asks
// about the entry method, else its denominator, so that all lengths are whole numbers.
class LaneFactors {
public:
    explicit LaneFactors(std::span<const WhatIf> questions);

    // One factor per lane; 0 in lanes without a question.
    const TimeNs* of(std::uint32_t entry) const
    {
        if (entry < m_rowOf.size()) return m_rows[m_rowOf[entry]].at;
        return m_beyond.empty() ? m_rows[0].at : ofBeyond(entry);
    }
    const TimeNs* ofOthers() const { return m_rows[0].at; }

private:
    struct alignas(64) Row {
        TimeNs at[mostLanes];
    };
    const TimeNs* ofBeyond(std::uint32_t entry) const;

    std::vector<Row> m_rows;                                               // 0: of entries in no question
    std::vector<std::uint32_t> m_rowOf;                                    // by entry
    std::unordered_map<std::uint32_t, std::uint32_t, DrawnHash> m_beyond;  // row by entry: ids too large for a table
};

// Which dependency decided when a task began, as words whose bit k is lane k. A task's message, its merges and its PE's
// order are tried in turn (in mode Elapsed the PE's order before the merges). Each that is later than all before it
// sets its bit, so the last bit that is set tells the one that decided.
struct LanePass {
    std::vector<std::uint16_t> orderWins;        // per task; empty where the PEs' order is no edge
    std::vector<std::uint16_t> mergeWins;        // per merge
    std::array<TimeNs, mostLanes> length{};      // times the lane's denominator; to the last end, in mode Elapsed too
    std::array<std::uint32_t, mostLanes> end{};  // the task there; ties: smallest (pe, index)
    bool isDone = false;                         // false: cancelled
};

// How far all passes of a request together have come.
class PassProgress {
public:
    PassProgress(const Progress& progress, std::uint64_t tasks) : m_progress(progress), m_tasks(tasks) {}

    // Reports that the passes have taken so many more tasks; false if cancelled.
    bool advance(std::uint64_t tasks)
    {
        const std::uint64_t passed = m_passed.fetch_add(tasks) + tasks;
        m_progress.report(static_cast<double>(passed) / static_cast<double>(m_tasks));
        return !m_progress.isCancelled();
    }

private:
    const Progress& m_progress;
    std::uint64_t m_tasks;
    std::atomic<std::uint64_t> m_passed{0};
};

// O(tasks + edges); 2 bytes per task and merge, and 8 bytes per lane of each slot and PE. At most mostLanes questions,
// whose lengths must not overflow.
LanePass lanePass(const ActivityGraph& graph, const WhatIfModel& model, const LanePlan& plan,
                  const LaneFactors& factors, std::size_t questions, PassProgress& progress);

}  // namespace longpole
