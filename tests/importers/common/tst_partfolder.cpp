// SPDX-License-Identifier: GPL-3.0-or-later
// What a writer of several files removes of earlier ones: only what name and content say is Longpole's.
#include "importers/common/partfolder.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class TestPartFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void abandoned_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QStringList>("content");  // names with '/' at their end are folders
        QTest::addColumn<bool>("isRemoved");
        const QString mark = QStringLiteral(".longpole-part");
        const QString log = QStringLiteral("run.0.log");
        const QString ours = QStringLiteral(".longpole-part-123");
        QTest::newRow("a killed writer's") << ours << QStringList{mark, log} << true;
        QTest::newRow("killed before its first file") << ours << QStringList{} << true;
        QTest::newRow("a folder of this name") << ours << QStringList{QStringLiteral("thesis.txt")} << false;
        QTest::newRow("with a folder in it") << ours << QStringList{mark, QStringLiteral("below/")} << false;
        for (const char* name : {"mine", "12a", "", "0123", "12345678901"})
            QTest::newRow(name) << QString(QStringLiteral(".longpole-part-") + QLatin1String(name))
                                << QStringList{mark, log} << false;
    }
    void abandoned()
    {
        QFETCH(QString, folder);
        QFETCH(QStringList, content);
        QFETCH(bool, isRemoved);
        const QTemporaryDir target;
        const QString place = target.filePath(folder);
        QVERIFY(QDir().mkpath(place));
        for (const QString& name : content) {
            QFile file(place + QLatin1Char('/') + name);
            if (name.endsWith(QLatin1Char('/'))) QVERIFY(QDir().mkpath(file.fileName()));
            else QVERIFY(file.open(QIODevice::WriteOnly));
        }
        QVERIFY(PartFolder::create(target.path()));
        QCOMPARE(QDir(target.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 isRemoved ? QStringList() : QStringList(folder));
        QCOMPARE(QDir(place).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(),
                 isRemoved ? 0 : content.size());
    }

    void linksAreRefused()
    {
        const QTemporaryDir folder;
        QVERIFY(QFile::link(folder.path(), folder.filePath(QStringLiteral("link"))));
        QVERIFY(!PartFolder::create(folder.filePath(QStringLiteral("link"))));
    }

    // Another process finds the folder of a writer that lives, which it leaves.
    void livingWriter()
    {
        const QTemporaryDir target;
        {
            const Result<PartFolder> writer = PartFolder::create(target.path());
            QVERIFY(writer);
            QCOMPARE(QFileInfo(writer->filePath(QStringLiteral(".longpole-part"))).size(), 0);
            QVERIFY(!PartFolder::create(target.path()));
            QVERIFY(QFileInfo::exists(writer->filePath(QStringLiteral(".longpole-part"))));
        }
        QVERIFY(QDir(target.path()).isEmpty());
    }
};

LONGPOLE_TEST(TestPartFolder)
#include "tst_partfolder.moc"
