// SPDX-License-Identifier: GPL-3.0-or-later
// Programs for the machine, like real ones whose gain from a priority was measured: a chain behind bulk work, a
// pipeline, a blocked token, a master with workers, wavefronts, forks and joins, stencils, panels with updates, trees.
// Their sizes are drawn from a seed.
#pragma once

#include "support/machines/machine.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace longpole {

struct MachineProgram {
    const char* name;
    // Adds chares and entry methods; returns the entry to start with. The same seed makes the same program.
    std::uint32_t (*build)(Machine& machine, std::uint64_t seed);
    std::vector<const char*> candidates;  // entry methods to prioritise
};

const std::vector<MachineProgram>& machinePrograms();
// A panel that is broadcast to a group: one more, for broadcasts that wait.
const MachineProgram& panelsThatAreBroadcast();

}  // namespace longpole
