// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/font.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace longpole {

QFont timelineFont(double pixels, QFont::Weight weight)
{
    static const bool hasInter = QFontDatabase::families().contains(QStringLiteral("Inter"));
    QFont font;
    if (hasInter) font.setFamily(QStringLiteral("Inter"));
    font.setWeight(weight);
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(pixels))));
    return font;
}

void drawElided(QPainter& painter, const QRectF& box, const QString& text, Qt::Alignment alignment,
                Qt::TextElideMode elide)
{
    painter.drawText(box, static_cast<int>(alignment | Qt::AlignVCenter) | Qt::TextSingleLine,
                     QFontMetricsF(painter.font()).elidedText(text, elide, box.width()));
}

QString withinRoom(const QString& name, const QFontMetricsF& metrics, double room)
{
    if (metrics.horizontalAdvance(name) <= room) return name;
    const qsizetype scope = name.left(name.indexOf(QLatin1Char('('))).lastIndexOf(QLatin1String("::"));
    const QString method = scope < 0 ? name : name.mid(scope + 2);
    return metrics.elidedText(method.isEmpty() ? name : method, Qt::ElideMiddle, room);
}

}  // namespace longpole
