// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks of a recording lost their cores to others while they could have run on, and how often.
#pragma once

#include <QString>

#include <cstdint>

namespace longpole {

struct LostCores {
    std::int64_t ranks = 0;  // that lost theirs often
    std::int32_t worst = 0;  // the one that did most often
    double aSecond = 0;      // that one

    // The kernel takes turns no more than a thousand times a second; what yields while others wait counts, too.
    bool yields() const { return aSecond > 1000; }
};

// Of those that ran for a tenth of a second and more, and came to their end. More than 10 times a second is often:
// where others run on a rank's core the kernel takes turns every few, or every few tens of, milliseconds.
LostCores lostCores(const QString& folder);

}  // namespace longpole
