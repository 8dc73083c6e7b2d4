// SPDX-License-Identifier: GPL-3.0-or-later
// How fast recordings are decoded to events, without what an import makes of them.
//
// usage: bench_recording FOLDER
#include "core/base/parallel.h"
#include "importers/recording/source.h"
#include "support/ignoredevents.h"

#include <QElapsedTimer>
#include <QFile>

#include <atomic>
#include <cstdio>
#include <ctime>

using namespace longpole;

namespace {

class CountingEvents final : public IgnoredEvents {
public:
    std::int64_t calls = 0;
    void beginCall(TimeNs, std::uint32_t) override { ++calls; }
};

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) return 2;
    QElapsedTimer timer;
    timer.start();
    const auto source = RecordingSource::open(QFile::decodeName(argv[1]), 0, Progress{});
    if (!source) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(source.error())));
        return 3;
    }
    const double opened = double(timer.nsecsElapsed()) * 1e-9;
    std::atomic<std::int64_t> calls{0};
    std::atomic<bool> ok{true};
    parallelFor((*source)->names().locations.size(), [&](std::size_t location) {
        CountingEvents events;
        ImportLog log;
        if (!(*source)->read(location, events, log, Progress{})) ok = false;
        calls += events.calls;
    });
    const double seconds = double(timer.nsecsElapsed()) * 1e-9;
    const double cpu = double(std::clock()) / CLOCKS_PER_SEC;
    std::printf("open %.3f s\ndecode %.1f Mcalls/s\ndecode_cpu %.1f ns\n", opened, double(calls) / seconds * 1e-6,
                cpu * 1e9 / double(calls));
    return ok ? 0 : 1;
}
