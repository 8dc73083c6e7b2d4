// SPDX-License-Identifier: GPL-3.0-or-later
// Adds up the few pieces of a short interval; for a long one takes differences of running sums, and adds up the pieces
// at both ends.
#include "analysis/mpi/activitytimes.h"

#include "core/base/nearsearch.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t piecesOfBlock = 256;
constexpr std::uint32_t gap = 0;
constexpr std::size_t few = 64;  // pieces that are added up one by one

// Sorts by code and path, and adds up rows of the same.
void merge(std::vector<CodeTime>& times)
{
    const auto key = [](const CodeTime& one) { return std::pair(one.code, one.path); };
    std::sort(times.begin(), times.end(), [&](const CodeTime& a, const CodeTime& b) { return key(a) < key(b); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (kept > 0 && key(times[kept - 1]) == key(times[i])) addSaturating(times[kept - 1].time, times[i].time);
        else times[kept++] = times[i];
    }
    times.resize(kept);
}

}  // namespace

void ActivityTimes::reserve(std::size_t pieces)
{
    m_offsets.reserve(pieces);
    m_low.reserve(pieces);
}

std::uint32_t ActivityTimes::placeOf(std::uint32_t code, std::uint32_t path)
{
    const std::uint64_t key = std::uint64_t{code} << 32 | path;
    const auto [place, isNew] = m_places.try_emplace(key, static_cast<std::uint32_t>(m_codes.size()));
    if (isNew) m_codes.push_back(key);
    return place->second;
}

void ActivityTimes::setCode(std::size_t boundary, std::uint32_t code)
{
    if (code >> 16 != 0 && m_high.empty()) m_high.assign(m_low.size(), 0);
    m_low[boundary] = static_cast<std::uint16_t>(code);
    if (!m_high.empty()) m_high[boundary] = static_cast<std::uint16_t>(code >> 16);
}

void ActivityTimes::addBoundary(TimeNs time, std::uint32_t code)
{
    const bool isFull = m_blocks.empty() || m_offsets.size() - m_blocks.back().first == piecesOfBlock
                        || saturatingSubtract(time, m_blocks.back().begin)
                               > TimeNs{std::numeric_limits<std::uint32_t>::max()};
    if (isFull) m_blocks.push_back({time, m_offsets.size()});
    m_offsets.push_back(static_cast<std::uint32_t>(time - m_blocks.back().begin));
    m_low.push_back(0);
    if (!m_high.empty()) m_high.push_back(0);
    setCode(m_offsets.size() - 1, code);
}

void ActivityTimes::add(std::uint32_t code, TimeRange range, std::uint32_t path)
{
    range.begin = std::max(range.begin, m_end);
    if (range.isEmpty()) return;
    const std::uint32_t place = placeOf(code, path);
    const bool isFirst = m_offsets.empty();
    const bool hasGap = !isFirst && range.begin > m_end;
    if (hasGap) addBoundary(m_end, gap);
    if (isFirst || hasGap || codeAt(m_offsets.size() - 1) != place) addBoundary(range.begin, place);
    m_end = range.end;
}

std::size_t ActivityTimes::endOf(std::size_t block) const
{
    return block + 1 < m_blocks.size() ? m_blocks[block + 1].first : m_offsets.size();
}

void ActivityTimes::close()
{
    if (m_offsets.empty()) return;
    addBoundary(m_end, gap);
    m_offsets.shrink_to_fit();
    m_low.shrink_to_fit();
    std::sort(std::next(m_codes.begin()), m_codes.end());
    std::vector<std::uint32_t> sorted(m_codes.size(), gap);  // by place before
    for (std::uint32_t place = 1; place < m_codes.size(); ++place) sorted[m_places[m_codes[place]]] = place;
    m_places = {};
    for (std::size_t i = 0; i < m_offsets.size(); ++i) setCode(i, sorted[codeAt(i)]);
    constexpr std::size_t piecesPerSum = 16;  // half a byte for each piece
    m_stride = std::max(piecesOfBlock, piecesPerSum * m_codes.size());
    std::vector<TimeNs> sums(m_codes.size(), 0);
    const std::size_t pieces = m_offsets.size() - 1;
    for (std::size_t first = 0; first < pieces; first += m_stride) {
        m_sums.insert(m_sums.end(), sums.begin(), sums.end());
        eachPiece(first, std::min(pieces, first + m_stride), {minTime, maxTime},
                  [&sums](std::uint32_t code, TimeNs time) { sums[code] = saturatingAdd(sums[code], time); });
    }
}

