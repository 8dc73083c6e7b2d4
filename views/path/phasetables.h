// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the phase panel: the phases found, and the pieces into which one of them cuts the run.
#pragma once

#include "analysis/phases/phasecuts.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/charts/symbolgrid.h"
#include "views/widgets/tablemodel.h"

#include <memory>

namespace longpole {

// What a piece is called: "iteration", "repeat" or "instance".
QString pieceName(PhaseCut cut);

// One row per phase.
TableContent phaseContent(const std::shared_ptr<const TraceStore>& store, const std::shared_ptr<const CutPhases>& cuts,
                          const SymbolLetters& letters);

// One row per piece; pieces longer than median + 3 x spread have the theme's warning colour.
TableContent pieceContent(const std::shared_ptr<const TraceStore>& store, const std::shared_ptr<const CutRun>& run,
                          const Theme& theme);

}  // namespace longpole
