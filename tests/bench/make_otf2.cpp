// SPDX-License-Identifier: GPL-3.0-or-later
// Writes an OTF2 archive for benchmarks: make_otf2 FOLDER EVENTS RANKS. Between MPI_Init and MPI_Finalize each rank
// repeats a step of nested functions, an exchange with its neighbours and a reduction: 20 records, of which 14 enter or
// leave a region or call.
#include "support/otf2/written.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace longpole;

namespace {

struct Regions {
    OTF2_RegionRef step, compute, inner;
    OTF2_RegionRef isend, irecv, waitall, allreduce, init, finalize;
};

class Rank {
public:
    Rank(WrittenOtf2& archive, const Regions& regions, std::uint32_t ranks, std::uint32_t rank)
        : m_events(archive.events(rank)), m_regions(regions), m_next((rank + 1) % ranks),
          m_previous((rank + ranks - 1) % ranks), m_time(1000 + rank % 512)
    {
    }
    void begin() { call(m_regions.init); }
    void step(std::uint64_t number);
    void end() { call(m_regions.finalize); }

private:
    void enter(OTF2_RegionRef region) { OTF2_EvtWriter_Enter(m_events, nullptr, m_time, region); }
    void call(OTF2_RegionRef region)
    {
        enter(region);
        leave(region, 100);
    }
    void leave(OTF2_RegionRef region, std::uint64_t after)
    {
        m_time += after;
        OTF2_EvtWriter_Leave(m_events, nullptr, m_time, region);
    }
    std::uint64_t upTo(std::uint64_t most) { return (m_state = m_state * 6364136223846793005u + 1) >> 33 & (most - 1); }

    OTF2_EvtWriter* m_events;
    const Regions& m_regions;
    std::uint32_t m_next;
    std::uint32_t m_previous;
    std::uint64_t m_time;
    std::uint64_t m_state = 1;
};

void Rank::step(std::uint64_t number)
{
    enter(m_regions.step);
    for (const OTF2_RegionRef region : {m_regions.compute, m_regions.inner}) {
        enter(region);
        leave(region, 200 + upTo(256));
    }
    enter(m_regions.irecv);
    OTF2_EvtWriter_MpiIrecvRequest(m_events, nullptr, m_time, 2 * number);
    leave(m_regions.irecv, 50);
    enter(m_regions.isend);
    OTF2_EvtWriter_MpiIsend(m_events, nullptr, m_time, m_next, 0, 1, 1024, 2 * number + 1);
    leave(m_regions.isend, 100);
    enter(m_regions.waitall);
    m_time += 300 + upTo(256);
    OTF2_EvtWriter_MpiIrecv(m_events, nullptr, m_time, m_previous, 0, 1, 1024, 2 * number);
    OTF2_EvtWriter_MpiIsendComplete(m_events, nullptr, m_time, 2 * number + 1);
    leave(m_regions.waitall, 10);
    enter(m_regions.allreduce);
    OTF2_EvtWriter_MpiCollectiveBegin(m_events, nullptr, m_time);
    m_time = 1000 + (number + 1) * 4000;
    OTF2_EvtWriter_MpiCollectiveEnd(m_events, nullptr, m_time, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
    leave(m_regions.allreduce, 10 + upTo(16));
    leave(m_regions.step, 20);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
    const auto ranks = static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0);
    if (events == 0 || ranks == 0) {
        std::fprintf(stderr, "usage: make_otf2 FOLDER EVENTS RANKS\n");
        return 2;
    }
    WrittenOtf2 archive(QString::fromLocal8Bit(argv[1]));
    archive.mpi(ranks);
    const auto function = [&](const char* name) { return archive.region(QString::fromLatin1(name)); };
    const auto call = [&](const char* name) { return archive.region(QString::fromLatin1(name), OTF2_PARADIGM_MPI); };
    const Regions regions{function("step"),      function("compute"), function("inner"),
                          call("MPI_Isend"),     call("MPI_Irecv"),   call("MPI_Waitall"),
                          call("MPI_Allreduce"), call("MPI_Init"),    call("MPI_Finalize")};
    constexpr std::uint64_t perStep = 20;
    std::vector<Rank> writers;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) writers.emplace_back(archive, regions, ranks, rank);
    for (Rank& rank : writers) rank.begin();
    for (std::uint64_t number = 0; number * perStep * ranks < events; ++number) {
        for (Rank& rank : writers) rank.step(number);
    }
    for (Rank& rank : writers) rank.end();
    return 0;
}
