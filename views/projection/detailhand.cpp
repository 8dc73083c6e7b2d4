// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the detailed view that draws lines, lists outliers and answers the mouse.
#include "views/projection/detailpanel.h"

#include "analysis/report/projectiontables.h"
#include "core/trace/format.h"
#include "views/state/projectiontext.h"
#include "views/widgets/tableview.h"

#include <QComboBox>

#include <algorithm>
#include <cmath>
#include <memory>

namespace longpole {

// Too many rows are thinned evenly, with the first and the last one kept: the extremes of what they are sorted by.
std::vector<std::size_t> DetailPanel::thinned() const
{
    const std::vector<std::size_t>& order = m_rows.order();
    if (order.size() <= mostLines) return order;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < mostLines; ++i) rows.push_back(order[i * (order.size() - 1) / (mostLines - 1)]);
    return rows;
}

void DetailPanel::showLines()
{
    PlotStack::Content content;
    m_lineRows.clear();
    if (!m_shown || m_rows.order().empty()) {
        m_lines->setContent(content);
        return;
    }
    m_lineRows = thinned();
    content.kind = as() == As::Lines ? PlotStack::Kind::Lines : PlotStack::Kind::Rows;
    for (const TimeNs edge : m_shown->stages.edges) content.edges.push_back(static_cast<double>(edge - zero()));
    const auto stages = static_cast<std::ptrdiff_t>(m_shown->stages.count());
    const std::vector<std::size_t>& clusters = m_rows.clusters().clusterOf;
    for (const std::size_t pe : m_lineRows) {
        const auto begin = m_shown->values.begin() + static_cast<std::ptrdiff_t>(pe) * stages;
        QColor colour = clusters.size() == m_shown->pes.size() ? clusterColour(clusters[pe])
                                                               : themeOf(*this).utilization;
        if (content.kind == PlotStack::Kind::Lines && m_lineRows.size() > 4) colour.setAlphaF(0.55f);
        content.layers.push_back({processorText(state().store().words(), {&m_shown->pes[pe], 1}),
                                  colour,
                                  {begin, begin + stages}});
    }
    const QString title = attributeTitle(m_shown->attribute, state().store());
    const QString rows = m_lineRows.size() == m_rows.order().size()
                             ? state().store().words().say(tr("PE"), tr("rank"))
                             : state()
                                   .store()
                                   .words()
                                   .say(tr("%1 of %2 PEs"), tr("%1 of %2 ranks"))
                                   .arg(m_lineRows.size())
                                   .arg(formatCount(static_cast<std::int64_t>(m_rows.order().size())));
    if (content.kind == PlotStack::Kind::Lines) {
        if (m_lineRows.size() > 1)
            content.layers.push_back({tr("mean of all"), themeOf(*this).text,
                                      overProcessors(*m_shown, {Statistic::Kind::Mean})});
        const QString of = m_lineRows.size() == m_rows.order().size() ? title : tr("%1, %2").arg(title, rows);
        m_lines->setAxes({tr("time"), PlotUnit::Time}, {of, plotUnit(m_shown->attribute.unit())});
    } else {
        m_lines->setAxes({tr("time"), PlotUnit::Time}, {rows, PlotUnit::Number});
        m_lines->setLayerTicks();
    }
    m_lines->setContent(std::move(content));
}

void DetailPanel::showOutliers()
{
    if (m_outliers->isHidden()) return;
    const auto rows = std::make_shared<std::vector<OutlierRow>>();
    std::vector<QColor> colours;
    if (m_shown)
        for (const OutlierText& outlier : m_rows.outliers()) {
            rows->push_back({m_shown->pes[outlier.pe], outlier.reason, outlier.distance});
            colours.push_back(clusterColour(outlier.cluster));
        }
    TableContent content = contentOf(outlierTable(state().store()),
                                     std::shared_ptr<const std::vector<OutlierRow>>(rows), state().sharedStore());
    content["pe"].swatch = [colours](std::size_t row) { return colours[row]; };
    m_outliers->setContent(std::move(content));
    m_outliers->setColumnWidths({40, 0, 50});
}

