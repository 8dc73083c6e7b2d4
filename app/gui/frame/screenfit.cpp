// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/screenfit.h"

#include <QScreen>
#include <QWidget>

#include <algorithm>

namespace longpole {

namespace {

constexpr QMargins frame(4, 36, 4, 4);  // about as much as desktops' frames of windows

QRect roomOf(const QWidget& window) { return window.screen()->availableGeometry().marginsRemoved(frame); }

}  // namespace

QRect insideOf(const QRect& screen, const QRect& wanted)
{
    QRect inside(wanted.topLeft(), wanted.size().boundedTo(screen.size()));
    inside.moveLeft(std::clamp(inside.left(), screen.left(), screen.right() + 1 - inside.width()));
    inside.moveTop(std::clamp(inside.top(), screen.top(), screen.bottom() + 1 - inside.height()));
    return inside;
}

QSize sizeOnScreen(const QWidget& window, const QSize& wanted) { return wanted.boundedTo(roomOf(window).size()); }

void keepOnScreen(QWidget& window)
{
    if (window.isMaximized() || window.isFullScreen()) return;
    const QRect inside = insideOf(roomOf(window), window.geometry());
    if (inside != window.geometry()) window.setGeometry(inside);
}

}  // namespace longpole
