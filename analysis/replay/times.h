// SPDX-License-Identifier: GPL-3.0-or-later
// How long tasks take in a replay, and when in them messages leave: as recorded, or with entry methods' own time
// scaled, single tasks shortened and processors' work balanced.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/nestedparts.h"
#include "analysis/replay/replay.h"
#include "analysis/whatif/zeroing.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace longpole {

constexpr double largestFactor = 1e6;  // of ReplayQuestion::factors

class ReplayTimes {
public:
    // Errors: a factor below zero, or so large that times overflow.
    static Result<ReplayTimes> of(const ActivityGraph& graph, const ReplayQuestion& question);

    bool areRecorded() const { return m_ofEntry.empty() && m_balance.empty() && m_left.empty(); }

    // The first `offset` ns of a task; offset at most its duration, what lies beyond is kept. Rounded to whole ns.
    // O(1), O(log n) with executions nested in it.
    TimeNs part(std::uint32_t task, TimeNs offset) const { return areRecorded() ? offset : scaled(task, offset); }
    TimeNs length(std::uint32_t task) const { return part(task, m_graph->duration[task]); }

private:
    explicit ReplayTimes(const ActivityGraph& graph) : m_graph(&graph) {}
    TimeNs scaled(std::uint32_t task, TimeNs offset) const;
    auto adding() const
    {
        return [this](double& sum, std::uint32_t entry, TimeNs time) {
            sum += static_cast<double>(time) * factorOf(entry);
        };
    }
    double balanceOf(std::uint32_t task) const;
    double factorOf(std::uint32_t entry) const { return entry < m_ofEntry.size() ? m_ofEntry[entry] : 1; }

    const ActivityGraph* m_graph;
    std::optional<PrefixSums<double>> m_prefixes;  // none: as recorded
    std::vector<double> m_ofEntry;                 // empty: no factors
    std::vector<double> m_balance;                 // of a processor in a part of the run; empty: no balance
    std::size_t m_parts = 1;
    std::unordered_map<std::uint32_t, double> m_left;  // of tasks that take less: the share of their time
};

}  // namespace longpole
