// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/lanes.h"

#include "analysis/base/bigarray.h"
#include "analysis/graph/nestedparts.h"
#include "analysis/whatif/passrun.h"

#include <algorithm>
#include <optional>

namespace longpole {

namespace {

// Four lanes in one register, or as many as the machine has for them.
constexpr std::size_t timesAtOnce = 4;
using FourTimes [[gnu::vector_size(timesAtOnce * sizeof(TimeNs)), gnu::may_alias]] = TimeNs;

template <std::size_t lanes>
struct alignas(std::min<std::size_t>(64, lanes * sizeof(TimeNs))) Lanes {
    TimeNs at[lanes] = {};
};

constexpr Lanes<mostLanes> laneBits = [] {
    Lanes<mostLanes> bits;
    for (std::size_t k = 0; k < mostLanes; ++k) bits.at[k] = TimeNs{1} << k;
    return bits;
}();

[[gnu::always_inline]] inline const FourTimes& four(const TimeNs* lanes, std::size_t k)
{
    return *reinterpret_cast<const FourTimes*>(lanes + k);
}
// NOLINTNEXTLINE(readability-non-const-parameter): what it gives is written
[[gnu::always_inline]] inline FourTimes& four(TimeNs* lanes, std::size_t k)
{
    return *reinterpret_cast<FourTimes*>(lanes + k);
}

[[gnu::always_inline]] inline TimeNs timeAt(const CompactTimes& times, const std::uint32_t* column, std::uint32_t i)
{
    return column[i] != CompactTimes::aside ? TimeNs{column[i]} : times[i];
}

template <std::size_t lanes, PassKind kind>
class LanesAtOnce {
public:
    LanesAtOnce(const ActivityGraph& graph, const Dependencies& edges, const LanePlan& plan, const LaneFactors& factors,
                std::size_t questions, LanePass& result)
        : m_graph(graph), m_edges(edges), m_plan(plan), m_factors(factors), m_result(result), m_slots(plan.slots + 1),
          m_ends(isOrdered ? graph.byProcessor.size() : 1),
          m_free(isDelayed ? graph.byProcessor.size() : 0, graph.run.begin)
    {
        // What a task without a message has waited for: less than any PE's order, or nothing where that is no edge.
        std::fill_n(m_none.at, lanes, isOrdered ? -1 : 0);
        // Lanes without a question never reach farther.
        std::fill_n(m_best.at, lanes, maxTime);
        std::fill_n(m_best.at, questions, -1);
        m_result.end.fill(noTask);
        if (isOrdered) reserveBig(m_result.orderWins, graph.size());
        m_result.mergeWins.resize(edges.merges.size());
        m_nextMerge = m_edges.merges.empty() ? noTask : m_edges.merges[0].task;
        if (plan.nested) m_prefixes.emplace(plan.nested, adding());
    }

    // Tasks [first, last), which follow the ones of the call before.
    [[gnu::always_inline]] void run(std::uint32_t first, std::uint32_t last)
    {
        makeRoom(last);
        const std::uint32_t* const source = m_graph.source.data();
        const std::uint32_t* const offset = m_graph.offset.data();
        const std::uint32_t* const duration = m_graph.duration.data();
        const std::uint32_t* const entry = m_graph.entry.data();
        for (std::uint32_t i = first; i < last; ++i) {
            fetchAhead<kind>(m_graph, m_plan, m_slots, m_ends, i);
            const std::uint32_t from = source[i];
            if (i == m_nextMerge || m_plan.hasNested(i) || (from != noTask && m_plan.hasNested(from))) {
                anyTask(i);
                continue;
            }
            const bool sent = from != noTask;
            const Reasons reasons{sent ? m_slots[m_plan.slot[from]].at : m_none.at,
                                  m_factors.of(entry[sent ? from : i]), sent ? timeAt(m_graph.offset, offset, i) : 0,
                                  delaysOf<kind>(m_graph, i, m_free)};
            TimeNs* const ends = endsOf(i);
            const TimeNs word = step(reasons, ends, m_factors.of(entry[i]), timeAt(m_graph.duration, duration, i),
                                     slotOf(m_slots, m_plan, i).at);
            if constexpr (isOrdered) m_result.orderWins[i] = static_cast<std::uint16_t>(word);
            if ((word & farthestBit) != 0) reach(i, ends);
        }
    }

