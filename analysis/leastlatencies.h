// The least latency seen from each PE to one PE, which stands for what a log does not have: the receive time.
#pragma once

#include "core/ids.h"
#include "core/timerange.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace longpole {

// Remembers the last answer: neighbours often have the same sender.
class LeastLatencies {
public:
    explicit LeastLatencies(std::vector<std::pair<ProcessorId, TimeNs>> bySource) : m_bySource(std::move(bySource)) {}

    TimeNs operator()(std::int64_t pe)
    {
        if (pe == m_lastPe) return m_last;
        const auto isBefore = [](const auto& known, std::int64_t wanted) { return index(known.first) < wanted; };
        const auto it = std::lower_bound(m_bySource.begin(), m_bySource.end(), pe, isBefore);
        m_lastPe = pe;
        m_last = it != m_bySource.end() && index(it->first) == pe ? it->second : 0;
        return m_last;
    }

private:
    std::vector<std::pair<ProcessorId, TimeNs>> m_bySource;
    std::int64_t m_lastPe = -1;
    TimeNs m_last = 0;
};

}  // namespace longpole
