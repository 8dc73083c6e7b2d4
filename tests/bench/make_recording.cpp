// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a recording of a made halo exchange through the recorder's own buffers; prints what a call costs and takes.
//
// usage: make_recording FOLDER RANKS CALLS_PER_RANK      (settings by LONGPOLE_COMPRESSION, LONGPOLE_BUFFER ...)
#include "recorder/format/format.h"
#include "support/mpi/haloexchange.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <vector>

using namespace longpole;

extern "C" std::int64_t lp_now() { return HaloExchange::now; }

namespace {

double cpuSeconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// In a child of its own: a process has one recording.
// Rank 0 is the last one and writes the index.
int writeRank(int rank, int ranks, std::int64_t steps, std::vector<lp_index_rank>& rows, int toParent)
{
    lp_open(rank, ranks, 1);
    lp_set_run(4711);
    std::vector<std::int32_t> members(std::size_t(ranks), 0);
    std::iota(members.begin(), members.end(), 0);
    lp_put_comm(0, 0, 0, "MPI_COMM_WORLD", ranks, members.data());
    lp_call init{};
    init.call = LP_Init;
    init.comm = LP_NO_COMM;
    init.peer = LP_NO_RANK;
    init.begin = -2'000'000;
    init.end = -1'000'000;
    lp_put_call(&init, nullptr, 0);
    HaloExchange program(rank, ranks);
    const double begin = cpuSeconds();
    for (std::int64_t i = 0; i < steps; ++i) program.step();
    const double seconds = cpuSeconds() - begin;
    lp_call finalize = init;
    finalize.call = LP_Finalize;
    finalize.begin = steps * stepLength + 1000;
    finalize.end = finalize.begin + 1000;
    lp_put_call(&finalize, nullptr, 0);
    lp_close(false);
    lp_index_rank& row = rows[std::size_t(rank)];
    lp_index_row(&row);
    if (rank == 0) lp_write_index(rows.data(), ranks);
    if (rank == 0) std::printf("put_call %.1f ns (goal 60)\n", seconds * 1e9 / double(steps * callsPerStep));
    std::fflush(stdout);
    return write(toParent, &row, sizeof row) == ssize_t(sizeof row) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 4) return 2;
    setenv("LONGPOLE_OUTPUT", argv[1], 1);  // NOLINT(concurrency-mt-unsafe): no thread has begun yet
    const int ranks = std::atoi(argv[2]);
    const std::int64_t steps = std::atoll(argv[3]) / callsPerStep;
    std::vector<lp_index_rank> rows(std::size_t(ranks), lp_index_rank{});
    for (int rank = ranks - 1; rank >= 0; --rank) {
        int ends[2];
        if (pipe(ends) != 0) return 1;
        const pid_t child = fork();
        if (child == 0) _exit(writeRank(rank, ranks, steps, rows, ends[1]));
        lp_index_rank& row = rows[std::size_t(rank)];
        if (read(ends[0], &row, sizeof row) != ssize_t(sizeof row)) return 1;
        close(ends[0]);
        close(ends[1]);
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0) return 1;
    }
    std::uint64_t bytes = 0;
    std::uint64_t calls = 0;
    for (const lp_index_rank& row : rows) {
        bytes += row.bytes;
        calls += row.calls;
    }
    std::printf("stored %.2f B/call (goal 12)\n", double(bytes) / double(calls));
    return 0;
}
