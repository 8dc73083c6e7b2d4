// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/paths/pathpyramid.h"

#include "analysis/results/bytesof.h"

#include <algorithm>
#include <limits>

namespace longpole {
namespace {

constexpr TimeNs leastSteps = 16;      // of a stretch on average, at the level with the narrowest slices
constexpr TimeNs mostSlices = 4096;    // of the widest: a quarter of a pixel where the whole run is to be seen
constexpr int factor = 4;              // from one width to the next
constexpr std::uint32_t fewSteps = 4;  // are as fast step by step

bool isMerge(PathEdge edge) { return edge == PathEdge::RecordedMerge || edge == PathEdge::InferredMerge; }

// Makes the stretches of one level; what a processor did in the current one is found by its number.
class LevelBuilder {
public:
    LevelBuilder(const CriticalPath& path, TimeNs width) : m_path(path) { m_level.width = width; }

    PathLevel build(const Progress& progress)
    {
        const std::vector<PathStep>& steps = m_path.steps;
        const auto sliceOf = [this](const PathStep& step) { return step.begin / m_level.width; };
        for (std::size_t first = 0; first < steps.size() && !progress.isCancelled();) {
            const std::int64_t slice = sliceOf(steps[first]);
            std::size_t end = first + 1;
            while (end < steps.size() && sliceOf(steps[end]) == slice) ++end;
            // The last one may be long, and is drawn as it is.
            if (steps[end - 1].end / m_level.width > slice) --end;
            if (end > first + fewSteps) add(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end));
            first = std::max(end, first + 1);
        }
        m_level.stretches.shrink_to_fit();
        m_level.visits.shrink_to_fit();
        return std::move(m_level);
    }

private:
    void add(std::uint32_t first, std::uint32_t end)
    {
        PathStretch stretch{first, end, static_cast<std::uint32_t>(m_level.visits.size()), 0};
        for (std::uint32_t i = first; i < end; ++i) {
            const PathStep& step = m_path.steps[i];
            const bool isNetwork = step.part == PathPart::Network;
            const bool isJump = step.pe != m_path.steps[i > first ? i - 1 : i].pe || isMerge(step.edge) || isNetwork;
            if (i > first && isJump) ++stretch.jumps;
            if (!isNetwork) visit(step, stretch.firstVisit);
        }
        m_level.stretches.push_back(stretch);
    }

    void visit(const PathStep& step, std::uint32_t firstVisit)
    {
        const bool isWaiting = step.part != PathPart::Compute;
        const std::size_t key = 2 * std::size_t{index(step.pe)} + (isWaiting ? 1 : 0);
        if (key >= m_visitOf.size()) m_visitOf.resize(key + 2, none);
        std::uint32_t& number = m_visitOf[key];
        if (number == none || number < firstVisit) {
            number = static_cast<std::uint32_t>(m_level.visits.size());
            m_level.visits.push_back({step.pe, isWaiting, 0, step.begin, step.end});
        }
        PathVisit& visit = m_level.visits[number];
        ++visit.steps;
        visit.end = std::max(visit.end, step.end);
    }

    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    const CriticalPath& m_path;
    PathLevel m_level;
    std::vector<std::uint32_t> m_visitOf;  // by processor and whether it waits: its newest visit
};

}  // namespace

std::span<const PathVisit> PathLevel::visitsOf(const PathStretch& stretch) const
{
    const std::size_t number = static_cast<std::size_t>(&stretch - stretches.data());
    const std::size_t end = number + 1 < stretches.size() ? stretches[number + 1].firstVisit : visits.size();
    return std::span(visits).subspan(stretch.firstVisit, end - stretch.firstVisit);
}

PathPyramid::PathPyramid(const CriticalPath& path, const Progress& progress)
{
    if (path.steps.size() >= std::numeric_limits<std::uint32_t>::max() / 2 || path.steps.empty()) return;
    const TimeNs length = path.steps.back().end - path.steps.front().begin;
    const auto count = static_cast<TimeNs>(path.steps.size());
    for (TimeNs width = std::max<TimeNs>(1, length / count * leastSteps); width <= length / mostSlices; width *= factor)
        if (!progress.isCancelled()) m_levels.push_back(LevelBuilder(path, width).build(progress));
}

const PathLevel* PathPyramid::level(TimeNs width) const
{
    const auto wider = std::find_if(m_levels.begin(), m_levels.end(),
                                    [width](const PathLevel& level) { return level.width > width; });
    return wider == m_levels.begin() ? nullptr : &*std::prev(wider);
}

std::int64_t PathPyramid::bytes() const
{
    std::int64_t sum = sizeof(*this);
    for (const PathLevel& level : m_levels) sum += bytesOf(level.stretches) + bytesOf(level.visits);
    return sum;
}

}  // namespace longpole
