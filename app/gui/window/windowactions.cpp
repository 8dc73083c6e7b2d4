// SPDX-License-Identifier: GPL-3.0-or-later
// What the table of actions calls on the window: files, finding, ranges, sheets.
#include "analysis/base/naming.h"
#include "analysis/phases/foldedtrace.h"
#include "app/common/runname.h"
#include "app/common/userfolders.h"
#include "app/gui/frame/banner.h"
#include "app/gui/frame/overlay.h"
#include "app/gui/frame/processorsheet.h"
#include "app/gui/frame/reportsheet.h"
#include "app/gui/frame/tour.h"
#include "app/gui/frame/tracesheet.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/timelinemenu.h"
#include "app/gui/window/toolrow.h"
#include "core/trace/format.h"
#include "importers/common/importer.h"
#include "views/plots/hithistogram.h"
#include "views/timeline/gestures.h"
#include "views/timeline/taskcard.h"
#include "views/timeline/view.h"
#include "views/widgets/filedialog.h"

#include <QApplication>
#include <QClipboard>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>

#include <utility>

namespace longpole {

namespace {

// The file in the cache for iterations of a trace that were folded: the same one for the same ranges. Its name is the
// title of the window that opens it.
QString foldedFile(const QString& name, const TraceStore& store, const std::vector<TimeRange>& ranges)
{
    QCryptographicHash hash(QCryptographicHash::Sha1);
    hash.addData(store.stamp().toUtf8());
    for (const TimeRange& range : ranges)
        for (const TimeNs time : {range.begin, range.end})
            hash.addData(QByteArray(QByteArray::number(qlonglong(time)) + ' '));
    return cacheFolder()
           % QStringLiteral("/%1-%2-iterations-%3.longpole")
                 .arg(name, QString::number(ranges.size()), QString::fromLatin1(hash.result().toHex().left(6)));
}

}  // namespace

QString MainWindow::startFolder() const
{
    const QString path = m_session.path().isEmpty() ? m_settings.recent().value(0) : m_session.path();
    return path.isEmpty() ? QString() : QFileInfo(path).path();
}

void MainWindow::chooseFile()
{
    QString patterns = QStringLiteral("*.longpole *") % QLatin1String(sessionEnding);
    for (const Importer* importer : importers()) patterns += QLatin1Char(' ') % QLatin1String(importer->patterns);
    const QString path = askFileToOpen(this, tr("Open a trace"), startFolder(),
                                       tr("Traces and sessions (%1);;All files (*)").arg(patterns));
    if (!path.isEmpty()) open(path);
}

void MainWindow::chooseFolder()
{
    const QString path = askFolder(this, tr("Open the folder of a run"), startFolder());
    if (!path.isEmpty()) open(path);
}

void MainWindow::choosePicture()
{
    if (!m_workspace) return;
    const QString path = askFileToSave(this, tr("Export the picture"),
                                       exportFolder() % QLatin1Char('/') % runName(m_session.path())
                                           % QStringLiteral("-timeline.png"),
                                       tr("Picture (*.png);;Drawing (*.svg)"));
    if (!path.isEmpty()) exportPicture(path);
}

void MainWindow::exportPicture(const QString& path)
{
    if (!m_workspace) return;
    m_workspace->showTab(QLatin1String(panels::timelines));  // behind another view it has no size
    m_workspace->timeline().setPictureTitle(pictureTitle());
    const bool svg = path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
    const Result<> saved = svg ? m_workspace->timeline().saveSvg(path) : m_workspace->timeline().saveImage(path);
    if (saved.ok()) sayWritten(tr("The picture is in %1.").arg(path), path);
    else m_banner->showError(saved.error());
}

// The run and what of it shows.
QString MainWindow::pictureTitle() const { return tr("%1  ·  %2").arg(m_summary->text(), m_rangeStatus->text()); }

void MainWindow::copyPicture()
{
    if (!m_workspace) return;
    m_workspace->showTab(QLatin1String(panels::timelines));
    m_workspace->timeline().setPictureTitle(pictureTitle());
    QApplication::clipboard()->setImage(m_workspace->timeline().picture());
    m_banner->showNote(tr("Copied: the picture of the timeline."));
}

void MainWindow::orderRows(TimelineOrder order)
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
    dropHits();
    const std::optional<std::vector<bool>>& matching = state.matchingEntries();
    if (matching) search(*matching);
    else m_tools->setHits({});
}

