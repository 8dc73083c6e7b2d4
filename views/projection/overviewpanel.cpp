// SPDX-License-Identifier: GPL-3.0-or-later
// The overview's questions, its plots of attributes and its mouse; overviewstacks.cpp has the stacks by entry method.
#include "views/projection/overviewpanel.h"

#include "analysis/projection/formula.h"
#include "analysis/report/projectiontables.h"
#include "core/trace/format.h"
#include "views/projection/plotbands.h"
#include "views/state/panelspec.h"
#include "views/state/projectiontext.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr int pickerWidth = 220;
constexpr std::size_t mostBars = 256;  // of more processors several share a bar
constexpr std::size_t gapBars = 128;   // more bars than that have no gaps between them
constexpr std::size_t mostUnits = 4;   // so many plots fit below each other

}  // namespace

OverviewPanel::OverviewPanel(ViewState& state, QWidget* parent) : ProjectionPanel(state, true, parent)
{
    createWidgets();
    m_progress.setInterval(100);
    connect(&m_progress, &QTimer::timeout, this, [this] { setOwnWork(m_counting.isRunning(), m_counting.fraction()); });
    connect(m_show, &QComboBox::activated, this, &OverviewPanel::outdate);
    connect(m_against, &QComboBox::activated, this, &OverviewPanel::outdate);
    connect(m_statistic, &QComboBox::activated, this, [this] { showAnswers(); });
    connect(&picker(), &AttributePicker::chosenChanged, this, [this] {
        if (!picker().chosen().empty()) setShow(Show::Attributes);
    });
    connect(m_table, &TableView::exportFailed, this, &OverviewPanel::exportFailed);
    connect(m_table, &TableView::measured, this, &OverviewPanel::fitTable);
    connect(&body(), &QSplitter::splitterMoved, this, [this] { m_isTableMoved = true; });
    recolour();
}

void OverviewPanel::createWidgets()
{
    m_show = new QComboBox(this);
    const Vocabulary words = state().store().words();
    m_show->addItems({words.say(tr("entry shares"), tr("region shares")),
                      words.say(tr("entry times"), tr("region times")), tr("attributes")});
    m_show->setAccessibleName(tr("What is shown"));
    m_show->setToolTip(
        words.say(tr("Time by entry method with idling and overhead, as shares or summed; or chosen attributes"),
                  tr("Time by region with idling and overhead, as shares or summed; or chosen attributes")));
    m_against = new QComboBox(this);
    m_against->addItems({tr("over time"), words.say(tr("over PEs"), tr("over ranks"))});
    m_against->setAccessibleName(tr("Axis that is kept"));
    m_statistic = new QComboBox(this);
    m_statistic->addItems({tr("together"), tr("mean"), tr("largest"), tr("least"), tr("median")});
    for (const int percentile : {1, 5, 10, 25, 75, 90, 95, 99})
        m_statistic->addItem(tr("%1th percentile").arg(percentile), percentile);
    m_statistic->setAccessibleName(tr("How rows, or stages, become one number"));
    m_statistic->setToolTip(tr("together: sums, largest values, or sum over sum, as the attribute has it"));
    for (QWidget* control : {m_show, m_against, m_statistic}) bar().addControl(control);
    m_plots = new QWidget(&body());
    auto* column = new QVBoxLayout(m_plots);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_table = new TableView(&body());
    m_table->setAccessibleName(tr("What the overview shows"));
    m_table->setMinimumWidth(170);
    body().addWidget(m_plots);
    body().addWidget(m_table);
    body().setStretchFactor(0, 0);
    body().setStretchFactor(1, 1);
    body().setStretchFactor(2, 0);
    body().setSizes({pickerWidth, 800, 270});
    usePlots(1);
}

// As wide as its names, up to two fifths, until the user moves its edge.
void OverviewPanel::fitTable()
{
    const QList<int> sizes = body().sizes();
    const int room = body().width() - (picker().isVisible() ? sizes[0] : 0);
    if (m_isTableMoved || room <= 0) return;
    const int table = std::clamp(m_table->wholeWidth(), m_table->minimumWidth(),
                                 std::max(m_table->minimumWidth(), room * 2 / 5));
    if (table != sizes[2]) body().setSizes({picker().isVisible() ? sizes[0] : pickerWidth, room - table, table});
}

void OverviewPanel::resizeEvent(QResizeEvent* event)
{
    ProjectionPanel::resizeEvent(event);
    fitTable();
}

