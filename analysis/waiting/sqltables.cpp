// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/waiting/sqltables.h"

#include "analysis/graph/executionparts.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/waiting/criticalwaits.h"
#include "analysis/waiting/idlequestions.h"
#include "analysis/waiting/queuewindows.h"
#include "core/trace/format.h"

#include <string>
#include <utility>

namespace longpole {

namespace {

std::int64_t peNumber(ProcessorId pe) { return std::int64_t{index(pe)}; }

ViewValue taskCell(std::uint32_t task, const ActivityGraph& graph)
{
    if (task == noTask) return std::monostate{};
    return toText(graph.id(task)).toStdString();
}

ViewValue cellOf(const IdlePiece& piece, std::size_t column, const ActivityGraph& graph)
{
    switch (column) {
    case 0: return peNumber(piece.pe);
    case 1: return piece.range.begin;
    case 2: return piece.range.end;
    case 3: return std::string(name(piece.cause));
    case 4: return taskCell(piece.task, graph);
    default: break;
    }
    if (piece.working == Meanwhile::NotAsked) return std::monostate{};
    return std::string(name(piece.working));
}

struct BusySpan {
    ProcessorId pe{};
    TimeRange range{};
};

ViewValue cellOf(const BusySpan& span, std::size_t column, const ActivityGraph&)
{
    return column == 0 ? peNumber(span.pe) : column == 1 ? span.range.begin : span.range.end;
}

struct QueuedTask {
    CriticalWait wait{};
    std::uint32_t running = noTask;  // the graph task that ran when the message came
};

ViewValue cellOf(const QueuedTask& row, std::size_t column, const ActivityGraph& graph)
{
    const CriticalWait& wait = row.wait;
    switch (column) {
    case 0: return taskCell(wait.task, graph);
    case 1: return std::int64_t{graph.pe[wait.task]};
    case 2: return std::int64_t{graph.entry[wait.task]};
    case 3: return graph.begin[wait.task];
    case 4: return wait.idleBefore;
    case 5: return wait.wait.overtaken;
    case 6: return wait.wait.residual;
    case 7: return wait.wait.self;
    case 8: return wait.wait.overhead;
    case 9: return taskCell(row.running, graph);
    default: break;
    }
    if (row.running == noTask) return std::monostate{};
    return std::int64_t{graph.entry[row.running]};
}

// A computed table whose rows lie in a vector. A function cellOf() for each type of row gives its columns.
template <typename Row>
class RowsInMemory : public ComputedRows {
public:
    RowsInMemory(std::vector<Row> rows, std::shared_ptr<const ActivityGraph> graph)
        : m_rows(std::move(rows)), m_graph(std::move(graph))
    {
    }
    std::size_t size() const override { return m_rows.size(); }
    ViewValue value(std::size_t row, std::size_t column) const override
    {
        return cellOf(m_rows[row], column, *m_graph);
    }

private:
    std::vector<Row> m_rows;
    std::shared_ptr<const ActivityGraph> m_graph;
};

using ComputedAnswer = Result<std::shared_ptr<const ComputedRows>>;

template <typename Row>
ComputedAnswer inMemory(std::vector<Row> rows, std::shared_ptr<const ActivityGraph> graph)
{
    return std::shared_ptr<const ComputedRows>(std::make_shared<const RowsInMemory<Row>>(std::move(rows),
                                                                                         std::move(graph)));
}

ComputedAnswer idleCauseRows(Results& results, const Progress& progress)
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph) return graph.error();
    const auto idle = results.ask(ProcessorIdleQuestion{}, progress);
    if (!idle) return idle.error();
    const auto found = results.ask(SynchronizationsQuestion{}, progress);
    if (!found) return found.error();
    Result<std::vector<IdlePiece>> pieces = idlePieces(**graph, **idle, (*found)->ending, (*found)->carrying, progress,
                                                       (*found)->haveThreads);
    if (!pieces) return pieces.error();
    return inMemory(std::move(*pieces), *graph);
}

// Joins the parts of executions that follow each other without a pause.
class BusySpans : public ExecutionVisitor {
public:
    explicit BusySpans(std::vector<BusySpan>& spans) : m_spans(spans) {}
    void startProcessor(ProcessorId pe)
    {
        m_pe = pe;
        m_first = m_spans.size();
    }
    Result<> tasks(const RowBlock<TaskRow>&) override { return Unit{}; }
    void part(TimeNs begin, TimeNs end, EntryId, bool) override
    {
        if (m_spans.size() > m_first && m_spans.back().range.end == begin) m_spans.back().range.end = end;
        else m_spans.push_back({m_pe, {begin, end}});
    }

private:
    std::vector<BusySpan>& m_spans;
    ProcessorId m_pe{};
    std::size_t m_first = 0;
};

ComputedAnswer busyRows(Results& results, const Progress& progress)
{
    const TraceStore& store = results.store();
    std::vector<BusySpan> spans;
    BusySpans visitor(spans);
    for (const Processor& processor : store.processors()) {
        if (processor.kind == TrackKind::CommThread) continue;
        visitor.startProcessor(processor.pe);
        ExecutionParts parts(store, processor.track, store.info().range());
        if (const Result<> seen = parts.visit(0, true, visitor, progress); !seen) return seen.error();
    }
    return inMemory(std::move(spans), std::make_shared<const ActivityGraph>());
}

ComputedAnswer criticalWaitRows(Results& results, const Progress& progress)
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph) return graph.error();
    const auto path = results.ask(PathQuestion{.edges = EdgeLevel::Merges}, progress);
    if (!path) return path.error();
    const auto idle = results.ask(ProcessorIdleQuestion{}, progress);
    if (!idle) return idle.error();
    const QueueWindows windows(**graph, **idle);
    std::vector<QueuedTask> rows;
    for (const CriticalWait& wait : criticalWaits(**graph, **path, **idle))
        rows.push_back({wait, windows.of(wait.task).running});
    return inMemory(std::move(rows), *graph);
}

ComputedTable tableOf(const char* name, std::vector<ComputedColumn> columns,
                      ComputedAnswer (*compute)(Results&, const Progress&), const std::shared_ptr<Results>& results,
                      bool isSpans = true)
{
    return {.name = name,
            .columns = std::move(columns),
            .isSpans = isSpans,
            .compute = [compute, results](const Progress& progress) { return compute(*results, progress); }};
}

}  // namespace

std::vector<ComputedTable> waitingTables(const std::shared_ptr<Results>& results)
{
    constexpr const char* whole = "INTEGER";
    constexpr const char* text = "TEXT";
    return {
        tableOf(
            "idle_cause",
            {{"pe", whole}, {"begin_ns", whole}, {"end_ns", whole}, {"cause", text}, {"task", text}, {"working", text}},
            idleCauseRows, results),
        tableOf("busy", {{"pe", whole}, {"begin_ns", whole}, {"end_ns", whole}}, busyRows, results),
        tableOf("critical_wait",
                {{"task", text},
                 {"pe", whole},
                 {"entry", whole},
                 {"begin_ns", whole},
                 {"idle_ns", whole},
                 {"overtaken_ns", whole},
                 {"residual_ns", whole},
                 {"self_ns", whole},
                 {"overhead_ns", whole},
                 {"running", text},
                 {"running_entry", whole}},
                criticalWaitRows, results, false)};
}

}  // namespace longpole
