// SPDX-License-Identifier: GPL-3.0-or-later
// The sentences and texts of a comparison, for the command line and the window.
#pragma once

#include "analysis/base/finding.h"
#include "analysis/compare/comparison.h"
#include "analysis/waiting/idlelabels.h"
#include "core/trace/vocabulary.h"

#include <QString>

#include <cstdint>

namespace longpole {

// "+3.1 %", "-27.7 %"; "–" where the first is 0.
QString relativeText(double a, double b);
QString signedText(std::int64_t value, CellKind kind);  // "+12.3 ms"
QString methodName(const MethodFigures& method);        // "Wave::recvGhosts", on one line
QString patternText(const Comparison& comparison);      // entry methods of the common phase, a few of them
// "B took 185.6 ms instead of 256.8 ms: 27.7 % less."; and of an iteration.
QString durationSentence(const Comparison& comparison);
QString iterationSentence(const Comparison& comparison);  // empty: no common phase

}  // namespace longpole
