// Builds the arrangement and keeps bookmarks and layout.
#include "app/gui/workspace.h"

#include "app/gui/panels.h"
#include "app/gui/rowchoicejson.h"
#include "app/gui/session.h"
#include "app/gui/sidebar.h"
#include "app/gui/timelinemenu.h"
#include "core/format.h"
#include "views/criticalpathpanel.h"
#include "views/healthpanel.h"
#include "views/pathchips.h"
#include "views/timelinegestures.h"
#include "views/timelineview.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

Workspace::Workspace(Session& session, Settings& settings, QWidget* parent)
    : QWidget(parent), m_session(session), m_settings(settings), m_state(*session.view())
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_columns = new QSplitter(Qt::Horizontal, this);
    m_columns->setHandleWidth(1);
    m_columns->setChildrenCollapsible(false);
    layout->addWidget(m_columns);
    createSidebar();
    createCentre();
    createRight();
    restoreLayout();
    loadSideFile();
    connect(&m_session, &Session::workChanged, this, &Workspace::showWork);
    showWork();
}

void Workspace::createSidebar()
{
    m_sidebar = new Sidebar(m_columns);
    m_sidebar->addHeading(tr("Views"));
    m_sidebar->addEntry(QStringLiteral("timelines"), tr("Timelines"), [this] {
        m_sidebar->setCurrent(QStringLiteral("timelines"), true);
        m_timeline->setFocus();
    });
    m_sidebar->setCurrent(QStringLiteral("timelines"), true);
    m_sidebar->addHeading(tr("Expert"));
    m_sidebar->addEntry(QStringLiteral("health"), tr("Health"),
                        [this] { setPanelShown(Panel::Right, !isPanelShown(Panel::Right)); });
    for (const PanelSpec& spec : panelSpecs())
        if (spec.inSidebar)
            m_sidebar->addEntry(QLatin1String(spec.id), panelText(spec.title),
                                [this, id = QLatin1String(spec.id)] { showTab(id); });
    m_sidebar->addEntry(QStringLiteral("report"), tr("Report …"), [this] { Q_EMIT reportRequested(); });
    connect(m_sidebar, &Sidebar::bookmarkChosen, this,
            [this](int i) { m_state.setRange(m_side.bookmarks[static_cast<std::size_t>(i)].range); });
    connect(m_sidebar, &Sidebar::bookmarkRenamed, this, [this](int i, const QString& note) {
        m_side.bookmarks[static_cast<std::size_t>(i)].note = note;
        keepBookmarks();
    });
    connect(m_sidebar, &Sidebar::bookmarkRemoved, this, [this](int i) {
        m_side.bookmarks.erase(m_side.bookmarks.begin() + i);
        keepBookmarks();
    });
    m_columns->addWidget(m_sidebar);
}

void Workspace::createCentre()
{
    m_rows = new QSplitter(Qt::Vertical, m_columns);
    m_rows->setHandleWidth(1);
    m_rows->setChildrenCollapsible(false);
    m_timeline = new TimelineView(&m_state, m_rows);
    m_timeline->setTheme(themeFor(m_settings.theme()));
    connect(m_timeline, &TimelineView::contextMenuRequested, this,
            [this](const TimelineHit& hit, const QPoint& at) { showTimelineMenu(m_session, *m_timeline, hit, at); });
    connect(m_timeline, &TimelineView::rowMenuRequested, this,
            [this](std::size_t row, const QPoint& at) { showRowMenu(m_state, *m_timeline, row, at); });
    connect(m_timeline, &TimelineView::damageMet, this, &Workspace::failed);
    m_timeline->setMinimumHeight(160);
    applyGestures();
    m_rows->addWidget(m_timeline);
    createBottom();
    m_rows->setStretchFactor(0, 1);
    m_rows->setStretchFactor(1, 0);
    m_columns->addWidget(m_rows);
}

QString gestureName(Gesture gesture)
{
    return gesture == Gesture::WheelZooms ? QStringLiteral("wheelZooms") : QStringLiteral("dragZooms");
}

void Workspace::applyGestures()
{
    m_timeline->gestures().setWheelZooms(m_settings.flag(gestureName(Gesture::WheelZooms), false));
    m_timeline->gestures().setDragZooms(m_settings.flag(gestureName(Gesture::DragZooms), false));
}

