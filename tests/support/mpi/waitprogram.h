// SPDX-License-Identifier: GPL-3.0-or-later
// A little MPI program in exact times, in which ranks compute, send, receive and meet, one action after the other; with
// the waits that follow from their definitions.
#pragma once

#include "support/mpi/mpirows.h"

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace longpole {

class WaitProgram {
public:
    enum Regions : std::int64_t { Send, Ssend, Recv, Barrier, Allreduce, Bcast, Reduce, FirstCode };

    static constexpr std::int64_t eagerTag = 1;
    static constexpr std::int64_t rendezvousTag = 2;  // of messages that may overtake those sent before

    // Two ranks that met, and the calls in which they did.
    struct Meeting {
        std::uint32_t rank, other;
        std::size_t call, otherCall;
    };

    WaitProgram(std::uint32_t ranks, std::initializer_list<const char*> code) : m_now(ranks, 0)
    {
        for (const char* const name :
             {"MPI_Send", "MPI_Ssend", "MPI_Recv", "MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Reduce"})
            m_rows.regions.emplace_back(QLatin1String(name));
        m_rows.calls = m_rows.regions.size();
        for (const char* const name : code) m_rows.regions.emplace_back(QLatin1String(name));
        m_rows.ranks.resize(ranks);
    }

    void compute(std::uint32_t rank, TimeNs time, std::int64_t code = 0)
    {
        m_rows.ranks[rank].code.push_back({.begin = m_now[rank], .end = m_now[rank] + time, .entry = FirstCode + code});
        m_now[rank] += time;
    }

    // An eager send: the sender does not wait, the message waits for its receive.
    void send(std::uint32_t from, std::uint32_t to, TimeNs time)
    {
        WrittenCall& call = begin(from, Send);
        call.peer = to;
        call.tag = eagerTag;
        m_messages[{from, to}].push_back({m_now[from], m_rows.ranks[from].calls.size() - 1, call.task});
        m_rows.ranks[from].sendingTask.push_back(call.task);
        end(from, m_now[from] + time);
    }

    void receive(std::uint32_t rank, std::uint32_t from, TimeNs time)
    {
        const Message message = m_messages[{from, rank}].front();
        m_messages[{from, rank}].pop_front();
        WrittenCall& call = begin(rank, Recv);
        call.peer = from;
        call.tag = eagerTag;
        wait(call, WaitPattern::LateSender, message.sent, from, message.call);
        meet(rank, m_rows.ranks[rank].calls.size() - 1, from, message.call);
        end(rank, std::max(m_now[rank], message.sent) + time);
        setSource(rank, from, message.task);
    }

    // A rendezvous: the rank that comes first waits.
    void exchange(std::uint32_t from, std::uint32_t to, TimeNs sendTime, TimeNs receiveTime)
    {
        WrittenCall& sent = begin(from, Ssend);
        WrittenCall& received = begin(to, Recv);
        sent.peer = to;
        received.peer = from;
        sent.tag = received.tag = rendezvousTag;
        wait(sent, WaitPattern::LateReceiver, received.begin, to, m_rows.ranks[to].calls.size() - 1);
        wait(received, WaitPattern::LateSender, sent.begin, from, m_rows.ranks[from].calls.size() - 1);
        meet(from, m_rows.ranks[from].calls.size() - 1, to, m_rows.ranks[to].calls.size() - 1);
        m_rows.ranks[from].sendingTask.push_back(sent.task);
        const std::int64_t task = sent.task;
        const TimeNs both = std::max(m_now[from], m_now[to]);
        end(from, both + sendTime);
        end(to, both + receiveTime);
        setSource(to, from, task);
    }

    // All members wait for the last; they leave `times` after it came.
    void meetAll(std::int64_t region, const std::vector<std::uint32_t>& members, const std::vector<TimeNs>& times,
                 std::int64_t comm = 100)
    {
        std::uint32_t last = members.front();
        for (const std::uint32_t rank : members)
            if (m_now[rank] > m_now[last] || (m_now[rank] == m_now[last] && rank < last)) last = rank;
        const TimeNs latest = m_now[last];
        const TimeNs first = *std::min_element(times.begin(), times.end());
        const std::size_t lastCall = m_rows.ranks[last].calls.size();
        for (std::size_t i = 0; i < members.size(); ++i) {
            WrittenCall& call = begin(members[i], region);
            wait(call, region == Barrier ? WaitPattern::WaitAtBarrier : WaitPattern::WaitAtNxN, latest, last, lastCall);
            call.waitBefore = latest - call.begin;
            call.waitAfter = times[i] - first;
            call.instance = m_instances;
            call.comm = comm;
            call.flags = MpiCallFlag::Collective;
            for (std::size_t k = 0; k < i; ++k)
                meet(members[i], m_rows.ranks[members[i]].calls.size() - 1, members[k],
                     m_rows.ranks[members[k]].calls.size() - 1);
            end(members[i], latest + times[i]);
        }
        ++m_instances;
    }

    void broadcast(std::uint32_t root, TimeNs time)
    {
        const TimeNs from = m_now[root];
        const std::size_t rootCall = m_rows.ranks[root].calls.size();
        for (std::uint32_t rank = 0; rank < m_now.size(); ++rank) {
            WrittenCall& call = begin(rank, Bcast);
            if (rank != root) wait(call, WaitPattern::LateBroadcast, from, root, rootCall);
            call.instance = m_instances;
            call.comm = 100;
            call.peer = root;
            call.flags = MpiCallFlag::Collective | MpiCallFlag::NotSynchronizing;
            if (rank != root) meet(rank, m_rows.ranks[rank].calls.size() - 1, root, rootCall);
            end(rank, std::max(m_now[rank], from) + time);
        }
        ++m_instances;
    }

    const MpiRows& rows() const { return m_rows; }
    const std::vector<Meeting>& meetings() const { return m_meetings; }
    bool hasMessage(std::uint32_t from, std::uint32_t to) const
    {
        const auto found = m_messages.find({from, to});
        return found != m_messages.end() && !found->second.empty();
    }
    WrittenCall& lastCall(std::uint32_t rank) { return m_rows.ranks[rank].calls.back(); }

private:
    struct Message {
        TimeNs sent;
        std::size_t call;
        std::int64_t task;
    };

    // Begins a call; between two calls there is at least one task, of no length if need be.
    WrittenCall& begin(std::uint32_t rank, std::int64_t region)
    {
        RankRows& rows = m_rows.ranks[rank];
        const bool isSince = !rows.calls.empty() && rows.calls.back().task + 1 < std::int64_t(rows.code.size());
        if (rows.code.empty() || (!rows.calls.empty() && !isSince)) compute(rank, 0);
        WrittenCall call;
        call.begin = m_now[rank];
        call.region = region;
        call.task = std::int64_t(rows.code.size()) - 1;
        rows.calls.push_back(call);
        return rows.calls.back();
    }

    void end(std::uint32_t rank, TimeNs time)
    {
        m_rows.ranks[rank].calls.back().end = time;
        m_now[rank] = time;
    }

    static void wait(WrittenCall& call, WaitPattern pattern, TimeNs until, std::uint32_t culprit,
                     std::size_t culpritCall)
    {
        if (until <= call.begin) return;
        call.pattern = pattern;
        call.severity = call.waitBefore = until - call.begin;
        call.culprit = culprit;
        call.culpritSeq = std::int64_t(culpritCall);
    }

    void meet(std::uint32_t rank, std::size_t call, std::uint32_t other, std::size_t otherCall)
    {
        m_meetings.push_back({rank, other, call, otherCall});
        m_meetings.push_back({other, rank, otherCall, call});
    }

    void setSource(std::uint32_t rank, std::uint32_t from, std::int64_t task)
    {
        compute(rank, 0);
        CodeRow& code = m_rows.ranks[rank].code.back();
        code.sourceRank = from;
        code.sourceTask = task;
        code.message = 0;
        const CodeRow& source = m_rows.ranks[from].code[std::size_t(task)];
        code.sourceLength = source.end - source.begin;
        code.sent = source.end;
    }

    std::vector<TimeNs> m_now;
    MpiRows m_rows;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Message>> m_messages;
    std::vector<Meeting> m_meetings;
    std::int64_t m_instances = 0;
};

}  // namespace longpole
