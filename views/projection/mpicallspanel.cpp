// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/mpicallspanel.h"

#include "analysis/base/naming.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/plots/colourbar.h"
#include "views/state/mpicallwords.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/choicebox.h"
#include "views/widgets/scrolling.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

constexpr int zoomSettlingTime = 200;  // ms: while ranges are dragged or zoomed
constexpr std::size_t mostLayers = 9;  // calls with a colour of their own
constexpr std::size_t gapRanks = 128;  // above that bars touch
// Of a run that no program has made: calls beyond these rows share the last one, and ranks without calls no column.
constexpr std::size_t leastMapRows = 16, mostMapRows = 512, mostMapCells = std::size_t{1} << 22;
constexpr std::uint32_t mostEmptyRanks = 1 << 16;

std::size_t rowsFor(std::size_t columns)
{
    return std::clamp(mostMapCells / std::max<std::size_t>(1, columns), leastMapRows, mostMapRows);
}

}  // namespace

MpiCallsPanel::MpiCallsPanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_map(new PlotMatrix(this)), m_stack(new PlotStack(this))
{
    createHead();
    m_map->setAccessibleName(tr("MPI calls by rank"));
    m_stack->setAccessibleName(tr("Time in MPI by rank"));
    auto* split = new QSplitter(Qt::Vertical, this);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(m_map);
    split->addWidget(m_stack);
    split->setSizes({500, 500});
    auto* area = new QScrollArea(this);  // a low panel has no room for both
    scrollDownOnly(*area);
    speakAs(*area, QAccessible::Pane);
    area->setAccessibleName(tr("MPI calls"));
    area->setWidget(split);
    body().addWidget(area, 1);
    connectPlots();
    m_settling.setSingleShot(true);
    m_settling.setInterval(zoomSettlingTime);
    connect(&m_settling, &QTimer::timeout, this, [this] {
        if (wantedRange() != m_range) outdate();
    });
    for (const auto signal : {&ViewState::markedChanged, &ViewState::rangeChanged})
        connect(&m_state, signal, this, [this] { m_settling.start(); });
    connect(&m_state, &ViewState::colourChanged, this, &MpiCallsPanel::showPlots);
    outdate();
}

void MpiCallsPanel::createHead()
{
    const auto add = [this](const QStringList& texts, const QString& name) {
        return compactChoiceBox(texts, name, this);
    };
    m_measure = add({tr("wait"), tr("time"), tr("execution"), tr("calls")}, tr("What the heat map shows"));
    m_order = add({tr("ranks by time in MPI"), tr("ranks by number")}, tr("Order of the ranks"));
    m_colours = new ColourBar(this);
    m_colours->setFixedWidth(260);
    head().insertWidget(0, m_measure);
    head().insertWidget(1, m_order);
    head().addWidget(m_colours);
    connect(m_measure, &QComboBox::activated, this, [this] {
        m_ends.reset();
        showPlots();
    });
    connect(m_order, &QComboBox::activated, this, &MpiCallsPanel::showPlots);
    connect(m_colours, &ColourBar::rangeChosen, this, [this](double low, double high) {
        m_ends = std::pair(low, high);
        showScale();
    });
    connect(m_colours, &ColourBar::resetRequested, this, [this] {
        m_ends.reset();
        showScale();
    });
}

void MpiCallsPanel::connectPlots()
{
    for (PlotFrame* plot : {static_cast<PlotFrame*>(m_map), static_cast<PlotFrame*>(m_stack)}) {
        connect(plot, &PlotFrame::exportFailed, this, &MpiCallsPanel::exportFailed);
        connect(plot, &PlotFrame::left, this, [this] { say({}); });
        connect(plot, &PlotFrame::dragged, this, [this](const QRectF& area, bool isDone) {
            if (isDone) showOnly(area.left(), area.right());
        });
    }
    connect(m_map, &PlotFrame::moved, this, [this] { follow(*m_map, *m_stack); });
    connect(m_stack, &PlotFrame::moved, this, [this] { follow(*m_stack, *m_map); });
    connect(m_map, &PlotFrame::hovered, this, [this](double x, double y) { say(inMap(x, y)); });
    connect(m_stack, &PlotFrame::hovered, this, [this](double x, double y) { say(inStack(x, y)); });
    connect(m_map, &PlotFrame::clicked, this, [this](double x, double y) { choose(inMap(x, y), false); });
    connect(m_stack, &PlotFrame::clicked, this, [this](double x, double y) { choose(inStack(x, y), false); });
    connect(m_map, &PlotFrame::doubleClicked, this, [this](double x, double y) { choose(inMap(x, y), true); });
    connect(m_stack, &PlotFrame::doubleClicked, this, [this](double x, double y) { choose(inStack(x, y), true); });
}

