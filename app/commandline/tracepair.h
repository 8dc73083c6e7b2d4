// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands about two traces have in common: opening both, and their figures.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/compare/runfigures.h"
#include "analysis/scheduling/advice.h"
#include "app/commandline/commandline.h"

#include <optional>
#include <vector>

namespace longpole {

struct FigurePair {
    RunFigures a, b;
    std::vector<Advice> advice{};  // on a
};

// Opens or imports a trace, with progress on a terminal. Errors say which trace they are about.
Result<RunFigures> figuresOfTrace(const CommandLine& line, const QString& path);
// One after the other. With thresholds the expert is asked about the first one, if it has tasks.
Result<FigurePair> figuresOfPair(const CommandLine& line, const QString& a, const QString& b,
                                 const std::optional<Thresholds>& thresholds = {});

}  // namespace longpole
