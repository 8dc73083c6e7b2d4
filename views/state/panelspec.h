// SPDX-License-Identifier: GPL-3.0-or-later
// How a panel describes itself: its name, what it needs of a trace, what it shows and how to read it, and how it is
// made. Docks, menus, keys, the sidebar, the command palette, the help of each view and the tests follow the list of
// these (app/gui/window/panels.h).
#pragma once

#include "core/trace/vocabulary.h"
#include "views/state/panelhost.h"

#include <QCoreApplication>

#include <cstdint>

namespace longpole {

// Where menus and sidebar list a panel.
enum class PanelGroup : std::uint8_t { Projections, Expert, CriticalPath, Tables };

// What of a trace: executions and messages, which a summary lacks; MPI ranks, without which the sidebar leaves it out.
enum class PanelNeeds : std::uint8_t { Nothing, Events, Ranks };

// Where it stands until the hand moves it. Under: in a row of its own between centre and below.
enum class PanelPlace : std::uint8_t { Centre, Under, Below };

// Texts are untranslated, of the context "Actions"; see panelText.
struct PanelSpec {
    const char* id;  // names the dock in saved layouts, the action that shows it, and its entry in the sidebar
    Saying title;    // of the tab
    Saying command;  // in the menu
    Saying tip;      // what it shows, in a few words
    Saying help;     // what it shows and how to read it, in a sentence or two
    PanelGroup group;
    PanelPlace place = PanelPlace::Below;
    bool open = false;                       // without being asked for
    PanelNeeds needs = PanelNeeds::Nothing;  // where the trace lacks it, a page that says so takes its place
    const char* key = "";                    // a portable text such as "Alt+1"; empty: none
    // Called when it first shows: what its constructor finds in the ViewState may be there already.
    QWidget* (*create)(PanelHost& host, QWidget* parent);
};

inline QString panelText(Vocabulary words, const Saying& text)
{
    return QCoreApplication::translate("Actions", words.say(text));
}

// The `create` of a panel that is made of the view state alone and says what could not be exported.
template <typename PanelType>
QWidget* makePanel(PanelHost& host, QWidget* parent)
{
    auto* panel = new PanelType(host.state(), parent);
    QObject::connect(panel, &PanelType::exportFailed, &host, &PanelHost::failed);
    return panel;
}

}  // namespace longpole
