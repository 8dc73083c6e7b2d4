// SPDX-License-Identifier: GPL-3.0-or-later
// bench_open TRACE.longpole: what somebody waits for who opens a trace: from the store over the graph to path, profile
// and slack, and to everything that the critical path's panel shows. `bench_open --make FILE MILLIONS` writes a trace
// of so many million tasks on 1024 PEs for it.
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/nearcritical.h"
#include "analysis/paths/parallelism.h"
#include "analysis/paths/slack.h"
#include "analysis/whatif/zeroing.h"
#include "core/base/parallel.h"
#include "core/store/entrybins.h"
#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"
#include "core/trace/columns.h"

#include <QElapsedTimer>
#include <QString>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>

namespace longpole {

namespace {

constexpr std::uint32_t processors = 1024;
constexpr std::uint32_t entries = 40;

// As Projections logs have it: whole microseconds, a message from a task of any PE some tasks ago, idling before some
// tasks. Times are known without the other PEs: task i of a PE begins at about i times the mean.
struct MadeTask {
    TimeNs begin = 0;
    TimeNs duration = 0;
    std::uint32_t entry = 0;
};

constexpr TimeNs period = 14'000;  // from one begin to the next

MadeTask madeTask(std::uint32_t pe, std::uint32_t row)
{
    std::uint64_t x = (static_cast<std::uint64_t>(pe) << 32 | row) * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 32;
    return {static_cast<TimeNs>(row) * period + static_cast<TimeNs>(x % 4) * 1000,
            5'000 + static_cast<TimeNs>((x >> 8) % 6) * 1000, static_cast<std::uint32_t>((x >> 16) % entries)};
}

void writeTasks(TraceWriter& writer, std::uint32_t pe, std::uint32_t rows)
{
    const TrackId track{pe + 1};
    auto stream = writer.stream(pe);
    std::mt19937 random(pe);
    TimeNs free = 0;
    TileBuilder tiles({0, maxTime});
    EntryBinBuilder entryBins({0, maxTime});
    for (std::uint32_t row = 0; row < rows; ++row) {
        const MadeTask task = madeTask(pe, row);
        if (task.begin > free && random() % 2 == 0) {
            stream->append(ChunkKind::Idle, track, std::array<std::int64_t, 2>{free, task.begin - free});
            tiles.idle(free, task.begin);
        }
        tiles.task(task.begin);
        tiles.busy(task.begin, task.begin + task.duration, EntryId{task.entry});
        tiles.message(task.begin, static_cast<std::int64_t>(random() % 4096));
        entryBins.task(task.begin, EntryId{task.entry});
        entryBins.busy(task.begin, task.begin + task.duration, EntryId{task.entry});
        free = task.begin + task.duration;
        stream->append(ChunkKind::Task, track,
                       std::array<std::int64_t, TaskColumn::Count>{task.begin, task.duration, 0, task.entry, 0, 0, 64,
                                                                   0, minTime, -1,
                                                                   static_cast<std::int64_t>(random() % 512)});
    }
    stream->append(track, tiles.finish());
    stream->append(track, entryBins.finish());
    for (std::uint32_t source = 0; source < processors; ++source)
        stream->append(ChunkKind::Latency, track, std::array<std::int64_t, 3>{source, 2'000, 1});
}

// After all tasks, as an importer writes them that has matched the messages.
void writeSources(TraceWriter& writer, std::uint32_t pe, std::uint32_t rows)
{
    auto stream = writer.stream(processors + pe);
    std::mt19937 random(pe + processors);
    for (std::uint32_t row = 0; row < rows; ++row) {
        std::array<std::int64_t, TaskSourceColumn::Count> link{};
        const std::uint32_t back = 1 + random() % 30;
        const std::uint32_t from = random() % processors;
        link[TaskSourceColumn::MessageIndex] = -1;
        if (row >= back) {
            const MadeTask source = madeTask(from, row - back);
            const TimeNs offset = source.duration / 2000 * 1000;
            link = {std::int64_t(Link::Message),
                    from,
                    row - back,
                    offset,
                    madeTask(pe, row).begin - source.begin - offset,
                    row - back,
                    from};
        }
        stream->append(ChunkKind::TaskSource, TrackId{pe + 1}, link);
    }
}

void addDefinitions(TraceWriter& writer, std::uint32_t rows)
{
    writer.add(Track{.id = TrackId{0}, .kind = TrackKind::Root, .name = QStringLiteral("synthetic"), .pe = {}});
    const TimeNs end = static_cast<TimeNs>(rows + 1) * period;
    const TimeNs busy = static_cast<TimeNs>(rows) * 7'500;
    for (std::uint32_t pe = 0; pe < processors; ++pe) {
        const QString name = QStringLiteral("PE ") + QString::number(pe);
        writer.add(Track{.id = TrackId{pe + 1}, .parent = TrackId{0}, .name = name, .pe = ProcessorId{pe}});
        writer.add(Processor{.pe = ProcessorId{pe},
                             .track = TrackId{pe + 1},
                             .name = name,
                             .records = 3 * rows,
                             .tasks = rows,
                             .busy = busy});
        writer.add(ProfileRow{ProcessorId{pe}, EntryId{pe % entries}, rows, busy, busy, 0, 0});
    }
    writer.add(Chare{.id = ChareId{0}, .name = QStringLiteral("Worker")});
    for (std::uint32_t entry = 0; entry < entries; ++entry)
        writer.add(Entry{.id = EntryId{entry},
                         .name = QStringLiteral("work") + QString::number(entry),
                         .chare = QStringLiteral("Worker")});
    TraceInfo info;
    info.format = QStringLiteral("projections");
    info.program = QStringLiteral("synthetic");
    info.processors = processors;
    info.tasks = std::int64_t{rows} * processors;
    info.end = end;
    info.busy = busy * processors;
    writer.setInfo(info);
}

int make(const QString& file, std::size_t tasks)
{
    auto writer = TraceWriter::create(file);
    if (!writer) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(writer.error())));
        return 3;
    }
    const auto rows = static_cast<std::uint32_t>(tasks / processors);
    parallelFor(2 * processors, [&](std::size_t i) {
        if (i < processors) writeTasks(**writer, static_cast<std::uint32_t>(i), rows);
        else writeSources(**writer, static_cast<std::uint32_t>(i - processors), rows);
    });
    addDefinitions(**writer, rows);
    const Result<> finished = (*writer)->finish(Progress());
    if (finished) return 0;
    std::fprintf(stderr, "%s\n", qPrintable(toText(finished.error())));
    return 3;
}

bool failed = false;

// Seconds on the wall since the store was opened, and CPU seconds of all threads.
class Clock {
public:
    void print(const char* name, double goal = 0)
    {
        const double seconds = static_cast<double>(m_timer.nsecsElapsed()) / 1e9;
        const double cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC - m_cpu;
        std::printf("%s_s %.2f s", name, seconds);
        if (goal > 0) std::printf(" (goal %.1f", goal);
        std::printf("%s%.2f s CPU%s\n", goal > 0 ? ", " : " (", cpu, ")");
        // Where other programs take the processors, only the work itself is held against the goal.
        if (goal > 0 && std::min(seconds, cpu) > 3 * goal) failed = true;
    }
    Clock() { m_timer.start(); }

private:
    QElapsedTimer m_timer;
    double m_cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
};

template <typename Value>
bool isThere(const Result<Value>& result)
{
    if (!result) std::fprintf(stderr, "%s\n", qPrintable(toText(result.error())));
    return result.ok();
}

// All processors' tiles at a level of about a thousand bins, in the columns of one view.
bool readStages(const TraceStore& store, std::uint32_t columns)
{
    std::atomic<bool> isComplete{true};
    parallelFor(store.processors().size(), [&](std::size_t pe) {
        const TrackId track = store.processors()[pe].track;
        const std::vector<int> levels = store.tileLevels(track);
        const auto stage = static_cast<std::uint64_t>(store.info().end / 1000);
        const int level = std::max(levels.front(), static_cast<int>(std::bit_width(stage)) - 1);
        const auto wanted = std::find_if(levels.rbegin(), levels.rend(), [level](int l) { return l <= level; });
        const auto tiles = store.tiles(track, *wanted, store.info().range(), columns);
        if (!tiles || tiles->bins.empty()) isComplete = false;
    });
    return isComplete;
}

bool readEntryBins(const TraceStore& store)
{
    std::atomic<bool> isComplete{true};
    parallelFor(store.processors().size(), [&](std::size_t pe) {
        const auto bins = store.entryBins(store.processors()[pe].track);
        if (!bins || bins->rows() == 0) isComplete = false;
    });
    return isComplete;
}

// What stage x processor views wait for: one attribute, all of them, those by entry method.
int measureStages(const QString& file)
{
    const auto store = TraceStore::open(file);
    if (!isThere(store)) return 3;
    Clock columns;
    if (!readStages(**store, 1u << TileColumn::Busy | 1u << TileColumn::Bytes)) return 3;
    columns.print("stages_two_columns", 0.1);
    Clock again;
    if (!readStages(**store, 1u << TileColumn::Busy | 1u << TileColumn::Bytes)) return 3;
    again.print("stages_cached");
    Clock all;
    if (!readStages(**store, allTileColumns)) return 3;
    all.print("stages_all_columns");
    Clock cube;
    if (!readEntryBins(**store)) return 3;
    cube.print("stages_by_entry");
    return 0;
}

int measure(const QString& file)
{
    if (const int failure = measureStages(file)) return failure;
    Clock clock;
    const auto store = TraceStore::open(file);
    if (!isThere(store)) return 3;
    clock.print("store");
    const auto loaded = loadActivityGraph(**store, Progress{});
    if (!isThere(loaded)) return 3;
    const ActivityGraph& graph = **loaded;
    clock.print("graph");
    const WorkHeads heads = workHeads(graph, EdgeLevel::Order, Progress{});
    const auto path = workPath(graph, heads);
    if (!isThere(path)) return 3;
    clock.print("path");
    const WhatIfModel model{.mode = PathMode::Work, .edges = heads.edges};
    const auto slack = slackOfTasks(graph, model, &heads, Progress{});
    if (!isThere(slack)) return 3;
    clock.print("path_profile_slack", 5);

    // What the panel's tabs show comes from jobs of their own.
    CriticalPath most = *path;
    if (most.profile.size() > 16) most.profile.resize(16);
    const std::array<std::function<bool()>, 3> tabs{
        [&] { return isThere(nearCriticalPaths(graph, model, **slack, heads, {}, Progress{})); },
        [&] { return isThere(zeroing(graph, model, most, Progress{})); },
        [&] { return isThere(exposingTasks(graph, dependencies(graph, EdgeLevel::Messages), 10, Progress{})); }};
    constexpr std::array names{"near_critical", "zeroing", "parallelism"};
    std::atomic<bool> isComplete{true};
    parallelFor(tabs.size(), [&](std::size_t tab) {
        if (!tabs[tab]()) isComplete = false;
        clock.print(names[tab]);
    });
    if (!isComplete) return 3;
    clock.print("panel", 8);

    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("tasks %zu\n", graph.size());
    std::printf("path_steps %zu\n", path->steps.size());
    std::printf("peak %.1f B/task\n", static_cast<double>(usage.ru_maxrss) * 1024 / static_cast<double>(graph.size()));
    return failed ? 1 : 0;
}

}  // namespace

}  // namespace longpole

int main(int argc, char** argv)
{
    using namespace longpole;
    if (argc == 4 && std::strcmp(argv[1], "--make") == 0)
        return make(QString::fromLocal8Bit(argv[2]), std::strtoull(argv[3], nullptr, 10) * 1'000'000);
    if (argc == 2) return measure(QString::fromLocal8Bit(argv[1]));
    std::fprintf(stderr, "usage: bench_open TRACE.longpole | --make FILE.longpole MILLIONS\n");
    return 2;
}
