// SPDX-License-Identifier: GPL-3.0-or-later
// A heat map of named rows and columns. Its columns stand as the bars of a PlotStack do, so that both can share an
// axis.
#pragma once

#include "views/drawing/basics/colourscale.h"
#include "views/plots/frame.h"

#include <QColor>

#include <cstddef>
#include <optional>
#include <vector>

class QCPColorMap;
class QCPItemRect;

namespace longpole {

class PlotMatrix : public PlotFrame {
    Q_OBJECT
public:
    struct Content {
        QString title{};  // of the values, in exported files
        QString rowTitle{}, columnTitle{};
        std::vector<QString> rows{}, columns{};
        std::vector<QColor> rowColours{};  // of a strip at the left, a legend to other plots; empty: none
        std::vector<double> values{};      // [row * columns + column]; NaN: none
    };
    struct Cell {
        std::size_t row = 0, column = 0;
        friend bool operator==(const Cell&, const Cell&) = default;
    };

    explicit PlotMatrix(QWidget* parent = nullptr);

    // On the axes column c covers [c - 0.5, c + 0.5), as do rows.
    void setContent(Content content);
    void setScale(const ColourScale& scale);
    const Content& content() const { return m_content; }
    double at(Cell cell) const { return m_content.values[cell.row * m_content.columns.size() + cell.column]; }
    std::optional<Cell> cellAt(double x, double y) const;
    void setCurrent(std::optional<Cell> cell);  // outlines it
    QByteArray toCsv() const override;          // a line per cell

protected:
    void dress(const Theme& theme) override;

private:
    void fillMap();
    void showStrip();
    bool isThere() const { return !m_content.rows.empty() && !m_content.columns.empty(); }

    Content m_content;
    ColourScale m_scale;
    QCPColorMap* m_map;
    QCPItemRect* m_current;
    std::vector<QCPItemRect*> m_strip;
};

}  // namespace longpole
