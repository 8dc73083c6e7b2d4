// SPDX-License-Identifier: GPL-3.0-or-later
// MPI programs at random, whose times can have been: messages of every mode, collective calls of the world and of a
// part of it, with many ties.
#pragma once

#include "support/mpi/mpiprogram.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace longpole::tests {

class RandomProgram {
public:
    explicit RandomProgram(std::uint32_t seed)
        : m_random(seed), m_ranks(1 + below(6)), m_program(m_ranks), m_hasInit(below(4) != 0)
    {
        if (m_ranks > 2) m_part = m_program.addCommunicator("part", {0, m_ranks - 1});
        if (m_hasInit) meet("MPI_Init", 0, all());
        const std::uint32_t actions = 1 + below(40);
        for (std::uint32_t i = 0; i < actions; ++i) act();
        for (auto& [pair, sent] : m_sent)
            while (!sent.empty()) receive(pair.first, pair.second);
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) compute(rank);
        if (m_hasInit) meet("MPI_Finalize", 0, all());
        TimeNs last = 0;
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) last = std::max(last, m_program.rank(rank).now());
        m_program.info().end = last;
    }
    ScriptedMpi& program() { return m_program; }

private:
    std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>(m_random() % most); }
    TimeNs time(std::uint32_t most) { return below(3) == 0 ? 0 : below(most); }
    std::vector<std::uint32_t> all() const
    {
        std::vector<std::uint32_t> ranks(m_ranks);
        std::iota(ranks.begin(), ranks.end(), 0u);
        return ranks;
    }
    void compute(std::uint32_t rank)
    {
        if (below(3) != 0) m_program.rank(rank).compute(time(30));
    }

    void act()
    {
        for (std::uint32_t rank = 0; rank < m_ranks; ++rank) compute(rank);
        const std::uint32_t a = below(m_ranks);
        const std::uint32_t b = m_ranks > 1 ? (a + 1 + below(m_ranks - 1)) % m_ranks : a;
        switch (below(9)) {
        case 0:
        case 1:
        case 2:
            if (a != b) send(a, b);
            break;
        case 3:
        case 4:
            if (auto& sent = m_sent[{a, b}]; !sent.empty()) receive(a, b);
            break;
        case 5:
            if (a != b && m_sent[{a, b}].empty()) rendezvous(a, b);
            break;
        case 6: meet(below(2) == 0 ? "MPI_Barrier" : "MPI_Allreduce", 0, all()); break;
        case 7:
            if (m_part != 0) meet("MPI_Allreduce", m_part, {0, m_ranks - 1});
            break;
        default: rooted(a); break;
        }
    }

    // The sender goes on at once; the message waits.
    void send(std::uint32_t from, std::uint32_t to)
    {
        MpiThread& thread = m_program.rank(from);
        m_sent[{from, to}].push_back(thread.now());
        thread.send(to, 1, 8, time(3));
    }
    void receive(std::uint32_t from, std::uint32_t to)
    {
        const TimeNs sent = m_sent[{from, to}].front();
        m_sent[{from, to}].pop_front();
        MpiThread& thread = m_program.rank(to);
        const TimeNs end = std::max(thread.now(), sent) + time(3);
        if (below(2) == 0) {
            thread.recv(from, 1, 8, end - thread.now());
            return;
        }
        const std::int64_t request = ++m_requests;
        thread.irecv(request, {from, 1, 8, 0}, 0);
        if (below(2) == 0) thread.compute(time(10));
        thread.wait(request, std::max(thread.now(), end) - thread.now());
    }
    // Both go on when both have come.
    void rendezvous(std::uint32_t from, std::uint32_t to)
    {
        MpiThread& sender = m_program.rank(from);
        MpiThread& receiver = m_program.rank(to);
        const TimeNs met = std::max(sender.now(), receiver.now());
        sender.ssend(to, 1, 8, met + time(3) - sender.now());
        receiver.recv(from, 1, 8, met + time(3) - receiver.now());
    }
    void meet(const char* name, std::uint32_t comm, const std::vector<std::uint32_t>& members)
    {
        TimeNs met = 0;
        for (const std::uint32_t rank : members) met = std::max(met, m_program.rank(rank).now());
        for (const std::uint32_t rank : members) {
            MpiThread& thread = m_program.rank(rank);
            thread.collective(name, -1, 8, met + time(4) - thread.now(), comm);
        }
    }
    void rooted(std::uint32_t root)
    {
        const bool isReduce = below(2) == 0;
        const TimeNs rootBegins = m_program.rank(root).now();
        TimeNs latest = 0;
        for (const std::uint32_t rank : all()) latest = std::max(latest, m_program.rank(rank).now());
        for (const std::uint32_t rank : all()) {
            MpiThread& thread = m_program.rank(rank);
            TimeNs met = thread.now();
            if (isReduce && rank == root) met = latest;
            if (!isReduce && rank != root) met = std::max(met, rootBegins);
            const TimeNs duration = met + time(4) - thread.now();
            if (isReduce) thread.reduce(static_cast<std::int32_t>(root), 8, duration);
            else thread.bcast(static_cast<std::int32_t>(root), 8, duration);
        }
    }

    std::mt19937 m_random;
    std::uint32_t m_ranks;
    ScriptedMpi m_program;
    bool m_hasInit;
    std::uint32_t m_part = 0;  // a communicator; 0: there is none
    std::int64_t m_requests = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<TimeNs>> m_sent;  // that nobody received yet
};

}  // namespace longpole::tests
