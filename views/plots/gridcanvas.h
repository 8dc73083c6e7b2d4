// SPDX-License-Identifier: GPL-3.0-or-later
// One stage of a projection's animation as a widget that tells which processor is under the cursor.
#pragma once

#include "views/drawing/charts/gridframe.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

class GridCanvas : public QWidget {
    Q_OBJECT
public:
    explicit GridCanvas(QWidget* parent = nullptr);

    // With a null projection only the notice shows.
    void setProjection(std::shared_ptr<const Projection> projection, ProcessorGrid grid, ColourScale scale);
    void setPath(std::shared_ptr<const std::vector<std::vector<GridVisit>>> path);  // null: not drawn
    void setStage(std::size_t stage);
    void setNotice(const QString& text);

    const ProcessorGrid& grid() const { return m_grid; }
    QRectF cell(std::size_t place) const;  // in pixels
    std::optional<std::size_t> hovered() const { return m_hovered; }

Q_SIGNALS:
    void hoverChanged();
    void activated(std::size_t place);  // double-click

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QRectF box() const;
    void hover(std::optional<std::size_t> place);

    std::shared_ptr<const Projection> m_projection;
    std::shared_ptr<const std::vector<std::vector<GridVisit>>> m_path;
    ProcessorGrid m_grid;
    ColourScale m_scale;
    std::size_t m_stage = 0;
    std::optional<std::size_t> m_hovered;
    QString m_notice;
};

}  // namespace longpole
