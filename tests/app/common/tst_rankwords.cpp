// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of traces with ranks: the words of MPI instead of Charm++'s, and back again.
#include "app/common/rankwords.h"

#include "core/base/translate.h"

#include "support/testmain.h"

#include <QTest>

using namespace longpole;

class TestRankWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void words_data();
    void words();
    void spokenOfRunsWithRanks();
};

void TestRankWords::words_data()
{
    QTest::addColumn<QString>("said");
    const auto row = [](const char* text, const char* said) { QTest::newRow(text) << QString::fromUtf8(said); };
    row("PE", "Rank");
    row("PEs", "ranks");
    row("PE-", "rank-");
    row("%1 PEs", "%1 ranks");
    row("Most time on a PE. PEs that wait are idle.", "Most time on a rank. Ranks that wait are idle.");
    row("PE-time lost", "Rank-time lost");
    row("Stages × PEs", "Stages × ranks");
    row("An entry method of a chare", "A region of a group");
    row("by entry method", "by region");
    row("Entry methods", "Regions");
    row("idle", "waiting in MPI");
    row("overhead", "in MPI");
    row("overhead of packing", "overhead of packing");
    row("OPEN SPEED", "OPEN SPEED");
    row("PERT", "PERT");
}

void TestRankWords::words()
{
    QFETCH(QString, said);
    QCOMPARE(inRankWords(QString::fromUtf8(QTest::currentDataTag())), said);
}

void TestRankWords::spokenOfRunsWithRanks()
{
    TraceInfo mpi;
    mpi.format = otf2Format;
    TraceInfo objects;
    objects.format = QStringLiteral("projections");
    QCOMPARE(longpole::tr("on PE %1"), QStringLiteral("on PE %1"));
    speakOf(mpi);
    QCOMPARE(longpole::tr("on PE %1"), QStringLiteral("on rank %1"));
    QCOMPARE(longpole::tr("nothing to replace"), QStringLiteral("nothing to replace"));
    speakOf(objects);
    QCOMPARE(longpole::tr("on PE %1"), QStringLiteral("on PE %1"));
}

LONGPOLE_TEST(TestRankWords)
#include "tst_rankwords.moc"
