// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that the desktop program can do, in one table, from which menus, shortcuts, tips, the command palette and
// the key help are made.
#pragma once

#include "app/gui/frame/overlay.h"
#include "core/trace/vocabulary.h"
#include "views/state/panelspec.h"

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
class TraceStore;

struct ActionSpec {
    const char* id;    // "file.open"; "-" is a separator
    const char* menu;  // its untranslated title, or titles down to that of a submenu, with / between; empty: in no menu
    Saying text;
    const char* shortcuts;  // portable texts, separated by blanks
    Saying tip;
    std::function<void(MainWindow& window)> run;
    bool needsTrace = true;
    bool (*isOn)(const MainWindow& window) = nullptr;  // checkable where there is one
    const PanelSpec* panel = nullptr;                  // which it shows: greyed where the trace cannot have it
    PanelNeeds needs = PanelNeeds::Nothing;            // of what shows no panel: greyed where the trace lacks it

    bool isSeparator() const { return id[0] == '-'; }
    PanelNeeds allNeeds() const { return panel ? panel->needs : needs; }
};

// The rows of the table, among them one for each panel.
const std::vector<ActionSpec>& actionSpecs();

// A QAction for each row but separators, owned by the window.
class Actions {
public:
    explicit Actions(MainWindow& window);

    void addMenus(QMenuBar& bar);
    // Enables what can be done with the trace (null: there is none), and checks what is on.
    void refresh(const TraceStore* trace);
    // Sets texts and tips in the words of the trace, with what it lacks; null: there is none.
    void speak(const TraceStore* trace);
    QAction* find(const QString& id) const;  // null if there is none
    const std::vector<QAction*>& all() const { return m_actions; }

private:
    MainWindow& m_window;
    std::vector<QAction*> m_actions;
    std::vector<const ActionSpec*> m_specs;  // in the order of m_actions
};

// A text of the table in the user's language.
QString translatedAction(const char* text);
QList<QKeySequence> shortcutsOf(const ActionSpec& spec);

// The gestures on the timeline, then the actions that have keys.
std::vector<KeyLine> keyLines(Vocabulary words);

}  // namespace longpole
