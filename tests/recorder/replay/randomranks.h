// SPDX-License-Identifier: GPL-3.0-or-later
// A random program of ranks, whose values travel with its messages while its logs are replayed: wildcards, messages
// that cross meetings, collective calls of some ranks that begin and end apart, any order of delivery.
#pragma once

#include "recorder/replay/batchreplay.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QTest>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace longpole::pathreplay {

struct Message {
    int from, tag;
    std::uint32_t comm;
    Value value;
};

struct Receive {
    int from, tag;  // -1: any
    std::uint32_t comm;
    std::uint32_t order;
    std::shared_ptr<Message> message{};  // that matched
    bool isFreed = false;                // nobody will complete it
};

struct Together {
    lp_joining joining;
    int root;
    std::vector<Value> given;  // by place; empty: not yet
};

struct Comm {
    int origin;
    std::uint32_t serial;
    std::vector<std::int32_t> members;
    std::vector<Together> calls;
};

struct Open {
    std::uint32_t comm, call;
};

struct Rank {
    lp_path_log log{};
    Value value;
    std::vector<Receive> receives;              // open, in order of posting
    std::deque<std::shared_ptr<Message>> came;  // and match no receive yet
    std::vector<Open> open;                     // collective calls begun and not completed
    std::vector<std::uint32_t> numbers;         // of communicators in the log; -1: not a member
    std::vector<std::uint32_t> begun;           // calls by communicator
    std::deque<std::shared_ptr<Message>> underWay;
};

inline const QByteArray& spillFolder()
{
    static const QByteArray folder = QFile::encodeName(QDir::tempPath());
    return folder;
}

// How a program's logs are replayed: by one process that delivers in any order, or by so many, each of several ranks.
struct Delivery {
    std::uint64_t seed = 0;
    std::size_t processes = 0;  // 0: any order
};

class RandomRanks {
public:
    // `hasCallers`: some work is that of procedures that called another one, too.
    RandomRanks(std::uint64_t seed, lp_lanes lanes, bool hasCallers = false, Delivery how = {})
        : m_random(seed), m_delivery(seed + how.seed), m_lanes(lanes), m_hasCallers(hasCallers), m_how(how)
    {
        const int ranks = 1 + int(m_random() % 8);
        m_ranks.resize(std::size_t(ranks));
        const std::size_t words = lp_value_words(lanes);
        m_found.total.assign(words, 0);
        m_found.profile.assign(procedureCount, 0);
        m_found.parts.assign(lanes.count, 0);
        m_found.ofRank.assign(m_ranks.size(), 0);
        // Of some ranks nearly everything lies in a file.
        const QByteArray& folder = spillFolder();
        const int mostDirect = int(m_random() % 5);  // of 8 members at most: stars and trees
        for (Rank& rank : m_ranks) {
            const bool spills = m_random() % 4 == 0;
            lp_log_open(&rank.log, ranks, spills ? 16 : 1u << 20);
            if (spills) lp_log_spill_to(&rank.log, folder.constData(), 1u << 26);
            rank.log.most_direct = mostDirect;
            rank.value.assign(words, 0);
        }
        makeComms();
    }
    ~RandomRanks()
    {
        for (Rank& rank : m_ranks) {
            lp_replay_forget(&rank.log);
            lp_log_close(&rank.log);
        }
    }
    RandomRanks(const RandomRanks&) = delete;
    RandomRanks& operator=(const RandomRanks&) = delete;

    void play(int events)
    {
        const std::uint64_t meetsEvery = 5 + m_random() % 60;
        for (int i = 0; i < events; ++i) {
            const std::size_t at = m_random() % m_ranks.size();
            deliverSome();
            if (m_random() % (meetsEvery * m_ranks.size()) == 0) meet(m_random() % 3 == 0);
            switch (m_random() % 10) {
            case 0:
            case 1:
            case 2: work(at); break;
            case 3:
            case 4: send(at); break;
            case 5: post(at); break;
            case 6: complete(at); break;
            case 7: begin(at); break;
            case 8: finish(at); break;
            default:
                switch (m_random() % 9) {
                case 0: cancel(at); break;
                case 1: probe(at); break;
                case 2: release(at); break;
                default: complete(at);
                }
            }
        }
        finishAll();
        meet(true);
    }

