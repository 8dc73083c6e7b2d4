// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank did while another one waited for it: the code that made it late.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>

namespace longpole {

// `entry` had most of the rank's time outside MPI during the wait, and `task` is the task of it that had most there. If
// the rank was in MPI all that time: the task at whose end its call began, or the last one before that took any time.
struct CulpritWork {
    EntryId entry = noEntry;
    TaskId task{};      // invalid if nothing is known
    TimeNs ran = 0;     // how long it ran `entry` during the wait
    TimeNs waited = 0;  // how long it waited itself during the wait
    TimeNs within = 0;  // the part of the wait that was looked at: all of it, or of a very long one the end
    // Where that task ran, if it came along from who has the rank's calls; else they tell (TaskPaths).
    std::uint32_t function = noCallPath;
};

// `call`: the number of the call that the rank came late to, -1 if unknown. Of a very long wait only the last chunks of
// tasks are read. O(tasks and waits of that rank during the wait, at most some hundred thousand). Errors: damaged
// chunks.
Result<CulpritWork> culpritWork(const TraceStore& store, std::uint32_t rank, std::int64_t call, TimeRange wait);

// The same in words that go on after the rank's name and a comma: "in foo" if it ran foo for most of the wait, else
// "which itself waited 9.9 s meanwhile and ran foo for 1.1 s". Empty if nothing is known.
QString culpritText(const TraceStore& store, const CulpritWork& work);

}  // namespace longpole
