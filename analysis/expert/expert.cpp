// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/expert.h"

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

// What the checks that the run does not pass make of a piece of advice.
void weaken(Advice& advice, std::span<const Check> checks)
{
    for (const Check& check : checks) {
        if (effectOf(check, advice.node) == CheckEffect::None) continue;
        advice.confidence *= check.confidence;
        if (!check.doubt.isEmpty()) advice.doubts << check.doubt;
    }
}

double weight(const Advice& advice) { return static_cast<double>(advice.severity) * advice.confidence; }

// Puts the advice of the leaf at which the tree ends before what weighs about the same: among causes of nearly the same
// loss, the tree prefers the most specific one. Advice with a replayed gain stays where it is.
void leadWithTree(std::vector<Advice>& advice, const DecisionTree& tree)
{
    constexpr double nearly = 0.95;
    const auto rest = std::find_if_not(advice.begin(), advice.end(), isReplayed);
    if (rest == advice.end() || tree.path.empty()) return;
    const auto first = std::find_if(rest, advice.end(), [&](const Advice& one) {
        return !isReplayed(one) && one.node == tree.path.back();
    });
    if (first != advice.end() && weight(*first) >= nearly * weight(*rest)) std::rotate(rest, first, first + 1);
}

}  // namespace

std::vector<Advice> allAdvice(const Expert& found)
{
    std::vector<Advice> advice = found.scheduling.advice;
    advice.insert(advice.end(), found.tree.advice.begin(), found.tree.advice.end());
    for (Advice& one : advice) weaken(one, found.health.checks);
    return advice;
}

void rank(std::vector<Advice>& advice, const DecisionTree& tree)
{
    std::sort(advice.begin(), advice.end(), ranksBefore);
    leadWithTree(advice, tree);
}

}  // namespace longpole
