// SPDX-License-Identifier: GPL-3.0-or-later
// What a trace of a program says of the priorities that the program tried by itself: the gain that a replay predicts
// for each, and which ones the expert would prefer.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/results/results.h"
#include "app/record/autodecisions.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace longpole {

struct PredictedGain {
    double low = 0, high = 0;  // as AutoDecision::gain counts: 1 - with / without
    bool has(double gain) const { return low <= gain && gain <= high; }
};

struct DecisionPrediction {
    std::optional<PredictedGain> gain{};
    QString why{};  // a sentence: why nothing is predicted of what was tried; empty: it is, or nothing was tried
};

struct PredictedDecisions {
    std::vector<DecisionPrediction> predictions{};  // one for each decision
    QStringList advised{};                          // entry methods that the expert prefers in this trace
};

// What was tried while other entry methods were preferred is held against a replay with those: its interval then holds
// all quotients of both. Errors: the trace is no message-driven program's, damaged chunks, cancelled.
Result<PredictedDecisions> predictDecisions(Results& results, const std::vector<AutoDecision>& decisions,
                                            const Thresholds& thresholds, const Progress& progress);

}  // namespace longpole
