// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/selectionpanel.h"

#include "analysis/report/mpitables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/state/mpicallwords.h"
#include "views/state/panelspec.h"
#include "views/widgets/emptystate.h"
#include "views/widgets/sidebyside.h"
#include "views/widgets/tableview.h"

#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace longpole {

namespace {

TableContent fieldsContent(const std::shared_ptr<const std::vector<SelectionField>>& fields, const QString& title)
{
    TableContent content;
    content.rows = fields->size();
    content.columns = {
        {.key = QStringLiteral("field"),
         .title = title,
         .value = [fields](std::size_t row) { return QVariant((*fields)[row].name); }},
        {.key = QStringLiteral("value"),
         .title = SelectionPanel::tr("value"),
         .value = [fields](std::size_t row) { return QVariant((*fields)[row].text); },
         .isLink = [fields](std::size_t row) { return (*fields)[row].link.isValid(); }},
    };
    return content;
}

// How long the task of a step ran; of what lies between tasks -1.
TimeNs ran(const PathStep& step) { return step.part == PathPart::Compute ? step.weight() : -1; }

TableView* addTable(SideBySide* parent, const QString& name)
{
    auto* table = new TableView(parent);
    table->setAccessibleName(name);
    parent->addPart(table, name);
    return table;
}

}  // namespace

SelectionPanel::SelectionPanel(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    createWidgets();
    connect(&m_state, &ViewState::selectionChanged, this, &SelectionPanel::showSelection);
    connect(&m_state, &ViewState::graphChanged, this, &SelectionPanel::showSelection);
    connect(&m_state, &ViewState::colourChanged, this, &SelectionPanel::showSelection);
    showSelection();
}

void SelectionPanel::createWidgets()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    const Vocabulary words = m_state.store().words();
    m_hint = new EmptyState(
        words.say(tr("Click a task or an arrow on the timeline: what it is, what started it, what it "
                     "sent and how long that waited stand here."),
                  tr("Click an MPI call or the code between calls on the timeline: what it is, whom "
                     "it waited for and what it sent stand here.")),
        tr("Show the longest step of the path"), this);
    connect(m_hint, &EmptyState::pressed, this, &SelectionPanel::showLongestStep);
    layout->addWidget(m_hint);
    auto* body = new SideBySide(this);
    m_task = addTable(body, tr("Selected task"));
    m_message = addTable(body, tr("Message"));
    m_created = addTable(body, tr("Messages created"));
    layout->addWidget(body, 1);
    m_body = body;
    for (TableView* table : {m_task, m_message, m_created})
        connect(table, &TableView::exportFailed, this, &SelectionPanel::exportFailed);
}

void SelectionPanel::showLongestStep()
{
    const std::shared_ptr<const CriticalPath> path = m_state.path();
    if (!path || path->steps.empty()) return;
    const auto longest = std::max_element(path->steps.begin(), path->steps.end(),
                                          [](const PathStep& a, const PathStep& b) { return ran(a) < ran(b); });
    m_state.reveal({.task = longest->task, .message = {}});
}

void SelectionPanel::showSelection()
{
    const Selection selection = m_state.selection();
    m_hint->setVisible(!selection.isValid());
    m_body->setVisible(selection.isValid());
    m_loading.cancel();
    m_members.cancel();
    if (!selection.isValid()) return m_reading.cancel();
    m_reading.ask(m_state.results(), {selection}, [this](const Watch<SelectedFactsQuestion>::Answer& facts) {
        if (facts.ok()) showFacts(**facts);
    });
}

void SelectionPanel::showFacts(const SelectedFacts& facts)
{
    const Selection& selection = m_state.selection();
    if (selection.task.isValid()) showTask(facts);
    else if (selection.message.isValid()) showMessage(facts);
    else if (selection.call.isValid()) showCall(facts);
}

namespace {

// Shows fields in a table; a click on a link goes there.
void fill(SideBySide& body, TableView* table, ViewState& state, std::vector<SelectionField> list, const QString& title)
{
    const auto fields = std::make_shared<const std::vector<SelectionField>>(std::move(list));
    table->setContent(fieldsContent(fields, title));
    table->setColumnWidths({90, 0});
    body.setPartVisible(table, !fields->empty());
    QObject::disconnect(table, &TableView::rowChosen, nullptr, nullptr);
    QObject::disconnect(table, &TableView::rowActivated, nullptr, nullptr);
    QObject::connect(table, &TableView::rowChosen, table, [fields, &state](std::size_t row, int column) {
        // A copy: following the link replaces the table's content, which owns the fields.
        const Selection link = (*fields)[row].link;
        if (column == 1 && link.isValid()) state.reveal(link);
    });
    QObject::connect(table, &TableView::rowActivated, table, [fields, &state](std::size_t row, int) {
        const Selection link = (*fields)[row].link;
        if (link.isValid()) state.reveal(link);
    });
}

std::vector<SelectionField> errorFields(const std::optional<Error>& error)
{
    if (!error) return {};
    return {{SelectionPanel::tr("Error"), toText(*error), {}}};
}

}  // namespace

void SelectionPanel::showTask(const SelectedFacts& facts)
{
    fill(*m_body, m_task, m_state, facts.task ? taskFields(m_state.store(), *facts.task) : errorFields(facts.error),
         tr("Task"));
    fill(*m_body, m_message, m_state,
         facts.message ? messageFields(m_state.store(), *facts.message) : errorFields(facts.messageError),
         tr("Message that started it"));
    loadCreated(m_state.selection().task);
}

