// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/dockarea.h"

#include "app/gui/frame/docktabs.h"

#include <QApplication>
#include <QDataStream>
#include <QIODevice>
#include <QMouseEvent>
#include <QResizeEvent>

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

constexpr int layoutVersion = 1;  // of saved layouts: raise it when the default layout must win over these

Qt::DockWidgetArea areaOf(PanelPlace place)
{
    return place == PanelPlace::Below ? Qt::BottomDockWidgetArea : Qt::TopDockWidgetArea;
}

}  // namespace

DockArea::DockArea(QWidget* parent) : QMainWindow(parent), m_tabs(new DockTabs(*this))
{
    setObjectName(QStringLiteral("dockArea"));
    setWindowFlags(Qt::Widget);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
    setContextMenuPolicy(Qt::PreventContextMenu);  // no list of docks by Qt: menus and sidebar have one
    m_settling.setSingleShot(true);
    m_settling.setInterval(0);
    connect(&m_settling, &QTimer::timeout, this, &DockArea::settle);
    connect(m_tabs, &DockTabs::outdated, &m_settling, qOverload<>(&QTimer::start));
}

PanelDock& DockArea::add(const QString& id, const QString& title, PanelPlace place, bool open, PanelDock::Create create)
{
    auto* dock = new PanelDock(id, title, std::move(create), this);
    connect(dock, &PanelDock::onScreenChanged, &m_settling, qOverload<>(&QTimer::start));
    connect(dock, &QDockWidget::dockLocationChanged, &m_settling, qOverload<>(&QTimer::start));
    connect(dock, &QDockWidget::topLevelChanged, this, [this, dock](bool isWindow) {
        m_landed = isWindow ? nullptr : dock;
        m_settling.start();
    });
    connect(dock, &PanelDock::maximizeRequested, this, [this, dock] { toggleMaximized(*dock); });
    connect(dock, &PanelDock::closedByHand, this, [this, dock] {
        if (dock != m_maximized) return;
        endMaximized();
        dock->hide();
    });
    m_placed.push_back({dock, place, open});
    put(m_placed.back());
    return *dock;
}

// At its default place, as a tab beside the last one there.
void DockArea::put(const Placed& placed)
{
    PanelDock* beside = nullptr;
    for (const Placed& other : m_placed)
        if (other.dock != placed.dock && other.place == placed.place && !other.dock->isFloating()
            && dockWidgetArea(other.dock) == areaOf(placed.place))
            beside = other.dock;
    if (beside) tabifyDockWidget(beside, placed.dock);
    else addDockWidget(areaOf(placed.place), placed.dock, Qt::Vertical);
    placed.dock->setVisible(placed.open);
}

PanelDock* DockArea::find(const QString& id) const
{
    for (const Placed& placed : m_placed)
        if (placed.dock->objectName() == id) return placed.dock;
    return nullptr;
}

std::vector<PanelDock*> DockArea::docks() const
{
    std::vector<PanelDock*> docks;
    for (const Placed& placed : m_placed) docks.push_back(placed.dock);
    return docks;
}

PanelDock* DockArea::focused() const
{
    for (QWidget* widget = QApplication::focusWidget(); widget; widget = widget->parentWidget())
        for (const Placed& placed : m_placed)
            if (placed.dock == widget) return placed.dock;
    return nullptr;
}

void DockArea::reveal(PanelDock& dock)
{
    if (&dock != m_maximized && !dock.isFloating()) endMaximized();
    dock.show();
    dock.raise();
    if (dock.isFloating()) dock.activateWindow();
}

void DockArea::exchange(const std::vector<PanelDock*>& shown)
{
    endMaximized();
    setUpdatesEnabled(false);
    for (PanelDock* dock : shown) dock->hold(true);  // until all has settled: only what is on top is made
    for (PanelDock* dock : shown) dock->show();
    for (const Placed& placed : m_placed) {
        const bool stays = placed.place == PanelPlace::Under
                           || std::find(shown.begin(), shown.end(), placed.dock) != shown.end();
        const bool isStacked = isDocked(*placed.dock, Qt::TopDockWidgetArea)
                               || isDocked(*placed.dock, Qt::BottomDockWidgetArea);
        if (!stays && isStacked) placed.dock->hide();
    }
    for (PanelDock* dock : shown)
        if (!dock->isFloating()) dock->raise();
    m_folded.clear();
    setUpdatesEnabled(true);
    m_settling.start();
}

void DockArea::share(int more)
{
    m_more = more;
    if (!m_isSharedByHand || more > 0) shareHeight();
}

bool DockArea::isBelow(const PanelDock& dock) const
{
    return std::any_of(m_placed.begin(), m_placed.end(), [&dock](const Placed& placed) {
        return placed.dock == &dock && placed.place == PanelPlace::Below;
    });
}

void DockArea::setBelowWanted(bool wanted)
{
    if (wanted == m_isBelowWanted) return;
    m_isBelowWanted = wanted;
    if (isVisible() && !m_isSharedByHand && !m_maximized) shareHeight();
}

