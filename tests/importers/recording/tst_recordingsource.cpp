// SPDX-License-Identifier: GPL-3.0-or-later
// A recording as a source of events: calls with what they send and receive, threads, regions, functions and
// communicators of several ranks.
#include "core/store/tracestore.h"
#include "importers/recording/recordedranks.h"
#include "importers/recording/source.h"
#include "recorder/format/format.h"
#include "support/mpi/haloexchange.h"
#include "support/mpi/recorded.h"
#include "support/testmain.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

#include <iterator>
#include <thread>

using namespace longpole;

namespace {

lp_call peerCall(lp_call_id id, std::int64_t begin, std::int64_t end, std::int32_t peer, std::uint32_t request = 0)
{
    lp_call call = madeCall(id, begin, end);
    call.comm = 0;
    call.peer = peer;
    call.tag = 5;
    call.bytes = 64;
    call.request = request;
    return call;
}

void putLoop(lp_call_id id, std::int64_t begin, std::int64_t end, bool isEnded)
{
    const lp_polling_loop loop{begin, end, static_cast<std::uint16_t>(id), isEnded, 17, 0};
    lp_put_polling(&loop);
    lp_put_failed_polls(static_cast<std::uint16_t>(id), 17, end);
}

}  // namespace

using Body = std::function<void()>;
Q_DECLARE_METATYPE(Body)

extern "C" std::int64_t lp_now() { return HaloExchange::now; }
extern "C" __attribute__((noinline)) void testedFunction(int* value) { ++*value; }

class TestRecordingSource : public QObject, private RecordedRanks {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void givesWhatCallsDo_data();
    void givesWhatCallsDo();
    void givesThreadsTheirOwnLocations();
    void givesJoinedCallsAsTheyWere_data();
    void givesJoinedCallsAsTheyWere();
    void endsRegionsWhileRecordingPauses();
    void showsTheCallThatARankHungIn();
    void writesBetweenACallAndTheNext();
    void namesFunctions_data();
    void namesFunctions();
    void knowsCommunicatorsAcrossRanks();
};

void TestRecordingSource::init()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
    begin();
}

