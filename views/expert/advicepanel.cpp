// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/advicepanel.h"

#include "analysis/base/cells.h"
#include "analysis/expert/checks.h"
#include "analysis/expert/expertwords.h"
#include "analysis/expert/replayedadvice.h"
#include "analysis/report/advicetables.h"
#include "analysis/scheduling/prioritylist.h"
#include "core/base/namedfile.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/graphs/experttext.h"
#include "views/state/evidenceplace.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/notice.h"
#include "views/widgets/tableview.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMetaMethod>
#include <QMimeData>
#include <QScrollArea>
#include <QScrollBar>
#include <QShowEvent>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace longpole {

AdvicePanel::AdvicePanel(ViewState& state, QWidget* parent) : ExpertPanel(state, parent)
{
    setWrapped(true);
    setAcceptDrops(true);
    auto* page = new QWidget;
    m_rows = new QVBoxLayout(page);
    m_rows->setContentsMargins(12, 4, 12, 12);
    m_rows->setSpacing(9);
    m_scroll = showPage(page);
    outdate();
}

QString AdvicePanel::countText() const
{
    const std::size_t worth = countWorthIt(m_advice);
    return worth > 0 ? QString::number(worth) : QString();
}

void AdvicePanel::showExpert()
{
    if (expert() != m_shown) {
        m_shown = expert();
        m_advice = m_shown ? m_shown->advice : std::vector<Advice>{};
        m_asked = 0;
        m_replay.cancel();
    }
    showAdvice();
    askReplay();
}

// Of a large run the expert asks for no replay: that is done here, one advice after the other, while it is read.
void AdvicePanel::askReplay()
{
    const auto isOpen = [](const Advice& one) { return one.replay && !one.prediction; };
    const auto next = std::find_if(m_advice.begin(), m_advice.end(), isOpen);
    if (!isVisible() || m_replay.isRunning() || next == m_advice.end() || m_asked == m_advice.size()) return;
    ++m_asked;
    m_replay.ask(state().results(), PredictionQuestion{*next->replay},
                 [this, id = next->id](const Watch<PredictionQuestion>::Answer& answer) {
                     if (answer.ok()) takeReplay(id, **answer);
                 });
}

void AdvicePanel::showEvent(QShowEvent* event)
{
    ExpertPanel::showEvent(event);
    askReplay();
}

void AdvicePanel::takeReplay(const QString& id, const Prediction& prediction)
{
    const auto one = std::find_if(m_advice.begin(), m_advice.end(), [&id](const Advice& a) { return a.id == id; });
    if (one == m_advice.end() || !m_shown) return;
    takePrediction(*one, prediction, state().store());
    rank(m_advice, m_shown->tree);
    showAdvice();
    askReplay();
}

void AdvicePanel::showAdvice()
{
    while (const QLayoutItem* item = m_rows->takeAt(0)) {
        if (QWidget* row = item->widget()) {
            row->hide();
            row->deleteLater();
        }
        delete item;
    }
    QStringList open;  // stays so when a replay arrives
    for (const AdviceCard* card : m_cards)
        if (card->isOpen()) open << card->advice().id;
    m_cards.clear();
    m_words.clear();
    m_scroll->setVisible(expert() != nullptr);
    Q_EMIT countChanged();
    if (!expert()) return;
    const TraceInfo& info = state().store().info();
    const AdviceFrame frame{
        .words = state().store().words(),
        .zero = state().fullRange().begin,
        .duration = info.duration(),
        .processors = info.processors,
        .canReplay = isSignalConnected(QMetaMethod::fromSignal(&AdvicePanel::replayRequested)),
        .canMeasure = isSignalConnected(QMetaMethod::fromSignal(&AdvicePanel::secondRequested)),
        .canTry = isSignalConnected(QMetaMethod::fromSignal(&AdvicePanel::tryRequested)),
        .measured = m_measured,
        .tried = m_tried,
    };
    addFailedChecks();
    if (const QString first = firstWords(m_shown->health.checks); !first.isEmpty()) addWords(first);
    if (const QString words = introduction(); !words.isEmpty()) addWords(words);
    const std::size_t worth = countWorthIt(m_advice);
    for (std::size_t i = 0; i < worth; ++i) addAdvice(m_advice[i], static_cast<int>(i) + 1, frame);
    for (AdviceCard* card : m_cards) card->setOpen(m_cards.size() == 1 || open.contains(card->advice().id));
    addNotWorthIt();
    addScheduling();
    addTreeLink();
    m_rows->addStretch();
}