void DockArea::toggleMaximized(PanelDock& dock)
{
    const bool isBack = &dock == m_maximized;
    endMaximized();
    if (isBack || dock.isFloating()) return;
    m_layoutBefore = saveLayout();
    m_maximized = &dock;
    for (const Placed& placed : m_placed)
        if (!placed.dock->isHidden() && !placed.dock->isFloating() && placed.dock->window() == window())
            m_aside.push_back({placed.dock, placed.dock->isOnScreen(), placed.dock->size()});
    for (const Aside& aside : m_aside)
        if (aside.dock != &dock) aside.dock->hide();
    dock.title().setMaximized(true);
    dock.show();
    m_settling.start();
    Q_EMIT maximizedChanged();
}

// Docks that were made windows meanwhile stay so.
void DockArea::endMaximized()
{
    if (!m_maximized) return;
    const std::vector<Aside> aside = m_aside;
    forgetMaximized();
    Q_EMIT maximizedChanged();  // first, so that the area has its size again
    QList<QDockWidget*> shown;
    QList<int> widths, heights;
    for (const Aside& one : aside) {
        one.dock->show();
        if (one.dock->isFloating() || !one.onTop) continue;
        one.dock->raise();
        shown.append(one.dock);
        widths.append(one.size.width());
        heights.append(one.size.height());
    }
    resizeDocks(shown, widths, Qt::Horizontal);
    resizeDocks(shown, heights, Qt::Vertical);
    m_settling.start();
}

void DockArea::forgetMaximized()
{
    if (m_maximized) m_maximized->title().setMaximized(false);
    m_maximized = nullptr;
    m_aside.clear();
    m_layoutBefore.clear();
}

bool DockArea::isDocked(PanelDock& dock, Qt::DockWidgetArea area) const
{
    return !dock.isHidden() && !dock.isFloating() && dockWidgetArea(&dock) == area;
}

std::vector<PanelDock*> DockArea::below() const
{
    std::vector<PanelDock*> docks;
    for (const Placed& placed : m_placed)
        if (isDocked(*placed.dock, Qt::BottomDockWidgetArea)) docks.push_back(placed.dock);
    return docks;
}

bool DockArea::isBelowShown() const { return !below().empty(); }

void DockArea::setBelowShown(bool shown)
{
    endMaximized();
    if (shown == isBelowShown()) return;
    if (!shown) {
        std::vector<PanelDock*> docks = below();
        std::stable_partition(docks.begin(), docks.end(), [](const PanelDock* dock) { return !dock->isOnScreen(); });
        m_folded.clear();
        for (PanelDock* dock : docks) {
            m_folded.append(dock->objectName());
            dock->hide();
        }
        return;
    }
    if (m_folded.isEmpty())
        for (const Placed& placed : m_placed)
            if (placed.open && placed.place == PanelPlace::Below) m_folded.prepend(placed.dock->objectName());
    for (const QString& id : std::exchange(m_folded, {}))
        if (PanelDock* dock = find(id)) reveal(*dock);
}

QByteArray DockArea::saveLayout() const
{
    if (m_maximized) return m_layoutBefore;
    QByteArray layout;
    QDataStream stream(&layout, QIODevice::WriteOnly);
    stream << saveState(layoutVersion) << m_folded << m_isSharedByHand;
    return layout;
}

bool DockArea::restoreLayout(const QByteArray& layout)
{
    forgetMaximized();
    QByteArray state;
    QStringList folded;
    QDataStream stream(layout);
    stream >> state >> folded;
    if (layout.isEmpty() || stream.status() != QDataStream::Ok || !restoreState(state, layoutVersion)) {
        resetLayout();
        return false;
    }
    m_folded = folded;
    m_isSharedByHand = true;
    if (!stream.atEnd()) stream >> m_isSharedByHand;
    m_landed = nullptr;
    if (!isVisible()) m_sizes = state;
    for (const Placed& placed : m_placed)
        if (!placed.dock->isFloating() && dockWidgetArea(placed.dock) == Qt::NoDockWidgetArea) {
            put(placed);
            placed.dock->hide();
        }
    m_settling.start();
    return true;
}

void DockArea::resetLayout()
{
    const bool wasMaximized = m_maximized != nullptr;
    forgetMaximized();
    if (wasMaximized) Q_EMIT maximizedChanged();
    for (const Placed& placed : m_placed) {
        placed.dock->setFloating(false);
        removeDockWidget(placed.dock);
    }
    m_folded.clear();
    m_sizes.clear();
    for (const Placed& placed : m_placed) put(placed);
    std::for_each(m_placed.rbegin(), m_placed.rend(), [](const Placed& placed) {
        if (placed.open) placed.dock->raise();  // so that the first one of each place is on top
    });
    m_isSharedByHand = false;
    if (isVisible()) shareHeight();
    m_settling.start();
}

