// SPDX-License-Identifier: GPL-3.0-or-later
// Colours as eyes see them. Oklab (Ottosson 2020): lightness and two opponent colours, in which equal distances look
// equal.
#pragma once

#include <QRgb>

namespace longpole {

struct Oklab {
    double l = 0, a = 0, b = 0;
};

Oklab toOklab(QRgb colour);
QRgb fromOklab(const Oklab& colour);

// The light that a colour gives, 0..1 (WCAG 2.1, "relative luminance").
double relativeLuminance(QRgb colour);

// How different two colours look as fills, 0..1. A hue counts twice what lightness counts: a light and a dark green are
// one colour to who looks for a name.
double fillDistance(const Oklab& one, const Oklab& other);

}  // namespace longpole
