// SPDX-License-Identifier: GPL-3.0-or-later
// How pages scroll: down only, without a frame; texts break to the width.
#pragma once

#include <QScrollArea>

namespace longpole {

inline void scrollDownOnly(QScrollArea& area)
{
    area.setWidgetResizable(true);
    area.setFrameShape(QFrame::NoFrame);
    area.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

}  // namespace longpole
