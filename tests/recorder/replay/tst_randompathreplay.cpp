// SPDX-License-Identifier: GPL-3.0-or-later
// Paths that ranks find together from their logs, against values that travel with each message of a random program, for
// any number of meetings at once.
#include "recorder/replay/randomranks.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole::pathreplay;

class TestRandomPathReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void randomPrograms_data();
    void randomPrograms();
    void anyProcessesGiveTheSame();
};

void TestRandomPathReplay::randomPrograms_data()
{
    QTest::addColumn<int>("lanes");
    QTest::addColumn<bool>("nets");
    QTest::addColumn<bool>("hasCallers");
    QTest::addColumn<int>("numerator");
    QTest::addColumn<int>("denominator");
    QTest::newRow("length only") << 0 << false << false << 0 << 1;
    QTest::newRow("shares") << 2 << false << false << 0 << 1;
    QTest::newRow("shares and nets") << 4 << true << false << 0 << 1;
    QTest::newRow("callers, and two thirds of the time") << 4 << true << true << 2 << 3;
    QTest::newRow("callers, and more time") << 3 << true << true << 5 << 2;
}

void TestRandomPathReplay::randomPrograms()
{
    QFETCH(int, lanes);
    QFETCH(bool, nets);
    QFETCH(bool, hasCallers);
    QFETCH(int, numerator);
    QFETCH(int, denominator);
    const lp_lanes followed{std::uint32_t(lanes), nets, {std::uint32_t(numerator), std::uint32_t(denominator)}};
    int compared = 0, ambiguous = 0;
    // script/soak draws more of them.
    const auto asked = std::uint64_t(qEnvironmentVariableIntValue("LONGPOLE_RANDOM_REPLAYS"));
    const std::uint64_t seeds = asked > 0 ? asked : 4000;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        RandomRanks machine(seed * 10 + std::uint64_t(lanes), followed, hasCallers);
        machine.play(100 + int(seed % 500));
        const Found& found = machine.found();
        const QByteArray words = "seed " + QByteArray::number(qulonglong(seed));
        QVERIFY2(found.isConsistent, words.constData());
        QCOMPARE(found.ahead, std::uint64_t(0));
        ambiguous += found.ambiguous > 0;
        if (found.ambiguous > 0) continue;
        ++compared;
        QVERIFY2(found.total == machine.longest(), words.constData());
        for (std::size_t lane = 1; lane <= std::size_t(lanes); ++lane) {
            const std::int64_t length = found.total[0], part = found.total[lane];
            QVERIFY2(found.parts[lane - 1] == part, words.constData());
            if (!hasCallers) QVERIFY2(found.profile[lane] == part, words.constData());
            if (!nets) continue;
            // The path itself, with more or less of the procedure, is one of those that the net is the longest of.
            const std::int64_t net = found.total[std::size_t(lanes) + lane];
            QVERIFY2(net >= length * denominator - part * (denominator - numerator), words.constData());
            if (numerator <= denominator) QVERIFY2(net <= length * denominator, words.constData());
        }
    }
    QVERIFY2(std::uint64_t(compared) > seeds * 2 / 3, qPrintable(QString::number(compared)));
    QVERIFY2(std::uint64_t(ambiguous) > seeds / 150, qPrintable(QString::number(ambiguous)));
}

// However many processes replay the ranks, and in whatever order buffers come: each value and each part is the same.
void TestRandomPathReplay::anyProcessesGiveTheSame()
{
    const lp_lanes lanes{3, true, {1, 2}};
    int batches = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const auto replayed = [&](Delivery how) {
            RandomRanks machine(seed, lanes, true, how);
            machine.play(200 + int(seed));
            return std::pair(machine.found(), machine.ranks());
        };
        const auto [expected, ranks] = replayed({});
        batches += !expected.values.empty();
        const QByteArray words = "seed " + QByteArray::number(qulonglong(seed));
        for (std::size_t processes = 1; processes <= ranks; ++processes)
            QVERIFY2(replayed({.processes = processes}).first == expected, words.constData());
        QVERIFY2(replayed({.seed = 1000}).first == expected, words.constData());
    }
    QCOMPARE(batches, 300);
}

LONGPOLE_TEST(TestRandomPathReplay)
#include "tst_randompathreplay.moc"
