// SPDX-License-Identifier: GPL-3.0-or-later
// File > Export report: what it says is chosen first, then where it goes; it is written off the UI thread.
#include "analysis/compare/trialfinding.h"
#include "analysis/report/analyses.h"
#include "app/commandline/outputfile.h"
#include "app/common/runname.h"
#include "app/common/tracelink.h"
#include "app/gui/frame/banner.h"
#include "app/gui/frame/reportsheet.h"
#include "app/gui/live/livepage.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/session/viewedrun.h"
#include "app/gui/window/mainwindow.h"
#include "app/report/reportexport.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/notice.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QStackedWidget>
#include <QUrl>

#include <algorithm>

namespace longpole {

namespace {

QString withoutKey() { return QStringLiteral("reportWithout"); }
QString withViewKey() { return QStringLiteral("reportWithView"); }

// The findings that the user has chosen, with what was looked at behind the advice, or first if there is no advice.
AnalysisResults chosenOf(AnalysisResults results, const ReportChoice& choice, const std::optional<Finding>& view,
                         const std::vector<Trial>& trials)
{
    std::erase_if(results.findings, [&](const Finding& finding) { return choice.without.contains(finding.id); });
    if (!choice.without.contains(QLatin1String(trialFindingId))) addTrials(results.findings, trials);
    if (!view) return results;
    const bool hasAdvice = !results.findings.empty() && results.findings.front().id == QLatin1String("advice");
    results.findings.insert(results.findings.begin() + (hasAdvice ? 1 : 0), *view);
    return results;
}

}  // namespace

ReportChoice MainWindow::reportChoice() const
{
    return {.without = m_settings.text(withoutKey()).split(QLatin1Char(','), Qt::SkipEmptyParts),
            .withView = m_settings.flag(withViewKey(), true)};
}

void MainWindow::chooseReport()
{
    if (!m_workspace) return;
    if (!m_reportSheet) {
        m_reportSheet = new ReportSheet(this);
        connect(m_reportSheet, &ReportSheet::chosen, this, &MainWindow::chooseReportFile);
    }
    m_reportSheet->ask(m_workspace->state().store().words(), reportChoice(), isLookedAt(viewedRun()),
                       !m_workspace->trials().empty());
}

void MainWindow::chooseReportFile(const ReportChoice& choice)
{
    m_settings.setText(withoutKey(), choice.without.join(QLatin1Char(',')));
    m_settings.setFlag(withViewKey(), choice.withView);
    const QString path = askFileToSave(this, tr("Export the report"),
                                       exportFolder() % QLatin1Char('/') % runName(m_session.path())
                                           % QStringLiteral("-report.html"),
                                       tr("Web page (*.html);;Markdown (*.md);;JSON (*.json);;PDF (*.pdf)"));
    if (!path.isEmpty()) exportReport(path);
}

void MainWindow::exportReport(const QString& path)
{
    if (!m_workspace) return;
    const ReportChoice choice = reportChoice();
    std::optional<Finding> view;
    if (const ViewedRun viewed = viewedRun(); choice.withView && isLookedAt(viewed))
        view = viewedFinding(m_workspace->state().store(), viewed);
    startExport(
        path,
        [results = m_workspace->state().results(), question = AnalysesQuestion{m_workspace->state().thresholds()}, path,
         choice, view, trials = m_workspace->trials(), trace = m_session.path()](const Progress& progress) -> Result<> {
            const auto found = results->ask(question, progress);
            if (!found.ok()) return found.error();
            const AnalysisResults linked = withLinks(chosenOf(**found, choice, view, trials), results->store(), trace);
            return longpole::exportReport(results->store(), linked, path, progress);
        },
        [this, path] { sayWritten(tr("The report is in %1.").arg(path), path); });
}

// One file at a time: a second one does not end the first.
void MainWindow::startExport(const QString& path, std::function<Result<>(const Progress&)> write,
                             std::function<void()> written)
{
    if (m_exporting.isRunning()) {
        m_banner->showNote(tr("%1 is being written. Write the next file when it is done, or after Cancel.")
                               .arg(QFileInfo(m_exportPath).fileName()));
        return;
    }
    m_exportPath = path;
    m_banner->clear();
    m_exporting.start(std::move(write), [this, written = std::move(written)](const Result<>& done) {
        showProgress();
        if (done.ok()) written();
        else m_banner->showError(done.error());
    });
    m_poll.start();
}

// Says that a file was written, with a button that opens its folder.
void MainWindow::sayWritten(const QString& text, const QString& file)
{
    rememberExportFolder(file);
    m_banner->showOffer(text, tr("Open the folder"), [folder = QFileInfo(file).absolutePath()] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
    });
}

// A run that is open is not written over.
void MainWindow::judge(ToBeWritten& question)
{
    question.accept();
    QStringList inputs{m_session.path(), m_session.openingPath()};
    if (m_workspace) inputs << m_workspace->second().path() << m_workspace->second().openingPath();
    if (m_live && (m_live->isWatching() || m_pages->currentWidget() == m_live)) inputs << m_live->folder();
    inputs.removeAll(QString());
    const Result<> may = checkWritable(question.file(), inputs);
    if (may) return;
    question.keep();
    m_banner->showError(may.error());
}

// Views tell what they are about to write, and what they have copied or written, by events.
bool MainWindow::event(QEvent* event)
{
    if (event->type() == ToBeWritten::kind()) {
        judge(static_cast<ToBeWritten&>(*event));
        return true;
    }
    if (event->type() != Notice::kind()) return QMainWindow::event(event);
    const auto& notice = static_cast<const Notice&>(*event);
    if (notice.file().isEmpty()) m_banner->showNote(notice.text());
    else sayWritten(notice.text(), notice.file());
    event->accept();
    return true;
}

ViewedRun MainWindow::viewedRun() const
{
    const ViewState& state = m_workspace->state();
    const TimeRange run = state.fullRange();
    const bool isWhole = state.range().begin <= run.begin && state.range().end >= run.end;
    return {.visible = isWhole ? TimeRange{} : intersection(state.range(), run),
            .marked = state.marked(),
            .processors = state.processors(),
            .path = m_session.countedPath(),
            .question = m_session.question(),
            .bookmarks = m_workspace->sideFile().bookmarks};
}

}  // namespace longpole
