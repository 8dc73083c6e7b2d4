// SPDX-License-Identifier: GPL-3.0-or-later
// Hollingsworth's streaming algorithm against the offline one, on his own terms: processes, procedures, messages.
#include "analysis/paths/criticalpath.h"
#include "analysis/streaming/longestpath.h"

#include "analysis/streamprogram.h"

#include "support/testmain.h"

#include <QTest>

#include <map>
#include <numeric>
#include <random>

using namespace longpole;
using namespace longpole::test;

class TestStreamingPath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void workedExample_data();
    void workedExample();
    void clockIsSetWhereTheLocalPathWins();
    void messageCarriesActiveTime();
    void zeroingAddsTimeAndFlushesFirst();
    void recursionCountsOnce();
    void exclusiveAndInclusive();
    void tieRules();
    void profileOfTheExactPathAddsUp();
    void randomPrograms_data();
    void randomPrograms();
    void samplesNeverFall();
    void fourCasesOfStarting();
    void startedPrograms();
    void stoppedStaysAsItIs();
    void broadcastIsFreedAtItsLastReceiver();
    void receivedBeforeItWasSent();
    void inFlightLikeAMap();
};

namespace {

constexpr std::int64_t f = 0, g = 1, h = 2, other = 9;

Event work(std::uint32_t p, TimeNs time) { return {p, Happens::Work, time}; }
Event enter(std::uint32_t p, std::int64_t procedure) { return {p, Happens::Enter, procedure}; }
Event leave(std::uint32_t p) { return {p, Happens::Leave, 0}; }
Event send(std::uint32_t p, std::int64_t message, std::uint32_t receivers = 1)
{
    return {p, Happens::Send, message, receivers};
}
Event receive(std::uint32_t p, std::int64_t message) { return {p, Happens::Receive, message}; }

// A whole call: enter, work, leave.
void call(StreamProgram& program, std::uint32_t p, std::int64_t procedure, TimeNs time)
{
    for (const Event& event : {enter(p, procedure), work(p, time), leave(p)}) program.events.push_back(event);
}

// H1. P0: f5, m0 to P1, g6, m2 to P2. P1: g4, receives m0, f3, m1 to P2. P2: h7, receives m1, h2, receives m2, f1.
StreamProgram workedProgram()
{
    StreamProgram program{.processes = 3, .procedures = 3, .events = {}};
    call(program, 0, f, 5);
    program.events.push_back(send(0, 0));
    call(program, 1, g, 4);
    program.events.push_back(receive(1, 0));
    call(program, 1, f, 3);
    program.events.push_back(send(1, 1));
    call(program, 0, g, 6);
    call(program, 2, h, 7);
    program.events.push_back(receive(2, 1));
    call(program, 2, h, 2);
    program.events.push_back(send(0, 2));
    program.events.push_back(receive(2, 2));
    call(program, 2, f, 1);
    return program;
}

// The reading after all events.
PathReading readingOf(const StreamProgram& program, const StreamingShape& shape = {})
{
    Feeder feeder(program, shape);
    feeder.feedAll();
    return feeder.path.reading();
}

std::vector<TimeNs> netsOf(const StreamProgram& program, StreamingShape shape = {})
{
    shape.zeroing = true;
    Feeder feeder(program, shape);
    feeder.feedAll();
    return feeder.path.netLengths();
}

using NetTimes = std::vector<TimeNs>;

}  // namespace

void TestStreamingPath::workedExample_data()
{
    QTest::addColumn<ShareKind>("shares");
    QTest::newRow("exclusive") << ShareKind::Exclusive;
    QTest::newRow("inclusive") << ShareKind::Inclusive;
}

void TestStreamingPath::workedExample()
{
    QFETCH(ShareKind, shares);
    const StreamProgram program = workedProgram();
    const PathReading reading = readingOf(program, {.shares = shares});
    QCOMPARE(reading.length, 12);
    QCOMPARE(reading.process, 2u);
    QCOMPARE(reading.shares, (NetTimes{6, 6, 0}));
    QCOMPARE(reading.rest, 0);
    QCOMPARE(netsOf(program, {.shares = shares}), (NetTimes{9, 11, 12}));
}

