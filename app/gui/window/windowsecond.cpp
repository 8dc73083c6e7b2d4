// SPDX-License-Identifier: GPL-3.0-or-later
// What the table of actions calls on the window about a second run.
#include "app/gui/frame/banner.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/window/mainwindow.h"
#include "importers/common/importer.h"
#include "views/widgets/filedialog.h"

namespace longpole {

void MainWindow::chooseSecond()
{
    if (!m_workspace) return;
    QString patterns = QStringLiteral("*.longpole");
    for (const Importer* importer : importers()) patterns += QLatin1Char(' ') % QLatin1String(importer->patterns);
    const QString path = askFileToOpen(this, tr("Compare with another run"), startFolder(),
                                       tr("Traces (%1);;All files (*)").arg(patterns));
    if (!path.isEmpty()) compareWith(path);
}

void MainWindow::compareWith(const QString& path)
{
    if (m_workspace) m_workspace->second().open(path);
}

void MainWindow::replay(ReplayChange change)
{
    if (m_workspace) m_workspace->second().replay(change);
}

void MainWindow::closeSecond()
{
    if (m_workspace) m_workspace->second().close();
}

bool MainWindow::hasSecond() const { return m_workspace && m_workspace->second().view(); }
bool MainWindow::isSecondLocked() const { return m_workspace && m_workspace->second().isLocked(); }

void MainWindow::toggleSecondLock()
{
    if (hasSecond()) m_workspace->second().setLocked(!isSecondLocked());
    else m_banner->showNote(tr("Open a second run with File > Compare with … first."));
}

bool MainWindow::isSecondByPhase() const
{
    return hasSecond() && m_workspace->second().alignment() == TimeAlignment::Phase
           && m_workspace->second().canAlignByPhase();
}

void MainWindow::toggleSecondByPhase()
{
    if (!hasSecond()) m_banner->showNote(tr("Open a second run with File > Compare with … first."));
    else if (!m_workspace->second().canAlignByPhase())
        m_banner->showNote(tr("There are no iterations that both runs have."));
    else m_workspace->second().setAlignment(isSecondByPhase() ? TimeAlignment::Time : TimeAlignment::Phase);
}

}  // namespace longpole
