// SPDX-License-Identifier: GPL-3.0-or-later
// One log, cut: by hand, along a path, and random ones that are damaged.
#include "importers/projections/cut.h"
#include "importers/projections/processor.h"
#include "importers/projections/reduce.h"
#include "importers/smallrun.h"

#include "importers/projections/reduced.h"
#include "support/testmain.h"

#include <QRegularExpression>

#include <random>

#include <unistd.h>

using namespace longpole;

namespace {

TimeNs idleIn(const TraceStore& store, TimeRange range)
{
    TimeNs idle = 0;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Idle)) {
        const auto chunk = store.read(ref);
        for (std::uint32_t row = 0; chunk && row < ref.rows; ++row) {
            const TimeNs begin = (*chunk)->at(IdleColumn::Begin, row);
            idle += overlap({begin, begin + (*chunk)->at(IdleColumn::Duration, row)}, range);
        }
    }
    return idle;
}

LogCutting between(std::int64_t beginUs, std::int64_t endUs)
{
    LogCutting cutting;
    cutting.range = {beginUs * 1000, endUs * 1000};
    return cutting;
}

}  // namespace

class TestLogCut : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // One log, cut by hand: blocks, idling and pairs that cross the edges.
    void cutting_data()
    {
        QTest::addColumn<QByteArray>("log");
        QTest::addColumn<int>("begin");
        QTest::addColumn<int>("end");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* name, const char* log, int begin, int end, const char* expected) {
            QTest::newRow(name) << QByteArray(log) << begin << end << QByteArray(expected);
        };
        const char* const blocks =
            "6 0\n14 5 0\n15 10 0\n2 21 5 10 8 0 112 0 6 900\n1 21 5 15 0 0 112 2\n"
            "3 0 5 20 8 0 0 903\n14 20 0\n15 30 0\n7 40\n";
        row("inside a block", blocks, 12, 18,
            "6 12\n2 21 5 12 8 0 112 0 6 900\n1 21 5 15 0 0 112 2\n3 0 5 18 8 0 0 900\n7 18\n");
        row("idling at both ends", blocks, 7, 25,
            "6 7\n14 7 0\n15 10 0\n2 21 5 10 8 0 112 0 6 900\n1 21 5 15 0 0 112 2\n3 0 5 20 8 0 0 903\n14 20 0\n"
            "15 25 0\n7 25\n");
        row("at the edges of a block", blocks, 10, 20,
            "6 10\n2 21 5 10 8 0 112 0 6 900\n1 21 5 15 0 0 112 2\n3 0 5 20 8 0 0 903\n7 20\n");
        row("where nothing is", blocks, 32, 35, "6 32\n7 35\n");
        row("behind the end", blocks, 50, 60, "6 50\n7 50\n");
        row("before the begin", "6 40\n14 41 0\n15 42 0\n7 43\n", 10, 20, "6 20\n7 20\n");
        row("raw nesting", "2 21 6 10 1 0 0 0 0 0 0 0 5\n2 21 5 12 2 0 0 0 6 6\n3 0 5 20 2 0 0 7\n3 0 6 30 1 0 0 8\n",
            15, 18, "2 21 6 15 1 0 0 0 0 0 0 0 5\n2 21 5 15 2 0 0 0 6 6\n3 0 5 18 2 0 0 6\n3 0 6 18 1 0 0 5\n");
        row("an end of an outer block ends the inner ones",
            "2 21 6 10 1 0 0 0 0 0 0 0 5\n2 21 5 12 2 0 0 0 6 6\n3 0 6 20 1 0 0 8\n16 30 0\n", 25, 40, "16 30 0\n");
        row("idled in a block whose end is lost",
            "2 21 6 10 1 0 0 0 0 0 0 0 5\n14 12 0\n15 14 0\n2 21 5 30 2 0 0 0 6 6\n", 20, 40,
            "2 21 6 20 1 0 0 0 0 0 0 0 5\n14 20 0\n15 20 0\n2 21 5 30 2 0 0 0 6 6\n");
        row("tracing off", "2 21 6 10 1 0 0 0 0 0 0 0 5\n12 20\n11 50\n", 30, 40, "12 30\n11 40\n");
        row("pairs and functions",
            "98 7 5 1 0 3\n98 7 6 2 0 4\n22 8 17 12 file.c\n99 7 9 3 0 3\n16 12 0\n99 7 20 4 0 4\n23 30 17\n", 10, 15,
            "98 7 10 2 0 4\n22 10 17 12 file.c\n16 12 0\n17 15 0\n23 15 17\n99 7 15 2 0 4\n");
        row("intervals, written at their end",
            "100 7 2 1 0 0\n100 7 5 1 0 0\n100 7 4 2 0 0\n100 7 12 2 0 0\n100 7 11 3 0 0\n100 7 13 3 0 0\n"
            "100 7 14 4 0 0\n100 7 22 4 0 0\n100 7 25 5 0 0\n100 7 26 5 0 0\n100 7 12 6 0 0\n",
            10, 20, "100 7 10 2 0 0\n100 7 12 2 0 0\n100 7 11 3 0 0\n100 7 13 3 0 0\n100 7 14 4 0 0\n100 7 20 4 0 0\n");
        row("time is not the third field",
            "26 77 5\n13 9 5 1 0\n26 78 15\n27 4096 15\n30 1 15\n32 15 -1 0.5 0 3\n13 9 15 2 0\n27 4097 25\n30 2 25\n",
            10, 20, "26 78 15\n27 4096 15\n30 1 15\n32 15 -1 0.5 0 3\n13 9 15 2 0\n");
        row("notes", "28 5 3abc\n28 15 4 abcd\n29 2 12 8 3abc\n29 15 30 8 4 abcd\n29 30 40 8 1a\n", 10, 20,
            "28 15 4 abcd\n29 10 12 8 3abc\n29 15 20 8 4 abcd\n");
        row("times that go back count as the one before", "14 12 0\n15 8 0\n16 5 0\n17 22 0\n", 10, 20,
            "14 12 0\n15 8 0\n16 5 0\n17 20 0\n");
        row("what cannot be read stays where it is", "999 1\n14 12 0\ngarbage\n15 13 0\n18 30 0\n999 2\n", 10, 20,
            "14 12 0\ngarbage\n15 13 0\n");
        row("differences become times", "6 5\n14 3 0\n15 10 0\n16 2 0\n7 30\n", 10, 25,
            "6 10\n14 10 0\n15 18 0\n16 20 0\n17 25 0\n7 25\n");
    }

    void cutting()
    {
        QFETCH(QByteArray, log);
        QFETCH(int, begin);
        QFETCH(int, end);
        const bool isDelta = QByteArray(QTest::currentDataTag()).startsWith("differences");
        const QByteArray header = isDelta ? "PROJECTIONS-RECORD 9 DELTA\n" : "PROJECTIONS-RECORD 9\n";
        QTEST(cutOf(header + log, between(begin, end)), "expected");
    }

    // Without a range everything is given on as it is.
    void uncut()
    {
        const QByteArray log = "6 10\n2 21 5 10 8 0 112 0 6 900\n  junk\n100 7 2 1 0 0\n14 3 0\n7 40\n14 50 0\r\n";
        QCOMPARE(cutOf("PROJECTIONS-RECORD 9\n" + log, {}), log);
        QCOMPARE(cutOf("PROJECTIONS-RECORD 9 DELTA\n" + log, {}), log);
        QCOMPARE(cutOf("PROJECTIONS-RECORD 9\n" + log + "15 6", {}), log);  // the last line is cut
    }

    // A path's steps stand where they end, never between the lines of a pair and never behind the log's end.
    void pathOfALog()
    {
        const QByteArray log =
            "6 0\n14 5 0\n15 10 0\n100 7 2 1 0 0\n100 7 9 1 0 0\n1 21 5 15 41 0 112 2\n"
            "100 32000 1 5 0 0\n100 32000 3 5 0 0\n7 40\n";
        const TimeRange steps[] = {{2000, 10000}, {11000, 12000}, {30000, 40000}};
        LogCutting cutting;
        cutting.path = steps;
        cutting.pathEvent = 32000;
        cutting.replacesPath = true;
        cutting.firstPathEventNumber = 42;
        cutting.pe = 3;
        QCOMPARE(cutOf("PROJECTIONS-RECORD 9\n" + log, cutting),
                 QByteArray("6 0\n14 5 0\n15 10 0\n100 7 2 1 0 0\n100 7 9 1 0 0\n"
                            "100 32000 2 42 3 0\n100 32000 10 42 3 0\n100 32000 11 43 3 0\n100 32000 12 43 3 0\n"
                            "1 21 5 15 41 0 112 2\n100 32000 30 44 3 0\n100 32000 40 44 3 0\n7 40\n"));
        cutting.replacesPath = false;
        QVERIFY(cutOf("PROJECTIONS-RECORD 9\n" + log, cutting).contains("100 32000 3 5 0 0\n100 32000 30 44 3 0\n"));
    }

    // Busy time of every entry, idle time and the intervals of a cut log are those of the whole one inside the range.
    void randomLogs_data()
    {
        QTest::addColumn<int>("seed");
        QTest::addColumn<int>("damage");
        for (int seed = 0; seed < 4; ++seed) QTest::newRow(qPrintable(QString::number(seed))) << seed << 0;
        QTest::newRow("records are missing") << 100 << 10;
    }

    void randomLogs()
    {
        QFETCH(int, seed);
        QFETCH(int, damage);
        std::mt19937 random{std::uint32_t(seed)};
        SmallRun run;
        constexpr int processors = 48;
        run.symbols(smallSymbols(processors));
        for (int pe = 0; pe < processors; ++pe) run.log(pe, randomLog(random, damage));
        const Reduced reduced(run.folder());
        const TraceInfo& whole = reduced.store().info();
        for (int i = 0; i < 2; ++i) {
            const std::int64_t length = whole.duration() / 1000;
            const TimeNs from = whole.begin + 1000 * std::int64_t(random() % std::uint64_t(length + 1));
            const TimeRange range{from, from + 1000 * std::int64_t(1 + random() % std::uint64_t(length))};
            const Result<ReductionReport> report = reduced.reduce(ofRange(range), QStringLiteral("%1").arg(i));
            QVERIFY(report);
            const Reduced again(reduced.place(QStringLiteral("%1").arg(i)));
            // What lies before the run's first task belongs to no run.
            const TimeRange kept = reducedRange(whole, range);
            const TimeNs begin = std::max(kept.begin, again.store().info().begin);
            QVERIFY(whole.tasks > 100);
            // What an execution without an end lasted is a guess, for which a part of a log may have less to go by.
            if (damage == 0) {
                QCOMPARE(difference(busyIn(again.store(), all), busyIn(reduced.store(), kept)), QString());
                QCOMPARE(idleIn(again.store(), {begin, maxTime}), idleIn(reduced.store(), {begin, kept.end}));
            }
            if (kept.begin != minTime) QVERIFY(again.store().info().begin >= kept.begin);
            if (kept.end != maxTime) QVERIFY(again.store().info().end <= kept.end);
            const Result<ReductionReport> twice = again.reduce(ofRange({minTime, maxTime}));
            QVERIFY(twice);
            for (const auto& [name, content] : filesOf(reduced.place(QString::number(i))))
                QCOMPARE(filesOf(again.place(QStringLiteral("reduced")))[name], content);
        }
    }
};

LONGPOLE_TEST(TestLogCut)
#include "tst_logcut.moc"
