// SPDX-License-Identifier: GPL-3.0-or-later
// Adds up the few pieces of a short interval; for a long one takes differences of running sums.
#include "analysis/mpi/activitytimes.h"

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

// Sorts by code and adds up rows of the same code.
void merge(std::vector<CodeTime>& times)
{
    std::sort(times.begin(), times.end(), [](const CodeTime& a, const CodeTime& b) { return a.code < b.code; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (kept > 0 && times[kept - 1].code == times[i].code) times[kept - 1].time += times[i].time;
        else times[kept++] = times[i];
    }
    times.resize(kept);
}

}  // namespace

void ActivityTimes::add(std::uint32_t code, TimeRange range)
{
    if (!m_end.empty()) range.begin = std::max(range.begin, m_end.back());
    if (range.isEmpty()) return;
    m_begin.push_back(range.begin);
    m_end.push_back(range.end);
    m_code.push_back(code);
}

void ActivityTimes::close()
{
    std::vector<std::uint32_t> order(m_code.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return m_code[a] < m_code[b]; });
    m_beginOfCode.reserve(order.size());
    m_sumBefore.reserve(order.size() + 1);
    TimeNs sum = 0;
    for (const std::uint32_t piece : order) {
        if (m_codes.empty() || m_codes.back().code != m_code[piece])
            m_codes.push_back({m_code[piece], m_beginOfCode.size(), m_beginOfCode.size()});
        ++m_codes.back().last;
        m_beginOfCode.push_back(m_begin[piece]);
        m_sumBefore.push_back(sum);
        sum = saturatingAdd(sum, m_end[piece] - m_begin[piece]);
    }
    m_sumBefore.push_back(sum);
}

void ActivityTimes::times(TimeRange range, std::vector<CodeTime>& into) const
{
    into.clear();
    if (range.isEmpty()) return;
    const auto first = std::upper_bound(m_end.begin(), m_end.end(), range.begin) - m_end.begin();
    const auto last = std::lower_bound(m_begin.begin() + first, m_begin.end(), range.end) - m_begin.begin();
    constexpr std::size_t piecesPerCode = 16;  // searching one code's pieces costs as much as adding so many
    if (static_cast<std::size_t>(last - first) <= piecesPerCode * m_codes.size())
        timesByPiece(range, static_cast<std::size_t>(first), static_cast<std::size_t>(last), into);
    else timesByCode(range, into);
}

void ActivityTimes::timesByPiece(TimeRange range, std::size_t first, std::size_t last,
                                 std::vector<CodeTime>& into) const
{
    for (std::size_t i = first; i < last; ++i) into.push_back({m_code[i], overlap({m_begin[i], m_end[i]}, range)});
    merge(into);
}

void ActivityTimes::timesByCode(TimeRange range, std::vector<CodeTime>& into) const
{
    for (const Code& code : m_codes) {
        const TimeNs time = before(code.first, code.last, range.end) - before(code.first, code.last, range.begin);
        if (time > 0) into.push_back({code.code, time});
    }
}

// The running sum at `time`, over the pieces of all codes before this one's and of this one's up to then.
TimeNs ActivityTimes::before(std::size_t first, std::size_t last, TimeNs time) const
{
    const auto begins = m_beginOfCode.begin();
    const auto next = static_cast<std::size_t>(std::lower_bound(begins + static_cast<std::ptrdiff_t>(first),
                                                                begins + static_cast<std::ptrdiff_t>(last), time)
                                               - begins);
    if (next == first) return m_sumBefore[first];
    const TimeNs length = m_sumBefore[next] - m_sumBefore[next - 1];
    return m_sumBefore[next - 1] + std::min(length, saturatingSubtract(time, m_beginOfCode[next - 1]));
}

}  // namespace longpole
