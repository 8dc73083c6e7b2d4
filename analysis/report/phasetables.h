// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of what repeats: phases, the spans that they cut the run into, and what a folded trace holds.
#pragma once

#include "analysis/base/table.h"
#include "analysis/phases/foldedtrace.h"
#include "analysis/phases/pathphases.h"

#include <span>
#include <vector>

namespace longpole {

// A phase and the pieces that it cuts the run into.
struct PhaseRow {
    std::size_t number = 0;  // from 1
    const Phase* phase = nullptr;
    std::size_t pieces = 0;
    InstanceDurations durations{};
};
std::vector<PhaseRow> phaseRows(const PathPhases& phases, PhaseCut cut);
Table<PhaseRow> phaseTable(const TableScope& scope);

// A piece, and how it stands to the others.
struct PhaseSpan {
    std::size_t phase = 0, number = 0;  // from 1
    TimeRange span{};                   // or offsets in a text
    TimeNs median = 0;
    bool isSlow = false;
};
std::vector<PhaseSpan> phaseSpans(std::span<const TimeRange> pieces, std::size_t phase = 1);
Table<PhaseSpan> phaseSpanTable(const TableScope& scope);

// A folded trace that was written.
struct FoldedTrace {
    QString file;
    FoldReport report{};
};
Table<FoldedTrace> foldTable(const TableScope& scope);

std::vector<TableInfo> phaseTables(Vocabulary words);

}  // namespace longpole
