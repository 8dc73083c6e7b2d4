// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/phasecuts.h"

#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

std::vector<PhaseSpan> phaseSpans(std::span<const TimeRange> pieces, std::size_t phase)
{
    const InstanceDurations durations = instanceDurations(pieces);
    std::vector<PhaseSpan> spans;
    spans.reserve(pieces.size());
    for (const TimeRange& piece : pieces) spans.push_back({phase, spans.size() + 1, piece, durations.median});
    for (const std::size_t slow : durations.slow) spans[slow].isSlow = true;
    return spans;
}

Result<std::shared_ptr<const CutPhases>> CutPhasesQuestion::compute(Results& results, const Progress& progress) const
{
    const auto phases = results.ask(of, progress);
    if (!phases.ok()) return phases.error();
    CutPhases cuts{.phases = *phases, .durations = {}};
    for (const Phase& phase : cuts.phases->phases) {
        const std::vector<TimeRange> ranges = rangesOf(phasePieces(*cuts.phases, phase, cut, progress));
        if (progress.isCancelled()) return cancelledError();
        cuts.durations.push_back({ranges.size(), instanceDurations(ranges)});
    }
    return std::make_shared<const CutPhases>(std::move(cuts));
}

std::int64_t CutPhasesQuestion::bytes(const CutPhases& cuts)
{
    return bytesOfAll(cuts.durations, [](const PhaseDurations& one) { return bytesOf(one.durations.slow); });
}

Result<std::shared_ptr<const CutRun>> CutRunQuestion::compute(Results& results, const Progress& progress) const
{
    const auto phases = results.ask(of, progress);
    if (!phases.ok()) return phases.error();
    CutRun run;
    if (phase < (*phases)->phases.size()) {
        const Phase& one = (*phases)->phases[phase];
        run.pieces = phasePieces(**phases, one, cut, progress);
        run.repeats = cut == PhaseCut::Iterations ? exactIterations(**phases, one, progress) : run.pieces;
        if (progress.isCancelled()) return cancelledError();
        run.spans = phaseSpans(rangesOf(run.pieces), phase + 1);
    }
    return std::make_shared<const CutRun>(std::move(run));
}

std::int64_t CutRunQuestion::bytes(const CutRun& run)
{
    return bytesOf(run.pieces) + bytesOf(run.repeats) + bytesOf(run.spans);
}

}  // namespace longpole
