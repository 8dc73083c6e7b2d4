// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/activitytablepanel.h"

#include "analysis/base/naming.h"
#include "analysis/report/pathtables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace longpole {

namespace {

constexpr int fromColumn = 7;

}  // namespace

ActivityTablePanel::ActivityTablePanel(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_field(new QLineEdit(this)), m_table(new TableView(this))
{
    createWidgets();
    m_level = m_state.question().edges;
    connect(&m_state, &ViewState::graphChanged, this, &ActivityTablePanel::outdate);
    connect(&m_state, &ViewState::questionChanged, this, [this] {
        if (m_state.question().edges != m_level) outdate();
    });
    connect(&m_state, &ViewState::selectionChanged, this, &ActivityTablePanel::followSelection);
    connect(&m_state, &ViewState::colourChanged, this, &ActivityTablePanel::showContent);
    outdate();
    followSelection();
}

// A field that is destroyed while it has the focus emits editingFinished() again, when this is half destroyed.
ActivityTablePanel::~ActivityTablePanel() { m_field->disconnect(this); }

void ActivityTablePanel::createWidgets()
{
    auto* label = new QLabel(m_state.store().words().say(tr("PE"), tr("Rank")), this);
    label->setObjectName(QStringLiteral("muted"));
    label->setBuddy(m_field);
    m_field->setAccessibleName(tr("PE or rank"));
    m_field->setToolTip(tr("The PE or rank whose table is shown"));
    m_field->setFixedWidth(64);
    m_field->setText(QString::number(index(m_pe)));
    connect(m_field, &QLineEdit::editingFinished, this, &ActivityTablePanel::readField);
    head().insertWidget(0, label);
    head().insertWidget(1, m_field);
    m_table->setAccessibleName(tr("Activity table"));
    body().addWidget(m_table, 1);
    connect(m_table, &TableView::exportFailed, this, &ActivityTablePanel::exportFailed);
    connect(m_table, &TableView::rowChosen, this, [this](std::size_t row, int column) {
        if (column != fromColumn) reveal(row);
    });
    // A click or Enter follows the link, the arrow keys do not. A double-click, too, emits rowActivated(), but with a
    // button pressed, and its first click has followed the link.
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& cell) {
        if (cell.column() == fromColumn) goBack(m_table->table().contentRow(cell.row()));
    });
    connect(m_table, &TableView::rowActivated, this, [this](std::size_t row, int) {
        if (QGuiApplication::mouseButtons() == Qt::NoButton) goBack(row);
    });
}

void ActivityTablePanel::readField()
{
    const auto pes = parseProcessors(m_field->text(), m_state.store().info().processors);
    if (pes && pes->size() == 1) return setProcessor(pes->front());
    setSummary(pes ? tr("Name a single one.") : longpole::toText(pes.error()));
}

void ActivityTablePanel::setProcessor(ProcessorId pe)
{
    if (pe == m_pe) return;
    m_wantedRow.reset();
    m_wantedTask = {};
    goTo(pe);
}

void ActivityTablePanel::goTo(ProcessorId pe)
{
    m_field->setText(QString::number(index(pe)));
    if (pe == m_pe && m_content) return showWanted();
    m_pe = pe;
    outdate();
}

void ActivityTablePanel::showPrefix(PrefixId prefix)
{
    m_wantedRow = prefix.index;
    m_wantedTask = {};
    goTo(prefix.pe);
}

void ActivityTablePanel::followSelection()
{
    TaskId task = m_state.selection().task;
    const auto graph = m_state.graph();
    if (!task.isValid()) return;
    if (graph)
        if (const std::uint32_t outermost = graph->find(task); outermost != noTask) task = graph->id(outermost);
    const std::optional<std::size_t> row = currentRow();
    if (row && task.pe == m_pe && m_content->row(*row).task == task) return;
    m_wantedRow.reset();
    m_wantedTask = task;
    goTo(task.pe);
}

