// SPDX-License-Identifier: GPL-3.0-or-later
// The decision tree as a widget in which a click or an arrow key chooses a node.
#pragma once

#include "analysis/expert/expert.h"
#include "views/drawing/graphs/treegeometry.h"
#include "views/plots/chartcanvas.h"

#include <memory>

namespace longpole {

class TreeCanvas : public ChartCanvas {
    Q_OBJECT
public:
    explicit TreeCanvas(QWidget* parent = nullptr);

    void setExpert(
        std::shared_ptr<const Expert> expert);  // null: none; of another expert the end of the tree's path is chosen
    const TreeGeometry& geometryOfTree() const { return m_geometry; }
    int chosen() const { return m_chosen; }  // node; -1: none
    void choose(int node);
    QByteArray toCsv() const override;  // a line per test, and one for a node without tests

Q_SIGNALS:
    void nodeChosen(int node);

protected:
    void paintChart(QPainter& painter) override;
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void arrange();
    void hover(int node);

    std::shared_ptr<const Expert> m_expert;
    TreeGeometry m_geometry;
    int m_chosen = -1;
    int m_hovered = -1;
};

}  // namespace longpole
