// SPDX-License-Identifier: GPL-3.0-or-later
// The library that is preloaded hands messages on to Charm++'s queue, however the program came to it.
#include "support/testmain.h"

#include <QProcess>
#include <QTest>

class TestCharmPreload : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programLoadsCharm_data()
    {
        QTest::addColumn<QString>("how");
        QTest::newRow("for all") << QStringLiteral("global");
        QTest::newRow("for itself") << QStringLiteral("local");
    }
    void programLoadsCharm()
    {
        QFETCH(QString, how);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LD_PRELOAD"), QStringLiteral(PROGRAMS "/liblongpole-charm.so"));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(PROGRAMS "/loadsqueue"), {QStringLiteral(PROGRAMS "/libqueue.so"), how});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(process.readAllStandardOutput(), QByteArray("queued 1\nqueued 2\nended\n"));
        QCOMPARE(process.readAllStandardError(), QByteArray());
    }
};

LONGPOLE_TEST(TestCharmPreload)
#include "tst_charmpreload.moc"
