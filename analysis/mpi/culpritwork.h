// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank did while another one waited for it: the code that made it late.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <cstdint>

namespace longpole {

// `entry` had most of the rank's time outside MPI during the wait, and `task` is the task of it that had most there. If
// the rank was in MPI all that time: the task at whose end its call began, or the last one before that took any time.
struct CulpritWork {
    EntryId entry = noEntry;
    TaskId task{};  // invalid if nothing is known
};

// `call`: the number of the call that the rank came late to, -1 if unknown. Of a very long wait only the last chunks of
// tasks are read. O(tasks during the wait, at most some hundred thousand). Errors: damaged chunks.
Result<CulpritWork> culpritWork(const TraceStore& store, std::uint32_t rank, std::int64_t call, TimeRange wait);

}  // namespace longpole
