// SPDX-License-Identifier: GPL-3.0-or-later
// The whole run in a strip above the timeline: utilization, when the critical path computes, and the visible range as a
// window to drag and resize.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/drawing/timeline/minimapgeometry.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"
#include "views/timeline/timelinequestions.h"

#include <QWidget>

namespace longpole {

class Minimap : public QWidget {
    Q_OBJECT
public:
    explicit Minimap(ViewState* state, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setMargins(int left, int right);
    void paintPicture(QPainter& painter);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    enum class Drag { None, Window, Begin, End };

    void askOverview();
    void rebuild();
    TimeCoordinates coordinates() const;
    Drag partAt(double x) const;

    ViewState* m_state;
    Theme m_theme = darkTheme();
    std::shared_ptr<const TileLevel> m_overview = std::make_shared<const TileLevel>();  // empty until it is read
    Watch<OverviewQuestion> m_asking;
    MinimapGeometry m_geometry;
    bool m_dirty = true;
    int m_left = 0;
    int m_right = 0;
    Drag m_drag = Drag::None;
    bool m_recorded = false;  // the drag is in the history already
    double m_pressedX = 0;
    TimeRange m_rangeAtPress;
};

}  // namespace longpole
