// SPDX-License-Identifier: GPL-3.0-or-later
// The event tables of a trace as SQLite virtual tables: task, message, idle ... appear as eponymous tables of a
// connection. Compiled twice: into the program, and as a module that the sqlite3 shell loads.
#pragma once

#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <memory>

struct sqlite3;

namespace longpole {

// Adds the tables of core/sql/tracetables.h to the connection. With a null store the trace is the connection's main
// database, opened when a table is used first.
Result<> registerTraceViews(sqlite3* connection, std::shared_ptr<const TraceStore> store);

}  // namespace longpole
