// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/lines.h"

#include "analysis/graph/nestedparts.h"
#include "analysis/whatif/passrun.h"
#include "core/base/wide.h"

#include <algorithm>
#include <optional>

namespace longpole {

namespace {

// Whole numbers up to 2^53 are exact in doubles, which can be multiplied four at a time.
constexpr std::size_t numbersAtOnce = 4;
using FourNumbers [[gnu::vector_size(numbersAtOnce * sizeof(double)), gnu::may_alias]] = double;
using FourMasks [[gnu::vector_size(numbersAtOnce * sizeof(std::int64_t)), gnu::may_alias]] = std::int64_t;

struct alignas(64) Lines {
    double fixed[lineLanes] = {};
    double slope[lineLanes] = {};

    PathLine at(std::size_t k) const { return {static_cast<TimeNs>(fixed[k]), static_cast<TimeNs>(slope[k])}; }
    void set(std::size_t k, PathLine line)
    {
        fixed[k] = static_cast<double>(line.fixed);
        slope[k] = static_cast<double>(line.slope);
    }
};

[[gnu::always_inline]] inline const FourNumbers& four(const double* lanes, std::size_t k)
{
    return *reinterpret_cast<const FourNumbers*>(lanes + k);
}
// NOLINTNEXTLINE(readability-non-const-parameter): what it gives is written
[[gnu::always_inline]] inline FourNumbers& four(double* lanes, std::size_t k)
{
    return *reinterpret_cast<FourNumbers*>(lanes + k);
}

// Raises each of `lines` to the other one plus `more`, where that is longer; false if rounding leaves it open for some
// lane, and then nothing is changed. Rounding keeps order: of two products, the one that comes out larger is larger.
[[gnu::always_inline]] inline bool raise(Lines& lines, const Lines& other, PathLine more, const Lines& factors)
{
    const double moreFixed = static_cast<double>(more.fixed);
    const double moreSlope = static_cast<double>(more.slope);
    Lines raised;
    FourMasks isOpen{};
    for (std::size_t k = 0; k < lineLanes; k += numbersAtOnce) {
        const FourNumbers fixed = four(lines.fixed, k), slope = four(lines.slope, k);
        const FourNumbers otherFixed = four(other.fixed, k) + moreFixed, otherSlope = four(other.slope, k) + moreSlope;
        const FourNumbers won = (otherFixed - fixed) * four(factors.fixed, k);
        const FourNumbers lost = (slope - otherSlope) * four(factors.slope, k);
        isOpen |= (won == lost) & ((otherFixed != fixed) | (otherSlope != slope));
        const FourMasks isMore = won > lost;
        four(raised.fixed, k) = isMore ? otherFixed : fixed;
        four(raised.slope, k) = isMore ? otherSlope : slope;
    }
    if ((isOpen[0] | isOpen[1] | isOpen[2] | isOpen[3]) != 0) return false;
    lines = raised;
    return true;
}

[[gnu::always_inline]] inline void add(Lines& lines, PathLine more)
{
    for (std::size_t k = 0; k < lineLanes; k += numbersAtOnce) {
        four(lines.fixed, k) += static_cast<double>(more.fixed);
        four(lines.slope, k) += static_cast<double>(more.slope);
    }
}

template <PassKind kind>
class LinesAtOnce {
public:
    LinesAtOnce(const ActivityGraph& graph, const Dependencies& edges, const LanePlan& plan,
                const std::vector<EntryId>& entries, std::span<const Rational> factors)
        : m_graph(graph), m_merges(edges.merges), m_plan(plan), m_factors(factors.begin(), factors.end()),
          m_fixed(std::vector<WhatIf>{{entries, {0, 1}}}), m_slots(plan.slots + 1),
          m_ends(isOrdered ? graph.byProcessor.size() : 0),
          m_free(isDelayed ? graph.byProcessor.size() : 0, graph.run.begin)
    {
        m_factors.resize(lineLanes, Rational{0, 1});
        for (std::size_t k = 0; k < lineLanes; ++k) m_terms.set(k, {m_factors[k].denominator, m_factors[k].numerator});
        if (plan.nested) m_prefixes.emplace(plan.nested, adding());
    }

    // Tasks [first, last), which follow the ones of the call before.
    [[gnu::always_inline]] void run(std::uint32_t first, std::uint32_t last)
    {
        for (std::uint32_t i = first; i < last; ++i) {
            fetchAhead<kind>(m_graph, m_plan, m_slots, m_ends, i);
            Lines head;
            const ElapsedDelays delays = delaysOf<kind>(m_graph, i, m_free);
            if constexpr (isOrdered) {
                head = m_ends[m_graph.pe[i]];
                if constexpr (isDelayed) longpole::add(head, {delays.order, 0});
            }
            if (const std::uint32_t source = m_graph.source[i]; source != noTask)
                take(head, source, m_graph.offset[i], delays.message);
            for (; m_merge < m_merges.size() && m_merges[m_merge].task == i; ++m_merge)
                take(head, m_merges[m_merge].source, m_merges[m_merge].offset, 0);
            slotOf(m_slots, m_plan, i) = head;
            longpole::add(head, weight(i, m_graph.duration[i]));
            if constexpr (isOrdered) m_ends[m_graph.pe[i]] = head;
            else if (!raise(m_longest, head, {}, m_terms)) raiseExactly(m_longest, head, {});
        }
    }

