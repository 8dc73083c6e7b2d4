// SPDX-License-Identifier: GPL-3.0-or-later
// The programs for the machine, by kind: each adds its chares and entry methods and returns the entry to start with.
#pragma once

#include "support/machines/machine.h"

#include <cstdint>

namespace longpole::machineprogram {

std::uint32_t chainAndBulk(Machine& machine, std::uint64_t seed);
std::uint32_t pipeline(Machine& machine, std::uint64_t seed);
std::uint32_t blocker(Machine& machine, std::uint64_t seed);
std::uint32_t masterWorker(Machine& machine, std::uint64_t seed);
std::uint32_t wavefront(Machine& machine, std::uint64_t seed);
std::uint32_t forkJoin(Machine& machine, std::uint64_t seed);
std::uint32_t ringWithBackground(Machine& machine, std::uint64_t seed);
std::uint32_t stencil(Machine& machine, std::uint64_t seed);
std::uint32_t panels(Machine& machine, std::uint64_t seed);
std::uint32_t broadcastPanels(Machine& machine, std::uint64_t seed);
std::uint32_t trees(Machine& machine, std::uint64_t seed);
std::uint32_t gaussSeidel(Machine& machine, std::uint64_t seed);
std::uint32_t producers(Machine& machine, std::uint64_t seed);

}  // namespace longpole::machineprogram
