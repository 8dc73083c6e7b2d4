// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up MPI program to record: ranks on a ring exchange halos with four neighbours and reduce, again and again.
#pragma once

#include "recorder/format/calls.h"
#include "recorder/format/recording.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace longpole {

constexpr int callsPerStep = 10;  // 4 Irecv, 4 Isend, Waitall, Allreduce
constexpr std::int64_t stepLength = 100'000;

// Puts the calls of one rank, one step after the other, with plausible jitter and without effects before causes on any
// rank. The recorder must use the program's clock: extern "C" std::int64_t lp_now() { return HaloExchange::now; }
class HaloExchange {
public:
    static inline std::int64_t now = 0;

    HaloExchange(int rank, int ranks) : m_rank(rank), m_ranks(ranks), m_random(0x9e3779b9u + unsigned(rank)) {}

    void step()
    {
        now = m_step++ * stepLength + jitter(4000);
        const std::uint32_t first = m_request + 1;
        for (int i = 0; i < 8; ++i) {
            const bool isReceive = i < 4;
            lp_call call{};
            call.begin = now;
            call.end = now += 300 + jitter(500);
            now += 100 + jitter(250);
            call.call = isReceive ? LP_Irecv : LP_Isend;
            call.comm = 0;
            call.peer = neighbour(isReceive ? i : i - 4);
            call.tag = isReceive ? 7 + i : 7 + opposite(i - 4);
            call.bytes = std::int64_t{8} * 1024;
            call.request = ++m_request;
            lp_put_call(&call, nullptr, 0);
        }
        std::array<lp_completion, 8> done{};
        for (int i = 0; i < 8; ++i) {
            const int k = i & 3;
            done[i] = {i < 4 ? LP_RECV_DONE : LP_SEND_DONE,
                       first + std::uint32_t(i),
                       0,
                       neighbour(k),
                       7 + k,
                       std::int64_t{8} * 1024,
                       false};
        }
        now += 20'000 + jitter(8000);
        lp_call wait{};
        wait.call = LP_Waitall;
        wait.comm = LP_NO_COMM;
        wait.peer = LP_NO_RANK;
        wait.begin = now;
        wait.end = now = (m_step - 1) * stepLength + 60'000 + jitter(3000);
        lp_put_call(&wait, done.data(), 8);
        lp_call reduce{};
        reduce.call = LP_Allreduce;
        reduce.peer = LP_NO_RANK;
        reduce.bytes = 8;
        reduce.begin = now + 10'000 + jitter(4000);
        reduce.end = now = (m_step - 1) * stepLength + 80'000 + jitter(3000);
        lp_put_call(&reduce, nullptr, 0);
    }

private:
    static int opposite(int k) { return k ^ 1; }
    int neighbour(int k) const
    {
        constexpr int away[] = {1, -1, 2, -2};
        return (m_rank + away[k] + 2 * m_ranks) % m_ranks;
    }
    std::int64_t jitter(std::uint32_t most)
    {
        m_random ^= m_random << 13;
        m_random ^= m_random >> 17;
        m_random ^= m_random << 5;
        return m_random % most;
    }

    int m_rank;
    int m_ranks;
    std::uint32_t m_random;
    std::uint32_t m_request = 0;
    std::int64_t m_step = 0;
};

}  // namespace longpole
