// SPDX-License-Identifier: GPL-3.0-or-later
// Waits in OpenMP barriers of real archives against a second, simple algorithm on what otf2-print prints: a barrier is
// the n-th one of a thread's m-th time in a team, or in a parallel region that names itself.
#include "core/store/rows.h"
#include "importers/common/importer.h"
#include "importers/otf2/import.h"

#include "support/testmain.h"

#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

using namespace longpole;

namespace {

struct Arrival {
    TimeNs begin = 0, end = 0;
    std::uint64_t location = 0;
};

struct Printed {
    std::int64_t waits = 0;
    TimeNs time = 0;
};

struct Thread {
    struct Team {
        QString name;
        int round;
        int barriers;
    };
    std::vector<Team> teams;
    std::map<QString, int> rounds;
    QStringList regions;
    std::optional<std::tuple<QString, int, int>> barrier;
    int depth = 0;
    TimeNs arrived = 0;
};

class PrintedBarriers {
public:
    void line(const QString& text)
    {
        static const QRegularExpression record(QStringLiteral("^([A-Z_]+) +(\\d+) +(\\d+) *(.*)$"));
        static const QRegularExpression team(QStringLiteral("PARALLEL_REGION_ID\" <\\d+>; UINT64; (\\d+)"));
        if (const auto found = team.match(text); found.hasMatch() && m_last != nullptr) {
            if (!m_last->regions.isEmpty() && m_last->regions.back().contains(QLatin1String("implicit_task")))
                join(*m_last, QStringLiteral("region ") + found.captured(1));
            return;
        }
        const auto found = record.match(text);
        if (!found.hasMatch()) return;
        Thread& thread = m_threads[found.captured(2).toULongLong()];
        m_last = &thread;
        give(thread, found.captured(1), found.captured(2).toULongLong(), found.captured(3).toLongLong(),
             found.captured(4));
    }

    // `isInside`: whether the run was between MPI_Init and MPI_Finalize then.
    template <typename IsInside>
    Printed sums(const IsInside& isInside) const
    {
        Printed sums;
        for (const auto& [key, arrivals] : m_barriers) {
            const Arrival* last = &arrivals.front();
            for (const Arrival& each : arrivals)
                if (each.begin > last->begin) last = &each;
            for (const Arrival& each : arrivals) {
                const TimeNs wait = std::min(last->begin, each.end) - each.begin;
                if (each.location == last->location || wait <= 0 || !isInside(each)) continue;
                ++sums.waits;
                sums.time += wait;
            }
        }
        return sums;
    }

private:
    static void join(Thread& thread, const QString& team) { thread.teams.push_back({team, thread.rounds[team]++, 0}); }

    void give(Thread& thread, const QString& kind, std::uint64_t location, TimeNs time, const QString& rest)
    {
        const QString region = rest.section(u'"', 1, 1);
        if (kind == QLatin1String("THREAD_TEAM_BEGIN")) join(thread, rest.section(u'<', -1));
        if (kind == QLatin1String("THREAD_TEAM_END") && !thread.teams.empty()) thread.teams.pop_back();
        if (kind == QLatin1String("ENTER")) {
            thread.regions += region;
            const bool isBarrier = region.startsWith(QLatin1String("!$omp"))
                                   && region.contains(QLatin1String("barrier"));
            if (!isBarrier || thread.barrier || thread.teams.empty()) return;
            Thread::Team& team = thread.teams.back();
            thread.barrier = std::tuple(team.name, team.round, team.barriers++);
            thread.depth = static_cast<int>(thread.regions.size());
            thread.arrived = time;
        }
        if (kind != QLatin1String("LEAVE") || thread.regions.isEmpty()) return;
        const QString left = thread.regions.takeLast();
        if (thread.barrier && thread.regions.size() < thread.depth) {
            m_barriers[*thread.barrier].push_back({thread.arrived, time, location});
            thread.barrier.reset();
        }
        if (left.contains(QLatin1String("implicit_task")) && !thread.teams.empty()) thread.teams.pop_back();
    }

    std::map<std::uint64_t, Thread> m_threads;
    std::map<std::tuple<QString, int, int>, std::vector<Arrival>> m_barriers;
    Thread* m_last = nullptr;
};

std::optional<PrintedBarriers> printed(const QString& anchor)
{
    QProcess print;
    print.start(QStringLiteral("otf2-print"), {anchor});
    if (!print.waitForFinished(60'000) || print.exitStatus() != QProcess::NormalExit) return {};
    PrintedBarriers barriers;
    for (const QByteArray& line : print.readAllStandardOutput().split('\n')) barriers.line(QString::fromUtf8(line));
    return barriers;
}

double ticksPerSecond(const QString& anchor)
{
    static const QRegularExpression ticks(QStringLiteral("Ticks per Seconds: (\\d+)"));
    QProcess print;
    print.start(QStringLiteral("otf2-print"), {QStringLiteral("-G"), anchor});
    print.waitForFinished(60'000);
    return ticks.match(QString::fromUtf8(print.readAllStandardOutput())).captured(1).toDouble();
}

Printed stored(const TraceStore& store)
{
    Printed sums;
    auto rows = store.rows<ThreadWaitRow>(ThreadWaitRow::All);
    for (const ThreadWaitRow& row : rows) {
        if (row.pattern() != WaitPattern::OmpBarrier) continue;
        ++sums.waits;
        sums.time += row.waited();
    }
    return sums;
}

}  // namespace

class TestOtf2Threads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void barriersAreAsPrinted_data()
    {
        QTest::addColumn<qint64>("waits");
        QTest::addColumn<qint64>("time");
        QTest::newRow("casita_1_scorep-ompt-host-nested") << qint64(18) << qint64(2'253'504);
        QTest::newRow("casita_2_cuda_simple") << qint64(49) << qint64(3'352'934);
    }

    void barriersAreAsPrinted()
    {
        QFETCH(qint64, waits);
        QFETCH(qint64, time);
        const QString folder = QStringLiteral(LONGPOLE_TEST_DATA "/otf2/")
                               + QString::fromLatin1(QTest::currentDataTag());
        const QTemporaryDir target;
        const QString file = target.filePath(QStringLiteral("trace.longpole"));
        const auto report = importOtf2(folder + QStringLiteral("/traces.otf2"), file, {}, Progress{});
        QVERIFY2(report.ok(), report.ok() ? "" : qPrintable(toText(report.error())));
        const auto store = TraceStore::open(file);
        QVERIFY(store.ok());
        const Printed found = stored(**store);
        QCOMPARE(found.waits, waits);
        QCOMPARE(found.time, time);
        const auto barriers = printed(folder + QStringLiteral("/traces.otf2"));
        if (!barriers) QSKIP("otf2-print is not installed");
        const Printed expected = barriers->sums([](const Arrival&) { return true; });
        QCOMPARE(found.waits, expected.waits);
        // Each of a wait's two times is rounded to ns.
        const double inNs = double(expected.time) * 1e9 / ticksPerSecond(folder + QStringLiteral("/traces.otf2"));
        QVERIFY2(qAbs(inNs - double(found.time)) <= double(found.waits), qPrintable(QString::number(inNs)));
        QVERIFY((*store)->info().idle > 0);
    }
};

LONGPOLE_TEST(TestOtf2Threads)

#include "tst_otf2threads.moc"
