// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a window on its screen, whatever geometry was remembered of it.
#pragma once

#include <QRect>
#include <QSize>

class QWidget;

namespace longpole {

// The part of `wanted` moved, and where it is too large cut, so that it lies in `screen`.
QRect insideOf(const QRect& screen, const QRect& wanted);

// For a window whose place the desktop chooses: as much of `wanted` as its screen has room for.
QSize sizeOnScreen(const QWidget& window, const QSize& wanted);

// For a window that has not shown yet: its frame takes a little of the screen, too.
void keepOnScreen(QWidget& window);

}  // namespace longpole
