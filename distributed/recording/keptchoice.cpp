// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/recording/keptchoice.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace longpole {

// Wishes are closed ranges, as a point touches them, too: each border stands for itself and for what lies between it
// and the next one, in turn.
FirstWish::FirstWish(std::span<const KeptWish> wishes, std::span<const std::uint32_t> numbers)
{
    for (const std::uint32_t number : numbers) {
        m_borders.push_back(wishes[number].begin);
        m_borders.push_back(wishes[number].end);
    }
    std::ranges::sort(m_borders);
    m_borders.erase(std::unique(m_borders.begin(), m_borders.end()), m_borders.end());
    if (m_borders.empty()) return;
    std::vector<std::uint32_t> byBegin(numbers.begin(), numbers.end());
    std::ranges::sort(byBegin, {}, [&](std::uint32_t number) { return wishes[number].begin; });
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> open;
    std::vector<std::uint32_t> least(2 * m_borders.size() - 1, none);
    std::size_t next = 0;
    for (std::size_t border = 0; border < m_borders.size(); ++border) {
        const TimeNs time = m_borders[border];
        for (; next < byBegin.size() && wishes[byBegin[next]].begin == time; ++next)
            if (wishes[byBegin[next]].end >= time) open.push(byBegin[next]);
        while (!open.empty() && wishes[open.top()].end < time) open.pop();
        if (!open.empty()) least[2 * border] = open.top();
        while (!open.empty() && wishes[open.top()].end <= time) open.pop();
        if (!open.empty() && border + 1 < m_borders.size()) least[2 * border + 1] = open.top();
    }
    m_least.push_back(std::move(least));
    for (std::size_t width = 1; 2 * width <= m_least.front().size(); width *= 2) {
        const std::vector<std::uint32_t> below = m_least.back();
        std::vector<std::uint32_t> level(below.size() - width);
        for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::min(below[i], below[i + width]);
        m_least.push_back(std::move(level));
    }
}

std::uint32_t FirstWish::of(TimeNs begin, TimeNs end) const
{
    if (end < begin) std::swap(begin, end);
    if (m_borders.empty() || end < m_borders.front() || begin > m_borders.back()) return none;
    const auto placeOf = [this](TimeNs time) {  // of the border, or of what lies behind it
        const auto after = std::ranges::upper_bound(m_borders, time);
        if (after == m_borders.begin()) return std::size_t{0};
        const auto border = static_cast<std::size_t>(after - m_borders.begin() - 1);
        return 2 * border + (m_borders[border] == time || border + 1 == m_borders.size() ? 0 : 1);
    };
    const std::size_t first = placeOf(begin);
    const std::size_t last = placeOf(end);
    const auto level = static_cast<std::size_t>(std::bit_width(last - first + 1)) - 1;
    return std::min(m_least[level][first], m_least[level][last + 1 - (std::size_t{1} << level)]);
}

std::size_t wishesWithRoom(std::span<const std::int64_t> costs, std::int64_t bytes)
{
    std::size_t number = 0;
    for (; number < costs.size() && costs[number] <= bytes; ++number) bytes -= costs[number];
    return number;
}

std::vector<KeptRange> keptRanges(std::span<const KeptWish> wishes)
{
    std::vector<KeptWish> sorted(wishes.begin(), wishes.end());
    std::ranges::sort(sorted, {}, [](const KeptWish& wish) { return std::tuple(wish.rank, wish.begin, wish.end); });
    std::vector<KeptRange> kept;
    for (const KeptWish& wish : sorted) {
        if (wish.end < wish.begin) continue;
        if (!kept.empty() && index(kept.back().pe) == wish.rank && kept.back().end >= wish.begin)
            kept.back().end = std::max(kept.back().end, wish.end);
        else kept.push_back({ProcessorId{wish.rank}, wish.begin, wish.end});
    }
    return kept;
}

}  // namespace longpole
