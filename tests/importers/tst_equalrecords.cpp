// SPDX-License-Identifier: GPL-3.0-or-later
// Records that are all alike compress to nothing, so a small file has millions of them: work grows with their number,
// not with its square.
#include "core/base/limits.h"
#include "core/trace/trackids.h"
#include "importers/common/nesting.h"
#include "importers/common/timedrows.h"
#include "importers/mpi/waits.h"
#include "importers/mpi/windows.h"
#include "importers/smallrun.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <random>

using namespace longpole;

namespace {

class Counts final : public NestingSink {
public:
    void execution(std::uint32_t, const Execution&) override { ++executions; }
    void piece(const Span&, const Execution&) override {}
    void busy(TimeNs, TimeNs, std::uint32_t) override {}
    void span(const Span&) override { ++spans; }
    std::int64_t executions = 0, spans = 0;
};

ExecutionStart startOf(std::uint32_t entry, std::int32_t event)
{
    ExecutionStart start;
    start.entry = entry;
    start.event = event;
    return start;
}

std::int64_t countOf(const TraceStore& store, const QString& kind)
{
    for (const Issue& issue : store.issues())
        if (issue.kind == kind) return issue.count;
    return 0;
}

}  // namespace

class TestEqualRecords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        m_time.start();
    }
    void cleanup() { QVERIFY2(m_time.elapsed() < 10'000, qPrintable(QString::number(m_time.elapsed()))); }

    // The lowest level that is free, as looking through all of them finds it.
    void levelsOfRows()
    {
        std::mt19937 random(3);
        Spill spill(QString(), std::size_t{64} << 20);
        TimedRows rows;
        for (int i = 0; i < 3000; ++i)
            rows.add({.begin = TimeNs(random() % 2000),
                      .duration = TimeNs(random() % 60),
                      .lane = static_cast<std::uint32_t>(random() % 3)},
                     spill);
        rows.finish(spill);
        std::vector<TimeNs> ends;
        std::uint32_t lane = 0;
        int given = 0;
        TimedRows::merge({&rows}, spill, [&](const TimedRow& row, std::uint32_t depth) {
            if (row.lane != lane) ends.clear();
            lane = row.lane;
            std::size_t level = 0;
            while (level < ends.size() && ends[level] > row.begin) ++level;
            if (level == ends.size()) ends.push_back(0);
            ends[level] = row.begin + row.duration;
            QCOMPARE(std::size_t{depth}, level);
            ++given;
        });
        QCOMPARE(given, 3000);
    }

    void rowsAtTheSameTime()
    {
        constexpr std::uint32_t count = 400'000;
        Spill spill(QString(), std::size_t{64} << 20);
        TimedRows rows;
        for (std::uint32_t i = 0; i < count; ++i) rows.add({.begin = 5, .duration = 10}, spill);
        rows.finish(spill);
        std::uint32_t deepest = 0;
        TimedRows::merge({&rows}, spill,
                         [&](const TimedRow&, std::uint32_t depth) { deepest = std::max(deepest, depth); });
        QCOMPARE(deepest, count - 1);
    }

    // Packing that never ends keeps what follows waiting, and each gap looks whether it can be given.
    void tasksBehindEndlessPacking()
    {
        constexpr int tasks = 120'000;
        ImportLog log;
        Counts counts;
        Nesting nesting(counts, log);
        TimeNs now = 0;
        nesting.beginSpan(SpanKind::Pack, now, 0);
        for (int i = 0; i < tasks; ++i) {
            nesting.begin(now += 5000, startOf(5, i), 0);
            nesting.end(now += 5000, 5, i, -1, 0);
        }
        nesting.finish(now, 0);
        QCOMPARE(counts.executions, std::int64_t{tasks});
        QCOMPARE(counts.spans, std::int64_t{1});
    }

    // Each end of a block that is not open is looked for among all that are.
    void endsOfNothing()
    {
        constexpr int open = 30'000, pairs = 60'000;
        ImportLog log;
        Counts counts;
        Nesting nesting(counts, log);
        TimeNs now = 0;
        for (int i = 0; i < open; ++i) nesting.begin(now += 10, startOf(1, i), 0);
        for (int i = 0; i < pairs; ++i) {
            nesting.begin(now += 10, startOf(2, 7), 0);
            nesting.end(now += 10, 3, 9, -1, 0);
        }
        nesting.finish(now, 0);
        QCOMPARE(counts.executions, std::int64_t{open + pairs});
        QVERIFY(log.count(IssueKind::EndMismatch) >= pairs - 1);
    }

    // A block that is open under another one is found however many others lie around it.
    void anEndOfAnOuterBlock()
    {
        ImportLog log;
        Counts counts;
        Nesting nesting(counts, log);
        for (int i = 0; i < 5; ++i) nesting.begin(10 * i, startOf(1, i), 0);
        nesting.end(100, 1, 2, -1, 0);  // ends 4 and 3 with it
        nesting.end(110, 1, 1, -1, 0);
        nesting.end(120, 1, 0, -1, 0);
        nesting.finish(130, 0);
        QCOMPARE(log.count(IssueKind::MissingEnd), 2);
        QCOMPARE(log.count(IssueKind::EndMismatch), 0);
    }

    // All executions have the key that all recorded merges name.
    void mergesIntoTheSameKey()
    {
        constexpr int executions = 20'000, merges = 2'000;
        const SmallRun run;
        run.symbols(smallSymbols(1));
        QByteArray log = "6 1\n2 4 5 5 999999 0 112 0 3 1\n";
        for (int i = 0; i < merges; ++i) {
            const QByteArray note = "MERGE 0 1 0 " + QByteArray::number(i + 1);
            log += "1 4 5 " + QByteArray::number(10 + i) + ' ' + QByteArray::number(i + 1) + " 0 112 0\n";
            log += "28 " + QByteArray::number(10 + i) + ' ' + QByteArray::number(note.size()) + note + '\n';
        }
        log += "3 0 5 9000 999999 0 0 1\n";
        for (int i = 0; i < executions; ++i) {
            const QByteArray time = QByteArray::number(10'000 + 20 * i), end = QByteArray::number(10'005 + 20 * i);
            log += "2 4 5 " + time + " 1 0 112 0 3 1\n3 0 5 " + end + " 1 0 0 1\n";
        }
        run.log(0, log + "7 9000000\n");
        const auto store = run.import();
        QVERIFY(store != nullptr);
        QVERIFY(countOf(*store, QStringLiteral("unmatched_merge")) > 0);
        const auto rows = rowsOf(*store, ChunkKind::Merge, processorTrack(0));
        QVERIFY(rows.size() > merges && rows.size() <= limits::mergesInto.of(merges));
    }

    // Locks of all ranks that are never given back: each is held up by the same calls at every target.
    void locksThatAreNeverGivenBack()
    {
        constexpr int locks = 20'000;
        constexpr std::int32_t targets = 64;
        std::vector<WindowRow> rows;
        const auto add = [&rows](std::uint32_t rank, std::uint32_t call, WindowStep step, std::int32_t peer,
                                 TimeNs begin, TimeNs end, bool isExclusive) {
            WindowRow row;
            row.rank = rank;
            row.call = call;
            row.comm = 0;
            row.window = 1;
            row.step = step;
            row.peer = peer;
            row.isExclusive = isExclusive;
            row.begin = begin;
            row.end = end;
            rows.push_back(row);
        };
        std::uint32_t call = 0;
        for (int i = 0; i < locks; ++i) add(0, ++call, WindowStep::Lock, noRank, i, i + 1, false);
        add(0, ++call, WindowStep::Access, noRank, locks, 10'000'000, false);
        call = 0;
        for (std::int32_t target = 0; target < targets; ++target) {
            add(1, ++call, WindowStep::Lock, target, 2 * locks + 10 * target, 2 * locks + 10 * target + 2, true);
            add(1, ++call, WindowStep::Unlock, target, 2 * locks + 10 * target + 4, 2 * locks + 10 * target + 6, true);
        }
        std::size_t meetings = 0;
        for (const WindowFindings& found : findWindowMeetings(rows, 0, 2)) meetings += found.meetings.size();
        QVERIFY2(meetings <= 2 * targets, qPrintable(QString::number(meetings)));
    }

private:
    QElapsedTimer m_time;
};

LONGPOLE_TEST(TestEqualRecords)
#include "tst_equalrecords.moc"
