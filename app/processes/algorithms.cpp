// SPDX-License-Identifier: GPL-3.0-or-later
// "longpole algorithms": the shortest-path algorithms and the sweep of Korkhov et al., compared on one run.
#include "analysis/base/table.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/output.h"
#include "app/output/tableoutput.h"
#include "app/processes/processes.h"
#include "core/base/endsatonce.h"
#include "distributed/algorithms/compare.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace longpole {

namespace {

struct ComparedRuns {
    std::vector<AlgorithmRun> runs;
    AlgorithmOptions options;
};

struct ComparedAlgorithms {
    GraphCounts graph;
    std::vector<AlgorithmRow> rows;
};

// The words of a list option, all of `known` without it. Empty after a usage error, which was printed.
template <typename Value>
std::optional<std::vector<Value>> chosen(const CommandLine& line, const char* option, const std::vector<Value>& known)
{
    if (!line.has(option)) return known;
    QStringList names;
    for (const Value value : known) names << QLatin1String(name(value));
    std::vector<Value> values;
    for (const QString& word : line.value(option).split(QLatin1Char(','))) {
        const qsizetype at = names.indexOf(word);
        if (at < 0) {
            usageError(line.command,
                       tr("--%1 takes %2, not '%3'").arg(QLatin1String(option), names.join(tr(", ")), word)
                           + suggestion(word, names));
            return {};
        }
        values.push_back(known[static_cast<std::size_t>(at)]);
    }
    return values;
}

bool readTimeOption(const CommandLine& line, const char* option, TimeNs& time)
{
    if (!line.has(option)) return true;
    const auto read = parseTime(line.value(option));
    if (read && *read >= 0) time = *read;
    else if (read) usageError(line.command, tr("--%1 takes a time, not less than nothing").arg(QLatin1String(option)));
    else valueError(line, option, read.error());
    return read && *read >= 0;
}

std::optional<AlgorithmOptions> algorithmOptions(const CommandLine& line)
{
    AlgorithmOptions options;
    if (!readTimeOption(line, "delta", options.delta)) return {};
    if (!readTimeOption(line, "threshold", options.shuffle.threshold)) return {};
    if (line.value("borders") == QLatin1String("time")) options.shuffle.borders = Borders::Time;
    if (line.value("order") == QLatin1String("same")) options.shuffle.order = SendingOrder::Same;
    options.shuffle.sendsEmpty = line.has("send-empty");
    if (line.value("compression") == QLatin1String("min")) options.shuffle.compression = Compression::Least;
    if (line.value("compression") == QLatin1String("max")) options.shuffle.compression = Compression::Most;
    return options;
}

std::optional<ComparedRuns> comparedRuns(const CommandLine& line)
{
    const auto algorithms = chosen(line, "only", allPathAlgorithms());
    if (!algorithms) return {};
    const auto splits = chosen(line, "splits", allSplits());
    if (!splits) return {};
    const auto boundaries = chosen(line, "boundary", allBoundaries());
    if (!boundaries) return {};
    const auto options = algorithmOptions(line);
    if (!options) return {};
    ComparedRuns compared{.runs = {}, .options = *options};
    for (const PathAlgorithm algorithm : *algorithms) {
        if (algorithm == PathAlgorithm::ParallelSweep) {
            for (const Boundary boundary : *boundaries) compared.runs.push_back({algorithm, Splits::None, boundary});
            continue;
        }
        for (const Splits one : *splits)
            if (fits(algorithm, one)) compared.runs.push_back({algorithm, one, {}});
    }
    if (!compared.runs.empty()) return compared;
    usageError(line.command, tr("none of these algorithms can be run with these splits; sequential ones take none, 1 "
                                "and 4, parallel ones none, 2 and 3, dp none and 3, sweeps none"));
    return {};
}

QString splitName(const AlgorithmRun& run)
{
    return QLatin1String(run.boundary ? name(*run.boundary) : name(run.splits));
}

Table<AlgorithmRow> algorithmTable()
{
    const auto seconds = [](double AlgorithmRow::*part) {
        return [part](const AlgorithmRow& row) { return static_cast<TimeNs>(row.*part * 1e9); };
    };
    const auto count = [](std::int64_t SearchCounts::*part) {
        return [part](const AlgorithmRow& row) { return row.counts.*part; };
    };
    return {
        QStringLiteral("algorithms"),
        tr("Algorithms"),
        {{{"algorithm", tr("Algorithm"), CellKind::Text, tr("Its name")},
          [](const AlgorithmRow& row) { return name(row.run.algorithm); }},
         {{"processes", tr("Processes"), CellKind::Count, tr("Processes that worked together")},
          [](const AlgorithmRow& row) { return row.processes; }},
         {{"split", tr("Split"), CellKind::Text, tr("How the run was split; of the parallel sweep the boundary rule")},
          [](const AlgorithmRow& row) { return Cell(splitName(row.run)); }},
         {Column("length_ns", tr("Length"), CellKind::Time, tr("Of the path; empty if it was stopped")).orNone(),
          [](const AlgorithmRow& row) { return row.isFinished ? Cell(row.length) : Cell(); }},
         {{"wall_ns", tr("Wall time"), CellKind::Time, tr("From begin to end")}, seconds(&AlgorithmRow::wall)},
         {{"busiest_ns", tr("Busiest"), CellKind::Time, tr("Of that, what the process worked that waited least")},
          seconds(&AlgorithmRow::busiest)},
         {{"rounds", tr("Rounds"), CellKind::Count, tr("Exchanges between the processes")},
          count(&SearchCounts::rounds)},
         {{"relaxations", tr("Relaxations"), CellKind::Count, tr("Edges looked at")},
          count(&SearchCounts::relaxations)},
         {{"repushes", tr("Re-pushes"), CellKind::Count, tr("Nodes that were taken again after they seemed final")},
          count(&SearchCounts::rePushes)},
         {{"bytes_sent", tr("Payload sent"), CellKind::Bytes, tr("To other processes")}, &AlgorithmRow::bytes},
         {{"largest_part", tr("Largest part"), CellKind::Count, tr("Nodes, or intervals of the sweep, of a process")},
          &AlgorithmRow::largestPart},
         {{"smallest_part", tr("Smallest part"), CellKind::Count, tr("The same of another process")},
          &AlgorithmRow::smallestPart},
         {{"peak_memory", tr("Peak memory"), CellKind::Bytes, tr("Of the largest process; threads are one")},
          &AlgorithmRow::peakMemory},
         {{"shuffle_ns", tr("Shuffle"), CellKind::Time, tr("Of the parallel sweep: the slowest process' shuffle")},
          seconds(&AlgorithmRow::shuffleSeconds)},
         {{"shuffle_bytes", tr("Shuffled"), CellKind::Bytes, tr("Sent to other processes in it")},
          &AlgorithmRow::shuffleBytes}}};
}

Payload bytesOfText(const QString& text)
{
    const QByteArray utf8 = text.toUtf8();
    Payload bytes(static_cast<std::size_t>(utf8.size()));
    if (!bytes.empty()) std::memcpy(bytes.data(), utf8.constData(), bytes.size());
    return bytes;
}

// The trace on every process: the first one imports it, if need be, the others open what it made.
std::shared_ptr<const TraceStore> sharedTrace(Transport& transport, const std::optional<Result<CommandTrace>>& opened)
{
    if (transport.isRoot() && !*opened) transport.fail(opened->error());
    const Payload told = transport.broadcast(transport.isRoot() && *opened ? bytesOfText((**opened).store->path())
                                                                           : Payload());
    if (transport.failed()) return {};
    if (transport.isRoot()) return (**opened).store;
    auto store = TraceStore::open(QString::fromUtf8(reinterpret_cast<const char*>(told.data()),
                                                    static_cast<qsizetype>(told.size())));
    if (store) return *store;
    transport.fail(store.error());
    return {};
}

void compare(Transport& transport, const std::optional<Result<CommandTrace>>& opened, const ComparedRuns& compared,
             ComparedAlgorithms& comparison)
{
    const std::shared_ptr<const TraceStore> store = sharedTrace(transport, opened);
    if (!store) return;
    if (!store->info().hasRanks())
        return transport.fail({.what = tr("These algorithms are about MPI programs."),
                               .where = store->path(),
                               .hint = tr("Of Charm++ programs ask longpole critical-path.")});
    const LossGraph graph = readLossGraph(transport, *store);
    const GraphCounts counts = countGraph(transport, graph);
    if (transport.isRoot()) comparison.graph = counts;
    for (const AlgorithmRun& run : compared.runs) {
        if (transport.failed()) return;
        AlgorithmAnswer answer = runAlgorithm(transport, graph, run, compared.options);
        if (transport.isRoot()) comparison.rows.push_back(answer.row);
    }
}

ExitCode runAlgorithms(const CommandLine& line)
{
    const auto compared = comparedRuns(line);
    if (!compared) return ExitCode::Usage;
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    std::optional<Result<CommandTrace>> opened;
    if (isRoot(line)) opened = openTrace(line);
    ComparedAlgorithms comparison;
    const auto body = [&](Transport& transport, const Progress&) {
        const EndsAtOnce nothingWritten;
        compare(transport, opened, *compared, comparison);
    };
    if (const auto failed = runOnProcesses(line, body)) return *failed;
    if (!isRoot(line)) return ExitCode::Fine;
    const TraceStore& store = *(**opened).store;
    return deliver(line, [&](Output& output) {
        if (*format == OutputFormat::Text)
            output.write(tr("%1 nodes, %2 edges, %3 segments; %4 to %5 nodes a process")
                             .arg(formatCount(comparison.graph.nodes), formatCount(comparison.graph.edges),
                                  formatCount(comparison.graph.segments), formatCount(comparison.graph.smallestPart),
                                  formatCount(comparison.graph.largestPart))
                         + QStringLiteral("\n\n"));
        writeTable(output, *format, algorithmTable(), comparison.rows, store);
    });
}

constexpr CommandOption algorithmsOptions[] = {
    processesOption,
    symbolsOption,
    {"only", "NAMES",
     "these, separated by commas: dp, dijkstra, delta, parallel-dijkstra, parallel-delta, sweep, "
     "parallel-sweep (default: all)"},
    {"splits", "WHICH", "ways to use global synchronizations, separated by commas: none, 1, 2, 3, 4 (default: all)"},
    {"boundary", "RULES", "of the parallel sweep: simple, overlap, master, stitched (default: all)"},
    {"delta", "T", "width of the buckets of Delta-stepping (default: the mean loss of the edges)"},
    {"borders", "BY", "parts of the sweep: of as many intervals each (count, default), or of equal time", "count time"},
    {"order", "ORDER", "to whom the shuffle sends first: the next process (shifted, default), or process 0 (same)",
     "shifted same"},
    {"send-empty", nullptr, "in the shuffle, send messages without intervals, too, and wait for them"},
    {"compression", "LEVEL", "of the shuffle's messages: off (default), min, max", "off min max"},
    {"threshold", "T", "pieces of code shorter than this belong to the calls around them in sweeps (default: 0)"},
    csvOption,
    {"o", "FILE", "write to FILE, by its ending: .txt (default) or .csv", nullptr, "txt csv"},
};

constexpr CommandExample algorithmsExamples[] = {
    {"longpole algorithms ring.longpole --processes 2", "all algorithms, their lengths and what they cost"},
    {"longpole algorithms ring.longpole --only parallel-sweep --compression min --csv",
     "the sweep with each boundary rule"},
};

}  // namespace

