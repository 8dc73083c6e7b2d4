// SPDX-License-Identifier: GPL-3.0-or-later
// The views beside the timeline, one line each: their tabs, the menu entries and keys that show them, and the sidebar's
// entries are made from the list.
#pragma once

#include "app/gui/frame/dockarea.h"

#include <QWidget>

#include <span>

namespace longpole {

class Workspace;

// Where menus and sidebar list a view.
enum class PanelGroup : std::uint8_t { Projections, Expert, CriticalPath, Tables };

// What of a trace: executions and messages, which a summary lacks; MPI ranks, without which the sidebar leaves it out.
enum class PanelNeeds : std::uint8_t { Nothing, Events, Ranks };

// Texts are untranslated; see panelText. Alt+1 ... Alt+9 show the first nine panels of the list.
struct PanelSpec {
    const char* id;       // names the dock in saved layouts, the action that shows it, and its entry in the sidebar
    const char* title;    // of the tab
    const char* command;  // in the menu
    const char* tip;
    PanelGroup group;
    PanelPlace place;  // where it stands until the hand moves it
    bool open;         // without being asked for
    PanelNeeds needs;  // where the trace lacks it, a page that says so takes its place
    // Called when it first shows: what its constructor finds in the ViewState may be there already. Connects what is
    // particular to it; errors go to Workspace::failed.
    QWidget* (*create)(Workspace& workspace, QWidget* parent);
};

std::span<const PanelSpec> panelSpecs();
QString panelText(const char* text);

namespace panels {
inline constexpr char timelines[] = "view.timelines";  // not of the list: it is always there
inline constexpr char second[] = "view.second";        // nor this: it is there with a second trace
inline constexpr char comparison[] = "panel.comparison";
inline constexpr char path[] = "panel.path";
inline constexpr char whatIf[] = "panel.whatif";
inline constexpr char streaming[] = "panel.streaming";
inline constexpr char graph[] = "panel.graph";
inline constexpr char activity[] = "panel.activity";
inline constexpr char nearCritical[] = "panel.nearCritical";
inline constexpr char parallelism[] = "panel.parallelism";
inline constexpr char animation[] = "panel.animation";
inline constexpr char histogram[] = "panel.histogram";
inline constexpr char commMatrix[] = "panel.commMatrix";
inline constexpr char tree[] = "panel.tree";
inline constexpr char priorities[] = "panel.priorities";
inline constexpr char entries[] = "panel.entries";
inline constexpr char noise[] = "panel.noise";
inline constexpr char selection[] = "panel.selection";
inline constexpr char phases[] = "panel.phases";
inline constexpr char log[] = "panel.log";
inline constexpr char speculative[] = "panel.speculative";
inline constexpr char sql[] = "panel.sql";
inline constexpr char overview[] = "panel.overview";
inline constexpr char detail[] = "panel.detail";
inline constexpr char waitStates[] = "panel.waitStates";
inline constexpr char mpiCalls[] = "panel.mpiCalls";
inline constexpr char efficiency[] = "panel.efficiency";
}  // namespace panels

}  // namespace longpole
