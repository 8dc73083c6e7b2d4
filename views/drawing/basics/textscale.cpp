// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/textscale.h"

#include <QFontInfo>

#include <algorithm>

namespace longpole {

double textScale(const QFont& font)
{
    constexpr double usual = 13;  // pixels, of the interface at 96 dpi
    return std::clamp(QFontInfo(font).pixelSize() / usual, 1.0, 4.0);
}

}  // namespace longpole
