// SPDX-License-Identifier: GPL-3.0-or-later
// What each importer says of itself, and which of them takes a source.
#include "importers/common/importer.h"

#include "support/testmain.h"

#include <QFileInfo>
#include <QSet>
#include <QTest>

using namespace longpole;

class TestRegistry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyImporterSaysWhatItReads()
    {
        QSet<QString> ids;
        for (const Importer* importer : importers()) {
            const QString id = QString::fromUtf8(importer->id);
            QVERIFY2(!id.isEmpty() && !ids.contains(id), importer->id);
            ids.insert(id);
            QVERIFY2(qstrlen(importer->title) > 0 && qstrlen(importer->reads) > 0, importer->id);
            for (const QString& pattern : QString::fromUtf8(importer->patterns).split(QLatin1Char(' ')))
                QVERIFY2(pattern.startsWith(QLatin1String("*.")), importer->id);
            QVERIFY2(QFileInfo::exists(QStringLiteral(LONGPOLE_TEST_DATA "/../../")
                                       + QString::fromUtf8(importer->document)),
                     importer->document);
            QVERIFY(importer->version > 0 && importer->probe && importer->fingerprint && importer->import);
        }
    }

    void theFirstThatKnowsASourceTakesIt_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("id");
        const auto row = [](const char* path, const char* id) {
            QTest::newRow(path) << QString::fromUtf8(path) << QString::fromUtf8(id);
        };
        row("/jacobi2d_sdag_p4/jacobi2d.sts", "projections");
        row("/jacobi2d_sdag_p4", "projections");
        row("/otf2/casita_4_mpi_ls_barr", "otf2");
        row("/README.md", "");
        row("/nowhere", "");
    }
    void theFirstThatKnowsASourceTakesIt()
    {
        QFETCH(QString, path);
        QFETCH(QString, id);
        const Importer* importer = importerFor(QStringLiteral(LONGPOLE_TEST_DATA) + path);
        QCOMPARE(importer ? QString::fromUtf8(importer->id) : QString(), id);
    }
};

LONGPOLE_TEST(TestRegistry)
#include "tst_registry.moc"
