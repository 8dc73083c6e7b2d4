// SPDX-License-Identifier: GPL-3.0-or-later
// The options --thresholds and --without of the commands that judge a run.
#pragma once

#include "analysis/base/thresholds.h"
#include "app/commandline/commandline.h"

#include <optional>

namespace longpole {

// The thresholds of the file that the option names, the defaults without it, and what is to be left out. Empty after an
// error, which was printed.
std::optional<Thresholds> thresholdsOf(const CommandLine& line);

}  // namespace longpole
