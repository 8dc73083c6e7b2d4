// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/times.h"

#include "core/base/translate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace longpole {

namespace {

// The part of the run in which a task began.
std::size_t partOf(const ActivityGraph& graph, std::uint32_t task, std::size_t parts)
{
    const double into = static_cast<double>(graph.begin[task] - graph.run.begin);
    const double length = static_cast<double>(std::max<TimeNs>(1, graph.run.length()));
    return std::min(parts - 1, static_cast<std::size_t>(std::max(0.0, into / length) * static_cast<double>(parts)));
}

// In each part of the run every processor gets the mean of their busy times; one that did nothing in it has nothing to
// be scaled. Factors by part, then processor.
std::vector<double> balance(const ActivityGraph& graph, std::size_t parts)
{
    const std::size_t processors = graph.byProcessor.size();
    std::vector<double> busy(parts * processors, 0);
    for (std::size_t pe = 0; pe < processors; ++pe)
        for (const std::uint32_t task : graph.byProcessor[pe])
            busy[partOf(graph, task, parts) * processors + pe] += static_cast<double>(graph.duration[task]);
    for (std::size_t part = 0; part < parts; ++part) {
        const auto first = busy.begin() + static_cast<std::ptrdiff_t>(part * processors);
        const auto end = first + static_cast<std::ptrdiff_t>(processors);
        const double mean = std::accumulate(first, end, 0.0)
                            / static_cast<double>(std::max<std::size_t>(1, processors));
        std::transform(first, end, first, [mean](double time) { return time > 0 ? mean / time : 1; });
    }
    return busy;
}

}  // namespace

Result<ReplayTimes> ReplayTimes::of(const ActivityGraph& graph, const ReplayQuestion& question)
{
    ReplayTimes times(graph);
    for (const WhatIf& whatIf : question.factors) {
        const double factor = static_cast<double>(whatIf.factor.numerator)
                              / static_cast<double>(whatIf.factor.denominator);
        if (whatIf.factor.numerator < 0 || whatIf.factor.denominator <= 0 || factor > largestFactor)
            return Error{.what = tr("This factor cannot be replayed."),
                         .where = toText(whatIf.factor),
                         .hint = tr("Factors lie between 0 and a million.")};
        for (const EntryId entry : whatIf.entries) {
            if (index(entry) >= mostIds) continue;
            if (index(entry) >= times.m_ofEntry.size()) times.m_ofEntry.resize(index(entry) + std::size_t{1}, 1);
            times.m_ofEntry[index(entry)] = factor;
        }
    }
    if (question.perfectBalance) {
        times.m_parts = std::max<std::uint32_t>(1, question.balanceParts);
        times.m_balance = balance(graph, times.m_parts);
    }
    for (const auto& [id, less] : question.shorter) {
        const std::uint32_t task = graph.find(id);
        if (task == noTask || graph.duration[task] <= 0) continue;
        const TimeNs duration = graph.duration[task];
        times.m_left[task] = static_cast<double>(duration - std::clamp<TimeNs>(less, 0, duration))
                             / static_cast<double>(duration);
    }
    if (!times.areRecorded()) times.m_prefixes.emplace(std::make_shared<const NestedParts>(graph), times.adding());
    return times;
}

TimeNs ReplayTimes::scaled(std::uint32_t task, TimeNs offset) const
{
    const TimeNs inside = std::min(offset, m_graph->duration[task]);
    double time = m_prefixes->upTo(task, m_graph->begin[task] + inside, adding());
    if (!m_balance.empty()) time *= balanceOf(task);
    if (const auto left = m_left.find(task); left != m_left.end()) time *= left->second;
    return std::llround(time) + (offset - inside);
}

double ReplayTimes::balanceOf(std::uint32_t task) const
{
    return m_balance[partOf(*m_graph, task, m_parts) * m_graph->byProcessor.size() + m_graph->pe[task]];
}

}  // namespace longpole
