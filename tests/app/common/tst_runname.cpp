// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs of one program are told apart by the folders that they lie in.
#include "app/common/runname.h"

#include "support/testmain.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class RunNameTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRunIsCalledByFolderAndFile()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("slow/wave2d_p6")));
        const auto in = [&folder](const char* path) { return folder.filePath(QLatin1String(path)); };
        QCOMPARE(runName(in("slow/wave2d.sts")), QStringLiteral("wave2d"));
        QCOMPARE(runNameWithFolder(in("slow/wave2d.sts")), QStringLiteral("slow/wave2d"));
        QCOMPARE(runNameWithFolder(in("slow/wave2d.prj.sts")), QStringLiteral("slow/wave2d.prj"));
        // A folder's own name, and a file that is called like its folder.
        QCOMPARE(runNameWithFolder(in("slow/wave2d_p6")), QStringLiteral("wave2d_p6"));
        QCOMPARE(runNameWithFolder(in("slow/wave2d_p6/")), QStringLiteral("wave2d_p6"));
        QCOMPARE(runNameWithFolder(in("slow/wave2d_p6/wave2d_p6.longpole")), QStringLiteral("wave2d_p6"));
    }

    // What a trace says of where it was made: whatever is there now, a folder or nothing, the words decide.
    void recordedPathsAreWords()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("out/wave.d")));
        const QString there = folder.filePath(QStringLiteral("out/wave.d"));
        QCOMPARE(runName(there), QStringLiteral("wave.d"));
        QCOMPARE(recordedRunName(there), QStringLiteral("wave"));
        QCOMPARE(recordedRunNameWithFolder(there), QStringLiteral("out/wave"));
        QCOMPARE(recordedRunNameWithFolder(QStringLiteral("/net/evil/share/fib.sts")), QStringLiteral("share/fib"));
        QCOMPARE(recordedRunNameWithFolder(QStringLiteral("/runs/fib/fib.sts")), QStringLiteral("fib"));
        QCOMPARE(recordedRunName(QString()), QString());
        QCOMPARE(recordedRunNameWithFolder(QStringLiteral("fib.sts")), QStringLiteral("fib"));
    }
    void recordedPathsOfAFolder()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("logs")));
        QVERIFY(QFile::link(folder.path(), folder.filePath(QStringLiteral("logs/up"))));
        QFile sts(folder.filePath(QStringLiteral("logs/fib.sts")));
        QVERIFY(sts.open(QIODevice::WriteOnly));
        const QString logs = folder.filePath(QStringLiteral("logs"));
        QVERIFY(recordedRunLiesIn(logs + QStringLiteral("/fib.sts"), logs));
        QVERIFY(recordedRunLiesIn(logs + QStringLiteral("/x/../fib.sts"), logs));
        QVERIFY(!recordedRunLiesIn(logs + QStringLiteral("/other.sts"), logs));
        QVERIFY(!recordedRunLiesIn(logs + QStringLiteral("/fib.sts"), folder.path()));
        QVERIFY(!recordedRunLiesIn(logs, folder.path()));
        QVERIFY(!recordedRunLiesIn(QString(), folder.path()));
        QVERIFY(recordedRunLiesUnder(logs + QStringLiteral("/fib.sts"), folder.path()));
        QVERIFY(recordedRunLiesUnder(logs + QStringLiteral("/fib.sts"), logs));
        QVERIFY(!recordedRunLiesUnder(logs + QStringLiteral("/../fib.sts"), logs));
        QVERIFY(!recordedRunLiesUnder(logs + QStringLiteral("2/fib.sts"), logs));
        QVERIFY(!recordedRunLiesUnder(QStringLiteral("/net/evil/fib.sts"), folder.path()));
    }

    void twoRunsAreToldApart_data()
    {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        const auto row = [](const char* name, const char* first, const char* second, const char* a, const char* b) {
            QTest::newRow(name) << QString::fromLatin1(first) << QString::fromLatin1(second) << QString::fromLatin1(a)
                                << QString::fromLatin1(b);
        };
        row("by file", "/x/one/before.sts", "/x/two/after.sts", "before", "after");
        row("by folder", "/x/slow/jacobi.sts", "/x/fast/jacobi.sts", "slow/jacobi", "fast/jacobi");
        row("by a folder farther up", "/x/slow/out/jacobi.sts", "/x/fast/out/jacobi.sts", "slow/out/jacobi",
            "fast/out/jacobi");
        row("one lies deeper", "/jacobi.sts", "/x/jacobi.sts", "jacobi", "x/jacobi");
        row("one run twice", "/x/slow/jacobi.sts", "/x/slow/jacobi.sts", "jacobi", "jacobi");
    }
    void twoRunsAreToldApart()
    {
        QFETCH(QString, first);
        QFETCH(QString, second);
        QFETCH(QString, a);
        QFETCH(QString, b);
        const auto names = runNames(first, second);
        QCOMPARE(names.first, a);
        QCOMPARE(names.second, b);
    }
};

LONGPOLE_TEST(RunNameTest)
#include "tst_runname.moc"
