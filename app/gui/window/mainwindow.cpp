// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/mainwindow.h"

#include "analysis/base/naming.h"
#include "app/common/examples.h"
#include "app/common/runname.h"
#include "app/common/tracelink.h"
#include "app/gui/frame/banner.h"
#include "app/gui/frame/focusring.h"
#include "app/gui/frame/overlay.h"
#include "app/gui/frame/quietcombos.h"
#include "app/gui/frame/screenfit.h"
#include "app/gui/frame/startpage.h"
#include "app/gui/frame/tour.h"
#include "app/gui/live/livepage.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/window/toolrow.h"
#include "core/base/jobturn.h"
#include "core/trace/format.h"
#include "views/expert/healthpanel.h"
#include "views/path/chips.h"
#include "views/plots/hithistogram.h"
#include "views/timeline/view.h"
#include "views/widgets/elidedlabel.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace longpole {

MainWindow::MainWindow(Settings& settings, QWidget* parent) : QMainWindow(parent), m_settings(settings)
{
    setAcceptDrops(true);
    setWindowIcon(QIcon(QStringLiteral(":/icons/longpole.svg")));
    new QuietCombos(this);
    new FocusRing(*this);
    m_actions = std::make_unique<Actions>(*this);
    createMenuRow();
    createCentre();
    createStatusBar();
    connectSession();
    connectTools();
    restore();
    m_poll.setInterval(100);
    connect(&m_poll, &QTimer::timeout, this, &MainWindow::showProgress);
    leaveTrace();
}

MainWindow::~MainWindow() { m_session.close(); }  // while the widgets live: leaving a trace saves what they show

void MainWindow::createMenuRow()
{
    auto* row = new QFrame(this);
    row->setObjectName(QStringLiteral("menuRow"));
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(12, 1, 14, 1);
    layout->setSpacing(12);
    auto* name = new QLabel(tr("Longpole"), row);
    name->setObjectName(QStringLiteral("programName"));
    auto* bar = new QMenuBar(row);
    bar->setNativeMenuBar(false);
    m_actions->addMenus(*bar);
    m_recentMenu = new QMenu(this);
    m_actions->find(QStringLiteral("file.recent"))->setMenu(m_recentMenu);
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::showRecent);
    m_summary = new ElidedLabel(row);
    m_summary->setObjectName(QStringLiteral("runSummary"));
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(name);
    layout->addWidget(bar);
    layout->addWidget(m_summary, 1);
    m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setMenuWidget(row);
}

void MainWindow::createCentre()
{
    auto* centre = new QWidget(this);
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_tools = new ToolRow(centre);
    m_banner = new Banner(centre);
    m_pages = new QStackedWidget(centre);
    m_start = new StartPage(m_pages);
    m_pages->addWidget(m_start);
    layout->addWidget(m_tools);
    layout->addWidget(m_pages, 1);
    setCentralWidget(centre);
    connect(m_start, &StartPage::openRequested, this, &MainWindow::chooseFile);
    connect(m_start, &StartPage::recentChosen, this, &MainWindow::open);
    connect(m_start, &StartPage::exampleChosen, this, &MainWindow::open);
    connect(m_start, &StartPage::recordRequested, this,
            [this] { showDocument(QStringLiteral("docs/tasks/record-mpi.md")); });
    connect(m_banner, &Banner::cancelled, this, &MainWindow::cancelShown);
    saySettings();
}

void MainWindow::connectSession()
{
    connect(&m_session, &Session::openingStarted, this, [this] {
        m_banner->clear();
        m_poll.start();
    });
    connect(&m_session, &Session::openingEnded, this, &MainWindow::showProgress);
    connect(&m_session, &Session::openingFailed, this, [this](const Error& error) {
        forgetPending();
        showOpeningError(error);
    });
    connect(&m_session, &Session::closing, this, &MainWindow::leaveTrace);
    connect(&m_session, &Session::opened, this, &MainWindow::showTrace);
    connect(&m_session, &Session::workChanged, this, &MainWindow::showStatus);
    connect(&m_session, &Session::questionChanged, this, [this] {
        m_tools->setPathOptions(m_session.question().mode, m_session.question().edges);
        refreshActions();
    });
}

void MainWindow::connectTools()
{
    connect(m_tools, &ToolRow::modeChosen, &m_session, &Session::setMode);
    connect(m_tools, &ToolRow::edgesChosen, &m_session, &Session::setEdges);
    connect(m_tools, &ToolRow::colourChosen, this, [this](ColourMode mode, PaletteKind kind) {
        m_settings.setFlag(QStringLiteral("okabeIto"), kind == PaletteKind::OkabeIto);
        if (m_workspace) m_workspace->state().setColour(mode, kind);
    });
    connect(m_tools, &ToolRow::arrowsChosen, this, [this](ArrowMode mode) {
        if (m_workspace) m_workspace->state().setArrows(mode);
    });
    connect(m_tools, &ToolRow::findChanged, this, &MainWindow::showFilter);
    connect(m_tools, &ToolRow::findNext, this, [this] { findHit(true); });
    connect(m_tools, &ToolRow::findPrevious, this, [this] { findHit(false); });
    connect(m_tools, &ToolRow::findLeft, this, [this] {
        if (m_workspace) m_workspace->timeline().setFocus();
    });
    connect(m_tools, &ToolRow::backRequested, this, &MainWindow::goBack);
    connect(m_tools, &ToolRow::forwardRequested, this, &MainWindow::goForward);
    m_tools->setPathOptions(m_session.question().mode, m_session.question().edges);
}

