// The panels below the timeline, one line each: their tabs, the menu entries and keys that show them, and the sidebar's
// entries are made from the list.
#pragma once

#include <QWidget>

#include <span>

namespace longpole {

class Workspace;

// Texts are untranslated; see panelText. Alt+1 ... Alt+9 show the panels in the order of the list.
struct PanelSpec {
    const char* id;       // names the tab, the action that shows it, and its entry in the sidebar
    const char* title;    // of the tab
    const char* command;  // in the menu
    const char* tip;
    bool inSidebar;       // among what the expert says
    // Made once per trace. Connects what is particular to it; errors go to Workspace::failed.
    QWidget* (*create)(Workspace& workspace, QWidget* parent);
};

std::span<const PanelSpec> panelSpecs();
QString panelText(const char* text);

namespace panels {
inline constexpr char path[] = "panel.path";
inline constexpr char whatIf[] = "panel.whatif";
inline constexpr char streaming[] = "panel.streaming";
inline constexpr char graph[] = "panel.graph";
inline constexpr char activity[] = "panel.activity";
inline constexpr char nearCritical[] = "panel.nearCritical";
inline constexpr char parallelism[] = "panel.parallelism";
inline constexpr char selection[] = "panel.selection";
inline constexpr char sql[] = "panel.sql";
}  // namespace panels

}  // namespace longpole