void MpiCallsPanel::follow(PlotFrame& moved, PlotFrame& other) { other.showX(moved.xShown()); }

// The marked range, else the visible one.
TimeRange MpiCallsPanel::wantedRange() const
{
    return m_state.marked().isEmpty() ? intersection(m_state.range(), m_state.fullRange()) : m_state.marked();
}

bool MpiCallsPanel::begin()
{
    m_range = wantedRange();
    m_job.ask(m_state.results(), MpiProfileQuestion::of(m_state.store(), m_range),
              [this](const Watch<MpiProfileQuestion>::Answer& profile) { accept(profile); });
    return true;
}

void MpiCallsPanel::stop() { m_job.cancel(); }

// The old picture stays until the new one is there: the panel must not flicker.
void MpiCallsPanel::clear() { m_finding.cancel(); }

void MpiCallsPanel::accept(const Result<std::shared_ptr<const MpiProfile>>& profile)
{
    if (!profile.ok()) {
        m_profile.reset();
        showPlots();
        finish(profile.error(), {});
        return;
    }
    m_profile = *profile;
    finish({}, summary());
    showPlots();
}

double MpiCallsPanel::valueOf(const MpiSums& sums) const
{
    switch (static_cast<Measure>(m_measure->currentIndex())) {
    case Measure::Wait: return static_cast<double>(sums.wait());
    case Measure::Time: return static_cast<double>(sums.time);
    case Measure::Execution: return static_cast<double>(sums.execution);
    case Measure::Calls: return static_cast<double>(sums.calls);
    }
    return 0;
}

QString MpiCallsPanel::nameOf(std::size_t call) const { return callName(m_state.store(), m_profile->calls[call]); }

void MpiCallsPanel::arrange()
{
    m_ranks.clear();
    m_layers.clear();
    m_ownRows = 0;
    if (!m_profile) return;
    const bool hasAll = m_profile->ranks <= mostEmptyRanks;
    for (std::uint32_t rank = 0; rank < m_profile->ranks; ++rank)
        if (hasAll || m_profile->byRank[rank].calls > 0) m_ranks.push_back(rank);
    if (static_cast<Order>(m_order->currentIndex()) == Order::ByTime)
        std::stable_sort(m_ranks.begin(), m_ranks.end(), [this](std::uint32_t a, std::uint32_t b) {
            return m_profile->byRank[a].time > m_profile->byRank[b].time;
        });
    m_columnOf.assign(m_profile->ranks, 0);
    for (std::uint32_t column = 0; column < m_ranks.size(); ++column) m_columnOf[m_ranks[column]] = column;
    const std::size_t rows = rowsFor(m_ranks.size());
    m_ownRows = m_profile->calls.size() <= rows ? m_profile->calls.size() : rows - 1;
    const std::size_t count = m_profile->calls.size() <= mostLayers + 1 ? m_profile->calls.size() : mostLayers;
    m_layers.resize(count);
    std::iota(m_layers.begin(), m_layers.end(), std::size_t{0});
}

void MpiCallsPanel::showPlots()
{
    arrange();
    showMap();
    showStack();
    const bool isEmpty = !m_profile || m_profile->calls.empty();
    const QString notice = m_profile && isEmpty ? tr("No MPI call lies in this range.") : QString();
    m_map->setNotice(notice);
    m_stack->setNotice(notice);
    int left = 0;
    for (const QString& name : m_map->content().rows) left = std::max(left, fontMetrics().horizontalAdvance(name));
    constexpr std::size_t mostRows = 16;  // up to so many rows are at least as high as a line of text
    const std::size_t rows = std::min(mostRows, m_map->content().rows.size());
    m_map->setMinimumHeight(PlotFrame::besideRows + static_cast<int>(rows) * fontMetrics().height());
    m_stack->setMinimumHeight(100);
    m_map->setLeastLeft(left + 32);
    m_stack->setLeastLeft(left + 32);
    if (!isComputing()) say({});
}

