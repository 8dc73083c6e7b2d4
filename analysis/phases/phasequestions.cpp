// SPDX-License-Identifier: GPL-3.0-or-later
// Searches the path that others may have asked for.
#include "analysis/phases/phasequestions.h"

#include "analysis/phases/rounds.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<PathPhases> phasesAlong(Results& results, const CriticalPath& path, TimeRange part,
                               const PhaseQuestion& question, const Progress& progress)
{
    Result<PathPhases> repeated = pathPhases(path, question, progress);
    if (!repeated.ok()) return repeated.error();
    if (Result<> found = findRounds(results.store(), part, *repeated, progress); !found) return found.error();
    return repeated;
}

Result<std::shared_ptr<const PathPhases>> PathPhasesQuestion::compute(Results& results, const Progress& progress) const
{
    const auto asked = results.ask(path, progress);
    if (!asked.ok()) return asked.error();
    Result<PathPhases> found = phasesAlong(results, **asked, path.part, phases, progress);
    if (found.ok()) found->path.symbols = {};  // `searched` has them
    return sharedAnswer(std::move(found));
}

std::int64_t PathPhasesQuestion::bytes(const PathPhases& phases)
{
    return bytesOf(phases.path.symbols) + bytesOf(phases.path.tasks) + bytesOf(phases.path.parts)
           + bytesOf(phases.searched.symbols) + bytesOf(phases.searched.begins)
           + bytesOfAll(phases.phases, [](const Phase& phase) {
                 return bytesOf(phase.pattern) + bytesOf(phase.begins) + bytesOf(phase.rounds);
             });
}

}  // namespace longpole