void ActivityTablePanel::showWanted()
{
    std::optional<std::size_t> row;
    if (m_wantedRow && *m_wantedRow >= 0 && *m_wantedRow < static_cast<std::int64_t>(m_content->size()))
        row = static_cast<std::size_t>(*m_wantedRow);
    else if (m_wantedTask.isValid()) row = m_content->endOf(m_wantedTask);
    const bool everywhere = m_wantedRow.has_value();
    m_wantedRow.reset();
    m_wantedTask = {};
    if (!row) return;
    m_table->showRow(*row);
    if (everywhere) reveal(*row);
}

std::optional<std::size_t> ActivityTablePanel::currentRow() const
{
    const QModelIndex current = m_table->currentIndex();
    if (!m_content || !current.isValid()) return {};
    return m_table->table().contentRow(current.row());
}

void ActivityTablePanel::reveal(std::size_t row)
{
    if (m_content && row < m_content->size()) m_state.reveal({.task = m_content->row(row).task, .message = {}});
}

void ActivityTablePanel::goBack(std::size_t row)
{
    if (!m_content || row >= m_content->size()) return;
    const PrefixId from = m_content->row(row).incoming.prefix;
    if (from.index >= 0) showPrefix(from);
}

bool ActivityTablePanel::begin()
{
    if (!m_state.graph()) return false;
    m_level = m_state.question().edges;
    m_job.ask(m_state.results(), ActivityTableQuestion{m_pe, m_level},
              [this](const Answer& answer) { accept(answer); });
    return true;
}

void ActivityTablePanel::accept(const Answer& answer)
{
    if (!answer) return finish(answer.error(), {});
    m_content = *answer;
    showContent();
    finish({}, tr("%1 of %2")
                   .arg(counted("%1 prefixes", "%1 prefix", static_cast<std::int64_t>(m_content->size())),
                        counted("%1 tasks", "%1 task", static_cast<std::int64_t>(m_content->tasks()))));
    showWanted();
}

void ActivityTablePanel::clear()
{
    m_content.reset();
    m_table->setContent({});
}

void ActivityTablePanel::showContent()
{
    if (!m_content) return;
    const auto palette = m_state.palette(themeOf(*this));
    const auto at = [table = m_content](std::size_t row) { return table->row(row); };
    const std::function<const ActivityRow&(std::size_t)> asked =
        [at, row = std::make_shared<ActivityRow>()](std::size_t i) -> const ActivityRow& { return *row = at(i); };
    TableContent content = contentOf(activityRowTable(m_state.store())
                                         .only({"index", "task", "entry", "message", "end_ns", "length_ns",
                                                "incoming_edge", "from", "incoming_ns", "merged_with"}),
                                     m_content->size(), asked, m_state.sharedStore());
    content["entry"].swatch = [at, palette](std::size_t row) { return QColor(palette->entry(at(row).entry)); };
    content["from"].isLink = [at](std::size_t row) { return at(row).incoming.prefix.index >= 0; };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({44, 52, 0, 52, 64, 60, 60, 56, 60, 90});
}

void ActivityTablePanel::changeEvent(QEvent* event)
{
    ComputedPanel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) showContent();
}

namespace panels {

extern const PanelSpec activity;
const PanelSpec activity{
    .id = "panel.activity",
    .title = QT_TRANSLATE_NOOP("Actions", "Activity table"),
    .command = QT_TRANSLATE_NOOP("Actions", "Activity t&able"),
    .question = {QT_TRANSLATE_NOOP("Actions", "What did each PE know?"),
                 QT_TRANSLATE_NOOP("Actions", "What did each rank know?")},
    .tip = QT_TRANSLATE_NOOP("Actions", "What a PE or rank would have recorded of the paths through its tasks"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "The longest path into each task of one PE or rank, as a program that records its critical path would keep it. "
        "Each row names the row that its path comes from: following these names walks the path back."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "on-line path, message tags, Hollingsworth"),
    .group = PanelGroup::Data,
    .needs = PanelNeeds::Events,
    .create = makePanel<ActivityTablePanel>,
};

}  // namespace panels

}  // namespace longpole
