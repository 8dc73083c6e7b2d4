// SPDX-License-Identifier: GPL-3.0-or-later
// Processes as threads of this one: the same analysis on one machine without MPI, and in tests.
#pragma once

#include "distributed/transport/transport.h"

#include <functional>
#include <memory>
#include <vector>

namespace longpole {

// The ends of `processes` threads that talk through memory. Each end belongs to one thread; any may outlive the others.
std::vector<std::unique_ptr<Wire>> threadWires(int processes);

// Runs `body` on each of so many threads and waits for all. Without room for so many threads none runs: an error.
// Otherwise the failure of the transport, if there was one. body must not throw, but for memory that ran out.
Result<> runOnThreads(int processes, const std::function<void(Transport&)>& body, const TransportLimits& limits = {});
// The same over these ends, one for each thread.
Result<> runOnThreads(std::vector<std::unique_ptr<Wire>> wires, const std::function<void(Transport&)>& body,
                      const TransportLimits& limits = {});

}  // namespace longpole
