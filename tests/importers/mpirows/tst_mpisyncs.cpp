// SPDX-License-Identifier: GPL-3.0-or-later
// Waits in barriers of threads and for devices: drawn ones with exact times, random teams against the definition, and
// what an import makes of them.
#include "core/store/rows.h"
#include "importers/mpirows/syncs.h"

#include "support/mpi/mpiprogram.h"
#include "support/testmain.h"

#include <QRandomGenerator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

namespace {

QStringList waitLines(const char* text) { return QString::fromLatin1(text).split(u'|'); }

// One team, number 5, of which each thread has a location.
MpiSync barrier(std::uint32_t location, TimeNs begin, TimeNs end, std::uint32_t number = 0, std::uint32_t round = 0)
{
    MpiSync sync;
    sync.range = {begin, end};
    sync.location = location;
    sync.kind = MpiSyncKind::Barrier;
    sync.hasTeam = true;
    sync.team = 5;
    sync.round = round;
    sync.number = number;
    sync.teamBegin = begin - 1;
    return sync;
}

MpiSync device(std::uint32_t location, TimeNs begin, TimeNs end)
{
    MpiSync sync;
    sync.range = {begin, end};
    sync.location = location;
    sync.kind = MpiSyncKind::Device;
    return sync;
}

// "location begin+wait<culprit"; "?" where nothing says for whom it waited.
QStringList textOf(const std::vector<MpiThreadWait>& waits)
{
    QStringList lines;
    for (const MpiThreadWait& wait : waits) {
        QString line = QStringLiteral("%1 %2+%3").arg(wait.sync.location).arg(wait.sync.range.begin).arg(wait.wait);
        if (wait.instance < 0) line += u'?';
        else if (wait.culprit != noLocation) line += QStringLiteral("<%1").arg(wait.culprit);
        lines += line;
    }
    return lines;
}

// The wait of one call straight from the definition, looking at all of them.
TimeNs definedWait(const std::vector<MpiSync>& all, const MpiSync& own)
{
    const MpiSync* last = &own;
    for (const MpiSync& other : all) {
        const bool isSame = other.team == own.team && other.round == own.round && other.number == own.number;
        if (isSame && !other.isContinued && other.range.begin > last->range.begin) last = &other;
    }
    TimeNs wait = 0;
    for (TimeNs time = own.range.begin; time < own.range.end && time < last->range.begin; ++time)
        if (last->location != own.location) ++wait;
    return wait;
}

// A rank with one more thread: both run a loop and meet in its barrier, the rank's own thread 30 ns before the other.
struct TeamProgram {
    ScriptedMpi program{1};

    explicit TeamProgram(bool hasInit)
    {
        program.sync("!$omp barrier", MpiSyncKind::Barrier);
        MpiThread& own = program.rank(0);
        MpiThread& other = program.addThread(0, "OMP thread 1");
        own.enter("main").compute(10);
        if (hasInit) own.init(20);
        else own.compute(20);
        own.compute(10);
        member(own, 40, 60, 100);
        own.compute(10);
        if (hasInit) own.finalize(5);
        own.compute(7).leave("main");
        other.at(41);
        member(other, 41, 90, 100);
    }
    static void member(MpiThread& thread, TimeNs begin, TimeNs arrives, TimeNs leaves)
    {
        thread.at(begin).event([begin](MpiEvents& events) { events.beginTeam(begin, 1); }).enter("loop");
        thread.at(arrives).enter("!$omp barrier", MpiRegionKind::Runtime);
        thread.at(leaves).leave("!$omp barrier", MpiRegionKind::Runtime).leave("loop");
        thread.event([leaves](MpiEvents& events) { events.endTeam(leaves); });
    }
};

}  // namespace

