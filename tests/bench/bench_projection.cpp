// SPDX-License-Identifier: GPL-3.0-or-later
// bench_projection TRACE.longpole: stage x processor projections at 1000 stages: from the pyramid (first picture,
// another timestep) and from the chunks. One figure a line, with its goal.
#include "analysis/projection/projection.h"
#include "analysis/projection/stagetiles.h"
#include "core/store/tracestore.h"

#include <QElapsedTimer>
#include <QString>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace longpole;

namespace {

// What it takes on a machine that does nothing else: the least of some turns.
double milliseconds(const std::function<void()>& work, int turns = 5)
{
    double least = 1e18;
    for (int turn = 0; turn < turns; ++turn) {
        QElapsedTimer timer;
        timer.start();
        work();
        least = std::min(least, static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return least;
}

template <typename T>
T value(Result<T> result)
{
    if (!result) {
        std::fprintf(stderr, "bench_projection: %s\n", qPrintable(result.error().what));
        std::exit(3);  // NOLINT(concurrency-mt-unsafe)
    }
    return std::move(*result);
}

double peakMegabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_projection TRACE.longpole\n");
        return 2;
    }
    const auto store = value(TraceStore::open(QString::fromLocal8Bit(argv[1])));
    const double before = peakMegabytes();
    const TimeRange run = store->info().range();
    const Stages stages = equalStages(run, 1000);
    std::printf("projection.processors %lld PEs\n", static_cast<long long>(store->info().processors));
    for (const char* id : {"utilization", "overhead", "messages_created", "bytes_sent"}) {
        const Attribute attribute = value(parseAttribute(QLatin1String(id), *store));
        const std::vector<Measure> measures = measuresOf(attribute);
        std::shared_ptr<const StageTiles> tiles;
        Projection projection;
        // A store of its own has decoded nothing yet.
        const auto fresh = value(TraceStore::open(QString::fromLocal8Bit(argv[1])));
        const double first = milliseconds(
            [&] {
                tiles = value(StageTiles::load(*fresh, measures, {}, run, run.length() / 1000, Progress{}));
                projection = tiles->project(attribute, stages);
            },
            1);
        double again = 0;
        for (const std::int64_t count : {990, 800, 500, 300, 100}) {
            const Stages other = equalStages(run, count);
            again = std::max(again, milliseconds([&] { projection = tiles->project(attribute, other); }));
        }
        std::printf("projection.%s.first %.1f ms (goal 100)\n", id, first);
        std::printf("projection.%s.timestep %.1f ms (goal 16)\n", id, again);
    }
    std::printf("projection.memory %.0f MB (goal 300)\n", peakMegabytes() - before);
    for (const char* id : {"utilization", "tasks", "latency", "bytes_sent_in_node"}) {
        const Attribute attribute = value(parseAttribute(QLatin1String(id), *store));
        const double took = milliseconds([&] { value(project(*store, attribute, stages, {}, nullptr, Progress{})); },
                                         1);
        std::printf("projection.%s.exact %.0f ms\n", id, took);
    }
    return 0;
}
