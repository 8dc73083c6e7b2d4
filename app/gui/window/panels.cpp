// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/panels.h"

namespace longpole {

namespace {

// In the order of their tabs and of the entries of their places.
constexpr const PanelSpec* allPanels[] = {
    &panels::path,        &panels::waitStates,  &panels::mpiCalls,   &panels::source,    &panels::efficiency,
    &panels::parallelism, &panels::noise,       &panels::tree,       &panels::whatIf,    &panels::nearCritical,
    &panels::priorities,  &panels::speculative, &panels::comparison, &panels::selection, &panels::overview,
    &panels::detail,      &panels::animation,   &panels::phases,     &panels::entries,   &panels::histogram,
    &panels::commMatrix,  &panels::log,         &panels::sql,        &panels::graph,     &panels::activity,
    &panels::streaming,
};

constexpr const PanelSpec* columnPages[] = {&panels::advice};

}  // namespace

std::span<const PanelSpec* const> panelSpecs() { return allPanels; }
std::span<const PanelSpec* const> columnSpecs() { return columnPages; }

}  // namespace longpole
