// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program's window: menu row, tool row, start page or workspace, status bar; and what actions do with it.
#pragma once

#include "analysis/mpi/processgroups.h"
#include "app/gui/frame/settings.h"
#include "app/gui/session/replayedrun.h"
#include "app/gui/session/savedsession.h"
#include "app/gui/session/session.h"
#include "app/gui/window/actions.h"
#include "app/gui/window/timelinemenu.h"
#include "app/gui/window/workspace.h"
#include "views/state/findhits.h"
#include "views/state/watch.h"

#include <QMainWindow>
#include <QTimer>

#include <functional>
#include <memory>

class QLabel;
class QMenu;
class QPushButton;
class QStackedWidget;

namespace longpole {

class Banner;
class CommandPalette;
class KeyHelp;
class AboutSheet;
class Documents;
class TraceSheet;
class ProcessorSheet;
class ReportSheet;
class PathChips;
class LivePage;
class StartPage;
class Tour;
class ToBeWritten;
class ToolRow;
class ViewHelp;
struct PanelSpec;
struct ReportChoice;
struct ViewedRun;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    // `settings` outlives the window.
    explicit MainWindow(Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    Session& session() { return m_session; }
    const Session& session() const { return m_session; }
    Workspace* workspace() const { return m_workspace; }  // null on the start page
    ToolRow& toolRow() { return *m_tools; }
    Banner& banner() { return *m_banner; }
    PathChips& chips() { return *m_chips; }  // of an open trace
    const Actions& actions() const { return *m_actions; }
    // Guides who is new: the tour when the first trace opens, and what to look at first in each trace that is new.
    void setGuiding(bool on) { m_isGuiding = on; }
    Tour* tour() const { return m_tour; }  // null before the first one

    // A trace, a session in a file, a link to a trace (tracelink.h), or a run whose path is found while it goes on.
    void open(const QString& path);
    LivePage* live() const { return m_live; }  // null before the first such run
    void closeTrace();
    void compareWith(const QString& path);  // opens it beside the open trace
    // The file's ending chooses the format. Errors show in the banner; a report is written off the UI thread.
    void exportReport(const QString& path);
    void exportPicture(const QString& path);
    // Sessions in files (savedsession.h); the ending is added. Opening one opens its run, using one the open run.
    void saveSession(const QString& path);
    void useSession(const QString& path);

    // What the table of actions calls.
    void chooseFile();
    void chooseFolder();
    void watchOpenRun();
    void refresh();
    void chooseSecond();
    void replay(ReplayChange change);
    void closeSecond();
    bool hasSecond() const;
    bool isSecondLocked() const;
    void toggleSecondLock();
    bool isSecondByPhase() const;
    void toggleSecondByPhase();
    void chooseSaveSession();
    void chooseUseSession();
    void chooseReport();
    void chooseReportFile(const ReportChoice& choice);
    void choosePicture();
    void copyPicture();
    void orderRows(TimelineOrder order);
    bool isGesture(Gesture gesture) const;
    void setGesture(Gesture gesture, bool on);
    void startFinding();
    void findHit(bool forward);
    void clearSelection();
    void goBack();
    void goForward();
    void showWholeRun();
    void chooseProcessors();
    void showAllProcessors();
    void showIteration(bool next);  // if none are known yet, opens the panel that finds them
    void foldIterations();          // into a trace in the cache (see foldedTraceReady)
    void toggleBands();
    bool areBandsShown() const;
    void showPathToSelection();
    void togglePathOfMarked();
    void showTab(const QString& id);
    void showPlace(PanelGroup group);
    void setBookmarkHere(int number);
    void goToBookmark(int number);
    bool isPanelShown(Panel panel) const;
    void setPanelShown(Panel panel, bool shown);
    void resetLayout();
    void tearOffView();   // makes the view that has the focus a window of its own, or puts it back
    void maximizeView();  // the one that has the focus; if one is maximized, puts the others back
    void closeView();     // the one that has the focus
    ThemeChoice theme() const { return m_settings.theme(); }
    void setTheme(ThemeChoice choice);
    void openPalette();
    void openKeyHelp();
    void openTraceSheet();
    void openViewHelp();  // of the view under the mouse, else of the one that has the focus; else the key help
    void openAbout();
    void openDocuments();
    void startTour();
    void refreshActions();

Q_SIGNALS:
    void foldedTraceReady(const QString& path);  // it is to be shown in a window of its own

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void closeAfterMenus(QCloseEvent* event);
    void createMenuRow();
    void createCentre();
    void createStatusBar();
    void readOut(const QString& text);
    void connectSession();
    void connectTools();
    void connectWorkspace();
    void showHelp(const PanelSpec& panel);
    void showDocument(const QString& page);
    void guide();
    void makeTour();
    void offerFirstLook();
    void restore();
    void watch(const QString& run);
    void offerRefresh();
    void saySettings();
    void showTrace();
    void leaveTrace();
    void showRecent();
    void showProgress();
    void showOpeningError(const Error& error);  // or the offer to do something about it
    void showStatus();
    void showDoubts();
    void showRange();
    void showFilter(const QString& text);
    void search(const std::vector<bool>& matching);
    void acceptHits(const Watch<FindQuestion>::Answer& hits);
    void dropHits();
    void showHits();
    void openSession(const QString& path);
    void openLink(const QString& text);
    void forgetPending();
    void cancelShown();
    void startExport(const QString& path, std::function<Result<>(const Progress&)> write,
                     std::function<void()> written);
    void apply(const SavedSession& session);
    void applyPending();
    void revealLinked(TaskId task, bool zoom);
    QString startFolder() const;
    ReportChoice reportChoice() const;  // as the user made it last
    ViewedRun viewedRun() const;
    QString exportFolder() const;
    void rememberExportFolder(const QString& file);
    void sayWritten(const QString& text, const QString& file);
    void judge(ToBeWritten& question);
    QString pictureTitle() const;

    Settings& m_settings;
    Session m_session;
    std::unique_ptr<Actions> m_actions;
    ToolRow* m_tools = nullptr;
    Banner* m_banner = nullptr;
    QStackedWidget* m_pages = nullptr;
    StartPage* m_start = nullptr;
    LivePage* m_live = nullptr;
    Workspace* m_workspace = nullptr;
    QMenu* m_recentMenu = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_pathStatus = nullptr;
    PathChips* m_chips = nullptr;  // in the status bar, while a trace is open
    QLabel* m_rangeStatus = nullptr;
    QLabel* m_hover = nullptr;
    QPushButton* m_estimated = nullptr;
    QPushButton* m_notes = nullptr;
    CommandPalette* m_palette = nullptr;
    KeyHelp* m_keys = nullptr;
    ViewHelp* m_help = nullptr;
    AboutSheet* m_about = nullptr;
    Documents* m_documents = nullptr;
    Tour* m_tour = nullptr;
    bool m_isGuiding = false;
    TraceSheet* m_aboutTrace = nullptr;
    ProcessorSheet* m_processors = nullptr;
    Watch<ProcessGroupsQuestion> m_groups;  // for that sheet
    ReportSheet* m_reportSheet = nullptr;
    std::optional<SavedSession> m_pending;  // how the run that is being opened will be looked at
    TimeRange m_pendingRange;               // and which part of it, since its begin; empty: as it was left
    TaskId m_pendingTask;                   // and which task of it; may be none
    QTimer m_poll;                          // progress of opening and exporting
    LatestJob<Result<>> m_exporting;
    QString m_exportPath;
    Watch<FindQuestion> m_searching;
    std::shared_ptr<const FindHits> m_hits = std::make_shared<const FindHits>();
    std::optional<bool> m_wantedHit;  // forward or back: a hit was asked for before the search was over
};

}  // namespace longpole
