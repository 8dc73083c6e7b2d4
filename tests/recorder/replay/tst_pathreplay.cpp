// SPDX-License-Identifier: GPL-3.0-or-later
// Paths that a few ranks find together from their logs, step by step: the paper's example, full logs, probes, and many
// channels, receives and communicators.
#include "recorder/replay/batchreplay.h"
#include "recorder/replay/pathlog.h"
#include "recorder/replay/pathreplay.h"
#include "recorder/replay/pathvalue.h"

#include "support/testmain.h"

#include <QDeadlineTimer>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <vector>

using namespace longpole::pathreplay;

namespace {

// The logs of a few ranks, replayed in one process and in their order.
class Ranks {
public:
    explicit Ranks(std::size_t count, std::uint32_t most = 1u << 24) : m_logs(count), m_buffers(count), m_ends(count)
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
        const lp_lane_set lanesOf[] = {0, 1, 2, 4, 8};
        std::vector<lp_replay*> replays;
        for (std::size_t rank = 0; rank < m_logs.size(); ++rank)
            replays.push_back(lp_replay_begin(&m_logs[rank], int(rank), lanes, lanesOf, procedureCount));
        for (bool goesOn = true; goesOn;) {
            goesOn = false;
            for (std::size_t rank = 0; rank < replays.size(); ++rank) {
                lp_replay_run(replays[rank]);
                int to = 0;
                const void* bytes = nullptr;
                std::size_t size = 0;
                while (lp_replay_output(replays[rank], &to, &bytes, &size)) {
                    lp_replay_input(replays[std::size_t(to)], int(rank), bytes, size);
                    ++m_buffers[rank];
                    ++m_buffers[std::size_t(to)];
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
        for (std::size_t rank = 0; rank < replays.size(); ++rank) {
            ahead += lp_replay_ahead(replays[rank]);
            m_ends[rank] = lp_replay_values(replays[rank])[0];
            lp_replay_end(replays[rank]);
        }
        return ahead > 0 ? Value{} : total;
    }

    // Of the last replay: how many buffers that rank sent and received, and the length of its first segment.
    int buffers(std::size_t rank) const { return m_buffers[rank]; }
    std::int64_t end(std::size_t rank) const { return m_ends[rank]; }

private:
    std::vector<lp_path_log> m_logs;
    std::vector<int> m_buffers;
    std::vector<std::int64_t> m_ends;
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
    void trees_data();
    void trees();
};

// Hollingsworth's pair (length, share) subtracted is the net, and each lane is a path of its own.
void TestPathReplay::values()
{
    const lp_lanes lanes{2, true, {0, 1}};
    QCOMPARE(lp_value_words(lanes), std::size_t(5));
    std::int64_t a[5] = {}, b[5] = {};
    lp_value_add(lanes, a, 1, 10);
    lp_value_add(lanes, a, 0, 3);
    QVERIFY(std::equal(a, a + 5, Value{13, 10, 0, 3, 13}.begin()));
    lp_value_add(lanes, b, lp_set_of_lane(2), 12);
    QVERIFY(!lp_value_merge(lanes, a, b));
    QVERIFY(std::equal(a, a + 5, Value{13, 10, 0, 12, 13}.begin()));
    lp_value_add(lanes, b, 0, 1);
    QVERIFY(!lp_value_merge(lanes, a, b));  // of equal ones the first stays
    QVERIFY(std::equal(a, a + 5, Value{13, 10, 0, 13, 13}.begin()));
    lp_value_add(lanes, b, 0, 1);
    QVERIFY(lp_value_merge(lanes, a, b));
    QVERIFY(std::equal(a, a + 5, Value{14, 0, 12, 14, 13}.begin()));

    // Half of a procedure's time: nets are twice as long. Work of two procedures at once is in both parts.
    const lp_lanes halves{2, true, {1, 2}};
    std::int64_t c[5] = {};
    lp_value_add(halves, c, lp_set_of_lane(1) | lp_set_of_lane(2), 10);
    lp_value_add(halves, c, lp_set_of_lane(2), 3);
    QVERIFY(std::equal(c, c + 5, Value{13, 10, 13, 16, 13}.begin()));
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
    QCOMPARE(ranks.replay({3, true, {0, 1}}), (Value{12, 6, 6, 0, 9, 11, 12}));
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
    QCOMPARE(ranks.replay({2, false, {0, 1}}),
             (Value{std::int64_t{3} * channels - 1, std::int64_t{2} * channels, channels - 1}));
    QVERIFY(!ranks[0].is_full && !ranks[1].is_full);
    ranks.send(1, 0, 1);  // goes on with what it knows
    ranks.receive(0, 1, 1);
    ranks.work(0, 1, 5);
    ranks.meet();
    QCOMPARE(ranks.replay({2, false, {0, 1}}), (Value{5, 5, 0}));
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
    QCOMPARE(ranks.replay({2, false, {0, 1}}), (Value{7, 3, 4}));
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
    ranks.replay({2, false, {0, 1}});
    QCOMPARE(ranks[1].ambiguous, std::uint64_t(0));
    lp_log_receive(&ranks[1], any, 0, 4);
    ranks.meet();
    ranks.replay({2, false, {0, 1}});
    QCOMPARE(ranks[1].ambiguous, std::uint64_t(1));
}

// Receives from anywhere that are open at a meeting get their numbers in time that grows with their count.
void TestPathReplay::manyOpenReceives()
{
    constexpr int count = 200'000;
    Ranks ranks(2);
    std::vector<std::uint32_t> orders;
    orders.reserve(count);
    for (int at = 0; at < count; ++at) orders.push_back(lp_log_post(&ranks[1], {-1, 0, 0, 4}));
    ranks.meet();
    ranks.replay({2, false, {0, 1}});
    for (int at = 0; at < count; ++at) {
        ranks.work(0, 1, 2);
        ranks.send(0, 1, 4);
        lp_log_receive(&ranks[1], orders[std::size_t(at)], 0, 4);
        ranks.work(1, 2, 1);
    }
    ranks.meet();
    const QDeadlineTimer limit(5000);
    QCOMPARE(ranks.replay({2, false, {0, 1}}), (Value{std::int64_t{2} * count + 1, std::int64_t{2} * count, 1}));
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

void TestPathReplay::trees_data()
{
    QTest::addColumn<int>("joining");
    QTest::addColumn<int>("root");
    const auto row = [](const char* name, lp_joining joining, int root) {
        QTest::newRow(name) << int(joining) << root;
    };
    row("all to all", LP_ALL_TO_ALL, 0);
    row("one to all", LP_ONE_TO_ALL, 0);
    row("one to all, from the middle", LP_ONE_TO_ALL, 150);
    row("all to one", LP_ALL_TO_ONE, 0);
    row("all to one, in the middle", LP_ALL_TO_ONE, 77);
    row("prefix", LP_PREFIX, 0);
}

// The member at place 150 works longer than all others before a call of 200, all the same behind it. No rank has more
// to send and receive than what a binomial tree has of branches, where one of a star would have 199 of them.
void TestPathReplay::trees()
{
    constexpr std::size_t size = 200, late = 150;
    constexpr int most = 2 * 9;
    QFETCH(int, joining);
    QFETCH(int, root);
    Ranks ranks(size);
    std::vector<std::int32_t> members(size);
    for (std::size_t place = 0; place < size; ++place) members[place] = std::int32_t(place * 7 % size);
    for (std::size_t place = 0; place < size; ++place) {
        const auto rank = std::size_t(members[place]);
        lp_path_log& log = ranks[rank];
        const std::uint32_t comm = lp_log_comm(&log, 0, 1, int(size), int(place), members.data());
        ranks.work(rank, 1, place == late ? 1000 : 1);
        const std::uint32_t call = lp_log_give(&log, comm, lp_joining(joining), root, true);
        lp_log_take(&log, comm, call, lp_joining(joining), root);
        ranks.work(rank, 1, 1);
    }
    ranks.meet();
    QCOMPARE(ranks.replay({0, false, {0, 1}}), (Value{1001}));
    for (std::size_t place = 0; place < size; ++place) {
        const bool isRoot = place == std::size_t(root);
        const bool waits = place == late || joining == LP_ALL_TO_ALL || (joining == LP_ALL_TO_ONE && isRoot)
                           || (joining == LP_PREFIX && place > late)
                           || (joining == LP_ONE_TO_ALL && std::size_t(root) == late);
        QCOMPARE(ranks.end(std::size_t(members[place])), waits ? 1001 : 2);
        const int buffers = ranks.buffers(std::size_t(members[place]));
        QVERIFY2(buffers > 0 && buffers <= most, qPrintable(QString::number(buffers)));
    }
}

LONGPOLE_TEST(TestPathReplay)
#include "tst_pathreplay.moc"
