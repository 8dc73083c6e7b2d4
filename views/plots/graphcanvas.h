// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a subgraph as a widget to pan, zoom and choose tasks in; the names of PEs and times stay in sight.
#pragma once

#include "analysis/paths/subgraph.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/graphs/graphgeometry.h"

#include <QPointF>
#include <QWidget>

#include <memory>
#include <optional>

namespace longpole {

class GraphCanvas : public QWidget {
    Q_OBJECT
public:
    explicit GraphCanvas(std::shared_ptr<const TraceStore> store, QWidget* parent = nullptr);

    // If it has the same tasks as before, the picture stays where it is.
    void setGraph(std::shared_ptr<const Subgraph> graph);
    const std::shared_ptr<const Subgraph>& graph() const { return m_graph; }
    void setColours(std::shared_ptr<const Palette> palette);
    void setSelected(TaskId task);  // marks a task and brings it into sight; one that is not in the graph marks none

    void fit();                               // shows all of it
    void zoom(double factor, QPointF fixed);  // in pixels of the widget
    void pan(QPointF pixels);
    double scale() const { return m_scale; }
    std::optional<TaskId> taskAt(QPointF at) const;
    QPointF positionOf(
        TaskId task) const;  // of the centre of its box in the widget; null if the task is not in the graph

Q_SIGNALS:
    void taskChosen(longpole::TaskId task);     // click
    void taskActivated(longpole::TaskId task);  // double-click, Enter

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF plot() const;  // without names and times
    QPointF toGraph(QPointF at) const { return (at - plot().topLeft()) / m_scale + m_origin; }
    int nodeOf(TaskId task) const;
    void showFirst();  // where a new picture begins
    void bringIntoSight(const QRectF& box);
    void keepInside();
    void paintLegend(QPainter& painter, const Theme& theme) const;
    QString tip(const Subgraph::Node& node) const;

    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const Subgraph> m_graph = std::make_shared<const Subgraph>();
    GraphGeometry m_geometry;
    std::shared_ptr<const Palette> m_palette = std::make_shared<const Palette>();
    double m_names = 40;  // width of the PEs' names
    double m_scale = 1;   // pixels per pixel of the geometry
    QPointF m_origin;     // the point of the geometry in the plot's upper left corner
    int m_selected = -1;
    bool m_placed = false;             // by hand: then a new size of the widget does not place it anew
    std::optional<QPointF> m_dragged;  // where the last move ended, while a button is down
    bool m_moved = false;
};

}  // namespace longpole
