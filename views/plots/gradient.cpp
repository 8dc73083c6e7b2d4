// SPDX-License-Identifier: GPL-3.0-or-later
// Samples a colour scale.

// QCustomPlot's header is written with Qt's keywords.
#undef QT_NO_KEYWORDS
#undef QT_NO_FOREACH
#undef QT_NO_CAST_FROM_ASCII

#include "views/plots/gradient.h"

#include <qcustomplot.h>

namespace longpole {

QCPColorGradient gradientOf(const ColourScale& scale)
{
    constexpr int stops = 64;
    QCPColorGradient gradient;
    QMap<double, QColor> colours;
    for (int i = 0; i <= stops; ++i) {
        const double at = static_cast<double>(i) / stops;
        colours.insert(at, QColor::fromRgb(scale.at(at)));
    }
    gradient.setColorStops(colours);
    gradient.setLevelCount(256);
    gradient.setNanHandling(QCPColorGradient::nhNanColor);
    gradient.setNanColor(QColor::fromRgb(scale.nothing()));
    return gradient;
}

}  // namespace longpole
