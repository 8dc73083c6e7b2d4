// SPDX-License-Identifier: GPL-3.0-or-later
// Into what the phases cut the run, as questions: the pieces of one of them, and how long those of each take.
#pragma once

#include "analysis/phases/pathphases.h"
#include "analysis/phases/phasequestions.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

// A piece, with how its duration compares to that of the others.
struct PhaseSpan {
    std::size_t phase = 0, number = 0;  // from 1
    TimeRange span{};                   // offsets if the phases are those of a text
    TimeNs median = 0;
    bool isSlow = false;
};
std::vector<PhaseSpan> phaseSpans(std::span<const TimeRange> pieces, std::size_t phase = 1);

// How many pieces a phase has, and how long they take.
struct PhaseDurations {
    std::size_t pieces = 0;
    InstanceDurations durations{};
};
struct CutPhases {
    std::shared_ptr<const PathPhases> phases;
    std::vector<PhaseDurations> durations;  // of each
};
struct CutPhasesQuestion {
    using Answer = CutPhases;
    static constexpr const char* id = "durations of phases";

    PathPhasesQuestion of{};
    PhaseCut cut = PhaseCut::Iterations;

    Result<std::shared_ptr<const CutPhases>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const CutPhases& cuts);
    friend bool operator==(const CutPhasesQuestion&, const CutPhasesQuestion&) = default;
};

// The pieces of one phase; none if there is no such phase.
struct CutRun {
    std::vector<PhasePiece> pieces{};
    std::vector<PhasePiece> repeats{};  // exactly; the pieces, unless these are iterations
    std::vector<PhaseSpan> spans{};     // of the pieces
};
struct CutRunQuestion {
    using Answer = CutRun;
    static constexpr const char* id = "pieces of a phase";

    PathPhasesQuestion of{};
    std::size_t phase = 0;
    PhaseCut cut = PhaseCut::Iterations;

    Result<std::shared_ptr<const CutRun>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const CutRun& run);
    friend bool operator==(const CutRunQuestion&, const CutRunQuestion&) = default;
};

}  // namespace longpole
