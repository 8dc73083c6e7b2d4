// SPDX-License-Identifier: GPL-3.0-or-later
// The detailed view: one attribute by stage and processor, as a heat map or as a line for each processor. Rows can be
// sorted and clustered.
#pragma once

#include "views/drawing/basics/colourscale.h"
#include "views/plots/heatmap.h"
#include "views/plots/stack.h"
#include "views/projection/detailrows.h"
#include "views/projection/projectionpanel.h"

#include <QStackedWidget>

#include <optional>
#include <vector>

class QComboBox;

namespace longpole {

class ColourBar;
class TableView;

class DetailPanel : public ProjectionPanel {
    Q_OBJECT
public:
    enum class As : std::uint8_t { HeatMap, Lines, Rows };
    static constexpr std::size_t mostLines = 50;

    explicit DetailPanel(ViewState& state, QWidget* parent = nullptr);

    PlotHeatMap& map() { return *m_map; }
    PlotStack& lines() { return *m_lines; }
    DetailRows& rows() { return m_rows; }
    TableView& outliers() { return *m_outliers; }
    QComboBox& clip() { return *m_clip; }
    const ColourScale& scale() const { return m_colours; }

protected:
    void ask() override;
    void showAnswers() override;
    void recolour() override;
    void showMarked() override;

private:
    void createSecondLine();
    void createPlots();
    void connectPlots();
    void fillOrders();
    void chooseRows();
    As as() const;
    void showRows();  // redraws when m_rows has another order
    void showScale();
    void showHeatMap();
    void showLines();
    void showOutliers();
    void placeNotice();
    std::vector<std::size_t> thinned() const;  // the projection's PEs that get a line
    QColor clusterColour(std::size_t cluster) const;
    void hoverMap(double x, double y);
    void hoverLines(double x, double y);
    QString cellText(std::size_t pe, std::size_t stage) const;
    void selectArea(const QRectF& area);
    void showCell(double x, double y);
    void goToOutlier(std::size_t row, bool inTimeline);
    ProjectionPtr projection() const { return m_rows.order().empty() ? nullptr : m_shown; }

    DetailRows m_rows;
    ProjectionPtr m_shown;
    ColourScale m_colours;
    ValueAxis m_values;                                 // covers all values that are shown
    std::optional<std::pair<double, double>> m_chosen;  // ends of the colour scale, if the user has set them
    std::vector<std::size_t> m_lineRows;                // by line: the projection's PE
    QComboBox* m_as = nullptr;
    QComboBox* m_order = nullptr;
    QComboBox* m_clusters = nullptr;
    QComboBox* m_number = nullptr;
    QComboBox* m_scale = nullptr;
    QComboBox* m_clip = nullptr;  // its data: the percentage of values clipped at either end
    ColourBar* m_colourBar = nullptr;
    QStackedWidget* m_plots = nullptr;
    PlotHeatMap* m_map = nullptr;
    PlotStack* m_lines = nullptr;
    TableView* m_outliers = nullptr;
};

}  // namespace longpole
