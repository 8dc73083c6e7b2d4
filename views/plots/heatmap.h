// SPDX-License-Identifier: GPL-3.0-or-later
// A heat map of an attribute: stages are columns over time, processors are rows in any order; a strip at the left shows
// which rows belong together.
#pragma once

#include "analysis/projection/projection.h"
#include "core/trace/vocabulary.h"
#include "views/drawing/basics/colourscale.h"
#include "views/drawing/basics/heatcells.h"
#include "views/plots/frame.h"

#include <QColor>

#include <cstddef>
#include <optional>
#include <vector>

class QCPColorMap;
class QCPItemRect;

namespace longpole {

// Rows [first, first + count) that belong together.
struct RowGroup {
    std::size_t first = 0, count = 0;
    QColor color;
};

class PlotHeatMap : public PlotFrame {
    Q_OBJECT
public:
    struct Content {
        ProjectionPtr projection{};
        QString title{};                   // of the attribute
        std::vector<std::size_t> order{};  // for each row, which of the projection's PEs it shows
        std::vector<RowGroup> groups{};
        TimeNs zero = 0;  // of the time axis
        Vocabulary words{};
    };
    struct Cell {
        std::size_t row = 0;  // of the map
        std::size_t pe = 0;   // among the projection's
        std::size_t stage = 0;
        friend bool operator==(const Cell&, const Cell&) = default;
    };

    explicit PlotHeatMap(QWidget* parent = nullptr);

    void setContent(Content content);
    void setScale(const ColourScale& scale);
    const Content& content() const { return m_content; }
    const HeatCells& cells() const { return m_cells; }
    std::optional<Cell> cellAt(double x, double y) const;
    // Outlines a cell, or a whole row.
    void setCurrent(std::optional<Cell> cell, bool isRow = false);
    void scrollToRow(std::size_t row);
    QByteArray toCsv() const override;  // all stages of all processors, in the order of the rows

protected:
    void dress(const Theme& theme) override;

private:
    void fillMap();
    void createGroups();
    void placeGroups();
    QString rowText(std::int64_t row) const;

    Content m_content;
    ColourScale m_scale;
    HeatCells m_cells;
    QCPColorMap* m_map;
    QCPItemRect* m_current;
    std::vector<QCPItemRect*> m_groups;
};

}  // namespace longpole