PlotStack& OverviewPanel::plot(std::size_t i)
{
    while (m_plot.size() <= i) {
        const std::size_t number = m_plot.size();
        auto* plot = new PlotStack(m_plots);
        m_plots->layout()->addWidget(plot);
        new PlotBands(*plot, state(), zero());
        m_plot.push_back(plot);
        adopt(*plot);
        connect(plot, &PlotFrame::hovered, this, [this, number](double x, double y) { hover(number, x, y); });
        connect(plot, &PlotFrame::clicked, this, [this](double x, double) { click(x); });
        connect(plot, &PlotFrame::doubleClicked, this, [this](double x, double) { doubleClick(x); });
        connect(plot, &PlotFrame::dragged, this, [this](const QRectF& area, bool isDone) {
            if (isDone) drag(area);
        });
        connect(plot, &PlotFrame::moved, this, [this, plot] {
            for (PlotStack* other : m_plot)
                if (other != plot && other->isVisible()) other->showX(plot->xShown());
        });
    }
    return *m_plot[i];
}

void OverviewPanel::usePlots(std::size_t count)
{
    constexpr int alone = 8, aligned = 72;  // pixels left of the axis; several plots are aligned by room for all labels
    for (std::size_t i = 0; i < count; ++i) {
        plot(i).show();
        plot(i).setLeastLeft(count > 1 ? aligned : alone);
    }
    for (std::size_t i = count; i < m_plot.size(); ++i) m_plot[i]->hide();
    m_plotAnswers.assign(count, {});
}

std::vector<PlotStack*> OverviewPanel::plots() const
{
    return {m_plot.begin(), m_plot.begin() + static_cast<std::ptrdiff_t>(m_plotAnswers.size())};
}

OverviewPanel::Against OverviewPanel::against() const { return static_cast<Against>(m_against->currentIndex()); }
OverviewPanel::Show OverviewPanel::what() const { return static_cast<Show>(m_show->currentIndex()); }

void OverviewPanel::setShow(Show show)
{
    m_show->setCurrentIndex(static_cast<int>(show));
    outdate();
}

Statistic OverviewPanel::statistic() const
{
    const int percentile = m_statistic->currentData().isValid() ? m_statistic->currentData().toInt() : 50;
    return {static_cast<Statistic::Kind>(std::min(m_statistic->currentIndex(), 4)), static_cast<double>(percentile)};
}

std::size_t OverviewPanel::binSize() const
{
    return against() == Against::Time ? 1 : (shownPes().size() + mostBars - 1) / mostBars;
}

const Stages& OverviewPanel::shownStages() const
{
    return what() != Show::Attributes && m_stacks ? m_stacks->request.stages : bar().stages();
}

const std::vector<ProcessorId>& OverviewPanel::shownPes() const
{
    return what() != Show::Attributes && m_stacks ? m_stacks->request.pes : bar().pes();
}

void OverviewPanel::ask()
{
    const bool isAttributes = what() == Show::Attributes;
    m_statistic->setVisible(isAttributes);
    if (!isAttributes) {
        askStacks();
        return;
    }
    cancelOwn();
    setOwnState({}, false);
    feed().ask(questionOf(hasPath() ? picker().chosen() : std::vector<Attribute>{}));
}

void OverviewPanel::showAnswers()
{
    if (what() == Show::Attributes) showAttributes();
    else showStacks();
    showMarked();
}

// The columns of the chosen x axis: stages at their times, or bars of one or more processors.
PlotStack::Content OverviewPanel::columns(const Stages& stages, const std::vector<ProcessorId>& pes) const
{
    PlotStack::Content content;
    if (against() == Against::Time) {
        for (const TimeNs edge : stages.edges) content.edges.push_back(static_cast<double>(edge - zero()));
        return content;
    }
    const std::size_t bars = (pes.size() + binSize() - 1) / binSize();
    for (std::size_t bin = 0; bin <= bars; ++bin) content.edges.push_back(static_cast<double>(bin) - 0.5);
    for (std::size_t bin = 0; bin < bars; ++bin)
        content.columnNames.push_back(processorText(state().store().words(), processorsAt(bin)));
    content.hasGaps = bars <= gapBars;
    return content;
}

std::vector<ProcessorId> OverviewPanel::processorsAt(std::size_t bin) const
{
    const std::vector<ProcessorId>& pes = shownPes();
    const std::size_t begin = std::min(bin * binSize(), pes.size()), end = std::min(begin + binSize(), pes.size());
    return {pes.begin() + static_cast<std::ptrdiff_t>(begin), pes.begin() + static_cast<std::ptrdiff_t>(end)};
}