    void finish()
    {
        for (std::size_t k = 0; k < lanes; ++k)
            if (m_result.end[k] != noTask) m_result.length[k] = m_best.at[k];
        m_result.isDone = true;
    }

private:
    static constexpr bool isOrdered = kind != PassKind::Unordered;
    static constexpr bool isDelayed = kind == PassKind::Delayed;
    static constexpr TimeNs farthestBit = TimeNs{1} << mostLanes;

    // What a task can have waited for besides its PE.
    struct Reasons {
        const TimeNs* from;    // lanes of what sent its message
        const TimeNs* factor;  // of that one's entry method
        TimeNs prefix;
        ElapsedDelays delays;
    };

    // Room for what the tasks up to `last` choose: made just before they are passed, it is in the cache then.
    [[gnu::noinline]] void makeRoom(std::uint32_t last)
    {
        if (isOrdered) m_result.orderWins.resize(last);
    }

    // Computes all lanes of a task in which no execution is nested. Returns a bit for each lane in which the PE's order
    // decided, and farthestBit if the task ends farther along than all before it in some lane.
    [[gnu::always_inline]] TimeNs step(const Reasons& reasons, TimeNs* ends, const TimeNs* factor, TimeNs duration,
                                       TimeNs* head) const
    {
        const TimeNs* const others = m_factors.ofOthers();
        FourTimes word{};
        for (std::size_t k = 0; k < lanes; k += timesAtOnce) {
            FourTimes value = four(reasons.from, k) + reasons.prefix * four(reasons.factor, k);
            if constexpr (isDelayed) value += reasons.delays.message * four(others, k);
            if constexpr (isOrdered) {
                FourTimes order = four(ends, k);
                if constexpr (isDelayed) order += reasons.delays.order * four(others, k);
                const FourTimes isMore = order > value;
                word |= isMore & four(laneBits.at, k);
                value = isMore ? order : value;
            }
            four(head, k) = value;
            const FourTimes end = value + duration * four(factor, k);
            four(ends, k) = end;
            word |= (end >= four(m_best.at, k)) & farthestBit;
        }
        return word[0] | word[1] | word[2] | word[3];
    }

    // The same for any task: with merges, and with executions nested in it or in what it depends on.
    [[gnu::noinline]] void anyTask(std::uint32_t i)
    {
        const ElapsedDelays delays = delaysOf<kind>(m_graph, i, m_free);
        TimeNs* const ends = endsOf(i);
        TimeNs value[lanes];
        std::copy_n(m_none.at, lanes, value);
        if (const std::uint32_t from = m_graph.source[i]; from != noTask) {
            const Lanes<lanes> left = after(from, m_graph.offset[i]);
            for (std::size_t k = 0; k < lanes; ++k) value[k] = left.at[k] + delays.message * m_factors.ofOthers()[k];
        }
        if constexpr (!isDelayed) takeMerges(i, value);
        if constexpr (isOrdered) {
            TimeNs wins = 0;
            for (std::size_t k = 0; k < lanes; ++k) {
                const TimeNs order = ends[k] + delays.order * m_factors.ofOthers()[k];
                if (order <= value[k]) continue;
                wins |= laneBits.at[k];
                value[k] = order;
            }
            m_result.orderWins[i] = static_cast<std::uint16_t>(wins);
        }
        if constexpr (isDelayed) takeMerges(i, value);
        std::copy_n(value, lanes, slotOf(m_slots, m_plan, i).at);
        const Lanes<lanes> own = weightOf(i, m_graph.duration[i]);
        for (std::size_t k = 0; k < lanes; ++k) ends[k] = value[k] + own.at[k];
        reach(i, ends);
    }

    void takeMerges(std::uint32_t i, TimeNs* value)
    {
        for (; m_merge < m_edges.merges.size() && m_edges.merges[m_merge].task == i; ++m_merge) {
            const MergeEdge& merge = m_edges.merges[m_merge];
            const Lanes<lanes> left = after(merge.source, merge.offset);
            TimeNs wins = 0;
            for (std::size_t k = 0; k < lanes; ++k) {
                if (left.at[k] <= value[k]) continue;
                wins |= laneBits.at[k];
                value[k] = left.at[k];
            }
            m_result.mergeWins[m_merge] = static_cast<std::uint16_t>(wins);
        }
        m_nextMerge = m_merge < m_edges.merges.size() ? m_edges.merges[m_merge].task : noTask;
    }

    // The lengths in all lanes once `prefix` of a task has run.
    Lanes<lanes> after(std::uint32_t task, TimeNs prefix) const
    {
        Lanes<lanes> left = weightOf(task, prefix);
        const Lanes<lanes>& head = m_slots[m_plan.slot[task]];
        for (std::size_t k = 0; k < lanes; ++k) left.at[k] += head.at[k];
        return left;
    }

