// SPDX-License-Identifier: GPL-3.0-or-later
// Runs whose path is found while they run: the page that shows it, and the way from there to the recording.
#include "app/common/runname.h"
#include "app/gui/frame/banner.h"
#include "app/gui/frame/startpage.h"
#include "app/gui/live/livepage.h"
#include "app/gui/window/mainwindow.h"
#include "core/base/mayneverend.h"

#include <QDir>
#include <QStackedWidget>

namespace longpole {

void MainWindow::watch(const QString& run)
{
    if (!m_live) {
        m_live = new LivePage(m_pages);
        m_pages->addWidget(m_live);
        connect(m_live, &LivePage::openRequested, this, [this](const QString& folder) {
            forgetPending();
            m_session.open(folder);
        });
        connect(m_live, &LivePage::closeRequested, this, &MainWindow::leaveTrace);
        connect(m_live, &LivePage::failed, m_banner, &Banner::showError);
        connect(m_live, &LivePage::asked, m_banner, &Banner::showNote);
    }
    // A run without samples does not close the trace that is open.
    if (const auto samples = OnlineSamples::open(run); !samples) {
        m_banner->showError(samples.error());
        return;
    }
    m_session.cancelOpening();
    m_session.close();
    m_banner->clear();
    m_live->setKnownColours(m_settings.colours().remembered(PaletteKind::Calm));
    if (const Result<> watched = m_live->watch(run); !watched) {
        m_banner->showError(watched.error());
        return;
    }
    m_pages->setCurrentWidget(m_live);
    m_settings.addRecent(m_live->folder());
    m_start->setRecent(m_settings.recent());
    setWindowTitle(tr("%1 – Longpole").arg(runNameWithFolder(m_live->folder())));
    setWindowFilePath(m_live->folder());
}

// Shows the samples of the path that were taken while the open run was recorded.
void MainWindow::watchOpenRun()
{
    const QString samples = QDir(runFolder(m_session.path())).filePath(QStringLiteral("online.jsonl"));
    if (isFileHere(samples)) watch(samples);
    else m_banner->showNote(tr("This run was recorded without --online: it has no samples of its path."));
}

// Opens the run once more, which may have gone on since, and looks at it as before.
void MainWindow::refresh()
{
    if (!m_workspace || m_session.isOpening()) return;
    const ViewState& state = m_workspace->state();
    const bool isWhole = state.range() == state.wholeRange();
    forgetPending();
    m_pending = m_workspace->savedSession();
    m_pending->stamp.clear();  // it will have another one, and be the same run
    if (isWhole) m_pending->side.range.reset();
    m_session.open(m_session.path());
}

void MainWindow::offerRefresh()
{
    if (followedRun(runFolder(m_session.path())).state != RunState::Running) return;
    m_banner->showOffer(tr("The program still runs: this is what was complete when it was opened."), tr("Refresh"),
                        [this] { refresh(); });
}

}  // namespace longpole