void Workspace::createBottom()
{
    m_tabs = new QTabWidget(m_rows);
    m_tabs->setObjectName(QStringLiteral("bottomPanel"));
    m_tabs->tabBar()->setDrawBase(false);  // the pane draws the line, to the very end
    m_tabs->tabBar()->setExpanding(false);
    m_tabs->tabBar()->setUsesScrollButtons(false);  // in little room names give way, no tab is out of sight
    m_tabs->tabBar()->setElideMode(Qt::ElideRight);
    m_tabs->setMinimumHeight(110);
    for (const PanelSpec& spec : panelSpecs()) {
        QWidget* page = spec.create(*this, m_tabs);
        const int at = m_tabs->addTab(page, panelText(spec.title));
        m_tabs->setTabToolTip(at, panelText(spec.tip));
    }
    m_path = &panel<CriticalPathPanel>();
    // Seen whatever tab is on top.
    m_tabs->setCornerWidget(&m_path->chips(), Qt::TopRightCorner);
    m_rows->addWidget(m_tabs);
}

void Workspace::createRight()
{
    m_right = new QFrame(m_columns);
    m_right->setObjectName(QStringLiteral("rightPanel"));
    m_right->setMinimumWidth(200);
    auto* layout = new QVBoxLayout(m_right);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 8, 6, 0);
    auto* title = new QLabel(tr("Health"), m_right);
    title->setObjectName(QStringLiteral("panelTitle"));
    auto* fold = new QToolButton(m_right);
    fold->setObjectName(QStringLiteral("flat"));
    fold->setText(QStringLiteral("×"));
    fold->setToolTip(tr("Fold this panel (Ctrl+H)"));
    fold->setAccessibleName(tr("Fold the health panel"));
    connect(fold, &QToolButton::clicked, this, [this] { setPanelShown(Panel::Right, false); });
    head->addWidget(title);
    head->addStretch();
    head->addWidget(fold);
    layout->addLayout(head);
    m_health = new HealthPanel(m_state, m_right);
    layout->addWidget(m_health, 1);
    m_sidebar->setCount(QStringLiteral("health"), m_health->countText());
    connect(m_health, &HealthPanel::countChanged, this,
            [this] { m_sidebar->setCount(QStringLiteral("health"), m_health->countText()); });
    m_columns->addWidget(m_right);
    m_columns->setStretchFactor(0, 0);
    m_columns->setStretchFactor(1, 1);
    m_columns->setStretchFactor(2, 0);
}

namespace {

QString panelName(Panel panel)
{
    switch (panel) {
    case Panel::Sidebar: return QStringLiteral("sidebar");
    case Panel::Bottom: return QStringLiteral("bottom");
    case Panel::Right: return QStringLiteral("right");
    }
    return {};
}

}  // namespace

void Workspace::restoreLayout()
{
    if (!m_columns->restoreState(m_settings.layout(QStringLiteral("columns"))))
        m_columns->setSizes({190, 1000, 280});
    if (!m_rows->restoreState(m_settings.layout(QStringLiteral("rows")))) m_rows->setSizes({560, 230});
    foldForWidth(window()->width());
}

// On a small screen the timeline and its tables need the room; the sidebar still counts the notes. A panel that the hand
// has shown or folded stays so.
void Workspace::foldForWidth(int width)
{
    const bool isWide = width >= 1360;
    for (const Panel panel : {Panel::Sidebar, Panel::Bottom, Panel::Right}) {
        const bool shown = m_settings.flag(panelName(panel), isWide || panel != Panel::Right);
        if (shown != isPanelShown(panel)) panelWidget(panel)->setVisible(shown);
    }
    m_sidebar->setCurrent(QStringLiteral("health"), isPanelShown(Panel::Right));
}

void Workspace::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    foldForWidth(event->size().width());
}

void Workspace::saveLayout()
{
    m_settings.setLayout(QStringLiteral("columns"), m_columns->saveState());
    m_settings.setLayout(QStringLiteral("rows"), m_rows->saveState());
}

QWidget* Workspace::panelWidget(Panel panel) const
{
    switch (panel) {
    case Panel::Sidebar: return m_sidebar;
    case Panel::Bottom: return m_tabs;
    case Panel::Right: return m_right;
    }
    return nullptr;
}

