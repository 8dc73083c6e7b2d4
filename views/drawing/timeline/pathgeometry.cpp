// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/pathgeometry.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

namespace longpole {

namespace {

constexpr double leastBar = 3;            // pixels
constexpr std::size_t mostCurves = 1500;  // further connectors are bundles: drawing would take too long

bool isWaiting(const PathStep& step) { return step.part != PathPart::Compute; }

class PathBuilder {
public:
    PathBuilder(const TimeCoordinates& at, double height, const BarPosition& bar)
        : m_at(at), m_height(height), m_bar(bar)
    {
    }

    // Adds a step that may stand for a run of `steps` steps.
    void step(const PathStep& step, std::int64_t steps)
    {
        arrive(step);
        const std::optional<double> y = position(step.pe);
        const bool isSeen = y && step.end >= m_at.range.begin && step.begin <= m_at.range.end;
        if (isSeen && step.part != PathPart::Network) {
            m_geometry.steps += steps;
            addBar(m_at.x(step.begin), m_at.x(step.end), *y, step.pe, isWaiting(step));
        }
        m_last = y;
        m_lastX = m_at.x(step.end);
    }

    // Adds steps that lie within a fraction of a pixel.
    void stretch(std::span<const PathStep> steps, std::span<const PathVisit> visits, std::uint32_t jumps)
    {
        arrive(steps.front());
        double top = m_height, bottom = 0;
        for (const PathVisit& visit : visits) {
            const std::optional<double> y = position(visit.pe);
            if (!y) continue;
            top = std::min(top, *y);
            bottom = std::max(bottom, *y);
            if (visit.end < m_at.range.begin || visit.begin > m_at.range.end) continue;
            m_geometry.steps += visit.steps;
            addBar(m_at.x(visit.begin), m_at.x(visit.end), *y, visit.pe, visit.isWaiting);
        }
        const double x = m_at.x(steps.front().begin);
        if (jumps > 0 && x >= 0 && x <= m_at.width && bottom > 0 && top < m_height)
            bundle(std::floor(x), top, bottom, static_cast<int>(jumps));
        m_last = position(steps.back().pe);
        m_lastX = m_at.x(steps.back().end);
    }

    PathGeometry finish()
    {
        const auto drawn = static_cast<double>(m_geometry.connectors.size() + m_geometry.bundles.size());
        m_geometry.crowd = drawn / std::max(1.0, m_at.width);
        return std::move(m_geometry);
    }

private:
    std::optional<double> position(ProcessorId pe)
    {
        if (m_lastPe == pe) return m_lastPosition;  // most steps stay on their processor
        m_lastPe = pe;
        if (index(pe) >= m_positions.size()) m_positions.resize(index(pe) + std::size_t{1});
        std::optional<std::optional<double>>& known = m_positions[index(pe)];
        if (!known) known = m_bar(pe);
        m_lastPosition = *known;
        return m_lastPosition;
    }

    // The connector into a step. Where the path stays on its row no line is needed, unless it comes over a merge: that
    // is worth showing.
    void arrive(const PathStep& step)
    {
        const std::optional<double> y = position(step.pe);
        const bool isNetwork = step.part == PathPart::Network;
        if (m_last && y && (isNetwork || *m_last != *y || isMerge(step.edge)))
            connect(m_lastX, *m_last, m_at.x(isNetwork ? step.end : step.begin), *y, step);
    }

    void addBar(double x0, double x1, double y, ProcessorId pe, bool waiting)
    {
        if (y < -8 || y > m_height + 8) return;
        x0 = std::max(x0, -leastBar);
        x1 = std::min(std::max(x1, x0 + (waiting ? 0.0 : leastBar)), m_at.width + leastBar);
        const std::uint64_t key = std::uint64_t{index(pe)} * 2 + (waiting ? 1 : 0);
        if (key >= m_newest.size()) m_newest.resize(key + 2, noBar);
        if (m_newest[key] != noBar) {
            PathBar& before = m_geometry.bars[m_newest[key]];
            const bool small = x1 - x0 <= leastBar || before.x1 - before.x0 <= leastBar;
            if (x0 <= before.x1 + (small ? 0.5 : 0)) {
                before.x1 = std::max(before.x1, x1);
                return;
            }
        }
        m_newest[key] = m_geometry.bars.size();
        m_geometry.bars.push_back({x0, x1, y, waiting});
    }

    static bool isMerge(PathEdge edge) { return edge == PathEdge::RecordedMerge || edge == PathEdge::InferredMerge; }

