// SPDX-License-Identifier: GPL-3.0-or-later
// Times matching, wait states and edges of a halo exchange with a reduction per step: 10 million MPI calls on 64 ranks,
// or as many millions as the first argument says, on as many ranks as the second.
#include "importers/mpi/waits.h"
#include "support/mpi/mpiedges.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <random>

using namespace longpole;

namespace {

enum Region : std::uint32_t { Irecv, Isend, Waitall, Allreduce };

// Per step: two receives, two sends, a Waitall and an Allreduce.
MpiRank haloRank(std::uint32_t rank, std::uint32_t ranks, std::size_t steps)
{
    std::mt19937_64 random(rank);
    MpiRank self;
    TimeNs time = 0;
    std::uint32_t piece = 0;
    const auto call = [&](Region region, TimeNs duration) {
        time += 100 + static_cast<TimeNs>(random() % 1000);
        MpiCall one{time, time + duration, region, 0, piece, piece + 1, noPiece, false};
        if (region == Allreduce) one.hub = one.after++;
        piece = one.after;
        time += duration;
        self.calls.push_back(one);
        return static_cast<std::uint32_t>(self.calls.size() - 1);
    };
    const std::uint32_t left = (rank + ranks - 1) % ranks;
    const std::uint32_t right = (rank + 1) % ranks;
    for (std::size_t step = 0; step < steps; ++step) {
        time = std::max(time, static_cast<TimeNs>(step) * 12'000);
        for (const std::uint32_t from : {left, right})
            self.receives.push_back({call(Irecv, 100), noCall, 0, from, from == left ? 1 : 2, false, 1024});
        for (const std::uint32_t to : {right, left})
            self.sends.push_back({call(Isend, 200), noCall, 0, to, to == right ? 1 : 2, false, false, 1024});
        const std::uint32_t wait = call(Waitall, 3000);
        for (std::size_t i = self.sends.size() - 2; i < self.sends.size(); ++i)
            self.sends[i].completion = self.receives[i].completion = wait;
        const std::uint32_t reduce = call(Allreduce, 2000 + static_cast<TimeNs>(random() % 100));
        self.collectives.push_back({reduce, reduce, 0, CollectiveKind::NToN, noRank, 8});
    }
    return self;
}

double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// CPU seconds.
double measure(const char* what, const std::function<void()>& work)
{
    timespec from{}, to{};
    clock_gettime(CLOCK_MONOTONIC, &from);
    const double cpu = cpuSeconds();
    work();
    clock_gettime(CLOCK_MONOTONIC, &to);
    const double used = cpuSeconds() - cpu;
    std::printf("%s %.3f s CPU\n%s_wall %.3f s\n", what, used, what,
                static_cast<double>(to.tv_sec - from.tv_sec) + static_cast<double>(to.tv_nsec - from.tv_nsec) * 1e-9);
    return used;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::size_t millions = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10;
    const auto ranks = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 64);
    MpiRunNames names;
    for (const char* name : {"MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"})
        names.regions.push_back({QString::fromLatin1(name), {}, MpiRegionKind::Mpi});
    std::vector<std::uint32_t> world(ranks);
    std::iota(world.begin(), world.end(), 0u);
    names.communicators.push_back({QStringLiteral("MPI_COMM_WORLD"), world, false});
    std::vector<MpiRank> run;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        run.push_back(haloRank(rank, ranks, millions * 1'000'000 / ranks / 6));

    ImportLog log;
    std::vector<ImportLog> logs(ranks);
    MpiMatches matches;
    std::vector<std::vector<MpiWait>> waits;
    std::vector<std::vector<MpiEdge>> edges;
    double used = measure("matching", [&] { matches = *matchMpi(run, names, 0, log, Progress{}); });
    used += measure("waits", [&] { waits = mpiWaits(run, names, matches, 0); });
    used += measure("edges", [&] { edges = mpiEdges(run, matches, logs, 0); });
    std::size_t count = 0;
    for (const auto& ofRank : edges) count += ofRank.size();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("per_million_calls %.3f s CPU (goal 0.1)\nedges_found %zu edges\npeak_memory %ld MB\n",
                used / static_cast<double>(millions), count, usage.ru_maxrss / 1024);
    return 0;
}