bool Workspace::isPanelShown(Panel panel) const { return !panelWidget(panel)->isHidden(); }

void Workspace::setPanelShown(Panel panel, bool shown)
{
    panelWidget(panel)->setVisible(shown);
    m_settings.setFlag(panelName(panel), shown);  // only what the hand asked for is remembered
    m_sidebar->setCurrent(QStringLiteral("health"), isPanelShown(Panel::Right));
    Q_EMIT panelsChanged();
}

void Workspace::showTab(const QString& id)
{
    setPanelShown(Panel::Bottom, true);
    const std::span<const PanelSpec> specs = panelSpecs();
    const auto found = std::find_if(specs.begin(), specs.end(),
                                    [&id](const PanelSpec& spec) { return id == QLatin1String(spec.id); });
    if (found == specs.end()) return;
    m_tabs->setCurrentIndex(static_cast<int>(found - specs.begin()));
    // Where there is something to type into, the hand goes on there.
    if (QWidget* field = m_tabs->currentWidget()->focusProxy()) field->setFocus();
}

void Workspace::showWork()
{
    QString notice;
    if (m_session.isLoadingGraph()) notice = tr("Loading tasks …");
    else if (m_session.isComputingPath() && !m_state.path()) notice = tr("Computing the path …");
    else if (m_session.pathError()) notice = longpole::toText(*m_session.pathError());
    m_path->setNotice(notice);
}

void Workspace::loadSideFile()
{
    Result<SideFile> side = longpole::loadSideFile(sideFilePath(m_state.store().stamp()));
    if (side.ok()) m_side = std::move(*side);
    else QTimer::singleShot(0, this, [this, error = side.error()] { Q_EMIT failed(error); });  // once connected
    if (m_side.range) m_state.setRange(*m_side.range, false);
    if (m_side.view.contains(QLatin1String("rows")))
        m_timeline->rows().setChoice(
            rowChoiceFrom(m_side.view.value(QLatin1String("rows")).toObject(), m_state.store()));
    const bool byChare = m_side.view.value(QLatin1String("colour")) == QLatin1String("chare");
    m_state.setColour(byChare ? ColourMode::Chare : ColourMode::EntryMethod,
                      m_settings.flag(QStringLiteral("okabeIto"), false) ? PaletteKind::OkabeIto : PaletteKind::Calm);
    showBookmarks();
}

void Workspace::showBookmarks() { m_sidebar->setBookmarks(m_side.bookmarks, m_state.store().info().begin); }

void Workspace::keepBookmarks()
{
    showBookmarks();
    const Result<> saved = saveSideFile();
    if (!saved.ok()) Q_EMIT failed(saved.error());
}

Result<> Workspace::saveSideFile()
{
    m_side.range = m_state.range() == m_state.fullRange() ? std::nullopt : std::optional(m_state.range());
    m_side.view = {{QStringLiteral("rows"), toJson(m_timeline->rows().choice(), m_state.store())},
                   {QStringLiteral("colour"), m_state.colour() == ColourMode::Chare ? QStringLiteral("chare")
                                                                                    : QStringLiteral("entry method")}};
    return longpole::saveSideFile(sideFilePath(m_state.store().stamp()), m_side);
}

void Workspace::setBookmarkHere(int number)
{
    const TimeRange range = m_state.marked().isEmpty() ? m_state.range() : m_state.marked();
    const int chosen = number > 0 ? number : freeNumber(m_side.bookmarks);
    QString note;
    if (m_state.selection().task.isValid()) {
        const Result<TaskDetail> task = m_state.store().task(m_state.selection().task);
        const Entry* entry = task.ok() ? m_state.store().entry(task->entry) : nullptr;
        if (entry && task->range.overlaps(range)) note = entryName(*entry);
    }
    setBookmark(m_side.bookmarks, {.number = chosen, .note = note, .range = range});
    keepBookmarks();
}

void Workspace::goToBookmark(int number)
{
    const auto it = std::find_if(m_side.bookmarks.begin(), m_side.bookmarks.end(),
                                 [number](const Bookmark& b) { return b.number == number; });
    if (it != m_side.bookmarks.end()) m_state.setRange(it->range);
}

}  // namespace longpole