// A card without words behind the last one.
QFrame* AdvicePanel::addCard(const QString& style)
{
    auto* card = new QFrame(m_scroll->widget());
    card->setObjectName(style);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(12, 9, 12, 10);
    layout->setSpacing(5);
    m_rows->addWidget(card);
    return card;
}

// A card with the checks that the trace fails, above all advice, since that rests on them.
void AdvicePanel::addFailedChecks()
{
    const QString failed = failedText(*m_shown);
    if (failed.isEmpty()) return;
    QFrame* const card = addCard(QStringLiteral("card"));
    auto* title = new LinkLabel(QStringLiteral("cardTitle"), card);
    title->setWords(failed);
    card->layout()->addWidget(title);
    QString said = failed;
    for (const Check& check : m_shown->health.checks) {
        if (check.level != CheckLevel::Failed || check.id == CheckId::ProcessorTime) continue;  // the title says it
        auto* line = new LinkLabel(QStringLiteral("muted"), card);
        line->setCaptioned(longpole::tr(specOf(check.id).title), unbroken(check.says));
        card->layout()->addWidget(line);
        said += QLatin1Char('\n') % line->plainText();
    }
    m_words += said;
}

void AdvicePanel::setMeasured(const QHash<QString, MeasuredAdvice>& measured)
{
    if (measured == m_measured) return;
    m_measured = measured;
    if (m_shown) showAdvice();
}

// In place: a card that is read while runs come in stays as it is.
void AdvicePanel::setTried(const QHash<QString, TriedAdvice>& tried)
{
    m_tried = tried;
    for (AdviceCard* card : m_cards)
        if (const auto one = m_tried.constFind(card->advice().id); one != m_tried.constEnd()) card->showTried(*one);
}

std::vector<Trial> AdvicePanel::trials() const
{
    std::vector<Trial> trials;
    for (const Advice& advice : m_advice) {
        const auto tried = m_tried.constFind(advice.id);
        if (tried == m_tried.constEnd() || tried->isRunning || !tried->error.isEmpty()
            || trialGain(tried->trial.runs).pairs == 0)
            continue;
        trials.push_back(tried->trial);
        trials.back().prediction = promiseOf(advice);
    }
    return trials;
}

// Those by which the advice's gain was predicted.
QByteArray AdvicePanel::prioritiesOf(const Advice& advice) const
{
    if (!expert() || advice.kind != QLatin1String("prioritize") || !advice.replay) return {};
    PriorityList list = priorityList(state().store(), expert()->scheduling, ListedEntries::OnThePath);
    std::map<EntryId, std::int32_t> wanted;
    for (const QueuePriorities::OfEntry& one : advice.replay->priorities.entries) wanted[one.entry] = one.priority;
    std::erase_if(list.rows, [&](const PriorityList::Row& row) { return !wanted.contains(row.entry); });
    for (PriorityList::Row& row : list.rows) row.priority = wanted[row.entry];
    return list.rows.empty() ? QByteArray() : toJson(list);
}

// A run that is dropped on the advice is the one made after it.
void AdvicePanel::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.first().isLocalFile()) event->acceptProposedAction();
}

void AdvicePanel::dropEvent(QDropEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty()) return;
    event->acceptProposedAction();
    Q_EMIT secondDropped(urls.first().toLocalFile());
}

QString AdvicePanel::lead() const { return expert() ? leadText(*expert(), state().store()) : QString(); }

bool AdvicePanel::isTraceInDoubt() const { return expert() && !failedText(*expert()).isEmpty(); }

void AdvicePanel::showFirst()
{
    if (m_cards.empty()) return;
    AdviceCard& card = *m_cards.front();
    card.setOpen(true);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);  // so that all have their places
    m_scroll->verticalScrollBar()->setValue(card.y());
    showPlace(state(), card.advice());
    Q_EMIT timelineRequested();
}