void MainWindow::restore()
{
    constexpr QSize frame(8, 40);  // about as much as the desktop's window frame
    resize(QSize(1440, 900).boundedTo(screen()->availableSize() - frame));
    restoreGeometry(m_settings.layout(QStringLiteral("window")));
    keepOnScreen(*this);
    m_start->setRecent(m_settings.recent());
    m_start->setExample(exampleTrace());
}

void MainWindow::open(const QString& path)
{
    forgetPending();
    if (isTraceLink(path)) openLink(path);
    else if (isSessionFile(path)) openSession(path);
    else if (isLive(path)) watch(path);
    else m_session.open(path);
}

void MainWindow::closeTrace() { m_session.close(); }

void MainWindow::showTrace()
{
    if (m_live) m_live->leave();
    m_workspace = new Workspace(m_session, m_settings, m_pages);
    m_pages->addWidget(m_workspace);
    m_pages->setCurrentWidget(m_workspace);
    connectWorkspace();
    m_settings.addRecent(m_session.path());
    m_start->setRecent(m_settings.recent());

    const TraceInfo& info = m_workspace->state().store().info();
    const QString name = runNameWithFolder(m_session.path());
    setWindowTitle(tr("%1 – Longpole").arg(name));
    setWindowFilePath(m_session.path());
    m_summary->setText(
        tr("%1 · %2 · %3").arg(name, countedProcessors(info.vocabulary, info.processors), formatTime(info.duration())));
    m_summary->setToolTip(info.commandline);
    m_actions->speak(&m_workspace->state().store());
    m_tools->speak(info.vocabulary);
    m_tools->setTraceThere(true);
    m_tools->setEventsThere(info.hasEvents());
    m_tools->show();
    m_tools->setPathOptions(m_session.question().mode, m_session.question().edges);
    m_tools->setColour(m_workspace->state().colour(), m_workspace->state().paletteKind());
    m_tools->setArrows(m_workspace->state().arrows());
    m_tools->find().clear();
    showStatus();
    showRange();
    refreshActions();
    m_workspace->timeline().setFocus();
    applyPending();
    guide();
    offerRefresh();
    saySettings();
}

void MainWindow::saySettings()
{
    if (m_settings.trouble()) m_banner->showError(*m_settings.trouble());
}

void MainWindow::connectWorkspace()
{
    ViewState& state = m_workspace->state();
    connect(&state, &ViewState::filterChanged, m_workspace, [this, &state] {
        if (m_tools->find().text() != state.filterText()) m_tools->find().setText(state.filterText());
    });
    m_chips = new PathChips(state, statusBar());
    statusBar()->insertPermanentWidget(3, m_chips);  // at the right, where no text that comes or goes moves it
    connect(m_chips, &PathChips::wholeRunRequested, &m_session, &Session::askWholeRun);
    connect(m_chips, &PathChips::rangeRequested, &m_session, &Session::setRange);
    connect(m_workspace, &Workspace::reportRequested, this, &MainWindow::chooseReport);
    connect(m_workspace, &Workspace::exportRequested, this, [this](const FileExport& file) {
        startExport(file.path, file.write, [this, file] { sayWritten(file.written, file.path); });
    });
    connect(m_workspace, &Workspace::secondRequested, this, &MainWindow::chooseSecond);
    connect(m_workspace, &Workspace::foldRequested, this, &MainWindow::foldIterations);
    connect(m_workspace, &Workspace::failed, m_banner, &Banner::showError);
    connect(m_workspace, &Workspace::helpRequested, this, &MainWindow::showHelp);
    connect(m_workspace, &Workspace::panelsChanged, this, &MainWindow::refreshActions);
    connect(&m_workspace->healthPanel(), &HealthPanel::countChanged, this, &MainWindow::showStatus);
    state.results()->setCapacity(m_settings.answerBytes());
    connect(&state, &ViewState::rangeChanged, this, &MainWindow::showRange);
    connect(&state, &ViewState::markedChanged, this, &MainWindow::showRange);
    connect(&state, &ViewState::selectionChanged, this, &MainWindow::showHits);
    connect(&state, &ViewState::historyChanged, this,
            [this, &state] { m_tools->setHistory(state.canUndo(), state.canRedo()); });
    connect(&state, &ViewState::colourChanged, this,
            [this, &state] { m_tools->setColour(state.colour(), state.paletteKind()); });
    connect(&state, &ViewState::arrowsChanged, this, [this, &state] { m_tools->setArrows(state.arrows()); });
    connect(m_workspace, &Workspace::hovered, this, &MainWindow::readOut);
    connect(&m_workspace->second(), &SecondTrace::lockChanged, this, &MainWindow::showStatus);
    connect(&m_workspace->second(), &SecondTrace::openingStarted, this, [this] {
        m_banner->clear();
        m_poll.start();
    });
    connect(&m_workspace->second(), &SecondTrace::openingEnded, this, &MainWindow::showProgress);
    m_tools->setHistory(state.canUndo(), state.canRedo());
}

