// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the times of all PEs or ranks of a run can be added up: who adds up what they did relies on it.
#pragma once

#include "core/base/result.h"
#include "core/base/timelimits.h"
#include "core/base/translate.h"
#include "core/store/tracestore.h"

namespace longpole {

// The run so many times as it has PEs or ranks is below longestTime (146 years): what disjoint parts of it add up to
// fits into a TimeNs, over all of them, and so do two such sums. Errors: it is not.
inline Result<> requireSumOfTimes(const TraceStore& store)
{
    TimeNs all = 0;
    const auto processors = static_cast<std::int64_t>(store.processors().size());
    if (!__builtin_mul_overflow(store.info().duration(), processors, &all) && all < longestTime) return Unit{};
    return Error{
        .what = tr("The times of all PEs or ranks of this trace add up to more than 146 years, beyond what can "
                   "be analysed at once."),
        .where = store.path(),
        .hint = tr("A record, or the resolution of the clock, is damaged, if the run was shorter.")};
}

}  // namespace longpole
