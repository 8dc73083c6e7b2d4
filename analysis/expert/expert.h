// SPDX-License-Identifier: GPL-3.0-or-later
// The expert: scheduling advice, shared variables and decision tree of a run together, and all advice ranked.
#pragma once

#include "analysis/expert/decisiontree.h"
#include "analysis/expert/health.h"
#include "analysis/scheduling/advice.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "analysis/scheduling/sharedaccess.h"

#include <vector>

namespace longpole {

struct Expert {
    SchedulingAnalysis scheduling{};
    SharedAccess shared{};
    DecisionTree tree{};
    Health health{};
    std::vector<Advice> advice{};  // all of it, ranked: replayed gains first, what is not worth it last (ranksBefore)
};

// The advice of scheduling and tree, with its confidence lowered by the checks that the run does not pass.
std::vector<Advice> allAdvice(const Expert& found);
// Marks the tree's nodes whose advice is not worth it.
void markWhatSavesNothing(Expert& found);
// Puts it into the order in which it is given.
void rank(std::vector<Advice>& advice, const DecisionTree& tree);

}  // namespace longpole
