// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/gridcanvas.h"

#include "views/drawing/basics/font.h"
#include "views/drawing/timeline/timelinepainter.h"
#include "views/widgets/tableview.h"

#include <QMouseEvent>
#include <QPainter>

namespace longpole {

GridCanvas::GridCanvas(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setMinimumSize(120, 80);
    setFocusPolicy(Qt::ClickFocus);  // a click lets the panel's keys play and step
    setAccessibleName(tr("PEs or ranks, coloured by the attribute"));
}

void GridCanvas::setProjection(std::shared_ptr<const Projection> projection, ProcessorGrid grid, ColourScale scale)
{
    m_projection = std::move(projection);
    m_grid = std::move(grid);
    m_scale = scale;
    if (m_hovered && *m_hovered >= m_grid.count()) hover({});
    update();
}

void GridCanvas::setPath(std::shared_ptr<const std::vector<std::vector<GridVisit>>> path)
{
    m_path = std::move(path);
    update();
}

void GridCanvas::setStage(std::size_t stage)
{
    if (stage == m_stage) return;
    m_stage = stage;
    update();
}

void GridCanvas::setNotice(const QString& text)
{
    m_notice = text;
    update();
}

QRectF GridCanvas::box() const { return QRectF(rect()).adjusted(14, 10, -14, -10); }

QRectF GridCanvas::cell(std::size_t place) const { return m_grid.cell(place, box()); }

void GridCanvas::paintEvent(QPaintEvent*)
{
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    if (!m_projection || m_projection->stages.count() == 0) {
        painter.setFont(timelineFont(12));
        painter.setPen(theme.mutedText);
        painter.drawText(rect(), Qt::AlignCenter, m_notice);
        return;
    }
    paintGridFrame(painter, box(),
                   {.projection = m_projection.get(),
                    .grid = &m_grid,
                    .scale = &m_scale,
                    .theme = &theme,
                    .path = m_path.get(),
                    .stage = m_stage,
                    .hovered = m_hovered});
}

void GridCanvas::hover(std::optional<std::size_t> place)
{
    if (place == m_hovered) return;
    m_hovered = place;
    update();
    Q_EMIT hoverChanged();
}

void GridCanvas::mouseMoveEvent(QMouseEvent* event) { hover(m_grid.at(event->position(), box())); }

void GridCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto place = m_grid.at(event->position(), box())) Q_EMIT activated(*place);
}

void GridCanvas::leaveEvent(QEvent*) { hover({}); }

}  // namespace longpole
