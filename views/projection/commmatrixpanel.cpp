// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/commmatrixpanel.h"

#include "analysis/base/unknownbytes.h"
#include "analysis/report/sumtables.h"
#include "core/base/timerange.h"
#include "core/trace/format.h"
#include "views/drawing/pictures/rendermatrix.h"
#include "views/plots/callgraphcanvas.h"
#include "views/plots/matrixcanvas.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/choicebox.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace longpole {

namespace {

// Places in the list of what is counted; the first is bytes of messages.
constexpr int countsMessageBytes = 0;
constexpr int countsDeliveries = 1;
constexpr int countsCollectiveBytes = 2;
constexpr int countsBytesOfBoth = 3;

}  // namespace

CommMatrixPanel::CommMatrixPanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_pictures(new QStackedWidget(this)),
      m_canvas(new MatrixCanvas(state.sharedStore(), this)), m_calls(new CallGraphCanvas(state.sharedStore(), this)),
      m_table(new TableView(this))
{
    createHead();
    m_table->setAccessibleName(tr("Pairs that exchange messages"));
    constexpr int leastPicture = 320;
    auto* parts = new SideBySide(this);
    m_pictures->addWidget(m_canvas);
    m_pictures->addWidget(m_calls);
    parts->addPart(m_pictures, tr("Picture"), leastPicture);
    parts->addPart(m_table, tr("Pairs"));
    body().addWidget(parts, 1);
    connect(m_canvas, &ChartCanvas::exportFailed, this, &CommMatrixPanel::exportFailed);
    connect(m_calls, &ChartCanvas::exportFailed, this, &CommMatrixPanel::exportFailed);
    connect(m_calls, &CallGraphCanvas::hovered, this, &CommMatrixPanel::sayEntry);
    connect(m_asGraph, &QPushButton::toggled, this, &CommMatrixPanel::showCalls);
    connect(m_canvas, &MatrixCanvas::hovered, this, &CommMatrixPanel::say);
    connect(m_canvas, &MatrixCanvas::clicked, this, &CommMatrixPanel::chooseCell);
    connect(m_table, &TableView::exportFailed, this, &CommMatrixPanel::exportFailed);
    connect(m_table, &TableView::rowChosen, this, &CommMatrixPanel::chooseRow);
    connect(m_table, &TableView::rowActivated, this, [this] {
        if (m_listed == m_matrix) chooseCell(m_canvas->selected());
    });
    connect(m_back, &QPushButton::clicked, this, [this] { chooseCell({}); });
    connect(m_by, &QComboBox::activated, this, &CommMatrixPanel::outdate);
    for (QComboBox* box : {m_measure, m_scale}) connect(box, &QComboBox::activated, this, &CommMatrixPanel::showGrid);
    connect(m_measure, &QComboBox::activated, this, [this] { m_hasChosen = true; });
    m_settling.setSingleShot(true);
    m_settling.setInterval(settlingTime);
    connect(&m_settling, &QTimer::timeout, this, [this] {
        if (m_state.marked() != m_range) outdate();
    });
    connect(&m_state, &ViewState::markedChanged, this, [this] { m_settling.start(); });
    connect(&m_state, &ViewState::colourChanged, this, [this] {
        showCalls();
        showPairs(m_listed);
    });
    outdate();
}

void CommMatrixPanel::createHead()
{
    const auto add = [this](const QStringList& texts, const QString& name) {
        return compactChoiceBox(texts, name, this);
    };
    m_by = add({m_state.store().words().say(tr("PE to PE"), tr("Rank to rank")), tr("node to node"),
                m_state.store().words().say(tr("entry method to entry method"), tr("region to region"))},
               tr("Who sends to whom"));
    QStringList measures{tr("bytes"), tr("deliveries")};
    if (m_state.store().info().hasRanks()) measures << tr("bytes in collective calls") << tr("bytes of both");
    m_measure = add(measures, tr("What is counted"));
    m_scale = add({tr("log scale"), tr("linear")}, tr("How colours grow"));
    m_asGraph = new QPushButton(tr("Graph"), this);
    m_asGraph->setCheckable(true);
    m_asGraph->setToolTip(tr("Show the call table as a graph: who creates messages for whom"));
    m_asGraph->hide();
    m_back = new QPushButton(tr("All pairs"), this);
    m_back->setObjectName(QStringLiteral("link"));
    m_back->setToolTip(tr("Let go of the chosen cell"));
    m_back->hide();
    int at = 0;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_by, m_measure, m_scale, m_asGraph, m_back})
        head().insertWidget(at++, widget);
}

