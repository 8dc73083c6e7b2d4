// SPDX-License-Identifier: GPL-3.0-or-later
// A critical path as text, as CSV of its steps, and as the JSON that is documented.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

namespace longpole {

// `note` is lines of the text below the length; empty: none.
void writePath(Output& output, OutputFormat format, const TraceStore& store, const CriticalPath& path,
               const QString& note = {});

const char* name(PathMode mode);    // "work", "elapsed", "sweep"
const char* name(EdgeLevel edges);  // "messages", "merges", "order"
const char* name(PathPart part);    // "compute", "network", "queue", "overhead", "unexplained"

}  // namespace longpole