void MainWindow::dropHits()
{
    m_searching.cancel();
    m_wantedHit.reset();
    m_hits = std::make_shared<const FindHits>();
    m_tools->histogram().setCounts({});
    m_tools->histogram().setPlace({});
}

void MainWindow::search(const std::vector<bool>& matching)
{
    constexpr std::int64_t fewTasks = 100'000;  // these take a millisecond or two
    const std::shared_ptr<Results>& results = m_workspace->state().results();
    const FindQuestion question{matching, HitHistogram::bins};
    if (results->store().info().tasks <= fewTasks) return acceptHits(results->ask(question, Progress{}));
    m_tools->setHits(tr("searching …"));
    m_searching.ask(results, question, [this](const Watch<FindQuestion>::Answer& hits) { acceptHits(hits); });
}

void MainWindow::acceptHits(const Watch<FindQuestion>::Answer& hits)
{
    if (!hits) {
        m_tools->setFindError(hits.error().what);
        m_banner->showError(hits.error());
        return;
    }
    m_hits = *hits;
    m_tools->histogram().setCounts(m_hits->histogram);
    showHits();
    if (const std::optional<bool> forward = std::exchange(m_wantedHit, std::nullopt)) findHit(*forward);
}

// "214 hits", or "3 of 214 hits" if one of them is selected.
void MainWindow::showHits()
{
    if (!m_workspace || !m_workspace->state().matchingEntries()) return;
    const ViewState& state = m_workspace->state();
    const TaskId selected = state.selection().task;
    const std::int64_t count = m_hits->count;
    QString text = count == 0 ? tr("no hits") : counted("%1 hits", "%1 hit", count);
    m_tools->histogram().setPlace({});
    const Result<TaskDetail> task = selected.isValid() ? state.store().task(selected) : Result<TaskDetail>(Error{});
    if (task.ok() && !m_hits->hits.empty()) {
        const FindHit from{task->range.begin, selected};
        const std::size_t before = nextHit(m_hits->hits, from, true);
        const std::size_t at = (before + m_hits->hits.size() - 1) % m_hits->hits.size();
        if (m_hits->hits[at] == from) {
            const TimeRange run = state.fullRange();
            m_tools->histogram().setPlace(static_cast<double>(from.begin - run.begin)
                                          / static_cast<double>(std::max<TimeNs>(1, run.length())));
            text = tr("%1 of %2").arg(formatCount(static_cast<std::int64_t>(at) + 1), text);
        }
    }
    m_tools->setHits(text);
}

// Goes on from the selected task, or from the left edge; after the last hit comes the first.
void MainWindow::findHit(bool forward)
{
    if (!m_workspace) return;
    if (m_searching.isRunning()) m_wantedHit = forward;
    if (m_hits->hits.empty()) return;
    ViewState& state = m_workspace->state();
    const TaskId selected = state.selection().task;
    FindHit from{state.range().begin, TaskId{ProcessorId{0}, 0}};
    if (const Result<TaskDetail> task = state.store().task(selected); selected.isValid() && task.ok())
        from = {task->range.begin, selected};
    else if (forward) from.begin = saturatingSubtract(from.begin, 1);
    state.reveal(Selection{.task = m_hits->hits[nextHit(m_hits->hits, from, forward)].task, .message = {}});
}