CommBy CommMatrixPanel::wantedBy() const
{
    return m_by->currentIndex() == 2 ? CommBy::Entry : m_by->currentIndex() == 1 ? CommBy::Node : CommBy::Pe;
}

bool CommMatrixPanel::begin()
{
    m_range = m_state.marked();
    m_job.ask(m_state.results(), CommMatrixQuestion{{.by = wantedBy(), .range = m_range}},
              [this](const Answer& matrix) { accept(matrix); });
    return true;
}

void CommMatrixPanel::stop() { m_job.cancel(); }

// The old picture stays until the new one is there, which takes a moment only: the panel must not flicker.
void CommMatrixPanel::clear() { m_parts.cancel(); }

void CommMatrixPanel::accept(const Answer& matrix)
{
    if (!matrix.ok()) {
        m_matrix.reset();
        m_asked.reset();
        m_canvas->setGrid(nullptr);
        showPairs(nullptr);
        finish(matrix.error(), {});
        return;
    }
    m_asked = *matrix;
    if (!m_hasChosen && m_asked->cells.empty() && !m_asked->collective.empty())
        m_measure->setCurrentIndex(countsCollectiveBytes);
    showGrid();
    finish({}, summary());
}

void CommMatrixPanel::showGrid()
{
    if (!m_asked) return;
    // Of regions only messages are known.
    if (m_asked->by == CommBy::Entry && m_measure->currentIndex() >= countsCollectiveBytes)
        m_measure->setCurrentIndex(countsMessageBytes);
    const CommMeasure measure = m_measure->currentIndex() == countsDeliveries ? CommMeasure::Deliveries
                                                                              : CommMeasure::Bytes;
    const CommTraffic traffic = m_measure->currentIndex() == countsCollectiveBytes ? CommTraffic::Collective
                                : m_measure->currentIndex() == countsBytesOfBoth   ? CommTraffic::Both
                                                                                   : CommTraffic::Messages;
    m_matrix = traffic == CommTraffic::Messages ? m_asked
                                                : std::make_shared<const CommMatrix>(withTraffic(*m_asked, traffic));
    m_grid = std::make_shared<const MatrixGrid>(matrixGrid(m_state.store(), *m_matrix, measure));
    m_canvas->setGrid(m_grid);
    m_canvas->setLogarithmic(m_scale->currentIndex() == 0);
    m_back->hide();
    showCalls();
    showPairs(m_matrix);
    say({});
}

void CommMatrixPanel::showCalls()
{
    if (!m_matrix || !m_grid) return;
    const bool byEntry = m_matrix->by == CommBy::Entry;
    const bool isGraph = byEntry && m_asGraph->isChecked();
    m_asGraph->setVisible(byEntry);
    m_scale->setVisible(!isGraph);
    m_calls->setCalls(isGraph ? m_matrix : nullptr, m_grid->measure, m_state.palette(themeOf(*this)));
    m_pictures->setCurrentWidget(isGraph ? static_cast<QWidget*>(m_calls) : m_canvas);
}