// The last block that begins before that time, else the first one.
std::size_t ActivityTimes::blockBefore(TimeNs time) const
{
    const auto behind = std::lower_bound(m_blocks.begin(), m_blocks.end(), time,
                                         [](const Block& block, TimeNs limit) { return block.begin < limit; });
    return behind == m_blocks.begin() ? 0 : static_cast<std::size_t>(behind - m_blocks.begin()) - 1;
}

// The first boundary at or behind that time; it and `near` belong to that block.
std::size_t ActivityTimes::firstFrom(TimeNs time, std::size_t block, std::size_t near) const
{
    const auto at = [this](std::size_t boundary) { return m_offsets.begin() + static_cast<std::ptrdiff_t>(boundary); };
    const auto found = lowerBoundNear(at(m_blocks[block].first), at(endOf(block)), at(near),
                                      saturatingSubtract(time, m_blocks[block].begin),
                                      [](std::uint32_t offset, TimeNs limit) { return TimeNs{offset} < limit; });
    return static_cast<std::size_t>(found - m_offsets.begin());
}

// Calls take(place of its code, time in the range) for each of these pieces; gaps are none.
template <typename Take>
void ActivityTimes::eachPiece(std::size_t first, std::size_t last, TimeRange range, const Take& take) const
{
    auto block = std::upper_bound(m_blocks.begin(), m_blocks.end(), first,
                                  [](std::size_t boundary, const Block& one) { return boundary < one.first; });
    if (block == m_blocks.begin()) return;
    TimeNs begin = std::prev(block)->begin + m_offsets[first];
    for (std::size_t i = first; i < last; ++i) {
        if (block != m_blocks.end() && i + 1 == block->first) ++block;
        const TimeNs end = std::prev(block)->begin + m_offsets[i + 1];
        const std::uint32_t code = codeAt(i);
        if (code != gap) take(code, overlap({begin, end}, range));
        begin = end;
    }
}

std::pair<std::size_t, std::size_t> ActivityTimes::piecesIn(TimeRange range) const
{
    const TimeNs inside = saturatingAdd(range.begin, 1);
    const std::size_t block = blockBefore(inside);
    const std::size_t behind = firstFrom(inside, block,
                                         m_blocks[block].first + (endOf(block) - m_blocks[block].first) / 2);
    const std::size_t first = behind > 0 ? behind - 1 : 0;
    // Most ranges end in the block in which they begin.
    const bool isShort = block + 1 == m_blocks.size() || range.end <= m_blocks[block + 1].begin;
    const std::size_t lastBlock = isShort ? block : blockBefore(range.end);
    const std::size_t end = firstFrom(range.end, lastBlock, isShort ? behind : m_blocks[lastBlock].first);
    return {first, std::max(first, std::min(end, m_offsets.size() - 1))};
}

std::size_t ActivityTimes::effort(TimeRange range) const
{
    if (range.isEmpty() || m_offsets.empty()) return 0;
    const auto [first, last] = piecesIn(range);
    if (last - first <= few) return last - first;
    constexpr std::size_t piecesPerTime = 16;
    return m_codes.size() + std::min(last - first, 3 * m_stride) / piecesPerTime;
}

void ActivityTimes::times(TimeRange range, std::vector<CodeTime>& into) const
{
    into.clear();
    if (range.isEmpty() || m_offsets.empty()) return;
    const auto [first, last] = piecesIn(range);
    if (last - first <= few) {
        eachPiece(first, last, range, [&](std::uint32_t code, TimeNs time) {
            if (time > 0) into.push_back(timeOf(code, time));
        });
        merge(into);
        return;
    }
    std::vector<TimeNs> sums(m_codes.size(), 0);
    const auto add = [&](std::uint32_t code, TimeNs time) { addSaturating(sums[code], time); };
    const std::size_t sumFrom = (first + m_stride - 1) / m_stride;
    const std::size_t sumTo = (last - 1) / m_stride;
    if (sumFrom < sumTo) {
        // Sums are of whole pieces; the first and the last one may reach out of the range, so sums begin after the
        // first.
        const std::size_t from = sumFrom * m_stride == first ? sumFrom + 1 : sumFrom;
        eachPiece(first, from * m_stride, range, add);
        for (std::size_t code = 0; code < sums.size(); ++code)
            sums[code] += m_sums[sumTo * sums.size() + code] - m_sums[from * sums.size() + code];
        eachPiece(sumTo * m_stride, last, range, add);
    } else {
        eachPiece(first, last, range, add);
    }
    for (std::uint32_t code = 0; code < sums.size(); ++code)
        if (sums[code] > 0) into.push_back(timeOf(code, sums[code]));
}

}  // namespace longpole