QString DetailPanel::cellText(std::size_t pe, std::size_t stage) const
{
    const std::size_t cell = pe * m_shown->stages.count() + stage;
    const bool isApproximate = m_shown->isApproximate && (m_shown->approximate.empty() || m_shown->approximate[cell]);
    QString exactness = isApproximate ? QString() : tr(", exact");
    if (!isApproximate && m_shown->isEstimated) exactness = tr(", with estimated receive times");
    const std::vector<std::size_t>& clusters = m_rows.clusters().clusterOf;
    if (clusters.size() == m_shown->pes.size()) exactness += tr(" · cluster %1").arg(clusters[pe] + 1);
    const Processor* const processor = state().store().processor(m_shown->pes[pe]);
    const bool isLost = processor != nullptr && !processor->hasLog;
    return tr("%1, %2: %3 %4%5")
        .arg(processorText(state().store().words(), {&m_shown->pes[pe], 1}), stageName(m_shown->stages, stage, zero()),
             attributeTitle(m_shown->attribute, state().store()),
             isLost ? tr("not in the trace")
                    : valueText(m_shown->values[cell], m_shown->attribute.unit(), isApproximate),
             isLost ? QString() : exactness);
}

void DetailPanel::hoverMap(double x, double y)
{
    const auto cell = m_map->cellAt(x, y);
    m_map->setCurrent(cell);
    if (!cell || !m_shown) return;
    QString text = cellText(cell->pe, cell->stage);
    const HeatCells& cells = m_map->cells();
    if (cells.rowsPerCell > 1 || cells.sharesStages) {
        QStringList parts;
        if (cells.rowsPerCell > 1)
            parts << state().store().words().say(tr("%1 PEs"), tr("%1 ranks")).arg(cells.rowsPerCell);
        if (cells.sharesStages) parts << tr("several stages");
        text += tr(" · a pixel is the mean of %1").arg(parts.join(tr(" and ")));
    }
    setReadout(text);
}

void DetailPanel::hoverLines(double x, double y)
{
    const auto hit = m_lines->hitAt(x, y);
    m_lines->setCurrent(hit ? std::optional(hit->column) : std::nullopt);
    if (!hit || !hit->layer || !m_shown) return;
    if (*hit->layer < m_lineRows.size()) setReadout(cellText(m_lineRows[*hit->layer], hit->column));
    else
        setReadout(tr("%1: mean of all %2")
                       .arg(stageName(m_shown->stages, hit->column, zero()),
                            attributeText(m_lines->content().layers.back().values[hit->column],
                                          m_shown->attribute.unit())));
}

void DetailPanel::selectArea(const QRectF& area)
{
    if (!m_shown || m_rows.order().empty()) return;
    // A drag that ends outside of the plot is taken to end at its edge.
    const double lastRow = static_cast<double>(m_rows.order().size()) - 1;
    const auto first = m_map->cellAt(area.left(), std::clamp(area.top(), 0.0, lastRow));
    const auto last = m_map->cellAt(std::max(area.left(), area.right() - 1), std::clamp(area.bottom(), 0.0, lastRow));
    if (!first || !last) return;
    std::vector<ProcessorId> pes;
    for (std::size_t row = first->row; row <= last->row; ++row) pes.push_back(m_shown->pes[m_rows.order()[row]]);
    showInTimeline({m_shown->stages.range(first->stage).begin, m_shown->stages.range(last->stage).end}, pes);
}

void DetailPanel::showCell(double x, double y)
{
    if (const auto cell = m_map->cellAt(x, y)) state().setRange(m_shown->stages.range(cell->stage));
}

void DetailPanel::goToOutlier(std::size_t row, bool inTimeline)
{
    if (!m_shown || row >= m_rows.outliers().size()) return;
    const OutlierText& outlier = m_rows.outliers()[row];
    const std::vector<std::size_t>& order = m_rows.order();
    const auto place = static_cast<std::size_t>(std::find(order.begin(), order.end(), outlier.pe) - order.begin());
    if (place == order.size()) return;
    m_map->scrollToRow(place);
    m_map->setCurrent(PlotHeatMap::Cell{place, outlier.pe, 0}, true);
    setReadout(outlier.reason);
    // The outlier beside the typical row of its cluster, with which it was compared.
    if (inTimeline)
        showInTimeline(m_shown->stages.whole(),
                       {m_shown->pes[outlier.pe], m_shown->pes[m_rows.clusters().representatives[outlier.cluster]]});
}

}  // namespace longpole
