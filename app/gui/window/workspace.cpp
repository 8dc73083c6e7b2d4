// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/workspace.h"

#include "app/common/sidefiles.h"
#include "app/gui/frame/rightcolumn.h"
#include "app/gui/frame/trialsheet.h"
#include "app/gui/session/rowchoicejson.h"
#include "app/gui/session/secondtrace.h"
#include "app/gui/session/session.h"
#include "app/gui/session/trials.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/pathstrip.h"
#include "app/gui/window/places.h"
#include "app/gui/window/sidebar.h"
#include "app/gui/window/timelinemenu.h"
#include "core/trace/format.h"
#include "views/expert/advicepanel.h"
#include "views/expert/healthpanel.h"
#include "views/timeline/gestures.h"
#include "views/timeline/view.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QSplitter>
#include <QTimer>

#include <algorithm>

namespace longpole {

namespace {

// A page that says why a view cannot be shown.
QWidget* sayWhy(const Error& error, QWidget* parent)
{
    auto* label = new QLabel(error.what + QLatin1Char('\n') + error.hint, parent);
    label->setObjectName(QStringLiteral("muted"));
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setMargin(24);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

Workspace::Workspace(Session& session, Settings& settings, QWidget* parent)
    : QWidget(parent), m_session(session), m_settings(settings), m_state(*session.view())
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_columns = new QSplitter(Qt::Horizontal, this);
    m_columns->setHandleWidth(1);
    m_columns->setChildrenCollapsible(false);
    layout->addWidget(m_columns);
    readThresholds();
    m_second = new SecondTrace(m_session, this);
    shareColours();  // before there are views, which would all make them twice
    createHost();
    createSidebar();
    createArea();
    createSecond();
    createRight();
    restoreLayout();
    loadSideFile();
}

// QWidget deletes the children after this destructor: signals that they emit as they end must not reach a workspace
// that is destroyed already.
Workspace::~Workspace()
{
    m_second->disconnect(this);
    m_second->comparison().disconnect(this);
    if (m_trials) m_trials->disconnect(this);
    delete m_trialSheet;
}

void Workspace::createHost()
{
    m_host = new PanelHost(m_state, m_second->comparison(), this);
    connect(&m_session, &Session::workChanged, m_host, [this] { m_host->setWorkNotice(workNotice()); });
    connect(m_host, &PanelHost::failed, this, &Workspace::failed);
    connect(m_host, &PanelHost::exportRequested, this, &Workspace::exportRequested);
    connect(m_host, &PanelHost::panelRequested, this, &Workspace::showTab);
    connect(m_host, &PanelHost::timelineRequested, this, [this] { showTab(QLatin1String(panels::timelines)); });
    connect(m_host, &PanelHost::adviceRequested, this, [this] { showRight(RightPage::Advice); });
    connect(m_host, &PanelHost::secondRequested, this, &Workspace::secondRequested);
    connect(m_host, &PanelHost::sqlRequested, this, &Workspace::showSql);
    connect(m_host, &PanelHost::foldRequested, this, &Workspace::foldRequested);
    SourceSettings& sources = m_host->sources();
    sources.set(m_settings.sourceFolders(), m_settings.editor());
    connect(&sources, &SourceSettings::changed, this, [this, &sources] {
        m_settings.setSourceFolders(sources.folders());
        m_settings.setEditor(sources.editor());
    });
}

void Workspace::createTimeline()
{
    m_timeline = new TimelineView(&m_state, m_area);
    m_timeline->setTheme(themeFor(m_settings.theme()));
    connect(m_timeline, &TimelineView::contextMenuRequested, this, [this](const TimelineHit& hit, const QPoint& at) {
        ShowSource showSource;
        if (requireNeeds(panels::source.needs, m_state.store()))
            showSource = [this](const Selection& selection) {
                m_state.select(selection);
                showTab(QLatin1String(panels::source.id));
            };
        showTimelineMenu(m_session, *m_timeline, hit, at, showSource);
    });
    connect(m_timeline, &TimelineView::rowMenuRequested, this,
            [this](std::size_t row, const QPoint& at) { showRowMenu(m_state, *m_timeline, row, at); });
    connect(m_timeline, &TimelineView::damageMet, this, &Workspace::failed);
    connect(m_timeline, &TimelineView::hovered, this, &Workspace::hovered);
    applyGestures();
}

// The panel, or if the trace lacks what it needs a page that says so.
QWidget* Workspace::createPanel(const PanelSpec& spec, QWidget* parent)
{
    const Result<> there = requireNeeds(spec.needs, m_state.store());
    if (!there) return sayWhy(there.error(), parent);
    m_host->setWorkNotice(workNotice());
    return spec.create(*m_host, parent);
}

void Workspace::createArea()
{
    m_area = new DockArea(m_columns);
    createTimeline();
    m_area
        ->add(QLatin1String(panels::timelines), tr("Timelines"), PanelPlace::Centre, true,
              [this](QWidget* parent) {
                  m_timeline->setParent(parent);
                  return m_timeline;
              })
        .content();
    m_area->find(QLatin1String(panels::timelines))->setHeader(new PathStrip(m_session, m_area));
    for (const PanelSpec* spec : panelSpecs()) {
        PanelDock& dock = m_area->add(QLatin1String(spec->id), panelText(m_state.store().words(), spec->title),
                                      spec->place, spec->open,
                                      [this, spec](QWidget* parent) { return createPanel(*spec, parent); });
        dock.setHelp(panelText(m_state.store().words(), spec->tip));
        dock.setHeader(panelText(m_state.store().words(), spec->question),
                       panelText(m_state.store().words(), spec->tip));
        connect(&dock, &PanelDock::helpRequested, this, [this, spec] { Q_EMIT helpRequested(*spec); });
    }
    connect(m_area, &DockArea::shownChanged, this, &Workspace::markShown);
    connect(m_area, &DockArea::maximizedChanged, this, [this] { foldForWidth(width()); });
    m_columns->addWidget(m_area);
}

void Workspace::markShown()
{
    for (const PanelDock* dock : m_area->docks()) m_sidebar->setCurrent(dock->objectName(), dock->isOnScreen());
    Q_EMIT panelsChanged();
}

QString gestureName(Gesture gesture)
{
    return gesture == Gesture::WheelZooms ? QStringLiteral("wheelZooms") : QStringLiteral("dragZooms");
}

void Workspace::applyGestures()
{
    for (TimelineView* timeline : {m_timeline, m_secondTimeline}) {
        if (!timeline) continue;
        timeline->gestures().setWheelZooms(m_settings.flag(gestureName(Gesture::WheelZooms), false));
        timeline->gestures().setDragZooms(m_settings.flag(gestureName(Gesture::DragZooms), false));
    }
}

void Workspace::createRight()
{
    m_right = new RightColumn(m_columns);
    QWidget* advice = createAdvice(m_right);
    if (!advice) advice = sayWhy(requireEvents(m_state.store()).error(), m_right);
    m_right->addPage(tr("Advice"), tr("What to change first, and what it would gain"), advice);
    m_health = new HealthPanel(m_state, m_right);
    m_right->addPage(tr("Health"), tr("How far the trace can be trusted"), m_health);
    m_right->showPage(static_cast<int>(m_advice ? RightPage::Advice : RightPage::Health));
    connect(m_right, &RightColumn::foldRequested, this, [this] { setPanelShown(Panel::Right, false); });
    connect(m_right, &RightColumn::pageChosen, this, &Workspace::markRight);
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
    case Panel::Right: return QStringLiteral("right");
    case Panel::Bottom: break;
    }
    return {};
}

}  // namespace