extern const Command algorithmsCommand;  // commands.cpp lists it
const Command algorithmsCommand{
    .name = "algorithms",
    .arguments = "TRACE",
    .summary = "compares ways to find the path of an MPI run: shortest paths, sweeps; by one process or several",
    .description =
        R"(Finds the work path of an MPI run by each algorithm of Korkhov et al. (2023) and says what each costs. Edges
weigh what is lost along them, so that the shortest way through the graph is the longest chain of computation:
all searches find the same length, that of longpole critical-path, and the same path.

dp: in topological order. dijkstra, delta: one process has the whole graph. parallel-dijkstra: each process settles
its own nearest node in each round, and distances found later correct it. parallel-delta: common buckets.
--splits: 1 a sequential algorithm, one segment between global synchronizations after another; 2 a parallel one,
one segment after another; 3 a parallel one, all segments at once; 4 a sequential one, segments dealt out.

sweep: of each group of overlapping pieces of code the longest, an approximation. parallel-sweep: each process has a
part of the time. --boundary: what is done about groups that reach into the next part: nothing (simple), the part
gets the others' intervals (overlap), process 0 numbers shared groups (master) or puts them together (stitched).)",
    .minArguments = 1,
    .maxArguments = 1,
    .runsOnProcesses = true,
    .isOpenEnded = true,
    .needs = Needs::Ranks,
    .instead = "critical-path",
    .options = algorithmsOptions,
    .examples = algorithmsExamples,
    .run = runAlgorithms,
};

}  // namespace longpole
