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
    const qsizetype most = lettersWithin(metrics, room);
    if (name.size() <= most && metrics.horizontalAdvance(name) <= room) return name;
    const qsizetype scope = name.left(name.indexOf(QLatin1Char('('))).lastIndexOf(QLatin1String("::"));
    QString method = scope < 0 || scope + 2 == name.size() ? name : name.mid(scope + 2);
    if (method.size() > 2 * most) method = method.left(most) + method.right(most);  // the rest is cut out in any case
    return metrics.elidedText(method, Qt::ElideMiddle, room);
}

qsizetype lettersWithin(const QFontMetricsF& metrics, double room)
{
    return static_cast<qsizetype>(std::max(room, 0.0) / std::max(metrics.averageCharWidth() / 4, 0.5)) + 8;
}

}  // namespace longpole
