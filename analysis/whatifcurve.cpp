// The curve of a what-if: every path is a line in the factor, and the longest path is their upper envelope. The envelope
// of the lines known so far is asked at its corners; a corner that no other line rises above is a kink (Eisner and
// Severance 1976).
#include "analysis/zeroing.h"

#include "analysis/attribution.h"
#include "analysis/elapseddelays.h"
#include "analysis/laneplan.h"
#include "analysis/pathend.h"
#include "analysis/whatifcheck.h"
#include "analysis/whatiflanes.h"
#include "core/parallel.h"
#include "core/translate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace longpole {

namespace {

__extension__ typedef __int128 Wide;

constexpr std::uint32_t blockTasks = 1u << 15;
constexpr std::size_t lanes = 4;
constexpr unsigned passThreads = 2;

// Length of a path: fixed + slope x factor.
struct Line {
    TimeNs fixed = 0;
    TimeNs slope = 0;
};


// Longer at the factor, or as long there and longer beyond it.
bool isLonger(Line a, Line b, Rational factor)
{
    const Wide more = Wide{a.fixed - b.fixed} * factor.denominator + Wide{a.slope - b.slope} * factor.numerator;
    return more > 0 || (more == 0 && a.slope > b.slope);
}

// Where a steeper line overtakes another.
Rational crossing(Line flat, Line steep)
{
    return lowestTerms({flat.fixed - steep.fixed, steep.slope - flat.slope});
}

// The longest path at each of up to `lanes` factors, as a line.
class LinePass {
public:
    using Lines = std::array<Line, lanes>;

    LinePass(const ActivityGraph& graph, const WhatIfModel& model, const LanePlan& plan,
             const std::vector<EntryId>& entries, std::span<const Rational> factors)
        : m_graph(graph), m_merges(model.edges.merges), m_plan(plan), m_factors(factors), m_slots(plan.slots + 1),
          m_isDelayed(model.mode == PathMode::Elapsed),
          m_ends(m_isDelayed || model.edges.level == EdgeLevel::Order ? graph.byProcessor.size() : 0),
          m_free(m_isDelayed ? graph.byProcessor.size() : 0, graph.run.begin)
    {
        for (const EntryId entry : entries) m_chosen.push_back(index(entry));
        std::sort(m_chosen.begin(), m_chosen.end());
    }

    // False if cancelled.
    bool run(PassProgress& progress)
    {
        const auto size = static_cast<std::uint32_t>(m_graph.size());
        for (std::uint32_t first = 0; first < size;) {
            const std::uint32_t last = size - first > blockTasks ? first + blockTasks : size;
            for (std::uint32_t i = first; i < last; ++i) pass(i);
            if (!progress.advance(last - first)) return false;
            first = last;
        }
        return true;
    }

    const Lines& longest() const { return m_longest; }

private:
    void pass(std::uint32_t i)
    {
        Lines head{};
        const ElapsedDelays delays = delaysOf(i);
        if (!m_ends.empty()) {
            head = m_ends[m_graph.pe[i]];
            for (Line& line : head) line.fixed += delays.order;
        }
        if (const std::uint32_t source = m_graph.source[i]; source != noTask)
            raise(head, source, m_graph.offset[i], delays.message);
        for (; m_merge < m_merges.size() && m_merges[m_merge].task == i; ++m_merge)
            raise(head, m_merges[m_merge].source, m_merges[m_merge].offset, 0);
        if (m_plan.slot[i] != LanePlan::noSlot) m_slots[m_plan.slot[i]] = head;
        const Line own = weight(i, m_graph.duration[i]);
        for (std::size_t k = 0; k < m_factors.size(); ++k) {
            head[k] = {head[k].fixed + own.fixed, head[k].slope + own.slope};
            if (isLonger(head[k], m_longest[k], m_factors[k])) m_longest[k] = head[k];
        }
        if (!m_ends.empty()) m_ends[m_graph.pe[i]] = head;
    }

    // To what lies `delay` after `prefix` of the source has run, where that is longer.
    void raise(Lines& head, std::uint32_t source, TimeNs prefix, TimeNs delay) const
    {
        const Line before = weight(source, prefix);
        const Lines& from = m_slots[m_plan.slot[source]];
        for (std::size_t k = 0; k < m_factors.size(); ++k) {
            const Line line{from[k].fixed + before.fixed + delay, from[k].slope + before.slope};
            if (isLonger(line, head[k], m_factors[k])) head[k] = line;
        }
    }

