// SPDX-License-Identifier: GPL-3.0-or-later
// "longpole-mpi algorithms" under each MPI: the lengths that the graph of one machine has, for all algorithms.
#include "analysis/paths/criticalpath.h"

#include "distributed/algorithms/randomprogram.h"
#include "distributed/mpirun.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <memory>

using namespace longpole;
using namespace longpole::tests;

namespace {

constexpr std::array drawnSeeds{3u, 8u, 21u, 34u, 47u, 55u};

}  // namespace

class TestMpiAlgorithms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void lengths_data()
    {
        QTest::addColumn<QString>("mpi");
        QTest::addColumn<int>("seed");
        for (const QString& mpi : MpiRuns::mpis())
            for (const std::uint32_t seed : drawnSeeds)
                QTest::addRow("%s, %u", qPrintable(mpi), seed) << mpi << static_cast<int>(seed);
    }
    void lengths()
    {
        QFETCH(QString, mpi);
        QFETCH(int, seed);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const QTemporaryDir folder;
        RandomProgram program(static_cast<std::uint32_t>(seed));
        const auto store = importedProgram(program.program(), folder.path(), 1);
        QVERIFY(store);
        const auto graph = loadActivityGraph(*store, Progress());
        QVERIFY(graph.ok());
        const auto work = workPath(**graph, workHeads(**graph, EdgeLevel::Order, Progress()));
        const auto sweep = sweepPath(**graph);
        QVERIFY(work.ok() && sweep.ok());

        const MpiSaid said = MpiRuns::run(mpi, 2 + seed % 3,
                                          {QStringLiteral("algorithms"), store->path(), QStringLiteral("--csv")});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        const QStringList lines = said.out.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 1 + 2 + 3 + 3 + 3 + 3 + 1 + 4);
        const QStringList heads = lines.front().split(QLatin1Char(','));
        const qsizetype length = heads.indexOf(QLatin1String("length_ns"));
        const qsizetype processes = heads.indexOf(QLatin1String("processes"));
        QVERIFY(length > 0 && processes > 0);
        for (const QString& line : lines.mid(1)) {
            const QStringList cells = line.split(QLatin1Char(','));
            QCOMPARE(cells.value(processes).toInt(), 2 + seed % 3);
            if (cells.value(2) == QLatin1String("simple")) continue;
            const bool isSweep = cells.value(0).endsWith(QLatin1String("sweep"));
            QVERIFY2(cells.value(length).toLongLong() == (isSweep ? sweep->length : work->length), qPrintable(line));
        }
    }

    // One error, and the end of all, when there is no trace.
    void noTrace_data()
    {
        QTest::addColumn<QString>("mpi");
        for (const QString& mpi : MpiRuns::mpis()) QTest::addRow("%s", qPrintable(mpi)) << mpi;
    }
    void noTrace()
    {
        QFETCH(QString, mpi);
        if (const QString missing = MpiRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
        const MpiSaid said = MpiRuns::run(mpi, 3,
                                          {QStringLiteral("algorithms"), QStringLiteral("/nowhere/run.longpole")});
        QVERIFY(said.code != 0 && said.code != -1);
        QCOMPARE(said.error.count(QLatin1String("longpole-mpi: ")), 1);
        QVERIFY2(said.error.contains(QLatin1String("/nowhere/run.longpole")), qPrintable(said.error));
    }
};

LONGPOLE_TEST(TestMpiAlgorithms)
#include "tst_mpialgorithms.moc"
