// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/prioritypanel.h"

#include "analysis/report/advicetables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/graphs/experttext.h"
#include "views/plots/partbarview.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/tableview.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace longpole {

namespace {

// The name, of which at most the last 34 characters are kept: the end says most, and a long name would leave the
// caveat's column no room.
QString shortName(const TraceStore& store, EntryId id)
{
    constexpr qsizetype most = 34;
    const Entry* entry = store.entry(id);
    const QString name = entry ? entryName(*entry) : PriorityPanel::tr("(none)");
    return name.size() <= most ? name : QStringLiteral("…") % name.right(most - 1);
}

}  // namespace

// One of the answer's lists, which it owns; an empty list while there is no answer.
template <typename Row>
std::shared_ptr<const std::vector<Row>> PriorityPanel::listOf(std::vector<Row> SchedulingAnalysis::*list) const
{
    if (!expert()) return std::make_shared<const std::vector<Row>>();
    return {expert(), &(expert()->scheduling.*list)};
}

PriorityPanel::PriorityPanel(ViewState& state, QWidget* parent) : ExpertPanel(state, parent)
{
    setWrapped(true);
    createWidgets();
    for (TableView* table : {m_table, m_tried})
        connect(table, &TableView::exportFailed, this, &ComputedPanel::exportFailed);
    connect(m_wait, &ChartCanvas::exportFailed, this, &ComputedPanel::exportFailed);
    connect(m_afterIdle, &LinkLabel::followed, this, [this] { goToFirst(expert()->scheduling.afterIdle); });
    connect(m_behindOthers, &LinkLabel::followed, this, [this] { goToFirst(expert()->scheduling.behindOthers); });
    connect(&state, &ViewState::colourChanged, this, [this] {
        if (this->expert()) showExpert();
    });
    outdate();
}

void PriorityPanel::createWidgets()
{
    auto* page = new QWidget;
    m_page = new QVBoxLayout(page);
    m_page->setContentsMargins(0, 0, 0, 0);
    m_page->setSpacing(0);
    m_scroll = showPage(page);
    m_about = new QWidget(page);
    auto* rows = new QVBoxLayout(m_about);
    rows->setContentsMargins(12, 7, 12, 6);
    rows->setSpacing(4);
    m_verdict = new LinkLabel({}, m_about);
    m_afterIdle = new LinkLabel(QStringLiteral("muted"), m_about);
    m_behindOthers = new LinkLabel(QStringLiteral("muted"), m_about);
    for (LinkLabel* label : {m_verdict, m_afterIdle, m_behindOthers}) rows->addWidget(label);
    m_waitBox = new QWidget(m_about);
    auto* wait = new QHBoxLayout(m_waitBox);
    wait->setContentsMargins(0, 3, 0, 0);
    wait->setSpacing(14);
    auto* title = new QLabel(tr("Critical tasks waited for"), m_waitBox);
    title->setObjectName(QStringLiteral("muted"));
    m_wait = new PartBar(tr("What critical tasks waited for in the queue"), m_waitBox);
    wait->addWidget(title, 0, Qt::AlignTop);
    wait->addWidget(m_wait, 1);
    rows->addWidget(m_waitBox);
    m_page->addWidget(m_about);
    createTables();
}

// Two tables in one place: the entry methods on the path, and the priority schemes that were replayed.
void PriorityPanel::createTables()
{
    m_tables = new QStackedWidget(m_scroll->widget());
    m_table = new TableView(m_tables);
    m_table->setAccessibleName(state().store().words().say(tr("Entry methods on the critical path"),
                                                           tr("Regions on the critical path")));
    m_tried = new TableView(m_tables);
    m_tried->setAccessibleName(tr("What the replay was asked"));
    m_choice = new QWidget(m_scroll->widget());
    auto* row = new QHBoxLayout(m_choice);
    row->setContentsMargins(8, 0, 8, 2);
    row->setSpacing(2);
    auto* group = new QButtonGroup(this);
    for (const auto& [table, text] :
         {std::pair(m_table, state().store().words().say(tr("Entry methods on the path"), tr("Regions on the path"))),
          std::pair(m_tried, tr("What the replay was asked"))}) {
        auto* button = new QPushButton(text, m_choice);
        button->setObjectName(QStringLiteral("segment"));
        button->setCheckable(true);
        button->setChecked(table == m_table);
        group->addButton(button);
        m_tables->addWidget(table);
        connect(button, &QPushButton::clicked, this, [this, table = table] { m_tables->setCurrentWidget(table); });
        row->addWidget(button);
    }
    row->addStretch();
    m_page->addWidget(m_choice);
    m_page->addWidget(m_tables, 1);
}

void PriorityPanel::showExpert()
{
    m_about->setVisible(expert() != nullptr);
    if (expert()) {
        const SchedulingAnalysis& scheduling = expert()->scheduling;
        m_verdict->setWords(scheduling.notEvaluated.isEmpty() ? scheduling.verdict : scheduling.notEvaluated);
        showCondition(*m_afterIdle, scheduling.afterIdle, tr("Critical tasks after idle times"));
        showCondition(*m_behindOthers, scheduling.behindOthers, tr("Critical tasks that were overtaken"));
        showWait();
    }
    m_tables->setVisible(expert() != nullptr);
    showEntries();
    showTried();
}