    Lanes<lanes> weightOf(std::uint32_t task, TimeNs prefix) const
    {
        if (m_plan.hasNested(task)) return m_prefixes->upTo(task, m_graph.begin[task] + prefix, adding());
        Lanes<lanes> weight;
        adding()(weight, m_graph.entry[task], prefix);
        return weight;
    }

    auto adding() const
    {
        return [this](Lanes<lanes>& weight, std::uint32_t entry, TimeNs time) {
            const TimeNs* const factor = m_factors.of(entry);
            for (std::size_t k = 0; k < lanes; ++k) weight.at[k] += time * factor[k];
        };
    }

    [[gnu::always_inline]] TimeNs* endsOf(std::uint32_t i) { return m_ends[isOrdered ? m_graph.pe[i] : 0].at; }

    [[gnu::noinline]] void reach(std::uint32_t i, const TimeNs* ends)
    {
        for (std::size_t k = 0; k < lanes; ++k) {
            if (ends[k] < m_best.at[k]) continue;
            const std::uint32_t farthest = m_result.end[k];
            if (ends[k] == m_best.at[k] && (farthest == noTask || m_graph.id(farthest) < m_graph.id(i))) continue;
            m_best.at[k] = ends[k];
            m_result.end[k] = i;
        }
    }

    const ActivityGraph& m_graph;
    const Dependencies& m_edges;
    const LanePlan& m_plan;
    const LaneFactors& m_factors;
    LanePass& m_result;
    std::vector<Lanes<lanes>> m_slots;                   // lanes at the begin of tasks that are still depended on
    std::vector<Lanes<lanes>> m_ends;                    // at the end of each PE's newest task
    std::vector<TimeNs> m_free;                          // when that ended in the run as it was
    std::optional<PrefixSums<Lanes<lanes>>> m_prefixes;  // if executions are nested in some task
    Lanes<lanes> m_none, m_best;
    std::size_t m_merge = 0;
    std::uint32_t m_nextMerge = noTask;  // the task of that merge
};

template <std::size_t lanes, PassKind kind>
LanePass passOf(const ActivityGraph& graph, const Dependencies& edges, const LanePlan& plan, const LaneFactors& factors,
                std::size_t questions, PassProgress& progress)
{
    LanePass result;
    LanesAtOnce<lanes, kind> pass(graph, edges, plan, factors, questions, result);
    if (runAll(pass, graph.size(), progress)) pass.finish();
    return result;
}

template <PassKind kind>
auto passWith(std::size_t questions)
{
    if (questions <= 4) return passOf<4, kind>;
    return questions <= 8 ? passOf<8, kind> : passOf<mostLanes, kind>;
}

}  // namespace

LaneFactors::LaneFactors(std::span<const WhatIf> questions)
{
    constexpr std::uint32_t tableEntries = 1u << 20;
    m_rows.resize(1);
    for (std::size_t k = 0; k < questions.size(); ++k) m_rows[0].at[k] = questions[k].factor.denominator;
    const auto rowOf = [this](std::uint32_t entry) -> std::uint32_t& {
        if (entry < tableEntries) {
            if (entry >= m_rowOf.size()) m_rowOf.resize(entry + 1, 0);
            return m_rowOf[entry];
        }
        return m_beyond.try_emplace(entry, 0).first->second;
    };
    for (std::size_t k = 0; k < questions.size(); ++k) {
        for (const EntryId entry : questions[k].entries) {
            std::uint32_t& row = rowOf(index(entry));
            if (row == 0) {
                row = static_cast<std::uint32_t>(m_rows.size());
                m_rows.push_back(m_rows[0]);
            }
            m_rows[row].at[k] = questions[k].factor.numerator;
        }
    }
}

const TimeNs* LaneFactors::ofBeyond(std::uint32_t entry) const
{
    const auto known = m_beyond.find(entry);
    return m_rows[known != m_beyond.end() ? known->second : 0].at;
}

LanePass lanePass(const ActivityGraph& graph, const WhatIfModel& model, const LanePlan& plan,
                  const LaneFactors& factors, std::size_t questions, PassProgress& progress)
{
    const PassKind kind = passKind(model);
    const auto pass = kind == PassKind::Delayed   ? passWith<PassKind::Delayed>(questions)
                      : kind == PassKind::Ordered ? passWith<PassKind::Ordered>(questions)
                                                  : passWith<PassKind::Unordered>(questions);
    return pass(graph, model.edges, plan, factors, questions, progress);
}

}  // namespace longpole
