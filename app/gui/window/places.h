// SPDX-License-Identifier: GPL-3.0-or-later
// The five places of the window, in the order of menu, keys and sidebar: each answers one kind of question, by the
// views whose PanelGroup it is.
#pragma once

#include "core/base/result.h"
#include "views/state/panelspec.h"

#include <QString>

#include <span>

namespace longpole {

class TraceStore;

struct PlaceSpec {
    PanelGroup group;
    const char* id;    // of the action that goes there, and of its heading in the sidebar
    Saying title;      // of its menu and heading
    Saying question;   // the kind of question that is asked there
    Saying command;    // the first entry of its menu
    const char* menu;  // the path of its menu
    const char* keys;  // portable text
};

std::span<const PlaceSpec> places();
const PlaceSpec& placeOf(PanelGroup group);
// In the settings: the place of the views that were open last.
QString placeKey();

// The question and the name of a panel, as menus show them.
QString panelQuestion(Vocabulary words, const PanelSpec& panel);

// Error: the trace lacks what a panel needs.
Result<> requireNeeds(PanelNeeds needs, const TraceStore& store);
// In a few words what is lacking; empty if nothing is.
QString lackOf(PanelNeeds needs, const TraceStore& store);

}  // namespace longpole