void PriorityPanel::showCondition(LinkLabel& label, const Condition& condition, const QString& what)
{
    label.setVisible(expert()->scheduling.notEvaluated.isEmpty());
    const QString sign = condition.isMet ? QStringLiteral("✓  ") : QStringLiteral("–  ");
    const QString found = condition.count == 0 ? tr(": none.")
                                               : (condition.isMet ? tr(": %1 of them, %2 in all.")
                                                                  : tr(": %1 of them, %2 in all: too small."))
                                                     .arg(formatCount(condition.count), formatTime(condition.time));
    if (condition.evidence.empty()) label.setWords(sign % what % found);
    else label.setLink(what, found, sign);
}

void PriorityPanel::goToFirst(const Condition& condition)
{
    if (!condition.evidence.empty()) goTo(condition.evidence.front());
}

void PriorityPanel::showWait()
{
    const QueueWait& wait = expert()->scheduling.wait;
    const std::span<const QRgb> colours = paletteColours(state().paletteKind());
    const Theme& theme = themeOf(*this);
    m_waitBox->setVisible(wait.sum() > 0);
    // The accent marks the only part that a priority can change.
    m_wait->setParts({{tr("tasks that overtook them"), wait.overtaken, theme.accent},
                      {tr("the rest of one that ran"), wait.residual, QColor(colours[3])},
                      {tr("critical tasks"), wait.self, QColor(colours[0])},
                      {state().store().words().say(tr("overhead"), tr("in MPI")), wait.overhead, theme.faintText}});
}

void PriorityPanel::showEntries()
{
    const std::shared_ptr<const TraceStore> store = state().sharedStore();
    const auto palette = state().palette(themeOf(*this));
    const auto entries = listOf(&SchedulingAnalysis::entries);
    TableContent content = contentOf(pathEntryTable(*store).only({"entry", "class", "purity", "critical_count", "count",
                                                                  "critical_time_ns", "over_ns", "residual_ns",
                                                                  "idle_ns", "potential", "caveat"}),
                                     entries, store);
    PanelColumn& entry = content["entry"];
    entry.title = store->words().say(tr("Entry method"), tr("Region"));
    entry.swatch = [palette, entries](std::size_t row) { return QColor(palette->entry((*entries)[row].entry)); };
    entry.text = [store, entries](std::size_t row) { return shortName(*store, (*entries)[row].entry); };
    m_table->setContent(std::move(content));
    m_table->setColumnWidths({110, 44, 50, 50, 44, 60, 60, 60, 66, 50, 0});
}

void PriorityPanel::showTried()
{
    const auto tried = listOf(&SchedulingAnalysis::tried);
    TableContent content = contentOf(
        triedSchemeTable(state().store()).only({"what", "gain_low", "gain_high", "verdict"}), tried,
        state().sharedStore());
    content["gain_low"].text = [tried](std::size_t row) { return gainShare((*tried)[row].prediction.gainLow); };
    content["gain_high"].text = [tried](std::size_t row) { return gainShare((*tried)[row].prediction.gainHigh); };
    m_choice->setVisible(content.rows > 0);
    if (content.rows == 0) m_tables->setCurrentWidget(m_table);
    m_tried->setContent(std::move(content));
    m_tried->setColumnWidths({0, -1, -1, 110});
}

namespace {

QWidget* makePriorities(PanelHost& host, QWidget* parent) { return makeExpertPanel<PriorityPanel>(host, parent); }

}  // namespace

namespace panels {

extern const PanelSpec priorities;
const PanelSpec priorities{
    .id = "panel.priorities",
    .title = QT_TRANSLATE_NOOP("Actions", "Priorities"),
    .command = QT_TRANSLATE_NOOP("Actions", "Pr&iorities"),
    .question = QT_TRANSLATE_NOOP("Actions", "Would priorities help?"),
    .tip = {QT_TRANSLATE_NOOP("Actions", "Whether it would help to run critical tasks first, and which entry methods"),
            QT_TRANSLATE_NOOP("Actions", "Whether it would help to run critical tasks first, and which regions")},
    .help =
        {QT_TRANSLATE_NOOP(
             "Actions",
             "Whether it would help to run critical tasks first: both conditions, what critical tasks waited for "
             "in the queue, and the entry methods that priorities could separate. Gains are those of a replay of "
             "the run."),
         QT_TRANSLATE_NOOP(
             "Actions",
             "Whether it would help to run critical tasks first: both conditions, what critical tasks waited for in "
             "the queue, and the regions that priorities could separate. Gains are those of a replay of the run.")},
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "prioritization, scheduling, queue, critical tasks first"),
    .group = PanelGroup::WhatIf,
    .needs = PanelNeeds::Queues,
    .create = makePriorities,
};

}  // namespace panels

}  // namespace longpole
