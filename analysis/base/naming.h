// SPDX-License-Identifier: GPL-3.0-or-later
// Names of things and wording of figures for sentences: entry methods, calls, counts, ratios.
#pragma once

#include "core/base/ids.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>

namespace longpole {

// "Jacobi::compute"; "entry 17" if the trace has no name for it.
QString nameOfEntry(const TraceStore& store, EntryId entry);
// "MPI_Recv"; "call 17" if the trace has no name for it.
QString callName(const TraceStore& store, RegionId call);
// Whether a run calls it once, to start or to end: MPI_Init, MPI_Init_thread, MPI_Finalize.
bool isStartOrEnd(const QString& call);
// Null if the trace has no chare of that id.
const Chare* findChare(const TraceStore& store, ChareId id);
// Why there is no finding about executions: that the trace is a summary, if it is one, else `otherwise`.
QString withoutEvents(const TraceStore& store, const QString& otherwise);
// part / whole, 0 if `whole` is 0.
double ratio(double part, double whole);
double ratio(std::int64_t part, std::int64_t whole);
// That as text, "41.2 %".
QString shareText(double part, double whole);
QString shareText(std::int64_t part, std::int64_t whole);
// counted("%1 tasks", "%1 task", 12) is "12 tasks": translated by `many`, in the plural form that the language has for
// the count; `one` is what English says of 1, and need not say the number. Both are texts in the code, as for tr().
QString counted(const char* many, const char* one, std::int64_t count);
QString countedProcessors(Vocabulary words, std::int64_t count);  // "1 PE", "8 PEs", "4 ranks"

}  // namespace longpole
