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
            const QFileInfo mark(partOf(target) + QStringLiteral("/.longpole-part"));
            QVERIFY(mark.exists() && mark.size() == 0);
            QVERIFY(!PartFolder::create(target.path()));
            QVERIFY(QFileInfo::exists(mark.filePath()));
        }
        QVERIFY(QDir(target.path()).isEmpty());
    }

    // Who may write in the target, too, gives the writer's folder another name and its name to a link: nothing is
    // written or removed where that leads.
    void aLinkInItsPlace()
    {
        for (const bool isPublished : {false, true}) {
            const QTemporaryDir target, home;
            const QString letter = home.filePath(QStringLiteral("letter.txt"));
            QVERIFY(QFile(letter).open(QIODevice::WriteOnly));
            {
                Result<PartFolder> writer = PartFolder::create(target.path());
                QVERIFY(writer);
                const QString part = partOf(target), moved = target.filePath(QStringLiteral("moved"));
                QVERIFY(QFile::rename(part, moved) && QFile::link(home.path(), part));
                auto file = writer->file(QStringLiteral("run.sts"), false);
                QVERIFY(file);
                QVERIFY((*file)->write("x") && (*file)->finish());
                QVERIFY(QFileInfo::exists(moved + QStringLiteral("/run.sts")));
                if (isPublished) QVERIFY(writer->publish({QStringLiteral("run.sts")}));
            }
            QCOMPARE(QDir(home.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                     QStringList{QStringLiteral("letter.txt")});
            QCOMPARE(QFileInfo::exists(target.filePath(QStringLiteral("run.sts"))), isPublished);
        }
    }

    // What is there is never replaced.
    void aFileInTheWay()
    {
        const QTemporaryDir target;
        Result<PartFolder> writer = PartFolder::create(target.path());
        QVERIFY(writer);
        for (const char* name : {"a", "b"}) {
            auto file = writer->file(QLatin1String(name), false);
            QVERIFY(file && (*file)->write("new") && (*file)->finish());
        }
        QFile there(target.filePath(QStringLiteral("b")));
        QVERIFY(there.open(QIODevice::WriteOnly) && there.write("old") == 3);
        there.close();
        QVERIFY(!writer->publish({QStringLiteral("a"), QStringLiteral("b")}));
        QVERIFY(!QFileInfo::exists(target.filePath(QStringLiteral("a"))));
        QVERIFY(there.open(QIODevice::ReadOnly));
        QCOMPARE(there.readAll(), QByteArray("old"));
    }

private:
    static QString partOf(const QTemporaryDir& target)
    {
        return target.filePath(QStringLiteral(".longpole-part-%1").arg(QCoreApplication::applicationPid()));
    }
};

LONGPOLE_TEST(TestPartFolder)
#include "tst_partfolder.moc"
