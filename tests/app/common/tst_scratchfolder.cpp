// SPDX-License-Identifier: GPL-3.0-or-later
// A folder for what is not to stay takes nothing else with it, whoever gives its name to another folder meanwhile.
#include "app/common/scratchfolder.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

#include <sys/stat.h>

using namespace longpole;

class TestScratchFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("above")));
    }

    void goesWithAllThatIsInIt()
    {
        {
            const ScratchFolder scratch(path("above"), QStringLiteral("some-"));
            QVERIFY2(scratch.isValid(), qPrintable(scratch.errorString()));
            const QString named = scratch.namedPath(QStringLiteral("file"));
            QVERIFY(named.startsWith(path("above") + QStringLiteral("/some-")));
            struct stat status {};
            QCOMPARE(::stat(QFile::encodeName(QFileInfo(named).path()).constData(), &status), 0);
            QCOMPARE(status.st_mode & 0777u, 0700u);
            QVERIFY(write(scratch.filePath(QStringLiteral("file"))));
            QVERIFY(QFileInfo::exists(named));
            QVERIFY(QDir(scratch.path()).mkpath(QStringLiteral("a/b")));
            QVERIFY(write(scratch.filePath(QStringLiteral("a/b/c"))));
            QVERIFY(QFile::link(path("above"), scratch.filePath(QStringLiteral("link"))));
        }
        QCOMPARE(left("above"), QStringList());
    }

    // Another user who may write in the folder above gives its name to a folder of the user's.
    void theNameIsGivenToAnother()
    {
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("above/private")));
        QVERIFY(write(path("above/private/thesis.tex")));
        {
            const ScratchFolder scratch(path("above"), QStringLiteral("some-"));
            QVERIFY(write(scratch.filePath(QStringLiteral("file"))));
            const QString named = QFileInfo(scratch.namedPath(QStringLiteral("file"))).path();
            QVERIFY(QDir().rename(named, path("above/moved")));
            QVERIFY(QDir().rename(path("above/private"), named));
            QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("a folder cannot be removed")));
        }
        QCOMPARE(left("above/moved"), QStringList());
        QStringList others = left("above");
        others.removeAll(QStringLiteral("moved"));
        QCOMPARE(others.size(), 1);
        QCOMPARE(left(qPrintable(QStringLiteral("above/") + others.front())),
                 QStringList{QStringLiteral("thesis.tex")});
    }

    void theFolderAboveIsRenamed()
    {
        {
            const ScratchFolder scratch(path("above"), QStringLiteral("some-"));
            QVERIFY(QDir().rename(path("above"), path("elsewhere")));
            QVERIFY(write(scratch.filePath(QStringLiteral("file"))));
        }
        QCOMPARE(left("elsewhere"), QStringList());
    }

    void thereIsNoFolderAbove()
    {
        const ScratchFolder scratch(path("nowhere"), QStringLiteral("some-"));
        QVERIFY(!scratch.isValid());
        QVERIFY(!scratch.errorString().isEmpty());
    }

private:
    QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    QStringList left(const char* folder) const
    {
        return QDir(path(folder)).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }
    static bool write(const QString& name)
    {
        QFile file(name);
        return file.open(QIODevice::WriteOnly) && file.write("text") == 4;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

LONGPOLE_TEST(TestScratchFolder)
#include "tst_scratchfolder.moc"
