// SPDX-License-Identifier: GPL-3.0-or-later
// The path of what ranks send one another: by the graph at level data, by the streaming algorithm, and by values that a
// drawn program carries along itself are the same integers.
#include "analysis/paths/pathquestions.h"
#include "analysis/streaming/storedtrace.h"
#include "analysis/whatif/whatifquestions.h"

#include "analysis/asked.h"
#include "support/mpi/mpiprogram.h"
#include "support/testmain.h"

#include "core/store/rows.h"

#include <QRandomGenerator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <numeric>

using namespace longpole;

class TestMpiStreaming : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void nothingComesFromAReceiver();
    void aReceiverIsNoMerge();
    void sharesOfADrawnRun();
    void randomPrograms_data();
    void randomPrograms();
    void partsOfARandomProgram();

private:
    QTemporaryDir m_folder;
};

namespace {

constexpr std::size_t regions = 3;
constexpr std::array<const char*, regions> regionNames = {"f", "g", "h"};

// The longest path to a place of a rank and, by region, the longest if that region cost nothing (docs/algorithms.md
// 2.6), moved along by the program itself.
struct PathValue {
    TimeNs length = 0;
    std::array<TimeNs, regions> nets{};
    void work(std::size_t region, TimeNs time)
    {
        length += time;
        for (std::size_t r = 0; r < regions; ++r)
            if (r != region) nets[r] += time;
    }
    void merge(const PathValue& other)
    {
        length = std::max(length, other.length);
        for (std::size_t r = 0; r < regions; ++r) nets[r] = std::max(nets[r], other.nets[r]);
    }
};

// Ranks that compute and call one another in rounds; each round ends at one time everywhere, so that nothing arrives
// before it was sent.
class CarryingProgram {
public:
    CarryingProgram(std::uint32_t ranks, std::uint32_t seed) : program(ranks), m_values(ranks), m_random(seed)
    {
        for (int round = 0; round < 30; ++round) {
            for (std::uint32_t rank = 0; rank < ranks; ++rank)
                if (m_random.bounded(4) != 0) compute(rank);
            call();
        }
        for (std::uint32_t rank = 0; rank < ranks; ++rank) compute(rank);
    }

    PathValue longest() const
    {
        PathValue value;
        for (const PathValue& ofRank : m_values) value.merge(ofRank);
        return value;
    }

    ScriptedMpi program;

private:
    std::uint32_t ranks() const { return static_cast<std::uint32_t>(m_values.size()); }
    TimeNs time(int most) { return m_random.bounded(3) == 0 ? 0 : m_random.bounded(most); }

    void compute(std::uint32_t rank)
    {
        const auto region = static_cast<std::size_t>(m_random.bounded(int(regions)));
        const TimeNs length = time(40);
        program.rank(rank).enter(regionNames[region]).compute(length).leave(regionNames[region]);
        m_values[rank].work(region, length);
    }

    // The time at which all members can leave a call that waits for all.
    TimeNs meet()
    {
        TimeNs latest = 0;
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) latest = std::max(latest, program.rank(rank).now());
        return latest + 1;
    }

