// SPDX-License-Identifier: GPL-3.0-or-later
// Paths that ranks find together from their logs, against values that travel with each message of a random program, for
// any number of meetings at once.
#include "recorder/online/randomranks.h"

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
};

void TestRandomPathReplay::randomPrograms_data()
{
    QTest::addColumn<int>("lanes");
    QTest::addColumn<bool>("nets");
    QTest::newRow("length only") << 0 << false;
    QTest::newRow("shares") << 2 << false;
    QTest::newRow("shares and nets") << 4 << true;
}

void TestRandomPathReplay::randomPrograms()
{
    QFETCH(int, lanes);
    QFETCH(bool, nets);
    int compared = 0, ambiguous = 0;
    // script/soak draws more of them.
    const auto asked = std::uint64_t(qEnvironmentVariableIntValue("LONGPOLE_RANDOM_REPLAYS"));
    const std::uint64_t seeds = asked > 0 ? asked : 3000;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        RandomRanks machine(seed * 10 + std::uint64_t(lanes), {std::uint32_t(lanes), nets});
        machine.play(100 + int(seed % 500));
        const Found& found = machine.found();
        const QByteArray words = "seed " + QByteArray::number(qulonglong(seed));
        QVERIFY2(found.isConsistent, words.constData());
        QCOMPARE(found.ahead, std::uint64_t(0));
        ambiguous += found.ambiguous > 0;
        if (found.ambiguous > 0) continue;
        ++compared;
        QVERIFY2(found.total == machine.longest(), words.constData());
        for (int lane = 1; lane <= lanes; ++lane)
            QVERIFY2(found.profile[std::size_t(lane)] == found.total[std::size_t(lane)], words.constData());
    }
    QVERIFY2(std::uint64_t(compared) > seeds * 2 / 3, qPrintable(QString::number(compared)));
    QVERIFY2(std::uint64_t(ambiguous) > seeds / 150, qPrintable(QString::number(ambiguous)));
}

LONGPOLE_TEST(TestRandomPathReplay)
#include "tst_randompathreplay.moc"
