// SPDX-License-Identifier: GPL-3.0-or-later
// Appendix B: buckets below the limit are thrown away whole, the rest is dealt out anew.
#include "analysis/streaming/bucketsearch.h"

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

// share x parts > total, where the product might not fit.
bool isAbove(TimeNs share, std::uint32_t parts, TimeNs total)
{
    TimeNs product = 0;
    return __builtin_mul_overflow(share, TimeNs{parts}, &product) ? share > 0 : product > total;
}

Buckets deal(const std::vector<std::uint32_t>& items, std::size_t most)
{
    Buckets buckets(std::min(items.size(), most));
    for (std::size_t i = 0; i < items.size(); ++i) buckets[i % buckets.size()].push_back(items[i]);
    return buckets;
}

}  // namespace

Result<BucketSearch> itemsAbove(std::uint32_t items, std::uint32_t parts, const MeasureBuckets& measure)
{
    BucketSearch search;
    search.found.resize(items);
    std::iota(search.found.begin(), search.found.end(), 0u);
    bool areSingle = false;
    while (!areSingle && !search.found.empty()) {
        const Buckets buckets = deal(search.found, 2 * std::size_t{parts});
        const Result<BucketShares> measured = measure(buckets);
        if (!measured) return measured.error();
        ++search.rounds;
        areSingle = buckets.size() == search.found.size();
        search.found.clear();
        for (std::size_t b = 0; b < buckets.size(); ++b)
            if (isAbove(measured->shares[b], parts, measured->total))
                search.found.insert(search.found.end(), buckets[b].begin(), buckets[b].end());
    }
    std::sort(search.found.begin(), search.found.end());
    return search;
}

}  // namespace longpole
