// SPDX-License-Identifier: GPL-3.0-or-later
// Times, bytes, shares, counts and ids as people read and write them; the one place that turns numbers into text.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/trace/kinds.h"
#include "core/trace/trace.h"

#include <QString>

#include <span>
#include <vector>

namespace longpole {

QString formatTime(TimeNs ns);                       // "128.4 ms", "12 us", "1.500 s": four significant digits
QString formatTimeAt(TimeNs ns, TimeNs resolution);  // an axis label: digits enough to tell `resolution` apart
QString formatBytes(std::int64_t bytes);             // "45.6 MB" (powers of 1000)
QString formatShare(double share);                   // 0.4213 -> "42.1 %"; more than nothing, but little: "< 0.1 %"
QString formatSignedShare(double share);             // the same with a minus sign (U+2212) below 0: "−2.4 %"
QString formatCount(std::int64_t count);             // "9 122 814" with thin spaces (U+2009)

QString toText(TaskId id);  // "3:1207"
QString toText(MessageId id);
Result<TaskId> parseTaskId(const QString& text);

// "12us 3ms 1.5s", "500", "2m": sums of numbers with a unit (ns us ms s m), ns without. Errors name the bad part.
Result<TimeNs> parseTime(const QString& text);
// "A..B", counted from the begin of `whole`; either side may be empty. Returned in the trace's clock.
Result<TimeRange> parseRange(const QString& text, TimeRange whole);

// "1,3-9:3,11" (from-to:step); must lie within [0, processors). Sorted, without repeats.
Result<std::vector<ProcessorId>> parseProcessors(const QString& text, std::int64_t processors);
QString formatProcessors(std::span<const ProcessorId> pes);

// "Jacobi::compute" without argument lists when `brief`.
QString entryName(const Entry& entry, bool brief = true);
// "Jacobi[3,4]"; the chare's name alone when it is no array and has no id.
QString objectName(const Chare& chare, std::span<const std::int64_t> objectIndex);

}  // namespace longpole
