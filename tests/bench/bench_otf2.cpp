// SPDX-License-Identifier: GPL-3.0-or-later
// bench_otf2 ARCHIVE [THREADS]: reading an OTF2 archive as MPI events that go nowhere, and the whole import, each in
// seconds of wall and processor time and millions of events a second of wall time.
#include "importers/otf2/import.h"
#include "importers/otf2/source.h"
#include "support/mpi/countedevents.h"

#include <QElapsedTimer>
#include <QTemporaryDir>

#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace longpole;

namespace {

class Clock {
public:
    Clock() : m_processor(std::clock()) { m_wall.start(); }
    void print(const char* what, std::int64_t events) const
    {
        const double wall = static_cast<double>(m_wall.nsecsElapsed()) / 1e9;
        const double processor = static_cast<double>(std::clock() - m_processor) / CLOCKS_PER_SEC;
        std::printf("%-8s %8.2f s %8.2f s of processors %8.2f M events/s\n", what, wall, processor,
                    static_cast<double>(events) / 1e6 / wall);
    }

private:
    QElapsedTimer m_wall;
    std::clock_t m_processor;
};

}  // namespace

int main(int argc, char** argv)
{
    const QString path = QString::fromLocal8Bit(argc > 1 ? argv[1] : "");
    const auto threads = static_cast<unsigned>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0);
    const Clock reading;
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(path, threads, {});
    if (!source) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(source.error())));
        return 3;
    }
    ReadCounts counts;
    countEvents(**source, threads, counts);
    reading.print("read", counts.records);
    const QTemporaryDir folder;
    const Clock importing;
    ImportOptions options;
    options.threads = threads;
    const Result<ImportReport> report = importOtf2(path, folder.filePath(QStringLiteral("x.longpole")), options, {});
    if (!report) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(report.error())));
        return 3;
    }
    importing.print("import", report->records);
    return 0;
}