void Workspace::restoreLayout()
{
    m_areColumnsByHand = m_columns->restoreState(m_settings.layout(QStringLiteral("columns")));
    connect(m_columns, &QSplitter::splitterMoved, this, [this] { m_areColumnsByHand = true; });
    shareWidth(window()->width());
    m_area->restoreLayout(m_settings.layout(QStringLiteral("docks")));
    // Panels that the last layout shows and that need what this trace lacks.
    for (const PanelSpec* spec : panelSpecs())
        if (!spec->open && !requireNeeds(spec->needs, m_state.store())) m_area->find(QLatin1String(spec->id))->hide();
    foldForWidth(window()->width());
}

// The right column holds sentences: on a wide screen it gets a seventh of it, so that they take fewer lines.
void Workspace::shareWidth(int width)
{
    if (m_areColumnsByHand) return;
    const int left = 215, right = std::clamp(width / 7, 280, 480);
    m_columns->setSizes({left, width - left - right, right});
}

// A view that is maximized has the columns' room, too. On a small screen the timeline and its tables need the room; the
// sidebar still counts the notes. A panel that the hand has shown or folded stays so.
void Workspace::foldForWidth(int width)
{
    const bool isWide = width >= 1360;
    const bool hasColumns = !m_area->maximized();
    m_sidebar->setVisible(hasColumns && m_settings.flag(panelName(Panel::Sidebar), true));
    m_right->setVisible(hasColumns && m_settings.flag(panelName(Panel::Right), isWide));
    markRight();
}

