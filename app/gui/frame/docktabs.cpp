// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/docktabs.h"

#include "app/gui/frame/paneldock.h"

#include <QAbstractButton>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <vector>

namespace longpole {

namespace {

// The × that closes a tab's dock; shows on the current tab and on the one under the mouse.
class TabCross : public QAbstractButton {
public:
    explicit TabCross(QTabBar& bar) : QAbstractButton(&bar), m_bar(bar)
    {
        setFocusPolicy(Qt::NoFocus);
        setToolTip(QTabBar::tr("Close"));
        setAccessibleName(QTabBar::tr("Close"));
        setFixedSize(14, 14);
    }

    int tab() const { return m_bar.tabAt(geometry().center()); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const int at = tab();
        const bool isSeen = at == m_bar.currentIndex()
                            || m_bar.tabRect(at).contains(m_bar.mapFromGlobal(QCursor::pos()));
        if (!isSeen) return;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(palette().color(underMouse() ? QPalette::WindowText : QPalette::PlaceholderText), 1.2));
        const QPointF middle = QRectF(rect()).center();
        constexpr double arm = 3.2;
        painter.drawLine(middle - QPointF(arm, arm), middle + QPointF(arm, arm));
        painter.drawLine(middle - QPointF(arm, -arm), middle + QPointF(arm, -arm));
    }
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }

private:
    QTabBar& m_bar;
};

// Covers the tabs that the edge of the bar or its scroll buttons cut: a name shows whole or not at all. A click there
// goes to the tab.
class TabEnd : public QWidget {
public:
    TabEnd(QTabBar& bar, bool isLeft) : QWidget(&bar), m_bar(bar), m_isLeft(isLeft)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

    void follow()
    {
        const QRect cut = cutTab();
        if (cut == m_shown) return;
        m_shown = cut;
        setGeometry(cut);
        setVisible(!cut.isEmpty());
        raise();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), palette().color(QPalette::Window));
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect().adjusted(4, 0, -4, 0),
                         static_cast<int>(Qt::AlignVCenter | (m_isLeft ? Qt::AlignRight : Qt::AlignLeft)),
                         QStringLiteral("…"));
    }

private:
    // What shows of the first tab, or of the last one; empty where it is whole.
    QRect cutTab() const
    {
        int end = m_bar.width();
        for (const QToolButton* button : m_bar.findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly))
            if (button->isVisible()) end = std::min(end, button->x());
        const QRect room(0, 0, end, m_bar.height());
        for (int i = 0; end < m_bar.width() && i < m_bar.count(); ++i) {
            const QRect tab = m_bar.tabRect(i);
            const bool isCut = m_isLeft ? tab.left() < room.left() : tab.right() > room.right();
            if (i != m_bar.currentIndex() && isCut && tab.intersects(room)) return tab.intersected(room);
        }
        return {};
    }

    QTabBar& m_bar;
    bool m_isLeft;
    QRect m_shown;
};

std::vector<TabEnd*> endsOf(const QTabBar& bar)
{
    std::vector<TabEnd*> ends;
    for (QObject* child : bar.children())
        if (auto* end = dynamic_cast<TabEnd*>(child)) ends.push_back(end);
    return ends;
}

bool isOfDocks(const QTabBar& bar, const QMainWindow& area)
{
    return bar.parent() == &area || bar.parent()->inherits("QDockWidgetGroupWindow");
}

}  // namespace

DockTabs::DockTabs(QMainWindow& area) : QObject(&area), m_area(area) {}

void DockTabs::dress()
{
    for (QTabBar* bar : m_area.findChildren<QTabBar*>())
        if (isOfDocks(*bar, m_area)) dressBar(*bar);
}

bool DockTabs::isCurrent(const QDockWidget& dock) const
{
    const QList<QTabBar*> bars = m_area.findChildren<QTabBar*>();
    return std::any_of(bars.begin(), bars.end(), [&](const QTabBar* bar) {
        return isOfDocks(*bar, m_area) && dockAt(*bar, bar->currentIndex()) == &dock;
    });
}

void DockTabs::dressBar(QTabBar& bar)
{
    bar.setDrawBase(false);
    bar.setExpanding(false);
    // Names stay whole and the bar scrolls: else many tabs would set the least width of the window.
    bar.setUsesScrollButtons(true);
    bar.setElideMode(Qt::ElideNone);
    bar.setFocusPolicy(Qt::TabFocus);
    for (QToolButton* arrow : bar.findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly))
        arrow->setFocusPolicy(Qt::NoFocus);  // arrow keys on the bar do what they do
    bar.removeEventFilter(this);
    bar.installEventFilter(this);
    if (endsOf(bar).empty())
        for (const bool isLeft : {true, false}) new TabEnd(bar, isLeft);
    for (int i = 0; i < bar.count(); ++i) {
        if (bar.tabButton(i, QTabBar::RightSide)) continue;
        auto* cross = new TabCross(bar);
        connect(cross, &QAbstractButton::clicked, this, [this, cross, &bar] {
            if (QDockWidget* dock = dockAt(bar, cross->tab())) dock->close();
        });
        bar.setTabButton(i, QTabBar::RightSide, cross);
    }
}

// Qt keeps the address of a tab's dock as its data.
QDockWidget* DockTabs::dockAt(const QTabBar& bar, int tab) const
{
    const auto address = qvariant_cast<quintptr>(bar.tabData(tab));
    for (QDockWidget* dock : m_area.findChildren<QDockWidget*>())
        if (reinterpret_cast<quintptr>(dock) == address) return dock;
    return nullptr;
}

// All tabs of the bar, as some may be scrolled out of sight.
void DockTabs::addTabs(QMenu& menu, QTabBar& bar) const
{
    menu.addSeparator();
    for (int i = 0; i < bar.count(); ++i) {
        QAction* action = menu.addAction(bar.tabText(i), &bar, [&bar, i] { bar.setCurrentIndex(i); });
        action->setCheckable(true);
        action->setChecked(i == bar.currentIndex());
    }
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event)
{
    auto& bar = *static_cast<QTabBar*>(watched);
    if (event->type() == QEvent::Paint) {
        for (TabEnd* end : endsOf(bar)) QTimer::singleShot(0, end, [end] { end->follow(); });
        for (int i = 0; i < bar.count(); ++i)
            if (!bar.tabButton(i, QTabBar::RightSide)) {
                Q_EMIT outdated();
                break;
            }
    } else if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        QDockWidget* dock = dockAt(bar, bar.tabAt(mouse->position().toPoint()));
        if (mouse->button() == Qt::MiddleButton && dock) dock->close();
    } else if (event->type() == QEvent::MouseButtonDblClick) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        auto* dock = qobject_cast<PanelDock*>(dockAt(bar, bar.tabAt(mouse->position().toPoint())));
        if (mouse->button() == Qt::LeftButton && dock) {
            Q_EMIT dock->maximizeRequested();
            return true;
        }
    } else if (event->type() == QEvent::ContextMenu) {
        const auto* menuEvent = static_cast<QContextMenuEvent*>(event);
        if (QDockWidget* dock = dockAt(bar, bar.tabAt(menuEvent->pos()))) {
            QMenu menu(&bar);
            fillDockMenu(menu, *dock);
            addTabs(menu, bar);
            menu.exec(menuEvent->globalPos());
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace longpole
