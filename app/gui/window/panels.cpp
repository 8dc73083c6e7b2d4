// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/panels.h"

namespace longpole {

namespace {

// In the order of their tabs and menu entries.
constexpr const PanelSpec* allPanels[] = {
    &panels::path,       &panels::nearCritical, &panels::whatIf,     &panels::parallelism, &panels::streaming,
    &panels::graph,      &panels::activity,     &panels::comparison, &panels::overview,    &panels::detail,
    &panels::animation,  &panels::histogram,    &panels::commMatrix, &panels::noise,       &panels::tree,
    &panels::priorities, &panels::speculative,  &panels::entries,    &panels::selection,   &panels::sql,
    &panels::log,        &panels::phases,       &panels::waitStates, &panels::efficiency,  &panels::mpiCalls,
};

}  // namespace

std::span<const PanelSpec* const> panelSpecs() { return allPanels; }

}  // namespace longpole