    void connect(double x0, double y0, double x1, double y1, const PathStep& to)
    {
        if (std::max(x0, x1) < 0 || std::min(x0, x1) > m_at.width) return;
        const double top = std::min(y0, y1);
        const double bottom = std::max(y0, y1);
        if (bottom < 0 || top > m_height) return;
        const double column = std::floor((x0 + x1) / 2);
        const bool narrow = std::abs(x1 - x0) < 1;
        const bool continues = narrow && column == m_lastColumn;
        if (continues || m_geometry.connectors.size() >= mostCurves) {
            bundle(column, top, bottom, 1, continues);
        } else {
            m_geometry.connectors.push_back({QPointF(x0, y0), QPointF(x1, y1), to.doubtful,
                                             to.edge == PathEdge::InferredMerge});
        }
        m_lastColumn = column;
    }

    void bundle(double column, double top, double bottom, int count, bool continues = true)
    {
        std::vector<ConnectorBundle>& bundles = m_geometry.bundles;
        m_lastColumn = column;
        if (!continues || bundles.empty() || bundles.back().x != column) {
            bundles.push_back({column, top, bottom, count});
            return;
        }
        bundles.back().top = std::min(bundles.back().top, top);
        bundles.back().bottom = std::max(bundles.back().bottom, bottom);
        bundles.back().count += count;
    }

    const TimeCoordinates& m_at;
    double m_height;
    const BarPosition& m_bar;
    PathGeometry m_geometry;
    std::vector<std::optional<std::optional<double>>> m_positions;  // by processor; outer empty: not asked for yet
    std::vector<std::size_t> m_newest;  // the newest bar of each processor, computing (even) and waiting (odd)
    static constexpr std::size_t noBar = ~std::size_t{0};
    std::optional<ProcessorId> m_lastPe;
    std::optional<double> m_lastPosition;
    std::optional<double> m_last;
    double m_lastX = 0;
    double m_lastColumn = -1e18;
};

// Whether `next` only makes the bar of `run` longer: on the same processor, after a gap too short to be seen.
bool lengthens(const PathStep& run, const PathStep& next, TimeNs gap)
{
    return next.pe == run.pe && isWaiting(next) == isWaiting(run) && next.part != PathPart::Network
           && run.part != PathPart::Network && next.begin - run.end <= gap;
}

}  // namespace

PathGeometry withoutShared(PathGeometry path, const PathGeometry& other)
{
    const auto before = [](const Connector& a, const Connector& b) {
        return std::tuple(a.from.x(), a.from.y(), a.to.x(), a.to.y())
               < std::tuple(b.from.x(), b.from.y(), b.to.x(), b.to.y());
    };
    std::vector<Connector> others = other.connectors;
    std::sort(others.begin(), others.end(), before);
    std::erase_if(path.connectors, [&](const Connector& connector) {
        return std::binary_search(others.begin(), others.end(), connector, before);
    });
    return path;
}

PathGeometry pathGeometry(const CriticalPath& path, const TimeCoordinates& at, double height, const BarPosition& bar,
                          const PathPyramid* pyramid)
{
    PathBuilder builder(at, height, bar);
    const std::vector<PathStep>& all = path.steps;
    auto step = static_cast<std::size_t>(std::partition_point(all.begin(), all.end(),
                                                              [&](const PathStep& s) { return s.end < at.range.begin; })
                                         - all.begin());
    if (step > 0) --step;  // the connector from it leads into the range
    const auto gap = static_cast<TimeNs>(static_cast<double>(at.range.length()) / std::max(1.0, at.width) / 4);
    const PathLevel* const level = pyramid ? pyramid->level(gap) : nullptr;
    const std::span<const PathStretch> stretches = level ? std::span(level->stretches) : std::span<const PathStretch>();
    auto stretch = std::partition_point(stretches.begin(), stretches.end(),
                                        [step](const PathStretch& s) { return s.end <= step; });
    if (stretch != stretches.end()) step = std::min<std::size_t>(step, stretch->first);
    while (step < all.size() && (step == 0 || all[step - 1].begin <= at.range.end)) {
        if (stretch != stretches.end() && step == stretch->first) {
            builder.stretch(std::span(all).subspan(step, stretch->end - stretch->first), level->visitsOf(*stretch),
                            stretch->jumps);
            step = stretch->end;
            ++stretch;
            continue;
        }
        // At edge level order, long runs on one processor are the rule: they are joined before any arithmetic in
        // pixels.
        const std::size_t end = stretch != stretches.end() ? stretch->first : all.size();
        PathStep run = all[step];
        std::int64_t steps = 1;
        for (++step; step < end && all[step].begin <= at.range.end && lengthens(run, all[step], gap); ++step) {
            run.end = std::max(run.end, all[step].end);
            ++steps;
        }
        builder.step(run, steps);
    }
    return builder.finish();
}

}  // namespace longpole
