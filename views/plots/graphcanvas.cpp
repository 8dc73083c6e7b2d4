// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/graphcanvas.h"

#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/graphs/graphpainter.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double timesHeight = 20;
constexpr double least = 0.02;  // of the scale
constexpr double most = 3;
constexpr double step = 60;  // pixels that a notch of the wheel or a key pans

}  // namespace

GraphCanvas::GraphCanvas(std::shared_ptr<const TraceStore> store, QWidget* parent)
    : QWidget(parent), m_store(std::move(store))
{
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(60);
    setAttribute(Qt::WA_OpaquePaintEvent);
    speakAs(*this, QAccessible::Chart);
    setAccessibleName(tr("Activity graph"));
}

void GraphCanvas::setGraph(std::shared_ptr<const Subgraph> graph)
{
    const bool isSame = std::equal(graph->nodes.begin(), graph->nodes.end(), m_graph->nodes.begin(),
                                   m_graph->nodes.end(), [](const auto& a, const auto& b) { return a.id == b.id; });
    const TaskId selected = m_selected >= 0 ? m_graph->nodes[static_cast<std::size_t>(m_selected)].id : TaskId{};
    m_graph = std::move(graph);
    m_geometry = graphGeometry(*m_graph, 1e9);
    m_selected = nodeOf(selected);
    const QFontMetricsF metrics(timelineFont(11.5));
    m_names = 20;
    for (const GraphLane& lane : m_geometry.lanes)
        m_names = std::max(m_names, metrics.horizontalAdvance(laneName(m_store->words(), lane)) + 24);
    if (!isSame) m_placed = false;
    if (!m_placed) showFirst();
    update();
}

void GraphCanvas::setColours(std::shared_ptr<const Palette> palette)
{
    m_palette = std::move(palette);
    update();
}

void GraphCanvas::setSelected(TaskId task)
{
    m_selected = nodeOf(task);
    if (m_selected >= 0) bringIntoSight(m_geometry.boxes[static_cast<std::size_t>(m_selected)].rect);
    update();
}

int GraphCanvas::nodeOf(TaskId task) const
{
    const auto found = std::find_if(m_graph->nodes.begin(), m_graph->nodes.end(),
                                    [task](const Subgraph::Node& node) { return node.id == task; });
    return task.isValid() && found != m_graph->nodes.end() ? static_cast<int>(found - m_graph->nodes.begin()) : -1;
}

std::optional<TaskId> GraphCanvas::taskAt(QPointF at) const
{
    const int node = plot().contains(at) ? nodeAt(m_geometry, toGraph(at)) : -1;
    if (node < 0) return {};
    return m_graph->nodes[static_cast<std::size_t>(node)].id;
}

QPointF GraphCanvas::positionOf(TaskId task) const
{
    const int node = nodeOf(task);
    if (node < 0) return {};
    const QPointF centre = m_geometry.boxes[static_cast<std::size_t>(node)].rect.center();
    return (centre - m_origin) * m_scale + plot().topLeft();
}

QRectF GraphCanvas::plot() const
{
    return {m_names, timesHeight, std::max(1.0, width() - m_names), std::max(1.0, height() - timesHeight)};
}

// So that the height fits if words can be read then; at the selected task, else where the path begins.
void GraphCanvas::showFirst()
{
    if (m_geometry.boxes.empty()) return;
    m_scale = std::clamp(plot().height() / std::max(1.0, m_geometry.size.height()), 0.65, 1.0);
    m_origin = {0, 0};
    const auto onPath = std::find_if(m_graph->nodes.begin(), m_graph->nodes.end(),
                                     [](const Subgraph::Node& n) { return n.onPath; });
    std::size_t node = onPath == m_graph->nodes.end() ? 0 : static_cast<std::size_t>(onPath - m_graph->nodes.begin());
    if (m_selected >= 0) node = static_cast<std::size_t>(m_selected);
    bringIntoSight(m_geometry.boxes[node].rect);
}

void GraphCanvas::bringIntoSight(const QRectF& box)
{
    const QRectF sight(m_origin, plot().size() / m_scale);
    if (!sight.contains(box)) m_origin = box.center() - QPointF(sight.width() / 2, sight.height() / 2);
    keepInside();
}

void GraphCanvas::keepInside()
{
    const QSizeF sight = plot().size() / m_scale;
    const double right = std::max(0.0, m_geometry.size.width() - sight.width());
    const double below = m_geometry.size.height() - sight.height();
    m_origin.setX(std::clamp(m_origin.x(), 0.0, right));
    m_origin.setY(below <= 0 ? below / 2
                             : std::clamp(m_origin.y(), 0.0,
                                          below));  // a picture that is lower than the plot stands in its middle
}

void GraphCanvas::fit()
{
    m_placed = true;
    const QSizeF room = plot().size();
    m_scale = std::clamp(std::min(room.width() / std::max(1.0, m_geometry.size.width()),
                                  room.height() / std::max(1.0, m_geometry.size.height())),
                         least, 1.0);
    keepInside();
    update();
}

void GraphCanvas::zoom(double factor, QPointF fixed)
{
    m_placed = true;
    const QPointF under = toGraph(fixed);
    m_scale = std::clamp(m_scale * factor, least, most);
    m_origin = under - (fixed - plot().topLeft()) / m_scale;
    keepInside();
    update();
}

void GraphCanvas::pan(QPointF pixels)
{
    m_placed = true;
    m_origin += pixels / m_scale;
    keepInside();
    update();
}

