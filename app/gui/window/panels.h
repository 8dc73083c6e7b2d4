// SPDX-License-Identifier: GPL-3.0-or-later
// The list of the panels, from which docks, menu entries, keys, the sidebar's entries, F1 help and tests are made.
#pragma once

#include "views/state/panelspec.h"

#include <span>

namespace longpole {

std::span<const PanelSpec* const> panelSpecs();
// What is said of the right column's pages, which are no docks: their F1 help.
std::span<const PanelSpec* const> columnSpecs();

namespace panels {

inline constexpr char timelines[] = "view.timelines";  // not in the list: it is always there
inline constexpr char second[] = "view.second";        // nor this: there is one while a second trace is open

// Each is defined in the file of its panel.
extern const PanelSpec path;
extern const PanelSpec nearCritical;
extern const PanelSpec whatIf;
extern const PanelSpec parallelism;
extern const PanelSpec streaming;
extern const PanelSpec graph;
extern const PanelSpec activity;
extern const PanelSpec comparison;
extern const PanelSpec overview;
extern const PanelSpec detail;
extern const PanelSpec animation;
extern const PanelSpec histogram;
extern const PanelSpec commMatrix;
extern const PanelSpec noise;
extern const PanelSpec tree;
extern const PanelSpec priorities;
extern const PanelSpec speculative;
extern const PanelSpec entries;
extern const PanelSpec selection;
extern const PanelSpec sql;
extern const PanelSpec log;
extern const PanelSpec phases;
extern const PanelSpec waitStates;
extern const PanelSpec efficiency;
extern const PanelSpec mpiCalls;
extern const PanelSpec source;
extern const PanelSpec advice;  // a page of the right column

}  // namespace panels

}  // namespace longpole