void Workspace::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    foldForWidth(event->size().width());
    shareWidth(event->size().width());
}

void Workspace::saveLayout()
{
    m_second->close();  // its place is there only with it
    if (!m_hasSessionLayout) putLayout();
}

void Workspace::saveLayoutBeforeSession()
{
    if (m_hasSessionLayout) return;
    m_area->endMaximized();
    m_area->find(QLatin1String(panels::second))->hide();
    putLayout();
}

// Writes the layout to the settings. The next trace opens without a second run: if the comparison is on top, the view
// of the path takes its place, or the next trace would open on an empty page.
void Workspace::putLayout()
{
    const PanelDock& comparison = *m_area->find(QLatin1String(panels::comparison.id));
    if (comparison.isOnScreen() && !comparison.isFloating()) {
        PanelDock& first = *m_area->find(QLatin1String(panels::path.id));
        first.hold(true);  // it comes to the top without its content being made
        m_area->reveal(first);
    }
    m_settings.setLayout(QStringLiteral("columns"), m_areColumnsByHand ? m_columns->saveState() : QByteArray());
    m_settings.setLayout(QStringLiteral("docks"), m_area->saveLayout());
    m_settings.setText(placeKey(), QLatin1String(placeOf(m_place).id));
}

void Workspace::resetLayout()
{
    m_hasSessionLayout = false;
    for (const Panel panel : {Panel::Sidebar, Panel::Right}) m_settings.removeFlag(panelName(panel));
    m_areColumnsByHand = false;
    shareWidth(width());
    m_area->resetLayout();
    m_place = PanelGroup::Timeline;
    m_sidebar->openPlace(QLatin1String(placeOf(m_place).id));
    if (m_secondTimeline) m_area->reveal(*m_area->find(QLatin1String(panels::second)));
    foldForWidth(width());
    Q_EMIT panelsChanged();
}

bool Workspace::isPanelShown(Panel panel) const
{
    switch (panel) {
    case Panel::Sidebar: return !m_sidebar->isHidden();
    case Panel::Bottom: return m_area->isBelowShown();
    case Panel::Right: return !m_right->isHidden();
    }
    return false;
}

void Workspace::setPanelShown(Panel panel, bool shown)
{
    switch (panel) {
    case Panel::Sidebar: m_sidebar->setVisible(shown); break;
    case Panel::Bottom: m_area->setBelowShown(shown); break;
    case Panel::Right: m_right->setVisible(shown); break;
    }
    // What the user asked for is remembered; what docks show is part of the docks' layout.
    if (panel != Panel::Bottom) m_settings.setFlag(panelName(panel), shown);
    markRight();
}

bool Workspace::isRightShown(RightPage page) const
{
    return isPanelShown(Panel::Right) && m_right->current() == static_cast<int>(page);
}

void Workspace::showRight(RightPage page)
{
    m_right->showPage(static_cast<int>(page));
    if (isPanelShown(Panel::Right)) markRight();
    else setPanelShown(Panel::Right, true);
}

void Workspace::toggleRight(RightPage page)
{
    if (isRightShown(page)) setPanelShown(Panel::Right, false);
    else showRight(page);
}

void Workspace::markRight()
{
    m_sidebar->setCurrent(QStringLiteral("advice"), isRightShown(RightPage::Advice));
    m_sidebar->setCurrent(QStringLiteral("health"), isRightShown(RightPage::Health));
    Q_EMIT panelsChanged();
}

const PanelSpec* Workspace::panelOf(const QWidget* widget) const
{
    for (; widget; widget = widget->parentWidget()) {
        if (m_advice && widget == m_advice) return &panels::advice;
        for (const PanelSpec* spec : panelSpecs())
            if (widget == m_area->find(QLatin1String(spec->id))) return spec;
    }
    return nullptr;
}

QString Workspace::workNotice() const
{
    if (m_session.isLoadingGraph()) return tr("Loading tasks …");
    if (m_session.isComputingPath() && !m_state.path()) return tr("Computing the path …");
    return m_session.pathError() ? longpole::toText(*m_session.pathError()) : QString();
}

// The rows that show and what colours mean.
void Workspace::showRows(const JsonValue& view)
{
    if (!memberOf(view, "rows").is_null()) {
        RowChoice rows = rowChoiceFrom(memberOf(view, "rows"), m_state.store());
        m_state.setProcessors(rows.only, false);
        rows.only = m_state.processors();
        m_timeline->rows().setChoice(rows);
    }
    const bool byChare = textOf(view, "colour") == QLatin1String("chare");
    m_state.setColour(byChare ? ColourMode::Chare : ColourMode::EntryMethod,
                      m_settings.flag(QStringLiteral("okabeIto"), false) ? PaletteKind::OkabeIto : PaletteKind::Calm);
}

