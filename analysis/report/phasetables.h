// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of repeated phases, of the pieces into which they cut the run, and of a folded trace.
#pragma once

#include "analysis/base/table.h"
#include "analysis/phases/foldedtrace.h"
#include "analysis/phases/phasecuts.h"

#include <vector>

namespace longpole {

// A phase, with how many pieces it cuts the run into and how long they take.
struct PhaseRow {
    std::size_t number = 0;  // from 1
    const Phase* phase = nullptr;
    const PhaseDurations* cut = nullptr;
};
std::vector<PhaseRow> phaseRows(const CutPhases& cuts);
Table<PhaseRow> phaseTable(const TableScope& scope);

Table<PhaseSpan> phaseSpanTable(const TableScope& scope);

// A folded trace that was written.
struct FoldedTrace {
    QString file;
    FoldReport report{};
};
Table<FoldedTrace> foldTable(const TableScope& scope);

std::vector<TableInfo> phaseTables(Vocabulary words);

}  // namespace longpole
