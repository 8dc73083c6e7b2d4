// SPDX-License-Identifier: GPL-3.0-or-later
// A communication matrix as a widget that tells which cell is under the cursor and which one is clicked.
#pragma once

#include "views/drawing/pictures/rendermatrix.h"
#include "views/plots/chartcanvas.h"

#include <memory>
#include <optional>

namespace longpole {

class MatrixCanvas : public ChartCanvas {
    Q_OBJECT
public:
    MatrixCanvas(std::shared_ptr<const TraceStore> store, QWidget* parent = nullptr);

    void setGrid(std::shared_ptr<const MatrixGrid> grid);  // null: none; unselects
    void setLogarithmic(bool isLog);
    void setSelected(std::optional<MatrixCellAt> cell);
    std::optional<MatrixCellAt> selected() const { return m_selected; }

    MatrixLayout layoutNow() const;
    QByteArray toCsv() const override;

Q_SIGNALS:
    void hovered(std::optional<longpole::MatrixCellAt> cell);
    void clicked(std::optional<longpole::MatrixCellAt> cell);  // empty: beside the cells, or Esc

protected:
    void paintChart(QPainter& painter) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    bool isLow() const;  // so low that the scale stands beside the cells instead of below them
    void hover(std::optional<MatrixCellAt> cell);

    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const MatrixGrid> m_grid;
    QSizeF m_names;  // what the names need
    bool m_isLog = true;
    std::optional<MatrixCellAt> m_hovered;
    std::optional<MatrixCellAt> m_selected;
};

}  // namespace longpole
