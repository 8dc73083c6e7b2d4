// SPDX-License-Identifier: GPL-3.0-or-later
// How often each value occurs. Very many measurements take memory only for values that differ, so that counts, sums and
// percentiles stay exact and bins can be chosen afterwards: logs have whole microseconds, and a run of millions of
// tasks has some ten thousand different durations.
#pragma once

#include "core/base/timerange.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct ValueCount {
    std::int64_t value = 0;
    std::int64_t count = 0;
    friend bool operator==(const ValueCount&, const ValueCount&) = default;
};

// Collects values in any order. add: amortised O(1).
class ValueCounts {
public:
    void add(std::int64_t value, std::int64_t times = 1)
    {
        if (2 * (m_used + 1) > m_cells.size()) grow();
        ValueCount& cell = m_cells[find(value)];
        if (cell.count == 0) {
            cell.value = value;
            ++m_used;
        }
        addSaturating(cell.count, times);
    }

    std::size_t size() const { return m_used; }  // how many values differ
    std::vector<ValueCount> sorted() const;      // by value
    void round();                                // replaces all values by their roundedValue()

private:
    std::size_t find(std::int64_t value) const;  // the index of its cell, or of the free one where it belongs
    void grow();

    std::vector<ValueCount> m_cells;  // open addressing: a power of two of cells, at most half used; count 0: free
    std::size_t m_used = 0;
};

// The value rounded towards zero to 16 significant bits, so less than 1/32768 off; for values too many of which differ.
std::int64_t roundedValue(std::int64_t value);

// Both lists, which must be sorted by value, as one; counts of equal values are added up. O(a + b).
std::vector<ValueCount> merged(std::span<const ValueCount> a, std::span<const ValueCount> b);

// Summarizes counted values, which must be sorted. All zero without values.
struct ValueSummary {
    std::int64_t count = 0;
    std::int64_t sum = 0;  // saturates
    std::int64_t least = 0;
    std::int64_t most = 0;
    double mean = 0;
};
ValueSummary summarize(std::span<const ValueCount> values);

// The value of nearest rank: the smallest one that at least `share` of all do not exceed, 0 < share <= 1; the smallest
// of all for 0. quantile(values, 0.5) is the (lower) median. Exact; 0 without values. O(values).
std::int64_t quantile(std::span<const ValueCount> values, double share);

}  // namespace longpole
