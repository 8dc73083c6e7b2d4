// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs of a few ranks as recordings that grow: what each rank's file holds at any time of the run.
#pragma once

#include "importers/madeframes.h"
#include "recorder/format/calls.h"
#include "recorder/format/chunkrecords.h"
#include "recorder/format/recording.h"

#include <QDir>
#include <QFile>
#include <QMetaType>
#include <QString>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace longpole::test {

// What a random program does besides exchanging messages and meeting.
struct GrowingHabits {
    bool crosses = false;     // messages that are sent before a meeting and received behind it
    bool cancels = false;     // requests are freed and cancelled now and then
    bool windows = false;     // fences of a window
    bool hasRegions = false;  // open at meetings, too
    bool meets = true;        // else all meet only at MPI_Init
    bool repeats = true;      // each call has been made soon after the begin
};

class GrowingProgram {
public:
    GrowingProgram(unsigned seed, int ranks, int steps, const GrowingHabits& habits)
        : m_random(seed), m_habits(habits), m_seed(seed), m_ranks(std::size_t(ranks))
    {
        for (int rank = 0; rank < ranks; ++rank) {
            at(rank).now = 1000 + pick(500);
            lp_call_record init = record(rank, LP_Init, 500);
            put(rank, init);
        }
        if (habits.repeats)
            for (int rank = 0; rank < ranks; ++rank)
                m_used.insert(m_used.end(), std::begin(everyCall), std::end(everyCall));
        for (int step = 0; step < steps; ++step) superstep();
    }

    std::int64_t end() const
    {
        std::int64_t latest = 0;
        for (const Rank& rank : m_ranks) latest = std::max(latest, rank.now);
        return latest;
    }
    int ranks() const { return int(m_ranks.size()); }

    // Writes the files as they are at that time of each rank, with areas of so many bytes; full ones are chunks.
    void write(const QString& folder, const std::vector<std::int64_t>& until, std::size_t room = 4096,
               const std::function<void(lp_header&)>& change = {}) const
    {
        QDir().mkpath(folder);
        for (int number = 0; number < ranks(); ++number) {
            const Rank& rank = m_ranks[std::size_t(number)];
            QByteArray frames = comms(number), records;
            lp_header header = bombHeader(number, ranks());
            header.end_kind = LP_RUNNING;
            header.run = m_seed + 1;
            header.start = 100 + number;
            header.pid = 40 + unsigned(number);
            for (const int call : m_used) header.used_calls[call / 64] |= std::uint64_t{1} << (call % 64);
            std::uint32_t seq = 0, count = 0;
            for (const Item& item : rank.items) {
                if (item.visible > until[std::size_t(number)]) break;
                if (item.call >= 0) header.used_calls[item.call / 64] |= std::uint64_t{1} << (item.call % 64);
                if (std::size_t(records.size() + item.bytes.size()) > room && !records.isEmpty()) {
                    frames += chunkOf(records, std::exchange(count, 0u), seq++);
                    records.clear();
                }
                records += item.bytes;
                ++count;
            }
            if (change) change(header);
            lp_area area{};
            area.used = std::uint64_t(records.size());
            QByteArray last = frameOf(LP_AREA, bytesOf(area) + records);
            reinterpret_cast<lp_frame*>(last.data())->seq = seq;  // which an area's checksum leaves out
            QFile file(QDir(folder).filePath(QStringLiteral("rank-%1.lprank").arg(number, 6, 10, QLatin1Char('0'))));
            if (file.open(QIODevice::WriteOnly)) file.write(rankFile(header, frames + last));
        }
    }

private:
    struct Item {
        std::int64_t visible;  // when it is in the file
        QByteArray bytes;
        int call = -1;
    };
    struct Rank {
        std::vector<Item> items;
        std::int64_t now = 0;
        std::uint32_t request = 0;
        std::vector<std::uint32_t> open;  // regions
    };
    struct Pending {
        std::int64_t sent;
        int tag;
    };
    static constexpr int everyCall[] = {LP_Init,   LP_Send,    LP_Ssend,     LP_Recv,     LP_Isend,    LP_Irecv,
                                        LP_Wait,   LP_Waitall, LP_Test,      LP_Probe,    LP_Barrier,  LP_Allreduce,
                                        LP_Bcast,  LP_Reduce,  LP_Scan,      LP_Ibarrier, LP_Sendrecv, LP_Request_free,
                                        LP_Mprobe, LP_Mrecv,   LP_Win_fence, LP_Comm_free};

