// SPDX-License-Identifier: GPL-3.0-or-later
// Time of threads and devices that no verdict looks at, and what it is counted as.
#pragma once

#include "core/store/tracestore.h"

#include <QStringList>

namespace longpole {

// A sentence each about calls of thread and device libraries that count as busy time, and about waits of which the
// trace does not say for whom; nothing below a thousandth of the time of all ranks.
QStringList uncountedSentences(const TraceStore& store);
// The time of the former, which may be waiting, as a share of the time of all ranks; 0 without ranks.
double shareThatMayWait(const TraceStore& store);

}  // namespace longpole
