// bench_projection TRACE.longpole: stage x processor projections at 1000 stages: from the pyramid (first picture, another
// timestep) and from the chunks. One figure a line, with its goal.
#include "analysis/projection.h"
#include "analysis/stagetiles.h"
#include "core/tracestore.h"

#include <QElapsedTimer>
#include <QString>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace longpole;

namespace {

double milliseconds(const std::function<void()>& work)
{
    QElapsedTimer timer;
    timer.start();
    work();
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

template <typename T>
T value(Result<T> result)
{
    if (!result) {
        std::fprintf(stderr, "bench_projection: %s\n", qPrintable(result.error().what));
        std::exit(3);
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
        const double first = milliseconds([&] {
            tiles = value(StageTiles::load(*store, measures, {}, run, run.length() / 1000, Progress{}));
            projection = tiles->project(attribute, stages);
        });
        double again = 1e9;
        for (const std::int64_t count : {990, 800, 500, 300, 100}) {
            const Stages other = equalStages(run, count);
            const double took = milliseconds([&] { projection = tiles->project(attribute, other); });
            again = count == 990 ? took : std::max(again, took);
        }
        std::printf("projection.%s.first %.1f ms (goal 100)\n", id, first);
        std::printf("projection.%s.timestep %.1f ms (goal 16)\n", id, again);
    }
    std::printf("projection.memory %.0f MB (goal 300)\n", peakMegabytes() - before);
    for (const char* id : {"utilization", "tasks", "latency", "bytes_sent_in_node"}) {
        const Attribute attribute = value(parseAttribute(QLatin1String(id), *store));
        const double took = milliseconds([&] { value(project(*store, attribute, stages, {}, nullptr, Progress{})); });
        std::printf("projection.%s.exact %.0f ms\n", id, took);
    }
    return 0;
}
