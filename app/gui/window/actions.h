// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the desktop program can do, in one table: menus, shortcuts, tool tips, the command palette and the key
// help are driven from it.
#pragma once

#include "app/gui/frame/overlay.h"
#include "core/trace/vocabulary.h"

#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QString>

#include <functional>
#include <vector>

class QAction;
class QMenuBar;

namespace longpole {

class MainWindow;

struct ActionSpec {
    const char* id;    // "file.open"; "-" is a separator
    const char* menu;  // untranslated title; empty: in no menu
    Saying text;
    const char* shortcuts;  // portable texts, separated by blanks
    Saying tip;
    std::function<void(MainWindow& window)> run;
    bool needsTrace = true;
    bool (*isOn)(const MainWindow& window) = nullptr;  // checkable where there is one
};

// The table and one action for each panel.
const std::vector<ActionSpec>& actionSpecs();

// One QAction per row, owned by the window, in the order of the table.
class Actions {
public:
    explicit Actions(MainWindow& window);

    void addMenus(QMenuBar& bar);
    // Enables what can be done now and shows what is on.
    void refresh(bool traceThere);
    // Texts and tool tips in the words of the trace that is looked at.
    void speak(Vocabulary words);
    QAction* find(const QString& id) const;  // null if there is none
    const std::vector<QAction*>& all() const { return m_actions; }

private:
    MainWindow& m_window;
    std::vector<QAction*> m_actions;         // without separators
    std::vector<const ActionSpec*> m_specs;  // of m_actions
};

QList<QKeySequence> shortcutsOf(const ActionSpec& spec);

// The actions that have keys, then the timeline's own gestures.
std::vector<KeyLine> keyLines(Vocabulary words);

}  // namespace longpole
