// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/colourbar.h"

#include "views/drawing/basics/font.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double endMargin = 24;  // room for half a figure
constexpr double aboveBar = 5;
constexpr double thickness = 9;
constexpr int mostTicks = 4;

}  // namespace

ColourBar::ColourBar(QWidget* parent) : QWidget(parent)
{
    setFixedHeight(34);
    setMinimumWidth(150);
    setMaximumWidth(300);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::StrongFocus);
    speakAs(*this, QAccessible::Slider);
    setAccessibleName(tr("Values that the colours mean"));
    setToolTip(tr("Drag the ends to spread the colours over fewer values; double-click: all values"));
    setCursor(Qt::SizeHorCursor);
}

void ColourBar::setScale(const ColourScale& scale, const ValueAxis& whole, AttributeUnit unit)
{
    m_scale = scale;
    m_whole = whole;
    m_unit = unit;
    m_isThere = true;
    update();
}

void ColourBar::setEmpty()
{
    m_isThere = false;
    update();
}

QRectF ColourBar::colours() const { return {endMargin, aboveBar, width() - 2 * endMargin, thickness}; }

QPointF ColourBar::handle(bool isHigh) const
{
    const double position = m_whole.position(isHigh ? high() : low());
    return {colours().left() + position * colours().width(), colours().center().y()};
}

void ColourBar::paintEvent(QPaintEvent*)
{
    if (!m_isThere) return;
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    const QRectF area = colours();
    for (int x = 0; x < static_cast<int>(area.width()); ++x)
        painter.fillRect(QRectF(area.left() + x, area.top(), 1, area.height()),
                         QColor::fromRgb(m_scale.colour(m_whole.value((x + 0.5) / area.width()))));
    painter.setPen(theme.line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5));
    paintTicks(painter, theme);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.window, 1));
    for (const bool isHigh : {false, true}) {
        painter.setBrush(hasFocus() && isHigh == m_movesHigh ? theme.text : theme.mutedText);
        painter.drawRoundedRect(QRectF(handle(isHigh).x() - 3, area.top() - 3, 6, area.height() + 6), 3, 3);
    }
}

// The ends are always labelled, ticks between them where there is room.
void ColourBar::paintTicks(QPainter& painter, const Theme& theme) const
{
    painter.setFont(timelineFont(10.5));
    painter.setPen(theme.mutedText);
    const QFontMetrics metrics(painter.font());
    const QRectF area = colours();
    double free = 0, until = width();
    const auto figure = [&](double x, const QString& text, bool isEnd) {
        const double half = metrics.horizontalAdvance(text) / 2.0 + 3;
        const double at = std::clamp(x, half, width() - half);
        if (!isEnd && (at - half < free || at + half > until)) return;
        painter.drawText(QRectF(at - half, area.bottom() + 2, 2 * half, 14), Qt::AlignCenter, text);
        if (x >= area.right() - 1) until = at - half;
        else free = at + half;
    };
    figure(area.left(), attributeText(m_whole.low, m_unit), true);
    figure(area.right(), attributeText(m_whole.high, m_unit), true);
    for (const ValueTick& tick : valueTicks(m_whole, mostTicks))
        if (!tick.label.isEmpty() && tick.position > 0.02 && tick.position < 0.98)
            figure(area.left() + tick.position * area.width(), attributeText(tick.value, m_unit), false);
}

void ColourBar::choose(double x)
{
    if (!m_isThere) return;
    const double position = std::clamp((x - colours().left()) / colours().width(), 0.0, 1.0);
    constexpr double least = 0.01;  // of the bar, between the handles
    double from = m_whole.position(low()), to = m_whole.position(high());
    if (m_movesHigh) to = std::max(position, from + least);
    else from = std::min(position, to - least);
    Q_EMIT rangeChosen(m_whole.value(from), m_whole.value(to));
}

void ColourBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return;
    const double x = event->position().x();
    m_movesHigh = std::abs(x - handle(true).x()) <= std::abs(x - handle(false).x());
    choose(x);
}

void ColourBar::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton) choose(event->position().x());
}

void ColourBar::mouseDoubleClickEvent(QMouseEvent*) { Q_EMIT resetRequested(); }

void ColourBar::keyPressEvent(QKeyEvent* event)
{
    constexpr double step = 4;  // pixels
    const int key = event->key();
    if (key == Qt::Key_Up || key == Qt::Key_Down) m_movesHigh = key == Qt::Key_Up;
    else if (key == Qt::Key_Left) choose(handle(m_movesHigh).x() - step);
    else if (key == Qt::Key_Right) choose(handle(m_movesHigh).x() + step);
    else if (key == Qt::Key_Home) Q_EMIT resetRequested();
    else QWidget::keyPressEvent(event);
    update();
}

}  // namespace longpole