void Workspace::loadSideFile()
{
    takeEarlierSideFile(m_state.store());
    m_isFirstLook = !QFileInfo::exists(sideFilePath(m_state.store()));
    Result<SideFile> side = longpole::loadSideFile(sideFilePath(m_state.store()));
    if (side.ok()) m_side = std::move(*side);
    else QTimer::singleShot(0, this, [this, error = side.error()] { Q_EMIT failed(error); });  // when it is connected
    m_sideBookmarks = m_side.bookmarks;
    if (m_side.range) m_state.setRange(*m_side.range, false);
    showRows(m_side.view);
    connect(&m_state, &ViewState::colourAsked, this, &Workspace::giveColour);
    showBookmarks();
}

// Names have the colours that they were once given, in both runs and in whatever is made of them. The names with most
// time come from the first run.
void Workspace::shareColours()
{
    std::vector<std::shared_ptr<const TraceStore>> stores{m_state.sharedStore()};
    if (const ViewState* second = m_second->view()) stores.push_back(second->sharedStore());
    const auto learnAll = [stores](ColourMemory& colours, const Progress& progress) {
        bool isNew = false;
        for (const auto& store : stores) isNew |= colours.learn(*store, progress);
        return isNew;
    };
    ColourMemory colours = m_settings.colours();
    if (std::none_of(stores.begin(), stores.end(), [](const auto& store) { return hasManyNames(*store); })) {
        m_learning.cancel();
        if (learnAll(colours, {})) m_settings.setColours(colours);
        setColours(std::move(colours));
        return;
    }
    setColours(colours);  // until those of all names are known
    m_learning.start(
        [colours = std::move(colours), learnAll](const Progress& progress) mutable -> Learned {
            if (learnAll(colours, progress)) return std::move(colours);
            return std::nullopt;
        },
        [this](const Learned& learned) {
            if (!learned) return;
            ColourMemory now = m_settings.colours();  // the user may have given a colour since, in another window
            now.takeRemembered(*learned);
            m_settings.setColours(now);
            setColours(std::move(now));
        });
}

void Workspace::setColours(ColourMemory colours)
{
    const auto shared = std::make_shared<const ColourMemory>(std::move(colours));
    m_state.setColourMemory(shared);
    if (ViewState* second = m_second->view()) second->setColourMemory(shared);
}

void Workspace::giveColour(const QString& name, const QColor& colour)
{
    ColourMemory colours = m_settings.colours();
    colours.setOwn(name, colour.isValid() ? std::optional(colour.rgb()) : std::nullopt);
    m_settings.setColours(colours);
    shareColours();
}

void Workspace::showBookmarks()
{
    m_sidebar->setBookmarks(m_side.bookmarks, m_state.store().info().begin);
    std::vector<TimeFlag> flags;
    for (const Bookmark& bookmark : m_side.bookmarks)
        flags.push_back({.range = bookmark.range, .number = bookmark.number, .note = bookmark.note});
    m_state.setFlags(std::move(flags));
}

void Workspace::keepBookmarks()
{
    takeOthersBookmarks();
    showBookmarks();
    noteView();
    const Result<> saved = longpole::saveSideFile(sideFilePath(m_state.store()), m_side);
    if (saved.ok()) m_sideBookmarks = m_side.bookmarks;
    else Q_EMIT failed(saved.error());
}

// Of windows that show the same trace. False if the file is there and cannot be read.
bool Workspace::takeOthersBookmarks()
{
    m_sidebar->finishEditing();  // what is being typed belongs to a bookmark that they may have removed
    const QString path = sideFilePath(m_state.store());
    if (!QFileInfo::exists(path)) return true;
    const Result<SideFile> there = longpole::loadSideFile(path);
    if (!there) return false;
    m_side.bookmarks = merged(m_sideBookmarks, m_side.bookmarks, there->bookmarks);
    m_sideBookmarks = there->bookmarks;
    return true;
}

void Workspace::noteView()
{
    m_side.range = m_state.range() == m_state.fullRange() ? std::nullopt : std::optional(m_state.range());
    m_side.view = {{"rows", toJson(m_timeline->rows().choice(), m_state.store())},
                   {"colour", m_state.colour() == ColourMode::Chare ? "chare" : "entry method"}};
}

Result<> Workspace::saveSideFile()
{
    noteView();
    if (!takeOthersBookmarks()) return Unit{};
    return longpole::saveSideFile(sideFilePath(m_state.store()), m_side);
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
