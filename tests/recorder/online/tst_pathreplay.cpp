// SPDX-License-Identifier: GPL-3.0-or-later
// Paths that ranks find together from their logs, against values that travel with each message of a random program:
// wildcards, messages that cross meetings, collective calls of some ranks that begin and end apart, any order of
// delivery, any number of meetings at once.
#include "recorder/online/pathlog.h"
#include "recorder/online/pathreplay.h"
#include "recorder/online/pathvalue.h"

#include "support/testmain.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace {

using Value = std::vector<std::int64_t>;
using Random = std::mt19937_64;

constexpr std::uint32_t procedureCount = 5;  // the first one is followed by no lane

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

// What all batches found.
struct Found {
    Value total;
    std::vector<std::int64_t> profile, ofRank;
    std::uint64_t ambiguous = 0, ahead = 0;
    bool isConsistent = true;
};

const QByteArray& spillFolder()
{
    static const QByteArray folder = QFile::encodeName(QDir::tempPath());
    return folder;
}

class Machine {
public:
    Machine(std::uint64_t seed, lp_lanes lanes) : m_random(seed), m_lanes(lanes)
    {
        const int ranks = 1 + int(m_random() % 8);
        m_ranks.resize(std::size_t(ranks));
        const std::size_t words = lp_value_words(lanes);
        m_found.total.assign(words, 0);
        m_found.profile.assign(procedureCount, 0);
        m_found.ofRank.assign(m_ranks.size(), 0);
        // Of some ranks nearly everything lies in a file.
        const QByteArray& folder = spillFolder();
        for (Rank& rank : m_ranks) {
            const bool spills = m_random() % 4 == 0;
            lp_log_open(&rank.log, ranks, spills ? 16 : 1u << 20);
            if (spills) lp_log_spill_to(&rank.log, folder.constData(), 1u << 26);
            rank.value.assign(words, 0);
        }
        makeComms();
    }
    ~Machine()
    {
        for (Rank& rank : m_ranks) {
            lp_replay_forget(&rank.log);
            lp_log_close(&rank.log);
        }
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

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
                switch (m_random() % 8) {
                case 0: cancel(at); break;
                case 1: probe(at); break;
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
    Random m_random;
    lp_lanes m_lanes;
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
        lp_log_work(&m_ranks[at].log, procedure, ns);
        lp_value_add(m_lanes, m_ranks[at].value.data(), laneOf(procedure), ns);
    }

    std::uint32_t laneOf(std::uint32_t procedure) const { return procedure <= m_lanes.count ? procedure : 0; }

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
            if (rank.receives[i].message) ready.push_back(i);
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
            if (rank.receives[i].message) continue;
            lp_log_cancel(&rank.log, rank.receives[i].order);
            rank.receives.erase(rank.receives.begin() + std::ptrdiff_t(i));
            return;
        }
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
                if (rank.receives[i].message) completeAt(rank, i);
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
        if (isBatch) replay();
    }

    using Replays = std::vector<lp_replay*>;

    // Buffers of one rank for another come in their order, those of several in any.
    void carry(const Replays& replays)
    {
        struct Buffer {
            std::size_t from, to;
            std::vector<std::int64_t> words;
        };
        std::vector<Buffer> underWay;
        const auto collect = [&](std::size_t at) {
            int to = 0;
            const void* bytes = nullptr;
            std::size_t size = 0;
            while (lp_replay_output(replays[at], &to, &bytes, &size)) {
                const auto* words = static_cast<const std::int64_t*>(bytes);
                underWay.push_back({at, std::size_t(to), {words, words + size / sizeof *words}});
            }
        };
        const auto goOn = [&] {
            for (std::size_t at = 0; at < replays.size(); ++at) {
                lp_replay_run(replays[at]);
                collect(at);
            }
            return !underWay.empty();
        };
        while (goOn())
            while (!underWay.empty()) {
                const Buffer& chosen = underWay[m_random() % underWay.size()];
                const auto first = std::find_if(underWay.begin(), underWay.end(), [&](const Buffer& one) {
                    return one.from == chosen.from && one.to == chosen.to;
                });
                const Buffer buffer = std::move(*first);
                underWay.erase(first);
                lp_replay_input(replays[buffer.to], int(buffer.from), buffer.words.data(), buffer.words.size() * 8);
                if (m_random() % 4 == 0) continue;  // more before it goes on
                lp_replay_run(replays[buffer.to]);
                collect(buffer.to);
            }
    }

    void replay()
    {
        constexpr std::uint32_t laneOfProcedure[] = {0, 1, 2, 3, 4};
        std::uint32_t lanes[procedureCount];
        for (std::uint32_t i = 0; i < procedureCount; ++i) lanes[i] = laneOf(laneOfProcedure[i]);
        Replays replays;
        for (std::size_t at = 0; at < m_ranks.size(); ++at)
            replays.push_back(lp_replay_begin(&m_ranks[at].log, int(at), m_lanes, lanes, procedureCount));
        carry(replays);
        const std::size_t words = lp_value_words(m_lanes);
        const std::uint32_t segments = lp_replay_segments(replays.front());
        std::vector<std::int32_t> winners(segments, 0);
        std::int64_t length = 0;
        for (std::uint32_t segment = 0; segment < segments; ++segment) {
            Value best(words, 0);
            for (std::size_t at = 0; at < replays.size(); ++at) {
                m_found.isConsistent &= lp_replay_run(replays[at]) && segments == lp_replay_segments(replays[at]);
                if (lp_value_merge(m_lanes, best.data(), lp_replay_values(replays[at]) + segment * words))
                    winners[segment] = std::int32_t(at);
            }
            for (std::size_t i = 0; i < words; ++i) m_found.total[i] += best[i];
            length += best[0];
        }
        for (lp_replay* replay : replays) lp_replay_trace(replay, winners.data());
        ;
        carry(replays);
        for (std::size_t at = 0; at < replays.size(); ++at) {
            std::uint32_t procedures = 0;
            const std::int64_t* profile = lp_replay_profile(replays[at], &procedures);
            for (std::uint32_t i = 0; i < std::min(procedures, procedureCount); ++i) {
                m_found.profile[i] += profile[i];
                m_found.ofRank[at] += profile[i];
                length -= profile[i];
            }
            m_found.ahead += lp_replay_ahead(replays[at]);
            m_found.isConsistent &= !lp_replay_has_failed(replays[at]) && !m_ranks[at].log.is_full;
            lp_replay_end(replays[at]);
        }
        m_found.isConsistent &= length == 0;
        m_found.ambiguous = 0;
        for (const Rank& rank : m_ranks) m_found.ambiguous += rank.log.ambiguous;
    }
};