QString AdvicePanel::introduction() const
{
    if (m_advice.empty()) return tr("Nothing to advise. %1").arg(calmText(*expert(), state().store()));
    if (countWorthIt(m_advice) == 0) return nothingWorthItText();
    return orderText(m_advice);
}

void AdvicePanel::addWords(const QString& text)
{
    auto* label = new LinkLabel(QStringLiteral("muted"), m_scroll->widget());
    label->setWords(text);
    m_rows->addWidget(label);
    m_words += text;
}

void AdvicePanel::addAdvice(const Advice& advice, int rank, const AdviceFrame& frame)
{
    auto* card = new AdviceCard(advice, rank, frame, m_scroll->widget());
    connect(card, &AdviceCard::evidenceChosen, this, &AdvicePanel::goTo);
    connect(card, &AdviceCard::placeRequested, this, [this, card] {
        showPlace(state(), card->advice());
        Q_EMIT timelineRequested();
    });
    connect(card, &AdviceCard::sqlRequested, this, &ExpertPanel::sqlRequested);
    connect(card, &AdviceCard::exportRequested, this, [this] {
        const QString file = askFileToSave(this, tr("Export priorities"), QStringLiteral("priorities.json"),
                                           tr("JSON (*.json);;C header (*.h);;CSV (*.csv)"));
        if (!file.isEmpty()) exportPriorities(file);
    });
    connect(card, &AdviceCard::measureRequested, this, &AdvicePanel::secondRequested);
    connect(card, &AdviceCard::tryRequested, this, [this, card] { Q_EMIT tryRequested(card->advice()); });
    connect(card, &AdviceCard::cancelTryRequested, this, &AdvicePanel::cancelTryRequested);
    connect(card, &AdviceCard::replayRequested, this, [this, card] { Q_EMIT replayRequested(card->advice()); });
    m_rows->addWidget(card);
    m_cards.push_back(card);
}

// Adds the verdict about priorities, which is worth reading even where it advises nothing.
void AdvicePanel::addScheduling()
{
    const SchedulingAnalysis& scheduling = expert()->scheduling;
    const QString said = scheduling.notEvaluated.isEmpty()
                             ? scheduling.verdict
                             : tr("Priorities could not be judged. %1").arg(scheduling.notEvaluated);
    if (said.isEmpty() || state().store().info().hasRanks()) return;  // MPI has no priorities
    QFrame* const card = addCard(QStringLiteral("card"));
    auto* title = new LinkLabel(QStringLiteral("cardTitle"), card);
    title->setWords(tr("Priorities"));
    card->layout()->addWidget(title);
    auto* words = new LinkLabel(QStringLiteral("muted"), card);
    if (scheduling.entries.empty()) words->setWords(said);
    else
        words->setLink(state().store().words().say(tr("Entry methods on the path"), tr("Regions on the path")), {},
                       unbroken(firstSentence(said)) % QLatin1Char(' '));
    connect(words, &LinkLabel::followed, this, &AdvicePanel::prioritiesRequested);
    card->layout()->addWidget(words);
    m_words += said;
}

// Folds what a replay says saves too little into one card, a line each.
void AdvicePanel::addNotWorthIt()
{
    QStringList lines;
    for (const Advice& advice : m_advice)
        if (!isWorthIt(advice)) lines += notWorthItText(advice);
    if (lines.isEmpty()) return;
    QFrame* const card = addCard(QStringLiteral("dashedCard"));
    auto* title = new LinkLabel(QStringLiteral("cardTitle"), card);
    auto* rest = new QWidget(card);
    auto* rows = new QVBoxLayout(rest);
    rows->setContentsMargins(0, 0, 0, 0);
    for (const QString& line : lines) {
        auto* words = new LinkLabel(QStringLiteral("muted"), rest);
        words->setWords(unbroken(line));
        rows->addWidget(words);
    }
    rest->hide();
    title->setLink(tr("Measured, not worth it (%1)").arg(lines.size()), {});
    connect(title, &LinkLabel::followed, rest, [rest] { rest->setVisible(rest->isHidden()); });
    card->layout()->addWidget(title);
    card->layout()->addWidget(rest);
    m_words += tr("Measured, not worth it:");
    m_words += lines;
}

