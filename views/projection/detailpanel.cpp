// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the detailed view that has controls, colours and the heat map.
#include "views/projection/detailpanel.h"

#include "core/trace/format.h"
#include "views/drawing/charts/gridframe.h"
#include "views/plots/colourbar.h"
#include "views/projection/plotbands.h"
#include "views/state/panelspec.h"
#include "views/state/projectiontext.h"
#include "views/widgets/choicebox.h"
#include "views/widgets/flowlayout.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace longpole {

namespace {

// The least and the largest value; on a logarithmic scale only values above zero count.
std::pair<double, double> extremes(const std::vector<double>& values, bool isLog)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double least = infinity, largest = -infinity;
    for (const double value : values) {
        if (!(isLog ? value > 0 : std::isfinite(value))) continue;
        least = std::min(least, value);
        largest = std::max(largest, value);
    }
    return least <= largest ? std::pair(least, largest) : std::pair(0.0, 1.0);
}

// So many of the values that percentiles of the sample look like those of all.
std::vector<double> sample(const std::vector<double>& values, bool isLog)
{
    constexpr std::size_t most = 100'000;
    const std::size_t step = std::max<std::size_t>(1, values.size() / most) | 1;  // odd: not a divisor of most rows
    std::vector<double> some;
    for (std::size_t i = 0; i < values.size(); i += step)
        if (!isLog || values[i] > 0) some.push_back(values[i]);
    return some;
}

}  // namespace

DetailPanel::DetailPanel(ViewState& state, QWidget* parent) : ProjectionPanel(state, false, parent), m_rows(state, this)
{
    createSecondLine();
    createPlots();
    connectPlots();
    connect(&m_rows, &DetailRows::changed, this, &DetailPanel::showRows);
    connect(&picker(), &AttributePicker::chosenChanged, this, [this] { m_chosen.reset(); });
    picker().setChosen({*parseAttribute(QStringLiteral("utilization"), state.store())});
    recolour();
}

void DetailPanel::createSecondLine()
{
    const auto choice = [this](const QStringList& texts, const QString& name) { return choiceBox(texts, name, this); };
    m_as = choice({tr("heat map"), tr("lines"), tr("strips")}, tr("How values are drawn"));
    m_order = choice({}, tr("Order of the rows"));
    fillOrders();
    m_clusters = choice({tr("no clusters"), tr("by stages"), tr("by attributes")},
                        tr("Clusters of rows that behave alike (k-means), and those that fit none"));
    m_number = choice({tr("k by silhouette")},
                      tr("Number of clusters; by silhouette: 2 to %1, one where none is 0.6").arg(mostClusters));
    for (int k = 2; k <= static_cast<int>(mostClusters); ++k) m_number->addItem(QStringLiteral("k = %1").arg(k), k);
    m_scale = choice({tr("linear"), tr("log")}, tr("Scale of colours and lines"));
    m_clip = choice({tr("all values")}, tr("Percentiles of the values where the colours begin and end"));
    m_clip->setItemData(0, 0);
    for (const double percent : {0.1, 1.0, 2.0, 5.0, 10.0, 25.0})
        m_clip->addItem(tr("%1 … %2 %").arg(percent).arg(100 - percent), percent);
    m_colourBar = new ColourBar(this);
    auto* line = new FlowLayout(8, 4);
    line->setContentsMargins(12, 0, 4, 2);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_as, m_order, m_clusters, m_number, m_clip, m_scale, m_colourBar})
        line->addWidget(widget);
    static_cast<QVBoxLayout*>(layout())->insertLayout(1, line);
}

void DetailPanel::fillOrders()
{
    const auto add = [this](const QString& text, RowOrder order) { m_order->addItem(text, static_cast<int>(order)); };
    add(state().store().words().say(tr("rows by PE"), tr("rows by rank")), RowOrder::Number);
    add(tr("by total"), RowOrder::Total);
    add(tr("by largest"), RowOrder::Largest);
    add(tr("by similarity"), RowOrder::Similarity);
    add(tr("by who talks with whom"), RowOrder::Affinity);
    for (const AttributeSpec& spec : attributeSpecs()) {
        if (spec.restrictedTo == RestrictedTo::Region || !whyMissing(spec, state().store()).isEmpty()) continue;
        addNamed(*m_order, tr("by %1").arg(attributeTitle(Attribute{.spec = &spec}, state().store())),
                 static_cast<int>(RowOrder::ByAttribute));
        m_order->setItemData(m_order->count() - 1, QLatin1String(spec.id), Qt::UserRole + 1);
    }
}

