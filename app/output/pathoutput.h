// SPDX-License-Identifier: GPL-3.0-or-later
// A critical path as text, as CSV of its steps, and as JSON (resources/schema/critical-path.schema.json).
#pragma once

#include "analysis/paths/criticalpath.h"
#include "analysis/report/pathnames.h"
#include "analysis/report/pathtables.h"
#include "app/output/output.h"
#include "app/output/tableoutput.h"
#include "core/store/tracestore.h"

#include <functional>
#include <memory>

namespace longpole {

// What is said of a path beside its steps.
struct PathNotes {
    QString text{};                                         // lines that the text has below the length; may be empty
    std::shared_ptr<const InterruptedTasks> interrupted{};  // null: nobody looked for them
    // Where tasks ran, as text, if the trace does not hold their calls; empty where it is not known.
    std::function<QString(TaskId)> placeOf{};
    bool isOneOfMany = false;  // answers of `analyze`: all steps are in the folder that --answers names
};
void writePath(Output& output, OutputFormat format, const TraceStore& store, const CriticalPath& path,
               const PathNotes& notes);

// A JSON object with rows among its keys, which are written one by one: there may be millions.
struct JsonFrame {
    JsonValue before;  // the keys before the rows; at least one
    const char* key;   // the key of the rows
    JsonValue after = JsonValue::object();
};
QByteArray beginOf(const JsonFrame& frame);
QByteArray endOf(const JsonFrame& frame);
template <typename Row, typename Rows>
void writeJson(Output& output, const JsonFrame& frame, const Table<Row>& table, const Rows& rows,
               const TraceStore& store)
{
    output.write(beginOf(frame));
    writeTable(output, OutputFormat::Json, table, rows, store);
    output.write(endOf(frame));
}

// The table of a path's steps with the columns that commands list.
Table<PathStep> listedSteps(const TraceStore& store, const PathNotes& notes = {});

// A JSON array of objects that have a path each: the row's figures, then under "steps" the steps.
template <typename Row, typename Rows, typename StepsOf>
void writeWithSteps(Output& output, const TraceStore& store, const Table<Row>& figures, const Rows& rows,
                    StepsOf stepsOf, const PathNotes& notes = {})
{
    const char* before = "[\n";
    for (const Row& row : rows) {
        output.write(QByteArray(before));
        writeJson(output, {rowJson(figures, row, &store), "steps"}, listedSteps(store, notes), stepsOf(row), store);
        before = ",\n";
    }
    output.write(QByteArray(rows.empty() ? "[]\n" : "]\n"));
}

}  // namespace longpole
