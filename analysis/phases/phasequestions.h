// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about phases: what repeats along a critical path.
#pragma once

#include "analysis/paths/pathquestions.h"
#include "analysis/phases/pathphases.h"

namespace longpole {

struct StoredAnswers;

// What repeats along a path of the run, or of a part of it, and the rounds of its iterations.
Result<PathPhases> phasesAlong(Results& results, const CriticalPath& path, TimeRange part,
                               const PhaseQuestion& question, const Progress& progress);

struct PathPhasesQuestion {
    using Answer = PathPhases;
    static constexpr const char* id = "phases of the path";

    PathQuestion path{};
    PhaseQuestion phases{};

    Result<std::shared_ptr<const PathPhases>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const PathPhases& phases);
    friend bool operator==(const PathPhasesQuestion&, const PathPhasesQuestion&) = default;
};

// Of a Charm++ run: what a trace of parts of the events needs to answer this about the path at level Merges.
void storePhases(StoredAnswers& answers, const PathPhases& found);

}  // namespace longpole
