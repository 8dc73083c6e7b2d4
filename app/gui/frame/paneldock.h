// SPDX-License-Identifier: GPL-3.0-or-later
// A view that can be a tab, stand beside others or be a window of its own. Its content is made when it first shows, so
// that opening a trace does not pay for panels that nobody looks at.
#pragma once

#include <QDockWidget>

#include <functional>

class QLabel;
class QMenu;
class QToolButton;

namespace longpole {

// The strip with the name above a panel. Where a tab says the name the strip is folded: it takes no room.
class DockTitle : public QWidget {
    Q_OBJECT
public:
    explicit DockTitle(QDockWidget& dock);

    void setText(const QString& text);    // instead of the dock's name
    void setHelp(const QString& text);    // the tip of a button that asks for more help
    void addControls(QWidget* controls);  // between the text and the buttons
    void setMaximized(bool maximized);    // the dock has the room of all others
    void setFolded(bool folded);
    bool isFolded() const { return m_folded; }
    void follow();  // to be called when the dock has become a window or has been put back
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    QToolButton* addButton(const QString& text);

    QDockWidget& m_dock;
    QLabel* m_name;
    QWidget* m_controls = nullptr;
    QToolButton* m_help;
    QToolButton* m_most;  // gives the dock the room of all others, and back
    QToolButton* m_window;
    QToolButton* m_close;
    bool m_folded = false;
    bool m_maximized = false;
};

class PanelDock : public QDockWidget {
    Q_OBJECT
public:
    using Create = std::function<QWidget*(QWidget* parent)>;

    // `id`: its object name, also in saved layouts. `create` is called at most once.
    PanelDock(const QString& id, const QString& title, Create create, QWidget* parent);

    // Made on the first call.
    QWidget& content();
    bool isMade() const { return m_content != nullptr; }
    // Not closed and not behind another tab.
    bool isOnScreen() const { return m_onScreen; }
    DockTitle& title() { return *m_title; }
    // What the view shows, in a few words; from then on strip and menu offer help.
    void setHelp(const QString& text);
    bool hasHelp() const { return m_hasHelp; }
    // A line above the content: the question that the view answers and what it shows.
    void setHeader(const QString& question, const QString& tip);
    void setHeader(QWidget* header);  // a line of another kind
    QWidget* header() const { return m_header; }
    // Whether the strip stays though a tab bears the dock's name: it says more.
    bool keepsTitle() const { return m_keepsTitle; }
    void setKeepsTitle(bool keeps) { m_keepsTitle = keeps; }
    void followTitle();  // to be called when the strip with the name was folded or unfolded
    // Gives a dock that is a window of its own the frame that the desktop gives windows. Not to be called during a
    // drag.
    void frameWindow();
    // While held it does not follow whether it is on screen: docks pass by while many are exchanged.
    void hold(bool held);
    void setTab(bool isTab);  // if it is one of several tabs, a line parts it from the tabs

Q_SIGNALS:
    void onScreenChanged();
    void closedByHand();
    void helpRequested();
    void maximizeRequested();  // or, if it has the room of all others, back among them

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void follow(bool onScreen);

    Create m_create;
    QWidget* m_holder;
    QWidget* m_line;
    QWidget* m_header = nullptr;
    QToolButton* m_ask = nullptr;  // for help, where the strip does not
    QWidget* m_content = nullptr;
    DockTitle* m_title;
    bool m_onScreen = false;
    bool m_held = false;
    bool m_latest = false;  // whether it is on screen, also while held
    bool m_hasHelp = false;
    bool m_keepsTitle = false;
};

// Fills the menu that a right click on a dock's tab or strip opens.
void fillDockMenu(QMenu& menu, QDockWidget& dock);

}  // namespace longpole