    // The longest of all ends. A PE's last end is its longest where order is an edge.
    std::array<PathLine, lineLanes> longest()
    {
        for (const Lines& ends : m_ends) raiseExactly(m_longest, ends, {});
        std::array<PathLine, lineLanes> lines{};
        for (std::size_t k = 0; k < lineLanes; ++k) lines[k] = m_longest.at(k);
        return lines;
    }

private:
    static constexpr bool isOrdered = kind != PassKind::Unordered;
    static constexpr bool isDelayed = kind == PassKind::Delayed;

    // Raises `head` to the paths over `source` for `prefix` of it and `delay` after that, where they are longer.
    [[gnu::always_inline]] void take(Lines& head, std::uint32_t source, TimeNs prefix, TimeNs delay) const
    {
        PathLine more = weight(source, prefix);
        more.fixed += delay;
        const Lines& from = m_slots[m_plan.slot[source]];
        if (!raise(head, from, more, m_terms)) raiseExactly(head, from, more);
    }

    [[gnu::noinline]] void raiseExactly(Lines& lines, const Lines& other, PathLine more) const
    {
        for (std::size_t k = 0; k < lineLanes; ++k) {
            const PathLine before = other.at(k);
            const PathLine line{before.fixed + more.fixed, before.slope + more.slope};
            if (isLonger(line, lines.at(k), m_factors[k])) lines.set(k, line);
        }
    }

    [[gnu::always_inline]] PathLine weight(std::uint32_t task, TimeNs prefix) const
    {
        if (m_plan.hasNested(task)) return nestedWeight(task, prefix);
        return isChosen(m_graph.entry[task]) ? PathLine{0, prefix} : PathLine{prefix, 0};
    }

    [[gnu::noinline]] PathLine nestedWeight(std::uint32_t task, TimeNs prefix) const
    {
        return m_prefixes->upTo(task, m_graph.begin[task] + prefix, adding());
    }

    auto adding() const
    {
        return [this](PathLine& sum, std::uint32_t entry, TimeNs time) {
            (isChosen(entry) ? sum.slope : sum.fixed) += time;
        };
    }

    [[gnu::always_inline]] bool isChosen(std::uint32_t entry) const { return m_fixed.of(entry)[0] == 0; }

    const ActivityGraph& m_graph;
    const std::vector<MergeEdge>& m_merges;
    const LanePlan& m_plan;
    std::vector<Rational> m_factors;                 // as many as lanes
    LaneFactors m_fixed;                             // 0 for the entry methods, 1 for all else
    std::vector<Lines> m_slots;                      // at the begin of tasks that are still depended on
    std::vector<Lines> m_ends;                       // at the end of each PE's newest task
    std::vector<TimeNs> m_free;                      // when that ended in the run as it was
    std::optional<PrefixSums<PathLine>> m_prefixes;  // if executions are nested in some task
    std::size_t m_merge = 0;
    Lines m_terms;  // fixed: the denominators; slope: the numerators
    Lines m_longest;
};

template <PassKind kind>
LinePass passOf(const ActivityGraph& graph, const WhatIfModel& model, const LanePlan& plan,
                const std::vector<EntryId>& entries, std::span<const Rational> factors, PassProgress& progress)
{
    LinesAtOnce<kind> pass(graph, model.edges, plan, entries, factors);
    if (!runAll(pass, graph.size(), progress)) return {};
    return {pass.longest(), true};
}

}  // namespace

bool isLonger(PathLine a, PathLine b, Rational factor)
{
    const Wide more = Wide{a.fixed - b.fixed} * factor.denominator + Wide{a.slope - b.slope} * factor.numerator;
    return more > 0 || (more == 0 && a.slope > b.slope);
}

LinePass linePass(const ActivityGraph& graph, const WhatIfModel& model, const LanePlan& plan,
                  const std::vector<EntryId>& entries, std::span<const Rational> factors, PassProgress& progress)
{
    const PassKind kind = passKind(model);
    const auto pass = kind == PassKind::Delayed   ? passOf<PassKind::Delayed>
                      : kind == PassKind::Ordered ? passOf<PassKind::Ordered>
                                                  : passOf<PassKind::Unordered>;
    return pass(graph, model, plan, entries, factors, progress);
}

}  // namespace longpole