    unsigned pick(unsigned below) { return m_random() % below; }
    Rank& at(int rank) { return m_ranks[std::size_t(rank)]; }

    static QByteArray chunkOf(const QByteArray& records, std::uint32_t count, std::uint32_t seq)
    {
        lp_frame head{};
        head.magic = LP_FRAME_MAGIC;
        head.kind = LP_CHUNK;
        head.seq = seq;
        head.coding = LP_CODING_RAW;
        head.records = count;
        head.length = head.raw_length = std::uint64_t(records.size());
        head.checksum = lp_head_checksum(head);
        head.checksum = lp_checksum(records.constData(), head.length, head.checksum);
        return paddedTo(bytesOf(head) + records, LP_ALIGNMENT);
    }

    // The world, a duplicate of it, and the even ranks.
    QByteArray comms(int rank) const
    {
        const auto frame = [](std::uint32_t number, const QByteArray& name, int size, int stride) {
            lp_comm comm{};
            comm.comm = comm.serial = number;
            comm.size = size;
            comm.stride = stride;
            comm.name_length = std::uint32_t(name.size());
            return frameOf(LP_COMM, bytesOf(comm) + name);
        };
        QByteArray frames = frame(0, "MPI_COMM_WORLD", ranks(), 1) + frame(1, "copy", ranks(), 1);
        if (rank % 2 == 0) frames += frame(2, "even", (ranks() + 1) / 2, 2);
        for (std::uint32_t region = 0; region < 4; ++region)
            frames += frameOf(LP_REGION, bytesOf(region) + "region " + QByteArray::number(region));
        return frames;
    }

    // A call that begins now and takes so long; the rank's time goes on.
    lp_call_record record(int rank, lp_call_id call, std::int64_t length)
    {
        lp_call_record made{};
        made.type = LP_CALL_RECORD;
        made.call = std::uint16_t(call);
        made.comm = LP_NO_COMM;
        made.peer = LP_NO_RANK;
        made.begin = at(rank).now;
        made.end = at(rank).now += length;
        return made;
    }
    void put(int rank, const lp_call_record& call, const std::vector<lp_completion_record>& completions = {})
    {
        QByteArray bytes = bytesOf(call);
        for (const lp_completion_record& done : completions) bytes += bytesOf(done);
        at(rank).items.push_back({call.end, bytes, call.call});
        work(rank);
    }
    void work(int rank) { at(rank).now += pick(4) == 0 ? 0 : 1 + pick(300); }

    static lp_completion_record done(lp_completion_kind kind, std::uint32_t request, int peer = LP_NO_RANK, int tag = 0,
                                     std::int64_t bytes = 0)
    {
        lp_completion_record completion{};
        completion.type = std::uint8_t(int(LP_FIRST_COMPLETION) + int(kind));
        completion.request = request;
        completion.comm = kind == LP_RECV_DONE ? 0 : LP_NO_COMM;
        completion.peer = peer;
        completion.tag = tag;
        completion.bytes = bytes;
        return completion;
    }

    lp_call_record messageCall(int rank, lp_call_id call, int peer, int tag, std::int64_t length)
    {
        lp_call_record made = record(rank, call, length);
        made.comm = 0;
        made.peer = peer;
        made.tag = tag;
        made.bytes = 8 + pick(100);
        return made;
    }

