// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs of a few ranks that compute, exchange messages and meet, with many waits and ties.
#pragma once

#include "support/mpi/waitprogram.h"

#include <QRandomGenerator>

#include <numeric>
#include <vector>

namespace longpole {

inline WaitProgram randomProgram(QRandomGenerator& random, std::uint32_t ranks, int actions)
{
    WaitProgram program(ranks, {"work", "other", "more"});
    const auto someRank = [&] { return std::uint32_t(random.bounded(ranks)); };
    const auto time = [&](int most) { return TimeNs(random.bounded(3) == 0 ? 0 : random.bounded(most)); };
    for (int i = 0; i < actions; ++i) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            if (random.bounded(3) == 0) program.compute(rank, time(20), random.bounded(3));
        const std::uint32_t a = someRank();
        const std::uint32_t b = (a + 1 + std::uint32_t(random.bounded(ranks - 1))) % ranks;
        switch (random.bounded(8)) {
        case 0:
        case 1: program.send(a, b, time(2)); break;
        case 2:
        case 3:
            if (!program.hasMessage(a, b)) program.send(a, b, time(2));
            program.receive(b, a, time(3));
            break;
        case 4: program.exchange(a, b, 1 + time(3), time(3)); break;
        case 5: program.broadcast(a, time(3)); break;
        default: {
            std::vector<std::uint32_t> members(ranks);
            std::iota(members.begin(), members.end(), 0u);
            const bool isPart = random.bounded(2) == 0;
            if (isPart) members.resize(std::max<std::size_t>(2, ranks / 2));
            std::vector<TimeNs> times;
            for (std::size_t k = 0; k < members.size(); ++k) times.push_back(time(4));
            program.meetAll(random.bounded(2) == 0 ? WaitProgram::Barrier : WaitProgram::Allreduce, members, times,
                            isPart ? 101 : 100);
        }
        }
    }
    return program;
}

}  // namespace longpole
