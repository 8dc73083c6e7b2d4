// SPDX-License-Identifier: GPL-3.0-or-later
// Dresses the tab bars that Qt makes for docks on top of each other: they scroll where there is little room and then
// show no name in part, have a × on the current tab and a menu, and a double click gives a view the whole window.
#pragma once

#include <QObject>

class QDockWidget;
class QMainWindow;
class QMenu;
class QTabBar;

namespace longpole {

class DockTabs : public QObject {
    Q_OBJECT
public:
    explicit DockTabs(QMainWindow& area);

    // To be called after docks have moved. O(tabs).
    void dress();
    // Whether its tab is the current one of several.
    bool isCurrent(const QDockWidget& dock) const;

Q_SIGNALS:
    void outdated();  // Qt has changed a bar: dress() is due

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void dressBar(QTabBar& bar);
    void addTabs(QMenu& menu, QTabBar& bar) const;
    QDockWidget* dockAt(const QTabBar& bar, int tab) const;

    QMainWindow& m_area;
};

}  // namespace longpole
