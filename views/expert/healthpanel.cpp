// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/healthpanel.h"

#include "analysis/base/naming.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/report/experttables.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/graphs/experttext.h"
#include "views/expert/keptparts.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/notice.h"
#include "views/widgets/scrolling.h"
#include "views/widgets/sharebar.h"
#include "views/widgets/spoken.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QFrame>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdint>
#include <span>

namespace longpole {

namespace {

// A figure and its unit stay on one line.
QString keptTogether(QString text) { return text.replace(QLatin1Char(' '), QChar(QChar::Nbsp)); }

// Of a text that is longer than any of ours its begin: laying out a stranger's takes the window's thread.
QLabel* wrapped(const QString& text, const QString& objectName, QWidget* parent)
{
    constexpr qsizetype most = 600;
    auto* label = new QLabel(unbroken(text.size() > most ? text.left(most) + QChar(0x2026) : text), parent);
    label->setObjectName(objectName);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

std::vector<HealthIssue> issuesOf(const TraceStore& store)
{
    std::vector<HealthIssue> issues;
    for (const Issue& issue : store.issues()) issues.push_back({issue, sentenceFor(store.words(), issue)});
    return issues;
}

// What the verdict says beside the lines of the checks, which stand below it.
QString verdictBesideChecks(const Health& health)
{
    QString verdict = health.verdict;
    for (const Check& check : health.checks) verdict.remove(check.says % QLatin1Char(' ')).remove(check.says);
    return verdict.trimmed();
}

}  // namespace

// What was checked before anything is said of the run, a line each.
HealthNote checkNote(const std::vector<Check>& checks)
{
    HealthNote note{HealthPanel::tr("Can this run be judged?"), {}, {}};
    for (const Check& check : checks)
        note.lines.emplace_back(title(check.level),
                                HealthPanel::tr("%1: %2").arg(longpole::tr(specOf(check.id).title), check.says));
    return note;
}

std::vector<HealthNote> healthFigures(Vocabulary words, const Health& health)
{
    const auto tr = [](const char* text) { return HealthPanel::tr(text); };
    const auto counted = [&](const QString& title, std::int64_t part, std::int64_t whole, const QString& what) {
        return HealthNote{title % QStringLiteral(" ") % keptTogether(formatShare(ratio(double(part), double(whole)))),
                          tr("%1 of %2 %3").arg(formatCount(part), formatCount(whole), what),
                          ratio(double(part), double(whole))};
    };
    std::vector<HealthNote> notes;
    if (!health.checks.empty()) notes.push_back(checkNote(health.checks));
    if (health.receiveTimesEstimated > 0)
        notes.push_back(
            counted(tr("Arrival times estimated"), health.receiveTimesEstimated, health.receiveTimes,
                    words.say(tr("tasks have no recorded arrival of their message. Waits in queues and on the "
                                 "network rest on the least latency seen for each pair of PEs."),
                              tr("tasks have no recorded arrival of their message. Waits in queues and on the network "
                                 "rest on the least latency seen for each pair of ranks."))));
    if (health.executionsUnmatched > 0)
        notes.push_back(counted(tr("Tasks without a known message"), health.executionsUnmatched, health.executions,
                                tr("tasks start a path of their own.")));
    if (health.messages > health.messagesMatched)
        notes.push_back(counted(tr("Messages never executed"), health.messages - health.messagesMatched,
                                health.messages, tr("creations have no task in the trace.")));
    if (health.doubtfulPathShare > 0)
        notes.push_back(
            {tr("Work path on repaired messages %1").arg(keptTogether(formatShare(health.doubtfulPathShare))),
             tr("of its length lies behind repaired or clamped edges."), health.doubtfulPathShare});
    if (health.estimatedPathShare > 0)
        notes.push_back({tr("Elapsed path on estimates %1").arg(keptTogether(formatShare(health.estimatedPathShare))),
                         tr("of its length: what held a task up there follows from estimated arrivals or repaired "
                            "messages. The length itself does not."),
                         health.estimatedPathShare});
    if (!health.missingLogs.empty())
        notes.push_back({words.say(tr("PEs without a log"), tr("Ranks without a log")),
                         formatProcessors(health.missingLogs),
                         {}});
    if (health.flush > 0)
        notes.push_back({tr("Writing the trace took %1").arg(formatTime(health.flush)),
                         words.say(tr("summed over PEs; shown as flush, never counted as work."),
                                   tr("summed over ranks; shown as flush, never counted as work.")),
                         {}});
    if (health.untraced > 0)
        notes.push_back({tr("Tracing was off for %1").arg(formatTime(health.untraced)),
                         words.say(tr("summed over PEs; shown as such, never counted as work."),
                                   tr("summed over ranks; shown as such, never counted as work.")),
                         {}});
    return notes;
}

std::vector<HealthNote> healthIssues(const std::vector<HealthIssue>& issues)
{
    std::vector<HealthNote> notes;
    for (const HealthIssue& issue : issues) {
        QString text = HealthPanel::tr("%1 ×").arg(formatCount(issue.issue.count));
        if (!issue.issue.place.isEmpty()) text += HealthPanel::tr(" · first: %1").arg(issue.issue.place);
        notes.push_back({issue.sentence, text, {}});
    }
    return notes;
}

HealthPanel::HealthPanel(ViewState& state, QWidget* parent) : QScrollArea(parent), m_state(state)
{
    speakAs(*this, QAccessible::Pane);
    setAccessibleName(tr("Health"));
    scrollDownOnly(*this);
    auto* page = new QWidget;
    m_cards = new QVBoxLayout(page);
    m_cards->setContentsMargins(12, 4, 12, 12);
    m_cards->setSpacing(9);
    setWidget(page);
    const std::vector<HealthIssue> issues = issuesOf(state.store());
    m_notes = static_cast<int>(issues.size());
    show(tr("Counting what the figures rest on …"), {}, healthIssues(issues));
    connect(&m_state, &ViewState::graphChanged, this, &HealthPanel::judge);
    judge();
}

QString HealthPanel::countText() const
{
    return m_notes == 0 ? QString() : longpole::counted("%1 notes", "%1 note", m_notes);
}

void HealthPanel::judge()
{
    if (!m_state.graph() && m_state.store().hasEvents()) return;  // not loaded yet; a summary never has a graph
    m_judging.ask(m_state.results(), HealthQuestion{}, [this](const Watch<HealthQuestion>::Answer& health) {
        if (!health.ok()) {  // of parts of the events nothing can be judged
            const TraceStore& store = m_state.store();
            if (store.info().isPart())
                show(keptVerdict(store.words()), keptNotes(store), healthIssues(issuesOf(store)));
            return;
        }
        m_health = *health;
        m_notes = static_cast<int>(m_health->issues.size());
        show(verdictBesideChecks(*m_health), healthFigures(m_state.store().words(), *m_health),
             healthIssues(m_health->issues));
        Q_EMIT countChanged();
    });
}

void HealthPanel::show(const QString& verdict, const std::vector<HealthNote>& figures,
                       const std::vector<HealthNote>& issues)
{
    while (const QLayoutItem* item = m_cards->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_verdict = verdict;
    m_shown.clear();
    if (!verdict.isEmpty()) m_cards->addWidget(wrapped(verdict, QStringLiteral("muted"), widget()));
    constexpr std::size_t most = 100;  // notes of a sound trace are some dozens
    for (const HealthNote& note : figures) addCard(note);
    for (const HealthNote& note : std::span(issues).first(std::min(most, issues.size()))) addCard(note);
    if (issues.size() > most)
        addCard({tr("%1 more").arg(formatCount(static_cast<std::int64_t>(issues.size() - most))),
                 tr("The command longpole info lists them."),
                 {}});
    m_cards->addStretch();
}

void HealthPanel::addCard(const HealthNote& note)
{
    m_shown.push_back(note);
    auto* card = new QFrame(widget());
    card->setObjectName(QStringLiteral("card"));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(12, 9, 12, 10);
    layout->setSpacing(5);
    layout->addWidget(wrapped(note.title, QStringLiteral("cardTitle"), card));
    if (!note.text.isEmpty()) layout->addWidget(wrapped(note.text, QStringLiteral("muted"), card));
    for (const auto& [caption, text] : note.lines) {
        auto* line = new LinkLabel(QStringLiteral("muted"), card);
        line->setCaptioned(caption, unbroken(text));
        layout->addWidget(line);
    }
    if (note.share) layout->addWidget(new ShareBar(*note.share, ShareBar::Role::Figure, card));
    m_cards->addWidget(card);
}

QString HealthPanel::toText() const
{
    QString text = m_verdict % QLatin1Char('\n');
    for (const HealthNote& note : m_shown) {
        text += note.title % (note.text.isEmpty() ? QString() : QStringLiteral(": ") % note.text) % QLatin1Char('\n');
        for (const auto& [caption, line] : note.lines)
            text += QStringLiteral("  ") % caption % QLatin1Char(' ') % line % QLatin1Char('\n');
    }
    return text;
}

void HealthPanel::copyJson()
{
    JsonValue json{{"verdict", m_health->verdict}};
    json.update(healthJson(m_state.store(), *m_health));
    copyText(*this, QString::fromUtf8(dump(json)), tr("this page as JSON"));
}

void HealthPanel::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Copy all"), this, [this] { copyText(*this, toText(), tr("this page")); });
    menu.addAction(tr("Copy as JSON"), this, &HealthPanel::copyJson)->setEnabled(m_health != nullptr);
    menu.exec(event->globalPos());
}

}  // namespace longpole
