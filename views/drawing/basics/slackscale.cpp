// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/slackscale.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double decadesShown = 3;
constexpr double perStep = decadesShown / (slackSteps - 1);  // decades that a step covers

// After cividis (Nunez, Anderton, Renslow 2018), beginning with the end that is farther from the theme's ground. From
// no slack to a little the colour leaps: they are not the same thing.
constexpr std::array<QRgb, slackSteps> onDark{
    0xffffea46, 0xffd6c25d, 0xffc8b763, 0xffbbab68, 0xffada06e, 0xffa09571, 0xff928a75, 0xff858077,
    0xff787676, 0xff6a6d74, 0xff5e6473, 0xff535c72, 0xff485470, 0xff414d6b, 0xff3a4865, 0xff34425f,
};
constexpr std::array<QRgb, slackSteps> onLight{
    0xff00204d, 0xff35507f, 0xff415982, 0xff4d6385, 0xff5a6c88, 0xff677386, 0xff747a85, 0xff828382,
    0xff908d7e, 0xff9d977a, 0xffaca37b, 0xffbab07f, 0xffc8bc83, 0xffd3c892, 0xffdcd4a3, 0xffe6dfb4,
};

}  // namespace

SlackScale::SlackScale(TimeNs largest) : m_largest(std::max<TimeNs>(largest, 1000))
{
    for (std::size_t i = 0; i < m_most.size(); ++i)
        m_most[i] = static_cast<TimeNs>(std::llround(
            static_cast<double>(m_largest) * std::pow(10.0, perStep * static_cast<double>(i + 1) - decadesShown)));
}

std::uint8_t SlackScale::step(TimeNs slack) const
{
    if (slack <= 0) return 0;
    const auto found = std::lower_bound(m_most.begin(), m_most.end() - 1, slack);
    return static_cast<std::uint8_t>(1 + (found - m_most.begin()));
}

double SlackScale::position(TimeNs slack) const
{
    constexpr double first = 1.0 / slackSteps;
    if (slack <= 0) return first;
    const double decade = std::log10(static_cast<double>(slack) / static_cast<double>(m_largest)) + decadesShown;
    return std::clamp(first + decade / decadesShown * (1 - first), first, 1.0);
}

TimeNs SlackScale::slackAt(double position) const
{
    constexpr double first = 1.0 / slackSteps;
    if (position <= first) return 0;
    const double decade = (std::min(position, 1.0) - first) / (1 - first) * decadesShown - decadesShown;
    return static_cast<TimeNs>(std::llround(static_cast<double>(m_largest) * std::pow(10.0, decade)));
}

std::span<const QRgb, slackSteps> slackColours(const Theme& theme) { return theme.dark ? onDark : onLight; }

}  // namespace longpole
