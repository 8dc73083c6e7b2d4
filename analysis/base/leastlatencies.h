// SPDX-License-Identifier: GPL-3.0-or-later
// The least latency seen from each PE to one PE, which stands for what a log does not have: the receive time.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace longpole {

// O(1) where many PEs sent something, or the same one as last time, else O(log n).
class LeastLatencies {
public:
    // Ascending by PE.
    explicit LeastLatencies(std::vector<std::pair<ProcessorId, TimeNs>> bySource) : m_bySource(std::move(bySource))
    {
        constexpr std::size_t mostRoom = 8;  // elements of the array for each known latency
        if (m_bySource.empty() || index(m_bySource.back().first) >= mostRoom * m_bySource.size()) return;
        m_byPe.resize(index(m_bySource.back().first) + std::size_t{1}, 0);
        for (const auto& [pe, least] : m_bySource) m_byPe[index(pe)] = least;
    }

    TimeNs operator()(std::int64_t pe)
    {
        if (!m_byPe.empty()) {
            const bool isKnown = pe >= 0 && pe < static_cast<std::int64_t>(m_byPe.size());
            return isKnown ? m_byPe[static_cast<std::size_t>(pe)] : 0;
        }
        if (pe == m_lastPe) return m_last;
        const auto isBefore = [](const auto& known, std::int64_t wanted) { return index(known.first) < wanted; };
        const auto it = std::lower_bound(m_bySource.begin(), m_bySource.end(), pe, isBefore);
        m_lastPe = pe;
        m_last = it != m_bySource.end() && index(it->first) == pe ? it->second : 0;
        return m_last;
    }

private:
    std::vector<std::pair<ProcessorId, TimeNs>> m_bySource;
    std::vector<TimeNs> m_byPe;  // empty: known for too few PEs to be worth an array
    std::int64_t m_lastPe = -1;
    TimeNs m_last = 0;
};

}  // namespace longpole
