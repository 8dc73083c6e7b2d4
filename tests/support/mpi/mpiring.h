// SPDX-License-Identifier: GPL-3.0-or-later
// A ring of ranks that exchange messages with both neighbours and meet now and then (Korkhov et al., figure 13), with
// the length of its longest chain of computation.
#pragma once

#include "support/mpi/mpiprogram.h"

#include <algorithm>
#include <random>
#include <vector>

namespace longpole {

struct MpiRing {
    std::uint32_t ranks = 4;
    int steps = 10;
    int stepsPerBarrier = 4;
    bool hasThreads = false;  // a worker of each rank sends one message to itself in every step
    std::uint32_t seed = 1;
};

// Fills `program`, which has ring.ranks ranks. Returns the work on the longest path: in every step a rank needs what
// its neighbours had computed when they sent.
inline TimeNs fillRing(ScriptedMpi& program, const MpiRing& ring)
{
    std::mt19937 random(ring.seed);
    constexpr TimeNs callTime = 5, latency = 40;
    std::vector<TimeNs> now(ring.ranks, 100), work(ring.ranks, 0);
    std::vector<MpiThread*> workers;
    for (std::uint32_t rank = 0; rank < ring.ranks; ++rank) {
        program.rank(rank).init(100);
        if (ring.hasThreads) workers.push_back(&program.addThread(rank, "worker"));
    }
    const auto leftOf = [&](std::uint32_t rank) { return (rank + ring.ranks - 1) % ring.ranks; };
    const auto rightOf = [&](std::uint32_t rank) { return (rank + 1) % ring.ranks; };
    for (int step = 0; step < ring.steps; ++step) {
        std::vector<TimeNs> sent(ring.ranks), computed = work;
        for (std::uint32_t rank = 0; rank < ring.ranks; ++rank) {
            const TimeNs compute = 20 + static_cast<TimeNs>(random() % 1000);
            const std::int64_t request = std::int64_t{step} * 8;
            if (ring.hasThreads) {
                workers[rank]->at(now[rank] + 2).send(rank, 9, 16, 3).recv(rank, 9, 16, 4);
            }
            MpiThread& thread = program.rank(rank).enter("step").compute(compute);
            computed[rank] += compute;
            sent[rank] = thread.now() + 2 * callTime;
            thread.irecv(request, {leftOf(rank), 1, 800, 0}, callTime)
                .irecv(request + 1, {rightOf(rank), 2, 800, 0}, callTime);
            thread.isend(request + 2, {rightOf(rank), 1, 800, 0}, callTime)
                .isend(request + 3, {leftOf(rank), 2, 800, 0}, callTime);
        }
        const bool meets = (step + 1) % ring.stepsPerBarrier == 0;
        std::vector<TimeNs> arrived(ring.ranks);
        for (std::uint32_t rank = 0; rank < ring.ranks; ++rank) {
            MpiThread& thread = program.rank(rank);
            const TimeNs complete = std::max({thread.now(), sent[leftOf(rank)], sent[rightOf(rank)]}) + latency;
            const std::int64_t request = std::int64_t{step} * 8;
            thread.waitall({request, request + 1, request + 2, request + 3}, complete - thread.now()).leave("step");
            work[rank] = std::max({computed[rank], computed[leftOf(rank)], computed[rightOf(rank)]});
            arrived[rank] = thread.now();
        }
        const TimeNs last = *std::max_element(arrived.begin(), arrived.end());
        const TimeNs most = *std::max_element(work.begin(), work.end());
        for (std::uint32_t rank = 0; rank < ring.ranks; ++rank) {
            MpiThread& thread = program.rank(rank);
            if (meets) {
                thread.allreduce(8, last - thread.now() + latency + rank % 3);
                work[rank] = most;
            }
            now[rank] = thread.now();
        }
    }
    const TimeNs last = *std::max_element(now.begin(), now.end());
    for (std::uint32_t rank = 0; rank < ring.ranks; ++rank)
        program.rank(rank).finalize(last - program.rank(rank).now() + latency);
    program.info().begin = 100;
    return *std::max_element(work.begin(), work.end());
}

}  // namespace longpole