void TestRecordingSource::givesWhatCallsDo_data()
{
    QTest::addColumn<Body>("body");
    QTest::addColumn<QStringList>("events");
    const auto row = [](const char* name, const Body& body, std::initializer_list<const char*> lines) {
        QStringList events;
        for (const char* line : lines) events << QString::fromLatin1(line);
        QTest::newRow(name) << body << events;
    };
    row("send", [] { putCall(peerCall(LP_Send, 10, 20, 1)); },
        {"10 MPI_Send", "send -1 MPI_COMM_WORLD to 1 tag 5 bytes 64", "20 end"});
    row("synchronous", [] { putCall(peerCall(LP_Ssend, 10, 20, 1)); },
        {"10 MPI_Ssend", "send -1 MPI_COMM_WORLD to 1 tag 5 bytes 64 synchronous", "20 end"});
    row("receive", [] { putCall(peerCall(LP_Recv, 10, 20, 1)); },
        {"10 MPI_Recv", "received -1 MPI_COMM_WORLD from 1 tag 5 bytes 64", "20 end"});
    row("send and receive",
        [] {
            lp_call call = peerCall(LP_Sendrecv, 10, 20, 1);
            call.peer2 = 0;
            call.tag2 = 6;
            call.bytes2 = 8;
            putCall(call);
        },
        {"10 MPI_Sendrecv", "send -1 MPI_COMM_WORLD to 1 tag 5 bytes 64",
         "received -1 MPI_COMM_WORLD from 0 tag 6 bytes 8", "20 end"});
    row("nobody",
        [] {
            putCall(peerCall(LP_Send, 10, 20, LP_NO_RANK));
            putCall(peerCall(LP_Recv, 30, 40, LP_NO_RANK));
        },
        {"10 MPI_Send", "20 end", "30 MPI_Recv", "40 end"});
    row("non-blocking",
        [] {
            putCall(peerCall(LP_Irecv, 10, 11, 1, 1));
            putCall(peerCall(LP_Issend, 12, 13, 1, 2));
            putCall(madeCall(LP_Waitall, 14, 15),
                    {{LP_RECV_DONE, 1, 0, 1, 9, 32, false}, {LP_SEND_DONE, 2, 0, 0, 0, 0, false}});
        },
        {"10 MPI_Irecv", "post 1", "11 end", "12 MPI_Issend", "send 2 MPI_COMM_WORLD to 1 tag 5 bytes 64 synchronous",
         "13 end", "14 MPI_Waitall", "received 1 MPI_COMM_WORLD from 1 tag 9 bytes 32", "sent 2", "15 end"});
    row("non-blocking with nobody",
        [] {
            putCall(peerCall(LP_Irecv, 10, 11, LP_NO_RANK, 1));
            putCall(peerCall(LP_Isend, 12, 13, LP_NO_RANK, 2));
            putCall(madeCall(LP_Waitall, 14, 15),
                    {{LP_RECV_DONE, 1, 0, -1, -1, 0, false}, {LP_SEND_DONE, 2, 0, 0, 0, 0, false}});
        },
        {"10 MPI_Irecv", "post 1", "11 end", "12 MPI_Isend", "13 end", "14 MPI_Waitall", "nothing 1", "15 end"});
    row("persistent",
        [] {
            putCall(peerCall(LP_Send_init, 1, 2, 1));
            putCall(madeCall(LP_Startall, 10, 11),
                    {{LP_SSEND_STARTED, 1, 0, 1, 3, 4, false}, {LP_RECV_STARTED, 2, 0, 1, 3, 4, false}});
            putCall(madeCall(LP_Wait, 14, 15), {{LP_CANCELLED, 2, 0, 0, 0, 0, false}});
            putCall(madeCall(LP_Request_free, 16, 17), {{LP_FREED, 1, 0, 0, 0, 0, false}});
        },
        {"1 MPI_Send_init", "2 end", "10 MPI_Startall", "send 1 MPI_COMM_WORLD to 1 tag 3 bytes 4 synchronous",
         "post 2", "11 end", "14 MPI_Wait", "cancelled 2", "15 end", "16 MPI_Request_free", "cancelled 1", "17 end"});
    row("collective",
        [] {
            lp_call bcast = peerCall(LP_Bcast, 10, 11, 1);
            bcast.bytes2 = 32;
            putCall(bcast);
            putCall(peerCall(LP_Iallreduce, 12, 13, LP_NO_RANK, 7));
            putCall(madeCall(LP_Wait, 14, 15), {{LP_COLLECTIVE_DONE, 7, 0, 0, 0, 0, false}});
            putCall(peerCall(LP_Comm_split, 16, 17, LP_NO_RANK));
        },
        {"10 MPI_Bcast", "collective -1 MPI_COMM_WORLD root 1 bytes 64>32", "11 end", "12 MPI_Iallreduce",
         "collective 7 MPI_COMM_WORLD root -1 bytes 64>0", "13 end", "14 MPI_Wait", "collected 7", "15 end",
         "16 MPI_Comm_split", "collective -1 MPI_COMM_WORLD root -1 bytes 0>0", "17 end"});
    row("lifetime", [] { putCall(madeCall(LP_Init, 10, 11)); },
        {"10 MPI_Init", "collective -1 MPI_COMM_WORLD root -1 bytes 0>0", "11 end"});
    row("regions",
        [] {
            const std::uint32_t region = lp_region("solve");
            lp_put_region(true, region, 10);
            lp_put_region(false, lp_region("solve"), 20);
        },
        {"10 enter solve", "20 leave solve"});
    row("probes",
        [] {
            putCall(peerCall(LP_Probe, 10, 20, 1));
            putCall(peerCall(LP_Improbe, 30, 40, 0));
            putCall(peerCall(LP_Probe, 50, 60, LP_NO_RANK));
        },
        {"10 MPI_Probe", "probed MPI_COMM_WORLD from 1 tag 5", "20 end", "30 MPI_Improbe",
         "probed MPI_COMM_WORLD from 0 tag 5 takes", "40 end", "50 MPI_Probe", "60 end"});
    row("a loop of polls and the one that ended it",
        [] {
            putCall(peerCall(LP_Irecv, 1, 2, 1, 1));
            putLoop(LP_Test, 10, 30, true);
            putCall(madeCall(LP_Test, 31, 35), {{LP_RECV_DONE, 1, 0, 1, 9, 32, false}});
            putCall(peerCall(LP_Send, 40, 41, 1));
        },
        {"1 MPI_Irecv", "post 1", "2 end", "10 MPI_Test", "polled", "30 Failed polls = 17",
         "received 1 MPI_COMM_WORLD from 1 tag 9 bytes 32", "35 end", "40 MPI_Send",
         "send -1 MPI_COMM_WORLD to 1 tag 5 bytes 64", "41 end"});
    row("a loop of polls, then a longer wait",
        [] {
            putLoop(LP_Testany, 10, 13, true);
            putCall(madeCall(LP_Wait, 14, 30));
        },
        {"10 MPI_Wait", "polled", "13 Failed polls = 17", "30 end"});
    row("loops that no completion ended",
        [] {
            putLoop(LP_Test, 10, 13, true);
            putCall(peerCall(LP_Send, 14, 15, 1));  // what it sends leaves at 14
            putLoop(LP_Iprobe, 20, 23, false);
            putCall(madeCall(LP_Test, 40, 41));
        },
        {"10 MPI_Test", "polled", "13 Failed polls = 17", "13 end", "14 MPI_Send",
         "send -1 MPI_COMM_WORLD to 1 tag 5 bytes 64", "15 end", "20 MPI_Iprobe", "polled", "23 end",
         "23 Failed polls = 17", "40 MPI_Test", "41 end"});
    row("polls", [] { lp_put_failed_polls(LP_Test, 17, 10); }, {"10 Failed polls = 17"});
}

