// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of 16, 256, 4,096 ... processors that follow each other by number: of each a trace of many processors has the
// sums, so that all of a run is drawn without reading what each did.
#pragma once

#include "core/base/ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace longpole {

constexpr std::size_t blockMembers = 16;      // processors of the smallest blocks, and blocks of the next larger ones
constexpr std::size_t fewestForBlocks = 512;  // fewer processors are soon added up
constexpr int mostBlockSizes = 7;             // 16^7 processors are more than there can be

// The number-th of all blocks of its size, of processors by their places in the order of their numbers.
struct ProcessorBlock {
    int size = 0;  // 0: the smallest
    std::uint32_t number = 0;

    constexpr std::size_t length() const { return std::size_t{1} << 4 * (size + 1); }
    constexpr std::size_t first() const { return number * length(); }
    // The last block of a size may have fewer.
    constexpr std::size_t end(std::size_t processors) const { return std::min(first() + length(), processors); }
    friend bool operator==(const ProcessorBlock&, const ProcessorBlock&) = default;
};
static_assert(ProcessorBlock{}.length() == blockMembers);

// How many sizes of blocks a trace of so many processors has: all of which there are two blocks at least.
constexpr int blockSizes(std::size_t processors)
{
    int sizes = 0;
    if (processors >= fewestForBlocks)
        while (sizes < mostBlockSizes && ProcessorBlock{sizes}.length() < processors) ++sizes;
    return sizes;
}

// The track of a block's tiles, which no row of the timeline has.
constexpr std::uint32_t firstBlockTrack = 0x80000000u;
constexpr TrackId trackOf(ProcessorBlock block)
{
    return TrackId{firstBlockTrack + (static_cast<std::uint32_t>(block.size) << 24) + block.number};
}
// None: no trace of so many processors has that block.
constexpr std::optional<ProcessorBlock> blockOf(TrackId track, std::size_t processors)
{
    if (index(track) < firstBlockTrack) return {};
    const std::uint32_t place = index(track) - firstBlockTrack;
    const ProcessorBlock block{static_cast<int>(place >> 24), place & 0xffffffu};
    if (block.size >= blockSizes(processors) || block.first() >= processors) return {};
    return block;
}

}  // namespace longpole
