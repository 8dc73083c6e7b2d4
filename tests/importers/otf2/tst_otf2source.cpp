// SPDX-License-Identifier: GPL-3.0-or-later
// OTF2 records in, MPI events out: archives written by the OTF2 library itself.
#include "core/base/limits.h"

#include "importers/otf2/sourcerun.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <limits>

using namespace longpole;

class TestOtf2Source : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void givesCallsWithTheirMessages();
    void givesRequests();
    void givesRanksOfTheWorld();
    void seesTheOtherGroupOfAnInterCommunicator();
    void givesCollectives();
    void countsHandlesOfInitOnce();
    void findsOutWhatNonBlockingCollectivesAre();
    void makesCallsForLoneRecords();
    void closesRegionsByStack();
    void keepsInnerCallsAsRegions();
    void tellsKindsOfRegions_data();
    void tellsKindsOfRegions();
    void unwindsCallingContexts();
    void boundsTheStepsBetweenCallingContexts();
    void sharesTheStepsAmongLocations();
};

void TestOtf2Source::givesCallsWithTheirMessages()
{
    SourceRun run;
    run.archive.mpi(2);
    const OTF2_RegionRef ssend = run.call("MPI_Ssend");
    const OTF2_RegionRef recv = run.call("MPI_Recv");
    run.archive.enter(0, 10, run.main);
    run.archive.enter(0, 20, ssend);
    OTF2_EvtWriter_MpiSend(run.archive.events(0), nullptr, 20, 1, 0, 7, 100);
    run.archive.leave(0, 30, ssend);
    run.archive.leave(0, 40, run.main);
    run.archive.enter(1, 15, recv);
    OTF2_EvtWriter_MpiRecv(run.archive.events(1), nullptr, 35, 0, 0, 7, 100);
    run.archive.leave(1, 36, recv);
    QCOMPARE(run.read(),
             linesFrom("10 enter main|20 begin MPI_Ssend|ssend -1 comm 0 to 1 tag 7 bytes 100|30 end|40 leave main"));
    QCOMPARE(run.lines(1), linesFrom("15 begin MPI_Recv|received -1 comm 0 from 0 tag 7 bytes 100|36 end"));
    QCOMPARE(run.source->names().info.begin, 10);
    QCOMPARE(run.logs.locations[0].first, 10);
    QCOMPARE(run.logs.locations[0].last, 40);
    const std::map<std::string, std::int64_t> counts = {{"ENTER", 3}, {"LEAVE", 3}, {"MPI_SEND", 1}, {"MPI_RECV", 1}};
    QCOMPARE(run.logs.counts(), counts);
    QCOMPARE(run.logs.issues(), QStringList());
}

void TestOtf2Source::givesRequests()
{
    SourceRun run;
    run.archive.mpi(2);
    const OTF2_RegionRef isend = run.call("MPI_Isend");
    const OTF2_RegionRef irecv = run.call("MPI_Irecv");
    const OTF2_RegionRef wait = run.call("MPI_Waitall");
    OTF2_EvtWriter* events = run.archive.events(0);
    run.archive.enter(0, 1, isend);
    OTF2_EvtWriter_MpiIsend(events, nullptr, 1, 1, 0, 3, 8, 11);
    run.archive.leave(0, 2, isend);
    run.archive.enter(0, 3, irecv);
    OTF2_EvtWriter_MpiIrecvRequest(events, nullptr, 3, 12);
    OTF2_EvtWriter_MpiIrecvRequest(events, nullptr, 3, 13);
    run.archive.leave(0, 4, irecv);
    run.archive.enter(0, 5, wait);
    OTF2_EvtWriter_MpiRequestTest(events, nullptr, 6, 12);
    OTF2_EvtWriter_MpiIrecv(events, nullptr, 7, 1, 0, 4, 16, 12);
    OTF2_EvtWriter_MpiIsendComplete(events, nullptr, 7, 11);
    OTF2_EvtWriter_MpiRequestCancelled(events, nullptr, 7, 13);
    run.archive.leave(0, 8, wait);
    QCOMPARE(run.read(),
             linesFrom("1 begin MPI_Isend|send 11 comm 0 to 1 tag 3 bytes 8|2 end|3 begin MPI_Irecv|post 12|"
                       "post 13|4 end|5 begin MPI_Waitall|received 12 comm 0 from 1 tag 4 bytes 16|sent 11|"
                       "cancelled 13|8 end"));
    QCOMPARE(run.logs.counts().at("MPI_REQUEST_TEST"), 1);
    QCOMPARE(run.logs.issues(), QStringList());
}

