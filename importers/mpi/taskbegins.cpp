// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpi/taskbegins.h"

#include <algorithm>
#include <bit>

namespace longpole {

void TaskBegins::add(std::uint32_t row, TimeNs begin)
{
    if (m_words.empty()) m_firstWord = row / 64;
    const std::size_t word = row / 64 - m_firstWord;
    while (m_words.size() <= word) m_words.push_back({0, static_cast<std::uint32_t>(m_begins.size())});
    const std::uint64_t bit = std::uint64_t{1} << (row % 64);
    if ((m_words[word].bits & bit) != 0) return;
    m_words[word].bits |= bit;
    m_begins.push_back(begin);
}

void TaskBegins::clear()
{
    m_words.clear();
    m_begins.clear();
}

TimeNs TaskBegins::at(std::uint32_t row) const
{
    const Word& word = m_words[row / 64 - m_firstWord];
    const std::uint64_t below = word.bits & ((std::uint64_t{1} << (row % 64)) - 1);
    return m_begins[word.before + static_cast<std::uint32_t>(std::popcount(below))];
}

std::uint32_t TaskBegins::lastBefore(TimeNs time) const
{
    const auto next = std::upper_bound(m_begins.begin(), m_begins.end(), time);
    return static_cast<std::uint32_t>(next - m_begins.begin()) - 1;  // noPiece if no task begins that early
}

std::uint32_t TaskBegins::firstFrom(TimeNs time) const
{
    const auto first = std::lower_bound(m_begins.begin(), m_begins.end(), time);
    return first == m_begins.end() ? noPiece : static_cast<std::uint32_t>(first - m_begins.begin());
}

}  // namespace longpole
