// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/times.h"

#include "analysis/graph/attribution.h"
#include "core/base/translate.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double largestFactor = 1e6;

// Every processor gets the mean of their busy times; one that did nothing has nothing to be scaled.
std::vector<double> balance(const ActivityGraph& graph)
{
    std::vector<double> busy(graph.byProcessor.size(), 0);
    double all = 0;
    for (std::size_t pe = 0; pe < busy.size(); ++pe) {
        for (const std::uint32_t task : graph.byProcessor[pe]) busy[pe] += static_cast<double>(graph.duration[task]);
        all += busy[pe];
    }
    const double mean = busy.empty() ? 0 : all / static_cast<double>(busy.size());
    for (double& time : busy) time = time > 0 ? mean / time : 1;
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
    if (question.perfectBalance) times.m_ofProcessor = balance(graph);
    return times;
}

TimeNs ReplayTimes::scaled(std::uint32_t task, TimeNs offset) const
{
    const TimeNs inside = std::min(offset, m_graph->duration[task]);
    double time = 0;
    attributeToInnermost(*m_graph, task, m_graph->begin[task] + inside, [&](std::uint32_t entry, TimeNs part) {
        time += static_cast<double>(part) * factorOf(entry);
    });
    if (!m_ofProcessor.empty()) time *= m_ofProcessor[m_graph->pe[task]];
    return std::llround(time) + (offset - inside);
}

}  // namespace longpole
