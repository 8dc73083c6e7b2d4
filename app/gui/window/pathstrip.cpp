// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/pathstrip.h"

#include "app/gui/session/session.h"
#include "core/trace/format.h"
#include "core/trace/storedanswers.h"
#include "views/state/pathsentence.h"
#include "views/state/viewstate.h"
#include "views/widgets/plaintext.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace longpole {

PathSheet::PathSheet(Session& session, QWidget* parent)
    : QFrame(parent, Qt::Popup),
      m_session(session), m_choices{Choice{PathMode::Work, EdgeLevel::Messages},
                                    Choice{PathMode::Work, EdgeLevel::Merges}, Choice{PathMode::Work, EdgeLevel::Order},
                                    Choice{PathMode::Elapsed, EdgeLevel::Order}}
{
    setObjectName(QStringLiteral("overlay"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 12, 12);
    layout->setSpacing(2);
    const Vocabulary words = session.view()->store().words();
    for (Choice& choice : m_choices) {
        // In an MPI program every dependency is one of order.
        if (words.ofRanks() && choice.mode == PathMode::Work && choice.edges != EdgeLevel::Order) continue;
        choice.sentence = new QPushButton(this);
        choice.sentence->setObjectName(QStringLiteral("pathChoice"));
        choice.sentence->setCheckable(true);
        choice.sentence->setToolTip(tr("Show this path in all views"));
        auto* meaning = new QLabel(pathMeaning(words, choice.mode, choice.edges), this);
        meaning->setObjectName(QStringLiteral("muted"));
        meaning->setContentsMargins(10, 0, 10, 6);
        layout->addWidget(choice.sentence);
        layout->addWidget(meaning);
        connect(choice.sentence, &QPushButton::clicked, this, [this, &choice] {
            close();
            m_session.setModel(choice.mode, choice.edges);
        });
    }
}

void PathSheet::ask(Choice& choice)
{
    PathQuestion question = m_session.question();
    choice.sentence->setChecked(question.mode == choice.mode
                                && (choice.mode == PathMode::Elapsed || question.edges == choice.edges));
    question.mode = choice.mode;
    question.edges = choice.edges;
    choice.sentence->setText(tr("%1: computing …").arg(pathName(choice.mode, choice.edges)));
    choice.asked.ask(m_session.view()->results(), {question, false}, [this, &choice](const auto& counted) {
        const Vocabulary words = m_session.view()->store().words();
        choice.sentence->setText(counted.ok()
                                     ? pathSentence(words, **counted)
                                     : tr("%1: %2").arg(pathName(choice.mode, choice.edges), counted.error().what));
        adjustSize();
    });
}

void PathSheet::openBelow(const QWidget& at)
{
    for (Choice& choice : m_choices)
        if (choice.sentence) ask(choice);
    adjustSize();
    move(at.mapToGlobal(QPoint(0, at.height())));
    show();
}

bool PathSheet::event(QEvent* event)
{
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (isKey && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        if (event->type() == QEvent::KeyPress) close();
        event->accept();
        return true;
    }
    return QFrame::event(event);
}

PathStrip::PathStrip(Session& session, QWidget* parent)
    : QFrame(parent), m_session(session), m_sentence(new QToolButton(this)), m_sheet(new PathSheet(session, this))
{
    setObjectName(QStringLiteral("viewHeader"));
    setAttribute(Qt::WA_StyledBackground);
    m_sentence->setObjectName(QStringLiteral("pathSentence"));
    m_sentence->setFocusPolicy(Qt::TabFocus);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 2, 8, 1);
    row->addWidget(m_sentence);
    row->addStretch(1);
    connect(m_sentence, &QToolButton::clicked, this, [this] { m_sheet->openBelow(*m_sentence); });
    connect(&session, &Session::workChanged, this, &PathStrip::showPath);
    showPath();
}

void PathStrip::showPath()
{
    if (!m_session.view()) return;
    const std::shared_ptr<const CountedPath> counted = m_session.countedPath();
    const PathQuestion& question = m_session.question();
    const Vocabulary words = m_session.view()->store().words();
    const TraceStore& store = m_session.view()->store();
    setVisible(store.hasEvents() || store.answers().isThere());
    if (counted && m_session.isComputingPath()) return;  // the path that is there answers the question before
    QString text = m_session.pathError() ? tr("No path: %1").arg(m_session.pathError()->what)
                                         : tr("Computing the path …");
    if (counted) text = pathSentence(words, *counted);
    // With the task's name, since another one may be selected by now.
    if (counted && question.to) text = tr("%1, to task %2").arg(text, longpole::toText(*question.to));
    else if (counted && !question.range.isEmpty()) text = tr("%1, of the marked range").arg(text);
    m_sentence->setText(text + QStringLiteral("  ▾"));
    m_sentence->setAccessibleName(text);
    m_sentence->setToolTip(
        inLines(tr("%1 What carries most of it is not what is wrong: Advice says what to change. A click shows what "
                   "the other paths say.")
                    .arg(pathMeaning(words, question.mode, question.edges))));
}

}  // namespace longpole
