// SPDX-License-Identifier: GPL-3.0-or-later
// How fast recordings are decoded to events, without what an import makes of them.
//
// usage: bench_recording FOLDER
#include "importers/recording/source.h"
#include "support/mpi/countedevents.h"

#include <QElapsedTimer>
#include <QFile>

#include <cstdio>
#include <ctime>

using namespace longpole;

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
    ReadCounts counts;
    countEvents(**source, 0, counts);
    const double seconds = double(timer.nsecsElapsed()) * 1e-9;
    const double cpu = double(std::clock()) / CLOCKS_PER_SEC;
    std::printf("open %.3f s\ndecode %.1f Mcalls/s\ndecode_cpu %.1f ns\n", opened,
                double(counts.calls) / seconds * 1e-6, cpu * 1e9 / double(counts.calls));
    return counts.isWhole ? 0 : 1;
}
