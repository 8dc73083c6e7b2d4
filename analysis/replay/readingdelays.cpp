// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/readingdelays.h"

namespace longpole {

void ReadingDelays::resize(std::size_t tasks)
{
    m_likely.resize(tasks);
    for (Others& others : m_others) others = {RankedBits(tasks), {}};
}

void ReadingDelays::setDifferent(ArrivalReading reading, std::span<const std::vector<Different>> lists)
{
    Others& others = m_others[static_cast<std::size_t>(reading)];
    for (const std::vector<Different>& list : lists)
        for (const Different& one : list) others.differs.add(one.first);
    others.differs.count();
    others.values.resize(others.differs.members());
    for (const std::vector<Different>& list : lists)
        for (const auto& [task, delay] : list) others.values.set(others.differs.rank(task), delay);
}

void ReadingDelays::setZero(std::uint32_t task)
{
    m_likely.set(task, 0);
    for (Others& others : m_others)
        if (!others.differs.isEmpty() && others.differs.has(task)) others.values.set(others.differs.rank(task), 0);
}

ReadingDelays::Reading ReadingDelays::of(ArrivalReading reading) const
{
    Reading found;
    found.m_likely = &m_likely;
    const Others& others = m_others[static_cast<std::size_t>(reading)];
    if (others.differs.isEmpty()) return found;
    found.m_differs = &others.differs;
    found.m_values = &others.values;
    return found;
}

std::int64_t ReadingDelays::bytes() const
{
    std::int64_t sum = m_likely.bytes();
    for (const Others& others : m_others) sum += others.differs.bytes() + others.values.bytes();
    return sum;
}

}  // namespace longpole