void CommMatrixPanel::showPairs(const std::shared_ptr<const CommMatrix>& listed)
{
    m_listed = listed;
    const auto matrix = listed ? listed : std::make_shared<const CommMatrix>();
    const bool byDeliveries = m_measure->currentIndex() == countsDeliveries;
    m_order.resize(matrix->cells.size());
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    std::stable_sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
        const CommCell& left = matrix->cells[a];
        const CommCell& right = matrix->cells[b];
        return byDeliveries ? left.deliveries > right.deliveries : left.deliveredBytes > right.deliveredBytes;
    });
    const std::shared_ptr<const TraceStore> store = m_state.sharedStore();
    const auto palette = m_state.palette(themeOf(*this));
    const auto cell = [matrix, order = m_order](std::size_t row) -> const CommCell& {
        return matrix->cells[order[row]];
    };
    TableContent content = contentOf<CommCell>(
        commMatrixTable(*store, *matrix, byDeliveries).only({"from", "to", "deliveries", "delivered_bytes", "share"}),
        m_order.size(), cell, store);
    for (const auto& [key, of] : {std::pair("from", &CommCell::from), std::pair("to", &CommCell::to)}) {
        if (matrix->by != CommBy::Entry) continue;
        content[key].swatch = [palette, cell, end = of](std::size_t row) {
            return QColor(palette->entry(EntryId{cell(row).*end}));
        };
        content[key].text = [store, cell, end = of](std::size_t row) {
            return endName(*store, CommBy::Entry, cell(row).*end);
        };
    }
    m_table->setContent(std::move(content));
    const bool byEntry = matrix->by == CommBy::Entry;
    m_table->setColumnWidths({byEntry ? 120 : 50, byEntry ? 0 : 50, 70, 70, byEntry ? -1 : 0});
}

// Lists the parts of a cell: by entry methods for a pair of PEs, by PEs for a pair of entry methods. Cells of nodes, of
// several PEs each, or of collective calls have no parts to list.
void CommMatrixPanel::chooseCell(std::optional<MatrixCellAt> cell)
{
    m_parts.cancel();
    m_canvas->setSelected(cell);
    m_back->setVisible(cell.has_value());
    const bool hasParts = m_grid && m_grid->traffic == CommTraffic::Messages && m_grid->by != CommBy::Node;
    if (!cell || !hasParts || m_grid->group > 1) {
        if (m_listed != m_matrix) showPairs(m_matrix);
        say({});
        return;
    }
    CommRequest request{.range = m_range};
    const std::uint32_t from = m_grid->rows[cell->row];
    const std::uint32_t to = m_grid->columns[cell->column];
    if (m_grid->by == CommBy::Pe) {
        request.by = CommBy::Entry;
        request.fromPe = ProcessorId{from};
        request.toPe = ProcessorId{to};
    } else {
        request.fromEntry = EntryId{from};
        request.toEntry = EntryId{to};
    }
    say({});
    m_parts.ask(m_state.results(), CommMatrixQuestion{request}, [this](const Answer& parts) {
        if (parts.ok()) showPairs(*parts);
    });
}

void CommMatrixPanel::chooseRow(std::size_t row)
{
    if (!m_grid || m_listed != m_matrix || row >= m_order.size()) return;
    const CommCell& cell = m_matrix->cells[m_order[row]];
    const auto from = std::ranges::find(m_grid->rows, cell.from) - m_grid->rows.begin();
    const auto to = std::ranges::find(m_grid->columns, cell.to) - m_grid->columns.begin();
    m_canvas->setSelected(MatrixCellAt{static_cast<std::size_t>(from) / m_grid->group,
                                       static_cast<std::size_t>(to) / m_grid->group});
    say({});
}

void CommMatrixPanel::say(std::optional<MatrixCellAt> hovered)
{
    if (!m_grid || !m_matrix || isComputing()) return;
    if (hovered) setSummary(cellText(*hovered));
    else if (m_canvas->selected()) setSummary(cellText(*m_canvas->selected()));
    else setSummary(summary());
}

void CommMatrixPanel::sayEntry(std::optional<std::uint32_t> hovered)
{
    if (!m_matrix || isComputing()) return;
    if (!hovered) {
        say({});
        return;
    }
    CommSum sum;
    for (const CommSum& one : commSums(m_matrix->cells))
        if (one.id == *hovered) sum = one;
    const QString name = endName(m_state.store(), CommBy::Entry, *hovered);
    if (areBytesKnown(m_state.store().info()))
        setSummary(tr("%1: its messages had %2 deliveries (%3), and %4 were made to it (%5)")
                       .arg(name, formatCount(sum.sent), formatBytes(sum.sentBytes), formatCount(sum.received),
                            formatBytes(sum.receivedBytes)));
    else
        setSummary(tr("%1: its messages had %2 deliveries, and %3 were made to it")
                       .arg(name, formatCount(sum.sent), formatCount(sum.received)));
}

