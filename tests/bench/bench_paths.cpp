// SPDX-License-Identifier: GPL-3.0-or-later
// Times building the activity graph and its paths on a synthetic run of 20 million tasks on 1024 PEs, or as many
// millions as the first argument says.
#include "analysis/graph/builder.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/nearcritical.h"
#include "analysis/paths/parallelism.h"
#include "analysis/paths/slack.h"
#include "analysis/paths/slackpyramid.h"
#include "analysis/whatif/zeroing.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

using namespace longpole;

namespace {

constexpr std::uint32_t processors = 1024;

// Every PE runs tasks of 5..20 us with short gaps; a task's message comes from another PE's task some tasks ago.
TaskColumns syntheticTasks(std::size_t tasks)
{
    std::mt19937_64 random(42);
    TaskColumns columns;
    columns.resize(tasks);
    const std::size_t each = tasks / processors;
    for (std::uint32_t pe = 0; pe < processors; ++pe) {
        columns.first.push_back(pe * each);
        TimeNs time = static_cast<TimeNs>(random() % 10'000);
        const std::size_t last = pe + 1 < processors ? (pe + 1) * each : tasks;
        for (std::size_t p = pe * each; p < last; ++p) {
            columns.begin[p] = time;
            columns.duration.set(p, static_cast<TimeNs>(5'000 + random() % 15'000));
            columns.taskIndex[p] = static_cast<std::uint32_t>(p - pe * each);
            columns.entry[p] = static_cast<std::uint32_t>(random() % 40);
            time += columns.duration[p] + static_cast<TimeNs>(random() % 2'000);
        }
    }
    columns.first.push_back(tasks);
    for (std::size_t p = 0; p < tasks; ++p) {
        const std::size_t row = p % each;
        if (row < 64) continue;
        const std::size_t source = (random() % processors) * each + row - 64 + random() % 60;
        if (columns.begin[source] >= columns.begin[p]) continue;
        columns.source[p] = static_cast<std::uint32_t>(source);
        columns.offset.set(p, columns.duration[source] / 2);
        columns.setSent(p, columns.begin[source] + columns.offset[p]);
        columns.setReceived(p, columns.sent(p) + 1'000);
    }
    return columns;
}

// CPU time of all threads, which other programs on the machine disturb less than the time on the wall.
class Stopwatch {
public:
    double nanoseconds() const { return static_cast<double>(std::clock() - m_start) * (1e9 / CLOCKS_PER_SEC); }

private:
    std::clock_t m_start = std::clock();
};

// The least of three runs, per task.
template <typename Work>
double perTask(std::size_t tasks, Work work)
{
    double least = 1e300;
    for (int i = 0; i < 3; ++i) {
        const Stopwatch watch;
        work();
        least = std::min(least, watch.nanoseconds());
    }
    return least / static_cast<double>(tasks);
}

// One pass over the arrays that the work path reads, as a yardstick for this machine.
std::int64_t plainPass(const ActivityGraph& graph)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < graph.size(); ++i)
        sum += graph.pe[i] + graph.source[i] + graph.offset[i] + graph.duration[i];
    return sum;
}

bool failed = false;

// Milliseconds on the wall, the least of three runs: what somebody waits.
template <typename Work>
void printWait(const char* name, double goal, Work work)
{
    double least = 1e300;
    for (int i = 0; i < 3; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
        least = std::min(least, passed.count());
    }
    std::printf("%s %.2f ms (goal %.1f)\n", name, least, goal);
    if (least > 3 * goal) failed = true;
}

void print(const char* name, double value, double goal, double baseline)
{
    std::printf("%s %.2f ns/task CPU (goal %.1f, %.2f x a plain pass)\n", name, value, goal, value / baseline);
    if (value > 3 * goal) failed = true;
}

// What somebody waits for who clicks a task or selects a range.
void printWaits(const ActivityGraph& graph)
{
    volatile std::int64_t sink = 0;
    const auto last = static_cast<std::uint32_t>(graph.size() - 1);
    const TimeNs end = graph.begin.back();
    const TimeRange half{end / 4, end / 4 * 3};
    const TimeRange all{1, end};
    const Dependencies messages = dependencies(graph, EdgeLevel::Messages);
    const WorkHeads heads = workHeads(graph, EdgeLevel::Order, Progress{});
    printWait("path_of_a_task", 100, [&] { sink = workPath(graph, heads, graph.id(last))->length; });
    printWait("path_of_half", 100, [&] { sink = workPath(graph, heads.edges, half)->length; });
    printWait("path_of_half_messages", 100, [&] { sink = workPath(graph, messages, half)->length; });
    printWait("path_of_all_but_1_ns", 200, [&] { sink = workPath(graph, heads.edges, all)->length; });
    printWait("elapsed_path_of_half", 100, [&] { sink = elapsedPath(graph, half)->length; });
    printWait("sweep_path_of_half", 100, [&] { sink = sweepPath(graph, half)->length; });
}

double peakMegabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void printPeak(const char* name, std::size_t tasks)
{
    constexpr double goal = 60;
    const double peak = peakMegabytes() * 1024 * 1024 / static_cast<double>(tasks);
    std::printf("%s %.1f B/task (goal %.1f)\n", name, peak, goal);
    if (peak > 3 * goal) failed = true;
}

// Candidates are nearly all tasks here: every PE has a path of nearly the same length.
void printNearCritical(const ActivityGraph& graph, const WhatIfModel& model, const WorkHeads& heads, double baseline)
{
    const auto slack = *slackOfTasks(graph, model, &heads, Progress{});
    volatile std::int64_t sink = 0;
    const double found = perTask(graph.size(), [&] {
        sink = std::ssize(*nearCriticalPaths(graph, model, *slack, heads, {}, Progress{}));
    });
    print("near_critical", found, 130, baseline);
}

// With merges of every 16th task, and without.
void printParallelism(const ActivityGraph& graph, double baseline)
{
    std::mt19937_64 random(7);
    std::vector<MergeEdge> merges;
    for (auto i = static_cast<std::uint32_t>(100'000); i < graph.size(); i += 16)
        merges.push_back({i, i - 2000 - static_cast<std::uint32_t>(random() % 50'000), 1, MergeKind::Recorded});
    const Dependencies edges{.level = EdgeLevel::Merges, .merges = std::move(merges)};
    const Dependencies none{.level = EdgeLevel::Merges, .merges = {}};
    volatile std::int64_t sink = 0;
    const auto exposed = [&](const Dependencies& known) {
        return perTask(graph.size(), [&] { sink = std::ssize(*exposingTasks(graph, known, 10, Progress{})); });
    };
    print("parallelism", exposed(none), 35, baseline);
    print("parallelism_merges", exposed(edges), 100, baseline);
}

// Colouring the timeline by slack: building what answers it, and a whole picture from it.
void printPyramid(const std::shared_ptr<const ActivityGraph>& graph, const WhatIfModel& model, double baseline)
{
    constexpr std::size_t rows = 64, pixels = 2000;
    const auto slack = *slackOfTasks(*graph, model, nullptr, Progress{});
    std::unique_ptr<SlackPyramid> pyramid;
    const double built = perTask(graph->size(), [&] { pyramid = std::make_unique<SlackPyramid>(graph, slack); });
    print("slack_pyramid", built, 10, baseline);
    const TimeRange whole{0, graph->end(static_cast<std::uint32_t>(graph->size() - 1))};
    volatile std::int64_t sink = 0;
    const double pixel = perTask(rows * pixels, [&] {
        for (std::uint32_t pe = 0; pe < rows; ++pe) sink = pyramid->leastSlack(ProcessorId{pe}, whole, pixels).back();
    });
    std::printf("slack_frame %.2f ms CPU for %zu x %zu pixels\n", pixel * rows * pixels / 1e6, rows, pixels);
}

// Of the 40 entry methods on the path the first ones, and a curve.
void printZeroing(const ActivityGraph& graph, const WorkHeads& heads, const WhatIfModel& elapsed, double baseline)
{
    volatile std::int64_t sink = 0;
    const WhatIfModel work{PathMode::Work, heads.edges};
    const WhatIfModel messages{PathMode::Work, dependencies(graph, EdgeLevel::Messages)};
    const auto zero = [&](const char* name, const WhatIfModel& model, std::size_t entries, double goal) {
        Result<CriticalPath> path = model.mode == PathMode::Work ? workPath(graph, heads) : elapsedPath(graph);
        path->profile.resize(std::min(entries, path->profile.size()));
        print(name, perTask(graph.size(), [&] { sink = zeroing(graph, model, *path, Progress{})->front().net; }), goal,
              baseline);
    };
    zero("zeroing_16_entries", work, 16, 55);
    zero("zeroing_8_entries", work, 8, 33);
    zero("zeroing_1_entry", work, 1, 30);
    zero("zeroing_16_entries_messages", messages, 16, 55);
    zero("zeroing_16_entries_elapsed", elapsed, 16, 80);
    zero("zeroing_all_entries", work, 40, 165);
    std::size_t points = 0;
    const double curve = perTask(graph.size(), [&] {
        points = whatIfCurve(graph, work, {EntryId{0}}, {2, 1}, Progress{})->points.size();
    });
    std::printf("whatif_curve %.2f ns/task CPU, %zu points\n", curve, points);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::size_t tasks = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20) * 1'000'000;
    TaskColumns columns = syntheticTasks(tasks);
    const double before = peakMegabytes();
    const Stopwatch building;
    const auto graph = buildGraph(std::move(columns),
                                  {.run = {0, maxTime / 8},
                                   .processors = processors,
                                   .exclusiveByEntry = std::vector<TimeNs>(40, 1),
                                   .issues = {}},
                                  Progress{});
    const double build = building.nanoseconds() / static_cast<double>(tasks);
    std::printf("tasks %zu\n", graph->size());
    std::printf("peak_before_graph %.0f MB\n", before);
    printPeak("peak", graph->size());

    volatile std::int64_t sink = 0;
    const double baseline = perTask(tasks, [&] { sink = plainPass(*graph); });
    std::printf("plain_pass %.2f ns/task CPU\n", baseline);
    print("graph_build", build, 75, baseline);

    WorkHeads heads;
    const auto headsAt = [&](EdgeLevel edges) { heads = workHeads(*graph, edges, Progress{}, std::move(heads)); };
    const Stopwatch first;
    headsAt(EdgeLevel::Messages);
    std::printf("work_heads_messages_fresh_memory %.2f ns/task CPU\n", first.nanoseconds() / double(tasks));
    print("work_heads_messages", perTask(tasks, [&] { headsAt(EdgeLevel::Messages); }), 2.5, baseline);
    print("work_heads_order", perTask(tasks, [&] { headsAt(EdgeLevel::Order); }), 7, baseline);
    print("work_path_trace", perTask(tasks, [&] { sink = workPath(*graph, heads)->length; }), 4, baseline);
    print("elapsed_path", perTask(tasks, [&] { sink = elapsedPath(*graph)->length; }), 1, baseline);

    const WhatIfModel work{.mode = PathMode::Work, .edges = heads.edges};
    const WhatIfModel elapsed{.mode = PathMode::Elapsed, .edges = {}};
    const auto slack = [&](const char* name, const WhatIfModel& model, const WorkHeads* known, double goal) {
        print(name, perTask(tasks, [&] { sink = (*slackOfTasks(*graph, model, known, Progress{}))->length; }), goal,
              baseline);
    };
    printZeroing(*graph, heads, elapsed, baseline);
    printPeak("peak_with_zeroing", graph->size());
    slack("slack_after_heads", work, &heads, 15);
    printPeak("peak_with_slack", graph->size());
    printNearCritical(*graph, work, heads, baseline);
    heads = {};
    slack("slack_with_heads", work, nullptr, 22);
    slack("slack_elapsed", elapsed, nullptr, 30);
    printPyramid(graph, work, baseline);
    printParallelism(*graph, baseline);
    printWaits(*graph);
    return failed ? 1 : 0;
}
