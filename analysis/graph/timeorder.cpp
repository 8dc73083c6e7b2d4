// SPDX-License-Identifier: GPL-3.0-or-later
// Merges the begin-ordered tasks of all PEs into one order by time: splitters cut the run into buckets that fit a
// cache, each bucket is radix sorted.
#include "analysis/graph/builder.h"

#include "analysis/base/bigarray.h"
#include "core/base/parallel.h"

#include <algorithm>
#include <array>

namespace longpole {

namespace {

constexpr std::size_t bucketTasks = 8192;
constexpr std::size_t sampleStride = 64;
constexpr int digitBits = 11;
constexpr std::size_t digits = std::size_t{1} << digitBits;

struct Item {
    std::uint64_t key;  // begin - begin of the bucket
    std::uint32_t position;
    std::uint32_t pe;
};

// Begin times that cut the tasks into about `buckets` equal parts; ascending, distinct.
std::vector<TimeNs> chooseSplitters(const TaskColumns& columns, std::size_t buckets)
{
    std::vector<TimeNs> samples;
    samples.reserve(columns.begin.size() / sampleStride + columns.first.size());
    for (std::size_t pe = 0; pe + 1 < columns.first.size(); ++pe)
        for (std::size_t p = columns.first[pe]; p < columns.first[pe + 1]; p += sampleStride)
            samples.push_back(columns.begin[p]);
    std::sort(samples.begin(), samples.end());
    std::vector<TimeNs> splitters;
    for (std::size_t b = 1; b < buckets && !samples.empty(); ++b)
        splitters.push_back(samples[b * samples.size() / buckets]);
    splitters.erase(std::unique(splitters.begin(), splitters.end()), splitters.end());
    return splitters;
}

// Stable least-significant-digit radix sort by key; `keyBits` of the keys are used.
void radixSort(std::vector<Item>& items, std::vector<Item>& scratch, int keyBits)
{
    if (items.size() < 64) {
        std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
        return;
    }
    scratch.resize(items.size());
    std::array<std::uint32_t, digits> place;
    for (int shift = 0; shift < keyBits; shift += digitBits) {
        place.fill(0);
        for (const Item& item : items) ++place[(item.key >> shift) & (digits - 1)];
        std::uint32_t sum = 0;
        for (std::uint32_t& count : place) {
            const std::uint32_t here = count;
            count = sum;
            sum += here;
        }
        for (const Item& item : items) scratch[place[(item.key >> shift) & (digits - 1)]++] = item;
        items.swap(scratch);
    }
}

}  // namespace

TimeOrder timeOrder(const TaskColumns& columns)
{
    const std::size_t size = columns.begin.size();
    const std::size_t pes = columns.first.size() - 1;
    const unsigned threads = size < 200'000 ? 1 : 0;
    TimeOrder result;
    const std::array<std::vector<std::uint32_t>*, 3> arrays{&result.order, &result.graphTaskAt, &result.pe};
    parallelFor(
        arrays.size(), [&](std::size_t i) { resizeBig(*arrays[i], size); }, threads);
    // The table of bucket boundaries must stay small against the tasks, also with 65 536 PEs.
    const std::size_t wanted = std::min(size / bucketTasks, size / (4 * std::max<std::size_t>(pes, 1))) + 1;
    const std::vector<TimeNs> splitters = chooseSplitters(columns, wanted);
    const std::size_t buckets = splitters.size() + 1;

    std::vector<std::uint32_t> bounds((buckets + 1) * pes);  // [bucket][pe]
    parallelFor(
        pes,
        [&](std::size_t pe) {
            std::size_t p = columns.first[pe];
            for (std::size_t b = 0; b < buckets; ++b) {
                bounds[b * pes + pe] = static_cast<std::uint32_t>(p);
                const std::size_t end = columns.first[pe + 1];
                if (b == splitters.size()) p = end;
                else
                    while (p < end && columns.begin[p] < splitters[b]) ++p;
            }
            bounds[buckets * pes + pe] = static_cast<std::uint32_t>(columns.first[pe + 1]);
        },
        threads);
    std::vector<std::size_t> start(buckets + 1, 0);
    for (std::size_t b = 0; b < buckets; ++b) {
        start[b + 1] = start[b];
        for (std::size_t pe = 0; pe < pes; ++pe) start[b + 1] += bounds[(b + 1) * pes + pe] - bounds[b * pes + pe];
    }

    constexpr std::size_t run = 16;    // buckets per piece of work, which share their buffers
    constexpr std::size_t ahead = 24;  // PEs: their next tasks lie far apart
    parallelFor((buckets + run - 1) / run,
                [&](std::size_t piece) {
                    std::vector<Item> items, scratch;
                    for (std::size_t b = piece * run; b < std::min(buckets, (piece + 1) * run); ++b) {
                        const std::uint32_t* const from = bounds.data() + b * pes;
                        const std::uint32_t* const to = bounds.data() + (b + 1) * pes;
                        items.resize(start[b + 1] - start[b]);
                        if (items.empty()) continue;
                        TimeNs least = maxTime, most = minTime;
                        Item* item = items.data();
                        for (std::uint32_t pe = 0; pe < pes; ++pe) {
                            if (pe + ahead < pes) __builtin_prefetch(columns.begin.data() + from[pe + ahead]);
                            for (std::uint32_t p = from[pe]; p < to[pe]; ++p) {
                                const TimeNs begin = columns.begin[p];
                                least = std::min(least, begin);
                                most = std::max(most, begin);
                                *item++ = {static_cast<std::uint64_t>(begin), p, pe};
                            }
                        }
                        for (Item& one : items) one.key -= static_cast<std::uint64_t>(least);
                        const std::uint64_t span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
                        radixSort(items, scratch, span == 0 ? 0 : 64 - __builtin_clzll(span));
                        for (std::size_t i = 0; i < items.size(); ++i) {
                            result.order[start[b] + i] = items[i].position;
                            result.graphTaskAt[items[i].position] = static_cast<std::uint32_t>(start[b] + i);
                            result.pe[start[b] + i] = items[i].pe;
                        }
                    }
                },
                threads);
    return result;
}

}  // namespace longpole
