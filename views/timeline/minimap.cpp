// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/minimap.h"

#include "views/drawing/basics/font.h"
#include "views/drawing/basics/textscale.h"
#include "views/drawing/timeline/phasebands.h"
#include "views/widgets/spoken.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>

namespace longpole {

namespace {

constexpr double above = 6;  // pixels free above and below the strip
constexpr double reach = 5;  // pixels beside an edge of the window where a drag moves it

}  // namespace

Minimap::Minimap(ViewState* state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setFixedHeight(72);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    speakAs(*this, QAccessible::Chart);
    setAccessibleName(tr("Whole run"));
    askOverview();
    for (const auto signal : {&ViewState::rangeChanged, &ViewState::phaseBandsChanged})
        connect(state, signal, this, qOverload<>(&QWidget::update));
    for (const auto signal : {&ViewState::pathChanged, &ViewState::roomChanged, &ViewState::secondPathChanged})
        connect(state, signal, this, [this] {
            m_dirty = true;
            update();
        });
}

void Minimap::askOverview()
{
    m_asking.ask(m_state->results(), {}, [this](const Watch<OverviewQuestion>::Answer& overview) {
        if (overview.ok()) m_overview = *overview;
        m_dirty = true;
        update();
    });
}

void Minimap::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void Minimap::setMargins(int left, int right)
{
    m_left = left;
    m_right = right;
    m_dirty = true;
    update();
}

TimeCoordinates Minimap::coordinates() const
{
    return {m_state->wholeRange(), std::max(1.0, static_cast<double>(width() - m_left - m_right))};
}

void Minimap::rebuild()
{
    m_geometry = minimapGeometry(*m_overview, m_state->store().info(), m_state->path().get(), coordinates(),
                                 height() - 2 * above, m_state->secondPath().path.get());
    m_dirty = false;
}

void Minimap::paintPicture(QPainter& painter)
{
    if (m_dirty) rebuild();
    painter.fillRect(rect(), m_theme.window);
    painter.save();
    painter.translate(m_left, above);
    paintMinimap(painter, m_geometry, m_theme);
    paintBands(painter, phaseBands(m_state->shownBands(), coordinates()), 0, m_geometry.chartHeight, m_theme);
    paintWindow(painter, m_geometry, m_state->range(), m_theme);
    painter.restore();
    const double letters = textScale(font());
    painter.setFont(timelineFont(11.5 * letters));
    painter.setPen(m_theme.faintText);
    const double right = m_left - 12;
    painter.drawText(QRectF(0, above, right, m_geometry.chartHeight * 0.85), Qt::AlignRight | Qt::AlignVCenter,
                     tr("utilization"));
    if (m_state->path())
        painter.drawText(QRectF(0, height() - above - 4 - 7 * letters, right, 14 * letters),
                         Qt::AlignRight | Qt::AlignVCenter, tr("path"));
}

void Minimap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintPicture(painter);
}

void Minimap::resizeEvent(QResizeEvent*) { m_dirty = true; }

Minimap::Drag Minimap::partAt(double x) const
{
    const TimeCoordinates at = coordinates();
    const double begin = at.x(m_state->range().begin) + m_left;
    const double end = at.x(m_state->range().end) + m_left;
    // In a window too narrow for two edges and a middle, what is inside counts as the middle.
    const double inner = end - begin < 3 * reach ? 0 : reach;
    if (std::abs(x - begin) <= reach && x <= begin + inner) return Drag::Begin;
    if (std::abs(x - end) <= reach && x >= end - inner) return Drag::End;
    if (x > begin && x < end) return Drag::Window;
    return Drag::None;
}

void Minimap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return;
    m_pressedX = event->position().x();
    m_recorded = false;
    m_drag = partAt(m_pressedX);
    if (m_drag == Drag::None) {
        // A click beside the window takes it there.
        const TimeNs middle = coordinates().time(m_pressedX - m_left);
        const TimeNs length = m_state->range().length();
        const TimeNs begin = saturatingSubtract(middle, length / 2);
        m_state->setRange({begin, saturatingAdd(begin, length)});
        m_recorded = true;
        m_drag = Drag::Window;
    }
    m_rangeAtPress = m_state->range();
}

void Minimap::mouseMoveEvent(QMouseEvent* event)
{
    const double x = event->position().x();
    if (m_drag == Drag::None) {
        const Drag part = partAt(x);
        setCursor(part == Drag::Begin || part == Drag::End ? Qt::SizeHorCursor
                  : part == Drag::Window                   ? Qt::OpenHandCursor
                                                           : Qt::ArrowCursor);
        return;
    }
    const auto by = static_cast<TimeNs>(std::llround((x - m_pressedX) * coordinates().perPixel()));
    TimeRange range = m_rangeAtPress;
    if (m_drag != Drag::End) range.begin = saturatingAdd(range.begin, by);
    if (m_drag != Drag::Begin) range.end = saturatingAdd(range.end, by);
    if (range.end < range.begin) std::swap(range.begin, range.end);
    if (range == m_state->range()) return;
    m_state->setRange(range, !m_recorded);
    m_recorded = true;
}

void Minimap::mouseReleaseEvent(QMouseEvent*) { m_drag = Drag::None; }

void Minimap::mouseDoubleClickEvent(QMouseEvent*) { m_state->setRange(m_state->wholeRange()); }

void Minimap::wheelEvent(QWheelEvent* event)
{
    const double notches = event->angleDelta().y() / 120.0;
    const TimeRange range = m_state->range();
    const auto length = static_cast<TimeNs>(static_cast<double>(range.length()) * std::pow(0.8, notches));
    const TimeNs middle = range.begin + range.length() / 2;
    m_state->setRange({saturatingSubtract(middle, length / 2), saturatingAdd(middle, length - length / 2)});
    event->accept();
}

}  // namespace longpole
