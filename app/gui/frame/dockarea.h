// SPDX-License-Identifier: GPL-3.0-or-later
// Where the views of a trace stand: tabs in the centre and below it, which the hand drags beside each other or out of
// the window. There is no fixed middle: the timeline is a view like the others.
#pragma once

#include "app/gui/frame/paneldock.h"
#include "views/state/panelspec.h"

#include <QMainWindow>
#include <QStringList>
#include <QTimer>

#include <vector>

namespace longpole {

class DockTabs;

class DockArea : public QMainWindow {
    Q_OBJECT
public:
    explicit DockArea(QWidget* parent = nullptr);

    // Panels of one place are tabs in the order they are added; `open`: also without being asked for.
    PanelDock& add(const QString& id, const QString& title, PanelPlace place, bool open, PanelDock::Create create);

    PanelDock* find(const QString& id) const;  // null if there is none
    std::vector<PanelDock*> docks() const;
    // The one that the keys go to; null if they go elsewhere.
    PanelDock* focused() const;
    // Opens it where it was closed, or brings its tab to the top.
    void reveal(PanelDock& dock);
    // Both get half of what they have, one above the other; the upper one so much more.
    void shareEvenly(PanelDock& upper, PanelDock& lower, int more);

    // The views below the centre, as one; what was open among them opens again.
    bool isBelowShown() const;
    void setBelowShown(bool shown);

    QByteArray saveLayout() const;
    // Everything where it was. False, and all as it is by default, if `layout` is none of this version. Panels it does
    // not know stand where they do by default, closed; what it has beyond ours is left out.
    bool restoreLayout(const QByteArray& layout);
    void resetLayout();

Q_SIGNALS:
    void shownChanged();  // views came on top, went, or moved

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Placed {
        PanelDock* dock;
        PanelPlace place;
        bool open;
    };
    void put(const Placed& placed);
    void shareHeight();
    void settle();
    void showLanded();
    bool isDocked(PanelDock& dock, Qt::DockWidgetArea area) const;  // and not closed
    std::vector<PanelDock*> below() const;

    std::vector<Placed> m_placed;
    DockTabs* m_tabs;
    QTimer m_settling;
    QStringList m_folded;  // ids of what setBelowShown has closed; the last was on top
    QByteArray m_sizes;    // a restored state whose sizes wait for the area's own
    bool m_hasSizes = false;
    PanelDock* m_landed = nullptr;  // was just put back
};

}  // namespace longpole
