// SPDX-License-Identifier: GPL-3.0-or-later
// What a Charm++ program decided about its own priorities (+longpole-auto), read from its longpole-auto.jsonl.
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// Times of one of what is measured (an iteration, a task), in seconds: the median, and between which two the median of
// all such times lies with a probability of nine tenths.
struct MeasuredTimes {
    double median = 0, low = 0, high = 0;
    std::int64_t count = 0;
};

struct AutoDecision {
    double time = 0;        // seconds after the program's start
    QString decision{};     // "kept", "taken back", "not decided", "nothing to try", "drifted"
    QString measure{};      // "iterations", "tasks", or the entry method whose executions were taken for iterations
    bool isTrial = false;   // it is about entry methods that were preferred, or about doing without any
    QStringList entries{};  // that were preferred
    QStringList base{};     // that were preferred without those
    std::optional<double> gain{};  // 1 - with / without; of a drift 1 - after / before
    std::optional<MeasuredTimes> without{}, with{};
};

// In the order of the file. An unfinished last line is left out: the program may still run. Errors: it cannot be read,
// a line is no decision, with its number.
Result<std::vector<AutoDecision>> readAutoDecisions(const QString& file);

}  // namespace longpole
