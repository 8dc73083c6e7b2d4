// SPDX-License-Identifier: GPL-3.0-or-later
// Slack as a colour: sixteen steps, logarithmic, the first for tasks without any. What has none stands out from the
// ground, what has much sinks into it; from cividis, so that colour-blind eyes read it too.
#pragma once

#include "core/base/timerange.h"
#include "views/drawing/basics/theme.h"

#include <QRgb>

#include <array>
#include <cstdint>
#include <span>

namespace longpole {

constexpr std::uint8_t slackSteps = 16;
constexpr std::uint8_t unknownSlack = 0xff;  // instead of a step

class SlackScale {
public:
    // Step 0 is no slack at all; the others cover three decades up to `largest` and have what is below and above.
    explicit SlackScale(TimeNs largest = 1000);

    std::uint8_t step(TimeNs slack) const;
    // Places on a legend from 0 to 1: a sixteenth each step. slackAt is the most that a place includes.
    double position(TimeNs slack) const;
    TimeNs slackAt(double position) const;
    TimeNs largest() const { return m_largest; }

private:
    TimeNs m_largest;
    std::array<TimeNs, slackSteps - 1> m_most;  // of steps 1 to 14; the last has the rest
};

std::span<const QRgb, slackSteps> slackColours(const Theme& theme);

}  // namespace longpole
