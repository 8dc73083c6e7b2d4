// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/histogrampanel.h"

#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/choicebox.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <numeric>

namespace longpole {

namespace {

enum Bins : int { FineLog, CoarseLog, Linear };
enum Heights : int { Counts, LogCounts, Sums, LogSums };
constexpr int finePerDecade = 10;
constexpr int coarsePerDecade = 3;

}  // namespace

HistogramPanel::HistogramPanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_quantities(quantitiesOf(state.store().info())),
      m_canvas(new HistogramCanvas(this))
{
    createHead();
    body().addWidget(m_canvas, 1);
    connect(m_canvas, &ChartCanvas::exportFailed, this, &HistogramPanel::exportFailed);
    connect(m_canvas, &HistogramCanvas::hovered, this, &HistogramPanel::say);
    connect(m_canvas, &HistogramCanvas::brushed, this, &HistogramPanel::brush);
    connect(m_canvas, &HistogramCanvas::brushCleared, this, [this] { m_state.setTaskFilter({}); });
    connect(m_quantity, &QComboBox::activated, this, &HistogramPanel::outdate);
    connect(m_binning, &QComboBox::activated, this, &HistogramPanel::cutBins);
    connect(m_heights, &QComboBox::activated, this, &HistogramPanel::showHistogram);
    m_settling.setSingleShot(true);
    m_settling.setInterval(settlingTime);
    connect(&m_settling, &QTimer::timeout, this, [this] {
        if (m_state.marked() != m_range) outdate();
    });
    connect(&m_state, &ViewState::markedChanged, this, [this] { m_settling.start(); });
    connect(&m_state, &ViewState::taskFilterChanged, this, &HistogramPanel::showBrush);
    for (const auto signal : {&ViewState::colourChanged, &ViewState::filterChanged})
        connect(&m_state, signal, this, &HistogramPanel::showHistogram);
    outdate();
}

void HistogramPanel::createHead()
{
    const auto add = [this](const QStringList& texts, const QString& name) {
        return compactChoiceBox(texts, name, this);
    };
    QStringList names;
    for (const DistributedQuantity quantity : m_quantities) names << quantityTitle(quantity);
    m_quantity = add(names, tr("What is counted"));
    m_binning = add({tr("logarithmic, fine"), tr("logarithmic, 1-2-5"), tr("linear")}, tr("How bins are cut"));
    m_heights = add({tr("count"), tr("count, log scale"), tr("sum"), tr("sum, log scale")}, tr("Height of the bars"));
    int at = 0;
    for (QComboBox* box : {m_quantity, m_binning, m_heights}) head().insertWidget(at++, box);
}

DistributedQuantity HistogramPanel::wanted() const
{
    return m_quantities[static_cast<std::size_t>(std::max(0, m_quantity->currentIndex()))];
}

bool HistogramPanel::begin()
{
    m_range = m_state.marked();
    m_job.ask(m_state.results(), DistributionQuestion{{.of = wanted(), .range = m_range}},
              [this](const Result<std::shared_ptr<const Distribution>>& values) { accept(values); });
    return true;
}

void HistogramPanel::stop() { m_job.cancel(); }

// The old picture stays until the new one is there, which takes a moment only: the panel must not flicker.
void HistogramPanel::clear() { m_values.reset(); }

void HistogramPanel::accept(const Result<std::shared_ptr<const Distribution>>& values)
{
    if (!values.ok()) {
        m_histogram.reset();
        m_canvas->setHistogram(nullptr, {});
        finish(values.error(), {});
        return;
    }
    m_values = *values;
    cutBins();
    finish({}, summary());
}

void HistogramPanel::cutBins()
{
    if (!m_values) return;
    BinRequest request;
    request.binning = m_binning->currentIndex() == Linear ? Binning::Linear : Binning::Logarithmic;
    request.perDecade = m_binning->currentIndex() == CoarseLog ? coarsePerDecade : finePerDecade;
    m_histogram = std::make_shared<const Histogram>(longpole::histogram(*m_values, request));
    showHistogram();
}

void HistogramPanel::showHistogram()
{
    if (!m_histogram) return;
    const Theme& theme = themeOf(*this);
    m_swatches = histogramSwatches(m_state.store(), *m_histogram, *m_state.palette(theme), theme);
    if (const auto& matching = m_state.matchingEntries()) {
        constexpr double quiet = 0.75;
        for (std::size_t i = 0; i < m_swatches.size(); ++i) {
            const std::uint32_t id = index(m_histogram->series[i].entry);
            if (id < matching->size() && (*matching)[id]) continue;
            m_swatches[i].colour = QColor(mixed(m_swatches[i].colour.rgb(), theme.panel.rgb(), quiet));
        }
    }
    m_canvas->setHistogram(m_histogram, m_swatches);
    const int heights = m_heights->currentIndex();
    m_canvas->setLook({.height = heights >= Sums ? BarHeight::Sum : BarHeight::Count,
                       .isLogHeight = heights == LogCounts || heights == LogSums});
    showBrush();
}

// Marks the bins at least half of which the task filter lets through.
void HistogramPanel::showBrush()
{
    std::optional<BinRange> bins;
    const std::optional<TaskFilter>& filter = m_state.taskFilter();
    if (m_histogram && filter && m_histogram->of == DistributedQuantity::TaskDuration) {
        const std::vector<std::int64_t>& edges = m_histogram->edges;
        for (std::size_t bin = 0; bin < m_histogram->bins(); ++bin) {
            const TimeRange range{edges[bin], edges[bin + 1]};
            if (2 * overlap(range, filter->grain) < range.length()) continue;
            bins = BinRange{bins ? bins->first : bin, bin + 1};
        }
    }
    m_canvas->setBrush(bins);
    say({});
}

void HistogramPanel::brush(std::size_t first, std::size_t end)
{
    if (!m_histogram || end > m_histogram->bins()) return;
    if (m_histogram->of != DistributedQuantity::TaskDuration) {
        m_canvas->setBrush(BinRange{first, end});  // the filter knows durations only: the readout says the sum
        say({});
        return;
    }
    const std::vector<std::int64_t>& edges = m_histogram->edges;
    m_state.setTaskFilter(TaskFilter{{edges[first], edges[end]}});
}

void HistogramPanel::say(std::optional<std::size_t> hovered)
{
    if (!isThere() || !m_histogram) return;
    if (hovered && *hovered < m_histogram->bins()) setSummary(binSummary({*hovered, *hovered + 1}));
    else if (m_canvas->brush()) setSummary(tr("brush: %1").arg(binSummary(*m_canvas->brush())));
    else setSummary(summary());
}

QString HistogramPanel::summary() const
{
    const QString where = m_range.isEmpty() ? tr("whole run") : tr("marked range");
    return histogramSummary(*m_histogram) % QStringLiteral(" · ") % where;
}

QString HistogramPanel::binSummary(BinRange bins) const
{
    const Histogram& all = *m_histogram;
    const auto sumOf = [bins](const std::vector<std::int64_t>& figures) {
        return std::accumulate(figures.begin() + static_cast<std::ptrdiff_t>(bins.first),
                               figures.begin() + static_cast<std::ptrdiff_t>(bins.second), std::int64_t{0},
                               saturatingAdd);
    };
    const std::int64_t count = sumOf(all.counts);
    const ValueUnit unit = unitOf(all.of);
    const QString range = bins.second - bins.first == 1 ? binText(all, bins.first)
                                                        : tr("%1 to %2")
                                                              .arg(valueText(double(all.edges[bins.first]), unit),
                                                                   valueText(double(all.edges[bins.second]), unit));
    const double share = all.summary.count > 0 ? double(count) / double(all.summary.count) : 0;
    QString text = tr("%1: %2 (%3), %4 in all")
                       .arg(range, formatCount(count), formatShare(share), valueText(double(sumOf(all.sums)), unit));
    constexpr std::size_t most = 3;  // so many entry methods are named
    std::vector<std::pair<std::int64_t, std::size_t>> parts;
    for (std::size_t i = 0; i < all.series.size(); ++i)
        if (const std::int64_t part = sumOf(all.series[i].counts); part > 0) parts.emplace_back(part, i);
    std::sort(parts.rbegin(), parts.rend());
    for (std::size_t i = 0; i < std::min(most, parts.size()) && all.series.size() > 1; ++i)
        text += QStringLiteral(" · %1 %2").arg(m_swatches[parts[i].second].name, formatCount(parts[i].first));
    return text;
}

void HistogramPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) showHistogram();
}

namespace panels {

extern const PanelSpec histogram;
const PanelSpec histogram{
    .id = "panel.histogram",
    .title = QT_TRANSLATE_NOOP("Actions", "Histogram"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Histogram"),
    .question = QT_TRANSLATE_NOOP("Actions", "How do times spread?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "How task durations, message sizes, idle and waiting times are distributed"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "How task durations, message sizes, idle or waiting times are distributed, of the run or the marked "
        "range. Many small tasks or messages cost more overhead than work, a few long ones leave others "
        "waiting. Dragging over bars of task durations shows only these tasks in all views."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "distribution, grain size, message sizes, durations, outliers"),
    .group = PanelGroup::Data,
    .needs = PanelNeeds::Events,
    .create = makePanel<HistogramPanel>,
};

}  // namespace panels

}  // namespace longpole
