// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that lost their cores to others: counted by what their files say, and only where that is often.
#include "app/record/lostcores.h"

#include "importers/madeframes.h"
#include "support/testmain.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace longpole;

class TestLostCores : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsThoseThatLostThemOften();
    void countsThoseThatWaitedLong();
};

void TestLostCores::countsThoseThatLostThemOften()
{
    const QTemporaryDir folder;
    const auto write = [&](int rank, std::int64_t begin, std::int64_t end, std::uint64_t taken) {
        lp_header header = test::bombHeader(rank, 5);
        header.start = begin;
        header.end = end;
        header.taken_away = taken;
        QFile file(folder.filePath(QStringLiteral("rank-%1.lprank").arg(rank, 6, 10, QLatin1Char('0'))));
        if (!file.open(QIODevice::WriteOnly)) qFatal("%s", qPrintable(file.fileName()));
        file.write(test::rankFile(header, {}));
    };
    constexpr std::int64_t second = 1'000'000'000;
    write(0, second, 3 * second, 20);  // ten a second are not more than that
    QCOMPARE(lostCores(folder.path()).ranks, 0);
    write(1, second, 3 * second, 21);
    write(2, second, 3 * second, 90);
    write(3, second, second + second / 20, 90);  // too short to say so
    write(4, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 90);
    const LostCores lost = lostCores(folder.path());
    QCOMPARE(lost.ranks, 2);
    QCOMPARE(lost.worst, 2);
    QCOMPARE(lost.aSecond, 45.0);
    QVERIFY(!lost.yields());
    write(5, second, 3 * second, 180'000);
    QVERIFY(lostCores(folder.path()).yields());
    QCOMPARE(lostCores(folder.filePath(QStringLiteral("none"))).ranks, 0);
}

// Where it was measured how long they had none, that counts.
void TestLostCores::countsThoseThatWaitedLong()
{
    const QTemporaryDir folder;
    const auto write = [&](int rank, std::uint64_t without) {
        lp_header header = test::bombHeader(rank, 3);
        header.start = 0;
        header.end = 1'000'000'000;
        header.taken_away = 500;
        header.flags = LP_KNOWS_WAITS_FOR_CORES;
        header.without_core = without;
        QFile file(folder.filePath(QStringLiteral("rank-%1.lprank").arg(rank, 6, 10, QLatin1Char('0'))));
        if (!file.open(QIODevice::WriteOnly)) qFatal("%s", qPrintable(file.fileName()));
        file.write(test::rankFile(header, {}));
    };
    write(0, 50'000'000);  // 5 % is not more than that
    QCOMPARE(lostCores(folder.path()).ranks, 0);
    write(1, 250'000'000);
    write(2, 60'000'000);
    const LostCores lost = lostCores(folder.path());
    QCOMPARE(lost.ranks, 2);
    QCOMPARE(lost.worst, 1);
    QCOMPARE(lost.share, 0.25);
    QVERIFY(!lost.yields());
}

LONGPOLE_TEST(TestLostCores)
#include "tst_lostcores.moc"
