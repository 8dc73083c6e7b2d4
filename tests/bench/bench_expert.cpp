// SPDX-License-Identifier: GPL-3.0-or-later
// bench_expert TRACE.longpole: what the expert takes after a trace was imported, part by part, and its peak memory.
#include "analysis/expert/expertquestions.h"
#include "analysis/paths/runpaths.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "analysis/scheduling/sharedaccess.h"
#include "core/store/tracestore.h"

#include <QElapsedTimer>
#include <QString>

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

using namespace longpole;

namespace {

double sumSeconds = 0;

// The value of a step, and its seconds as a line.
template <typename Step>
auto timed(const char* name, Step step)
{
    QElapsedTimer clock;
    clock.start();
    auto result = step();
    if (!result) {
        std::fprintf(stderr, "bench_expert: %s: %s\n", name, qPrintable(toText(result.error())));
        std::exit(1);  // NOLINT(concurrency-mt-unsafe)
    }
    const double seconds = double(clock.nsecsElapsed()) / 1e9;
    sumSeconds += seconds;
    std::printf("expert.%s %.2f s\n", name, seconds);
    std::fflush(stdout);
    return std::move(*result);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_expert TRACE.longpole\n");
        return 2;
    }
    const Progress progress;
    const Thresholds thresholds;
    const auto store = timed("store", [&] { return TraceStore::open(QString::fromLocal8Bit(argv[1])); });
    Results results(store);
    const RunPaths paths = *timed("paths", [&] { return results.ask(RunPathsQuestion{}, progress); });
    const ProcessorIdle idle = timed("idle", [&] { return processorIdle(*store, progress); });
    timed("replay_model", [&] { return results.ask(ReplayModelQuestion{}, progress); });
    const SchedulingAnalysis scheduling = timed("scheduling", [&] {
        return schedulingAdvice(results, *paths.graph, *paths.workAtMerges, idle, thresholds, progress);
    });
    const SharedAccess shared = timed("shared",
                                      [&] { return sharedAccess(*store, *paths.graph, thresholds, progress); });
    const auto health = timed("health", [&] { return results.ask(HealthQuestion{}, progress); });
    const DecisionTree tree = timed("tree", [&] {
        return decisionTree({results, *store, *paths.graph, *paths.workAtMessages, *paths.workAtMerges, idle,
                             scheduling, shared, *health, thresholds},
                            progress);
    });
    constexpr double most = 40'000'000;  // tasks in 40 s
    const double tasks = double(paths.graph->size());
    const double goal = tasks > most / 4 ? 40 * tasks / most : 5;
    std::printf("expert.total %.2f s (goal %.1f)\n", sumSeconds, goal);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("expert.peak %.1f B/task\n", double(usage.ru_maxrss) * 1024 / std::max(tasks, 1.0));
    std::printf("expert.nodes %zu, advice %zu\n", tree.nodes.size(), tree.advice.size() + scheduling.advice.size());
    return 0;
}
