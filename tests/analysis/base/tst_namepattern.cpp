// SPDX-License-Identifier: GPL-3.0-or-later
// What is found by words and by expressions, where an expression is wrong, and that none tries for long.
#include "analysis/base/namepattern.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

using namespace longpole;

class TestNamePattern : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void finds_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("isFound");
        QTest::newRow("part") << "ghost"
                              << "Wave::recvGhosts(int)" << true;
        QTest::newRow("letters of an expression") << "a+b"
                                                  << "aab" << false;
        QTest::newRow("the same") << "a+b"
                                  << "x = A+B" << true;
        QTest::newRow("expression") << "/^wave::.*ghost/"
                                    << "Wave::recvGhosts(int)" << true;
        QTest::newRow("elsewhere") << "/^wave::.*ghost/"
                                   << "a Wave::recvGhosts(int)" << false;
        QTest::newRow("either") << "/recv|send/" << QString(1000, QLatin1Char('x')) + QStringLiteral("send") << true;
        QTest::newRow("a slash alone") << "/"
                                       << "a/b" << true;
        QTest::newRow("an option of its own") << "/(*UCP)\\w+é/"
                                              << "caf\u00e9" << true;
    }
    void finds()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, name);
        QFETCH(const bool, isFound);
        const auto pattern = namePattern(text);
        QVERIFY(pattern.ok());
        QCOMPARE(pattern->match(name).hasMatch(), isFound);
    }

    void saysWhereItIsWrong()
    {
        const auto pattern = namePattern(QStringLiteral("/ab(c/"));
        QVERIFY(!pattern);
        QVERIFY2(pattern.error().what.startsWith(QStringLiteral("The regular expression is wrong at character 5: ")),
                 qPrintable(pattern.error().what));
    }

    // 20,000 names took ten minutes.
    void doesNotTryForLong()
    {
        const auto pattern = namePattern(QStringLiteral("/(a+)+::$/"));
        QVERIFY(pattern.ok());
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 20'000; ++i)
            QVERIFY(!pattern->match(QString(40, QLatin1Char('a')) + QStringLiteral("b::e%1").arg(i)).hasMatch());
        QVERIFY2(timer.elapsed() < 30'000, qPrintable(QString::number(timer.elapsed())));
    }
};

LONGPOLE_TEST(TestNamePattern)
#include "tst_namepattern.moc"
