// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands about two traces share: opening them, and asking for their figures and differences.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/compare/comparison.h"
#include "app/commandline/commandline.h"

#include <memory>
#include <optional>

namespace longpole {

// Opens or imports a trace, with progress on a terminal, and asks for its figures. Errors name the trace.
Result<std::shared_ptr<const RunFigures>> figuresOfTrace(const CommandLine& line, const QString& path);
// How the second run differs from the first; with thresholds the expert is asked about the first one, if it has tasks.
Result<std::shared_ptr<const Comparison>> comparisonOf(const CommandLine& line, const QString& first,
                                                       const QString& second,
                                                       const std::optional<Thresholds>& thresholds = {},
                                                       const RunLabels& labels = {});

}  // namespace longpole
