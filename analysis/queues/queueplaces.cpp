// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/queueplaces.h"

#include <algorithm>

namespace longpole {

QueuePlaces::QueuePlaces(const ProcessorRecord& record)
    : m_record(record), m_stepOf(record.size()), m_stepEnd(record.size()), m_settled(record.size())
{
    for (std::size_t k = 0; k < record.size(); ++k)
        m_stepOf[k] = k > 0 && record.is(k, ProcessorRecord::Glued) ? m_stepOf[k - 1] : static_cast<std::uint32_t>(k);
    for (std::size_t k = record.size(); k-- > 0;) {
        const bool isLast = k + 1 == record.size() || m_stepOf[k + 1] != m_stepOf[k];
        m_stepEnd[k] = isLast ? record.end[k] : m_stepEnd[k + 1];
        const bool goesOn = k + 1 < record.size() && (!isLast || record.is(k + 1, ProcessorRecord::Expedited));
        m_settled[k] = goesOn ? m_settled[k + 1] : m_stepEnd[k];
    }
}

std::size_t QueuePlaces::begunBefore(TimeNs time, std::size_t k) const
{
    std::size_t step = 1;
    std::size_t low = k;
    while (low > 0 && m_record.begin[low - 1] >= time) {
        low -= std::min(low, step);
        step *= 2;
    }
    const auto first = m_record.begin.begin();
    return static_cast<std::size_t>(std::lower_bound(first + static_cast<std::ptrdiff_t>(low),
                                                     first + static_cast<std::ptrdiff_t>(k), time)
                                    - first);
}

}  // namespace longpole
