// SPDX-License-Identifier: GPL-3.0-or-later
// Advice that is tried from its card: the sheet that asks how, the runs, and what they bring to the card and the
// report.
#include "app/common/runname.h"
#include "app/gui/frame/trialsheet.h"
#include "app/gui/session/session.h"
#include "app/gui/session/trials.h"
#include "app/gui/window/workspace.h"
#include "views/expert/advicepanel.h"

#include <QDir>
#include <QFileInfo>
#include <QUrl>

namespace longpole {

namespace {

// Of a program, wherever its runs lie.
QString trialKey(const TraceInfo& info)
{
    const QString program = info.program.isEmpty() ? recordedRunName(info.source) : QFileInfo(info.program).fileName();
    return QStringLiteral("trial-") + QString::fromLatin1(QUrl::toPercentEncoding(program));
}

// Where the run's logs lie, which a program that is traced writes over.
bool isFolderOfLogs(const QString& folder, const TraceInfo& info)
{
    return !info.hasRanks() && recordedRunLiesIn(info.source, folder);
}

}  // namespace

void Workspace::createTrials()
{
    m_trials = new Trials(this);
    connect(m_advice, &AdvicePanel::tryRequested, this, &Workspace::askTrial);
    connect(m_advice, &AdvicePanel::cancelTryRequested, m_trials, &Trials::cancel);
    connect(m_trials, &Trials::changed, this, [this] { m_advice->setTried(m_trials->all()); });
}

// The command is chosen once for a program, whatever run of it is open.
void Workspace::askTrial(const Advice& advice)
{
    if (m_trials->isRunning()) {
        Q_EMIT failed(Error{tr("A trial runs already."), {}, tr("Wait for its end, or cancel it on its card.")});
        return;
    }
    const TraceInfo& info = m_state.store().info();
    const std::string kept = m_settings.text(trialKey(info)).toStdString();
    TrialChoice choice = trialChoiceFrom(JsonValue::parse(kept, nullptr, false));
    if (QDir::isRelativePath(choice.folder) || !QFileInfo(choice.folder).isDir()) {
        choice.command.clear();  // in a stranger's folder it may be another program
        choice.versus.clear();
        choice.folder = QFileInfo(m_session.path()).absolutePath();
    }
    choice.copied |= isFolderOfLogs(choice.folder, info);
    if (!m_trialSheet) {
        m_trialSheet = new TrialSheet(window());
        connect(m_trialSheet, &TrialSheet::chosen, this, &Workspace::startTrial);
    }
    m_triedId = advice.id;
    m_triedPriorities = m_advice->prioritiesOf(advice);
    m_trialSheet->ask(advice.title, choice, !m_triedPriorities.isEmpty());
}

void Workspace::startTrial(const TrialChoice& choice)
{
    m_settings.setText(trialKey(m_state.store().info()), QString::fromUtf8(dump(toJson(choice), -1)));
    const QByteArray priorities = choice.withPriorities ? m_triedPriorities : QByteArray();
    const Result<> started = m_trials->start(m_triedId, m_session.path(), choice, priorities);
    if (!started) Q_EMIT failed(started.error());
}

std::vector<Trial> Workspace::trials() const { return m_advice ? m_advice->trials() : std::vector<Trial>{}; }

}  // namespace longpole
