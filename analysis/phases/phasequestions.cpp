// SPDX-License-Identifier: GPL-3.0-or-later
// Searches the path that others may have asked for.
#include "analysis/phases/phasequestions.h"

#include "analysis/phases/rounds.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/results/storedresults.h"
#include "core/base/release.h"

namespace longpole {

Result<PathPhases> phasesAlong(Results& results, const CriticalPath& path, TimeRange part,
                               const PhaseQuestion& question, const Progress& progress)
{
    Result<PathPhases> repeated = pathPhases(path, question, progress);
    if (!repeated.ok()) return repeated.error();
    if (Result<> found = findRounds(results.store(), part, *repeated, progress); !found) return found.error();
    return repeated;
}

namespace {

// Of a Charm++ run whose events are not all there the iterations of the usual question are stored.
bool areRoundsStored(const TraceStore& store, const PathPhasesQuestion& question)
{
    return store.info().isPart() && !store.info().hasRanks()
           && question == PathPhasesQuestion{.path = {.edges = EdgeLevel::Merges}, .phases = {}};
}

Result<PathPhases> phasesWithStored(const TraceStore& store, const CriticalPath& path, const PhaseQuestion& question,
                                    const Progress& progress)
{
    Result<PathPhases> found = pathPhases(path, question, progress);
    if (!found) return found.error();
    const Result<std::vector<StoredRound>> rounds = storedRounds(store);
    if (!rounds) return rounds.error();
    for (const StoredRound& round : *rounds) {
        if (round.phase >= found->phases.size()) return damagedAnswers(store);
        found->phases[round.phase].mark = round.mark;
        found->phases[round.phase].rounds.push_back(round.range);
    }
    return found;
}

}  // namespace

void storePhases(StoredAnswers& answers, const PathPhases& found)
{
    std::vector<StoredRound> rounds;
    for (std::size_t phase = 0; phase < found.phases.size(); ++phase)
        for (const TimeRange& range : found.phases[phase].rounds)
            rounds.push_back({phase, found.phases[phase].mark, range});
    storeRounds(answers, rounds);
}

Result<std::shared_ptr<const PathPhases>> PathPhasesQuestion::compute(Results& results, const Progress& progress) const
{
    const auto asked = results.ask(path, progress);
    if (!asked.ok()) return asked.error();
    Result<PathPhases> found = areRoundsStored(results.store(), *this)
                                   ? phasesWithStored(results.store(), **asked, phases, progress)
                                   : phasesAlong(results, **asked, path.part, phases, progress);
    if (found.ok()) release(found->path.symbols);  // `searched` has them
    return sharedAnswer(std::move(found));
}

std::int64_t PathPhasesQuestion::bytes(const PathPhases& phases)
{
    return bytesOf(phases.path.symbols) + bytesOf(phases.path.tasks) + bytesOf(phases.path.parts)
           + bytesOf(phases.searched.symbols) + bytesOf(phases.searched.begins) + bytesOf(phases.alphabet)
           + bytesOfAll(phases.phases, [](const Phase& phase) {
                 return bytesOf(phase.pattern) + bytesOf(phase.begins) + bytesOf(phase.rounds);
             });
}

}  // namespace longpole
