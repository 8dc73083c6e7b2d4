// SPDX-License-Identifier: GPL-3.0-or-later
// Times the model and the replay of a synthetic run of 20 million tasks on 1024 PEs, or as many millions as the first
// argument says.
#include "analysis/graph/builder.h"
#include "analysis/replay/model.h"
#include "analysis/replay/replay.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

using namespace longpole;

namespace {

constexpr std::uint32_t processors = 1024;

// Every PE runs tasks of 5..20 us; a task's message comes from another PE's task some tasks ago, of which the log has
// no time of arrival. PEs idle before one task in eight.
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
            const bool idles = random() % 8 == 0;
            if (idles) columns.flags[p] |= ActivityGraph::AfterIdle;
            time += idles ? static_cast<TimeNs>(random() % 20'000) : static_cast<TimeNs>(random() % 2'000);
            columns.begin[p] = time;
            columns.duration.set(p, static_cast<TimeNs>(5'000 + random() % 15'000));
            columns.taskIndex[p] = static_cast<std::uint32_t>(p - pe * each);
            columns.entry[p] = static_cast<std::uint32_t>(random() % 40);
            time += columns.duration[p];
        }
    }
    columns.first.push_back(tasks);
    for (std::size_t p = 0; p < tasks; ++p) {
        const std::size_t row = p % each;
        if (row < 64) continue;
        const std::size_t source = (random() % processors) * each + row - 64 + random() % 60;
        if (columns.begin[source] + columns.duration[source] + 2'000 >= columns.begin[p]) continue;
        columns.source[p] = static_cast<std::uint32_t>(source);
        columns.offset.set(p, columns.duration[source] / 2);
        columns.setSent(p, columns.begin[source] + columns.offset[p]);
        columns.setReceived(p, columns.sent(p) + 1'000);
        columns.flags[p] |= ActivityGraph::Estimated;
    }
    return columns;
}

// CPU time of all threads per task, which other programs on the machine disturb less than the time on the wall.
template <typename Work>
double perTask(std::size_t tasks, Work work)
{
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) * (1e9 / CLOCKS_PER_SEC) / static_cast<double>(tasks);
}

double peakBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

int main(int argc, char* argv[])
{
    const std::size_t tasks = static_cast<std::size_t>(argc > 1 ? std::atof(argv[1]) * 1e6 : 20e6);
    GraphFrame frame;
    frame.processors = processors;
    TaskColumns columns = syntheticTasks(tasks);
    for (std::size_t p = 0; p < tasks; ++p)
        frame.run.end = std::max(frame.run.end, columns.begin[p] + columns.duration[p]);
    std::shared_ptr<const ActivityGraph> graph = buildGraph(std::move(columns), std::move(frame), Progress{});
    const double before = peakBytes();
    std::shared_ptr<const ReplayModel> model;
    std::printf("model %.1f ns/task\n", perTask(tasks, [&] { model = replayModel(graph); }));
    for (const auto& [name, order] :
         {std::pair{"recorded order", QueueOrder::Recorded}, {"fifo", QueueOrder::Fifo}, {"lifo", QueueOrder::Lifo}})
        std::printf("%s %.1f ns/task\n", name, perTask(tasks, [&, order = order] {
                        const auto run = replay(*model, {.queue = order}, ArrivalReading::Likely, Progress{});
                        if (!run) std::printf("failed\n");
                    }));
    ReplayQuestion question{.queue = QueueOrder::Priority};
    for (std::uint32_t entry = 0; entry < 8; ++entry) question.priorities.entries.push_back({EntryId{entry}, -1});
    std::printf("prediction %.1f ns/task\n", perTask(tasks, [&] {
                    const auto prediction = predict(*model, question, Progress{});
                    if (!prediction) std::printf("failed\n");
                    else
                        std::fprintf(stderr, "gain %.4f to %.4f, baseline off by %.4f\n", prediction->gainLow,
                                     prediction->gainHigh, prediction->baselineError);
                }));
    std::printf("memory beyond the graph %.1f B/task\n", (peakBytes() - before) / static_cast<double>(tasks));
    return 0;
}
