// SPDX-License-Identifier: GPL-3.0-or-later
// Factors of a what-if: how they are read and written, and how lengths are rounded.
#include "analysis/base/rational.h"

#include "support/testmain.h"

#include <QTest>

using namespace longpole;

class TestRational : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void parses_data();
    void parses();
    void refuses_data();
    void refuses();
    void writes();
    void compares();
    void roundsHalfToEven_data();
    void roundsHalfToEven();
    void lines();
};

void TestRational::parses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("numerator");
    QTest::addColumn<qint64>("denominator");
    const auto row = [](const char* text, qint64 numerator, qint64 denominator) {
        QTest::newRow(text) << QString::fromUtf8(text) << numerator << denominator;
    };
    row("0", 0, 1);
    row("2", 2, 1);
    row("1/2", 1, 2);
    row("2/4", 1, 2);
    row("0/7", 0, 1);
    row("0.5", 1, 2);
    row(".25", 1, 4);
    row("3.", 3, 1);
    row("1.10", 11, 10);
    row("50%", 1, 2);
    row("12.5 %", 1, 8);
    row("150%", 3, 2);
    row(" 1 / 3 ", 1, 3);
    row("0.5/1.5", 1, 3);
    row("9223372036854775807", 9'223'372'036'854'775'807, 1);
}

void TestRational::parses()
{
    QFETCH(QString, text);
    const auto value = parseRational(text);
    QVERIFY2(value.ok(), value ? "" : qPrintable(toText(value.error())));
    QTEST(qint64(value->numerator), "numerator");
    QTEST(qint64(value->denominator), "denominator");
}

void TestRational::refuses_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text : {"",
                             " ",
                             "/",
                             "1/",
                             "/2",
                             "1/0",
                             "1/2/3",
                             "-1",
                             "-0.5",
                             "+1",
                             "1e3",
                             "a",
                             "0x10",
                             ".",
                             "%",
                             "1 2",
                             "5%%",
                             "nan",
                             "1..2",
                             "9223372036854775808",
                             "0.00000000000000000001",
                             "1/-2"})
        QTest::newRow(text) << QString::fromUtf8(text);
}

void TestRational::refuses()
{
    QFETCH(QString, text);
    const auto value = parseRational(text);
    QVERIFY(!value.ok());
    QVERIFY(value.error().what.contains(text));
    QVERIFY(!value.error().hint.isEmpty());
}

void TestRational::writes()
{
    QCOMPARE(toText(Rational{1, 2}), QStringLiteral("1/2"));
    QCOMPARE(toText(Rational{2, 1}), QStringLiteral("2"));
    QCOMPARE(toText(Rational{}), QStringLiteral("0"));
}

void TestRational::compares()
{
    QVERIFY(isLess({1, 3}, {1, 2}));
    QVERIFY(!isLess({2, 4}, {1, 2}));
    QVERIFY(isLess({-1, 2}, {0, 1}));
    // Equal as doubles.
    QVERIFY(isLess({maxTime - 1, maxTime}, {1, 1}));
    QVERIFY(isLess({maxTime - 2, maxTime - 1}, {maxTime - 1, maxTime}));
    QCOMPARE(lowestTerms({-6, 4}), (Rational{-3, 2}));
}

void TestRational::roundsHalfToEven_data()
{
    QTest::addColumn<qint64>("time");
    QTest::addColumn<qint64>("denominator");
    QTest::addColumn<qint64>("rounded");
    const auto row = [](qint64 time, qint64 denominator, qint64 rounded) {
        QTest::addRow("%lld/%lld", static_cast<long long>(time), static_cast<long long>(denominator))
            << time << denominator << rounded;
    };
    row(35, 1, 35);
    row(35, 2, 18);
    row(33, 2, 16);
    row(1, 2, 0);
    row(3, 2, 2);
    row(5, 3, 2);
    row(4, 3, 1);
    row(-1, 2, 0);
    row(-3, 2, -2);
    row(-5, 2, -2);
    row(-4, 3, -1);
    row(-5, 3, -2);
    row(maxTime, 2, (maxTime >> 1) + 1);
    row(maxTime, maxTime, 1);
    row(minTime, 1, minTime);
}

void TestRational::roundsHalfToEven()
{
    QFETCH(qint64, time);
    QFETCH(qint64, denominator);
    QTEST(qint64(roundedQuotient(time, denominator)), "rounded");
}

void TestRational::lines()
{
    QCOMPARE(lineAt(2, 10, {9, 10}), 11);
    QCOMPARE(lineAt(2, 10, {1, 4}), 4);  // 4.5
    QCOMPARE(lineAt(3, 10, {1, 4}), 6);  // 5.5
    // Products far beyond 64 bits, a length within them.
    QCOMPARE(lineAt(0, maxTime, {maxTime - 1, maxTime}), maxTime - 1);
    QCOMPARE(lineAt(maxTime, maxTime, {maxTime, maxTime}), maxTime);
}

LONGPOLE_TEST(TestRational)
#include "tst_rational.moc"
