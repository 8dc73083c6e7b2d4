// SPDX-License-Identifier: GPL-3.0-or-later
// How fast MPI runs are imported once they are read: a made-up run of halo exchanges and reductions, or of regions.
// bench_mpitrace [million calls] [ranks] [threads]
#include "core/store/tracestore.h"
#include "importers/mpirows/trace.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>

using namespace longpole;

namespace {

enum Region : std::uint32_t { Init, Irecv, Isend, Waitall, Allreduce, Finalize, Step, Compute };

// Every step: two Irecvs, two Isends, a Waitall with both neighbours; an Allreduce every tenth. With regions each step
// lies in one, and so does its computation.
class Exchange final : public MpiSource {
public:
    Exchange(std::int64_t calls, std::uint32_t ranks, bool hasRegions)
        : m_steps(calls / 5 / ranks), m_ranks(ranks), m_hasRegions(hasRegions)
    {
        m_names.info.format = recordingFormat;
        m_names.info.vocabulary = ProgramKind::Mpi;
        m_names.ranks = ranks;
        for (const char* name : {"MPI_Init", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce", "MPI_Finalize"})
            m_names.regions.push_back({QString::fromLatin1(name), QStringLiteral("MPI"), MpiRegionKind::Mpi});
        for (const char* name : {"step", "compute"})
            m_names.regions.push_back({QString::fromLatin1(name), QStringLiteral("app.c"), MpiRegionKind::User});
        MpiCommunicator world{QStringLiteral("MPI_COMM_WORLD"), std::vector<std::uint32_t>(ranks), false};
        std::iota(world.members.begin(), world.members.end(), 0u);
        m_names.communicators.push_back(world);
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            m_names.locations.push_back({.name = {}, .host = {}, .rank = rank});
    }

    const MpiRunNames& names() const override { return m_names; }
    const ImportLog& log() const override { return m_log; }

    Result<> read(std::size_t location, MpiEvents& events, ImportLog&, const Progress&) override
    {
        const auto rank = static_cast<std::uint32_t>(location);
        const std::uint32_t left = (rank + m_ranks - 1) % m_ranks, right = (rank + 1) % m_ranks;
        std::uint64_t random = rank * 2654435761u + 1;
        TimeNs now = 0;
        const auto call = [&](Region region, TimeNs duration, auto body) {
            events.beginCall(now, region);
            events.record("ENTER");
            body();
            now += duration;
            events.endCall(now);
            events.record("LEAVE");
        };
        call(Init, 100, [&] { events.collective(blocking, 0, noRank, {}, CollectiveKind::None); });
        for (std::int64_t step = 0; step < m_steps; ++step) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            if (m_hasRegions) enter(events, now, Step), enter(events, now, Compute);
            now = step * 3000 + 100 + static_cast<TimeNs>(random >> 54);
            if (m_hasRegions) leave(events, now, Compute);
            const std::int64_t request = step * 4;
            call(Irecv, 100, [&] { events.postReceive(request); });
            call(Irecv, 100, [&] { events.postReceive(request + 1); });
            call(Isend, 100, [&] { events.send(request + 2, 0, right, 1, 800, false); });
            call(Isend, 100, [&] { events.send(request + 3, 0, left, 2, 800, false); });
            call(Waitall, 1200, [&] {
                events.received(request, 0, left, 1, 800);
                events.received(request + 1, 0, right, 2, 800);
                events.sendCompleted(request + 2);
                events.sendCompleted(request + 3);
            });
            if (step % 10 == 9) {
                const TimeNs end = step * 3000 + 2950;
                call(Allreduce, end - now,
                     [&] { events.collective(blocking, 0, noRank, {.sent = 8, .received = 8}, CollectiveKind::None); });
            }
            if (m_hasRegions) leave(events, now, Step);
        }
        call(Finalize, 100, [&] { events.collective(blocking, 0, noRank, {}, CollectiveKind::None); });
        return Unit{};
    }

private:
    static void enter(MpiEvents& events, TimeNs now, Region region)
    {
        events.enter(now, region);
        events.record("ENTER");
    }
    static void leave(MpiEvents& events, TimeNs now, Region region)
    {
        events.leave(now, region);
        events.record("LEAVE");
    }

    std::int64_t m_steps;
    std::uint32_t m_ranks;
    bool m_hasRegions;
    MpiRunNames m_names;
    ImportLog m_log;
};

bool measure(const char* what, bool hasRegions, std::int64_t calls, std::uint32_t ranks, unsigned threads)
{
    const QTemporaryDir folder;
    const QString target = folder.filePath(QStringLiteral("bench.longpole"));
    Exchange source(calls, ranks, hasRegions);
    ImportOptions options;
    options.threads = threads;
    QElapsedTimer timer;
    timer.start();
    const std::clock_t before = std::clock();
    const auto report = importMpiRun(source, target, options, Progress{});
    const double seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (!report) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(report.error())));
        return false;
    }
    const double made = static_cast<double>(calls);
    std::printf("%s: %.2f s, %.2f M calls/s, %.2f M events/s; CPU %.2f s, %.0f ns a call; %.1f bytes a call\n", what,
                seconds, made / seconds / 1e6, static_cast<double>(report->records) / seconds / 1e6, busy,
                busy / made * 1e9, static_cast<double>(QFileInfo(target).size()) / made);
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::int64_t calls = (argc > 1 ? std::atoll(argv[1]) : 10) * 1'000'000;
    const auto ranks = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 16);
    const auto threads = static_cast<unsigned>(argc > 3 ? std::atoi(argv[3]) : 2);
    return measure("calls only", false, calls, ranks, threads)
                   && measure("calls in regions", true, calls, ranks, threads)
               ? 0
               : 1;
}