void SelectionPanel::showMessage(const SelectedFacts& facts)
{
    fill(*m_body, m_message, m_state,
         facts.message ? messageFields(m_state.store(), *facts.message) : errorFields(facts.error), tr("Message"));
    fill(*m_body, m_task, m_state, {}, tr("Task"));
    if (facts.message && facts.message->source.isValid()) loadCreated(facts.message->source);
    else showCreated({});
}

void SelectionPanel::showCall(const SelectedFacts& facts)
{
    fill(*m_body, m_task, m_state, facts.call ? callFields(m_state.store(), *facts.call) : errorFields(facts.error),
         tr("MPI call"));
    fill(*m_body, m_message, m_state, {}, tr("Message"));
    showMembers({});
    if (!facts.call || facts.call->instance < 0) return;
    m_members.ask(m_state.results(), {m_state.selection().call},
                  [this](const Watch<CallMembersQuestion>::Answer& members) {
                      if (members.ok()) showMembers(**members);  // an error already shows in the call's own table
                  });
}

// The collective call's members; a click on a rank goes to its call.
void SelectionPanel::showMembers(std::vector<MpiCallRow> members)
{
    const auto rows = std::make_shared<const std::vector<MpiCallRow>>(std::move(members));
    std::vector<MpiCallId> ids;
    for (const MpiCallRow& member : *rows) ids.push_back({member.rank, member.seq});
    TableContent content = contentOf(callMemberTable(m_state.store()), rows, m_state.sharedStore());
    content["rank"].isLink = [](std::size_t) { return true; };
    m_created->setContent(std::move(content));
    m_created->setColumnWidths({50, 70, 60, 60, 60});
    m_body->setPartVisible(m_created, !ids.empty());
    QObject::disconnect(m_created, &TableView::rowChosen, nullptr, nullptr);
    QObject::disconnect(m_created, &TableView::rowActivated, nullptr, nullptr);
    QObject::connect(m_created, &TableView::rowChosen, m_created, [ids, this](std::size_t row, int column) {
        const MpiCallId id = ids[row];
        if (column == 0) m_state.reveal({.call = id});
    });
    QObject::connect(m_created, &TableView::rowActivated, m_created, [ids, this](std::size_t row, int) {
        const MpiCallId id = ids[row];
        m_state.reveal({.call = id});
    });
}

void SelectionPanel::loadCreated(TaskId id)
{
    showCreated({});
    const MessageId only = m_state.selection().message;
    m_loading.ask(m_state.results(), {id, m_state.graph()}, [this, only](const Watch<CreatedQuestion>::Answer& found) {
        if (!found.ok()) return;  // the error already shows in the task's own table
        std::vector<CreatedExecution> rows = **found;
        if (only.isValid()) std::erase_if(rows, [only](const CreatedExecution& row) { return row.message.id != only; });
        showCreated(std::move(rows));
    });
}

void SelectionPanel::showCreated(std::vector<CreatedExecution> list)
{
    const auto rows = std::make_shared<const std::vector<CreatedExecution>>(std::move(list));
    const std::shared_ptr<const TraceStore> store = m_state.sharedStore();
    const auto palette = m_state.palette(themeOf(*this));
    TableContent content = contentOf(createdTable(*store), rows, store);
    content["task"].isLink = [rows](std::size_t row) { return (*rows)[row].task.isValid(); };
    content["entry"].swatch = [rows, palette](std::size_t row) {
        return QColor(palette->entry((*rows)[row].message.entry));
    };
    m_created->setContent(std::move(content));
    m_created->setColumnWidths({60, 60, 56, 0, 48, -1});
    m_body->setPartVisible(m_created, true);
    QObject::disconnect(m_created, &TableView::rowChosen, nullptr, nullptr);
    QObject::connect(m_created, &TableView::rowChosen, m_created, [rows, this](std::size_t row, int column) {
        const TaskId task = (*rows)[row].task;
        if (column == 1 && task.isValid()) m_state.reveal(Selection{.task = task, .message = {}});
    });
    QObject::disconnect(m_created, &TableView::rowActivated, nullptr, nullptr);
    QObject::connect(m_created, &TableView::rowActivated, m_created, [rows, this](std::size_t row, int) {
        const TaskId task = (*rows)[row].task;
        if (task.isValid()) m_state.reveal(Selection{.task = task, .message = {}});
    });
}

namespace panels {

extern const PanelSpec selection;
const PanelSpec selection{
    .id = "panel.selection",
    .title = QT_TRANSLATE_NOOP("Actions", "Selection"),
    .command = QT_TRANSLATE_NOOP("Actions", "Se&lection table"),
    .question = QT_TRANSLATE_NOOP("Actions", "What is this task?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "Every field of the selected task and its messages"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "Everything that the trace knows of the selected task, message or MPI call. Values can be copied; the "
        "names of tasks and messages lead to them."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "entry details, properties, info, tooltip, object"),
    .group = PanelGroup::Timeline,
    .open = true,
    .needs = PanelNeeds::Events,
    .create = makePanel<SelectionPanel>,
};

}  // namespace panels

}  // namespace longpole
