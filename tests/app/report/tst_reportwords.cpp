// SPDX-License-Identifier: GPL-3.0-or-later
// How long reports are: at most 1 500 words before the appendix, which comes last, and one page where there is nothing
// to say.
#include "analysis/realtraces.h"
#include "analysis/report/analyses.h"
#include "app/report/reportexport.h"
#include "support/machines/plantedruns.h"
#include "support/sentences.h"
#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

namespace {

const QString appendix = QStringLiteral("\n## Appendix\n");

}  // namespace

class TestReportWords : public QObject {
    Q_OBJECT
    RealTraces m_traces;
    QTemporaryDir m_folder;

    QString markdownOf(const std::shared_ptr<const TraceStore>& store)
    {
        Results results(store);
        const auto found = results.ask(AnalysesQuestion{}, Progress{});
        const QString name = m_folder.filePath(QStringLiteral("report.md"));
        if (!found || !exportReport(*store, **found, name, Progress{})) return {};
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void everyReportIsShort_data()
    {
        QTest::addColumn<QString>("trace");
        QStringList names = RealTraces::names();
        for (const char* archive : {"otf2/casita_4_mpi_ls_barr", "otf2/pipit_ping-pong", "otf2/sst_emberotf2",
                                    "otf2/casita_2_jacobi_blame_cpu_050", "otf2/casita_10_scorep_mpi_tags"})
            if (RealTraces::has(QLatin1String(archive))
                && importerFor(RealTraces::folder(QLatin1String(archive))) != nullptr)
                names << QLatin1String(archive);
        for (const QString& name : names) QTest::newRow(qPrintable(name)) << name;
    }
    void everyReportIsShort()
    {
        QFETCH(QString, trace);
        const auto store = m_traces.open(trace);
        QVERIFY(store);
        const QString report = markdownOf(*store);
        QCOMPARE(report.count(appendix), 1);
        const qsizetype at = report.indexOf(appendix);
        QVERIFY2(!report.mid(at + appendix.size()).contains(QStringLiteral("\n## ")), "something follows the appendix");
        const int words = wordsIn(report.left(at));
        if (qEnvironmentVariableIsSet("LONGPOLE_SHOW")) qInfo("%s: %d words", qPrintable(trace), words);
        QVERIFY2(words <= 1500, qPrintable(QString::number(words)));
    }

    void nothingToSayIsOnePage()
    {
        constexpr int onePage = 400;
        for (const PlantedRun& planted : plantedRuns()) {
            if (*planted.node != '\0') continue;
            const QString source = planted.write(m_folder.path(), {.pes = 8, .seed = 1});
            const QString target = m_folder.filePath(QStringLiteral("balanced.longpole"));
            QVERIFY(importerFor(source)->import(source, target, ImportOptions{}, Progress{}).ok());
            const auto store = TraceStore::open(target);
            QVERIFY(store);
            const QString report = markdownOf(*store);
            QVERIFY(report.contains(QStringLiteral("Nothing to advise.")));
            const int words = wordsIn(report.left(report.indexOf(appendix)));
            QVERIFY2(words <= onePage, qPrintable(QString::number(words)));
            QVERIFY(!report.left(report.indexOf(appendix)).contains(QLatin1Char('|')));  // no table
        }
    }
};

LONGPOLE_TEST(TestReportWords)
#include "tst_reportwords.moc"
