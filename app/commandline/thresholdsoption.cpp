// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/thresholdsoption.h"

namespace longpole {

std::optional<Thresholds> thresholdsOf(const CommandLine& line)
{
    if (!line.has("thresholds")) return Thresholds{};
    const Result<Thresholds> read = readThresholds(line.value("thresholds"));
    if (read) return *read;
    fail(read.error());
    return std::nullopt;
}

}  // namespace longpole
