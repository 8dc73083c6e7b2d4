// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/logpanel.h"

#include "analysis/base/naming.h"
#include "core/trace/format.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

LogPanel::LogPanel(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state), m_view(new LogView(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    createHead();
    layout->addWidget(m_view, 1);
    setFocusProxy(m_view);
    constexpr int pollEvery = 100;  // ms
    m_poll.setInterval(pollEvery);
    connect(&m_poll, &QTimer::timeout, this, &LogPanel::showProgress);
    connect(m_view, &LogView::chosen, this, &LogPanel::choose);
    connect(m_view, &LogView::taskFollowed, this, [this](TaskId task) { m_state.reveal({.task = task}, false); });
    connect(m_view, &LogView::failed, this, &LogPanel::exportFailed);
    connect(&m_state, &ViewState::selectionChanged, this, &LogPanel::followSelection);
    connect(&m_state, &ViewState::colourChanged, this, &LogPanel::showColours);
    connect(&m_state, &ViewState::filterChanged, this, [this] {
        showColours();
        outdate();
    });
    connect(&m_state, &ViewState::taskFilterChanged, this, [this] { m_view->setTaskFilter(m_state.taskFilter()); });
    connect(&m_state, &ViewState::markedChanged, this, &LogPanel::outdate);
    connect(&m_state, &ViewState::processorsChanged, this, [this] {
        showProcessors();
        outdate();
    });
    showColours();
    m_view->setTaskFilter(m_state.taskFilter());
    showProcessors();
}

void LogPanel::createHead()
{
    m_head = new QBoxLayout(QBoxLayout::LeftToRight);
    m_head->setContentsMargins(12, 5, 12, 4);
    m_head->setSpacing(4);
    static_cast<QVBoxLayout*>(layout())->addLayout(m_head);
    auto* head = new QHBoxLayout;
    head->setSpacing(3);
    m_head->addLayout(head);
    for (const ChunkKind kind : recordKinds) {
        if (m_state.store().chunks(kind).empty()) continue;
        QPushButton* box = addSwitch(*head, kindName(kind), tr("Show %1").arg(kindName(kind).toLower()));
        box->setChecked(true);
        m_kinds.emplace_back(kind, box);
    }
    head->addSpacing(10);
    m_marked = addSwitch(*head, tr("Marked"), tr("Only what begins in the range that is marked on the timeline"));
    m_found = addSwitch(
        *head, tr("Found"),
        m_state.store().words().say(tr("Only tasks and messages of the entry methods that Find has found (Ctrl+F)"),
                                    tr("Only tasks and messages of the regions that Find has found (Ctrl+F)")));
    m_pes = new QLineEdit(this);
    m_pes->setPlaceholderText(m_state.store().words().say(tr("all PEs"), tr("all ranks")));
    m_pes->setAccessibleName(tr("PEs or ranks"));
    m_pes->setToolTip(tr("The PEs or ranks that show in all views, such as 1,3-9:3,11"));
    m_pes->setFixedWidth(82);
    m_pes->installEventFilter(this);
    connect(m_pes, &QLineEdit::editingFinished, this, &LogPanel::readProcessors);
    head->addWidget(m_pes);
    m_count = new QLabel(this);
    m_count->setObjectName(QStringLiteral("muted"));
    head->addSpacing(6);
    head->addWidget(m_count);
    head->addStretch(1);
    auto* second = new QHBoxLayout;
    second->setSpacing(3);
    m_head->addLayout(second, 1);
    createSearch(*second);
}

QPushButton* LogPanel::addSwitch(QHBoxLayout& head, const QString& text, const QString& tip)
{
    auto* box = new QPushButton(text, this);
    box->setObjectName(QStringLiteral("filter"));
    box->setCheckable(true);
    box->setToolTip(tip);
    connect(box, &QPushButton::toggled, this, &LogPanel::outdate);
    head.addWidget(box);
    return box;
}

void LogPanel::createSearch(QHBoxLayout& head)
{
    m_message = new QLabel(this);
    m_message->setObjectName(QStringLiteral("muted"));
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_message->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    head.addWidget(m_message, 2);
    const auto button = [&](const QString& text, const QString& tip) {
        auto* made = new QToolButton(this);
        made->setObjectName(QStringLiteral("flat"));
        made->setText(text);
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        head.addWidget(made);
        return made;
    };
    m_stop = button(QStringLiteral("×"), tr("Stop searching (Esc)"));
    m_stop->hide();
    connect(m_stop, &QToolButton::clicked, this, &LogPanel::cancelSearch);
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Name, text, value or task 3:1207"));
    m_search->setAccessibleName(tr("Search the log"));
    m_search->setToolTip(tr("Part of a name or text, /regular expression/, a value, or a task's id"));
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(120);
    m_search->setMaximumWidth(230);
    m_search->installEventFilter(this);
    head.addWidget(m_search, 3);
    connect(button(QStringLiteral("↑"), tr("The one before (Shift+Enter)")), &QToolButton::clicked, this,
            [this] { findNext(false); });
    connect(button(QStringLiteral("↓"), tr("The next one (Enter)")), &QToolButton::clicked, this,
            [this] { findNext(true); });
}

QString LogPanel::message() const { return m_message->toolTip(); }

RecordChoice LogPanel::choice() const
{
    RecordChoice choice{.pes = m_state.processors()};
    for (const auto& [kind, box] : m_kinds)
        if (box->isChecked()) choice.kinds.push_back(kind);
    if (choice.kinds.size() == m_kinds.size()) choice.kinds.clear();
    else if (choice.kinds.empty()) choice.kinds.push_back(ChunkKind::Merge);  // an empty list, as no record is a merge
    if (m_marked->isChecked() && !m_state.marked().isEmpty()) choice.range = m_state.marked();
    if (m_found->isChecked()) choice.entries = m_state.matchingEntries();
    return choice;
}

void LogPanel::outdate()
{
    m_isOutdated = true;
    if (isVisible()) list();
}

void LogPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_isOutdated) list();
}

