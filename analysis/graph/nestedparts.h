// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks in which many executions are nested, cut once where another execution becomes the innermost: what is asked of
// each message out of such a task is looked up, where attribution.h goes through all that is nested in it.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/attribution.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

class NestedParts {
public:
    struct Part {
        TimeNs begin;
        std::uint32_t entry;  // of the innermost execution until the next part begins; the last part has no end
    };

    // O(nested pieces).
    explicit NestedParts(const ActivityGraph& graph);

    // The entry method of the innermost execution. O(log n), O(pieces) where few are nested in the task.
    std::uint32_t entryAt(std::uint32_t task, TimeNs time) const;

private:
    template <typename Sum>
    friend class PrefixSums;

    // The place of a task among those that are cut; their count if it is none of them.
    std::size_t placeOf(std::uint32_t task) const;
    std::span<const Part> at(std::size_t place) const
    {
        return std::span(m_parts).subspan(m_first[place], m_first[place + 1] - m_first[place]);
    }
    static std::size_t partAt(std::span<const Part> parts, TimeNs time);

    const ActivityGraph* m_graph;
    std::vector<std::uint32_t> m_tasks;  // that are cut, in order
    std::vector<std::size_t> m_first;    // of the parts of each, and the end
    std::vector<Part> m_parts;
};

// Sums over the time from a task's begin to any moment in it. add(sum, entry, time) adds the time of an entry method;
// it is called in the order of time.
template <typename Sum>
class PrefixSums {
public:
    template <typename Add>
    PrefixSums(std::shared_ptr<const NestedParts> nested, Add add)
        : m_nested(std::move(nested)), m_sums(m_nested->m_tasks.size())
    {
        for (std::size_t place = 0; place < m_sums.size(); ++place) {
            const std::span<const NestedParts::Part> parts = m_nested->at(place);
            Sum sum{};
            for (std::size_t i = 0; i < parts.size(); ++i) {
                if (i % every == 0) m_sums[place].push_back(sum);
                if (i + 1 < parts.size()) add(sum, parts[i].entry, parts[i + 1].begin - parts[i].begin);
            }
        }
    }

    // O(log n), O(pieces) where few are nested in the task.
    template <typename Add>
    Sum upTo(std::uint32_t task, TimeNs end, Add add) const
    {
        const std::size_t place = m_nested->placeOf(task);
        if (place == m_sums.size()) {
            Sum sum{};
            attributeToInnermost(*m_nested->m_graph, task, end,
                                 [&](std::uint32_t entry, TimeNs time) { add(sum, entry, time); });
            return sum;
        }
        const std::span<const NestedParts::Part> parts = m_nested->at(place);
        const std::size_t last = NestedParts::partAt(parts, end);
        Sum sum = m_sums[place][last / every];
        for (std::size_t i = last - last % every; i < last; ++i)
            add(sum, parts[i].entry, parts[i + 1].begin - parts[i].begin);
        add(sum, parts[last].entry, end - parts[last].begin);
        return sum;
    }

private:
    static constexpr std::size_t every = 64;

    std::shared_ptr<const NestedParts> m_nested;
    std::vector<std::vector<Sum>> m_sums;  // by place: before each 64th part
};

}  // namespace longpole
