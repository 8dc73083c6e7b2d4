// SPDX-License-Identifier: GPL-3.0-or-later
// What is said before the advice and instead of it: written here alone, so that report, command line and window agree.
#pragma once

#include "analysis/expert/expert.h"
#include "core/store/tracestore.h"

#include <QString>

namespace longpole {

// Names the failed checks on which every verdict rests; empty if there is none.
QString failedText(const Expert& expert);

// The failed checks, then "Start with the first of 3 pieces of advice: ...", or why nothing is advised.
QString leadText(const Expert& expert, const TraceStore& store);

// Where all that was found is not worth it.
QString nothingWorthItText();

// Why nothing is advised: that nothing is slow, that the run cannot be judged, or what it spends its time on.
QString calmText(const Expert& expert, const TraceStore& store);

// Where critical tasks had to wait for others and no priority that was tried helps; else empty.
QString prioritiesText(const SchedulingAnalysis& scheduling);

// Where waits for reductions are counted among other causes of idle time, since nothing tells them apart; else empty.
QString hiddenReductions(const TraceStore& store, const IdleByCause& idle);

}  // namespace longpole
