// SPDX-License-Identifier: GPL-3.0-or-later
// What it takes to read a recording again when it has grown by a hundredth: with what the import before has kept, and
// from its begin. CPU time, all in one run.
//
// usage: bench_refresh FOLDER RANKS CALLS_PER_RANK      (the folder must not be there; the traces go beside it)
//        bench_refresh FOLDER                           (any recording, once for each character of the standard input)
#include "importers/recording/growing.h"
#include "importers/recording/import.h"
#include "recorder/format/format.h"
#include "support/mpi/haloexchange.h"
#include "support/mpi/recorded.h"

#include <QFile>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <vector>

using namespace longpole;

extern "C" std::int64_t lp_now() { return HaloExchange::now; }

namespace {

constexpr int growths = 3;

// Records the first part of a rank's run, and one more each time that a byte comes; never ends it.
void recordRank(int rank, int ranks, std::int64_t steps, int fromParent, int toParent)
{
    lp_open(rank, ranks, 1);
    lp_set_run(4711);
    std::vector<std::int32_t> members(std::size_t(ranks), 0);
    std::iota(members.begin(), members.end(), 0);
    lp_put_comm(0, 0, 0, "MPI_COMM_WORLD", ranks, members.data());
    putCall(madeCall(LP_Init, -2'000'000, -1'000'000));
    HaloExchange program(rank, ranks);
    for (std::int64_t i = 0; i < steps; ++i) program.step();
    char byte = 0;
    for (int part = 0; part < growths; ++part) {
        if (write(toParent, &byte, 1) != 1 || read(fromParent, &byte, 1) != 1) return;
        for (std::int64_t i = 0; i < steps / 100; ++i) program.step();
    }
    if (write(toParent, &byte, 1) == 1 && read(fromParent, &byte, 1) < 0) return;
}

double cpuOf(const char* what, const std::function<bool()>& work)
{
    const std::clock_t begin = std::clock();
    const bool isDone = work();
    const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%s %.3f s%s\n", what, seconds, isDone ? "" : " (failed)");
    std::fflush(stdout);
    return seconds;
}

// Reads a recording by itself and with what was kept, and compares the traces.
class Compared {
public:
    explicit Compared(QString folder) : m_folder(std::move(folder)) {}

    void read()
    {
        const QString kept = m_folder + QStringLiteral("-kept-%1.longpole").arg(m_number++);
        const QString alone = m_folder + QStringLiteral("-alone.longpole");
        const double all = cpuOf("whole", [&] { return importRecording(m_folder, alone, {}, Progress{}).ok(); });
        const double again = cpuOf("refresh", [&] { return m_memory.import(m_folder, kept, {}, Progress{}).ok(); });
        QFile a(alone), b(kept);
        const bool isSame = a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly) && a.readAll() == b.readAll();
        std::printf("refresh.share %.2f %% %s%s\n", 100 * again / all, m_memory.wentOn() ? "(goal 20)" : "(read all)",
                    isSame ? "" : " (the traces differ)");
        std::fflush(stdout);
    }

private:
    const QString m_folder;
    GrowingRecording m_memory;
    int m_number = 0;
};

struct Child {
    pid_t pid;
    int to, from;
};

// The children of a program that grows when it is told to.
std::vector<Child> startRanks(const QString& folder, int ranks, std::int64_t steps)
{
    std::vector<Child> children;
    for (int rank = 0; rank < ranks; ++rank) {
        int toChild[2], fromChild[2];
        if (pipe(toChild) != 0 || pipe(fromChild) != 0) break;
        const pid_t child = startRecorded(folder, {},
                                          [&] { recordRank(rank, ranks, steps, toChild[0], fromChild[1]); });
        children.push_back({child, toChild[1], fromChild[0]});
        char byte = 0;
        if (read(fromChild[0], &byte, 1) != 1) break;
    }
    return children;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2 && argc != 4) return 2;
    Compared compared(QFile::decodeName(argv[1]));
    if (argc == 2) {
        for (int next = std::getchar(); next != EOF; next = std::getchar()) compared.read();
        return 0;
    }
    const std::vector<Child> children = startRanks(QFile::decodeName(argv[1]), std::atoi(argv[2]),
                                                   std::atoll(argv[3]) / callsPerStep);
    compared.read();
    for (int part = 1; part <= growths; ++part) {
        char byte = 0;
        for (const Child& child : children)
            if (write(child.to, &byte, 1) != 1 || read(child.from, &byte, 1) != 1) return 1;
        compared.read();
    }
    for (const Child& child : children) {
        kill(child.pid, SIGKILL);
        waitpid(child.pid, nullptr, 0);
    }
    return 0;
}
