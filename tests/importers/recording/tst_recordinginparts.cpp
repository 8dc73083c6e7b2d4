// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings that are imported part by part: the file is that of an import at once, byte for byte.
#include "importers/bothways.h"
#include "importers/recording/growingprogram.h"
#include "importers/recording/source.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

// A recording that is imported both ways.
class Twice {
public:
    QString folder() const { return m_folder.filePath(QStringLiteral("run.lprec")); }

    // Empty: both files are the same. `calls`: of a rank in a part, at least.
    QString differ(std::size_t calls, unsigned threads)
    {
        const auto open = [this](unsigned readers, const ImportOfSource& import) -> Result<ImportReport> {
            const auto source = RecordingSource::open(folder(), readers, Progress{});
            if (!source) return source.error();
            return import(**source);
        };
        const BothWays both = importedBothWays(open, QDir(m_folder.path()), calls, threads);
        parts = both.parts;
        return both.differ;
    }

    std::int64_t parts = 0;  // of the last import in parts

private:
    QTemporaryDir m_folder;
};

}  // namespace

class TestRecordingInParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomPrograms_data()
    {
        QTest::addColumn<GrowingHabits>("habits");
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("leastParts");  // of 24 imports
        QTest::newRow("clean") << GrowingHabits{} << 500 << 1000;
        QTest::newRow("regions") << GrowingHabits{.hasRegions = true} << 500 << 1000;
        QTest::newRow("messages cross meetings") << GrowingHabits{.crosses = true, .hasRegions = true} << 500 << 500;
        QTest::newRow("requests are freed") << GrowingHabits{.cancels = true} << 300 << 25;
        QTest::newRow("windows") << GrowingHabits{.windows = true} << 300 << 24;
        QTest::newRow("all never meet") << GrowingHabits{.meets = false} << 300 << 24;
        QTest::newRow("calls are new") << GrowingHabits{.crosses = true, .repeats = false} << 300 << 200;
    }
    void randomPrograms()
    {
        QFETCH(const GrowingHabits, habits);
        QFETCH(const int, steps);
        QFETCH(const int, leastParts);
        std::int64_t parts = 0;
        for (unsigned seed = 1; seed <= 8; ++seed) {
            const GrowingProgram program(seed, 2 + int(seed % 4), steps, habits);
            Twice twice;
            program.write(twice.folder(), std::vector<std::int64_t>(std::size_t(program.ranks()), program.end() + 1),
                          1024 << (seed % 5));
            for (const std::size_t calls : {1, 50, 700}) {
                const QString differs = twice.differ(calls, 1 + seed % 2);
                QVERIFY2(differs.isEmpty(),
                         qPrintable(QStringLiteral("seed %1, %2 calls: %3").arg(seed).arg(calls).arg(differs)));
                parts += twice.parts;
            }
        }
        QVERIFY2(parts >= leastParts, qPrintable(QString::number(parts)));
        if (!habits.meets) QCOMPARE(parts, 24);
    }

    // Ranks whose files end at different times: from where one is missing all is read at once.
    void cutFiles()
    {
        for (unsigned seed = 1; seed <= 6; ++seed) {
            const GrowingProgram program(seed, 3, 400, {.crosses = true, .hasRegions = true});
            const std::int64_t end = program.end();
            Twice twice;
            program.write(twice.folder(), {end, end / 2 + std::int64_t{100} * seed, end / 2}, 4096);
            const QString differs = twice.differ(40, 2);
            QVERIFY2(differs.isEmpty(), qPrintable(differs));
            QVERIFY(twice.parts > 2);
        }
    }

    // Several full chunks of all kinds of rows.
    void longProgram()
    {
        const GrowingProgram program(99, 3, 16000, {.crosses = true, .hasRegions = true});
        Twice twice;
        // Chunks of four megabytes are opened again for each part.
        for (const std::size_t room : {1 << 16, 1 << 22}) {
            program.write(twice.folder(), std::vector<std::int64_t>(3, program.end() + 1), room);
            QCOMPARE(twice.differ(5000, 2), QString());
            QVERIFY(twice.parts > 4);
        }
    }

    // So many that their rows rest while others are read, and their tiles may have fewer bins.
    void manyRanks()
    {
        for (const int ranks : {20, 70}) {
            const GrowingProgram program(7, ranks, 300, {.crosses = true, .hasRegions = true});
            Twice twice;
            program.write(twice.folder(), std::vector<std::int64_t>(std::size_t(ranks), program.end() + 1), 1 << 16);
            QCOMPARE(twice.differ(100, 2), QString());
            QVERIFY2(twice.parts > 1, qPrintable(QString::number(ranks)));
        }
    }

    // A clock that runs away is one of the whole run, whatever came before.
    void clocksThatDisagree()
    {
        const GrowingProgram program(7, 3, 600, {});
        Twice twice;
        const auto change = [](lp_header& header) {
            if (header.rank != 1) return;
            header.clock[0] = {0, 0, 1, LP_CLOCK_RTT, 0};
            header.clock[1] = {header.start + 200'000, -3'000, 1, LP_CLOCK_RTT, 0};
        };
        program.write(twice.folder(), std::vector<std::int64_t>(3, program.end() + 1), 4096, change);
        QCOMPARE(twice.differ(20, 2), QString());
    }

    void cancelled()
    {
        const GrowingProgram program(5, 3, 300, {});
        QTemporaryDir folder;
        const QString run = folder.filePath(QStringLiteral("run.lprec"));
        program.write(run, std::vector<std::int64_t>(3, program.end()));
        const auto source = RecordingSource::open(run, 2, Progress{});
        QVERIFY(source.ok());
        Progress progress;
        progress.cancel();
        const QString target = folder.filePath(QStringLiteral("made.longpole"));
        const auto stopped = importMpiRunInParts(**source, target, {}, progress, 50);
        QVERIFY(!stopped && wasCancelled(stopped.error()));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList());
        const auto nowhere = importMpiRunInParts(**source, QStringLiteral("/nowhere/at/all.longpole"), {}, Progress{},
                                                 50);
        QVERIFY(!nowhere && !wasCancelled(nowhere.error()));
    }
};

LONGPOLE_TEST(TestRecordingInParts)
#include "tst_recordinginparts.moc"
