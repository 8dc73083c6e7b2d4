// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/font.h"

#include <QFontDatabase>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace longpole {

QFont timelineFont(double pixels)
{
    static const bool hasInter = QFontDatabase::families().contains(QStringLiteral("Inter"));
    QFont font;
    if (hasInter) font.setFamily(QStringLiteral("Inter"));
    font.setWeight(QFont::Normal);
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(pixels))));
    return font;
}

}  // namespace longpole
