// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/axisbar.h"

#include "views/drawing/basics/font.h"
#include "views/drawing/basics/timeaxis.h"
#include "views/drawing/timeline/phasebands.h"
#include "views/drawing/timeline/timelinepainter.h"

#include <QPainter>

namespace longpole {

namespace {

constexpr int axisHeight = 32;
constexpr int numbersHeight = 16;  // of the strip with the numbers of iterations

}  // namespace

AxisBar::AxisBar(ViewState* state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setFixedHeight(axisHeight);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(state, &ViewState::rangeChanged, this, qOverload<>(&QWidget::update));
    connect(state, &ViewState::phaseBandsChanged, this, &AxisBar::takeBands);
    takeBands();
}

void AxisBar::takeBands()
{
    const int wanted = axisHeight + (m_state->shownBands().empty() ? 0 : numbersHeight);
    const bool isOther = wanted != height();
    setFixedHeight(wanted);
    update();
    if (isOther) Q_EMIT heightChanged();
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
    paintAxis(painter, ticks, axisWidth, axisHeight, m_theme);
    for (const AxisTick& tick : ticks)
        painter.fillRect(QRectF(std::round(tick.x), axisHeight - 4, 1, 4), m_theme.gridLine);
    const std::vector<PhaseBand> bands = phaseBands(m_state->shownBands(), {m_state->range(), axisWidth});
    paintBandNumbers(painter, bands, axisHeight, numbersHeight, m_theme);
    painter.restore();
    if (m_state->shownBands().empty()) return;
    painter.save();
    painter.setFont(timelineFont(11));
    painter.setPen(m_theme.faintText);
    painter.drawText(QRectF(0, axisHeight, m_left - 12, numbersHeight), Qt::AlignRight | Qt::AlignVCenter,
                     m_state->phaseBands().name);
    painter.restore();
}

void AxisBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintPicture(painter);
}

}  // namespace longpole