// The logs of a few ranks, replayed in one process and in their order.
class Ranks {
public:
    explicit Ranks(std::size_t count, std::uint32_t most = 1u << 24) : m_logs(count)
    {
        for (lp_path_log& log : m_logs) lp_log_open(&log, int(count), most);
    }
    ~Ranks()
    {
        for (lp_path_log& log : m_logs) {
            lp_replay_forget(&log);
            lp_log_close(&log);
        }
    }
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    lp_path_log& operator[](std::size_t rank) { return m_logs[rank]; }
    void work(std::size_t rank, std::uint32_t procedure, std::int64_t ns) { lp_log_work(&m_logs[rank], procedure, ns); }
    void send(int from, int to, int tag) { lp_log_send(&m_logs[std::size_t(from)], {to, 0, 0, tag}); }
    void receive(int at, int from, int tag)
    {
        lp_path_log& log = m_logs[std::size_t(at)];
        lp_log_receive(&log, lp_log_post(&log, {from, 0, 0, tag}), from, tag);
    }
    void meet()
    {
        for (lp_path_log& log : m_logs) lp_log_meet(&log);
    }

    // The longest value of all ranks, added up over the segments; nothing if messages came from a later segment.
    Value replay(lp_lanes lanes)
    {
        const std::size_t words = lp_value_words(lanes);
        const std::uint32_t laneOf[] = {0, 1, 2, 3, 4};
        std::vector<lp_replay*> replays;
        for (std::size_t rank = 0; rank < m_logs.size(); ++rank)
            replays.push_back(lp_replay_begin(&m_logs[rank], int(rank), lanes, laneOf, procedureCount));
        for (bool goesOn = true; goesOn;) {
            goesOn = false;
            for (std::size_t rank = 0; rank < replays.size(); ++rank) {
                lp_replay_run(replays[rank]);
                int to = 0;
                const void* bytes = nullptr;
                std::size_t size = 0;
                while (lp_replay_output(replays[rank], &to, &bytes, &size)) {
                    lp_replay_input(replays[std::size_t(to)], int(rank), bytes, size);
                    goesOn = true;
                }
            }
        }
        Value total(words, 0);
        std::uint64_t ahead = 0;
        for (std::uint32_t segment = 0; segment < lp_replay_segments(replays.front()); ++segment) {
            Value best(words, 0);
            for (lp_replay* replay : replays)
                lp_value_merge(lanes, best.data(), lp_replay_values(replay) + segment * words);
            for (std::size_t i = 0; i < words; ++i) total[i] += best[i];
        }
        for (lp_replay* replay : replays) {
            ahead += lp_replay_ahead(replay);
            lp_replay_end(replay);
        }
        return ahead > 0 ? Value{} : total;
    }

private:
    std::vector<lp_path_log> m_logs;
};

}  // namespace

class TestPathReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void values();
    void papersExample();
    void manyChannels();
    void fullLog();
    void probeBehindOpenReceive();
    void manyOpenReceives();
    void manyCommunicators();
    void randomPrograms_data();
    void randomPrograms();
};

// Hollingsworth's pair (length, share) subtracted is the net, and each lane is a path of its own.
void TestPathReplay::values()
{
    const lp_lanes lanes{2, true};
    QCOMPARE(lp_value_words(lanes), std::size_t(5));
    std::int64_t a[5] = {}, b[5] = {};
    lp_value_add(lanes, a, 1, 10);
    lp_value_add(lanes, a, 0, 3);
    QVERIFY(std::equal(a, a + 5, Value{13, 10, 0, 3, 13}.begin()));
    lp_value_add(lanes, b, 2, 12);
    QVERIFY(!lp_value_merge(lanes, a, b));
    QVERIFY(std::equal(a, a + 5, Value{13, 10, 0, 12, 13}.begin()));
    lp_value_add(lanes, b, 0, 1);
    QVERIFY(!lp_value_merge(lanes, a, b));  // of equal ones the first stays
    QVERIFY(std::equal(a, a + 5, Value{13, 10, 0, 13, 13}.begin()));
    lp_value_add(lanes, b, 0, 1);
    QVERIFY(lp_value_merge(lanes, a, b));
    QVERIFY(std::equal(a, a + 5, Value{14, 0, 12, 14, 13}.begin()));
}

// The example H1: f, g and h are procedures 1, 2 and 3.
void TestPathReplay::papersExample()
{
    Ranks ranks(3);
    ranks.work(0, 1, 5);
    ranks.send(0, 1, 0);
    ranks.work(0, 2, 6);
    ranks.send(0, 2, 2);
    ranks.work(1, 2, 4);
    ranks.receive(1, 0, 0);
    ranks.work(1, 1, 3);
    ranks.send(1, 2, 1);
    ranks.work(2, 3, 7);
    ranks.receive(2, 1, 1);
    ranks.work(2, 3, 2);
    ranks.receive(2, 0, 2);
    ranks.work(2, 1, 1);
    ranks.meet();
    QCOMPARE(ranks.replay({3, true}), (Value{12, 6, 6, 0, 9, 11, 12}));
}

// A million channels, received in the opposite order.
void TestPathReplay::manyChannels()
{
    constexpr int channels = 1'000'000;
    Ranks ranks(2);
    for (int tag = 0; tag < channels; ++tag) {
        ranks.work(0, 1, 2);
        ranks.send(0, 1, tag);
    }
    for (int tag = channels; tag-- > 0;) {
        ranks.work(1, 2, 1);
        ranks.receive(1, 0, tag);
    }
    ranks.meet();
    // To the last message two a message; from there, its receiver's first, one a message but the last.
    QCOMPARE(ranks.replay({2, false}), (Value{3 * channels - 1, 2 * channels, channels - 1}));
    QVERIFY(!ranks[0].is_full && !ranks[1].is_full);
    ranks.send(1, 0, 1);  // goes on with what it knows
    ranks.receive(0, 1, 1);
    ranks.work(0, 1, 5);
    ranks.meet();
    QCOMPARE(ranks.replay({2, false}), (Value{5, 5, 0}));
}

// One rank's log has no room, so that the batch is left out on all; the next one is as if nothing had been.
void TestPathReplay::fullLog()
{
    Ranks ranks(2, 64);
    for (int i = 0; i < 100; ++i) {
        ranks.work(1, std::uint32_t(i % 2), 1);
        ranks.meet();
    }
    QVERIFY(ranks[1].is_full);
    for (std::size_t rank : {0, 1}) {
        lp_log_number(&ranks[rank]);
        lp_log_empty(&ranks[rank]);
    }
    ranks.work(0, 1, 3);
    ranks.send(0, 1, 4);
    ranks.receive(1, 0, 4);
    ranks.work(1, 2, 4);
    ranks.meet();
    QCOMPARE(ranks.replay({2, false}), (Value{7, 3, 4}));
}