void DockArea::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (const QByteArray sizes = std::exchange(m_sizes, {}); !sizes.isEmpty()) {
        std::vector<PanelDock*> hidden;  // since the layout was restored
        for (const Placed& placed : m_placed)
            if (placed.dock->isHidden()) hidden.push_back(placed.dock);
        restoreState(sizes, layoutVersion);
        bool isBare = false;
        for (PanelDock* dock : hidden) {
            isBare = isBare || (m_tabs->isCurrent(*dock) && dockWidgetArea(dock) == Qt::TopDockWidgetArea);
            dock->hide();
        }
        // The view that was on top in the centre is hidden now: the timeline comes to the top, and not the next tab.
        if (isBare) {
            m_placed.front().dock->show();
            m_placed.front().dock->raise();
        }
    }
    if (!m_isSharedByHand) shareHeight();
    settle();
}

// A press where no child lies is one on a separator between docks. (Views, too, may leave a press to the area.)
bool DockArea::event(QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress
        && childAt(static_cast<QMouseEvent*>(event)->position().toPoint()) == nullptr)
        m_isSharedByHand = true;
    return QMainWindow::event(event);
}

// Otherwise Qt would give each dock the same part of what the area has grown by.
void DockArea::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (isVisible() && !m_isSharedByHand && !m_maximized) shareHeight();
}

// Gives seven tenths to the centre, less in a low window. Two runs above each other need the room: then the foot shows
// some rows only.
void DockArea::shareHeight()
{
    // Pixels that the foot gets at least: usually, where it is what was asked for, and below two runs.
    constexpr int leastFoot = 220, leastWanted = 290, leastOfTwo = 184;
    QDockWidget *centre = nullptr, *under = nullptr, *foot = nullptr;
    for (const Placed& placed : m_placed) {
        if (isDocked(*placed.dock, Qt::BottomDockWidgetArea)) foot = placed.dock;
        if (isDocked(*placed.dock, Qt::TopDockWidgetArea))
            (placed.place == PanelPlace::Under ? under : centre) = placed.dock;
    }
    const int share = under ? height() * 2 / 10 : height() * 3 / 10;
    const int low = foot ? std::max(share, under             ? std::min(leastOfTwo, height() * 2 / 5)
                                           : m_isBelowWanted ? std::min(leastWanted, height() / 2)
                                                             : std::min(leastFoot, height() * 2 / 5))
                         : 0;
    const int room = height() - low;
    QList<QDockWidget*> docks;
    QList<int> heights;
    const auto give = [&](QDockWidget* dock, int pixels) {
        if (!dock) return;
        docks.append(dock);
        heights.append(pixels);
    };
    give(centre, under ? (room + m_more) / 2 : room);
    give(under, (room - m_more) / 2);
    give(foot, low);
    if (docks.size() > 1) resizeDocks(docks, heights, Qt::Vertical);
}

// Qt puts a dock back behind other tabs, and gives it the least room beside another dock: it is to be seen.
void DockArea::showLanded()
{
    PanelDock* dock = std::exchange(m_landed, nullptr);
    if (!dock || dock->isHidden() || dock->isFloating()) return;
    dock->raise();
    if (dock->width() * 4 < width()) resizeDocks({dock}, {width() * 2 / 5}, Qt::Horizontal);
}

// Dresses tabs and titles after docks have moved. A dock's name stands on its tab or else on its title strip; a view
// that has the centre for itself needs none.
void DockArea::settle()
{
    constexpr int whileDragging = 60;  // ms
    m_tabs->dress();
    for (const Placed& placed : m_placed) placed.dock->hold(false);
    if (QApplication::mouseButtons() == Qt::NoButton) {
        for (const Placed& placed : m_placed)
            if (placed.dock->parent() == this) placed.dock->frameWindow();
        showLanded();
    } else {
        QTimer::singleShot(whileDragging, this, [this] { m_settling.start(); });
    }
    const auto inCentre = std::count_if(m_placed.begin(), m_placed.end(), [this](const Placed& placed) {
        return isDocked(*placed.dock, Qt::TopDockWidgetArea);
    });
    for (const Placed& placed : m_placed) {
        // Among these Qt counts docks that are closed, or windows of their own.
        const QList<QDockWidget*> others = tabifiedDockWidgets(placed.dock);
        const bool isTab = std::any_of(others.begin(), others.end(), [&placed](const QDockWidget* dock) {
            return !dock->isHidden() && dock->window() == placed.dock->window();
        });
        const bool isAlone = !m_maximized && inCentre == 1 && isDocked(*placed.dock, Qt::TopDockWidgetArea);
        placed.dock->setTab(isTab);
        const bool isNamed = isTab && !placed.dock->keepsTitle();
        placed.dock->title().setFolded((isNamed || isAlone) && placed.dock->window() == window());
        placed.dock->followTitle();
    }
    Q_EMIT shownChanged();
}

}  // namespace longpole