    Line weight(std::uint32_t task, TimeNs prefix) const
    {
        Line sum;
        const auto add = [&](std::uint32_t entry, TimeNs time) { (isChosen(entry) ? sum.slope : sum.fixed) += time; };
        if (m_plan.hasNested(task)) attributeToInnermost(m_graph, task, m_graph.begin[task] + prefix, add);
        else add(m_graph.entry[task], prefix);
        return sum;
    }

    bool isChosen(std::uint32_t entry) const
    {
        if (m_chosen.size() == 1) return m_chosen.front() == entry;
        return std::binary_search(m_chosen.begin(), m_chosen.end(), entry);
    }

    ElapsedDelays delaysOf(std::uint32_t i)
    {
        if (!m_isDelayed) return {};
        TimeNs& free = m_free[m_graph.pe[i]];
        const ElapsedDelays delays = elapsedDelays(m_graph, i, free);
        free = m_graph.end(i);
        return delays;
    }

    const ActivityGraph& m_graph;
    const std::vector<MergeEdge>& m_merges;
    const LanePlan& m_plan;
    std::span<const Rational> m_factors;
    std::vector<Lines> m_slots;
    bool m_isDelayed;
    std::vector<Lines> m_ends;    // per PE; empty where the PEs' order is no edge
    std::vector<TimeNs> m_free;
    std::vector<std::uint32_t> m_chosen;  // sorted
    std::size_t m_merge = 0;
    Lines m_longest{};
};

// The lines that are longest somewhere, flattest first.
std::vector<Line> envelope(std::vector<Line> lines)
{
    std::sort(lines.begin(), lines.end(), [](Line a, Line b) {
        return std::tie(a.slope, a.fixed) < std::tie(b.slope, b.fixed);
    });
    std::vector<Line> upper;
    for (const Line line : lines) {
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
    Line before, after;
};

// Where the envelope bends between 0 and `until`, ascending.
std::vector<Kink> kinks(const std::vector<Line>& upper, Rational until)
{
    std::vector<Kink> bends;
    for (std::size_t i = 1; i < upper.size(); ++i) {
        const Rational factor = crossing(upper[i - 1], upper[i]);
        if (factor.numerator > 0 && isLess(factor, until)) bends.push_back({factor, upper[i - 1], upper[i]});
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
        std::vector<Line> lines;
        std::vector<Rational> settled;  // factors at which the envelope is the curve
        while (!asked.empty()) {
            const std::vector<Line> found = longestAt(asked);
            if (found.empty()) return {};
            lines.insert(lines.end(), found.begin(), found.end());
            settled.insert(settled.end(), asked.begin(), asked.end());
            lines = envelope(std::move(lines));
            asked.clear();
            for (const Kink& kink : kinks(lines, until))
                if (std::find(settled.begin(), settled.end(), kink.factor) == settled.end())
                    asked.push_back(kink.factor);
        }
        return curve(lines, until);
    }

private:
    // In the order of the factors; empty if cancelled.
    std::vector<Line> longestAt(const std::vector<Rational>& factors)
    {
        if (m_plan.slot.size() != m_graph.size()) return {};
        const std::size_t passes = (factors.size() + lanes - 1) / lanes;
        PassProgress passed(m_progress, passes * m_graph.size());
        std::vector<Line> found(factors.size());
        parallelFor(passes, [&](std::size_t number) {
            const std::size_t first = number * lanes;
            const auto asked = std::span(factors).subspan(first).first(std::min(lanes, factors.size() - first));
            LinePass pass(m_graph, m_model, m_plan, m_entries, asked);
            if (!pass.run(passed)) return;
            for (std::size_t k = 0; k < asked.size(); ++k)
                found[first + k] = {pass.longest()[k].fixed + m_rest, pass.longest()[k].slope};
        }, std::min(passThreads, defaultThreads()));
        return m_progress.isCancelled() ? std::vector<Line>() : found;
    }

    static WhatIfCurve curve(const std::vector<Line>& upper, Rational until)
    {
        WhatIfCurve curve;
        const auto add = [&curve](Rational factor, Line line) {
            curve.points.push_back({factor, lineAt(line.fixed, line.slope, factor), line.fixed, line.slope});
        };
        const auto longestAt = [&upper](Rational factor) {
            Line longest = upper.front();
            for (const Line line : upper)
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
    constexpr TimeNs longest = TimeNs{1} << 61;  // so that products of two lengths fit 127 bits
    if (graph.run.length() > longest)
        return Error{.what = tr("The run is too long for a curve."), .where = QString(), .hint = QString()};
    const std::optional<WhatIfCurve> curve = CurveSearch(graph, model, entries, progress).upTo(lowestTerms(until));
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
