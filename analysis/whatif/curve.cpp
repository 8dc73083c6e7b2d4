// SPDX-License-Identifier: GPL-3.0-or-later
// The curve of a what-if: every path is a line in the factor, and the longest path is their upper envelope. The
// envelope of the lines known so far is asked at its corners; a corner that no other line rises above is a kink (Eisner
// and Severance 1976).
#include "analysis/whatif/zeroing.h"

#include "analysis/paths/elapseddelays.h"
#include "analysis/whatif/laneplan.h"
#include "analysis/whatif/lanes.h"
#include "analysis/whatif/lines.h"
#include "analysis/whatif/questioncheck.h"
#include "core/base/limits.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/translate.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

// Factors between the ends that are asked at first, as many as two passes have lanes.
constexpr std::int64_t firstFactors = 2 * lineLanes - 2;

// Where a steeper line overtakes another.
Rational crossing(PathLine flat, PathLine steep)
{
    return lowestTerms({flat.fixed - steep.fixed, steep.slope - flat.slope});
}

// The lines that are longest somewhere, flattest first.
std::vector<PathLine> envelope(std::vector<PathLine> lines)
{
    std::sort(lines.begin(), lines.end(),
              [](PathLine a, PathLine b) { return std::tie(a.slope, a.fixed) < std::tie(b.slope, b.fixed); });
    std::vector<PathLine> upper;
    for (const PathLine line : lines) {
        if (!upper.empty() && upper.back().slope == line.slope) upper.pop_back();
        while (upper.size() >= 2
               && !isLess(crossing(upper[upper.size() - 2], upper.back()), crossing(upper.back(), line)))
            upper.pop_back();
        upper.push_back(line);
    }
    return upper;
}

struct Kink {
    Rational factor;
    PathLine after;
};

// Where the envelope bends between 0 and `until`, ascending.
std::vector<Kink> kinks(const std::vector<PathLine>& upper, Rational until)
{
    std::vector<Kink> bends;
    for (std::size_t i = 1; i < upper.size(); ++i) {
        const Rational factor = crossing(upper[i - 1], upper[i]);
        if (factor.numerator > 0 && isLess(factor, until)) bends.push_back({factor, upper[i]});
    }
    return bends;
}

class CurveSearch {
public:
    CurveSearch(const ActivityGraph& graph, const WhatIfModel& model, const std::vector<EntryId>& entries,
                const Progress& progress)
        : m_graph(graph), m_model(model), m_entries(entries), m_progress(progress),
          m_plan(lanePlan(graph, model.edges, progress)),
          m_rest(model.mode == PathMode::Elapsed ? delayAfterLastEnd(graph) : 0)
    {
    }

    // Empty if cancelled.
    std::optional<WhatIfCurve> upTo(Rational until)
    {
        std::vector<Rational> asked{{0, 1}, until};
        for (std::int64_t i = 1; i <= firstFactors; ++i)
            asked.push_back(lowestTerms({until.numerator * i, until.denominator * (firstFactors + 1)}));
        std::vector<PathLine> lines;
        std::set<std::pair<std::int64_t, std::int64_t>> settled;  // factors at which the envelope is the curve
        while (!asked.empty()) {
            const std::vector<PathLine> found = longestAt(asked);
            if (found.empty()) return {};
            lines.insert(lines.end(), found.begin(), found.end());
            for (const Rational factor : asked) settled.emplace(factor.numerator, factor.denominator);
            lines = envelope(std::move(lines));
            asked.clear();
            for (const Kink& kink : kinks(lines, until))
                if (!settled.contains({kink.factor.numerator, kink.factor.denominator})) asked.push_back(kink.factor);
            if (std::int64_t(settled.size() + asked.size()) > limits::curveFactors.free) {
                WhatIfCurve rough = curve(lines, until);
                rough.isRough = true;
                return rough;
            }
        }
        return curve(lines, until);
    }

private:
    // In the order of the factors; empty if cancelled.
    std::vector<PathLine> longestAt(const std::vector<Rational>& factors)
    {
        if (m_plan.slot.size() != m_graph.size()) return {};
        const std::size_t passes = (factors.size() + lineLanes - 1) / lineLanes;
        PassProgress passed(m_progress, passes * m_graph.size());
        std::vector<PathLine> found(factors.size());
        parallelFor(
            passes,
            [&](std::size_t number) {
                const std::size_t first = number * lineLanes;
                const auto asked = std::span(factors).subspan(first).first(std::min(lineLanes, factors.size() - first));
                const LinePass pass = linePass(m_graph, m_model, m_plan, m_entries, asked, passed);
                for (std::size_t k = 0; k < asked.size(); ++k)
                    found[first + k] = {pass.longest[k].fixed + m_rest, pass.longest[k].slope};
            },
            std::min(passThreads, defaultThreads()));
        return m_progress.isCancelled() ? std::vector<PathLine>() : found;
    }

    static WhatIfCurve curve(const std::vector<PathLine>& upper, Rational until)
    {
        WhatIfCurve curve;
        const auto add = [&curve](Rational factor, PathLine line) {
            curve.points.push_back({factor, lineAt(line.fixed, line.slope, factor), line.fixed, line.slope});
        };
        const auto longestAt = [&upper](Rational factor) {
            PathLine longest = upper.front();
            for (const PathLine line : upper)
                if (isLonger(line, longest, factor)) longest = line;
            return longest;
        };
        add({0, 1}, longestAt({0, 1}));
        for (const Kink& kink : kinks(upper, until)) add(kink.factor, kink.after);
        if (until.numerator > 0) add(until, longestAt(until));
        return curve;
    }

    const ActivityGraph& m_graph;
    const WhatIfModel& m_model;
    const std::vector<EntryId>& m_entries;
    const Progress& m_progress;
    LanePlan m_plan;
    TimeNs m_rest;  // after the last end
};

}  // namespace

Result<WhatIfCurve> whatIfCurve(const ActivityGraph& graph, const WhatIfModel& model,
                                const std::vector<EntryId>& entries, Rational until, const Progress& progress)
{
    if (const auto problem = problemWith(model, until, 0)) return *problem;
    const Rational end = lowestTerms(until);
    if (std::max(end.numerator, end.denominator) > largestLine / (firstFactors + 1))
        return Error{.what = tr("The factor %1 is too large, or too fine, for a curve.").arg(toText(until)),
                     .where = QString(),
                     .hint = tr("Choose one of fewer digits.")};
    if (graph.run.length() - delayAfterLastEnd(graph) > largestLine)
        return Error{.what = tr("The run is too long for a curve."),
                     .where = QString(),
                     .hint = tr("Ask for a part of it, up to a hundred days.")};
    const std::optional<WhatIfCurve> curve = CurveSearch(graph, model, entries, progress).upTo(end);
    if (!curve) return cancelledError();
    return *curve;
}

TimeNs WhatIfCurve::lengthAt(Rational factor) const
{
    if (points.empty()) return 0;
    const auto isBefore = [](Rational wanted, const Point& point) { return isLess(wanted, point.factor); };
    const auto after = std::upper_bound(points.begin() + 1, points.end(), factor, isBefore);
    const Point& point = *(after - 1);
    return lineAt(point.fixed, point.slope, factor);
}

}  // namespace longpole