void MpiCallsPanel::showMap()
{
    PlotMatrix::Content content{.title = m_measure->currentText(), .rowTitle = tr("call"), .columnTitle = tr("rank")};
    if (m_profile) {
        const std::shared_ptr<const Palette> palette = m_state.palette(themeOf(*this));
        const bool hasOthers = m_ownRows < m_profile->calls.size();
        content.values.assign((m_ownRows + (hasOthers ? 1 : 0)) * m_ranks.size(), std::nan(""));
        const auto put = [&](std::size_t row, std::size_t column, const MpiSums& sums) {
            if (sums.calls != 0 || sums.time != 0) content.values[row * m_ranks.size() + column] = valueOf(sums);
        };
        for (std::size_t call = 0; call < m_ownRows; ++call) {
            content.rows.push_back(nameOf(call));
            content.rowColours.push_back(call < m_layers.size()
                                             ? QColor::fromRgb(palette->region(m_profile->calls[call]))
                                             : themeOf(*this).faintText);
            for (const MpiProfile::Cell& cell : m_profile->cellsOf(call)) put(call, m_columnOf[cell.rank], cell.sums);
        }
        if (hasOthers) {
            content.rows.push_back(tr("other calls"));
            content.rowColours.push_back(themeOf(*this).faintText);
            std::vector<MpiSums> others(m_ranks.size());
            for (std::size_t call = m_ownRows; call < m_profile->calls.size(); ++call)
                for (const MpiProfile::Cell& cell : m_profile->cellsOf(call))
                    others[m_columnOf[cell.rank]] += cell.sums;
            for (std::size_t column = 0; column < others.size(); ++column) put(m_ownRows, column, others[column]);
        }
        for (const std::uint32_t rank : m_ranks) content.columns.push_back(QString::number(rank));
    }
    m_map->setContent(std::move(content));
    showScale();
}

void MpiCallsPanel::showScale()
{
    const auto [least, largest] = clippedRange(m_map->content().values, 0, 1);
    if (largest <= 0) {
        m_colours->setEmpty();
        return;
    }
    const bool isCount = static_cast<Measure>(m_measure->currentIndex()) == Measure::Calls;
    const ValueUnit unit = isCount ? ValueUnit::Count : ValueUnit::Time;
    const std::pair<double, double> ends = m_ends.value_or(std::pair(0.0, largest));
    const ColourScaleKind kind = m_state.paletteKind() == PaletteKind::OkabeIto ? ColourScaleKind::Cividis
                                                                                : ColourScaleKind::Calm;
    const ColourScale scale(themeOf(*this), kind, valueAxis(ends.first, ends.second, false, unit));
    m_colours->setScale(scale, valueAxis(0, largest, false, unit),
                        isCount ? AttributeUnit::Count : AttributeUnit::Time);
    m_map->setScale(scale);
}

void MpiCallsPanel::showStack()
{
    const std::shared_ptr<const Palette> palette = m_state.palette(themeOf(*this));
    PlotStack::Content content;
    if (m_profile && !m_profile->calls.empty()) {
        for (std::size_t column = 0; column <= m_ranks.size(); ++column)
            content.edges.push_back(static_cast<double>(column) - 0.5);
        content.hasGaps = m_ranks.size() <= gapRanks;
        for (const std::uint32_t rank : m_ranks) content.columnNames.push_back(QString::number(rank));
        std::vector<double> rest(m_ranks.size(), 0);
        for (std::size_t call = 0; call < m_profile->calls.size(); ++call) {
            const bool isOwn = call < m_layers.size();
            std::vector<double> values(isOwn ? m_ranks.size() : 0);
            for (const MpiProfile::Cell& cell : m_profile->cellsOf(call))
                (isOwn ? values : rest)[m_columnOf[cell.rank]] += static_cast<double>(cell.sums.time);
            if (isOwn)
                content.layers.push_back({nameOf(call), QColor::fromRgb(palette->region(m_profile->calls[call])),
                                          std::move(values)});
        }
        if (m_layers.size() < m_profile->calls.size())
            content.layers.push_back({tr("other calls"), themeOf(*this).faintText, std::move(rest)});
    }
    m_stack->setContent(std::move(content));
    m_stack->setAxes({tr("rank")}, {tr("time in MPI"), PlotUnit::Time});
    m_stack->setBarTicks([ranks = m_ranks](std::int64_t bar) {
        return bar >= 0 && bar < static_cast<std::int64_t>(ranks.size())
                   ? QString::number(ranks[static_cast<std::size_t>(bar)])
                   : QString();
    });
}

std::optional<MpiCallsPanel::Place> MpiCallsPanel::inMap(double x, double y) const
{
    const std::optional<PlotMatrix::Cell> cell = m_map->cellAt(x, y);
    if (!cell || !m_profile || cell->column >= m_ranks.size() || cell->row >= m_profile->calls.size()) return {};
    return cell->row < m_ownRows ? Place{cell->column, cell->row} : Place{cell->column};
}

std::optional<MpiCallsPanel::Place> MpiCallsPanel::inStack(double x, double y) const
{
    const std::optional<PlotStack::Hit> hit = m_stack->hitAt(x, y);
    if (!hit || !m_profile || hit->column >= m_ranks.size()) return {};
    Place place{hit->column};
    if (hit->layer && *hit->layer < m_layers.size()) place.call = m_layers[*hit->layer];
    return place;
}

