// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/axisbar.h"

#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/textscale.h"
#include "views/drawing/timeline/phasebands.h"
#include "views/drawing/timeline/timeflags.h"
#include "views/drawing/timeline/timelinepainter.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace longpole {

namespace {

constexpr double usualAxisHeight = 32;
constexpr double usualStripHeight = 16;  // of the strips with bookmarks and with the numbers of iterations
constexpr double tickSpacing = 90;

}  // namespace

AxisBar::AxisBar(ViewState* state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setFixedHeight(axisHeight());
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(state, &ViewState::rangeChanged, this, qOverload<>(&QWidget::update));
    connect(state, &ViewState::phaseBandsChanged, this, &AxisBar::takeStrips);
    connect(state, &ViewState::flagsChanged, this, &AxisBar::takeStrips);
    setMouseTracking(true);
    takeStrips();
}

std::vector<AxisTick> screenTicks(const ViewState& state, double width, const QFont& font)
{
    return axisTicks(state.range(), state.fullRange().begin, width, tickSpacing * textScale(font));
}

int AxisBar::axisHeight() const { return qRound(usualAxisHeight * textScale(font())); }
int AxisBar::stripHeight() const { return qRound(usualStripHeight * textScale(font())); }
int AxisBar::flagsHeight() const { return m_state->flags().empty() ? 0 : stripHeight(); }

TimeCoordinates AxisBar::coordinates() const
{
    return {m_state->range(), std::max(1.0, double(width() - m_left - m_right))};
}

void AxisBar::takeStrips()
{
    const int wanted = axisHeight() + flagsHeight() + (m_state->shownBands().empty() ? 0 : stripHeight());
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
    const double letters = textScale(font());
    const int axis = axisHeight();
    const int strip = stripHeight();
    const std::vector<AxisTick> ticks = screenTicks(*m_state, axisWidth, font());
    painter.save();
    painter.translate(m_left, 0);
    paintAxis(painter, ticks, axisWidth, axis, m_theme, letters);
    for (const AxisTick& tick : ticks) painter.fillRect(QRectF(std::round(tick.x), axis - 4, 1, 4), m_theme.gridLine);
    paintFlags(painter, m_state->flags(), flagMarks(m_state->flags(), coordinates()), axis, strip, m_theme);
    const int bandsTop = axis + flagsHeight();
    const std::vector<PhaseBand> bands = phaseBands(m_state->shownBands(), coordinates());
    paintBandNumbers(painter, bands, bandsTop, strip, m_theme, letters);
    painter.restore();
    if (m_state->shownBands().empty()) return;
    painter.save();
    painter.setFont(timelineFont(11 * letters));
    painter.setPen(m_theme.faintText);
    painter.drawText(QRectF(0, bandsTop, m_left - 12, strip), Qt::AlignRight | Qt::AlignVCenter,
                     m_state->phaseBands().name);
    painter.restore();
}

void AxisBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintPicture(painter);
}

const TimeFlag* AxisBar::flagUnder(QPoint at) const
{
    if (at.y() < axisHeight() || at.y() >= axisHeight() + flagsHeight()) return nullptr;
    const auto flag = flagAt(flagMarks(m_state->flags(), coordinates()), at.x() - m_left);
    return flag ? &m_state->flags()[*flag] : nullptr;
}

void AxisBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) takeStrips();
}

bool AxisBar::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const TimeFlag* flag = flagUnder(help->pos())) {
        const QString name = flag->note.isEmpty() ? tr("Bookmark") : flag->note;
        QToolTip::showText(help->globalPos(),
                           tr("%1: %2 from %3 on; a click goes there")
                               .arg(name, formatTime(flag->range.length()),
                                    formatTime(saturatingSubtract(flag->range.begin, m_state->fullRange().begin))),
                           this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

void AxisBar::mouseMoveEvent(QMouseEvent* event)
{
    if (flagUnder(event->pos())) setCursor(Qt::PointingHandCursor);
    else unsetCursor();
    event->ignore();
}

void AxisBar::mousePressEvent(QMouseEvent* event)
{
    const TimeFlag* flag = event->button() == Qt::LeftButton ? flagUnder(event->pos()) : nullptr;
    if (flag) m_state->setRange(flag->range);
    else event->ignore();
}

}  // namespace longpole