    // Every rank makes one call; `members` gives those whose values come into a rank.
    template <typename Make, typename Sources>
    void all(Make make, Sources sources)
    {
        const TimeNs end = meet();
        const std::vector<PathValue> before = m_values;
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            make(rank, end + time(3) - program.rank(rank).now());
            for (std::uint32_t from = 0; from < ranks(); ++from)
                if (from != rank && sources(from, rank)) m_values[rank].merge(before[from]);
        }
    }

    void call()
    {
        const std::uint32_t root = m_random.bounded(ranks());
        const std::uint32_t shift = 1 + m_random.bounded(ranks() - 1);
        const auto to = [&](std::uint32_t rank) { return (rank + shift) % ranks(); };
        const auto from = [&](std::uint32_t rank) { return (rank + ranks() - shift) % ranks(); };
        const auto isFrom = [&](std::uint32_t source, std::uint32_t rank) { return source == from(rank); };
        switch (m_random.bounded(7)) {
        case 0:
            all([&](std::uint32_t rank, TimeNs length) { program.rank(rank).barrier(length); },
                [](std::uint32_t, std::uint32_t) { return true; });
            break;
        case 1:
            all([&](std::uint32_t rank, TimeNs length) { program.rank(rank).allreduce(8, length); },
                [](std::uint32_t, std::uint32_t) { return true; });
            break;
        case 2:
            all([&](std::uint32_t rank, TimeNs length) { program.rank(rank).bcast(int(root), 8, length); },
                [root](std::uint32_t source, std::uint32_t) { return source == root; });
            break;
        case 3:
            all([&](std::uint32_t rank, TimeNs length) { program.rank(rank).reduce(int(root), 8, length); },
                [root](std::uint32_t, std::uint32_t rank) { return rank == root; });
            break;
        case 4:
            all(
                [&](std::uint32_t rank, TimeNs length) {
                    program.rank(rank).sendrecv({.peer = to(rank), .bytes = 8}, {.peer = from(rank), .bytes = 8},
                                                length);
                },
                isFrom);
            break;
        case 5: exchange(to, from); break;
        default: sendOne(root, to(root)); break;
        }
    }

    // Sends and receives are posted, some work is done, and then all is waited for.
    template <typename To, typename From>
    void exchange(To to, From from)
    {
        std::vector<PathValue> sent;
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            sent.push_back(m_values[rank]);
            program.rank(rank).isend(m_requests, {.peer = to(rank), .bytes = 8}, time(2));
            program.rank(rank).irecv(m_requests + 1, {.peer = from(rank), .bytes = 8}, time(2));
            compute(rank);
        }
        const TimeNs end = meet();
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            program.rank(rank).waitall({m_requests, m_requests + 1}, end + time(3) - program.rank(rank).now());
            m_values[rank].merge(sent[from(rank)]);
        }
        m_requests += 2;
    }

    // A synchronous send: its sender waits for the receiver, and takes no path from it.
    void sendOne(std::uint32_t sender, std::uint32_t receiver)
    {
        const TimeNs end = std::max(program.rank(sender).now(), program.rank(receiver).now()) + 1;
        program.rank(sender).ssend(receiver, 1, 8, end + time(3) - program.rank(sender).now());
        program.rank(receiver).recv(sender, 1, 8, end + time(3) - program.rank(receiver).now());
        m_values[receiver].merge(m_values[sender]);
    }

    std::vector<PathValue> m_values;
    QRandomGenerator m_random;
    std::int64_t m_requests = 0;
};

EntryId entryNamed(const TraceStore& store, const QString& name)
{
    for (const Entry& entry : store.entries())
        if (entry.name == name) return entry.id;
    return noEntry;
}

CriticalPath pathAt(const std::shared_ptr<const TraceStore>& store, EdgeLevel edges, TimeRange part = {})
{
    const auto path = asked(store, PathQuestion{.edges = edges, .part = part});
    return path.ok() ? **path : CriticalPath{};
}

}  // namespace

// Rank 0 works 10 and sends to rank 1, which receives after 50: its sender waits, and works 20 more. Only by the wait
// does the path have the receiver's 50 and the sender's 20.
void TestMpiStreaming::nothingComesFromAReceiver()
{
    ScriptedMpi program(2);
    program.rank(0).enter("f").compute(10).leave("f").ssend(1, 0, 8, 42).enter("f").compute(20).leave("f");
    program.rank(1).enter("g").compute(50).leave("g").recv(0, 0, 8, 3);
    const auto store = importedProgram(program, m_folder.path());
    QVERIFY(store);
    QCOMPARE(pathAt(store, EdgeLevel::Order).length, 70);
    const CriticalPath data = pathAt(store, EdgeLevel::Data);
    QCOMPARE(data.length, 50);
    QCOMPARE(data.edges, EdgeLevel::Data);
    const auto streamed = streamingPath(*store, {.range = store->info().range()}, Progress{});
    QVERIFY(streamed.ok());
    QCOMPARE(streamed->length, 50);
    QCOMPARE(streamed->leftInFlight, 0);
    int rendezvous = 0;
    auto sources = store->rows<TaskSourceRow>(TaskSourceRow::All);
    for (const TaskSourceRow& source : sources)
        if (source.link() == Link::Rendezvous) ++rendezvous;
    QCOMPARE(rendezvous, 1);
}

// A Sendrecv waits for what it receives and for the receiver of what it sends; where the latter posted last, the former
// is the merge.
void TestMpiStreaming::aReceiverIsNoMerge()
{
    ScriptedMpi program(3);
    const auto exchange = [&](std::uint32_t rank, TimeNs length) {
        program.rank(rank).sendrecv({.peer = (rank + 1) % 3, .bytes = 8}, {.peer = (rank + 2) % 3, .bytes = 8}, length);
    };
    program.rank(0).enter("f").compute(10).leave("f");
    exchange(0, 31);
    program.rank(0).enter("f").compute(5).leave("f");
    program.rank(1).enter("g").compute(40).leave("g");
    exchange(1, 2);
    program.rank(2).enter("h").compute(30).leave("h");
    exchange(2, 13);
    program.rank(2).enter("h").compute(9).leave("h");
    const auto store = importedProgram(program, m_folder.path());
    QVERIFY(store);
    // Rank 0 has the data of rank 2 (30), and waited for rank 1 (40) to receive; rank 2 has that of rank 1.
    QCOMPARE(pathAt(store, EdgeLevel::Order).length, 49);
    QCOMPARE(pathAt(store, EdgeLevel::Data).length, 49);
    const auto tasks = asked(store, HeadsQuestion{.edges = EdgeLevel::Data});
    const auto all = asked(store, HeadsQuestion{.edges = EdgeLevel::Order});
    QVERIFY(tasks.ok() && all.ok());
    QVERIFY(std::accumulate((*tasks)->head.begin(), (*tasks)->head.end(), TimeNs{0})
            < std::accumulate((*all)->head.begin(), (*all)->head.end(), TimeNs{0}));
}

