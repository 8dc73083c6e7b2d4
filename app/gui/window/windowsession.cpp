// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions in files: File > Save session, opening one, and looking at the open run as one did; links to traces.
#include "app/common/runname.h"
#include "app/common/tracelink.h"
#include "app/gui/frame/banner.h"
#include "app/gui/window/mainwindow.h"
#include "core/base/mayneverend.h"
#include "core/trace/format.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/mayreplace.h"

#include <QDir>
#include <QFileInfo>

#include <utility>

namespace longpole {

namespace {

QString sessionPattern() { return QLatin1Char('*') % QLatin1String(sessionEnding); }

QString withSessionEnding(const QString& path)
{
    return isSessionFile(path) ? path : path % QLatin1String(sessionEnding);
}

}  // namespace

void MainWindow::chooseSaveSession()
{
    if (!m_workspace) return;
    const QString proposed = exportFolder() % QLatin1Char('/') % runName(m_session.path())
                             % QLatin1String(sessionEnding);
    const QString path = askFileToSave(this, tr("Save session"), proposed, tr("Sessions (%1)").arg(sessionPattern()));
    if (!path.isEmpty()) saveSession(path);
}

void MainWindow::saveSession(const QString& path)
{
    if (!m_workspace) return;
    const QString target = withSessionEnding(path);
    if (target != path && !mayReplace(*this, {target})) return;
    const Result<> saved = longpole::saveSession(target, m_workspace->savedSession());
    if (!saved.ok()) {
        m_banner->showError(saved.error());
        return;
    }
    sayWritten(tr("The session is in %1.").arg(target), target);
}

void MainWindow::openSession(const QString& path)
{
    Result<SavedSession> session = loadSession(path);
    if (!session.ok()) {
        m_banner->showError(session.error());
        return;
    }
    if (!QFileInfo::exists(session->trace)) {
        m_banner->showError(
            {.what = tr("The run of this session is not there."),
             .where = session->trace,
             .hint = tr("Open the run where it is now, then choose File > Use session … for this file.")});
        return;
    }
    const QString trace = session->trace;
    m_pending = std::move(*session);
    m_session.open(trace);
}

void MainWindow::openLink(const QString& text)
{
    const std::optional<TraceLink> link = traceLinkFrom(text);
    if (!link) {
        m_banner->showError({.what = tr("This is no link to a trace."),
                             .where = text,
                             .hint = tr("A link has the path of a file: longpole:/runs/wave2d.sts")});
        return;
    }
    // A link to a file of another machine is followed only if that file is open already.
    if (!mayFollow(link->path, m_workspace ? QFileInfo(m_session.path()).absoluteFilePath() : QString())) {
        m_banner->showError({.what = tr("This link leads to another machine, or to files of the system."),
                             .where = link->path,
                             .hint = tr("Open the run first, then the link.")});
        return;
    }
    m_pendingRange = link->range;
    m_pendingTask = link->task;
    if (m_workspace && QFileInfo(link->path) == QFileInfo(m_session.path())) applyPending();
    else m_session.open(link->path);
}

void MainWindow::chooseUseSession()
{
    if (!m_workspace) return;
    const QString path = askFileToOpen(this, tr("Use a session for this run"), exportFolder(),
                                       tr("Sessions (%1);;All files (*)").arg(sessionPattern()));
    if (!path.isEmpty()) useSession(path);
}

void MainWindow::useSession(const QString& path)
{
    if (!m_workspace) return;
    const Result<SavedSession> session = loadSession(path);
    if (!session.ok()) {
        m_banner->showError(session.error());
        return;
    }
    if (!session->views.isEmpty()) m_workspace->saveLayoutBeforeSession();
    apply(*session);
}

void MainWindow::apply(const SavedSession& session)
{
    const bool isOther = !session.stamp.isEmpty() && session.stamp != m_workspace->state().store().stamp();
    const int dropped = m_workspace->apply(session);
    showStatus();
    showRange();
    refreshActions();
    QStringList said;
    if (isOther) said << tr("The session was saved for another run: what fits this one was taken.");
    if (dropped > 0) said << tr("Bookmarks outside the run that were left out: %1.").arg(formatCount(dropped));
    if (!said.isEmpty()) m_banner->showNote(said.join(QLatin1Char(' ')));
}

// When a run failed to open, or was given up: what was to be shown in it must not be applied to the next one.
void MainWindow::forgetPending()
{
    m_pending.reset();
    m_pendingRange = {};
    m_pendingTask = {};
}

void MainWindow::applyPending()
{
    if (const std::optional<SavedSession> session = std::exchange(m_pending, {})) apply(*session);
    const TimeRange range = std::exchange(m_pendingRange, {});
    const TimeNs begin = m_workspace->state().store().info().begin;
    if (!range.isEmpty())
        m_workspace->state().setRange({saturatingAdd(range.begin, begin), saturatingAdd(range.end, begin)});
    if (const TaskId task = std::exchange(m_pendingTask, {}); task.isValid()) revealLinked(task, range.isEmpty());
}

// A link may have been written for another import of the run, or for all of a run of which parts were kept.
void MainWindow::revealLinked(TaskId task, bool zoom)
{
    ViewState& state = m_workspace->state();
    connect(
        &state, &ViewState::revealed, m_workspace,
        [this, &state, task] {
            if (state.selection().task != task || state.revealedPlace()) return;
            m_banner->showNote(state.store().info().isPart()
                                   ? tr("Task %1 is in no part of the run that this file keeps.").arg(toText(task))
                                   : tr("This run has no task %1.").arg(toText(task)));
        },
        Qt::SingleShotConnection);
    state.reveal({.task = task}, zoom);
}

// Where the user last put a file, else the folder for documents: never that of the trace by itself.
QString MainWindow::exportFolder() const
{
    const QString last = m_settings.text(QStringLiteral("exportFolder"));
    return !last.isEmpty() && QFileInfo(last).isDir() ? last : QDir::homePath();
}

void MainWindow::rememberExportFolder(const QString& file)
{
    m_settings.setText(QStringLiteral("exportFolder"), QFileInfo(file).absolutePath());
}

}  // namespace longpole
