// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/oklab.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

double toLinear(int channel)
{
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

int fromLinear(double c)
{
    c = std::clamp(c, 0.0, 1.0);
    return static_cast<int>(std::lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055)));
}

}  // namespace

Oklab toOklab(QRgb colour)
{
    const double r = toLinear(qRed(colour));
    const double g = toLinear(qGreen(colour));
    const double b = toLinear(qBlue(colour));
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

QRgb fromOklab(const Oklab& colour)
{
    const double l = std::pow(colour.l + 0.3963377774 * colour.a + 0.2158037573 * colour.b, 3);
    const double m = std::pow(colour.l - 0.1055613458 * colour.a - 0.0638541728 * colour.b, 3);
    const double s = std::pow(colour.l - 0.0894841775 * colour.a - 1.2914855480 * colour.b, 3);
    return qRgb(fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

double relativeLuminance(QRgb colour)
{
    return 0.2126 * toLinear(qRed(colour)) + 0.7152 * toLinear(qGreen(colour)) + 0.0722 * toLinear(qBlue(colour));
}

double fillDistance(const Oklab& one, const Oklab& other)
{
    return std::hypot((one.l - other.l) / 2, one.a - other.a, one.b - other.b);
}

}  // namespace longpole