    void send(int from, int to, int tag)
    {
        const lp_call_record call = messageCall(from, LP_Send, to, tag, 5 + pick(40));
        m_pending[{from, to}].push_back({call.begin, tag});
        put(from, call);
    }
    void receive(int to, int from)
    {
        std::deque<Pending>& pending = m_pending[{from, to}];
        if (pending.empty()) return;
        const Pending message = pending.front();
        pending.pop_front();
        const std::int64_t arrives = std::max(at(to).now, message.sent) + 1 + pick(30);
        const unsigned way = pick(6);
        if (way == 0) put(to, messageCall(to, LP_Probe, from, message.tag, arrives - at(to).now));
        if (way == 1) {
            put(to, messageCall(to, LP_Mprobe, from, message.tag, arrives - at(to).now));
            put(to, messageCall(to, LP_Mrecv, from, message.tag, 3 + pick(20)));
        } else if (way == 2) {
            poll(to, from, message, arrives);
        } else {
            put(to, messageCall(to, LP_Recv, from, message.tag, std::max<std::int64_t>(1, arrives - at(to).now)));
        }
    }

    // A receive that is posted, polled for in a loop, and found by MPI_Test.
    void poll(int to, int from, const Pending& message, std::int64_t arrives)
    {
        lp_call_record posted = messageCall(to, LP_Irecv, from, message.tag, 2);
        const std::uint32_t request = posted.request = ++at(to).request;
        put(to, posted);
        lp_polling_record loop{};
        loop.type = LP_POLLING_RECORD;
        loop.call = LP_Test;
        loop.is_ended = std::uint8_t(pick(2));
        loop.count = 3;
        loop.begin = at(to).now;
        loop.end = at(to).now = std::max(at(to).now + 1, arrives);
        at(to).items.push_back({loop.end, bytesOf(loop), LP_Test});
        const lp_call_record test = record(to, LP_Test, 2);
        put(to, test, {done(LP_RECV_DONE, request, from, message.tag, 8)});
    }

    // Neighbours exchange without blocking, and wait for all; one of them has no neighbour.
    void exchange()
    {
        const int count = ranks();
        std::vector<std::int64_t> sent(m_ranks.size());
        std::vector<std::uint32_t> first(m_ranks.size());
        for (int rank = 0; rank < count; ++rank) {
            first[std::size_t(rank)] = at(rank).request + 1;
            lp_call_record nobody = messageCall(rank, LP_Irecv, LP_NO_RANK, 9, 2);
            nobody.request = ++at(rank).request;
            put(rank, nobody);
            lp_call_record posted = messageCall(rank, LP_Irecv, (rank + count - 1) % count, 7, 2);
            posted.request = ++at(rank).request;
            put(rank, posted);
            lp_call_record started = messageCall(rank, LP_Isend, (rank + 1) % count, 7, 3);
            started.request = ++at(rank).request;
            sent[std::size_t(rank)] = started.begin;
            put(rank, started);
        }
        for (int rank = 0; rank < count; ++rank) {
            const int from = (rank + count - 1) % count;
            const std::int64_t arrives = std::max(at(rank).now, sent[std::size_t(from)]) + 1 + pick(60);
            const std::uint32_t request = first[std::size_t(rank)];
            const lp_call_record wait = record(rank, LP_Waitall, arrives - at(rank).now);
            put(rank, wait,
                {done(LP_RECV_DONE, request, LP_NO_RANK), done(LP_SEND_DONE, request + 2),
                 done(LP_RECV_DONE, request + 1, from, 7, 64)});
        }
    }