void OverviewPanel::showAttributes()
{
    const std::vector<ProjectionPtr>& answers = feed().answers();
    std::vector<AttributeUnit> units;
    for (const ProjectionPtr& one : answers)
        if (one && std::find(units.begin(), units.end(), one->attribute.unit()) == units.end())
            units.push_back(one->attribute.unit());
    if (units.size() > mostUnits) units.resize(mostUnits);
    usePlots(std::max<std::size_t>(1, units.size()));
    std::vector<std::vector<double>> values;
    const std::span<const QRgb> colours = paletteColours(state().paletteKind());
    std::vector<PlotStack::Content> contents(m_plotAnswers.size(), columns(bar().stages(), bar().pes()));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        values.emplace_back();
        if (!answers[i]) continue;
        const auto unit = std::find(units.begin(), units.end(), answers[i]->attribute.unit()) - units.begin();
        values.back() = against() == Against::Time ? overProcessors(*answers[i], statistic())
                                                   : binned(overStages(*answers[i], statistic()));
        if (static_cast<std::size_t>(unit) >= contents.size()) continue;
        PlotStack::Content& content = contents[static_cast<std::size_t>(unit)];
        if (values.back().size() + 1 != content.edges.size()) continue;
        content.kind = PlotStack::Kind::Lines;
        content.layers.push_back({attributeTitle(answers[i]->attribute, state().store()),
                                  QColor::fromRgb(colours[i % colours.size()]), values.back()});
        m_plotAnswers[static_cast<std::size_t>(unit)].push_back(i);
    }
    for (std::size_t i = 0; i < contents.size(); ++i) {
        const AttributeUnit unit = i < units.size() ? units[i] : AttributeUnit::Number;
        const QString title = contents[i].layers.size() == 1 ? contents[i].layers.front().name : QString();
        showContent(plot(i), std::move(contents[i]), {title, plotUnit(unit)});
    }
    plot(0).setNotice(!answers.empty() ? QString()
                      : !hasPath()     ? tr("There is no critical path yet.")
                                       : tr("Choose attributes: press Attributes …"));
    showAttributeTable(values, answers);
}

void OverviewPanel::showContent(PlotStack& plot, PlotStack::Content content, const PlotAxis& y)
{
    const bool isTime = against() == Against::Time;
    const std::size_t size = binSize();
    plot.setAxes({isTime     ? tr("time")
                  : size > 1 ? state().store().words().say(tr("PEs, %1 a bar"), tr("ranks, %1 a bar")).arg(size)
                             : state().store().words().say(tr("PE"), tr("rank")),
                  isTime ? PlotUnit::Time : PlotUnit::Number},
                 y);
    if (!isTime)
        plot.setBarTicks([pes = shownPes(), size](std::int64_t bar) {
            const std::size_t at = static_cast<std::size_t>(std::max<std::int64_t>(0, bar)) * size;
            return bar >= 0 && at < pes.size() ? QString::number(index(pes[at])) : QString();
        });
    plot.setContent(std::move(content));
    const bool isExact = what() == Show::Attributes ? feed().isExact() : m_stacks && !m_stacks->isApproximate;
    plot.setProvisional(!isExact && state().store().hasEvents());
}

// By bar, the mean value of its processors.
std::vector<double> OverviewPanel::binned(const std::vector<double>& values) const
{
    const std::size_t size = binSize();
    std::vector<double> bins;
    for (std::size_t begin = 0; begin < values.size(); begin += size) {
        double sum = 0, known = 0;
        for (std::size_t i = begin; i < std::min(begin + size, values.size()); ++i)
            if (!std::isnan(values[i])) sum += values[i], ++known;
        bins.push_back(known > 0 ? sum / known : std::nan(""));
    }
    return bins;
}

void OverviewPanel::showAttributeTable(const std::vector<std::vector<double>>& values,
                                       const std::vector<ProjectionPtr>& shown)
{
    const auto rows = std::make_shared<std::vector<AttributeRow>>();
    std::vector<QColor> swatches;
    const std::span<const QRgb> colours = paletteColours(state().paletteKind());
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (!shown[i]) continue;
        AttributeRow row{.attribute = shown[i]->attribute,
                         .total = shown[i]->total,
                         .isApproximate = shown[i]->isApproximate && !shown[i]->attribute.isAdditive()};
        for (const double value : values[i]) {
            row.least = std::fmin(row.least, value);
            row.largest = std::fmax(row.largest, value);
        }
        rows->push_back(std::move(row));
        swatches.push_back(QColor::fromRgb(colours[i % colours.size()]));
    }
    TableContent content = contentOf(attributeRowTable(state().store()),
                                     std::shared_ptr<const std::vector<AttributeRow>>(rows), state().sharedStore());
    content["attribute"].swatch = [swatches](std::size_t row) { return swatches[row]; };
    for (const auto& [key, figure] :
         {std::pair("together", &AttributeRow::total), std::pair("least", &AttributeRow::least),
          std::pair("largest", &AttributeRow::largest)})
        content[key].text = [rows, figure = figure](std::size_t row) {
            const AttributeRow& one = (*rows)[row];
            return valueText(one.*figure, one.attribute.unit(), one.isApproximate);
        };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({0, 60, -1, 60});
}