void TestRecordingSource::givesWhatCallsDo()
{
    QFETCH(Body, body);
    QFETCH(QStringList, events);
    record(2, [&](int rank) {
        if (rank == 0) body();
    });
    Opened opened(folder());
    QVERIFY2(opened.source != nullptr, qPrintable(toText(opened.error)));
    QCOMPARE(opened.events(), events);
    QCOMPARE(opened.issues(), QStringList());
}

void TestRecordingSource::givesThreadsTheirOwnLocations()
{
    record(2, [](int rank) {
        putCall(madeCall(LP_Barrier, 1, 2));
        std::thread([rank] { putCall(madeCall(LP_Test, 3, 4 + rank)); }).join();
    });
    Opened opened(folder());
    const std::vector<MpiLocation>& locations = opened.source->names().locations;
    QCOMPARE(locations.size(), std::size_t(4));
    QCOMPARE(locations[1].name, QStringLiteral("Rank 1"));
    QVERIFY(locations[1].kind == TrackKind::Rank && locations[1].rank == 1 && locations[1].hasEvents);
    QCOMPARE(locations[3].name, QStringLiteral("Thread 1"));
    QVERIFY(locations[3].kind == TrackKind::Thread && locations[3].rank == 1);
    QCOMPARE(opened.events(1).size(), 2);
    QCOMPARE(opened.events(3), (QStringList{QStringLiteral("3 MPI_Test"), QStringLiteral("5 end")}));
}

// Whatever is joined, all calls keep their times and names, so that no figure differs.
void TestRecordingSource::givesJoinedCallsAsTheyWere_data()
{
    QTest::addColumn<QByteArray>("compression");
    for (const char* compression : {"off", "min"}) QTest::newRow(compression) << QByteArray(compression);
}

void TestRecordingSource::givesJoinedCallsAsTheyWere()
{
    QFETCH(QByteArray, compression);
    const auto body = [](int rank) {
        lp_call both = peerCall(LP_Sendrecv, 10, 12, 1 - rank);
        both.peer2 = 1 - rank;
        both.bytes2 = 8;
        putCall(both);
        putCall(peerCall(LP_Irecv, 14, 15, 1 - rank, 1));
        putLoop(LP_Test, 20, 40, true);
        putCall(madeCall(LP_Test, 41, 42), {{LP_RECV_DONE, 1, 0, 1 - rank, 5, 64, false}});
        putCall(peerCall(LP_Send, 45, 50, 1 - rank));
        putCall(peerCall(LP_Bcast, 60, 90, 1));  // longer than what follows it
        putCall(peerCall(LP_Allreduce, 95, 100, LP_NO_RANK));
        putCall(peerCall(LP_Barrier, 300, 310, LP_NO_RANK));
        lp_put_region(true, lp_region("solve"), 320);
        putCall(peerCall(LP_Reduce, 330, 340, 0));
        lp_put_region(false, lp_region("solve"), 350);
    };
    QStringList events[2][2], issues[2];
    for (const bool isJoined : {false, true}) {
        Settings settings{{"COMPRESSION", compression}};
        if (isJoined) settings["THRESHOLD"] = "100ns";
        record(2, body, settings);
        Opened opened(folder());
        for (const std::size_t rank : {0u, 1u}) events[isJoined][rank] = opened.events(rank);
        issues[isJoined] = opened.issues();
        QVERIFY(events[isJoined][0].contains(QStringLiteral("95 MPI_Allreduce")));
    }
    QCOMPARE(events[1][0], events[0][0]);
    QCOMPARE(events[1][1], events[0][1]);
    QCOMPARE(issues[1], issues[0]);
}

void TestRecordingSource::endsRegionsWhileRecordingPauses()
{
    record(1, [](int) {
        const std::uint32_t outer = lp_region("outer");
        const std::uint32_t inner = lp_region("inner");
        lp_put_region(true, outer, 1);
        lp_put_region(true, inner, 2);
        lp_switch(false, 3);
        lp_put_region(false, inner, 4);  // not recorded
        lp_switch(true, 5);
        lp_put_region(true, inner, 6);
        lp_put_region(false, inner, 7);
        lp_put_region(false, outer, 8);  // began before the pause
        lp_switch(false, 9);
    });
    Opened opened(folder());
    const QStringList expected{QStringLiteral("1 enter outer"),         QStringLiteral("2 enter inner"),
                               QStringLiteral("3 leave inner"),         QStringLiteral("3 leave outer"),
                               QStringLiteral("3 enter Recording off"), QStringLiteral("5 leave Recording off"),
                               QStringLiteral("6 enter inner"),         QStringLiteral("7 leave inner"),
                               QStringLiteral("9 enter Recording off"), QStringLiteral("9 leave Recording off")};
    QCOMPARE(opened.events(), expected);
}