void GraphCanvas::paintEvent(QPaintEvent*)
{
    const Theme& theme = themeOf(*this);
    const QRectF area = plot();
    QPainter painter(this);
    painter.fillRect(rect(), theme.window);
    if (m_graph->nodes.empty()) return;
    painter.fillRect(area, theme.panel);
    paintGraphLanes(painter, m_geometry, m_names - 10, m_scale, timesHeight - m_origin.y() * m_scale, theme,
                    m_store->words());
    painter.fillRect(QRectF(0, 0, width(), timesHeight), theme.window);
    painter.setClipRect(QRectF(area.left(), 0, area.width(), height()));
    paintGraphTimes(painter, m_geometry, timesHeight, m_scale, area.left() - m_origin.x() * m_scale,
                    m_store->info().begin, theme);
    painter.setClipRect(area);
    painter.translate(area.topLeft() - m_origin * m_scale);
    painter.scale(m_scale, m_scale);
    paintGraph(painter, m_geometry, *m_graph,
               {.theme = &theme,
                .palette = m_palette.get(),
                .names = m_store.get(),
                .zoom = m_scale * devicePixelRatioF(),
                .selected = m_selected},
               QRectF(m_origin, area.size() / m_scale));
    painter.resetTransform();
    painter.setClipping(false);
    paintLegend(painter, theme);
}

// In the lower right corner, over the picture.
void GraphCanvas::paintLegend(QPainter& painter, const Theme& theme) const
{
    constexpr double height = 20;
    const std::vector<GraphKind> kinds = graphKinds(*m_graph, m_store->words());
    double all = 0;
    for (const GraphKind& kind : kinds) all += paintGraphKind(nullptr, kind, height, theme);
    if (kinds.empty() || all + 40 > plot().width()) return;
    const QRectF box(width() - all - 6, this->height() - height - 6, all, height);
    QColor ground = theme.panel;
    ground.setAlpha(225);
    painter.fillRect(box.adjusted(-8, 0, 0, 0), ground);
    painter.translate(box.topLeft());
    for (const GraphKind& kind : kinds) painter.translate(paintGraphKind(&painter, kind, height, theme), 0);
}

void GraphCanvas::resizeEvent(QResizeEvent*)
{
    if (!m_placed) showFirst();
    else keepInside();
}

void GraphCanvas::wheelEvent(QWheelEvent* event)
{
    const double notches = (event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x()) / 120.0;
    const bool fitsHeight = m_geometry.size.height() * m_scale <= plot().height();
    const bool isSideways = event->angleDelta().y() == 0 || (event->modifiers() & Qt::ShiftModifier) != 0 || fitsHeight;
    if ((event->modifiers() & Qt::ControlModifier) != 0) zoom(std::pow(1.25, notches), event->position());
    else if (isSideways) pan({-notches * step, 0});
    else pan({0, -notches * step});
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    m_dragged = event->position();
    m_moved = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_dragged) return;
    constexpr double slip = 4;  // pixels that the hand may move during a click
    const QPointF way = event->position() - *m_dragged;
    if (!m_moved && std::hypot(way.x(), way.y()) < slip) return;
    m_moved = true;
    setCursor(Qt::ClosedHandCursor);
    pan(-way);
    m_dragged = event->position();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    const bool isClick = m_dragged && !m_moved && event->button() == Qt::LeftButton;
    m_dragged.reset();
    unsetCursor();
    if (!isClick) return;
    if (const std::optional<TaskId> task = taskAt(event->position())) Q_EMIT taskChosen(*task);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const std::optional<TaskId> task = taskAt(event->position())) Q_EMIT taskActivated(*task);
    else fit();
}

void GraphCanvas::keyPressEvent(QKeyEvent* event)
{
    const QPointF middle = plot().center();
    switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus: return zoom(1.25, middle);
    case Qt::Key_S:
    case Qt::Key_Minus: return zoom(0.8, middle);
    case Qt::Key_A:
    case Qt::Key_Left: return pan({-step, 0});
    case Qt::Key_D:
    case Qt::Key_Right: return pan({step, 0});
    case Qt::Key_Up: return pan({0, -step});
    case Qt::Key_Down: return pan({0, step});
    case Qt::Key_F:
    case Qt::Key_Home: return fit();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selected >= 0) Q_EMIT taskActivated(m_graph->nodes[static_cast<std::size_t>(m_selected)].id);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

bool GraphCanvas::event(QEvent* event)
{
    // While the picture has the focus these keys are its own, not the window's shortcuts.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const QList<int> ours{Qt::Key_W,    Qt::Key_S,     Qt::Key_A,  Qt::Key_D,    Qt::Key_F,     Qt::Key_Home,
                              Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Return};
        if (ours.contains(key->key()) && key->modifiers() == Qt::NoModifier) event->accept();
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int node = plot().contains(help->pos()) ? nodeAt(m_geometry, toGraph(help->pos())) : -1;
        if (node >= 0) QToolTip::showText(help->globalPos(), tip(m_graph->nodes[static_cast<std::size_t>(node)]), this);
        else QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

QString GraphCanvas::tip(const Subgraph::Node& node) const
{
    const Entry* entry = m_store->entry(node.entry);
    const QString name = entry ? entryName(*entry, false)
                               : m_store->words().say(tr("unknown entry method"), tr("unknown region"));
    return tr("%1\ntask %2 at %3, %4 long\nlongest path to its end: %5")
        .arg(name, longpole::toText(node.id), formatTimeAt(node.begin - m_store->info().begin, 1000),
             formatTime(node.end - node.begin), formatTime(node.length));
}

}  // namespace longpole