void OverviewPanel::recolour()
{
    m_palette = *state().palette(themeOf(*this));
    if (isVisible()) showAnswers();
}

void OverviewPanel::showMarked()
{
    const TimeRange marked = state().marked();
    const bool isShown = against() == Against::Time && !marked.isEmpty();
    for (PlotStack* plot : m_plot)
        plot->setBand(isShown ? std::optional(PlotSpan(static_cast<double>(marked.begin - zero()),
                                                       static_cast<double>(marked.end - zero())))
                              : std::nullopt);
}

QString OverviewPanel::columnText(std::size_t column) const
{
    return against() == Against::Time ? stageName(shownStages(), column, zero())
                                      : processorText(state().store().words(), processorsAt(column));
}

void OverviewPanel::hover(std::size_t i, double x, double y)
{
    const auto hit = m_plot[i]->hitAt(x, y);
    for (PlotStack* plot : m_plot) plot->setCurrent(hit ? std::optional(hit->column) : std::nullopt);
    if (!hit || i >= m_plotAnswers.size()) return;
    if (what() != Show::Attributes) {
        setReadout(stackText(*hit));
        return;
    }
    QString text = columnText(hit->column) + QStringLiteral(": ");
    const PlotStack::Content& content = m_plot[i]->content();
    QStringList parts;
    for (std::size_t layer = 0; layer < content.layers.size() && layer < m_plotAnswers[i].size(); ++layer) {
        const ProjectionPtr& answer = feed().answers()[m_plotAnswers[i][layer]];
        parts << content.layers[layer].name + QLatin1Char(' ')
                     + valueText(content.layers[layer].values[hit->column], answer->attribute.unit(),
                                 answer->isApproximate);
    }
    setReadout(text + parts.join(QStringLiteral(" · ")));
}

std::optional<TimeRange> OverviewPanel::stageAt(double x) const
{
    const Stages& stages = shownStages();
    if (against() != Against::Time || stages.count() == 0) return {};
    return stages.range(stages.at(zero() + std::llround(x)));
}

void OverviewPanel::click(double x)
{
    if (const auto range = stageAt(x)) state().setMarked(*range);
}

void OverviewPanel::doubleClick(double x)
{
    if (const auto range = stageAt(x)) state().setRange(*range);
    else showInTimeline(state().range(), processorsAt(static_cast<std::size_t>(std::max(0L, std::lround(x)))));
}

void OverviewPanel::drag(const QRectF& area)
{
    if (against() == Against::Time) {
        state().setMarked({zero() + std::llround(area.left()), zero() + std::llround(area.right())});
        return;
    }
    std::vector<ProcessorId> pes;
    for (auto bin = std::max(0L, std::lround(area.left())); bin <= std::lround(area.right()); ++bin)
        for (const ProcessorId pe : processorsAt(static_cast<std::size_t>(bin))) pes.push_back(pe);
    if (!pes.empty()) showInTimeline(state().range(), pes);
}

namespace panels {

extern const PanelSpec overview;
const PanelSpec overview{
    .id = "panel.overview",
    .title = QT_TRANSLATE_NOOP("Actions", "Overview"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Overview"),
    .question = QT_TRANSLATE_NOOP("Actions", "Where did the time go?"),
    .tip = {QT_TRANSLATE_NOOP("Actions", "Time by entry method, or any attribute, added up over PEs or over time"),
            QT_TRANSLATE_NOOP("Actions", "Time by region, or any attribute, added up over ranks or over time")},
    .help =
        {QT_TRANSLATE_NOOP(
             "Actions",
             "What all PEs together did in each stage of the run, or each PE in all of it: time by entry method on top "
             "of each other, with idling and overhead, or any attribute. Look for stages or PEs where idling grows."),
         QT_TRANSLATE_NOOP("Actions",
                           "What all ranks together did in each stage of the run, or each rank in all of it: time by "
                           "region on top of each other, with idling and overhead, or any attribute. Look for stages "
                           "or ranks where idling grows.")},
    .alsoCalled = QT_TRANSLATE_NOOP(
        "Actions", "time profile, utilization, usage profile, communication over time, histogram of time, stacked"),
    .group = PanelGroup::Timeline,
    .place = PanelPlace::Centre,
    .create = makeProjectionPanel<OverviewPanel>,
};

}  // namespace panels

}  // namespace longpole