// Figure 3, Recv, sets lastTime only where the remote path wins: 10 + 5 would become 25 here.
void TestStreamingPath::clockIsSetWhereTheLocalPathWins()
{
    const StreamProgram program{.processes = 2,
                                .procedures = 1,
                                .events = {work(1, 3), send(1, 0), work(0, 10), receive(0, 0), work(0, 5)}};
    QCOMPARE(readingOf(program).length, 15);
    // Where it loses, what was worked before must not be added to the remote path.
    const StreamProgram remote{.processes = 2,
                               .procedures = 1,
                               .events = {work(1, 30), send(1, 0), work(0, 10), receive(0, 0), work(0, 5)}};
    QCOMPARE(readingOf(remote).length, 35);
}

// Figure 3, Send, adds to names that do not exist ("funcLonest"): the share is sent, with the time of a call that has
// not returned yet, and goes on from there at the sender.
void TestStreamingPath::messageCarriesActiveTime()
{
    const StreamProgram program{.processes = 2,
                                .procedures = 1,
                                .events = {enter(0, f), work(0, 4), send(0, 0), work(0, 2), receive(1, 0), work(1, 10),
                                           leave(0), work(0, 1)}};
    const PathReading reading = readingOf(program);
    QCOMPARE(reading.length, 14);
    QCOMPARE(reading.shares, NetTimes{4});
    Feeder feeder(program, {});
    feeder.feedAll();
    QCOMPARE(feeder.path.longest(0), 7);
}

// Figure 5 replaces the length by the time since the last event instead of adding it, and compares net lengths before
// the time of the active procedure is added.
void TestStreamingPath::zeroingAddsTimeAndFlushesFirst()
{
    const StreamProgram added{.processes = 2,
                              .procedures = 1,
                              .events = {work(0, 8), send(0, 1), work(0, 2), work(1, 7), send(1, 0), receive(0, 0)}};
    QCOMPARE(netsOf(added), NetTimes{10});  // not 7, over the message, as 2 < 7
    // P0 is inside f: its net length is 2, that of the message 5.
    const StreamProgram flushed{.processes = 2,
                                .procedures = 1,
                                .events = {work(0, 2), enter(0, f), work(0, 8), work(1, 5), send(1, 0), receive(0, 0),
                                           leave(0), work(0, 1)}};
    QCOMPARE(netsOf(flushed), NetTimes{6});
    QCOMPARE(readingOf(flushed).length, 11);
}

void TestStreamingPath::recursionCountsOnce()
{
    // f calls f: the inner return must not stop the clock of the outer call.
    const StreamProgram program{.processes = 1,
                                .procedures = 2,
                                .events = {enter(0, f), work(0, 1), enter(0, f), work(0, 2), leave(0), work(0, 4),
                                           enter(0, g), work(0, 8), leave(0), leave(0), work(0, 16)}};
    const PathReading inclusive = readingOf(program, {.shares = ShareKind::Inclusive});
    QCOMPARE(inclusive.shares, (NetTimes{15, 8}));
    QCOMPARE(inclusive.rest, 16);
    const PathReading exclusive = readingOf(program);
    QCOMPARE(exclusive.shares, (NetTimes{7, 8}));
    QCOMPARE(exclusive.rest, 16);
}

void TestStreamingPath::exclusiveAndInclusive()
{
    // f calls a procedure that is not asked for, which calls g.
    const StreamProgram program{.processes = 1,
                                .procedures = 2,
                                .events = {enter(0, f), work(0, 1), enter(0, other), work(0, 2), enter(0, g),
                                           work(0, 4), leave(0), work(0, 8), leave(0), work(0, 16), leave(0),
                                           work(0, 32)}};
    const PathReading exclusive = readingOf(program);
    QCOMPARE(exclusive.length, 63);
    QCOMPARE(exclusive.shares, (NetTimes{17, 4}));
    QCOMPARE(exclusive.rest, 42);
    const PathReading inclusive = readingOf(program, {.shares = ShareKind::Inclusive});
    QCOMPARE(inclusive.shares, (NetTimes{31, 4}));
    QCOMPARE(inclusive.rest, 32);
    QCOMPARE(netsOf(program), (NetTimes{46, 59}));
    QCOMPARE(netsOf(program, {.shares = ShareKind::Inclusive}), (NetTimes{32, 59}));
}

