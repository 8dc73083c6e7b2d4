// SPDX-License-Identifier: GPL-3.0-or-later
// The questions to the expert: how far the trace can be trusted, the decision tree, and both with all advice ranked.
#pragma once

#include "analysis/expert/expert.h"
#include "analysis/results/results.h"

namespace longpole {

struct HealthQuestion {
    using Answer = Health;
    static constexpr const char* id = "health";

    Result<std::shared_ptr<const Health>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Health& health);
    friend bool operator==(const HealthQuestion&, const HealthQuestion&) = default;
};

// Of a summary, which has no executions for the branches, the upper nodes are judged; the others say what they miss.
struct TreeQuestion {
    using Answer = DecisionTree;
    static constexpr const char* id = "decision tree";

    Thresholds thresholds{};

    Result<std::shared_ptr<const DecisionTree>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const DecisionTree& tree);
    friend bool operator==(const TreeQuestion&, const TreeQuestion&) = default;
};

// The expert, of what `results` knows or computes.
Result<std::shared_ptr<const Expert>> expertAnswer(Results& results, const Thresholds& thresholds,
                                                   const Progress& progress);

// Errors: a summary, which has no tasks.
struct ExpertQuestion {
    using Answer = Expert;
    static constexpr const char* id = "expert";

    Thresholds thresholds{};

    Result<std::shared_ptr<const Expert>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Expert& expert);
    friend bool operator==(const ExpertQuestion&, const ExpertQuestion&) = default;
};

}  // namespace longpole