void DetailPanel::createPlots()
{
    m_plots = new QStackedWidget(&body());
    m_map = new PlotHeatMap(m_plots);
    m_lines = new PlotStack(m_plots);
    for (PlotFrame* plot : std::initializer_list<PlotFrame*>{m_map, m_lines}) new PlotBands(*plot, state(), zero());
    m_plots->addWidget(m_map);
    m_plots->addWidget(m_lines);
    m_outliers = new TableView(&body());
    m_outliers->setAccessibleName(tr("Rows that fit no cluster"));
    m_outliers->setMinimumWidth(170);
    m_outliers->hide();
    body().addWidget(m_plots);
    body().addWidget(m_outliers);
    body().setStretchFactor(0, 0);
    body().setStretchFactor(1, 1);
    body().setStretchFactor(2, 0);
    body().setSizes({220, 800, 330});
}

void DetailPanel::connectPlots()
{
    adopt(*m_map);
    adopt(*m_lines);
    connect(m_map, &PlotFrame::hovered, this, &DetailPanel::hoverMap);
    connect(m_map, &PlotFrame::left, this, [this] { m_map->setCurrent({}); });
    connect(m_map, &PlotFrame::doubleClicked, this, &DetailPanel::showCell);
    connect(m_map, &PlotFrame::clicked, this, [this](double x, double y) {
        if (const auto cell = m_map->cellAt(x, y)) state().setMarked(m_shown->stages.range(cell->stage));
    });
    connect(m_map, &PlotFrame::dragged, this, [this](const QRectF& area, bool isDone) {
        if (isDone) selectArea(area);
    });
    connect(m_lines, &PlotFrame::hovered, this, &DetailPanel::hoverLines);
    connect(m_lines, &PlotFrame::dragged, this, [this](const QRectF& area, bool isDone) {
        if (isDone) state().setMarked({zero() + std::llround(area.left()), zero() + std::llround(area.right())});
    });
    connect(m_outliers, &TableView::rowChosen, this, [this](std::size_t row) { goToOutlier(row, false); });
    connect(m_outliers, &TableView::rowActivated, this, [this](std::size_t row) { goToOutlier(row, true); });
    connect(m_outliers, &TableView::exportFailed, this, &DetailPanel::exportFailed);
    connect(m_as, &QComboBox::activated, this, &DetailPanel::showRows);
    for (QComboBox* box : {m_order, m_clusters, m_number})
        connect(box, &QComboBox::activated, this, &DetailPanel::chooseRows);
    connect(m_scale, &QComboBox::activated, this, [this] {
        m_chosen.reset();
        showRows();
    });
    connect(m_clip, &QComboBox::currentIndexChanged, this, [this] {
        m_chosen.reset();
        showScale();
    });
    connect(m_colourBar, &ColourBar::rangeChosen, this, [this](double low, double high) {
        m_chosen = {low, high};
        showScale();
    });
    connect(m_colourBar, &ColourBar::resetRequested, this, [this] {
        m_chosen.reset();
        m_clip->setCurrentIndex(0);
        showScale();
    });
}

DetailPanel::As DetailPanel::as() const { return static_cast<As>(m_as->currentIndex()); }

void DetailPanel::chooseRows()
{
    RowChoiceOfDetail choice{.order = static_cast<RowOrder>(m_order->currentData().toInt()),
                             .clusters = static_cast<ClusterBy>(m_clusters->currentIndex())};
    if (choice.order == RowOrder::ByAttribute)
        choice.attribute = *parseAttribute(m_order->currentData(Qt::UserRole + 1).toString(), state().store());
    if (m_number->currentIndex() > 0) choice.k = static_cast<std::size_t>(m_number->currentData().toInt());
    m_rows.setChoice(choice);
}

void DetailPanel::ask() { feed().ask(questionOf(hasPath() ? picker().chosen() : std::vector<Attribute>{})); }

void DetailPanel::showAnswers()
{
    if (!feed().answers().empty() && feed().answers().front()) m_shown = feed().answers().front();
    else if (!feed().isWorking()) m_shown = nullptr;  // while the feed counts, the last picture stays
    placeNotice();
    m_rows.setProjection(m_shown);
}

void DetailPanel::placeNotice()
{
    QString text;
    if (!m_shown) {
        if (feed().isWorking()) text = tr("Counting …");
        else if (!hasPath()) text = tr("There is no critical path yet.");
        else if (!feed().error()) text = tr("Choose an attribute: press Attributes …");
    }
    m_map->setNotice(text);
    m_lines->setNotice(text);
}