// Two equally long paths: the paper keeps the local one; workPath() goes on over the message, but ends where the length
// was reached first.
void TestStreamingPath::tieRules()
{
    StreamProgram program{.processes = 2, .procedures = 2, .events = {}};
    call(program, 0, f, 5);
    call(program, 1, g, 5);
    program.events.push_back(send(1, 0));
    program.events.push_back(receive(0, 0));
    QCOMPARE(readingOf(program).shares, (NetTimes{5, 0}));
    QCOMPARE(readingOf(program, {.ties = TieRule::MessageWins}).shares, (NetTimes{5, 0}));
    program.events.push_back(work(0, 1));
    QCOMPARE(readingOf(program).shares, (NetTimes{5, 0}));
    const PathReading reading = readingOf(program, {.ties = TieRule::MessageWins});
    QCOMPARE(reading.shares, (NetTimes{0, 5}));
    QCOMPARE(reading.rest, 1);
}

// Figure 2's second pass has the names of the two nodes swapped (and adds a "length" that nodes do not have): every
// step would take from the profile what it should add. The exact algorithm is what we compare with; so check it.
void TestStreamingPath::profileOfTheExactPathAddsUp()
{
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<RawTask> tasks;
        std::array<TimeNs, 3> free{};
        std::array<std::uint32_t, 3> count{};
        for (int i = 0; i < 12; ++i) {
            const std::uint32_t pe = random() % 3;
            RawTask task{.id = {ProcessorId{pe}, count[pe]++},
                         .begin = free[pe] + static_cast<TimeNs>(random() % 3),
                         .duration = static_cast<TimeNs>(random() % 6),
                         .entry = EntryId{std::uint32_t(random() % 4)}};
            if (!tasks.empty()) {
                const RawTask& source = tasks[random() % tasks.size()];
                if (source.begin < task.begin) task.source = source.id;
                task.offset = static_cast<TimeNs>(random() % 6);
            }
            free[pe] = task.begin + task.duration;
            tasks.push_back(task);
        }
        const auto graph = makeActivityGraph(tasks, {0, *std::max_element(free.begin(), free.end())}, 3);
        const auto path = workPath(*graph, workHeads(*graph, EdgeLevel::Order, Progress{}));
        QVERIFY(path.ok());
        TimeNs sum = 0;
        for (const PathProfileRow& row : path->profile) {
            QVERIFY(row.time >= 0);
            sum += row.time;
        }
        QCOMPARE(sum, path->length);
        for (const PathStep& step : path->steps) QVERIFY(step.weight() >= 0);
    }
}

void TestStreamingPath::randomPrograms_data()
{
    QTest::addColumn<ShareKind>("shares");
    QTest::addColumn<TieRule>("ties");
    QTest::newRow("exclusive, local wins") << ShareKind::Exclusive << TieRule::LocalWins;
    QTest::newRow("exclusive, message wins") << ShareKind::Exclusive << TieRule::MessageWins;
    QTest::newRow("inclusive, local wins") << ShareKind::Inclusive << TieRule::LocalWins;
    QTest::newRow("inclusive, message wins") << ShareKind::Inclusive << TieRule::MessageWins;
}

void TestStreamingPath::randomPrograms()
{
    QFETCH(ShareKind, shares);
    QFETCH(TieRule, ties);
    for (unsigned seed = 0; seed < 3000; ++seed) {
        const StreamProgram program = randomProgram(seed);
        OfflinePath offline(program, shares, ties);
        const Offline expected = offline.find();
        const StreamingShape shape{.shares = shares, .ties = ties};
        const PathReading reading = readingOf(program, shape);
        QCOMPARE(reading.length, expected.length);
        QVERIFY2(reading.shares == expected.shares, qPrintable(QString::number(seed)));
        const TimeNs sum = std::accumulate(reading.shares.begin(), reading.shares.end(), reading.rest);
        if (shares == ShareKind::Exclusive) QCOMPARE(sum, reading.length);
        const std::vector<TimeNs> nets = netsOf(program, shape);
        for (std::uint32_t procedure = 0; procedure < program.procedures; ++procedure) {
            QCOMPARE(nets[procedure], offline.find(procedure).length);
            QVERIFY(nets[procedure] <= reading.length);
            QVERIFY(reading.length - nets[procedure] <= reading.shares[procedure]);
        }
    }
}

