// SPDX-License-Identifier: GPL-3.0-or-later
// longpole simulate, and longpole-mpi simulate: a made run of any number of ranks, analyzed by several processes, held
// against what is known of it, with what each part of the analysis took.
#include "analysis/base/cells.h"
#include "app/commandline/outputfile.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/tableoutput.h"
#include "app/processes/allanswers.h"
#include "app/processes/processes.h"
#include "core/base/parallel.h"
#include "core/trace/format.h"
#include "distributed/recording/wholetrace.h"
#include "distributed/simulation/madesource.h"

#include <QFileInfo>

#include <algorithm>
#include <chrono>
#include <optional>

#include <sys/resource.h>
#include <ctime>

namespace longpole {

namespace {

constexpr const char* madePart = "made";

// A part of the analysis, or making the run: what it took from the begin to the end of all processes.
struct PartRow {
    const char* part = "";
    TimeNs wall = 0;  // at process 0
    TimeNs cpu = 0;   // of all processes
    TimeNs busiest = 0;
    std::int64_t sent = 0;  // bytes, of all processes
};

// What is planted, and what was found.
struct Truth {
    const char* what = "";
    std::int64_t planted = 0;
    std::int64_t found = 0;
    bool isTime = true;
    bool isRight() const { return planted == found; }
};

struct Simulation {
    SimulatedRun run;
    int processes = 1;
    std::int64_t calls = 0;
    std::int64_t peakMemory = 0;  // of the largest process; threads are one
    std::vector<PartRow> parts;
    std::vector<Truth> truths;
    std::optional<HostedTrace> trace;
};

// What one process has used so far.
struct Used {
    std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
    TimeNs cpu = 0;
    std::int64_t sent = 0;
};

Used usedSoFar(const Transport& transport)
{
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    const Traffic& traffic = transport.traffic();
    return {.cpu = TimeNs{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec,
            .sent = static_cast<std::int64_t>(traffic.bytes + traffic.collectiveBytes)};
}

struct Taken {
    TimeNs wall = 0;
    TimeNs cpu = 0;
};

// Adds up what the processes use from part to part.
class Meter {
public:
    explicit Meter(Transport& transport) : m_transport(transport), m_before(usedSoFar(transport)) {}

    // `without`: time that went into the part, but is that of another one.
    void ended(const char* part, const Taken& without = {})
    {
        const Used now = usedSoFar(m_transport);
        const Taken taken = since();
        const TimeNs cpu = std::max<TimeNs>(0, taken.cpu - without.cpu);
        PartRow row{part, std::max<TimeNs>(0, taken.wall - without.wall), cpu, cpu, now.sent - m_before.sent};
        row.cpu = reduceOne(m_transport, row.cpu, [](TimeNs& into, const TimeNs& from) { into += from; });
        row.sent = reduceOne(m_transport, row.sent, [](std::int64_t& into, const std::int64_t& from) { into += from; });
        row.busiest = reduceOne(m_transport, row.busiest,
                                [](TimeNs& into, const TimeNs& from) { into = std::max(into, from); });
        m_rows.push_back(row);
        m_before = usedSoFar(m_transport);
    }
    // Of this process, since the end of the part before.
    Taken since() const
    {
        const Used now = usedSoFar(m_transport);
        return {std::chrono::nanoseconds(now.time - m_before.time).count(), now.cpu - m_before.cpu};
    }
    const std::vector<PartRow>& rows() const { return m_rows; }

private:
    Transport& m_transport;
    Used m_before;
    std::vector<PartRow> m_rows;
};

TimeNs waited(const WaitStates& waits, WaitStateKind kind)
{
    const auto found = std::find_if(waits.states.begin(), waits.states.end(),
                                    [kind](const WaitState& state) { return state.kind == kind; });
    return found == waits.states.end() ? 0 : found->time;
}

std::int64_t peakMemory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;
}

// A rank's calls that nobody wants.
class UnreadScript final : public RankScript {
public:
    explicit UnreadScript(const Progress& progress) : m_progress(progress) {}
    bool goesOn() const override { return !m_progress.isCancelled(); }
    void begin(MadeCall /*call*/, TimeNs /*time*/) override {}
    void end(TimeNs /*time*/) override {}
    void sends(std::int64_t /*request*/, std::uint32_t /*to*/, std::int32_t /*tag*/) override {}
    void posts(std::int64_t /*request*/) override {}
    void received(std::int64_t /*request*/, std::uint32_t /*from*/, std::int32_t /*tag*/) override {}
    void sent(std::int64_t /*request*/) override {}
    void meets(std::uint32_t /*communicator*/) override {}

private:
    const Progress& m_progress;
};

// Making the run is no part of its analysis, which makes it once more while it reads: what that took is taken off
// there.
Taken makeOnly(const MadeProgram& program, const Transport& transport, const Hosting& hosting, Meter& meter,
               const Progress& progress)
{
    UnreadScript script(progress);
    for (std::uint32_t rank = hosting.first(transport.process()); rank < hosting.last(transport.process()); ++rank)
        program.play(rank, script);
    const Taken taken = meter.since();
    meter.ended(madePart);
    return taken;
}

void simulate(Transport& transport, const HostingOptions& options, const QString& file, const Progress& progress,
              Simulation& simulation)
{
    const SimulatedRun run = simulation.run;
    MadeSource source(run);
    const Hosting hosting = Hosting::balanced(std::vector<std::uint64_t>(run.ranks, 0), transport.processes());
    Meter meter(transport);
    const Taken made = makeOnly(source.program(), transport, hosting, meter, progress);
    Result<HostedTrace> trace = hostSource(transport, source, hosting, options, progress);
    if (!trace) return transport.fail(trace.error());
    meter.ended("read", made);
    AllAnswers answers;
    AnswerPlan all(transport, {});
    if (!answerAll(all, transport, *trace, progress, answers, [&meter](const char* part) { meter.ended(part); }))
        return;
    if (!file.isEmpty()) {
        if (!writeWholeTrace(transport, *trace, file, progress)) return;
        meter.ended("trace");
    }
    const PlantedRank planted = reduceOne(transport, source.planted(),
                                          [](PlantedRank& into, const PlantedRank& from) { into += from; });
    const std::int64_t memory = reduceOne(transport, peakMemory(), [](std::int64_t& into, const std::int64_t& from) {
        into = std::max(into, from);
    });
    if (transport.failed() || !transport.isRoot()) return;
    const TraceInfo& info = trace->store->info();
    simulation.processes = transport.processes();
    simulation.calls = planted.calls;
    simulation.peakMemory = memory;
    simulation.parts = meter.rows();
    simulation.truths = {
        {QT_TRANSLATE_NOOP("longpole", "Calls"), planted.calls, info.records, false},
        {QT_TRANSLATE_NOOP("longpole", "Messages"), planted.messages, info.messagesMatched, false},
        {QT_TRANSLATE_NOOP("longpole", "Work path"), source.program().pathLength(), answers.path.path.length},
        {QT_TRANSLATE_NOOP("longpole", "Waits for a late sender"), planted.lateSender,
         waited(answers.waits, WaitStateKind::LateSender)},
        {QT_TRANSLATE_NOOP("longpole", "Waits where all meet"), planted.notYetAll,
         waited(answers.waits, WaitStateKind::WaitAtNxN)},
    };
    simulation.trace.emplace(std::move(*trace));
}

Table<PartRow> partTable(const Simulation& simulation)
{
    const auto text = [](const char* words) { return [words](const PartRow&) { return words; }; };
    const auto count = [](std::int64_t number) { return [number](const PartRow&) { return number; }; };
    return {QStringLiteral("parts"),
            tr("Parts"),
            {{{"pattern", tr("Pattern"), CellKind::Text, tr("What the ranks do")}, text(name(simulation.run.pattern))},
             {{"ranks", tr("Ranks"), CellKind::Count, tr("Of the made run")}, count(simulation.run.ranks)},
             {{"steps", tr("Steps"), CellKind::Count, tr("Of the made run")}, count(simulation.run.steps)},
             {{"processes", tr("Processes"), CellKind::Count, tr("That worked together")}, count(simulation.processes)},
             {{"calls", tr("Calls"), CellKind::Count, tr("Of all ranks")}, count(simulation.calls)},
             {{"part", tr("Part"), CellKind::Text,
               tr("made: the run itself, which is no part of the analysis; read: matched and kept")},
              &PartRow::part},
             {{"wall_ns", tr("Wall time"), CellKind::Time, tr("From begin to end")}, &PartRow::wall},
             {{"cpu_ns", tr("CPU time"), CellKind::Time, tr("Of all processes")}, &PartRow::cpu},
             {{"busiest_ns", tr("Busiest"), CellKind::Time, tr("CPU time of the process that took most")},
              &PartRow::busiest},
             {{"bytes_sent", tr("Sent"), CellKind::Bytes, tr("From process to process")}, &PartRow::sent},
             {{"peak_memory", tr("Peak memory"), CellKind::Bytes, tr("Of the largest process; threads are one")},
              count(simulation.peakMemory)}}};
}

void writeText(Output& output, const Simulation& simulation)
{
    const SimulatedRun& run = simulation.run;
    output.write(tr("%1 of %2 ranks, %3 steps: %4 calls; processes: %5")
                     .arg(QLatin1String(name(run.pattern)), formatCount(run.ranks), formatCount(run.steps),
                          formatCount(simulation.calls), formatCount(simulation.processes))
                 + QStringLiteral("\n\n"));
    for (const Truth& truth : simulation.truths) {
        const auto shown = [&truth](std::int64_t value) {
            return truth.isTime ? formatTime(value) : formatCount(value);
        };
        output.write(QStringLiteral("  %1  %2\n")
                         .arg(tr(truth.what).leftJustified(26),
                              truth.isRight()
                                  ? tr("%1, as planted").arg(shown(truth.found))
                                  : tr("WRONG: %1 instead of %2").arg(shown(truth.found), shown(truth.planted))));
    }
    output.write(QByteArray("\n"));
    PartRow all{.part = QT_TRANSLATE_NOOP("longpole", "analysis")};
    std::vector<PartRow> rows = simulation.parts;
    for (const PartRow& row : rows) {
        if (row.part == madePart) continue;
        all.wall += row.wall;
        all.cpu += row.cpu;
        all.busiest += row.busiest;
        all.sent += row.sent;
    }
    rows.push_back(all);
    writeTable(output, OutputFormat::Text,
               partTable(simulation).only({"part", "wall_ns", "cpu_ns", "busiest_ns", "bytes_sent"}), rows,
               *simulation.trace->store);
    output.write(
        QStringLiteral("\n%1\n").arg(tr("%1 of CPU time a call for the analysis; at most %2 of memory a process")
                                         .arg(formatTime(all.cpu / std::max<std::int64_t>(1, simulation.calls)),
                                              formatBytes(simulation.peakMemory))));
}

std::optional<SimulatedRun> madeRun(const CommandLine& line)
{
    SimulatedRun run;
    if (line.has("pattern")) run.pattern = *madePattern(line.value("pattern").toStdString());
    const auto ranks = countOption(line, "ranks", 64);
    const auto steps = ranks ? countOption(line, "steps", 100) : ranks;
    const auto seed = steps ? countOption(line, "seed", 1) : steps;
    if (!seed) return std::nullopt;
    constexpr std::int64_t mostRanks = 1 << 20;
    if (*ranks < leastRanks(run.pattern) || *ranks > mostRanks) {
        usageError(line.command, tr("--ranks takes %1 to %2 of this pattern")
                                     .arg(QString::number(leastRanks(run.pattern)), QString::number(mostRanks)));
        return std::nullopt;
    }
    constexpr std::int64_t mostSteps = 100'000'000;
    if (*steps > mostSteps) {
        usageError(line.command, tr("--steps takes at most %1").arg(mostSteps));
        return std::nullopt;
    }
    run.ranks = static_cast<std::uint32_t>(*ranks);
    run.steps = static_cast<std::uint32_t>(*steps);
    run.seed = static_cast<std::uint64_t>(*seed);
    return run;
}

ExitCode runSimulate(const CommandLine& line)
{
    const auto run = madeRun(line);
    if (!run) return ExitCode::Usage;
    setDefaultThreads(1);  // what each process takes is what its thread takes
    HostingOptions options;
    options.scratch = line.value("scratch");
    if (!line.transport && !options.scratch.isEmpty() && !QFileInfo(options.scratch).isDir())
        return usageError(line.command, tr("--scratch: there is no folder '%1'").arg(options.scratch));
    const QString file = line.output.name;
    options.isForTrace = !file.isEmpty();
    Simulation simulation;
    simulation.run = *run;
    const auto body = [&](Transport& transport, const Progress& progress) {
        if (transport.isRoot() && !file.isEmpty())
            if (const Result<> writable = checkWritable(file, {}); !writable) return transport.fail(writable.error());
        Simulation own;
        own.run = *run;
        simulate(transport, options, file, progress, own);
        if (transport.isRoot()) simulation = std::move(own);
    };
    if (const auto failed = runOnProcesses(line, body)) return *failed;
    if (!isRoot(line)) return ExitCode::Fine;
    CommandLine shown = line;
    shown.output = {};  // -o is the trace
    const ExitCode written = deliver(shown, [&](Output& output) {
        if (line.has("csv"))
            writeTable(output, OutputFormat::Csv, partTable(simulation), simulation.parts, *simulation.trace->store);
        else writeText(output, simulation);
    });
    const bool isRight = std::all_of(simulation.truths.begin(), simulation.truths.end(),
                                     [](const Truth& truth) { return truth.isRight(); });
    return isRight ? written : ExitCode::ThresholdCrossed;
}

constexpr CommandOption simulateOptions[] = {
    processesOption,
    {"pattern", "NAME", "what the ranks do: halo2d (default), cg, fft, wavefront, master",
     "halo2d cg fft wavefront master"},
    {"ranks", "P", "how many there are (default: 64)"},
    {"steps", "N", "how many steps each makes (default: 100)"},
    {"seed", "N", "of the imbalance, and of which rank is late when (default: 1)"},
    csvOption,
    {"o", "FILE", "also write the trace of the made run, which gets the ending .longpole", nullptr, "longpole"},
    {"scratch", "FOLDER", "where each process keeps the rows of its ranks meanwhile (default: TMPDIR, or /tmp)"},
};

constexpr CommandExample simulateExamples[] = {
    {"longpole simulate --ranks 1000 --steps 100 --processes 2", "a thousand ranks on two threads, and what it took"},
    {"longpole simulate --pattern wavefront --ranks 256 -o wavefront.longpole", "a made run to look at"},
};

}  // namespace

extern const Command simulateCommand;  // commands.cpp lists it
const Command simulateCommand{
    .name = "simulate",
    .arguments = "",
    .summary = "analyzes a made run of any number of ranks, whose answers are known, and says what it took",
    .description =
        R"(Makes an MPI run of any size, analyzes it as longpole analyze does a recording, and compares what is found with
what is planted: calls, messages, the length of the work path, what was waited for late senders and where all meet.
Each process makes the ranks that it hosts; no recording is read or written. So a machine or a cluster shows what
analyses of large runs take before there is one: mpirun -n 64 longpole-mpi simulate --ranks 10000 --steps 1000.

halo2d: a grid exchanges halos, then all meet; cg: each row of the grid meets, then all; fft: all exchange with all;
wavefront: diagonals of a grid follow each other, nobody ever meets; master: rank 0 deals out jobs. In the first three
a rank is late in each step. Exit code 1 if an answer is not the planted one.)",
    .minArguments = 0,
    .maxArguments = 0,
    .runsOnProcesses = true,
    .isOpenEnded = true,
    .options = simulateOptions,
    .examples = simulateExamples,
    .run = runSimulate,
};

}  // namespace longpole
