// SPDX-License-Identifier: GPL-3.0-or-later
// Slack as one of sixteen colours: the first is for tasks without slack, the others are logarithmic. The less slack,
// the more a task stands out from the ground. The colours are taken from cividis, which colour-blind eyes can read.
#pragma once

#include "core/base/timerange.h"
#include "views/drawing/basics/theme.h"

#include <QRgb>

#include <array>
#include <cstdint>
#include <span>

namespace longpole {

constexpr std::uint8_t slackSteps = 16;
constexpr std::uint8_t unknownSlack = 0xff;  // stands where a step would

class SlackScale {
public:
    // Step 0 is no slack at all; the others share the three decades below `largest`, and the outermost of them also
    // what is less or more.
    explicit SlackScale(TimeNs largest = 1000);

    std::uint8_t step(TimeNs slack) const;
    // On a legend from 0 to 1, where each step has a sixteenth: where a slack lies, and the largest slack that is not
    // right of a place.
    double position(TimeNs slack) const;
    TimeNs slackAt(double position) const;
    TimeNs largest() const { return m_largest; }

private:
    TimeNs m_largest;
    std::array<TimeNs, slackSteps - 1> m_most{};  // slack of steps 1 to 14; step 15 has what is more
};

std::span<const QRgb, slackSteps> slackColours(const Theme& theme);

}  // namespace longpole
