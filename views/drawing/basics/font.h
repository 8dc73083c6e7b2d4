// SPDX-License-Identifier: GPL-3.0-or-later
// The font of everything that is drawn, and words that have to fit.
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>

class QFontMetricsF;
class QPainter;

namespace longpole {

// Inter where it is installed, at least 6 pixels high.
QFont timelineFont(double pixels, QFont::Weight weight = QFont::Normal);

// Draws `text` in the painter's font and pen on one line in `box`, cut with an ellipsis where it has no room.
void drawElided(QPainter& painter, const QRectF& box, const QString& text, Qt::Alignment alignment = Qt::AlignLeft,
                Qt::TextElideMode elide = Qt::ElideRight);

// The name of a method as it fits into `room`: whole, else without its class ("red_ws" of "RB2::red_ws", as many begin
// alike), else without its middle.
QString withinRoom(const QString& name, const QFontMetricsF& metrics, double room);

// A text of more letters is wider than `room` in any font, and needs no measuring.
qsizetype lettersWithin(const QFontMetricsF& metrics, double room);

}  // namespace longpole