    void collective(lp_call_id call, std::uint32_t comm, const std::vector<int>& members, int root)
    {
        std::int64_t all = 0;
        for (const int rank : members) all = std::max(all, at(rank).now);
        for (const int rank : members) {
            // Nobody leaves before what it depends on has come.
            const bool mayLeave = (call == LP_Bcast && rank == root) || (call == LP_Reduce && rank != root)
                                  || (call == LP_Scan && rank == members.front());
            const bool waits = !mayLeave || pick(2) == 0;
            const std::int64_t leaves = (waits ? all : at(rank).now) + 2 + pick(20);
            lp_call2_record made{};
            made.call = record(rank, call, leaves - at(rank).now);
            made.call.type = LP_CALL2_RECORD;
            made.call.comm = comm;
            made.call.peer = root;
            made.call.tag = call == LP_Win_fence ? 1 : 0;
            made.call.bytes = made.bytes2 = call == LP_Barrier ? 0 : 8;
            at(rank).items.push_back({made.call.end, bytesOf(made), call});
            work(rank);
        }
    }
    // MPI_Ibarrier and what completes it.
    void later(const std::vector<int>& members)
    {
        std::int64_t all = 0;
        for (const int rank : members) {
            lp_call_record started = record(rank, LP_Ibarrier, 3);
            started.comm = 0;
            started.request = ++at(rank).request;
            all = std::max(all, started.begin);
            put(rank, started);
        }
        for (const int rank : members) {
            const lp_call_record wait = record(rank, LP_Wait, std::max(at(rank).now, all) - at(rank).now + 1 + pick(9));
            put(rank, wait, {done(LP_COLLECTIVE_DONE, at(rank).request)});
        }
    }

    void region(int rank)
    {
        Rank& one = at(rank);
        lp_region_record made{};
        if (one.open.empty() || (pick(2) == 0 && one.open.size() < 3)) {
            made.type = LP_ENTER_RECORD;
            made.region = pick(4);
            one.open.push_back(made.region);
        } else {
            made.type = LP_LEAVE_RECORD;
            made.region = one.open.back();
            one.open.pop_back();
        }
        made.time = one.now;
        one.items.push_back({one.now, bytesOf(made)});
        work(rank);
    }
    void own(int rank)
    {
        lp_own_record made{};
        made.type = LP_OWN_RECORD;
        made.begin = at(rank).now;
        made.end = at(rank).now += 5;
        at(rank).items.push_back({made.end, bytesOf(made)});
    }
    void freed(int rank, int to)
    {
        lp_call_record started = messageCall(rank, LP_Isend, to, 5, 2);
        started.request = ++at(rank).request;
        put(rank, started);
        put(rank, record(rank, LP_Request_free, 1), {done(LP_FREED, started.request)});
    }

    void superstep()
    {
        std::vector<int> everybody, even;
        for (int rank = 0; rank < ranks(); ++rank) {
            everybody.push_back(rank);
            if (rank % 2 == 0) even.push_back(rank);
        }
        for (unsigned action = 1 + pick(8); action > 0; --action) {
            const int a = int(pick(unsigned(ranks())));
            const int b = (a + 1 + int(pick(unsigned(ranks() - 1)))) % ranks();
            switch (pick(12)) {
            case 0:
            case 1: send(a, b, int(pick(2))); break;
            case 2:
            case 3: receive(b, a); break;
            case 4: exchange(); break;
            case 5: collective(pick(2) == 0 ? LP_Bcast : LP_Reduce, pick(2), everybody, a); break;
            case 6: collective(pick(2) == 0 ? LP_Barrier : LP_Scan, 2, even, LP_NO_RANK); break;
            case 7:
                for (int i = 0; m_habits.hasRegions && i < 9; ++i) region(a);
                break;
            case 8: own(a); break;
            case 9: later(everybody); break;
            case 10:
                if (m_habits.cancels && pick(20) == 0) freed(a, b);
                break;
            default:
                if (m_habits.windows && pick(10) == 0) collective(LP_Win_fence, 0, everybody, LP_NO_RANK);
                break;
            }
        }
        if (!m_habits.crosses || pick(3) == 0) {
            for (auto& [ends, pending] : m_pending)
                while (!pending.empty()) receive(ends.second, ends.first);
        }
        if (m_habits.meets)
            collective(pick(2) == 0 ? LP_Barrier : LP_Allreduce, pick(4) == 0 ? 1 : 0, everybody, LP_NO_RANK);
    }

    std::mt19937 m_random;
    const GrowingHabits m_habits;
    const unsigned m_seed;
    std::vector<Rank> m_ranks;
    std::vector<int> m_used;
    std::map<std::pair<int, int>, std::deque<Pending>> m_pending;
};

}  // namespace longpole::test

Q_DECLARE_METATYPE(longpole::test::GrowingHabits)