    const Found& found() const { return m_found; }
    // The longest of all ranks, each number by itself but for the shares.
    Value longest() const { return m_ranks.front().value; }
    std::size_t ranks() const { return m_ranks.size(); }

private:
    Random m_random, m_delivery;
    lp_lanes m_lanes;
    bool m_hasCallers;
    Delivery m_how;
    std::vector<Rank> m_ranks;
    std::vector<Comm> m_comms;
    Found m_found;

    void makeComms()
    {
        const std::size_t count = 1 + m_random() % 3;
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<std::int32_t> members;
            for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
                if (i == 0 || m_random() % 2 == 0) members.push_back(std::int32_t(rank));
            std::shuffle(members.begin(), members.end(), m_random);
            m_comms.push_back({int(i), 7, members, {}});
            for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
                const auto place = std::find(members.begin(), members.end(), std::int32_t(rank)) - members.begin();
                const bool isMember = place < std::ptrdiff_t(members.size());
                Rank& of = m_ranks[rank];
                of.begun.push_back(0);
                of.numbers.push_back(isMember ? lp_log_comm(&of.log, int(i), 7, int(members.size()), int(place),
                                                            members.data())
                                              : LP_NO_CHANNEL);
            }
        }
    }

    lp_channel_id idOf(const Comm& comm, int peer, int tag) const { return {peer, comm.origin, comm.serial, tag}; }

    void work(std::size_t at)
    {
        const auto procedure = std::uint32_t(m_random() % procedureCount);
        const auto ns = std::int64_t(m_random() % 1'000'000'000);
        lp_lane_set in = laneOf(m_lanes, procedure);
        std::uint32_t of = procedure;
        if (m_hasCallers && m_random() % 2 == 0) {
            in |= m_random() % (lp_lane_set(1) << m_lanes.count);
            of = lp_log_context(&m_ranks[at].log, procedure, in);
        }
        lp_log_work(&m_ranks[at].log, of, ns);
        add(m_ranks[at].value, in, ns);
    }

    // One lane after the other, as in the paper.
    void add(Value& value, lp_lane_set in, std::int64_t ns) const
    {
        value[0] += ns;
        for (std::uint32_t lane = 1; lane <= m_lanes.count; ++lane) {
            const bool isIn = (in & lp_set_of_lane(lane)) != 0;
            if (isIn) value[lane] += ns;
            if (m_lanes.has_nets)
                value[m_lanes.count + lane] += ns * (isIn ? m_lanes.factor.numerator : m_lanes.factor.denominator);
        }
    }

    void send(std::size_t at)
    {
        const std::size_t to = m_random() % m_ranks.size();
        const auto comm = std::uint32_t(m_random() % 2 % m_comms.size());
        const int tag = int(m_random() % 2);
        lp_log_send(&m_ranks[at].log, idOf(m_comms[comm], int(to), tag));
        m_ranks[to].underWay.push_back(std::make_shared<Message>(Message{int(at), tag, comm, m_ranks[at].value}));
    }

    static bool fits(const Receive& receive, const Message& message)
    {
        return receive.comm == message.comm && (receive.from < 0 || receive.from == message.from)
               && (receive.tag < 0 || receive.tag == message.tag);
    }

    // Messages of one sender come in their order, those of several in any.
    void deliverSome()
    {
        for (Rank& rank : m_ranks) {
            if (rank.underWay.empty() || m_random() % 3 == 0) continue;
            const std::size_t chosen = m_random() % rank.underWay.size();
            const auto first = std::find_if(rank.underWay.begin(), rank.underWay.end(), [&](const auto& message) {
                return message->from == rank.underWay[chosen]->from;
            });
            const std::shared_ptr<Message> message = *first;
            rank.underWay.erase(first);
            const auto receive = std::find_if(rank.receives.begin(), rank.receives.end(),
                                              [&](const Receive& one) { return !one.message && fits(one, *message); });
            if (receive != rank.receives.end()) receive->message = message;
            else rank.came.push_back(message);
        }
    }

    void post(std::size_t at)
    {
        Rank& rank = m_ranks[at];
        Receive receive{int(m_random() % m_ranks.size()), int(m_random() % 2),
                        std::uint32_t(m_random() % 2 % m_comms.size()), 0};
        if (m_random() % 6 == 0) receive.from = -1;
        if (m_random() % 6 == 0) receive.tag = -1;
        receive.order = lp_log_post(&rank.log, idOf(m_comms[receive.comm], receive.from, receive.tag));
        const auto message = std::find_if(rank.came.begin(), rank.came.end(),
                                          [&](const auto& one) { return fits(receive, *one); });
        if (message != rank.came.end()) {
            receive.message = *message;
            rank.came.erase(message);
        }
        rank.receives.push_back(receive);
    }

    void complete(std::size_t at)
    {
        Rank& rank = m_ranks[at];
        std::vector<std::size_t> ready;
        for (std::size_t i = 0; i < rank.receives.size(); ++i)
            if (rank.receives[i].message && !rank.receives[i].isFreed) ready.push_back(i);
        if (!ready.empty()) completeAt(rank, ready[m_random() % ready.size()]);
    }

    void completeAt(Rank& rank, std::size_t i)
    {
        const Receive receive = rank.receives[i];
        rank.receives.erase(rank.receives.begin() + std::ptrdiff_t(i));
        lp_log_receive(&rank.log, receive.order, receive.message->from, receive.message->tag);
        lp_value_merge(m_lanes, rank.value.data(), receive.message->value.data());
    }

    void cancel(std::size_t at)
    {
        Rank& rank = m_ranks[at];
        for (std::size_t i = 0; i < rank.receives.size(); ++i) {
            if (rank.receives[i].message || rank.receives[i].isFreed) continue;
            lp_log_cancel(&rank.log, rank.receives[i].order);
            rank.receives.erase(rank.receives.begin() + std::ptrdiff_t(i));
            return;
        }
    }

    // Of one that takes messages of several channels, which one it took is known where it has come.
    void release(std::size_t at)
    {
        Rank& rank = m_ranks[at];
        if (rank.receives.empty()) return;
        Receive& receive = rank.receives[m_random() % rank.receives.size()];
        if (receive.isFreed) return;
        receive.isFreed = true;
        const Message* message = receive.message.get();
        lp_log_release(&rank.log, receive.order, message ? message->from : -1, message ? message->tag : -1);
    }

    // Before some replays it is asked what open receives have taken.
    void learn()
    {
        for (Rank& rank : m_ranks)
            for (const Receive& receive : rank.receives)
                if (receive.message && !receive.isFreed)
                    lp_log_learn(&rank.log, receive.order, receive.message->from, receive.message->tag);
    }

    // Finds a message that came and that no receive waits for; the first of its channel.
    void probe(std::size_t at)
    {
        Rank& rank = m_ranks[at];
        if (rank.came.empty()) return;
        const Message& any = *rank.came[m_random() % rank.came.size()];
        const Message& found = **std::find_if(rank.came.begin(), rank.came.end(), [&any](const auto& one) {
            return one->from == any.from && one->tag == any.tag && one->comm == any.comm;
        });
        lp_log_peek(&rank.log, idOf(m_comms[found.comm], found.from, found.tag));
        lp_value_merge(m_lanes, rank.value.data(), found.value.data());
    }

    int placeOf(const Comm& comm, std::size_t at) const
    {
        return int(std::find(comm.members.begin(), comm.members.end(), std::int32_t(at)) - comm.members.begin());
    }

    void begin(std::size_t at)
    {
        const auto which = std::uint32_t(m_random() % m_comms.size());
        Rank& rank = m_ranks[at];
        Comm& comm = m_comms[which];
        if (rank.numbers[which] == LP_NO_CHANNEL) return;
        const std::uint32_t call = rank.begun[which]++;
        if (call == comm.calls.size())
            comm.calls.push_back({lp_joining(m_random() % 4), int(m_random() % comm.members.size()),
                                  std::vector<Value>(comm.members.size())});
        Together& together = comm.calls[call];
        const bool gives = m_random() % 5 != 0;
        const std::uint32_t number = lp_log_give(&rank.log, rank.numbers[which], together.joining, together.root,
                                                 gives);
        QCOMPARE(number, call);
        together.given[std::size_t(placeOf(comm, at))] = gives ? rank.value : Value(rank.value.size(), 0);
        rank.open.push_back({which, call});
    }

    bool isComplete(const Together& call, int place) const
    {
        const auto has = [&call](int of) { return !call.given[std::size_t(of)].empty(); };
        const int size = int(call.given.size());
        switch (call.joining) {
        case LP_ONE_TO_ALL: return has(call.root);
        case LP_ALL_TO_ONE:
            if (place != call.root) return true;
            [[fallthrough]];
        case LP_ALL_TO_ALL:
            for (int of = 0; of < size; ++of)
                if (!has(of)) return false;
            return true;
        case LP_PREFIX:
            for (int of = 0; of <= place; ++of)
                if (!has(of)) return false;
        }
        return true;
    }

    void finish(std::size_t at)
    {
        Rank& rank = m_ranks[at];
        for (std::size_t i = 0; i < rank.open.size(); ++i)
            if (finishAt(at, i)) return;
    }

    bool finishAt(std::size_t at, std::size_t i)
    {
        Rank& rank = m_ranks[at];
        const Open open = rank.open[i];
        const Comm& comm = m_comms[open.comm];
        const Together& call = comm.calls[open.call];
        const int place = placeOf(comm, at);
        if (!isComplete(call, place)) return false;
        rank.open.erase(rank.open.begin() + std::ptrdiff_t(i));
        lp_log_take(&rank.log, rank.numbers[open.comm], open.call, call.joining, call.root);
        const int last = call.joining == LP_PREFIX ? place : int(call.given.size()) - 1;
        if (call.joining == LP_ALL_TO_ONE && place != call.root) return true;
        Value best;
        for (int of = 0; of <= last; ++of) {
            if (call.joining == LP_ONE_TO_ALL && of != call.root) continue;
            if (best.empty()) best = call.given[std::size_t(of)];
            else lp_value_merge(m_lanes, best.data(), call.given[std::size_t(of)].data());
        }
        lp_value_merge(m_lanes, rank.value.data(), best.data());
        return true;
    }

    // What has matched completes; every call that one member began, all do.
    void finishAll()
    {
        for (std::size_t which = 0; which < m_comms.size(); ++which)
            for (std::size_t at = 0; at < m_ranks.size(); ++at)
                while (m_ranks[at].numbers[which] != LP_NO_CHANNEL
                       && m_ranks[at].begun[which] < m_comms[which].calls.size()) {
                    Rank& rank = m_ranks[at];
                    const std::uint32_t call = rank.begun[which]++;
                    Together& together = m_comms[which].calls[call];
                    lp_log_give(&rank.log, rank.numbers[which], together.joining, together.root, true);
                    together.given[std::size_t(placeOf(m_comms[which], at))] = rank.value;
                    rank.open.push_back({std::uint32_t(which), call});
                }
        for (std::size_t at = 0; at < m_ranks.size(); ++at) {
            while (!m_ranks[at].open.empty() && finishAt(at, 0)) {}
            Rank& rank = m_ranks[at];
            for (std::size_t i = rank.receives.size(); i-- > 0;)
                if (rank.receives[i].message && !rank.receives[i].isFreed) completeAt(rank, i);
        }
    }

    // All ranks have the longest value from then on; now and then their logs are replayed at once.
    void meet(bool isBatch)
    {
        Value best = m_ranks.front().value;
        for (const Rank& rank : m_ranks) lp_value_merge(m_lanes, best.data(), rank.value.data());
        for (Rank& rank : m_ranks) {
            rank.value = best;
            lp_log_meet(&rank.log);
        }
        if (!isBatch) return;
        if (m_random() % 2 == 0) learn();
        std::vector<lp_path_log*> logs;
        for (Rank& rank : m_ranks) logs.push_back(&rank.log);
        replayBatch(
            logs, m_lanes,
            [this](const Replays& replays) {
                if (m_how.processes > 0) carryBetween(replays, std::min(m_how.processes, replays.size()));
                else carry(replays, m_delivery);
            },
            m_found);
    }
};

}  // namespace longpole::pathreplay
