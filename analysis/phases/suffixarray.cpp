// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/suffixarray.h"

#include "analysis/base/bigarray.h"
#include "core/base/release.h"

#include <algorithm>

namespace longpole {

namespace {

using Symbols = std::span<const std::uint32_t>;
using Order = std::vector<std::int32_t>;

// One level of SA-IS. A suffix is small if it sorts before the next one; a valley is a small one behind a large one.
// The order of the valleys alone induces that of all.
class InducedOrder {
public:
    InducedOrder(Symbols symbols, std::uint32_t alphabet)
        : m_symbols(symbols), m_size(static_cast<std::int32_t>(symbols.size())), m_small(symbols.size()),
          m_bucket(alphabet + 1, 0), m_smallBegin(alphabet, 0)
    {
        for (std::int32_t i = m_size - 2; i >= 0; --i)
            m_small[at(i)] = symbol(i) == symbol(i + 1) ? m_small[at(i + 1)] : symbol(i) < symbol(i + 1);
        std::vector<std::int32_t> large(alphabet, 0);
        for (std::int32_t i = 0; i < m_size; ++i) {
            ++m_bucket[symbol(i) + 1];
            if (!m_small[at(i)]) ++large[symbol(i)];
        }
        for (std::size_t c = 0; c < alphabet; ++c) {
            m_bucket[c + 1] += m_bucket[c];
            m_smallBegin[c] = m_bucket[c] + large[c];
        }
        for (std::int32_t i = 1; i < m_size; ++i)
            if (isValley(i)) m_valleys.push_back(i);
    }

    Order order()
    {
        if (m_size == 0) return {};
        Order sorted = induced(m_valleys);
        if (m_valleys.size() > 1) {
            Order valleys = sortedValleys(sorted);
            induce(valleys, sorted);
        }
        return sorted;
    }

private:
    static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
    std::uint32_t symbol(std::int32_t i) const { return m_symbols[at(i)]; }
    bool isValley(std::int32_t i) const { return i > 0 && m_small[at(i)] && !m_small[at(i - 1)]; }

    Order induced(const Order& valleys) const
    {
        Order sorted = bigArray<std::int32_t>(at(m_size), -1);
        induce(valleys, sorted);
        return sorted;
    }

    void induce(const Order& valleys, Order& sorted) const
    {
        std::fill(sorted.begin(), sorted.end(), -1);
        std::vector<std::int32_t> next = m_smallBegin;
        for (const std::int32_t i : valleys) sorted[at(next[symbol(i)]++)] = i;
        next.assign(m_bucket.begin(), m_bucket.end());
        sorted[at(next[symbol(m_size - 1)]++)] = m_size - 1;  // it precedes the empty suffix, the smallest
        for (std::int32_t row = 0; row < m_size; ++row) {
            const std::int32_t i = sorted[at(row)] - 1;
            if (i >= 0 && !m_small[at(i)]) sorted[at(next[symbol(i)]++)] = i;
        }
        next.assign(m_bucket.begin(), m_bucket.end());
        for (std::int32_t row = m_size - 1; row >= 0; --row) {
            const std::int32_t i = sorted[at(row)] - 1;
            if (i >= 0 && m_small[at(i)]) sorted[at(--next[symbol(i) + 1])] = i;
        }
    }

    // Names the pieces between valleys by their order and sorts the string of names. `sorted` orders the pieces.
    Order sortedValleys(const Order& sorted) const
    {
        Order number = bigArray<std::int32_t>(at(m_size), -1);
        for (std::size_t v = 0; v < m_valleys.size(); ++v) number[at(m_valleys[v])] = static_cast<std::int32_t>(v);
        std::vector<std::uint32_t> names = bigArray<std::uint32_t>(m_valleys.size());
        std::uint32_t name = 0;
        std::int32_t before = -1;
        for (const std::int32_t i : sorted) {
            if (number[at(i)] < 0) continue;
            if (before >= 0 && !areEqual(at(number[at(before)]), at(number[at(i)]))) ++name;
            names[at(number[at(i)])] = name;
            before = i;
        }
        release(number);
        Order valleys = InducedOrder(names, name + 1).order();
        for (std::int32_t& v : valleys) v = m_valleys[at(v)];
        return valleys;
    }

    // Whether the pieces from these valleys up to the next ones are the same. The last one is like no other.
    bool areEqual(std::size_t a, std::size_t b) const
    {
        if (a + 1 == m_valleys.size() || b + 1 == m_valleys.size()) return false;
        const std::int32_t length = m_valleys[a + 1] - m_valleys[a];
        if (length != m_valleys[b + 1] - m_valleys[b]) return false;
        const auto begin = m_symbols.begin() + m_valleys[a];
        return std::equal(begin, begin + length + 1, m_symbols.begin() + m_valleys[b]);
    }

    Symbols m_symbols;
    std::int32_t m_size;
    std::vector<bool> m_small;
    std::vector<std::int32_t> m_bucket;      // by symbol: the first row of its suffixes
    std::vector<std::int32_t> m_smallBegin;  // the first row of the small ones among them
    Order m_valleys{};                       // in the order of the string
};

std::vector<std::int32_t> commonPrefixes(Symbols symbols, const Order& order)
{
    auto common = bigArray<std::int32_t>(symbols.size());
    std::int32_t before = -1;
    for (const std::int32_t i : order) {  // at first the suffix before each
        common[static_cast<std::size_t>(i)] = before;
        before = i;
    }
    std::size_t same = 0;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (common[i] < 0) {
            common[i] = 0;
            same = 0;
            continue;
        }
        const auto other = static_cast<std::size_t>(common[i]);
        while (std::max(i, other) + same < symbols.size() && symbols[i + same] == symbols[other + same]) ++same;
        common[i] = static_cast<std::int32_t>(same);
        if (same > 0) --same;
    }
    return common;
}

}  // namespace

SuffixArray suffixArray(std::span<const std::uint32_t> symbols, std::uint32_t alphabet)
{
    SuffixArray array{InducedOrder(symbols, alphabet).order(), {}};
    array.common = commonPrefixes(symbols, array.order);
    return array;
}

}  // namespace longpole
