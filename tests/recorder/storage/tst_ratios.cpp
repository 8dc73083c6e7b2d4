// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder's arithmetic: section 5.2's formulas on small numbers, and the table that section 5.3 prints.
#include "recorder/storage/ratios.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <cstdlib>
#include <iterator>

namespace {

QStringList printed(const lp_statistics* ranks, int count)
{
    char* text = nullptr;
    std::size_t size = 0;
    FILE* file = open_memstream(&text, &size);
    lp_print_statistics(file, ranks, count);
    std::fclose(file);
    const QString all = QString::fromUtf8(text, qsizetype(size)).simplified();
    std::free(text);
    return all.split(QLatin1Char(' '));
}

// What section 5.3 prints, but total program_time and graph_time, which contradict their rows.
constexpr const char* table =
    "Per-process statistics: rank program_time graph_time total_time total_execution_time "
    "0 1.908003056 0.000988314 1.908991370 0.935452868 "
    "1 1.907246658 0.000208261 1.907454919 0.935452868 "
    "2 1.905164954 0.000214803 1.905379757 0.935452868 "
    "3 1.904170098 0.000349145 1.904519243 0.935452868 "
    "rank total_wait_time imbalance num_calls num_nodes num_edges "
    "0 0.018105627 0.019354932 3 8 13 "
    "1 1.344099347 1.436843472 3 6 13 "
    "2 1.335822343 1.427995347 3 6 13 "
    "3 1.332357843 1.424291793 3 6 13 "
    "Total statistics: program_time=1.908003056 graph_time=0.000988314 total_time=1.908991370 "
    "total_execution_time=3.741811472 total_wait_time=4.030385160 imbalance=1.077121386 "
    "imbalance_program=1.077121386 num_calls=12 num_nodes=26 num_edges=52";

}  // namespace

class TestRatios : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void collectiveOfFour();
    void partsOfMessages_data();
    void partsOfMessages();
    void undefinedIsADash();
    void callsThatDoNotSynchronizeStayOut();
    void programCountsCodeBetweenCalls();
    void tableOfThePaper();
};

void TestRatios::collectiveOfFour()
{
    const int64_t starts[] = {0, 4, 10, 6};
    const int64_t ends[] = {11, 12, 11, 13};
    const lp_parts expected[] = {{10, 1, 0}, {6, 1, 1}, {0, 1, 0}, {4, 1, 2}};
    const double ratios[] = {10, 7, 0, 6};
    for (int i = 0; i < 4; ++i) {
        const lp_parts parts = lp_collective_parts(starts[i], ends[i], 10, 11);
        QCOMPARE(parts.before, expected[i].before);
        QCOMPARE(parts.execution, expected[i].execution);
        QCOMPARE(parts.after, expected[i].after);
        QCOMPARE(parts.before + parts.execution + parts.after, ends[i] - starts[i]);
        double ratio = -1;
        QVERIFY(lp_imbalance(parts.before + parts.after, parts.execution, &ratio));
        QCOMPARE(ratio, ratios[i]);
    }
}

void TestRatios::partsOfMessages_data()
{
    QTest::addColumn<bool>("isReceive");
    QTest::addColumn<qint64>("start");
    QTest::addColumn<qint64>("end");
    QTest::addColumn<qint64>("other");  // begin of the send, or of the call that posts the receive
    QTest::addColumn<qint64>("before");
    const auto row = [](const char* name, bool isReceive, qint64 start, qint64 end, qint64 other, qint64 before) {
        QTest::newRow(name) << isReceive << start << end << other << before;
    };
    row("late sender", true, 2, 9, 7, 5);
    row("sender was there", true, 2, 9, 1, 0);
    row("both at once", true, 2, 9, 2, 0);
    row("sent after the end, by clocks that differ", true, 2, 9, 12, 7);
    row("late receiver", false, 2, 9, 7, 5);
    row("receive posted after the send was done", false, 2, 6, 7, 0);
    row("receive posted as the send was done", false, 2, 7, 7, 0);
    row("receive was posted", false, 2, 9, 1, 0);
}

void TestRatios::partsOfMessages()
{
    QFETCH(bool, isReceive);
    QFETCH(qint64, start);
    QFETCH(qint64, end);
    QFETCH(qint64, other);
    QFETCH(qint64, before);
    const lp_parts parts = isReceive ? lp_receive_parts(start, end, other) : lp_send_parts(start, end, other);
    QCOMPARE(parts.before, before);
    QCOMPARE(parts.execution, end - start - before);
    QCOMPARE(parts.after, 0);
}

void TestRatios::undefinedIsADash()
{
    double ratio = 42;
    QVERIFY(!lp_imbalance(5, 0, &ratio));
    QVERIFY(!lp_imbalance(5, -1, &ratio));
    QCOMPARE(ratio, 42.0);
    const lp_statistics nothing{};
    const QStringList words = printed(&nothing, 1);
    QVERIFY(words.contains(QStringLiteral("-")));
    QVERIFY(words.contains(QStringLiteral("imbalance=-")));
    QVERIFY(words.contains(QStringLiteral("imbalance_program=-")));
}

void TestRatios::callsThatDoNotSynchronizeStayOut()
{
    lp_statistics rank{};
    lp_add_call(&rank, {10, 2, 3});
    lp_add_call(&rank, {10, -2, 3});  // S_max - S = 10, E - E_min = 3, but E_min is before S_max
    lp_add_call(&rank, {4, 0, 0});
    QCOMPARE(rank.calls, 3);
    QCOMPARE(rank.unsynchronized, 1);
    QCOMPARE(rank.execution, 2);
    QCOMPARE(rank.wait, 17);
    QVERIFY(printed(&rank, 1).contains(QStringLiteral("num_calls_without_synchronization=1")));
}

void TestRatios::programCountsCodeBetweenCalls()
{
    const lp_statistics ranks[] = {{30, 0, 4, 9, 17, 0, 0, 0, 0}, {30, 0, 4, 3, 23, 0, 0, 0, 0}};
    const QStringList words = printed(ranks, 2);
    QVERIFY(words.contains(QStringLiteral("imbalance=1.500000000")));
    QVERIFY(words.contains(QStringLiteral("imbalance_program=0.250000000")));
}

void TestRatios::tableOfThePaper()
{
    const lp_statistics ranks[] = {
        {1908003056, 988314, 935452868, 18105627, 0, 3, 8, 13, 0},
        {1907246658, 208261, 935452868, 1344099347, 0, 3, 6, 13, 0},
        {1905164954, 214803, 935452868, 1335822343, 0, 3, 6, 13, 0},
        {1904170098, 349145, 935452868, 1332357843, 0, 3, 6, 13, 0},
    };
    QCOMPARE(printed(ranks, int(std::size(ranks))), QString::fromUtf8(table).split(QLatin1Char(' ')));
}

LONGPOLE_TEST(TestRatios)
#include "tst_ratios.moc"
