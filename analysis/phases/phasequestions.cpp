// SPDX-License-Identifier: GPL-3.0-or-later
// Searches the path that others may have asked for.
#include "analysis/phases/phasequestions.h"

#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const PathPhases>> PathPhasesQuestion::compute(Results& results, const Progress& progress) const
{
    const auto found = results.ask(path, progress);
    if (!found.ok()) return found.error();
    Result<PathPhases> repeated = pathPhases(**found, phases, progress);
    if (!repeated.ok()) return repeated.error();
    return std::make_shared<const PathPhases>(std::move(*repeated));
}

std::int64_t PathPhasesQuestion::bytes(const PathPhases& phases)
{
    return bytesOf(phases.path.symbols) + bytesOf(phases.path.tasks) + bytesOf(phases.path.parts)
           + bytesOf(phases.searched.symbols) + bytesOf(phases.searched.begins)
           + bytesOfAll(phases.phases,
                        [](const Phase& phase) { return bytesOf(phase.pattern) + bytesOf(phase.begins); });
}

}  // namespace longpole