void DetailPanel::showRows()
{
    const RowChoiceOfDetail& choice = m_rows.choice();
    const bool hasClusters = choice.clusters != ClusterBy::None || choice.order == RowOrder::Similarity;
    m_number->setVisible(hasClusters);
    m_outliers->setVisible(hasClusters && !m_rows.outliers().empty());
    m_plots->setCurrentIndex(as() == As::HeatMap ? 0 : 1);
    m_colourBar->setVisible(as() == As::HeatMap);
    m_clip->setVisible(as() == As::HeatMap);
    m_scale->setVisible(as() == As::HeatMap);
    if (m_rows.error()) setOwnState(longpole::toText(*m_rows.error()), true);
    else setOwnState(hasClusters && feed().isExact() ? m_rows.clusterText() : QString(), false);
    showScale();
    if (as() == As::HeatMap) showHeatMap();
    else showLines();
    showOutliers();
    showMarked();
    for (PlotFrame* plot : std::initializer_list<PlotFrame*>{m_map, m_lines})
        plot->setProvisional(!feed().isExact() && state().store().hasEvents());
}

void DetailPanel::showScale()
{
    if (!m_shown) {
        m_colourBar->setEmpty();
        return;
    }
    const bool isLog = m_scale->currentIndex() == 1;
    const AttributeUnit unit = m_shown->attribute.unit();
    auto [least, largest] = extremes(m_shown->values, isLog);
    if (!isLog) least = std::min(least, 0.0);
    if (unit == AttributeUnit::Share && !isLog) largest = std::max(largest, 1.0);
    m_values = valueAxis(least, largest, isLog, valueUnit(unit));
    std::pair<double, double> ends{m_values.low, m_values.high};
    if (m_chosen) ends = *m_chosen;
    else if (const double share = m_clip->currentData().toDouble() / 100; share > 0)
        ends = clippedRange(sample(m_shown->values, isLog), share, 1 - share);
    const ColourScaleKind kind = state().paletteKind() == PaletteKind::OkabeIto ? ColourScaleKind::Cividis
                                                                                : ColourScaleKind::Calm;
    m_colours = ColourScale(themeOf(*this), kind, valueAxis(ends.first, ends.second, isLog, valueUnit(unit)));
    m_colourBar->setScale(m_colours, m_values, unit);
    m_map->setScale(m_colours);
}

void DetailPanel::showHeatMap()
{
    PlotHeatMap::Content content{.projection = projection(),
                                 .order = m_rows.order(),
                                 .groups = {},
                                 .zero = zero(),
                                 .words = state().store().words()};
    if (m_shown) content.title = attributeTitle(m_shown->attribute, state().store());
    const std::vector<std::size_t>& clusters = m_rows.clusters().clusterOf;
    if (m_rows.choice().clusters != ClusterBy::None || m_rows.choice().order == RowOrder::Similarity)
        for (std::size_t row = 0; row < content.order.size() && clusters.size() == content.order.size(); ++row) {
            const QColor colour = clusterColour(clusters[content.order[row]]);
            if (!content.groups.empty() && content.groups.back().color == colour) ++content.groups.back().count;
            else content.groups.push_back({row, 1, colour});
        }
    m_map->setContent(std::move(content));
}

QColor DetailPanel::clusterColour(std::size_t cluster) const
{
    const std::span<const QRgb> colours = paletteColours(state().paletteKind());
    return QColor::fromRgb(colours[cluster % colours.size()]);
}

void DetailPanel::recolour() { showRows(); }

void DetailPanel::showMarked()
{
    const TimeRange marked = state().marked();
    std::optional<PlotSpan> band;
    if (!marked.isEmpty())
        band = PlotSpan(static_cast<double>(marked.begin - zero()), static_cast<double>(marked.end - zero()));
    m_map->setBand(band);
    m_lines->setBand(band);
}

namespace panels {

extern const PanelSpec detail;
const PanelSpec detail{
    .id = "panel.detail",
    .title = {QT_TRANSLATE_NOOP("Actions", "Stages × PEs"), QT_TRANSLATE_NOOP("Actions", "Stages × ranks")},
    .command = {QT_TRANSLATE_NOOP("Actions", "Stages and &PEs"), QT_TRANSLATE_NOOP("Actions", "Stages and &ranks")},
    .question = {QT_TRANSLATE_NOOP("Actions", "How busy is each PE?"),
                 QT_TRANSLATE_NOOP("Actions", "How busy is each rank?")},
    .tip = QT_TRANSLATE_NOOP("Actions", "Any attribute by stage and row: a heat map, or a line for each row"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "One attribute by stage, from left to right, and PE or rank, from top to bottom, as colours or as lines. Rows "
        "that differ from their neighbours behave differently; sorting and grouping by likeness brings them together."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "heat map, load imbalance, utilization, outliers, idle ranks, clusters"),
    .group = PanelGroup::Timeline,
    .place = PanelPlace::Centre,
    .create = makeProjectionPanel<DetailPanel>,
};

}  // namespace panels

}  // namespace longpole