void TestStreamingPath::samplesNeverFall()
{
    for (unsigned seed = 0; seed < 500; ++seed) {
        const StreamProgram program = randomProgram(seed);
        Feeder feeder(program, {});
        TimeNs length = 0;
        for (const Event& event : program.events) {
            feeder.feed(event);
            feeder.catchUp();
            const PathReading sample = feeder.path.reading();
            QVERIFY(sample.length >= length);
            QCOMPARE(std::accumulate(sample.shares.begin(), sample.shares.end(), sample.rest), sample.length);
            length = sample.length;
        }
        QCOMPARE(length, readingOf(program).length);
    }
}

// Section 2.3.
void TestStreamingPath::fourCasesOfStarting()
{
    const StreamProgram program{.processes = 3, .procedures = 1, .events = {}};
    Feeder feeder(program, {.startsAtOnce = false});
    const auto feed = [&feeder](std::initializer_list<Event> events) {
        for (const Event& event : events) feeder.feed(event);
        feeder.catchUp();
    };
    // (1) Without path data, to a process that is not computing: nothing.
    feed({work(0, 100), send(0, 0), send(0, 1), receive(1, 0)});
    QCOMPARE(feeder.path.reading().length, 0);
    feed({work(1, 50)});
    QCOMPARE(feeder.path.longest(1), 0);
    // (4) Without path data, to one that is: nothing either.
    feed({{2, Happens::Start}, enter(2, f), work(2, 3), receive(2, 1), work(2, 2)});
    QCOMPARE(feeder.path.longest(2), 5);
    QCOMPARE(feeder.path.inFlight().unsettled(), std::size_t(0));
    // (3) With path data, to one that is not: it starts there, in the middle of what it does.
    feed({send(2, 2), enter(0, f), work(0, 7), receive(0, 2), work(0, 4)});
    QCOMPARE(feeder.path.longest(0), 9);
    QCOMPARE(feeder.path.longest(1), 0);
    // (2) With path data, to one that is: the longer one.
    feed({work(2, 20), send(2, 3), receive(0, 3), work(0, 1)});
    QCOMPARE(feeder.path.longest(0), 26);
    QCOMPARE(feeder.path.reading().shares, NetTimes{26});
    // The instruction to start comes too late then.
    feed({{0, Happens::Start}});
    QCOMPARE(feeder.path.longest(0), 26);
}

// Only work that some start happened before counts (Chandy and Lamport's consistent cut).
void TestStreamingPath::startedPrograms()
{
    int partly = 0;
    for (unsigned seed = 0; seed < 3000; ++seed) {
        const StreamProgram program = randomProgram(seed, true);
        std::vector<bool> counts;
        std::vector<bool> hasStarted(program.processes);
        std::map<std::int64_t, bool> carries;
        for (const Event& event : program.events) {
            const bool brings = event.kind == Happens::Receive && carries[event.what];
            if (event.kind == Happens::Start || brings) hasStarted[event.process] = true;
            if (event.kind == Happens::Send) carries[event.what] = hasStarted[event.process];
            counts.push_back(hasStarted[event.process]);
        }
        OfflinePath offline(program, ShareKind::Exclusive, TieRule::LocalWins);
        const Offline expected = offline.find(noProcedure, counts);
        const PathReading reading = readingOf(program, {.startsAtOnce = false});
        QCOMPARE(reading.length, expected.length);
        QCOMPARE(reading.shares, expected.shares);
        if (reading.length > 0 && reading.length < readingOf(program).length) ++partly;
        const std::vector<TimeNs> nets = netsOf(program, {.startsAtOnce = false});
        for (std::uint32_t procedure = 0; procedure < program.procedures; ++procedure)
            QCOMPARE(nets[procedure], offline.find(procedure, counts).length);
    }
    QVERIFY(partly > 500);
}

