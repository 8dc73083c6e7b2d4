// SPDX-License-Identifier: GPL-3.0-or-later
// Adds up the few pieces of a short interval; for a long one takes differences of running sums, and adds up the pieces
// at both ends.
#include "analysis/mpi/activitytimes.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

constexpr std::size_t piecesOfBlock = 256;
constexpr TimeNs tooLong = std::numeric_limits<std::uint32_t>::max();

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
    range.begin = std::max(range.begin, m_end);
    if (range.isEmpty()) return;
    const bool isFull = m_blocks.empty() || m_pieces.size() - m_blocks.back().first == piecesOfBlock
                        || saturatingSubtract(range.begin, m_blocks.back().begin) >= tooLong;
    if (isFull) m_blocks.push_back({range.begin, m_pieces.size()});
    if (range.length() >= tooLong) m_long.push_back({m_pieces.size(), range.length()});
    m_pieces.push_back({static_cast<std::uint32_t>(range.begin - m_blocks.back().begin),
                        static_cast<std::uint32_t>(std::min(range.length(), tooLong)), code});
    m_end = range.end;
}

TimeNs ActivityTimes::lengthOf(std::size_t piece) const
{
    if (m_pieces[piece].length != tooLong) return m_pieces[piece].length;
    const auto found = std::lower_bound(m_long.begin(), m_long.end(), piece,
                                        [](const LongPiece& one, std::size_t wanted) { return one.piece < wanted; });
    return found->length;
}

TimeRange ActivityTimes::rangeOf(const Block& block, std::size_t piece) const
{
    const TimeNs begin = block.begin + m_pieces[piece].begin;
    return {begin, saturatingAdd(begin, lengthOf(piece))};
}

std::size_t ActivityTimes::endOf(std::size_t block) const
{
    return block + 1 < m_blocks.size() ? m_blocks[block + 1].first : m_pieces.size();
}

void ActivityTimes::close()
{
    m_pieces.shrink_to_fit();
    for (const Piece& piece : m_pieces)
        if (m_codes.empty() || m_codes.back() != piece.code) {
            const auto place = std::lower_bound(m_codes.begin(), m_codes.end(), piece.code);
            if (place == m_codes.end() || *place != piece.code) m_codes.insert(place, piece.code);
        }
    constexpr std::size_t piecesPerSum = 16;  // half a byte for each piece
    m_stride = std::max(piecesOfBlock, piecesPerSum * m_codes.size());
    std::vector<TimeNs> sums(m_codes.size(), 0);
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        if (i % m_stride == 0) m_sums.insert(m_sums.end(), sums.begin(), sums.end());
        Piece& piece = m_pieces[i];
        piece.code = static_cast<std::uint32_t>(std::lower_bound(m_codes.begin(), m_codes.end(), piece.code)
                                                - m_codes.begin());
        sums[piece.code] = saturatingAdd(sums[piece.code], lengthOf(i));
    }
}

// The first piece of the block before `behind`, or of that one, which is not `isBefore`.
template <typename IsBefore>
std::size_t ActivityTimes::inBlock(std::vector<Block>::const_iterator behind, const IsBefore& isBefore) const
{
    if (behind == m_blocks.begin()) return 0;
    const auto number = static_cast<std::size_t>(behind - m_blocks.begin()) - 1;
    std::size_t first = m_blocks[number].first;
    for (std::size_t count = endOf(number) - first; count > 0;) {
        const std::size_t half = count / 2;
        if (isBefore(rangeOf(m_blocks[number], first + half))) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

std::size_t ActivityTimes::firstEndingAfter(TimeNs time) const
{
    const auto behind = std::upper_bound(m_blocks.begin(), m_blocks.end(), time,
                                         [](TimeNs limit, const Block& block) { return limit < block.begin; });
    return inBlock(behind, [time](TimeRange range) { return range.end <= time; });
}

std::size_t ActivityTimes::firstBeginningFrom(TimeNs time) const
{
    const auto behind = std::lower_bound(m_blocks.begin(), m_blocks.end(), time,
                                         [](const Block& block, TimeNs limit) { return block.begin < limit; });
    return inBlock(behind, [time](TimeRange range) { return range.begin < time; });
}

// Calls take(place of its code, time in the range) for each of these pieces.
template <typename Take>
void ActivityTimes::eachPiece(std::size_t first, std::size_t last, TimeRange range, const Take& take) const
{
    auto block = std::upper_bound(m_blocks.begin(), m_blocks.end(), first,
                                  [](std::size_t piece, const Block& one) { return piece < one.first; });
    for (std::size_t i = first; i < last; ++i) {
        if (block != m_blocks.end() && i == block->first) ++block;
        take(m_pieces[i].code, overlap(rangeOf(*std::prev(block), i), range));
    }
}

void ActivityTimes::times(TimeRange range, std::vector<CodeTime>& into) const
{
    into.clear();
    if (range.isEmpty() || m_pieces.empty()) return;
    const std::size_t first = firstEndingAfter(range.begin);
    const std::size_t last = std::max(first, firstBeginningFrom(range.end));
    constexpr std::size_t few = 64;
    if (last - first <= few) {
        eachPiece(first, last, range, [&](std::uint32_t code, TimeNs time) { into.push_back({m_codes[code], time}); });
        merge(into);
        return;
    }
    std::vector<TimeNs> sums(m_codes.size(), 0);
    const auto add = [&](std::uint32_t code, TimeNs time) { sums[code] += time; };
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
    for (std::size_t code = 0; code < sums.size(); ++code)
        if (sums[code] > 0) into.push_back({m_codes[code], sums[code]});
}

}  // namespace longpole
