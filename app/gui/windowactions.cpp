// What the table of actions calls on the window: files, finding, ranges, bookmarks, sheets.
#include "app/gui/banner.h"
#include "app/gui/mainwindow.h"
#include "app/gui/overlay.h"
#include "app/gui/timelinemenu.h"
#include "app/gui/toolrow.h"
#include "app/reportexport.h"
#include "core/format.h"
#include "importers/importer.h"
#include "views/timelineview.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>

namespace longpole {

QString MainWindow::startFolder() const
{
    const QString path = m_session.path().isEmpty() ? m_settings.recent().value(0) : m_session.path();
    return path.isEmpty() ? QString() : QFileInfo(path).path();
}

void MainWindow::chooseFile()
{
    QString patterns = QStringLiteral("*.longpole");
    for (const Importer& importer : importers()) patterns += QLatin1Char(' ') % QLatin1String(importer.patterns);
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a trace"), startFolder(),
                                                      tr("Traces (%1);;All files (*)").arg(patterns));
    if (!path.isEmpty()) open(path);
}

void MainWindow::chooseFolder()
{
    const QString path = QFileDialog::getExistingDirectory(this, tr("Open the folder of a run"), startFolder());
    if (!path.isEmpty()) open(path);
}

void MainWindow::chooseReport()
{
    if (!m_workspace) return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export the report"), startFolder() % QStringLiteral("/report.html"),
        tr("Web page (*.html);;Markdown (*.md);;JSON (*.json);;PDF (*.pdf)"));
    if (!path.isEmpty()) exportReport(path);
}

void MainWindow::exportReport(const QString& path)
{
    if (!m_workspace) return;
    m_exportPath = path;
    m_exporting.start(
        [store = m_workspace->state().sharedStore(), path](const Progress& progress) -> Result<> {
            const Result<std::shared_ptr<const AnalysisResults>> results = analyse(*store, progress);
            if (!results.ok()) return results.error();
            return longpole::exportReport(*store, **results, path, progress);
        },
        [this, path](Result<> done) {
            showProgress();
            if (done.ok()) m_banner->showNote(tr("The report is in %1.").arg(path));
            else m_banner->showError(done.error());
        });
    m_poll.start();
}

void MainWindow::choosePicture()
{
    if (!m_workspace) return;
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export the picture"), startFolder() % QStringLiteral("/timeline.png"),
                                     tr("Picture (*.png);;Drawing (*.svg)"));
    if (!path.isEmpty()) exportPicture(path);
}

void MainWindow::exportPicture(const QString& path)
{
    if (!m_workspace) return;
    const bool svg = path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
    const Result<> saved = svg ? m_workspace->timeline().saveSvg(path) : m_workspace->timeline().saveImage(path);
    if (saved.ok()) m_banner->showNote(tr("The picture is in %1.").arg(path));
    else m_banner->showError(saved.error());
}

void MainWindow::copyPicture()
{
    if (m_workspace) QApplication::clipboard()->setPixmap(m_workspace->timeline().grab());
}

void MainWindow::orderRows(RowOrder order)
{
    if (m_workspace) m_workspace->timeline().setRowOrder(orderedProcessors(m_workspace->state(), order));
}

bool MainWindow::isGesture(Gesture gesture) const { return m_settings.flag(gestureName(gesture), false); }

void MainWindow::setGesture(Gesture gesture, bool on)
{
    m_settings.setFlag(gestureName(gesture), on);
    if (m_workspace) m_workspace->applyGestures();
}

void MainWindow::startFinding()
{
    m_tools->find().setFocus();
    m_tools->find().selectAll();
}

void MainWindow::showFilter(const QString& text)
{
    if (!m_workspace) return;
    ViewState& state = m_workspace->state();
    const QString error = state.setFilter(text);
    if (!error.isEmpty()) {
        m_tools->setFindError(error);
        return;
    }
    const std::optional<std::vector<bool>>& matching = state.matchingEntries();
    if (!matching) {
        m_tools->setHits({});
        return;
    }
    std::int64_t hits = 0;
    for (const ProfileRow& row : state.store().profile())
        if (index(row.entry) < matching->size() && (*matching)[index(row.entry)]) hits += row.count;
    m_tools->setHits(hits == 0 ? tr("no hits") : hits == 1 ? tr("1 hit") : tr("%1 hits").arg(formatCount(hits)));
}

void MainWindow::findHit(bool forward)
{
    if (!m_workspace) return;
    ViewState& state = m_workspace->state();
    const std::shared_ptr<const ActivityGraph> graph = state.graph();
    const std::optional<std::vector<bool>>& matching = state.matchingEntries();
    if (!graph || !matching || graph->size() == 0) return;
    const auto hit = [&](std::size_t task) {
        return graph->entry[task] < matching->size() && (*matching)[graph->entry[task]];
    };
    const std::size_t count = graph->size();
    const std::uint32_t selected =
        state.selection().task.isValid() ? graph->find(state.selection().task) : noTask;
    // Tasks are in order of begin: go on from the selection, or from the left edge; round the end at most once.
    std::size_t at = 0;
    if (selected != noTask) {
        at = forward ? selected + std::size_t{1} : selected + count - 1;
    } else {
        at = static_cast<std::size_t>(
            std::lower_bound(graph->begin.begin(), graph->begin.end(), state.range().begin) - graph->begin.begin());
        if (!forward) at += count - 1;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t task = (forward ? at + i : at + count - i) % count;
        if (!hit(task)) continue;
        state.reveal(Selection{.task = graph->id(static_cast<std::uint32_t>(task)), .message = {}});
        return;
    }
}

// Esc: closes what is open first, and only then lets go of the selection.
void MainWindow::clearSelection()
{
    for (Overlay* sheet : std::initializer_list<Overlay*>{m_palette, m_keys, m_about})
        if (sheet && sheet->isVisible()) {
            sheet->close();
            return;
        }
    if (!m_workspace) return;
    if (m_tools->find().hasFocus()) {
        m_tools->find().clear();
        m_workspace->timeline().setFocus();
        return;
    }
    m_workspace->state().setMarked({});
    m_workspace->state().select({});
    m_session.setTarget({});
}

void MainWindow::goBack()
{
    if (m_workspace) m_workspace->state().undo();
}

void MainWindow::goForward()
{
    if (m_workspace) m_workspace->state().redo();
}

void MainWindow::showWholeRun()
{
    if (m_workspace) m_workspace->state().setRange(m_workspace->state().fullRange());
}

void MainWindow::showPathToSelection()
{
    if (m_workspace && m_workspace->state().selection().task.isValid())
        m_session.setTarget(m_workspace->state().selection().task);
}

void MainWindow::showTab(Tab tab)
{
    if (m_workspace) m_workspace->showTab(tab);
}

void MainWindow::setBookmarkHere(int number)
{
    if (m_workspace) m_workspace->setBookmarkHere(number);
}

void MainWindow::goToBookmark(int number)
{
    if (m_workspace) m_workspace->goToBookmark(number);
}

void MainWindow::openPalette()
{
    if (!m_palette) m_palette = new CommandPalette(this, m_actions->all());
    m_palette->open();
}

void MainWindow::openKeyHelp()
{
    if (!m_keys) m_keys = new KeyHelp(this, keyLines());
    m_keys->open();
}

void MainWindow::openAbout()
{
    if (!m_about) m_about = new AboutSheet(this);
    m_about->open();
}

}  // namespace longpole
