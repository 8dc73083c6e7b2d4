// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/pathtables.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/naming.h"
#include "core/base/translate.h"

#include <algorithm>
#include <span>

namespace longpole {

namespace {

Column taskColumn(Vocabulary words, const QString& meaning)
{
    return {"task", tr("Task"), CellKind::Text, words.say(tr("%1, as PE:index"), tr("%1, as rank:index")).arg(meaning)};
}

Column peColumn(Vocabulary words)
{
    return {"pe", words.say(tr("PE"), tr("Rank")), CellKind::Number,
            words.say(tr("The PE on which it ran"), tr("The rank on which it ran"))};
}

Column pathEntryColumn(Vocabulary words)
{
    return {"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
            words.say(tr("Its entry method"), tr("Its region"))};
}

std::vector<Word> partWords(Vocabulary words)
{
    std::vector<Word> parts;
    for (const auto& [part, time] : each({})) parts.push_back({QLatin1String(name(part)), title(part, words)});
    return parts;
}

std::vector<Word> edgeWords()
{
    std::vector<Word> edges;
    for (const PathEdge edge : {PathEdge::Message, PathEdge::Order, PathEdge::RecordedMerge, PathEdge::InferredMerge})
        edges.push_back({QLatin1String(name(edge)), title(edge)});
    return edges;
}

}  // namespace

Table<PathPartTime> pathPartTable(const TableScope& scope, TimeNs length)
{
    return {
        QStringLiteral("critical-path.parts"),
        tr("What the elapsed path consists of"),
        {
            {Column("part", tr("Part"), CellKind::Text, tr("What the path went through")).oneOf(partWords(scope.words)),
             [](const PathPartTime& row) { return name(row.part); }},
            {{"time_ns", tr("Time"), CellKind::Time, tr("Time on the path")}, &PathPartTime::time},
            {Column("share", tr("Of path"), CellKind::Share, tr("Of the path's length")).atMostOne(),
             [length](const PathPartTime& row) { return ratio(double(row.time), double(length)); }},
        }};
}

JsonValue partsJson(const PathParts& parts)
{
    JsonValue json = JsonValue::object();
    for (const auto& [part, time] : each(parts)) json[name(part)] = time;
    return json;
}

Table<PathStep> pathStepTable(const TableScope& scope, TimeNs length,
                              std::shared_ptr<const InterruptedTasks> interrupted)
{
    return {QStringLiteral("critical-path.steps"),
            tr("Steps of the path"),
            {
                {taskColumn(scope.words, tr("The task, or the one that a part between two tasks leads to")).orNone(),
                 &PathStep::task},
                {peColumn(scope.words), &PathStep::pe},
                {pathEntryColumn(scope.words), &PathStep::entry},
                {Column("part", tr("Part"), CellKind::Text, tr("What the path goes through in this step"))
                     .oneOf(partWords(scope.words)),
                 [](const PathStep& row) { return name(row.part); }},
                {{"begin_ns", tr("Start"), CellKind::Instant, tr("Start of what is on the path")}, &PathStep::begin},
                {{"end_ns", tr("End"), CellKind::Instant, tr("End of what is on the path")}, &PathStep::end},
                {{"weight_ns", tr("Weight"), CellKind::Time, tr("What the step adds to the path's length")},
                 &PathStep::weight},
                {Column("share", tr("Of path"), CellKind::Share, tr("Of the path's length")),
                 [length](const PathStep& row) { return ratio(double(row.weight()), double(length)); }},
                {Column("where", tr("In"), CellKind::Text,
                        tr("The function in which the task ran; of MPI recordings with call stacks"))
                     .orNone(),
                 [store = scope.store, paths = pathsOf(scope.store)](const PathStep& row) {
                     return textOrNone(pathText(*store, paths->of(row.task)));
                 }},
                {Column("interrupted_ns", tr("Interrupted"), CellKind::Time,
                        tr("What an interruption took of the task, by its CPU time or the usual time of its kind"))
                     .orNone(),
                 [interrupted = std::move(interrupted)](const PathStep& row) -> Cell {
                     if (interrupted == nullptr || row.part != PathPart::Compute) return {};
                     const auto found = interrupted->find(row.task);
                     return found == interrupted->end() ? Cell() : Cell(qlonglong(found->second));
                 }},
            }};
}

std::vector<NumberedPath> numbered(const std::vector<NearCriticalPath>& paths)
{
    std::vector<NumberedPath> rows;
    rows.reserve(paths.size());
    for (const NearCriticalPath& path : paths) rows.push_back({static_cast<std::int64_t>(rows.size() + 1), &path});
    return rows;
}

Table<NumberedPath> nearCriticalTable(const TableScope& scope)
{
    const auto steps = pathStepTable(scope).only({"task", "pe", "entry", "part", "begin_ns", "end_ns", "weight_ns",
                                                  "where"});
    return {QStringLiteral("near-critical"),
            tr("Paths that are nearly as long"),
            {
                {{"path", tr("Path"), CellKind::Number, tr("Its place by length; 1 is the critical path")},
                 &NumberedPath::number},
                {{"length_ns", tr("Length"), CellKind::Time, tr("What its steps weigh together")},
                 [](const NumberedPath& row) { return row.near->path->length; }},
                {{"slack_ns", tr("Slack"), CellKind::Time, tr("By how much it is shorter than the critical path")},
                 [](const NumberedPath& row) { return row.near->slack; }},
                {{"distinct_ns", tr("Of its own"), CellKind::Time,
                  tr("What of its length lies on tasks of no path before it")},
                 [](const NumberedPath& row) { return row.near->distinct; }},
                {{"step_count", tr("Steps"), CellKind::Count, tr("Number of its steps")},
                 [](const NumberedPath& row) { return row.near->path->steps.size(); }},
                {{"pes", scope.words.say(tr("PEs"), tr("Ranks")), CellKind::Count,
                  scope.words.say(tr("Number of PEs that it runs on"), tr("Number of ranks that it runs on"))},
                 [](const NumberedPath& row) { return row.near->processors; }},
                {Column("to", tr("Ends in"), CellKind::Text,
                        scope.words.say(tr("The task in which it ends, as PE:index"),
                                        tr("The task in which it ends, as rank:index"))),
                 [](const NumberedPath& row) { return row.near->path->to; }},
                {{"entry", tr("Most time in"), CellKind::Entry,
                  scope.words.say(tr("The entry method with most of its length"),
                                  tr("The region with most of its length"))},
                 [](const NumberedPath& row) -> Cell {
                     const std::vector<PathProfileRow>& profile = row.near->path->profile;
                     return profile.empty() ? noEntry : profile.front().entry;
                 }},
                {{"takes_over", tr("Takes over"), CellKind::Text,
                  tr("From where on it is the longest path, if the critical one gets shorter")},
                 [](const NumberedPath& row) {
                     if (row.number == 1) return tr("is the critical path");
                     return tr("when it is shortened by more than %1").arg(formatTime(row.near->slack));
                 }},
                {Column("steps", tr("Its steps"), CellKind::Rows, tr("Its steps, the oldest first")).of(steps.heads()),
                 [steps](const NumberedPath& row) { return rowsCell(steps.data(row.near->path->steps)); }},
            }};
}

TaskSlack slackOfTask(const ActivityGraph& graph, const Slack& slack, std::uint32_t task)
{
    return {graph.id(task), EntryId{graph.entry[task]}, graph.begin[task], graph.end(task), slack.slack[task]};
}

Table<TaskSlack> slackTable(const TableScope& scope)
{
    return {QStringLiteral("slack"),
            tr("Slack of tasks"),
            {
                {taskColumn(scope.words, tr("The task")), &TaskSlack::task},
                {peColumn(scope.words), [](const TaskSlack& row) { return row.task.pe; }},
                {pathEntryColumn(scope.words), &TaskSlack::entry},
                {{"begin_ns", tr("Start"), CellKind::Instant, tr("Start of the task")}, &TaskSlack::begin},
                {{"end_ns", tr("End"), CellKind::Instant, tr("End of the task")}, &TaskSlack::end},
                {{"slack_ns", tr("Slack"), CellKind::Time,
                  tr("How much longer it could have taken without lengthening the critical path")},
                 &TaskSlack::slack},
            }};
}

Table<ExposingTask> exposingTaskTable(const TableScope& scope)
{
    const auto steps = pathStepTable(scope).only({"task", "pe", "entry", "part", "begin_ns", "end_ns", "weight_ns",
                                                  "where"});
    return {QStringLiteral("parallelism"),
            tr("Tasks that other work waited for"),
            {
                {taskColumn(scope.words, tr("The task")), &ExposingTask::task},
                {pathEntryColumn(scope.words), &ExposingTask::entry},
                {{"dominated_ns", tr("Waiting work"), CellKind::Time,
                  tr("Work of the task and of all tasks that cannot begin without it")},
                 &ExposingTask::dominated},
                {{"span_ns", tr("Span"), CellKind::Time, tr("The longest chain of work from its start on")},
                 &ExposingTask::span},
                {{"exposed", tr("Could run at once"), CellKind::Ratio,
                  scope.words.say(tr("How many PEs the waiting work could keep busy at once: waiting work / span"),
                                  tr("How many ranks the waiting work could keep busy at once: waiting work / span"))},
                 &ExposingTask::exposed},
                {{"delay_ns", tr("Started late by"), CellKind::Time,
                  tr("By how much later it started than the work on its chain of messages had to let it")},
                 &ExposingTask::delay},
                {{"queue_ns", tr("In queues"), CellKind::Time, tr("What of the delay its chain of messages queued")},
                 &ExposingTask::queued},
                {{"network_ns", tr("On network"), CellKind::Time,
                  tr("What of the delay its chain of messages was under way")},
                 &ExposingTask::network},
                {{"step_count", tr("Steps to it"), CellKind::Count, tr("Number of steps of the path to its start")},
                 [](const ExposingTask& row) { return row.steps.size(); }},
                {Column("steps", tr("The steps"), CellKind::Rows,
                        tr("The critical path to its start; the last step is the task itself, with weight 0"))
                     .of(steps.heads()),
                 [steps](const ExposingTask& row) { return rowsCell(steps.data(row.steps)); }},
            }};
}

Table<Subgraph::Node> graphTaskTable(const TableScope& scope)
{
    return {QStringLiteral("graph.tasks"),
            tr("Tasks of the graph"),
            {
                {taskColumn(scope.words, tr("The task")), &Subgraph::Node::id},
                {peColumn(scope.words), [](const Subgraph::Node& row) { return row.id.pe; }},
                {pathEntryColumn(scope.words), &Subgraph::Node::entry},
                {{"begin_ns", tr("Start"), CellKind::Instant, tr("Start of the task")}, &Subgraph::Node::begin},
                {{"end_ns", tr("End"), CellKind::Instant, tr("End of the task")}, &Subgraph::Node::end},
                {{"length_ns", tr("Path"), CellKind::Time, tr("Length of the longest path to its end")},
                 &Subgraph::Node::length},
                {{"on_path", tr("On the path"), CellKind::Flag,
                  tr("Whether it is on the work path of the run, or on the path to the task that was asked for")},
                 &Subgraph::Node::onPath},
            }};
}

std::vector<NamedDependency> dependencies(const Subgraph& graph)
{
    std::vector<NamedDependency> named;
    named.reserve(graph.edges.size());
    for (const Subgraph::Edge& edge : graph.edges)
        named.push_back({graph.nodes[edge.source].id, graph.nodes[edge.target].id, edge});
    return named;
}

Table<NamedDependency> dependencyTable(const TableScope& scope)
{
    const auto of = [](auto Subgraph::Edge::*field) {
        return [field](const NamedDependency& row) { return row.edge.*field; };
    };
    Column source = taskColumn(scope.words, tr("The task that the other depends on"));
    source.key = QStringLiteral("source");
    source.title = tr("Source");
    Column target = taskColumn(scope.words, tr("The task that depends on it"));
    target.key = QStringLiteral("target");
    target.title = tr("Target");
    return {QStringLiteral("graph.dependencies"),
            tr("Dependencies of the graph"),
            {
                {std::move(source), &NamedDependency::source},
                {std::move(target), &NamedDependency::target},
                {Column("kind", tr("Kind"), CellKind::Text, tr("What makes the target depend on the source"))
                     .oneOf(edgeWords()),
                 [](const NamedDependency& row) { return name(row.edge.kind); }},
                {{"offset_ns", tr("Offset"), CellKind::Time,
                  tr("From the start of the source to where the dependency leaves it: what it adds to a path")},
                 of(&Subgraph::Edge::offset)},
                {{"length_ns", tr("Path"), CellKind::Time, tr("Length of the longest path that it brings")},
                 of(&Subgraph::Edge::length)},
                {{"on_path", tr("On the path"), CellKind::Flag, tr("Whether the path goes along it")},
                 of(&Subgraph::Edge::onPath)},
            }};
}

namespace {

QString toText(const PrefixId& prefix)
{
    return QString::number(index(prefix.pe)) % QLatin1Char(':') % QString::number(prefix.index);
}

// The first merged paths for people: "order 0:4 4 us; message 1:17 3 us; 2 more".
QString mergedForPeople(const ActivityRow& row)
{
    QStringList list;
    for (const IncomingPath& merged : std::span(row.merged).first(std::min(fewMerged, row.merged.size())))
        list << title(merged.edge) % QLatin1Char(' ') % toText(merged.prefix) % QLatin1Char(' ')
                    % formatTime(merged.length);
    if (row.mergedCount > fewMerged) list << tr("%1 more").arg(row.mergedCount - fewMerged);
    return list.join(QStringLiteral("; "));
}

// All merged paths with plain nanoseconds, for CSV: "message 1:17 7300; order 0:4 1000". Empty but in a task's first
// row.
QString mergedForSheets(const ActivityRow& row)
{
    QStringList list;
    if (!row.isFirst) return {};
    for (const IncomingPath& merged : row.merged)
        list << QLatin1String(name(merged.edge)) % QLatin1Char(' ') % toText(merged.prefix) % QLatin1Char(' ')
                    % QString::number(merged.length);
    return list.join(QStringLiteral("; "));
}

}  // namespace

bool isKnown(const IncomingPath& incoming) { return incoming.prefix.index >= 0; }

Table<IncomingPath> incomingPathTable(const TableScope& scope)
{
    const auto pe = scope.words.say(tr("PE"), tr("Rank"));
    return {QStringLiteral("activity-table.incoming"),
            tr("Paths into a task"),
            {
                {Column("edge", tr("Comes by"), CellKind::Text, tr("What the path came into the task by"))
                     .oneOf(edgeWords()),
                 [](const IncomingPath& row) { return name(row.edge); }},
                {{"pe", pe, CellKind::Number,
                  scope.words.say(tr("The PE that it comes from"), tr("The rank that it comes from"))},
                 [](const IncomingPath& row) { return row.prefix.pe; }},
                {{"index", tr("Index"), CellKind::Number,
                  scope.words.say(tr("The row that it comes from, in the table of that PE"),
                                  tr("The row that it comes from, in the table of that rank"))},
                 [](const IncomingPath& row) { return row.prefix.index; }},
                {{"length_ns", tr("Its path"), CellKind::Time, tr("Length of the path that it brings")},
                 &IncomingPath::length},
            }};
}

Table<ActivityRow> activityRowTable(const TableScope& scope)
{
    auto paths = incomingPathTable(scope);
    Table<ActivityRow> table{
        QStringLiteral("activity-table"),
        tr("Activity table"),
        {
            {{"index", tr("Index"), CellKind::Number,
              scope.words.say(tr("The row's number, from 0 on each PE"), tr("The row's number, from 0 on each rank"))},
             &ActivityRow::index},
            {taskColumn(scope.words, tr("The task")), &ActivityRow::task},
            {pathEntryColumn(scope.words), &ActivityRow::entry},
            {Column("message", tr("Sends"), CellKind::Text,
                    tr("The message with which the prefix ends, named as tasks are; none where it ends with the task"))
                 .orNone(),
             [](const ActivityRow& row) -> Cell {
                 return row.message.isValid() ? Cell(longpole::toText(row.message)) : Cell();
             }},
            {{"begin_ns", tr("Start"), CellKind::Instant, tr("Start of the task")}, &ActivityRow::begin},
            {{"end_ns", tr("Until"), CellKind::Instant, tr("End of the prefix")}, &ActivityRow::end},
            {{"length_ns", tr("Path"), CellKind::Time, tr("Length of the longest path up to there")},
             &ActivityRow::length},
            {Column("from", tr("From"), CellKind::Text,
                    scope.words.say(tr("The row that the longest path into the task comes from, as PE:index"),
                                    tr("The row that the longest path into the task comes from, as rank:index")))
                 .orNone(),
             [](const ActivityRow& row) -> Cell {
                 return isKnown(row.incoming) ? Cell(toText(row.incoming.prefix)) : Cell();
             }},
            {{"merged_with", tr("Merged with"), CellKind::Text,
              tr("The longest of the other paths into the task, where they come from and their lengths")},
             mergedForPeople},
            {{"merged_paths", tr("Merged paths"), CellKind::Text,
              tr("In the first row of each task the other paths into it, the longest first: edge, row and "
                 "nanoseconds")},
             mergedForSheets},
        }};
    for (TableColumn<IncomingPath>& column : paths.columns) {
        const QString key = column.key == QLatin1String("length_ns") ? QStringLiteral("ns") : column.key;
        column.key = QStringLiteral("incoming_") + key;
        const auto cell = column.cell;
        table.columns.emplace_back(std::move(column).orNone(), [cell](const ActivityRow& row) {
            return isKnown(row.incoming) ? cell(row.incoming) : Cell();
        });
    }
    return table;
}

std::vector<TableInfo> pathTables(Vocabulary words)
{
    return {infoOf(pathPartTable(words)),   infoOf(pathStepTable(words)),     infoOf(nearCriticalTable(words)),
            infoOf(slackTable(words)),      infoOf(exposingTaskTable(words)), infoOf(graphTaskTable(words)),
            infoOf(dependencyTable(words)), infoOf(activityRowTable(words)),  infoOf(incomingPathTable(words))};
}

}  // namespace longpole
