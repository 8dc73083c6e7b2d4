// SPDX-License-Identifier: GPL-3.0-or-later
// How sentences name things and figures: entry methods, counts, shares, and why a trace has no executions.
#pragma once

#include "core/base/ids.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>

namespace longpole {

// "Jacobi::compute"; "entry 17" if the trace has no name for it.
QString nameOfEntry(const TraceStore& store, EntryId entry);
// "MPI_Recv"; "call 17" of a trace that does not name it.
QString callName(const TraceStore& store, RegionId call);
// Null if the trace has none of that id.
const Chare* findChare(const TraceStore& store, ChareId id);
// Why a finding about executions is not there: the trace is a summary, or else `otherwise`.
QString withoutEvents(const TraceStore& store, const QString& otherwise);
// part / whole, 0 where there is no whole.
double ratio(double part, double whole);
double ratio(std::int64_t part, std::int64_t whole);
// "1 task", "12 tasks".
QString counted(std::int64_t count, const QString& one, const QString& many);
}  // namespace longpole
