// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the source an advice is about.
#pragma once

#include "analysis/scheduling/advice.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>

namespace longpole {

// Of its worst place: "solve, in main at main.c:40" for code, "halo_exchange at halo.c:112, in solve at solver.c:88"
// for an MPI call. Empty if the trace has no call stacks, or nothing is known.
QString whereOf(const TraceStore& store, const Advice& advice);
// The same of one piece of evidence of advice of that kind, as a call path; noCallPath: not known.
std::uint32_t placeOf(const TraceStore& store, const QString& kind, const Evidence& evidence);

}  // namespace longpole