void TestOtf2Source::givesRanksOfTheWorld()
{
    SourceRun run;
    run.archive.mpi(4);
    const OTF2_GroupRef odd = run.archive.group(OTF2_GROUP_TYPE_COMM_GROUP, {3, 0});
    const OTF2_CommRef pair = run.archive.comm(QStringLiteral("pair"), odd);
    const OTF2_GroupRef global = run.archive.group(OTF2_GROUP_TYPE_COMM_GROUP, {3, 0}, OTF2_PARADIGM_MPI,
                                                   OTF2_GROUP_FLAG_GLOBAL_MEMBERS);
    const OTF2_CommRef named = run.archive.comm(QStringLiteral("global"), global);
    const OTF2_GroupRef threads = run.archive.group(OTF2_GROUP_TYPE_COMM_GROUP, {0, 1}, OTF2_PARADIGM_OPENMP);
    const OTF2_CommRef team = run.archive.comm(QStringLiteral("team"), threads);
    const OTF2_RegionRef send = run.call("MPI_Send");
    OTF2_EvtWriter* events = run.archive.events(0);
    run.archive.enter(0, 1, send);
    OTF2_EvtWriter_MpiSend(events, nullptr, 1, 0, pair, 0, 1);
    OTF2_EvtWriter_MpiSend(events, nullptr, 1, 3, named, 0, 1);
    OTF2_EvtWriter_MpiSend(events, nullptr, 1, 0, 1, 0, 1);     // MPI_COMM_SELF
    OTF2_EvtWriter_MpiSend(events, nullptr, 1, 2, pair, 0, 1);  // it has two ranks
    OTF2_EvtWriter_MpiSend(events, nullptr, 1, 0, team, 0, 1);
    OTF2_EvtWriter_MpiSend(events, nullptr, 1, 0, 99, 0, 1);
    run.archive.leave(0, 2, send);
    QCOMPARE(run.read(),
             linesFrom("1 begin MPI_Send|send -1 comm 2 to 3 tag 0 bytes 1|send -1 comm 3 to 3 tag 0 bytes 1|"
                       "send -1 comm 1 to 0 tag 0 bytes 1|2 end"));
    QCOMPARE(run.logs.issues(), linesFrom("rank_out_of_range 3"));
    const std::vector<MpiCommunicator>& communicators = run.source->names().communicators;
    QCOMPARE(communicators.size(), 4u);  // none of threads
    QCOMPARE(communicators[0].members, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    QVERIFY(communicators[1].isSelf);
    QCOMPARE(communicators[2].members, (std::vector<std::uint32_t>{3, 0}));
}

void TestOtf2Source::seesTheOtherGroupOfAnInterCommunicator()
{
    SourceRun run;
    run.archive.mpi(4);
    const OTF2_GroupRef first = run.archive.group(OTF2_GROUP_TYPE_COMM_GROUP, {1, 0});
    const OTF2_GroupRef second = run.archive.group(OTF2_GROUP_TYPE_COMM_GROUP, {3, 2});
    const OTF2_CommRef inter = run.archive.interComm(QStringLiteral("inter"), first, second);
    const OTF2_RegionRef send = run.call("MPI_Send");
    const OTF2_RegionRef bcast = run.call("MPI_Bcast");
    for (const OTF2_LocationRef rank : {0u, 3u}) {
        run.archive.enter(rank, 1, send);
        OTF2_EvtWriter_MpiSend(run.archive.events(rank), nullptr, 1, 0, inter, 0, 1);
        run.archive.leave(rank, 2, send);
        run.archive.enter(rank, 3, bcast);
        const std::uint32_t root = rank == 0 ? std::uint32_t(OTF2_COLLECTIVE_ROOT_SELF) : 1;
        OTF2_EvtWriter_MpiCollectiveEnd(run.archive.events(rank), nullptr, 4, OTF2_COLLECTIVE_OP_BCAST, inter, root, 8,
                                        0);
        run.archive.leave(rank, 5, bcast);
    }
    const char* lines =
        "1 begin MPI_Send|send -1 comm 2 to %1 tag 0 bytes 1|2 end|3 begin MPI_Bcast|"
        "collective -1 comm 2 root 0 bytes %2|5 end";
    QCOMPARE(run.read(), QString::fromLatin1(lines).arg(3).arg(QStringLiteral("8>0")).split(u'|'));
    QCOMPARE(run.lines(3), QString::fromLatin1(lines).arg(1).arg(QStringLiteral("0>0")).split(u'|'));
    QCOMPARE(run.source->names().communicators[2].members, (std::vector<std::uint32_t>{1, 0, 3, 2}));
}

void TestOtf2Source::givesCollectives()
{
    SourceRun run;
    run.archive.mpi(2);
    const OTF2_RegionRef reduce = run.call("MPI_Reduce");
    OTF2_EvtWriter* events = run.archive.events(0);
    run.archive.enter(0, 1, reduce);
    OTF2_EvtWriter_MpiCollectiveBegin(events, nullptr, 1);
    OTF2_EvtWriter_MpiCollectiveEnd(events, nullptr, 5, OTF2_COLLECTIVE_OP_REDUCE, 0, 1, 8, 16);
    run.archive.leave(0, 6, reduce);
    QCOMPARE(run.read(), linesFrom("1 begin MPI_Reduce|collective -1 comm 0 root 1 bytes 8>0|6 end"));
}

// MPI_Init and MPI_Finalize are collective on the world; that some writers record the making of MPI_COMM_WORLD in them
// adds nothing.
void TestOtf2Source::countsHandlesOfInitOnce()
{
    SourceRun run;
    run.archive.mpi(2);
    const OTF2_RegionRef init = run.call("MPI_Init_thread");
    const OTF2_RegionRef dup = run.call("MPI_Comm_dup");
    for (const OTF2_RegionRef region : {init, dup}) {
        const OTF2_TimeStamp time = OTF2_TimeStamp{region} * 10;
        run.archive.enter(0, time, region);
        OTF2_EvtWriter_MpiCollectiveBegin(run.archive.events(0), nullptr, time);
        OTF2_EvtWriter_MpiCollectiveEnd(run.archive.events(0), nullptr, time + 1, OTF2_COLLECTIVE_OP_CREATE_HANDLE, 0,
                                        OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        run.archive.leave(0, time + 2, region);
    }
    QCOMPARE(run.read(), linesFrom("10 begin MPI_Init_thread|collective -1 comm 0 root -1 bytes 0>0|12 end|"
                                   "20 begin MPI_Comm_dup|collective -1 comm 0 root -1 bytes 0>0|22 end"));
}

// Their start names the request alone; a request may be used again.
void TestOtf2Source::findsOutWhatNonBlockingCollectivesAre()
{
    SourceRun run;
    run.archive.mpi(2);
    const OTF2_RegionRef ibcast = run.call("MPI_Ibcast");
    const OTF2_RegionRef wait = run.call("MPI_Wait");
    OTF2_EvtWriter* events = run.archive.events(0);
    for (const OTF2_TimeStamp time : {10, 20}) {
        run.archive.enter(0, time, ibcast);
        OTF2_EvtWriter_NonBlockingCollectiveRequest(events, nullptr, time, 5);
        run.archive.leave(0, time + 1, ibcast);
        run.archive.enter(0, time + 2, wait);
        OTF2_EvtWriter_NonBlockingCollectiveComplete(events, nullptr, time + 3, OTF2_COLLECTIVE_OP_BCAST,
                                                     time == 10 ? 0 : 1, 0, time, 1, 5);
        run.archive.leave(0, time + 4, wait);
    }
    run.archive.enter(0, 30, ibcast);
    OTF2_EvtWriter_NonBlockingCollectiveRequest(events, nullptr, 30, 6);  // never completed
    run.archive.leave(0, 31, ibcast);
    QCOMPARE(run.read(),
             linesFrom("10 begin MPI_Ibcast|collective 5 comm 0 root 0 bytes 9>0|11 end|12 begin MPI_Wait|"
                       "completed 5|14 end|20 begin MPI_Ibcast|collective 5 comm 1 root 0 bytes 19>0|21 end|"
                       "22 begin MPI_Wait|completed 5|24 end|30 begin MPI_Ibcast|31 end"));
}

void TestOtf2Source::makesCallsForLoneRecords()
{
    SourceRun run;
    run.archive.mpi(2);
    run.archive.enter(0, 1, run.main);
    OTF2_EvtWriter_MpiSend(run.archive.events(0), nullptr, 2, 1, 0, 0, 1);
    OTF2_EvtWriter_MpiCollectiveEnd(run.archive.events(0), nullptr, 3, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    run.archive.leave(0, 4, run.main);
    QCOMPARE(run.read(), linesFrom("1 enter main|2 begin MPI_Send|send -1 comm 0 to 1 tag 0 bytes 1|2 end|"
                                   "3 begin MPI_Barrier|collective -1 comm 0 root -1 bytes 0>0|3 end|4 leave main"));
    QCOMPARE(run.logs.issues(), linesFrom("record_outside_call 2"));
}

void TestOtf2Source::closesRegionsByStack()
{
    SourceRun run;
    run.archive.mpi(1);
    const OTF2_RegionRef inner = run.archive.region(QStringLiteral("inner"));
    const OTF2_RegionRef barrier = run.call("MPI_Barrier");
    run.archive.leave(0, 1, inner);  // never entered
    run.archive.enter(0, 2, run.main);
    run.archive.enter(0, 3, inner);
    run.archive.leave(0, 4, run.main);
    run.archive.enter(0, 5, barrier);
    run.archive.leave(0, 6, inner);
    run.archive.leave(0, 7, run.main);
    QCOMPARE(run.read(), linesFrom("2 enter main|3 enter inner|4 leave inner|5 begin MPI_Barrier|6 end|7 leave main"));
    QCOMPARE(run.logs.issues(), linesFrom("leave_without_enter 1|region_mismatch 2"));
}

void TestOtf2Source::keepsInnerCallsAsRegions()
{
    SourceRun run;
    run.archive.mpi(2);
    const OTF2_RegionRef sendrecv = run.call("MPI_Sendrecv");
    const OTF2_RegionRef send = run.call("MPI_Send");
    run.archive.enter(0, 1, sendrecv);
    run.archive.enter(0, 2, send);
    OTF2_EvtWriter_MpiSend(run.archive.events(0), nullptr, 2, 1, 0, 0, 1);
    run.archive.leave(0, 3, send);
    run.archive.enter(0, 4, run.main);
    run.archive.leave(0, 5, run.main);
    run.archive.leave(0, 6, sendrecv);
    QCOMPARE(run.read(), linesFrom("1 begin MPI_Sendrecv|2 enter MPI_Send|send -1 comm 0 to 1 tag 0 bytes 1|"
                                   "3 leave MPI_Send|4 enter main|5 leave main|6 end"));
}

void TestOtf2Source::tellsKindsOfRegions_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("paradigm");
    QTest::addColumn<int>("role");
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("group");
    const auto row = [](const char* name, int paradigm, int role, const char* file, MpiRegionKind kind,
                        const char* shown, const char* group) {
        QTest::addRow("%s of paradigm %d", name, paradigm)
            << QString::fromLatin1(name) << paradigm << role << QString::fromLatin1(file) << int(kind)
            << QString::fromLatin1(shown) << QString::fromLatin1(group);
    };
    constexpr int function = OTF2_REGION_ROLE_FUNCTION;
    using enum MpiRegionKind;
    row("solve", OTF2_PARADIGM_COMPILER, function, "/home/me/solver.c", User, "solve", "solver.c");
    row("solve", OTF2_PARADIGM_USER, function, "", User, "solve", "User");
    row("MPI_Bcast", OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_COLL_ONE2ALL, "MPI", Mpi, "MPI_Bcast", "MPI");
    row("MPI_Send()", OTF2_PARADIGM_UNKNOWN, function, "", Mpi, "MPI_Send", "Other");
    row("mpi_send_", OTF2_PARADIGM_COMPILER, function, "", Mpi, "mpi_send_", "Functions");
    row("MPItrace", OTF2_PARADIGM_USER, function, "", User, "MPItrace", "User");
    row("TRACE BUFFER FLUSH", OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_ROLE_ARTIFICIAL, "", Measurement,
        "TRACE BUFFER FLUSH", "Measurement");
    row("MEASUREMENT OFF", OTF2_PARADIGM_USER, OTF2_REGION_ROLE_ARTIFICIAL, "", Measurement, "MEASUREMENT OFF", "User");
    row("!$omp for @x.c:3", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_LOOP, "", User, "!$omp for @x.c:3", "OpenMP");
    row("!$omp barrier", OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_IMPLICIT_BARRIER, "", Runtime, "!$omp barrier",
        "OpenMP");
    row("cudaMalloc", OTF2_PARADIGM_CUDA, function, "", Runtime, "cudaMalloc", "CUDA");
    row("pthread_join", OTF2_PARADIGM_PTHREAD, OTF2_REGION_ROLE_THREAD_WAIT, "", Runtime, "pthread_join",
        "POSIX threads");
    row("of tomorrow", 77, 40, "", User, "of tomorrow", "Other");
    row("_ZN4math4normEv", OTF2_PARADIGM_COMPILER, function, "", User, "math::norm()", "Functions");
    row("_Zzz", OTF2_PARADIGM_COMPILER, function, "", User, "_Zzz", "Functions");
}

void TestOtf2Source::tellsKindsOfRegions()
{
    QFETCH(QString, name);
    QFETCH(int, paradigm);
    QFETCH(int, role);
    QFETCH(QString, file);
    SourceRun run;
    run.archive.mpi(1);
    run.archive.region(name, static_cast<OTF2_Paradigm>(paradigm), static_cast<OTF2_RegionRole>(role), file);
    run.archive.enter(0, 1, run.main);
    run.read();
    const MpiRegion& region = run.source->names().regions[1];
    QTEST(region.name, "shown");
    QTEST(region.group, "group");
    QTEST(int(region.kind), "kind");
}

// Samples show what was called; what is the same as before goes on, unless it was entered anew.
void TestOtf2Source::unwindsCallingContexts()
{
    SourceRun run;
    run.archive.mpi(1);
    const OTF2_RegionRef work = run.archive.region(QStringLiteral("work"));
    const OTF2_RegionRef barrier = run.call("MPI_Barrier");
    const OTF2_CallingContextRef inMain = run.archive.context(run.main);
    const OTF2_CallingContextRef inWork = run.archive.context(work, inMain);
    const OTF2_CallingContextRef deeper = run.archive.context(run.archive.region(QStringLiteral("leaf")), inWork);
    const OTF2_CallingContextRef inCall = run.archive.context(barrier, inMain);
    OTF2_EvtWriter* events = run.archive.events(0);
    OTF2_EvtWriter_CallingContextSample(events, nullptr, 10, inMain, 2, 0);
    OTF2_EvtWriter_CallingContextSample(events, nullptr, 20, deeper, 3, 0);
    OTF2_EvtWriter_CallingContextSample(events, nullptr, 30, deeper, 1, 0);  // still there
    OTF2_EvtWriter_CallingContextSample(events, nullptr, 40, deeper, 2, 0);  // called again
    OTF2_EvtWriter_CallingContextEnter(events, nullptr, 50, inCall, 2);
    OTF2_EvtWriter_CallingContextLeave(events, nullptr, 60, inCall);
    OTF2_EvtWriter_CallingContextEnter(events, nullptr, 70, inCall, 2);
    OTF2_EvtWriter_CallingContextLeave(events, nullptr, 80, inCall);
    OTF2_EvtWriter_CallingContextSample(events, nullptr, 90, inMain, 1, 0);
    QCOMPARE(run.read(),
             linesFrom("10 enter main|20 enter work|20 enter leaf|40 leave leaf|40 enter leaf|50 leave leaf|"
                       "50 leave work|50 begin MPI_Barrier|60 end|70 begin MPI_Barrier|80 end"));
    QCOMPARE(run.logs.counts().at("CALLING_CONTEXT_SAMPLE"), 5);
    QCOMPARE(run.source->names().info.begin, 10);
}

// Samples of ten bytes each between two deep paths: each would leave one and enter the other.
void TestOtf2Source::boundsTheStepsBetweenCallingContexts()
{
    constexpr int depth = 3000, samples = 600;
    SourceRun run;
    run.archive.mpi(1);
    OTF2_CallingContextRef deep[2];
    for (OTF2_CallingContextRef& innermost : deep) {
        innermost = run.archive.context(run.main);
        for (int i = 1; i < depth; ++i) innermost = run.archive.context(run.main, innermost);
    }
    OTF2_EvtWriter* events = run.archive.events(0);
    for (int i = 0; i < samples; ++i)
        OTF2_EvtWriter_CallingContextSample(events, nullptr, OTF2_TimeStamp{10} * static_cast<OTF2_TimeStamp>(i),
                                            deep[i % 2], 0, 0);
    const qsizetype lines = run.read().size();
    QVERIFY2(lines > qsizetype{4} * depth, qPrintable(QString::number(lines)));
    QVERIFY2(lines < 2 * (limits::contextSteps.free + samples * limits::contextSteps.per),
             qPrintable(QString::number(lines)));
}

// What a location may do in any case is for all of the archive together.
void TestOtf2Source::sharesTheStepsAmongLocations()
{
    constexpr int depth = 3000, samples = 4;
    constexpr std::size_t locations = 200;
    SourceRun run;
    run.archive.mpi(locations);
    OTF2_CallingContextRef innermost = run.archive.context(run.main);
    const OTF2_CallingContextRef root = innermost;
    for (int i = 1; i < depth; ++i) innermost = run.archive.context(run.main, innermost);
    for (int i = 0; i < samples; ++i)
        OTF2_EvtWriter_CallingContextSample(run.archive.events(0), nullptr,
                                            OTF2_TimeStamp{10} * static_cast<OTF2_TimeStamp>(i + 1),
                                            i % 2 == 0 ? innermost : root, 0, 0);
    const qsizetype lines = run.read().size();
    QVERIFY2(lines <= limits::contextSteps.shared(samples, locations), qPrintable(QString::number(lines)));
}

LONGPOLE_TEST(TestOtf2Source)
#include "tst_otf2source.moc"