QString CommMatrixPanel::summary() const
{
    return matrixSummary(m_state.store().info(), *m_asked) % QStringLiteral(" · ")
           % (m_range.isEmpty() ? tr("whole run") : tr("marked range"));
}

QString CommMatrixPanel::cellText(MatrixCellAt at) const
{
    if (at.row >= m_grid->rowCount() || at.column >= m_grid->columnCount()) return {};
    CommCell sum;
    const auto groupOf = [group = m_grid->group](const std::vector<std::uint32_t>& ids, std::size_t number) {
        const std::size_t first = std::min(ids.size(), number * group);
        return std::span(ids).subspan(first, std::min(group, ids.size() - first));
    };
    const auto idsOf = [](const CommCell& cell) { return std::pair(cell.from, cell.to); };
    for (const std::uint32_t id : groupOf(m_grid->rows, at.row))
        for (const std::uint32_t to : groupOf(m_grid->columns, at.column)) {
            const auto cell = std::ranges::lower_bound(m_matrix->cells, std::pair(id, to), {}, idsOf);
            if (cell == m_matrix->cells.end() || idsOf(*cell) != std::pair(id, to)) continue;
            addSaturating(sum.deliveries, cell->deliveries);
            sum.deliveredBytes = saturatingAdd(sum.deliveredBytes, cell->deliveredBytes);
        }
    const QString from = rowName(m_state.store(), *m_grid, at.row);
    const QString to = columnName(m_state.store(), *m_grid, at.column);
    const QString bytes = formatBytes(sum.deliveredBytes);
    if (m_grid->traffic == CommTraffic::Collective) return tr("%1 to %2: %3 in collective calls").arg(from, to, bytes);
    if (!areBytesKnown(m_state.store().info()))
        return tr("%1 to %2: %3 deliveries").arg(from, to, formatCount(sum.deliveries));
    const QString text = m_grid->traffic == CommTraffic::Both ? tr("%1 to %2: %3 deliveries, %4 with collective calls")
                                                              : tr("%1 to %2: %3 deliveries, %4");
    return text.arg(from, to, formatCount(sum.deliveries), bytes);
}

void CommMatrixPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_listed) return;
    showCalls();
    showPairs(m_listed);
}

namespace panels {

extern const PanelSpec commMatrix;
const PanelSpec commMatrix{
    .id = "panel.commMatrix",
    .title = QT_TRANSLATE_NOOP("Actions", "Communication"),
    .command = QT_TRANSLATE_NOOP("Actions", "C&ommunication matrix"),
    .question = QT_TRANSLATE_NOOP("Actions", "Who sends to whom?"),
    .tip = {QT_TRANSLATE_NOOP("Actions", "Who sends how much to whom: PEs, nodes, entry methods"),
            QT_TRANSLATE_NOOP("Actions", "Who sends how much to whom: ranks, nodes, regions")},
    .help = {QT_TRANSLATE_NOOP("Actions",
                               "Who sends how much to whom, between PEs, nodes or entry methods: of the run or the "
                               "marked range, as colours and as a table. A few strong cells are partners that should "
                               "be near each other; a click takes a pair apart."),
             QT_TRANSLATE_NOOP("Actions",
                               "Who sends how much to whom, between ranks, nodes or regions: of the run or the marked "
                               "range, as colours and as a table. A few strong cells are partners that should be near "
                               "each other; a click takes a pair apart.")},
    .alsoCalled = QT_TRANSLATE_NOOP(
        "Actions", "communication matrix, talks, traffic, partners, neighbours, bytes, messages, topology"),
    .group = PanelGroup::Data,
    .needs = PanelNeeds::Events,
    .create = makePanel<CommMatrixPanel>,
};

}  // namespace panels

}  // namespace longpole
