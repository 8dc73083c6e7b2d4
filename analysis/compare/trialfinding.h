// SPDX-License-Identifier: GPL-3.0-or-later
// What became of changes that were tried, as a section of the report; no question about the trace has it.
#pragma once

#include "analysis/base/finding.h"
#include "analysis/compare/trial.h"

#include <span>

namespace longpole {

inline constexpr char trialFindingId[] = "trial";
QString trialFindingTitle();

// One item for each trial, of which there is at least one: predicted beside measured, and the verdict; its pairs of
// runs in the appendix. "result" is a list of what `longpole try --json` writes.
Finding trialFinding(std::span<const Trial> trials);
// Puts it behind the advice, or first where there is none.
void addTrials(std::vector<Finding>& findings, std::span<const Trial> trials);

}  // namespace longpole
