// Merges the begin-ordered tasks of all PEs into one order by time: splitters cut the run into buckets that fit a
// cache, each bucket is radix sorted.
#include "analysis/graphbuilder.h"

#include "analysis/bigarray.h"
#include "core/parallel.h"

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

std::vector<std::uint32_t> timeOrder(const TaskColumns& columns)
{
    const std::size_t size = columns.begin.size();
    const std::size_t pes = columns.first.size() - 1;
    std::vector<std::uint32_t> order = bigArray<std::uint32_t>(size);
    // The table of bucket boundaries must stay small against the tasks, also with 65 536 PEs.
    const std::size_t wanted = std::min(size / bucketTasks, size / (4 * std::max<std::size_t>(pes, 1))) + 1;
    const std::vector<TimeNs> splitters = chooseSplitters(columns, wanted);
    const std::size_t buckets = splitters.size() + 1;

    std::vector<std::uint32_t> bounds((buckets + 1) * pes);  // [bucket][pe]
    const unsigned threads = size < 200'000 ? 1 : 0;
    parallelFor(pes, [&](std::size_t pe) {
        std::size_t p = columns.first[pe];
        for (std::size_t b = 0; b < buckets; ++b) {
            bounds[b * pes + pe] = static_cast<std::uint32_t>(p);
            const std::size_t end = columns.first[pe + 1];
            if (b == splitters.size()) p = end;
            else while (p < end && columns.begin[p] < splitters[b]) ++p;
        }
        bounds[buckets * pes + pe] = static_cast<std::uint32_t>(columns.first[pe + 1]);
    }, threads);
    std::vector<std::size_t> start(buckets + 1, 0);
    for (std::size_t b = 0; b < buckets; ++b) {
        start[b + 1] = start[b];
        for (std::size_t pe = 0; pe < pes; ++pe) start[b + 1] += bounds[(b + 1) * pes + pe] - bounds[b * pes + pe];
    }

    constexpr std::size_t run = 16;  // buckets per piece of work, which share their buffers
    parallelFor((buckets + run - 1) / run, [&](std::size_t piece) {
        std::vector<Item> items, scratch;
        for (std::size_t b = piece * run; b < std::min(buckets, (piece + 1) * run); ++b) {
            items.clear();
            TimeNs least = maxTime, most = minTime;
            for (std::size_t pe = 0; pe < pes; ++pe)
                for (std::uint32_t p = bounds[b * pes + pe]; p < bounds[(b + 1) * pes + pe]; ++p) {
                    least = std::min(least, columns.begin[p]);
                    most = std::max(most, columns.begin[p]);
                    items.push_back({static_cast<std::uint64_t>(columns.begin[p]), p});
                }
            if (items.empty()) continue;
            for (Item& item : items) item.key -= static_cast<std::uint64_t>(least);
            const std::uint64_t span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
            radixSort(items, scratch, span == 0 ? 0 : 64 - __builtin_clzll(span));
            for (std::size_t i = 0; i < items.size(); ++i) order[start[b] + i] = items[i].position;
        }
    }, threads);
    return order;
}

}  // namespace longpole
