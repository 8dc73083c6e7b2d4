// SPDX-License-Identifier: GPL-3.0-or-later
// The option --thresholds of the commands that judge a run.
#pragma once

#include "analysis/base/thresholds.h"
#include "app/commandline/commandline.h"

#include <optional>

namespace longpole {

// The thresholds of the file that the option names, the defaults without it. Empty after an error, which was printed.
std::optional<Thresholds> thresholdsOf(const CommandLine& line);

}  // namespace longpole
