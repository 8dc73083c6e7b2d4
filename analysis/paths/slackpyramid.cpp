// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/slackpyramid.h"

#include "analysis/results/bytesof.h"
#include "core/base/wide.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t fanOut = 16;

// The least of each 16 of `count` values.
template <typename Value>
std::vector<TimeNs> reduced(std::size_t count, Value value)
{
    std::vector<TimeNs> least((count + fanOut - 1) / fanOut, maxTime);
    for (std::size_t i = 0; i < count; ++i) least[i / fanOut] = std::min(least[i / fanOut], value(i));
    return least;
}

// The first of [from, size) for which `reached` holds; from there on it does. Near ones are found sooner: a processor
// looks at the next few all at once, at those of a search one after another.
template <typename Reached>
std::size_t firstReached(std::size_t from, std::size_t size, Reached reached)
{
    std::size_t below = from;  // all before it are not reached
    for (; below < std::min(size, from + fanOut); ++below)
        if (reached(below)) return below;
    std::size_t step = 1;
    while (below + step <= size && !reached(below + step - 1)) {
        below += step;
        step *= 2;
    }
    std::size_t above = std::min(below + step - 1, size);
    while (below < above) {
        const std::size_t middle = below + (above - below) / 2;
        if (reached(middle)) above = middle;
        else below = middle + 1;
    }
    return below;
}

TimeNs edgeOf(TimeRange range, std::size_t pixel, std::size_t pixels)
{
    const Wide along = Wide{range.length()} * static_cast<Wide>(pixel) / static_cast<Wide>(pixels);
    return saturatingAdd(range.begin, static_cast<TimeNs>(along));
}

}  // namespace

SlackPyramid::SlackPyramid(std::shared_ptr<const ActivityGraph> graph, std::shared_ptr<const Slack> slack)
    : m_graph(std::move(graph)), m_slack(std::move(slack)), m_rows(m_graph->byProcessor.size())
{
    for (std::size_t pe = 0; pe < m_rows.size(); ++pe) {
        const std::span<const std::uint32_t> tasks = m_graph->byProcessor[pe];
        std::vector<std::vector<TimeNs>>& levels = m_rows[pe].levels;
        if (tasks.empty()) continue;
        levels.push_back(reduced(tasks.size(), [&](std::size_t i) { return m_slack->slack[tasks[i]]; }));
        while (levels.back().size() > 1) {
            const std::vector<TimeNs>& below = levels.back();
            levels.push_back(reduced(below.size(), [&below](std::size_t i) { return below[i]; }));
        }
    }
    const std::vector<TimeNs>& values = m_slack->slack;
    m_none = std::count(values.begin(), values.end(), TimeNs{0});
    if (!values.empty()) m_largest = *std::max_element(values.begin(), values.end());
}

// Of the tasks [first, last) of the PE: at both ends single ones up to a whole run, the same one level up, and so on.
TimeNs SlackPyramid::leastOf(std::uint32_t pe, std::size_t first, std::size_t last) const
{
    const std::span<const std::uint32_t> tasks = m_graph->byProcessor[pe];
    const std::vector<std::vector<TimeNs>>& levels = m_rows[pe].levels;
    TimeNs least = maxTime;
    std::size_t level = 0;  // `first` and `last` count tasks at 0, elements of levels[level - 1] above
    const auto value = [&](std::size_t i) { return level == 0 ? m_slack->slack[tasks[i]] : levels[level - 1][i]; };
    while (first < last) {
        for (; first < last && first % fanOut != 0; ++first) least = std::min(least, value(first));
        for (; first < last && last % fanOut != 0; --last) least = std::min(least, value(last - 1));
        first /= fanOut;
        last /= fanOut;
        ++level;
    }
    return least;
}

std::optional<TimeNs> SlackPyramid::leastSlack(ProcessorId pe, TimeRange range) const
{
    if (range.isEmpty()) return {};
    const TimeNs least = leastSlack(pe, range, 1).front();
    return least == noTaskThere ? std::optional<TimeNs>() : least;
}

std::vector<TimeNs> SlackPyramid::leastSlack(ProcessorId pe, TimeRange range, std::size_t pixels) const
{
    std::vector<TimeNs> least(pixels, noTaskThere);
    if (index(pe) >= m_rows.size()) return least;
    const std::span<const std::uint32_t> tasks = m_graph->byProcessor[index(pe)];
    const auto beginsAtOrAfter = [&](std::size_t from, TimeNs time) {
        return firstReached(from, tasks.size(), [&](std::size_t i) { return m_graph->begin[tasks[i]] >= time; });
    };
    TimeNs begin = range.begin;
    std::size_t first = beginsAtOrAfter(0, begin);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const TimeNs next = edgeOf(range, pixel + 1, pixels);
        const std::size_t last = beginsAtOrAfter(first, std::max(next, saturatingAdd(begin, 1)));
        // The tasks of a PE are disjoint: only the one before can reach in.
        const bool reachesIn = first > 0 && m_graph->end(tasks[first - 1]) > begin;
        least[pixel] = leastOf(index(pe), reachesIn ? first - 1 : first, last);
        if (next > begin) first = last;
        begin = next;
    }
    return least;
}

std::int64_t SlackPyramid::bytes() const
{
    return bytesOfAll(m_rows, [](const Row& row) { return bytesOf(row.levels); });
}

}  // namespace longpole