// What Esc does, one thing at a time: closes what has popped up, ends the tour, closes a sheet, leaves the find field,
// ends the path of a range, takes away the ruler or the marked range, shows what a filter dims, hides the second path;
// and at last unselects.
void MainWindow::clearSelection()
{
    if (QWidget* popup = QApplication::activePopupWidget()) {
        popup->close();
        return;
    }
    if (m_tour && m_tour->isVisible()) return m_tour->end();
    for (Overlay* sheet :
         std::initializer_list<Overlay*>{m_palette, m_keys, m_about, m_aboutTrace, m_processors, m_reportSheet})
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
    TimelineGestures& gestures = m_workspace->timeline().gestures();
    if (!m_session.question().range.isEmpty() && !gestures.hasRuler()) {
        m_session.setRange({});
        return;
    }
    if (gestures.letGo()) return;
    if (!m_workspace->state().filterText().isEmpty()) {
        m_workspace->state().setFilter({});
        return;
    }
    if (m_workspace->state().secondPath().path) {
        m_workspace->state().setSecondPath({});
        return;
    }
    m_workspace->timeline().taskCard().hide();
    m_workspace->state().select({});
    m_session.setTarget({});
    if (TimelineView* second = m_workspace->secondTimeline()) {
        second->taskCard().hide();
        m_workspace->second().view()->select({});
    }
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
    if (m_workspace) m_workspace->state().setRange(m_workspace->state().wholeRange());
}

void MainWindow::chooseProcessors()
{
    if (!m_workspace) return;
    if (!m_processors) {
        m_processors = new ProcessorSheet(this);
        connect(m_processors, &ProcessorSheet::chosen, this, [this](const std::vector<ProcessorId>& pes) {
            if (m_workspace) m_workspace->state().setProcessors(pes);
        });
    }
    const TraceStore& store = m_workspace->state().store();
    m_processors->ask(store.words(), store.info().processors, m_workspace->state().processors());
    const std::shared_ptr<Results> results = m_workspace->state().results();
    m_groups.ask(results, ProcessGroupsQuestion{}, [this, results](const Watch<ProcessGroupsQuestion>::Answer& groups) {
        if (groups.ok() && m_workspace && m_workspace->state().results() == results) m_processors->setGroups(*groups);
    });
}

void MainWindow::showAllProcessors()
{
    if (m_workspace) m_workspace->state().setProcessors({});
}

void MainWindow::showIteration(bool next)
{
    if (!m_workspace) return;
    if (m_workspace->state().phaseBands().ranges.empty()) m_workspace->showTab(QLatin1String(panels::phases.id));
    else m_workspace->state().showNextBand(next);
}

void MainWindow::foldIterations()
{
    if (!m_workspace) return;
    const std::vector<TimeRange>& ranges = m_workspace->state().phaseBands().ranges;
    if (ranges.empty()) {
        m_workspace->showTab(QLatin1String(panels::phases.id));
        return;
    }
    const std::shared_ptr<const TraceStore> store = m_workspace->state().sharedStore();
    const QString path = foldedFile(QFileInfo(m_session.path()).completeBaseName(), *store, ranges);
    startExport(
        path,
        [store, ranges, path](const Progress& progress) -> Result<> {
            if (const Result<> made = makeFolder(UserFolder::Cache); !made) return made;
            const Result<FoldReport> report = foldTrace(*store, ranges, path, progress);
            if (!report.ok()) return report.error();
            return Unit{};
        },
        [this, path] { Q_EMIT foldedTraceReady(path); });
}

void MainWindow::toggleBands()
{
    if (m_workspace) m_workspace->state().setBandsShown(!m_workspace->state().areBandsShown());
}

bool MainWindow::areBandsShown() const { return m_workspace && m_workspace->state().areBandsShown(); }

void MainWindow::showPathToSelection()
{
    if (m_workspace && m_workspace->state().selection().task.isValid())
        m_session.setTarget(m_workspace->state().selection().task);
}

// The path of the marked range; if that shows already or nothing is marked, that of the whole run.
void MainWindow::togglePathOfMarked()
{
    if (!m_workspace) return;
    const TimeRange marked = m_workspace->state().marked();
    const TimeRange shown = m_session.question().range;
    if (marked.isEmpty() && shown.isEmpty()) m_banner->showNote(tr("Drag over the rows to mark a range first."));
    else m_session.setRange(marked == shown ? TimeRange{} : marked);
}

void MainWindow::showTab(const QString& id)
{
    if (m_workspace) m_workspace->showTab(id);
}

void MainWindow::showPlace(PanelGroup group)
{
    if (m_workspace) m_workspace->showPlace(group);
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

}  // namespace longpole