// Polls are put when the call after them has ended, and any record may be the one that fills the buffer.
void TestRecordingSource::writesBetweenACallAndTheNext()
{
    constexpr int calls = 6000;
    record(1,
           [](int) {
               for (int i = 0; i < calls; ++i) {
                   HaloExchange::now = 100 * i + 90;
                   lp_put_failed_polls(LP_Test, 1, 100 * i + 10);
                   putCall(madeCall(LP_Barrier, 100 * i + 20, 100 * i + 30));
               }
           },
           {{"BUFFER", "64K"}});
    Opened opened(folder());
    int written = 0;
    for (const QString& line : opened.events()) {
        if (!line.endsWith(QStringLiteral("enter Recorder"))) continue;
        ++written;
        QCOMPARE(line.section(u' ', 0, 0).toInt() % 100, 90);
    }
    QVERIFY2(written > 4, qPrintable(QString::number(written)));
    QCOMPARE(opened.issues(), QStringList());
}

void TestRecordingSource::showsTheCallThatARankHungIn()
{
    const int status = runRecorded(folder(), {}, [] {
        lp_open(0, 1, 1);
        lp_begin(LP_Barrier);
    });
    QCOMPARE(status, 0);
    Opened opened(folder());
    const QStringList events = opened.events();
    QCOMPARE(events.size(), 1);
    QVERIFY(events[0].endsWith(QStringLiteral(" MPI_Barrier")));
    QCOMPARE(opened.issues(), (QStringList{QStringLiteral("missing_index"), QStringLiteral("open_recording")}));
}

void TestRecordingSource::namesFunctions_data()
{
    QTest::addColumn<bool>("killed");
    QTest::newRow("by the recorder") << false;
    QTest::newRow("by the importer") << true;
}

void TestRecordingSource::namesFunctions()
{
    QFETCH(bool, killed);
    record(1, [killed](int) {
        const std::uint32_t region = lp_function(reinterpret_cast<const void*>(&testedFunction));
        lp_put_region(true, region, 1);
        lp_put_region(false, region, 2);
        if (killed) _exit(0);
    });
    Opened opened(folder());
    QCOMPARE(opened.events(),
             (QStringList{QStringLiteral("1 enter testedFunction"), QStringLiteral("2 leave testedFunction")}));
    const auto& regions = opened.source->names().regions;
    const auto found = std::find_if(regions.begin(), regions.end(), [](const MpiRegion& region) {
        return region.name == QLatin1String("testedFunction");
    });
    QVERIFY(found != regions.end());
    QCOMPARE(found->group, QFileInfo(QCoreApplication::applicationFilePath()).fileName());
}

void TestRecordingSource::knowsCommunicatorsAcrossRanks()
{
    record(3, [](int rank) {
        const std::int32_t members[] = {2, 0};
        const std::int32_t self[] = {rank};
        if (rank != 1) lp_put_comm(std::uint32_t(5 + rank), 2, 9, "pair", 2, members);
        lp_put_comm(1, rank, 0xffffffff, "MPI_COMM_SELF", 1, self);
        lp_call barrier = madeCall(LP_Barrier, 1, 2);
        barrier.comm = rank == 1 ? 1 : std::uint32_t(5 + rank);
        putCall(barrier);
    });
    Opened opened(folder());
    const auto& comms = opened.source->names().communicators;
    QCOMPARE(comms.size(), std::size_t(3));
    QCOMPARE(comms[0].members, (std::vector<std::uint32_t>{0, 1, 2}));
    QVERIFY(comms[1].isSelf);
    QCOMPARE(comms[2].name, QStringLiteral("pair"));
    QCOMPARE(comms[2].members, (std::vector<std::uint32_t>{2, 0}));
    QCOMPARE(opened.events(0)[1], QStringLiteral("collective -1 pair root -1 bytes 0>0"));
    QCOMPARE(opened.events(1)[1], QStringLiteral("collective -1 MPI_COMM_SELF root -1 bytes 0>0"));
    QCOMPARE(opened.events(2)[1], QStringLiteral("collective -1 pair root -1 bytes 0>0"));
}

LONGPOLE_TEST(TestRecordingSource)
#include "tst_recordingsource.moc"