void TestStreamingPath::stoppedStaysAsItIs()
{
    const StreamProgram program{.processes = 2, .procedures = 1, .events = {work(0, 5), work(1, 9), send(1, 0)}};
    Feeder feeder(program, {});
    feeder.feedAll();
    feeder.path.stop(0, 6);
    feeder.path.advance(0, 60);
    QVERIFY(feeder.path.receive(0, 0, 70));
    feeder.path.start(0, 80);
    feeder.path.send(0, 1, 1, 90);
    QCOMPARE(feeder.path.longest(0), 6);
    QCOMPARE(feeder.path.inFlight().size(), std::size_t(0));  // message 1 carries nothing
}

void TestStreamingPath::broadcastIsFreedAtItsLastReceiver()
{
    const StreamProgram program{.processes = 4,
                                .procedures = 1,
                                .events = {work(0, 5), send(0, 0, 4), work(0, 5), send(0, 1)}};
    Feeder feeder(program, {});
    feeder.feedAll();
    const InFlightMessages& inFlight = feeder.path.inFlight();
    QCOMPARE(inFlight.size(), std::size_t(2));
    for (std::uint32_t p = 0; p < 4; ++p) {
        QCOMPARE(inFlight.size(), std::size_t(2));
        QVERIFY(feeder.path.receive(p, 0, p == 0 ? 10 : 0));
        QCOMPARE(feeder.path.longest(p), p == 0 ? 10 : 5);
    }
    QCOMPARE(inFlight.size(), std::size_t(1));
    QVERIFY(!feeder.path.receive(1, 0, 11));
    QVERIFY(feeder.path.receive(2, 1, 11));
    QCOMPARE(inFlight.size(), std::size_t(0));
    QCOMPARE(inFlight.unsettled(), std::size_t(0));
    QCOMPARE(inFlight.mostAtOnce(), std::size_t(2));
    // What is sent later takes their room.
    feeder.path.send(0, 2, 1, 12);
    QCOMPARE(inFlight.mostAtOnce(), std::size_t(2));
}

void TestStreamingPath::receivedBeforeItWasSent()
{
    StreamingPath path({.processes = 3, .procedures = 1});
    path.enter(0, f, 0);
    path.advance(0, 6);
    path.receiveEarly(1, 0, 0, 2);
    QCOMPARE(path.longest(1), 6);
    path.send(0, 0, 2, 8);
    QCOMPARE(path.inFlight().size(), std::size_t(1));
    QVERIFY(path.receive(2, 0, 0));
    QCOMPARE(path.longest(2), 8);
    QCOMPARE(path.inFlight().unsettled(), std::size_t(0));
    path.miss(7);
    QCOMPARE(path.inFlight().unsettled(), std::size_t(1));
    path.send(0, 7, 1, 9);  // the only receiver did without
    QCOMPARE(path.inFlight().unsettled(), std::size_t(0));
    QVERIFY(!path.receive(2, 7, 0));
}

void TestStreamingPath::inFlightLikeAMap()
{
    std::mt19937 random(3);
    InFlightMessages inFlight(2);
    std::map<MessageKey, std::pair<int, TimeNs>> expected;
    for (int step = 0; step < 200'000; ++step) {
        const MessageKey key = (MessageKey{random() % 4} << 32) | random() % 400;
        const auto known = expected.find(key);
        if (random() % 2 == 0 && known == expected.end()) {
            const auto receivers = static_cast<std::uint32_t>(1 + random() % 3);
            const bool hasValue = random() % 4 != 0;
            const std::span<TimeNs> value = inFlight.add(key, receivers, hasValue);
            QCOMPARE(value.empty(), !hasValue);
            for (TimeNs& number : value) number = step;
            expected[key] = {receivers, hasValue ? step : -1};
        } else {
            const InFlightMessages::Taken taken = inFlight.take(key);
            QCOMPARE(taken.isKnown, known != expected.end());
            if (!taken.isKnown) continue;
            QCOMPARE(taken.value.empty() ? -1 : taken.value[1], known->second.second);
            if (--known->second.first == 0) expected.erase(known);
        }
    }
    QCOMPARE(inFlight.unsettled(), expected.size());
}

LONGPOLE_TEST(TestStreamingPath)
#include "tst_streamingpath.moc"
