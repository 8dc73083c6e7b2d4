// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the figures of two runs against each other, with the advice on the first.
#include "analysis/compare/comparequestions.h"

#include "analysis/expert/expertquestions.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const Comparison>> ComparisonQuestion::compute(Results& results, const Progress& progress) const
{
    const auto first = results.ask(RunFiguresQuestion{}, progress);
    if (!first.ok()) return first.error();
    std::vector<Advice> advice;
    if (advisedBy && (*first)->work) {
        const auto expert = results.ask(ExpertQuestion{*advisedBy}, progress);
        if (!expert.ok()) return expert.error();
        advice = (*expert)->advice;
    }
    return std::make_shared<const Comparison>(compare(**first, *second, advice, labels));
}

std::int64_t ComparisonQuestion::bytes(const Comparison& comparison) const
{
    return 2 * RunFiguresQuestion::bytes(comparison.b) + RunFiguresQuestion::bytes(comparison.a)
           + bytesOf(comparison.figures) + bytesOf(comparison.methods) + bytesOf(comparison.entered)
           + bytesOf(comparison.left) + bytesOf(comparison.waitsGained) + bytesOf(comparison.waitsLost)
           + bytesOf(comparison.advice);
}

}  // namespace longpole
