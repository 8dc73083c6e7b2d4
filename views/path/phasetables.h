// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the panel of repeated phases: what repeats, and the pieces that one of them cuts the run into.
#pragma once

#include "analysis/phases/pathphases.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/charts/symbolgrid.h"
#include "views/widgets/tablemodel.h"

#include <memory>
#include <span>

namespace longpole {

// "iteration", "repeat", "instance".
QString pieceName(PhaseCut cut);

// A row a phase; its durations are those of its pieces by `cut`.
TableContent phaseContent(std::shared_ptr<const TraceStore> store, std::shared_ptr<const PathPhases> phases,
                          const SymbolLetters& letters, PhaseCut cut);

// A row a piece; those above median + 3 x spread carry the theme's warning.
TableContent pieceContent(std::shared_ptr<const TraceStore> store, std::span<const TimeRange> pieces,
                          const Theme& theme);

}  // namespace longpole
