// SPDX-License-Identifier: GPL-3.0-or-later
// Runs independent pieces of work on several threads; with core/base/job.h the only place that owns threads.
#pragma once

#include <cstddef>
#include <functional>

namespace longpole {

constexpr unsigned mostThreads = 1024;  // that may be asked for

// Threads that parallelFor uses by default: those that were asked for, else the machine's, at most 16.
unsigned defaultThreads();
// Before any work begins; 0: as if nobody had asked.
void setDefaultThreads(unsigned threads);

// Calls body(i) for every i in [0, count), handing out i in increasing order to `threads` threads (0: default), the
// caller's among them. Returns when all have returned. body must not throw.
void parallelFor(std::size_t count, const std::function<void(std::size_t)>& body, unsigned threads = 0);

}  // namespace longpole