void MainWindow::leaveTrace()
{
    if (m_tour) {
        if (m_workspace) disconnect(m_tour, &Tour::ended, m_workspace, nullptr);  // what would be offered after it
        m_tour->end();
    }
    if (m_banner->offer()->isVisible()) m_banner->clear();
    if (m_workspace) {
        m_workspace->saveLayout();
        const Result<> saved = m_workspace->saveSideFile();
        if (!saved.ok()) m_banner->showError(saved.error());
        delete std::exchange(m_chips, nullptr);
        m_pages->removeWidget(m_workspace);
        delete m_workspace;
        m_workspace = nullptr;
    }
    if (m_live) m_live->leave();
    m_pages->setCurrentWidget(m_start);
    setWindowTitle(tr("Longpole"));
    setWindowFilePath({});
    for (QLabel* label : {m_summary, m_pathStatus, m_rangeStatus, m_hover}) label->clear();
    for (QPushButton* button : {m_estimated, m_notes}) button->hide();
    dropHits();
    m_tools->setHits({});
    m_tools->setTraceThere(false);
    m_tools->hide();  // without a trace there is nothing to choose
    refreshActions();
}

void MainWindow::showRecent()
{
    m_recentMenu->clear();
    for (const QString& path : m_settings.recent()) {
        const QString text = QString(path).replace(QLatin1Char('&'), QStringLiteral("&&"));  // no shortcut
        m_recentMenu->addAction(text, this, [this, path] { open(path); })->setEnabled(QFileInfo::exists(path));
    }
    if (m_recentMenu->isEmpty()) {
        m_recentMenu->addAction(tr("None yet"))->setEnabled(false);
        return;
    }
    m_recentMenu->addSeparator();
    m_recentMenu->addAction(tr("Forget them"), this, [this] {
        m_settings.clearRecent();
        m_start->setRecent({});
    });
}

void MainWindow::refreshActions() { m_actions->refresh(m_workspace ? &m_workspace->state().store() : nullptr); }

bool MainWindow::isPanelShown(Panel panel) const { return m_workspace && m_workspace->isPanelShown(panel); }

void MainWindow::setPanelShown(Panel panel, bool shown)
{
    if (m_workspace) m_workspace->setPanelShown(panel, shown);
}

void MainWindow::resetLayout()
{
    if (m_workspace) m_workspace->resetLayout();
}

void MainWindow::tearOffView()
{
    if (PanelDock* dock = m_workspace ? m_workspace->area().focused() : nullptr) dock->setFloating(!dock->isFloating());
    else if (m_workspace) m_banner->showNote(tr("Click into a view first."));
}

void MainWindow::maximizeView()
{
    if (!m_workspace) return;
    DockArea& area = m_workspace->area();
    if (PanelDock* dock = area.maximized() ? area.maximized() : area.focused()) area.toggleMaximized(*dock);
    else m_banner->showNote(tr("Click into a view first."));
}

void MainWindow::closeView()
{
    if (PanelDock* dock = m_workspace ? m_workspace->area().focused() : nullptr) dock->close();
    else if (m_workspace) m_banner->showNote(tr("Click into a view first."));
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_settings.setTheme(choice);
    applyTheme(themeFor(choice));
    if (m_workspace) m_workspace->setTheme(themeFor(choice));
    refreshActions();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_settings.setLayout(QStringLiteral("window"), saveGeometry());
    if (isInNestedLoop()) return closeAfterMenus(event);
    m_session.cancelOpening();
    m_exporting.cancel();
    m_session.close();
    QMainWindow::closeEvent(event);
}

// A menu or a dialog of what closing would delete runs a loop of its own: it ends first.
void MainWindow::closeAfterMenus(QCloseEvent* event)
{
    constexpr int patience = 50;  // ms
    event->ignore();
    if (QWidget* menu = QApplication::activePopupWidget()) menu->close();
    else if (QWidget* dialog = QApplication::activeModalWidget()) dialog->close();
    QTimer::singleShot(patience, this, &QWidget::close);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.first().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty()) return;
    event->acceptProposedAction();
    const QString path = urls.first().toLocalFile();
    if (m_workspace && (event->modifiers() & Qt::ShiftModifier)) compareWith(path);
    else open(path);
}

}  // namespace longpole
