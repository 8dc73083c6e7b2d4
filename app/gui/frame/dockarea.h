// SPDX-License-Identifier: GPL-3.0-or-later
// Where the views of a trace stand: as tabs in the centre and below it, which the user can drag beside each other or
// out of the window. The timeline is a view like the others.
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

    // Panels of one place are tabs in the order in which they are added. `open`: it shows without being asked for.
    PanelDock& add(const QString& id, const QString& title, PanelPlace place, bool open, PanelDock::Create create);

    PanelDock* find(const QString& id) const;  // null if there is none
    std::vector<PanelDock*> docks() const;
    // The one that has the keyboard's focus; null if none has.
    PanelDock* focused() const;
    // Opens it where it was, or brings its tab to the top.
    void reveal(PanelDock& dock);
    // Closes what else stands in the centre and below it and opens these, as tabs; docks that the user has put to a
    // side, or made windows, stay. The last one of each place is on top.
    void exchange(const std::vector<PanelDock*>& shown);
    // Shares the height among what is shown: a view in the centre gets `more` pixels more than the one of place Under.
    // 0: there is none of that place, and heights that the user has dragged stay.
    void share(int more);

    // Whether the views below are what was asked for: then they get more of a low window.
    void setBelowWanted(bool wanted);
    bool isBelow(const PanelDock& dock) const;  // whether its default place is below the centre

    // All views below the centre together. Showing them opens those that were open when they were hidden.
    bool isBelowShown() const;
    void setBelowShown(bool shown);

    // Gives a dock the room of all that are not windows of their own; again: puts these back as they were.
    void toggleMaximized(PanelDock& dock);
    PanelDock* maximized() const { return m_maximized; }  // null if none is
    void endMaximized();

    QByteArray saveLayout() const;
    // Puts everything where it was. False if `layout` is not one of this version: then everything stands as by default.
    // Panels that it does not know are closed, at their default places.
    bool restoreLayout(const QByteArray& layout);
    void resetLayout();

Q_SIGNALS:
    void shownChanged();  // a view came on top, was hidden or moved
    void maximizedChanged();

protected:
    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Placed {
        PanelDock* dock;
        PanelPlace place;
        bool open;
    };
    // Where a dock stood before another one was maximized.
    struct Aside {
        PanelDock* dock;
        bool onTop;
        QSize size;
    };
    void put(const Placed& placed);
    void forgetMaximized();
    void shareHeight();
    void settle();
    void showLanded();
    bool isDocked(PanelDock& dock, Qt::DockWidgetArea area) const;  // and not closed
    std::vector<PanelDock*> below() const;

    std::vector<Placed> m_placed;
    DockTabs* m_tabs;
    QTimer m_settling;
    QStringList m_folded;  // the ids of what setBelowShown has hidden; the last one was on top
    QByteArray m_sizes;    // restored before the area showed: applied again when it shows and has its size
    int m_more = 0;        // see share()
    bool m_isBelowWanted = false;
    bool m_isSharedByHand = false;  // then Qt alone shares the height when the area grows
    PanelDock* m_maximized = nullptr;
    std::vector<Aside> m_aside;     // the others, while one is maximized
    QByteArray m_layoutBefore;      // to be saved, while one is maximized
    PanelDock* m_landed = nullptr;  // was a window and has just been put back
};

}  // namespace longpole
