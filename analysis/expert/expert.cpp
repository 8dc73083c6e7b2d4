// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/expert.h"

#include "core/base/translate.h"

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
// loss, the tree prefers the most specific one; what a run without cores lost is said first in any case. Advice with a
// replayed gain stays where it is.
void leadWithTree(std::vector<Advice>& advice, const DecisionTree& tree)
{
    constexpr double nearly = 0.95;
    const auto rest = std::find_if_not(advice.begin(), advice.end(), isReplayed);
    if (rest == advice.end() || tree.path.empty()) return;
    const auto first = std::find_if(rest, advice.end(), [&](const Advice& one) {
        return !isReplayed(one) && one.node == tree.path.back();
    });
    if (first == advice.end()) return;
    const bool isFirst = first->node == QLatin1String("cores") || weight(*first) >= nearly * weight(*rest);
    if (isFirst) std::rotate(rest, first, first + 1);
}

}  // namespace

std::vector<Advice> allAdvice(const Expert& found)
{
    std::vector<Advice> advice = found.scheduling.advice;
    advice.insert(advice.end(), found.tree.advice.begin(), found.tree.advice.end());
    for (Advice& one : advice) weaken(one, found.health.checks);
    return advice;
}

void markWhatSavesNothing(Expert& found)
{
    QStringList dropped;
    for (TreeNode& node : found.tree.nodes) {
        const auto isOfNode = [&node](const Advice& one) { return one.node == node.id; };
        const auto isGood = [&](const Advice& one) { return isOfNode(one) && isWorthIt(one); };
        if (node.verdict != Verdict::Fired || std::none_of(found.advice.begin(), found.advice.end(), isOfNode))
            continue;
        node.isWorthIt = std::any_of(found.advice.begin(), found.advice.end(), isGood);
        if (node.isWorthIt) continue;
        const bool isMeasured = std::any_of(found.advice.begin(), found.advice.end(),
                                            [&](const Advice& one) { return isOfNode(one) && isReplayed(one); });
        node.why += QLatin1Char(' ')
                    % (isMeasured ? tr("A replay shows no gain worth changing it.")
                                  : tr("Changing it could not save enough."));
        dropped << node.advice;
        node.advice.clear();
    }
    for (TreeNode& node : found.tree.nodes)  // what was said to be the same waiting
        for (const QString& title : dropped)
            if (!title.isEmpty() && node.advice.startsWith(title)) node.advice.clear();
}

void rank(std::vector<Advice>& advice, const DecisionTree& tree)
{
    std::sort(advice.begin(), advice.end(), ranksBefore);
    leadWithTree(advice, tree);
}

}  // namespace longpole