QString MpiCallsPanel::summary() const
{
    const TimeNs whole = saturatingMultiply(m_range.length(), static_cast<TimeNs>(m_profile->ranks));
    const auto share = [whole](TimeNs time) {
        return formatShare(whole > 0 ? static_cast<double>(time) / static_cast<double>(whole) : 0);
    };
    const QString where = !m_state.marked().isEmpty()      ? tr("marked range")
                          : m_range == m_state.fullRange() ? tr("whole run")
                                                           : tr("visible range");
    return tr("%1 · %2 of the time in MPI, %3 waiting · %4")
        .arg(counted("%1 calls", "%1 call", m_profile->total.calls), share(m_profile->total.time),
             share(m_profile->total.wait()), where);
}

QString MpiCallsPanel::text(const Place& place) const
{
    const std::uint32_t rank = m_ranks[place.column];
    const auto sums = [](const MpiSums& s) {
        const QString calls = counted("%1 calls", "%1 call", s.calls);
        return tr("%1 in %2: %3 waiting, %4 executing")
            .arg(formatTime(s.time), calls, formatTime(s.wait()), formatTime(s.execution));
    };
    if (!place.call) return tr("Rank %1 · in MPI %2").arg(QString::number(rank), sums(m_profile->byRank[rank]));
    return tr("Rank %1 · %2 %3")
        .arg(QString::number(rank), nameOf(*place.call), sums(m_profile->cell(*place.call, rank)));
}

void MpiCallsPanel::say(std::optional<Place> place)
{
    if (!m_profile || isComputing()) return;
    setSummary(place ? text(*place) : summary());
    m_stack->setCurrent(place ? std::optional(place->column) : std::nullopt);
    m_map->setCurrent(place && place->call ? std::optional(PlotMatrix::Cell{*place->call, place->column})
                                           : std::nullopt);
}

// Selects the longest of these calls in all views; `goes`: also asks for the timeline.
void MpiCallsPanel::choose(std::optional<Place> place, bool goes)
{
    if (!place || !m_profile) return;
    const std::uint32_t rank = m_ranks[place->column];
    const std::optional<RegionId> region = place->call ? std::optional(m_profile->calls[*place->call]) : std::nullopt;
    m_finding.ask(m_state.results(), {rank, m_range, region},
                  [this, goes](const Watch<LongestCallQuestion>::Answer& longest) {
                      if (!longest.ok() || !**longest) return;
                      m_state.reveal({.call = {(**longest)->rank, (**longest)->seq}}, false);
                      if (goes) Q_EMIT timelineRequested();
                  });
}

// Shows only the ranks of the columns between these x coordinates in the timeline.
void MpiCallsPanel::showOnly(double from, double to)
{
    std::vector<ProcessorId> pes;
    for (std::size_t column = 0; column < m_ranks.size(); ++column) {
        const auto middle = static_cast<double>(column);
        if (middle + 0.5 > from && middle - 0.5 <= to) pes.push_back(ProcessorId{m_ranks[column]});
    }
    if (pes.empty()) return;
    m_state.setProcessors(std::move(pes));
    Q_EMIT timelineRequested();
}

void MpiCallsPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_profile) showPlots();
}

namespace {

QWidget* makeMpiCalls(PanelHost& host, QWidget* parent)
{
    QWidget* panel = makePanel<MpiCallsPanel>(host, parent);
    QObject::connect(static_cast<MpiCallsPanel*>(panel), &MpiCallsPanel::timelineRequested, &host,
                     &PanelHost::timelineRequested);
    return panel;
}

}  // namespace

namespace panels {

extern const PanelSpec mpiCalls;
const PanelSpec mpiCalls{
    .id = "panel.mpiCalls",
    .title = QT_TRANSLATE_NOOP("Actions", "MPI calls"),
    .command = QT_TRANSLATE_NOOP("Actions", "M&PI calls"),
    .question = QT_TRANSLATE_NOOP("Actions", "Which MPI calls cost?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "Time and waits in each MPI call by rank, of what is marked or in view"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "Time and waits in each MPI call by rank, of what is marked or in view; below, the calls of each rank "
        "on top of each other, ranks in the order of their time in MPI. An uneven landscape is uneven work: "
        "ranks with little time in MPI keep the others waiting."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions",
                                    "mpiP, call sites, communication time, MPI profile, barrier, collectives"),
    .group = PanelGroup::WhySlow,
    .place = PanelPlace::Centre,
    .needs = PanelNeeds::Ranks,
    .create = makeMpiCalls,
};

}  // namespace panels

}  // namespace longpole
