// SPDX-License-Identifier: GPL-3.0-or-later
// The question how a second run differs from the first.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/compare/comparison.h"
#include "analysis/results/results.h"

#include <memory>
#include <optional>

namespace longpole {

// Asked of the first run's results; the second's figures (RunFiguresQuestion) come with the question.
struct ComparisonQuestion {
    using Answer = Comparison;
    static constexpr const char* id = "comparison";

    std::shared_ptr<const RunFigures> second{};
    std::optional<Thresholds> advisedBy{};  // if set, the expert's advice on the first run, if it has tasks, is checked
    RunLabels labels{};

    Result<std::shared_ptr<const Comparison>> compute(Results& results, const Progress& progress) const;
    std::int64_t bytes(const Comparison& comparison) const;
    friend bool operator==(const ComparisonQuestion&, const ComparisonQuestion&) = default;
};

}  // namespace longpole
