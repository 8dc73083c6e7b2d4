// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/elidedlabel.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

#include <algorithm>

namespace longpole {

QString wordsThatFit(const QString& text, const QFontMetrics& metrics, int width)
{
    if (metrics.horizontalAdvance(text) <= width) return text;
    QString shown = metrics.elidedText(text, Qt::ElideRight, width);
    if (shown.isEmpty()) return {};              // no room for an ellipsis
    const qsizetype letters = shown.size() - 1;  // without the ellipsis
    if (letters < text.size() && text[letters] != QLatin1Char(' '))
        if (const qsizetype blank = shown.lastIndexOf(QLatin1Char(' ')); blank > 0) shown.truncate(blank);
    while (shown.endsWith(QLatin1Char(' ')) || shown.endsWith(QChar(0x2026)) || shown.endsWith(QChar(0xb7))
           || shown.endsWith(QLatin1Char(',')))
        shown.chop(1);
    return shown + QChar(0x2026);
}

ElidedLabel::ElidedLabel(QWidget* parent, int least) : QLabel(parent), m_least(least) { setTextFormat(Qt::PlainText); }

bool ElidedLabel::isElided() const
{
    return fontMetrics().horizontalAdvance(text()) > contentsRect().width() - 2 * margin();
}

QSize ElidedLabel::minimumSizeHint() const
{
    const QSize whole = QLabel::minimumSizeHint();
    const QMargins margins = contentsMargins();
    const int least = fontMetrics().averageCharWidth() * m_least + margins.left() + margins.right() + 2 * margin();
    return {std::min(whole.width(), least), whole.height()};
}

void ElidedLabel::paintEvent(QPaintEvent* event)
{
    if (!isElided()) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    const QRect room = contentsRect().adjusted(margin(), 0, -margin(), 0);
    style()->drawItemText(&painter, room, static_cast<int>(alignment() | Qt::TextSingleLine), palette(), isEnabled(),
                          m_keepsBeginning ? wordsThatFit(text(), fontMetrics(), room.width())
                                           : fontMetrics().elidedText(text(), Qt::ElideMiddle, room.width()),
                          foregroundRole());
}

bool ElidedLabel::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && isElided()) {
        const QString whole = toolTip().isEmpty() ? text() : text() + QLatin1Char('\n') + toolTip();
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), whole, this);
        return true;
    }
    return QLabel::event(event);
}

}  // namespace longpole
