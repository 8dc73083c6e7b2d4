// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/thresholdsoption.h"

namespace longpole {

std::optional<Thresholds> thresholdsOf(const CommandLine& line)
{
    Thresholds thresholds;
    if (line.has("thresholds")) {
        const Result<Thresholds> read = readThresholds(line.value("thresholds"));
        if (!read) {
            fail(read.error());
            return std::nullopt;
        }
        thresholds = *read;
    }
    const QStringList without = line.value("without").split(QLatin1Char(','));
    if (without.contains(QLatin1String("interrupted"))) thresholds.without.interrupted = 1;
    if (without.contains(QLatin1String("startup"))) thresholds.without.startup = 1;
    return thresholds;
}

}  // namespace longpole