// Asks for the list of the chosen records; its top row will be at the time of the old list's.
void LogPanel::list()
{
    m_isOutdated = false;
    const RecordChoice wanted = choice();
    if (m_listedChoice == wanted) {
        m_listing.cancel();
        return;
    }
    const Record* top = m_view->record(m_view->top());
    const std::optional<RecordRef> chosen = m_view->currentRef();
    const RecordRef upper = top ? top->ref : RecordRef{m_state.range().begin, TrackId{}, ChunkKind{}, 0};
    m_poll.start();
    m_listing.ask(m_state.results(), {wanted, upper, chosen},
                  [this, wanted](const Result<std::shared_ptr<const RecordPlaces>>& places) {
                      if (places.ok()) m_listedChoice = wanted;
                      accept(places);
                  });
}

void LogPanel::accept(const Result<std::shared_ptr<const RecordPlaces>>& places)
{
    showProgress();
    if (!places.ok()) {
        m_view->setList(nullptr, nullptr, 0);
        m_view->setNotice(longpole::toText(places.error()));
        return;
    }
    const RecordPlaces& listed = **places;
    cancelSearch();
    const bool isFirst = !m_view->list();
    m_view->setList(m_state.results(), listed.list, listed.upper);
    const std::int64_t count = listed.list->count();
    QString notice;
    if (m_kinds.empty()) notice = tr("This trace has sums, but no single records: it was recorded as a summary.");
    else if (count == 0) notice = tr("No record of this choice.");
    m_view->setNotice(notice);
    m_count->setText(counted("%1 records", "%1 record", count));
    if (listed.kept >= 0) m_view->showRow(listed.kept);
    if (isFirst) followSelection();
    Q_EMIT listReplaced();
}

void LogPanel::showColours() { m_view->setColours(*m_state.palette(themeOf(*this)), m_state.matchingEntries()); }

// Filters and search stand in one line if there is room, else in two.
void LogPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int needed = m_head->itemAt(0)->sizeHint().width() + 330;
    m_head->setDirection(event->size().width() < needed ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void LogPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) showColours();
}

void LogPanel::showProcessors()
{
    const std::vector<ProcessorId>& pes = m_state.processors();
    m_pes->setText(pes.empty() ? QString() : formatProcessors(pes));
}

void LogPanel::readProcessors()
{
    const QString text = m_pes->text().trimmed();
    if (text.isEmpty()) return m_state.setProcessors({});
    const Result<std::vector<ProcessorId>> pes = parseProcessors(text, m_state.store().info().processors);
    if (!pes.ok()) return say(pes.error().what, true);
    say({});
    m_state.setProcessors(*pes);
}

// Selects the record that the user has chosen in all views, and moves the timeline there.
void LogPanel::choose(const Record& record)
{
    if (record.ref.kind == ChunkKind::Task && record.task.isValid())
        m_state.reveal({.task = record.task, .message = {}}, false);
    else if (record.ref.kind == ChunkKind::Message && record.message.isValid())
        m_state.reveal({.task = {}, .message = record.message}, false);
}