void TestMpiStreaming::sharesOfADrawnRun()
{
    ScriptedMpi program(2);
    program.rank(0).enter("f").compute(30).leave("f").send(1, 0, 8, 2).enter("g").compute(4).leave("g").barrier(40);
    program.rank(1).enter("g").compute(10).leave("g").recv(0, 0, 8, 25).enter("h").compute(20).leave("h").barrier(21);
    const auto store = importedProgram(program, m_folder.path());
    QVERIFY(store);
    StreamingRequest request{.zeroing = true, .range = store->info().range()};
    for (const char* name : regionNames) request.procedures.push_back({entryNamed(*store, QString::fromLatin1(name))});
    const auto streamed = streamingPath(*store, request, Progress{});
    QVERIFY(streamed.ok());
    QCOMPARE(streamed->length, 50);
    QCOMPARE(streamed->shares, (std::vector<TimeNs>{30, 0, 20}));
    QCOMPARE(streamed->rest, 0);
    QCOMPARE(streamed->nets, (std::vector<TimeNs>{30, 50, 34}));
}

void TestMpiStreaming::randomPrograms_data()
{
    QTest::addColumn<std::uint32_t>("seed");
    for (std::uint32_t seed = 1; seed <= 200; ++seed) QTest::addRow("%u", seed) << seed;
}

void TestMpiStreaming::randomPrograms()
{
    QFETCH(std::uint32_t, seed);
    CarryingProgram carrying(2 + seed % 5, seed);
    const PathValue carried = carrying.longest();
    const auto store = importedProgram(carrying.program, m_folder.path());
    QVERIFY(store);
    QVERIFY(std::none_of(store->issues().begin(), store->issues().end(),
                         [](const Issue& issue) { return issue.kind == issueIdentifier(IssueKind::NegativeLatency); }));

    const CriticalPath path = pathAt(store, EdgeLevel::Data);
    QCOMPARE(path.length, carried.length);
    QVERIFY(path.length <= pathAt(store, EdgeLevel::Order).length);

    StreamingRequest request{.zeroing = true, .range = store->info().range()};
    for (const char* name : regionNames) request.procedures.push_back({entryNamed(*store, QString::fromLatin1(name))});
    const auto streamed = streamingPath(*store, request, Progress{});
    QVERIFY(streamed.ok());
    QCOMPARE(streamed->length, carried.length);
    QCOMPARE(std::accumulate(streamed->shares.begin(), streamed->shares.end(), streamed->rest), carried.length);
    QCOMPARE(streamed->leftInFlight, 0);
    QCOMPARE(streamed->lost, 0);
    QCOMPARE(streamed->dropped, 0);

    std::vector<WhatIf> changes;
    for (const std::vector<EntryId>& procedure : request.procedures) changes.push_back({procedure});
    const auto nets = asked(store, WhatIfQuestion{.model = {.edges = EdgeLevel::Data}, .changes = changes});
    QVERIFY(nets.ok());
    for (std::size_t r = 0; r < regions; ++r) {
        if (request.procedures[r].front() == noEntry) continue;
        QCOMPARE(streamed->nets[r], carried.nets[r]);
        QCOMPARE((**nets)[r].net, carried.nets[r]);
    }
}

// As the part of a run is by the graph: a run of its own.
void TestMpiStreaming::partsOfARandomProgram()
{
    CarryingProgram carrying(4, 77);
    const auto store = importedProgram(carrying.program, m_folder.path());
    QVERIFY(store);
    const TimeRange run = store->info().range();
    for (const int percent : {10, 35, 60}) {
        const TimeRange part{run.begin + run.length() / 100 * percent, run.begin + run.length() / 100 * (percent + 30)};
        const auto streamed = streamingPath(*store, {.range = part}, Progress{});
        QVERIFY(streamed.ok());
        QCOMPARE(streamed->length, pathAt(store, EdgeLevel::Data, part).length);
    }
}

LONGPOLE_TEST(TestMpiStreaming)
#include "tst_mpistreaming.moc"
