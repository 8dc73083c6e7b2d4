// SPDX-License-Identifier: GPL-3.0-or-later
// Times the streaming critical-path algorithm on a synthetic stream: 5 million tasks on 1024 processes, or as many
// millions as the first argument says. A task enters a procedure, receives a message, sends one and leaves.
#include "analysis/streaming/longestpath.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

using namespace longpole;

namespace {

constexpr std::uint32_t processes = 1024;
constexpr std::uint32_t procedures = 8;
constexpr std::size_t inFlight = std::size_t{32} * 1024;

struct Task {
    std::uint32_t process = 0;
    std::uint32_t procedure = 0;
    std::uint32_t duration = 0;
};

std::vector<Task> syntheticTasks(std::size_t count)
{
    std::mt19937 random(42);
    std::vector<Task> tasks(count);
    for (Task& task : tasks)
        task = {static_cast<std::uint32_t>(random() % processes), static_cast<std::uint32_t>(random() % 40),
                static_cast<std::uint32_t>(5'000 + random() % 15'000)};
    return tasks;
}

// One pass over what the algorithm reads, with the same hopping among processes: a yardstick for this machine.
TimeNs plainPass(const std::vector<Task>& tasks)
{
    std::vector<TimeNs> longest(processes);
    for (const Task& task : tasks) longest[task.process] += task.duration;
    return longest[0];
}

TimeNs stream(const std::vector<Task>& tasks, bool zeroing)
{
    StreamingPath path({.processes = processes, .procedures = procedures, .zeroing = zeroing});
    std::vector<TimeNs> clocks(processes);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto [process, procedure, duration] = tasks[i];
        TimeNs& now = clocks[process];
        if (i >= inFlight) path.receive(process, i - inFlight, now);
        path.enter(process, procedure < procedures ? procedure : noProcedure, now);
        path.send(process, i, 1, now + duration / 2);
        path.leave(process, now += duration);
    }
    return path.reading().length;
}

// Nanoseconds of CPU a task: the least of three runs.
template <typename Work>
double perTask(std::size_t tasks, Work work)
{
    double least = 1e300;
    for (int i = 0; i < 3; ++i) {
        const std::clock_t start = std::clock();
        volatile TimeNs sink = work();
        static_cast<void>(sink);
        least = std::min(least, static_cast<double>(std::clock() - start) * (1e9 / CLOCKS_PER_SEC));
    }
    return least / static_cast<double>(tasks);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::size_t count = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5) * 1'000'000;
    const std::vector<Task> tasks = syntheticTasks(count);
    const double baseline = perTask(count, [&] { return plainPass(tasks); });
    bool failed = false;
    const auto print = [&](const char* name, double value, double goal) {
        std::printf("%s %.1f ns/task CPU (goal %.0f, %.1f x a plain pass)\n", name, value, goal, value / baseline);
        if (value > 3 * goal) failed = true;
    };
    print("streaming_8_procedures", perTask(count, [&] { return stream(tasks, false); }), 80);
    print("streaming_zeroing_8_procedures", perTask(count, [&] { return stream(tasks, true); }), 120);
    return failed ? 1 : 0;
}