void LogPanel::followSelection()
{
    const std::shared_ptr<const RecordList> list = m_view->list();
    const Selection& selection = m_state.selection();
    const bool isTask = selection.task.isValid();
    if (!list || (!isTask && !selection.message.isValid())) return;
    const Processor* processor = m_state.store().processor(isTask ? selection.task.pe : selection.message.pe);
    if (!processor) return;
    const ChunkKind kind = isTask ? ChunkKind::Task : ChunkKind::Message;
    const std::int64_t row = isTask ? selection.task.index : selection.message.index;
    const std::optional<RecordRef>& current = m_view->currentRef();
    if (current && current->kind == kind && current->track == processor->track && current->row == row) {
        m_following.cancel();
        return;
    }
    m_following.ask(m_state.results(), {list->choice(), kind, processor->track, row},
                    [this, list](const Result<std::shared_ptr<const std::int64_t>>& at) {
                        if (at.ok() && list == m_view->list()) m_view->showRow(**at);
                    });
}

void LogPanel::findNext(bool forward)
{
    const std::shared_ptr<const RecordList> list = m_view->list();
    const QString text = m_search->text().trimmed();
    if (!list || text.isEmpty()) return say({});
    // Without a current record the search begins at the rows in view.
    const Record* edge = m_view->record(forward ? m_view->top() - 1 : m_view->top());
    const std::optional<RecordRef> from = m_view->currentRef() || !edge ? m_view->currentRef()
                                                                        : std::optional(edge->ref);
    say(tr("searching …"));
    m_stop->show();
    m_poll.start();
    m_searching.ask(m_state.results(), {list->choice(), text, from, forward},
                    [this](const Result<std::shared_ptr<const FoundRecord>>& found) { acceptFound(found); });
}

void LogPanel::cancelSearch()
{
    if (!m_searching.isRunning()) return;
    m_searching.cancel();
    say({});
    showProgress();
}

void LogPanel::acceptFound(const Result<std::shared_ptr<const FoundRecord>>& answer)
{
    showProgress();
    if (!answer.ok()) return say(answer.error().what, true);
    const FoundRecord& found = **answer;
    if (!found.ref) return say(tr("not found"));
    const QString place = tr("record %1").arg(formatCount(found.row + 1));
    say(found.isRound ? tr("%1, round the end").arg(place) : place);
    m_view->showRow(found.row);
    m_view->chooseRow(found.row);
}

void LogPanel::showProgress()
{
    m_stop->setVisible(m_searching.isRunning());
    if (m_searching.isRunning()) say(tr("searching … %1 %").arg(static_cast<int>(m_searching.fraction() * 100)));
    if (m_listing.isRunning())
        m_count->setText(tr("counting … %1 %").arg(static_cast<int>(m_listing.fraction() * 100)));
    if (!m_searching.isRunning() && !m_listing.isRunning()) m_poll.stop();
}

void LogPanel::say(const QString& text, bool isError)
{
    m_message->setObjectName(isError ? QStringLiteral("errorText") : QStringLiteral("muted"));
    m_message->style()->unpolish(m_message);
    m_message->style()->polish(m_message);
    m_message->setText(m_message->fontMetrics().elidedText(text, Qt::ElideRight, std::max(60, m_message->width())));
    m_message->setToolTip(text);
}

bool LogPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    const bool isEscape = key->key() == Qt::Key_Escape;
    if (event->type() == QEvent::ShortcutOverride) {
        if (isEscape) event->accept();  // Esc means this field, not the window
        return isEscape;
    }
    if (watched == m_search && isEnter) {
        findNext(!(key->modifiers() & Qt::ShiftModifier));
        return true;
    }
    if (isEscape) {
        if (watched == m_pes) showProcessors();
        if (watched == m_search && m_searching.isRunning()) cancelSearch();
        else m_view->setFocus();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

namespace panels {

extern const PanelSpec log;
const PanelSpec log{
    .id = "panel.log",
    .title = QT_TRANSLATE_NOOP("Actions", "Log"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Log"),
    .question = QT_TRANSLATE_NOOP("Actions", "What was recorded?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "Every record of the trace in the order of time, with search"),
    .help = QT_TRANSLATE_NOOP(
        "Actions",
        "Every record of the trace in the order of time, by kind, PE or rank, and range, with "
        "search. A row leads to the timeline, the sender that it names to that task, and what is selected "
        "there is found here."),
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "log viewer, event list, raw events, records, search"),
    .group = PanelGroup::Data,
    .needs = PanelNeeds::Events,
    .create = makePanel<LogPanel>,
};

}  // namespace panels

}  // namespace longpole
