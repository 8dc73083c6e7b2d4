// The time axis above the rows.
#include "views/axisbar.h"

#include "views/drawing/timeaxis.h"
#include "views/drawing/timelinepainter.h"

#include <QPainter>

namespace longpole {

AxisBar::AxisBar(ViewState* state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setFixedHeight(32);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(state, &ViewState::rangeChanged, this, qOverload<>(&QWidget::update));
}

void AxisBar::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void AxisBar::setMargins(int left, int right)
{
    m_left = left;
    m_right = right;
    update();
}

void AxisBar::paintPicture(QPainter& painter) const
{
    painter.fillRect(rect(), m_theme.panel);
    const double axisWidth = width() - m_left - m_right;
    if (axisWidth <= 0) return;
    const std::vector<AxisTick> ticks = axisTicks(m_state->range(), m_state->fullRange().begin, axisWidth);
    painter.save();
    painter.translate(m_left, 0);
    paintAxis(painter, ticks, axisWidth, height(), m_theme);
    for (const AxisTick& tick : ticks)
        painter.fillRect(QRectF(std::round(tick.x), height() - 4, 1, 4), m_theme.gridLine);
    painter.restore();
}

void AxisBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintPicture(painter);
}

}  // namespace longpole
