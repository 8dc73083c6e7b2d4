// SPDX-License-Identifier: GPL-3.0-or-later
// A PE's activity table as text, CSV and the JSON that is documented, row by row.
#pragma once

#include "analysis/paths/activitytable.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

namespace longpole {

void writeActivityTable(Output& output, OutputFormat format, const TraceStore& store, const ActivityTable& table);

}  // namespace longpole
