// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/advicepanel.h"

#include "analysis/report/advicetables.h"
#include "analysis/scheduling/prioritylist.h"
#include "core/trace/format.h"
#include "views/drawing/graphs/experttext.h"
#include "views/state/evidenceplace.h"
#include "views/state/viewstate.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/tableview.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QMenu>
#include <QMetaMethod>
#include <QSaveFile>
#include <QScrollArea>
#include <QVBoxLayout>

namespace longpole {

namespace {

// The tree's first node asks whether the run did badly at all; null if nothing was asked.
const TreeNode* root(const DecisionTree& tree) { return tree.nodes.empty() ? nullptr : &tree.nodes.front(); }

}  // namespace

AdvicePanel::AdvicePanel(ViewState& state, QWidget* parent) : ExpertPanel(state, parent)
{
    setWrapped(true);
    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    auto* page = new QWidget;
    m_rows = new QVBoxLayout(page);
    m_rows->setContentsMargins(12, 4, 12, 12);
    m_rows->setSpacing(9);
    m_scroll->setWidget(page);
    body().addWidget(m_scroll);
    outdate();
}

QString AdvicePanel::countText() const
{
    return expert() && !expert()->advice.empty() ? QString::number(expert()->advice.size()) : QString();
}

void AdvicePanel::showExpert()
{
    while (const QLayoutItem* item = m_rows->takeAt(0)) {
        if (QWidget* row = item->widget()) {
            row->hide();
            row->deleteLater();
        }
        delete item;
    }
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
    };
    addWords(introduction());
    int rank = 0;
    for (const Advice& advice : expert()->advice) addAdvice(advice, ++rank, frame);
    if (m_cards.size() == 1) m_cards.front()->setOpen(true);
    addScheduling();
    addTree();
    m_rows->addStretch();
}

QString AdvicePanel::introduction() const
{
    if (expert()->advice.empty()) return tr("Nothing to advise. %1").arg(reason());
    const bool isAny = std::any_of(expert()->advice.begin(), expert()->advice.end(), isReplayed);
    return isAny ? tr("First what a replay says it saves, then the rest by time lost times confidence.")
                 : tr("By time lost times confidence.");
}

// Why there is no advice: what the tree's root says if it did not fire.
QString AdvicePanel::reason() const
{
    const TreeNode* first = root(expert()->tree);
    if (first && first->verdict != Verdict::Fired && !first->why.isEmpty()) return first->why;
    return tr("No cause explains enough of what is lost.");
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
        const QString file = QFileDialog::getSaveFileName(this, tr("Export priorities"),
                                                          QStringLiteral("priorities.json"),
                                                          tr("JSON (*.json);;C header (*.h);;CSV (*.csv)"));
        if (!file.isEmpty()) exportPriorities(file);
    });
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
    auto* card = new QFrame(m_scroll->widget());
    card->setObjectName(QStringLiteral("card"));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(12, 9, 12, 10);
    layout->setSpacing(5);
    auto* title = new LinkLabel(QStringLiteral("cardTitle"), card);
    title->setWords(tr("Priorities"));
    layout->addWidget(title);
    auto* words = new LinkLabel(QStringLiteral("muted"), card);
    if (scheduling.entries.empty()) words->setWords(said);
    else
        words->setLink(state().store().words().say(tr("Entry methods on the path"), tr("Regions on the path")), {},
                       unbroken(firstSentence(said)) % QLatin1Char(' '));
    connect(words, &LinkLabel::followed, this, &AdvicePanel::prioritiesRequested);
    layout->addWidget(words);
    m_rows->addWidget(card);
    m_words += said;
}

// What could not be judged is no advice: the tree has it.
void AdvicePanel::addTree()
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
    return contentOf(adviceList(*store), std::shared_ptr<const std::vector<Advice>>(expert, &expert->advice),
                     std::move(store));
}

void AdvicePanel::write(const QByteArray& bytes, const QString& file)
{
    QSaveFile out(file);
    if (out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size() && out.commit()) return;
    Q_EMIT exportFailed(Error{tr("The file cannot be written: %1.").arg(out.errorString()), file,
                              tr("Choose another folder or free some space.")});
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
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the advice"), QStringLiteral("advice.csv"),
                                                      tr("CSV (*.csv)"));
    if (path.isEmpty()) return;
    TableModel table;
    table.setContent(adviceContent(expert(), state().sharedStore()));
    write(table.toCsv(), path);
}

void AdvicePanel::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Copy all"), this, [this] { QApplication::clipboard()->setText(toText()); });
    menu.addAction(tr("Copy as JSON"), this, [this] {
        TableModel table;
        table.setContent(adviceContent(expert(), state().sharedStore()));
        QApplication::clipboard()->setText(QString::fromUtf8(dump(table.toJson())));
    });
    menu.addAction(tr("Export CSV …"), this, &AdvicePanel::exportCsv);
    for (QAction* action : menu.actions()) action->setEnabled(expert() != nullptr);
    menu.exec(event->globalPos());
}

}  // namespace longpole
