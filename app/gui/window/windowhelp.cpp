// SPDX-License-Identifier: GPL-3.0-or-later
// The sheets in which the window explains its views, its keys and itself.
#include "app/gui/frame/documents.h"
#include "app/gui/frame/overlay.h"
#include "app/gui/frame/tracesheet.h"
#include "app/gui/frame/viewhelp.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"

#include <QApplication>
#include <QCursor>

namespace longpole {

void MainWindow::openKeyHelp()
{
    delete m_keys;  // of the last trace, whose words may be others
    m_keys = new KeyHelp(this, keyLines(m_workspace ? m_workspace->state().store().words() : Vocabulary()));
    m_keys->open();
}

void MainWindow::openViewHelp()
{
    const PanelSpec* panel = m_workspace ? m_workspace->panelOf(QApplication::widgetAt(QCursor::pos())) : nullptr;
    if (!panel && m_workspace) panel = m_workspace->panelOf(m_workspace->area().focused());
    if (panel) showHelp(*panel);
    else openKeyHelp();
}

void MainWindow::showHelp(const PanelSpec& panel)
{
    if (!m_help) m_help = new ViewHelp(this);
    const Vocabulary words = m_workspace ? m_workspace->state().store().words() : Vocabulary();
    m_help->show(panelText(words, panel.title), panelText(words, panel.tip), panelText(words, panel.help));
}

void MainWindow::openTraceSheet()
{
    if (!m_session.view()) return;
    if (!m_aboutTrace) m_aboutTrace = new TraceSheet(this);
    m_aboutTrace->openFor(*m_session.view()->results());
}

void MainWindow::openDocuments() { showDocument(QStringLiteral("docs/README.md")); }

void MainWindow::showDocument(const QString& page)
{
    if (!m_documents) m_documents = new Documents(this);
    m_documents->open(page);
}

void MainWindow::openAbout()
{
    if (!m_about) m_about = new AboutSheet(this);
    m_about->open();
}

}  // namespace longpole
