// SPDX-License-Identifier: GPL-3.0-or-later
// The list of thresholds that a file may set, with their bounds, by which files are read and checked.
#pragma once

#include "analysis/base/thresholds.h"

#include <span>

namespace longpole {

struct ThresholdKey {
    const char* section;
    const char* key;
    double& (*of)(Thresholds&);
    double least, most;
    const char* unit;  // "share", "ratio", "count", "bytes", "per second"
    bool isWhole = false;

    double valueIn(Thresholds thresholds) const { return of(thresholds); }
};

// In the order of the default file.
std::span<const ThresholdKey> thresholdKeys();

}  // namespace longpole
