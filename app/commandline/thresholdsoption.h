// SPDX-License-Identifier: GPL-3.0-or-later
// The option --thresholds of the commands that judge a run.
#pragma once

#include "analysis/base/thresholds.h"
#include "app/commandline/commandline.h"

#include <optional>

namespace longpole {

// Those of the file, the defaults without one; says on stderr why a file cannot be used.
std::optional<Thresholds> thresholdsOf(const CommandLine& line);

}  // namespace longpole