// A probe finds the second message while a receive from anywhere, which has the first, is open. At the replay nothing
// says so; when the receive completes after it, the path is in doubt.
void TestPathReplay::probeBehindOpenReceive()
{
    Ranks ranks(2);
    ranks.work(0, 1, 1);
    ranks.send(0, 1, 4);
    ranks.work(0, 1, 10);
    ranks.send(0, 1, 4);
    const std::uint32_t any = lp_log_post(&ranks[1], {-1, 0, 0, -1});
    lp_log_peek(&ranks[1], {0, 0, 0, 4});
    ranks.work(1, 2, 5);
    ranks.meet();
    ranks.replay({2, false});
    QCOMPARE(ranks[1].ambiguous, std::uint64_t(0));
    lp_log_receive(&ranks[1], any, 0, 4);
    ranks.meet();
    ranks.replay({2, false});
    QCOMPARE(ranks[1].ambiguous, std::uint64_t(1));
}

// Receives from anywhere that are open at a meeting get their numbers in time that grows with their count.
void TestPathReplay::manyOpenReceives()
{
    constexpr int count = 200'000;
    Ranks ranks(2);
    std::vector<std::uint32_t> orders;
    for (int at = 0; at < count; ++at) orders.push_back(lp_log_post(&ranks[1], {-1, 0, 0, 4}));
    ranks.meet();
    ranks.replay({2, false});
    for (int at = 0; at < count; ++at) {
        ranks.work(0, 1, 2);
        ranks.send(0, 1, 4);
        lp_log_receive(&ranks[1], orders[std::size_t(at)], 0, 4);
        ranks.work(1, 2, 1);
    }
    ranks.meet();
    const QDeadlineTimer limit(5000);
    QCOMPARE(ranks.replay({2, false}), (Value{2 * count + 1, 2 * count, 1}));
    QVERIFY(!limit.hasExpired());
}

// One of a hundred thousand communicators is found at once, and those of all ranks share the list of their members.
void TestPathReplay::manyCommunicators()
{
    constexpr std::uint32_t count = 100'000;
    lp_path_log log{};
    QVERIFY(lp_log_open(&log, 2, 64));
    const std::int32_t both[] = {0, 1}, second[] = {1};
    QCOMPARE(lp_log_comm(&log, 0, 0, 2, 1, both), 0u);
    for (std::uint32_t serial = 1; serial < count; ++serial)
        QCOMPARE(lp_log_comm(&log, 0, serial, serial % 2 ? 2 : 1, 0, serial % 2 ? both : second), serial);
    QCOMPARE(log.comms[count - 1].members, log.comms[0].members);
    QVERIFY(log.comms[2].members != log.comms[0].members && *log.comms[2].members == 1);
    const QDeadlineTimer limit(2000);
    for (std::uint32_t serial = 0; serial < count; ++serial) {
        std::uint32_t number = count;
        QVERIFY(lp_log_comm_of(&log, 0, serial, &number) == &log.comms[serial]);
        QCOMPARE(number, serial);
    }
    std::uint32_t number = 0;
    QVERIFY(!lp_log_comm_of(&log, 1, 3, &number));
    QVERIFY(!limit.hasExpired());
    lp_log_close(&log);
}

void TestPathReplay::randomPrograms_data()
{
    QTest::addColumn<int>("lanes");
    QTest::addColumn<bool>("nets");
    QTest::newRow("length only") << 0 << false;
    QTest::newRow("shares") << 2 << false;
    QTest::newRow("shares and nets") << 4 << true;
}

void TestPathReplay::randomPrograms()
{
    QFETCH(int, lanes);
    QFETCH(bool, nets);
    int compared = 0, ambiguous = 0;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Machine machine(seed * 10 + std::uint64_t(lanes), {std::uint32_t(lanes), nets});
        machine.play(100 + int(seed % 500));
        const Found& found = machine.found();
        const QByteArray words = "seed " + QByteArray::number(qulonglong(seed));
        QVERIFY2(found.isConsistent, words.constData());
        QCOMPARE(found.ahead, std::uint64_t(0));
        ambiguous += found.ambiguous > 0;
        if (found.ambiguous > 0) continue;
        ++compared;
        QVERIFY2(found.total == machine.longest(), words.constData());
        for (int lane = 1; lane <= lanes; ++lane)
            QVERIFY2(found.profile[std::size_t(lane)] == found.total[std::size_t(lane)], words.constData());
    }
    QVERIFY2(compared > 2000, qPrintable(QString::number(compared)));
    QVERIFY2(ambiguous > 20, qPrintable(QString::number(ambiguous)));
}

LONGPOLE_TEST(TestPathReplay)
#include "tst_pathreplay.moc"
