// SPDX-License-Identifier: GPL-3.0-or-later
// How a panel describes itself: its name, what it needs of a trace, what it shows and how to read it, and how it is
// made. Docks, menus, keys, the sidebar, the command palette, F1 help and tests follow the list of these descriptions
// (app/gui/window/panels.h).
#pragma once

#include "core/trace/vocabulary.h"
#include "views/state/panelhost.h"

#include <QCoreApplication>

#include <cstdint>

namespace longpole {

// The five places of the window, by what is asked there; each panel belongs to one.
enum class PanelGroup : std::uint8_t { Timeline, WhySlow, WhatIf, Compare, Data };

// What a panel needs of a trace. Events: executions and messages, which a summary lacks. Ranks: of MPI. Queues: of
// tasks that a message-driven program could take in another order. Answers and RankAnswers: as Events and Ranks, or
// what was computed of them for a trace that has events of parts of the run. CallPaths: of MPI calls. Where a trace
// lacks it, the sidebar does not list the panel and the menu says why.
enum class PanelNeeds : std::uint8_t { Nothing, Events, Ranks, Queues, Answers, RankAnswers, CallPaths };

// Where a panel stands until the user moves it. Under: in a row of its own between Centre and Below.
enum class PanelPlace : std::uint8_t { Centre, Under, Below };

// Texts are untranslated (see panelText).
struct PanelSpec {
    const char* id;   // of its dock in saved layouts, of the action that shows it and of its entry in the sidebar
    Saying title;     // of the tab
    Saying command;   // in the menu, behind the question
    Saying question;  // that it answers, in at most 23 letters: what menu and sidebar list
    Saying tip;       // what it shows, in a few words
    Saying help;      // what it shows and how to read it, in a sentence or two
    const char* alsoCalled = "";  // what other tools call it, and what people look for: only the command palette has it
    PanelGroup group;
    PanelPlace place = PanelPlace::Below;
    bool open = false;                       // shows without being asked for
    PanelNeeds needs = PanelNeeds::Nothing;  // where the trace lacks it, a page says so if the panel is asked for
    // Called when it first shows: its constructor must take what the ViewState has already.
    QWidget* (*create)(PanelHost& host, QWidget* parent);
};

inline QString panelText(Vocabulary words, const Saying& text)
{
    return QCoreApplication::translate("Actions", words.say(text));
}

// The `create` of a panel that is made from the view state alone and has the signal exportFailed.
template <typename PanelType>
QWidget* makePanel(PanelHost& host, QWidget* parent)
{
    auto* panel = new PanelType(host.state(), parent);
    QObject::connect(panel, &PanelType::exportFailed, &host, &PanelHost::failed);
    return panel;
}

}  // namespace longpole
