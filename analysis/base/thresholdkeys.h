// SPDX-License-Identifier: GPL-3.0-or-later
// The list of thresholds: what a file may set, and within which bounds. Parsing, checking and tests are driven by it.
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

// In the order of the file.
std::span<const ThresholdKey> thresholdKeys();

}  // namespace longpole
