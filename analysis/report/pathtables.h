// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of paths: parts and steps of a critical path, near-critical paths, slack, tasks that expose parallelism,
// the graph itself and activity tables.
#pragma once

#include "analysis/base/table.h"
#include "analysis/noise/uninterrupted.h"
#include "analysis/paths/activitytable.h"
#include "analysis/paths/nearcritical.h"
#include "analysis/paths/parallelism.h"
#include "analysis/paths/slack.h"
#include "analysis/paths/subgraph.h"
#include "analysis/report/pathnames.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

// `length`: the path's, to which shares relate.
Table<PathPartTime> pathPartTable(const TableScope& scope, TimeNs length = 0);
JsonValue partsJson(const PathParts& parts);  // {"compute": ns, ...}
// `interrupted`: what its column tells; null: nothing is known.
Table<PathStep> pathStepTable(const TableScope& scope, TimeNs length = 0,
                              std::shared_ptr<const InterruptedTasks> interrupted = nullptr);

// A near-critical path and its place in the list, from 1.
struct NumberedPath {
    std::int64_t number = 0;
    const NearCriticalPath* near = nullptr;  // points into the list of which numbered() made it
};
std::vector<NumberedPath> numbered(const std::vector<NearCriticalPath>& paths);
Table<NumberedPath> nearCriticalTable(const TableScope& scope);

struct TaskSlack {
    TaskId task{};
    EntryId entry = noEntry;
    TimeNs begin = 0;
    TimeNs end = 0;
    TimeNs slack = 0;
};
// `slack` must be that of `graph`.
TaskSlack slackOfTask(const ActivityGraph& graph, const Slack& slack, std::uint32_t task);
Table<TaskSlack> slackTable(const TableScope& scope);

Table<ExposingTask> exposingTaskTable(const TableScope& scope);

Table<Subgraph::Node> graphTaskTable(const TableScope& scope);

// A dependency with the names of its tasks.
struct NamedDependency {
    TaskId source{};
    TaskId target{};
    Subgraph::Edge edge{};
};
std::vector<NamedDependency> dependencies(const Subgraph& graph);
Table<NamedDependency> dependencyTable(const TableScope& scope);

Table<ActivityRow> activityRowTable(const TableScope& scope);
Table<IncomingPath> incomingPathTable(const TableScope& scope);
bool isKnown(const IncomingPath& incoming);

std::vector<TableInfo> pathTables(Vocabulary words);

}  // namespace longpole
