// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks of a recording had no core although they could have run on, and how long, or how often they lost theirs.
#pragma once

#include <QString>

#include <cstdint>

namespace longpole {

struct LostCores {
    std::int64_t ranks = 0;  // that were without one for long
    std::int32_t worst = 0;  // the one that was longest, or lost its core most often
    double share = 0;        // of that one's time; 0: not measured
    double aSecond = 0;      // how often that one lost its core

    // The kernel takes turns no more than a thousand times a second; what yields while others wait counts, too.
    bool yields() const { return share <= 0 && aSecond > 1000; }
};

// Of those that ran for a tenth of a second and more, and came to their end. Long is more than 5 % of the time or,
// where that was not measured, a core lost more than 10 times a second: where others run on a rank's core the kernel
// takes turns every few, or every few tens of, milliseconds.
LostCores lostCores(const QString& folder);

}  // namespace longpole