class TestMpiSyncs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void threadsWaitForTheLastOne()
    {
        const auto waits = threadWaits({barrier(0, 10, 41), barrier(1, 40, 41), barrier(2, 25, 42)}, {});
        QCOMPARE(textOf(waits), waitLines("0 10+30<1|1 40+0|2 25+15<1"));
        QCOMPARE(waits[0].pattern, WaitPattern::OmpBarrier);
        QCOMPARE(waits[1].pattern, WaitPattern::None);
    }

    // One that leaves before the last one comes goes on as it likes: no wait is longer than its call.
    void noWaitIsLongerThanItsCall()
    {
        QCOMPARE(textOf(threadWaits({barrier(0, 10, 15), barrier(1, 40, 41)}, {})), waitLines("0 10+5<1|1 40+0"));
    }

    void eachBarrierIsItsOwn()
    {
        const auto waits = threadWaits({barrier(0, 10, 21), barrier(1, 20, 21), barrier(0, 30, 36, 1),
                                        barrier(1, 31, 36, 1), barrier(0, 50, 60, 0, 1), barrier(1, 58, 60, 0, 1)},
                                       {});
        QCOMPARE(textOf(waits), waitLines("0 10+10<1|0 30+1<1|0 50+8<1|1 20+0|1 31+0|1 58+0"));
        QCOMPARE(waits[1].instance, 1);
        QCOMPARE(waits[4].instance, 1);
    }

    // What a thread does of the program inside a barrier is no waiting.
    void aTaskInsideIsNoWaiting()
    {
        MpiSync later = barrier(0, 30, 45);
        later.isContinued = true;
        QCOMPARE(textOf(threadWaits({barrier(0, 10, 20), later, barrier(1, 40, 45)}, {})),
                 waitLines("0 10+10<1|0 30+10<1|1 40+0"));
    }

    void withoutATeamNothingIsKnown()
    {
        MpiSync lone = barrier(0, 10, 20);
        lone.hasTeam = false;
        QCOMPARE(textOf(threadWaits({lone, barrier(1, 15, 20)}, {})), waitLines("0 10+0?|1 15+0"));
        // Rounds of different number: a record of a member is missing.
        QCOMPARE(textOf(threadWaits({barrier(0, 10, 20, 0, 1), barrier(1, 100, 120, 0, 1)}, {})),
                 waitLines("0 10+0?|1 100+0?"));
    }

    // Until the last work that ends inside the call has ended.
    void synchronizationsWaitForDevices()
    {
        const std::vector<MpiDeviceWork> work{{5, 7}, {18, 7}, {15, 8}, {40, 8}};
        QCOMPARE(textOf(threadWaits({device(0, 10, 20), device(0, 30, 35)}, work)), waitLines("0 10+8<7|0 30+0"));
        QCOMPARE(textOf(threadWaits({device(0, 10, 20)}, {})), waitLines("0 10+0?"));
    }

    void randomTeamsAreAsDefined()
    {
        QRandomGenerator random(1);
        std::int64_t waited = 0;
        for (int run = 0; run < 300; ++run) {
            std::vector<MpiSync> syncs;
            const auto threads = static_cast<std::uint32_t>(random.bounded(1, 6));
            TimeNs now = 10;
            for (std::uint32_t round = 0; round < 3; ++round) {
                const TimeNs began = now;
                for (std::uint32_t number = 0; number < 4; ++number) {
                    TimeNs last = now;
                    std::vector<TimeNs> arrivals;
                    for (std::uint32_t thread = 0; thread < threads; ++thread) {
                        arrivals.push_back(now + random.bounded(40));
                        last = std::max(last, arrivals.back());
                    }
                    for (std::uint32_t thread = 0; thread < threads; ++thread) {
                        MpiSync sync = barrier(thread, arrivals[thread], last + 1 + random.bounded(5), number, round);
                        sync.teamBegin = began;
                        syncs.push_back(sync);
                    }
                    now = last + 10;
                }
            }
            for (const MpiThreadWait& wait : threadWaits(syncs, {})) {
                QCOMPARE(wait.wait, definedWait(syncs, wait.sync));
                QCOMPARE(wait.pattern, wait.wait > 0 ? WaitPattern::OmpBarrier : WaitPattern::None);
                waited += wait.wait;
            }
        }
        QVERIFY(waited > 10000);
    }

    // The barrier of the rank's own thread is no task: its wait is idle time, the rest overhead.
    void importsBarriers()
    {
        TeamProgram team(false);
        const QTemporaryDir folder;
        const auto store = importedProgram(team.program, folder.path());
        QVERIFY(store);
        QCOMPARE(store->info().idle, 30);
        QCOMPARE(store->info().busy, 10 + 20 + 10 + 20 + 10 + 7);
        QCOMPARE(store->info().overhead(), 10);  // 90 to 100
        QCOMPARE(store->info().startup, 0);
        QStringList rows;
        auto waits = store->rows<ThreadWaitRow>(ThreadWaitRow::All);
        for (const ThreadWaitRow& row : waits)
            rows += QStringLiteral("%1+%2 waits %3").arg(row.begin()).arg(row.duration()).arg(row.waited());
        rows.sort();
        QCOMPARE(rows, waitLines("60+40 waits 30|90+10 waits 0"));
        auto idle = store->rows<IdleRow>(IdleRow::All);
        const IdleRow* const first = idle.next();
        QVERIFY(first != nullptr);
        QCOMPARE(first->range(), (TimeRange{60, 90}));
        QVERIFY(idle.next() == nullptr);
    }

    // Start-up and shut-down are overhead, but for the program's own code in them, and there is no waiting in them.
    void importsStartAndStop()
    {
        TeamProgram team(true);
        const QTemporaryDir folder;
        const auto store = importedProgram(team.program, folder.path());
        QVERIFY(store);
        const TraceInfo& info = store->info();
        QCOMPARE(info.startup, 20);
        QCOMPARE(info.shutdown, 5);
        QCOMPARE(info.busy + info.idle + info.overhead(), info.duration() * info.processors);
        QCOMPARE(info.overhead(), 20 + 5 + 10);
        QCOMPARE(store->processors()[0].active(), (TimeRange{30, 110}));
    }

    void ranksDoNotWaitInStartAndStop()
    {
        ScriptedMpi program(2);
        program.rank(0).init(50).compute(10).finalize(40);
        program.rank(1).at(30).init(20).compute(30).finalize(20);
        const QTemporaryDir folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QCOMPARE(store->info().idle, 0);
        QCOMPARE(store->info().startup, 50 + 50);  // before rank 1's first record there is nothing that it did
        QCOMPARE(store->info().shutdown, 40 + 20);
        auto calls = store->rows<MpiRow>(MpiRow::All);
        for (const MpiRow& call : calls) {
            QCOMPARE(call.execution(), call.duration());
            QCOMPARE(call.pattern(), WaitPattern::None);
        }
    }
};

LONGPOLE_TEST(TestMpiSyncs)

#include "tst_mpisyncs.moc"
