// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/valuecounts.h"

#include "core/base/drawnhash.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace longpole {

std::size_t ValueCounts::find(std::int64_t value) const
{
    const std::size_t mask = m_cells.size() - 1;
    std::size_t cell = static_cast<std::size_t>(drawnHash(static_cast<std::uint64_t>(value))) & mask;
    while (m_cells[cell].count != 0 && m_cells[cell].value != value) cell = (cell + 1) & mask;
    return cell;
}

void ValueCounts::grow()
{
    std::vector<ValueCount> old(m_cells.empty() ? 16 : 2 * m_cells.size());
    old.swap(m_cells);
    for (const ValueCount& cell : old)
        if (cell.count != 0) m_cells[find(cell.value)] = cell;
}

std::vector<ValueCount> ValueCounts::sorted() const
{
    std::vector<ValueCount> values;
    values.reserve(m_used);
    for (const ValueCount& cell : m_cells)
        if (cell.count != 0) values.push_back(cell);
    std::sort(values.begin(), values.end(), [](const ValueCount& a, const ValueCount& b) { return a.value < b.value; });
    return values;
}

void ValueCounts::round()
{
    std::vector<ValueCount> old;
    old.swap(m_cells);
    m_used = 0;
    for (const ValueCount& cell : old)
        if (cell.count != 0) add(roundedValue(cell.value), cell.count);
}

std::int64_t roundedValue(std::int64_t value)
{
    constexpr int kept = 16;
    if (value < 0) return -roundedValue(value == minTime ? maxTime : -value);
    const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
    return width <= kept ? value : value >> (width - kept) << (width - kept);
}

std::vector<ValueCount> merged(std::span<const ValueCount> a, std::span<const ValueCount> b)
{
    std::vector<ValueCount> both;
    both.reserve(a.size() + b.size());
    const auto append = [&both](const ValueCount& next) {
        if (!both.empty() && both.back().value == next.value) addSaturating(both.back().count, next.count);
        else both.push_back(next);
    };
    auto fromA = a.begin();
    auto fromB = b.begin();
    while (fromA != a.end() && fromB != b.end()) append(fromA->value <= fromB->value ? *fromA++ : *fromB++);
    std::for_each(fromA, a.end(), append);
    std::for_each(fromB, b.end(), append);
    return both;
}

ValueSummary summarize(std::span<const ValueCount> values)
{
    ValueSummary summary;
    if (values.empty()) return summary;
    double sum = 0;  // for the mean if the exact sum saturates
    for (const ValueCount& value : values) {
        addSaturating(summary.count, value.count);
        summary.sum = saturatingAdd(summary.sum, saturatingMultiply(value.value, value.count));
        sum += static_cast<double>(value.value) * static_cast<double>(value.count);
    }
    const bool isWhole = summary.sum != maxTime && summary.sum != minTime;
    summary.least = values.front().value;
    summary.most = values.back().value;
    summary.mean = (isWhole ? static_cast<double>(summary.sum) : sum) / static_cast<double>(summary.count);
    return summary;
}

std::int64_t quantile(std::span<const ValueCount> values, double share)
{
    std::int64_t count = 0;
    for (const ValueCount& value : values) addSaturating(count, value.count);
    const auto exact = static_cast<long double>(share) * static_cast<long double>(count);
    // A share such as 0.95 is no exact binary fraction: a rank that is a hair above an integer is that integer.
    const auto rank = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(exact - 1e-6L)), 1,
                                               std::max<std::int64_t>(count, 1));
    std::int64_t before = 0;
    for (const ValueCount& value : values) {
        addSaturating(before, value.count);
        if (before >= rank) return value.value;
    }
    return 0;
}

}  // namespace longpole
