// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of repeated phases, of the pieces into which they cut the run, and of a folded trace.
#pragma once

#include "analysis/base/table.h"
#include "analysis/phases/foldedtrace.h"
#include "analysis/phases/pathphases.h"

#include <span>
#include <vector>

namespace longpole {

// A phase, with how many pieces it cuts the run into and how long they take.
struct PhaseRow {
    std::size_t number = 0;  // from 1
    const Phase* phase = nullptr;
    std::size_t pieces = 0;
    InstanceDurations durations{};
};
std::vector<PhaseRow> phaseRows(const PathPhases& phases, PhaseCut cut);
Table<PhaseRow> phaseTable(const TableScope& scope);

// A piece, with how its duration compares to that of the others.
struct PhaseSpan {
    std::size_t phase = 0, number = 0;  // from 1
    TimeRange span{};                   // offsets if the phases are those of a text
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
