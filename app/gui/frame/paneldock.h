// SPDX-License-Identifier: GPL-3.0-or-later
// A view that can be a tab, stand beside another or be a window of its own. Its content is made when it first shows, so
// that many panels cost an opening trace nothing.
#pragma once

#include <QDockWidget>

#include <functional>

class QLabel;
class QMenu;
class QToolButton;

namespace longpole {

// The strip above a panel that shares its place with no other; tabs say the name otherwise, and the strip folds away.
class DockTitle : public QWidget {
    Q_OBJECT
public:
    explicit DockTitle(QDockWidget& dock);

    void setText(const QString& text);    // instead of the dock's name
    void setHelp(const QString& text);    // in a few words; more when the button is pressed
    void addControls(QWidget* controls);  // between the text and the buttons
    void setFolded(bool folded);
    bool isFolded() const { return m_folded; }
    void follow();  // the dock became a window, or a part of the area again
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    QToolButton* addButton(const QString& text);

    QDockWidget& m_dock;
    QLabel* m_name;
    QWidget* m_controls = nullptr;
    QToolButton* m_help;
    QToolButton* m_window;
    QToolButton* m_close;
    bool m_folded = false;
};

class PanelDock : public QDockWidget {
    Q_OBJECT
public:
    using Create = std::function<QWidget*(QWidget* parent)>;

    // `id` names it in saved layouts. `create` is called once at most.
    PanelDock(const QString& id, const QString& title, Create create, QWidget* parent);

    // Makes it if need be.
    QWidget& content();
    bool isMade() const { return m_content != nullptr; }
    // Not closed and not behind another tab.
    bool isOnScreen() const { return m_onScreen; }
    DockTitle& title() { return *m_title; }
    // What the view shows, in a few words: with it, strip and menu offer help.
    void setHelp(const QString& text);
    bool hasHelp() const { return m_hasHelp; }
    // Torn off, it gets the frame that the desktop gives windows. Not to be called in the middle of a drag.
    void frameWindow();
    void setTab(bool isTab);  // one of several on top of each other: a line parts it from its tab

Q_SIGNALS:
    void onScreenChanged();
    void closedByHand();
    void helpRequested();

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void follow(bool onScreen);

    Create m_create;
    QWidget* m_holder;
    QWidget* m_line;
    QWidget* m_content = nullptr;
    DockTitle* m_title;
    bool m_onScreen = false;
    bool m_hasHelp = false;
};

// What a right click on its tab or strip offers.
void fillDockMenu(QMenu& menu, QDockWidget& dock);

}  // namespace longpole