void AdvicePanel::addTreeLink()
{
    if (expert()->tree.nodes.empty()) return;
    auto* more = new LinkLabel(QStringLiteral("muted"), m_scroll->widget());
    more->setLink(tr("Decision tree"), tr(": what was asked, and what was found or not."));
    connect(more, &LinkLabel::followed, this, &AdvicePanel::treeRequested);
    m_rows->addWidget(more);
}

QString AdvicePanel::toText() const
{
    if (!expert()) return headline();
    QStringList parts{m_words.value(0)};
    for (const AdviceCard* card : m_cards) parts += card->toText();
    parts += m_words.mid(1);
    return parts.join(QLatin1Char('\n')) % QLatin1Char('\n');
}

TableContent adviceContent(const std::shared_ptr<const Expert>& expert, std::shared_ptr<const TraceStore> store)
{
    const Table<Advice> columns = adviceFile(*store);  // before the store is moved from
    return contentOf(columns, std::shared_ptr<const std::vector<Advice>>(expert, &expert->advice), std::move(store));
}

void AdvicePanel::write(const QByteArray& bytes, const QString& file)
{
    if (const Result<> written = writeNamedFile(file, bytes); !written) Q_EMIT exportFailed(written.error());
    else tell(*this, tr("The file is %1.").arg(file), file);
}

void AdvicePanel::exportPriorities(const QString& file)
{
    if (!expert()) return;
    const Result<QByteArray> bytes = priorityFile(priorityList(state().store(), expert()->scheduling,
                                                               ListedEntries::Advised),
                                                  file);
    if (bytes) write(*bytes, file);
    else Q_EMIT exportFailed(bytes.error());
}

void AdvicePanel::exportCsv()
{
    const QString path = askFileToSave(this, tr("Export the advice"), QStringLiteral("advice.csv"), tr("CSV (*.csv)"));
    if (path.isEmpty()) return;
    TableModel table;
    table.setContent(adviceContent(expert(), state().sharedStore()));
    write(safeCsv(table.toCsv()), path);
}

void AdvicePanel::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Copy all"), this, [this] { copyText(*this, toText(), tr("this page")); });
    menu.addAction(tr("Copy as JSON"), this, [this] {
        TableModel table;
        table.setContent(adviceContent(expert(), state().sharedStore()));
        copyText(*this, QString::fromUtf8(dump(table.toJson())), tr("all advice as JSON"));
    });
    menu.addAction(tr("Export CSV …"), this, &AdvicePanel::exportCsv);
    for (QAction* action : menu.actions()) action->setEnabled(expert() != nullptr);
    menu.exec(event->globalPos());
}

namespace panels {

// Of the right column, which makes it itself.
extern const PanelSpec advice;
const PanelSpec advice{
    .id = "page.advice",
    .title = QT_TRANSLATE_NOOP("Actions", "Advice"),
    .command = QT_TRANSLATE_NOOP("Actions", "&Advice"),
    .question = QT_TRANSLATE_NOOP("Actions", "What to change first?"),
    .tip = QT_TRANSLATE_NOOP("Actions", "What to change first, and what it would gain"),
    .help =
        {QT_TRANSLATE_NOOP(
             "Actions",
             "What to change first, as cards: first what a replay says it saves, then by time lost. A click opens a "
             "card: what to do, why, the effect, and places to look at. Where the advice is a priority, Replay draws "
             "the run as it would be with it. Try it asks for the command, says how often it will run, and runs the "
             "program with the change and without, in turn; the card then holds predicted and measured against each "
             "other. A run made elsewhere is dropped on the card."),
         QT_TRANSLATE_NOOP(
             "Actions",
             "What to change first, as cards, by time lost. A click opens a card: what to do, why, the effect, and "
             "places to look at. Try it asks for the command, says how often it will run, and runs the program with "
             "the change and without, in turn; the card then says what it gained. A run made elsewhere is dropped "
             "on the card.")},
    .alsoCalled = QT_TRANSLATE_NOOP("Actions", "expert, recommendations, what to do, diagnosis, problems, fix"),
    .group = PanelGroup::WhySlow,
    .needs = PanelNeeds::Answers,
    .create = [](PanelHost& host, QWidget* parent) -> QWidget* { return makeExpertPanel<AdvicePanel>(host, parent); },
};

}  // namespace panels

}  // namespace longpole
