// SPDX-License-Identifier: GPL-3.0-or-later
// How times, bytes, shares, counts, ids and names read, and what may be typed for them.
#include "core/trace/format.h"

#include "support/testmain.h"

#include <QTest>

#include <cmath>

using namespace longpole;

class TestFormat : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void times_data()
    {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("text");
        const auto row = [](qint64 ns, const char* text) { QTest::newRow(text) << ns << QString::fromLatin1(text); };
        row(0, "0 ns");
        row(7, "7 ns");
        row(999, "999 ns");
        row(12'000, "12 us");
        row(1'234, "1.234 us");
        row(12'345, "12.35 us");
        row(128'400'000, "128.4 ms");
        row(1'500'000'000, "1.500 s");
        row(9'999, "9.999 us");
        row(9'999'900, "10.00 ms");
        row(99'996'000, "100.0 ms");
        row(999'960, "1.000 ms");
        row(999'949, "999.9 us");
        row(1'000'000'000, "1 s");
        row(123'456'789'000'000, "123457 s");
        row(-1'500'000'000, "-1.500 s");
        row(maxTime, "9223372037 s");
        row(minTime, "-9223372037 s");
    }
    void times()
    {
        QFETCH(qint64, ns);
        QFETCH(QString, text);
        QCOMPARE(formatTime(ns), text);
    }

    void axisLabels_data()
    {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<qint64>("resolution");
        QTest::addColumn<QString>("text");
        const auto row = [](qint64 ns, qint64 resolution, const char* text) {
            QTest::newRow(text) << ns << resolution << QString::fromLatin1(text);
        };
        row(0, 1'000'000, "0 ms");
        row(1'234'567'890, 1'000, "1.234568 s");
        row(1'234'567'890, 500'000'000, "1.2 s");
        row(2'000'000'000, 1'000'000'000, "2 s");
        row(1'500'000, 100'000, "1.5 ms");
        row(1'500'000, 1, "1.500000 ms");
        row(-40'000, 20'000, "-40 us");
        row(1'500, 0, "1.500 us");
    }
    void axisLabels()
    {
        QFETCH(qint64, ns);
        QFETCH(qint64, resolution);
        QFETCH(QString, text);
        QCOMPARE(formatTimeAt(ns, resolution), text);
    }

    void quantities()
    {
        QCOMPARE(formatBytes(0), QStringLiteral("0 B"));
        QCOMPARE(formatBytes(999), QStringLiteral("999 B"));
        QCOMPARE(formatBytes(1000), QStringLiteral("1.0 kB"));
        QCOMPARE(formatBytes(45'600'000), QStringLiteral("45.6 MB"));
        QCOMPARE(formatBytes(999'960), QStringLiteral("1.0 MB"));
        QCOMPARE(formatBytes(maxTime), QStringLiteral("9.2 EB"));
        QCOMPARE(formatShare(0.4213), QStringLiteral("42.1 %"));
        QCOMPARE(formatShare(0.0), QStringLiteral("0.0 %"));
        QCOMPARE(formatShare(0.0004), QStringLiteral("< 0.1 %"));
        QCOMPARE(formatShare(0.0005), QStringLiteral("0.1 %"));
        QCOMPARE(formatShare(1.0), QStringLiteral("100.0 %"));
        QCOMPARE(formatShare(std::nan("")), QStringLiteral("-"));
        QCOMPARE(formatCount(0), QStringLiteral("0"));
        QCOMPARE(formatCount(-1234), QStringLiteral("-1\u2009234"));
        QCOMPARE(formatCount(9'122'814), QStringLiteral("9\u2009122\u2009814"));
        QCOMPARE(formatCount(100), QStringLiteral("100"));
    }

    void typedTimes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("ns");
        const auto row = [](const char* text, qint64 ns) { QTest::newRow(text) << QString::fromUtf8(text) << ns; };
        row("500", 500);
        row("0", 0);
        row("12us", 12'000);
        row("12us 3ms 1.5s", 1'503'012'000);
        row("1.5s3ms", 1'503'000'000);
        row("2m", 120'000'000'000);
        row("12\u00b5s", 12'000);
        row("12\u03bcs", 12'000);
        row(".5ms", 500'000);
        row("7.ms", 7'000'000);
        row("0.000000001s", 1);
        row("1.500000000000000s", 1'500'000'000);
        row("-2ms", -2'000'000);
        row("  4ns  ", 4);
        row("9223372036854775807", maxTime);
        row("9223372036.854775807s", maxTime);
    }
    void typedTimes()
    {
        QFETCH(QString, text);
        QFETCH(qint64, ns);
        const Result<TimeNs> time = parseTime(text);
        QVERIFY2(time.ok(), time ? "" : qPrintable(toText(time.error())));
        QCOMPARE(*time, ns);
    }

    void refusedTimes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("what");
        const auto row = [](const char* text, const char* what) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(what);
        };
        row("", "\"\" is not a time: it is empty.");
        row("  ", "\"  \" is not a time: it is empty.");
        row("12parsec", "\"12parsec\" is not a time: there is no unit \"parsec\".");
        row("3ms ms", "\"ms\" is not a time: a number is missing.");
        row("-", "\"-\" is not a time: a number is missing.");
        row(".s", "\".s\" is not a time: a number is missing.");
        row("0.5", "\"0.5\" is not a time: it is finer than a nanosecond.");
        row("1.0000000001s", "\"1.0000000001s\" is not a time: it is finer than a nanosecond.");
        row("9223372036854775808", "\"9223372036854775808\" is not a time: it is too long.");
        row("99999999999s", "\"99999999999s\" is not a time: it is too long.");
        row("9223372036854775807 1", "\"9223372036854775807 1\" is not a time: it is too long.");
        row("1,5s", "\"1,\" is not a time: there is no unit \",\".");
    }
    void refusedTimes()
    {
        QFETCH(QString, text);
        QFETCH(QString, what);
        const Result<TimeNs> time = parseTime(text);
        QVERIFY(!time);
        QCOMPARE(time.error().what, what);
        QVERIFY(!time.error().hint.isEmpty());
    }

    void ranges()
    {
        const TimeRange whole{1000, 9000};
        const auto range = [&](const char* text) { return parseRange(QString::fromLatin1(text), whole); };
        QCOMPARE(*range(".."), whole);
        QCOMPARE(*range("1us.."), (TimeRange{2000, 9000}));
        QCOMPARE(*range("..3us"), (TimeRange{1000, 4000}));
        QCOMPARE(*range(" 500 .. 1us 500ns "), (TimeRange{1500, 2500}));
        QCOMPARE(*range("-1us..2us"), (TimeRange{0, 3000}));
        QCOMPARE(*range("1.5us..2.5us"), (TimeRange{2500, 3500}));
        QCOMPARE(*range("..9223372036854775807"), (TimeRange{1000, maxTime}));
        for (const char* text : {"", "5us", "3us..2us", "2us..2us", "x..2us", "1us..y", "9us.."}) QVERIFY(!range(text));
        QCOMPARE(range("1us..1kg").error().what, QStringLiteral("\"1kg\" is not a time: there is no unit \"kg\"."));
    }

    void processors_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("back");  // what formatProcessors makes of it
        QTest::newRow("one") << QStringLiteral("3") << QStringLiteral("3");
        QTest::newRow("the documented one") << QStringLiteral("1,3-9:3,11") << QStringLiteral("1,3-9:3,11");
        QTest::newRow("unsorted, repeated") << QStringLiteral("5, 4,5,3-4") << QStringLiteral("3-5");
        QTest::newRow("pairs") << QStringLiteral("1-2,10") << QStringLiteral("1,2,10");
        QTest::newRow("step beyond the end") << QStringLiteral("1-9:100") << QStringLiteral("1");
        QTest::newRow("huge step") << QStringLiteral("0-9:9223372036854775807") << QStringLiteral("0");
        QTest::newRow("all") << QStringLiteral("0-11") << QStringLiteral("0-11");
    }
    void processors()
    {
        QFETCH(QString, text);
        QFETCH(QString, back);
        const auto pes = parseProcessors(text, 12);
        QVERIFY(pes.ok());
        QCOMPARE(formatProcessors(*pes), back);
        const auto again = parseProcessors(back, 12);
        QVERIFY(again.ok());
        QVERIFY(*again == *pes);
    }

    void refusedProcessors_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("what");
        const auto row = [](const char* text, const char* what) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(what);
        };
        row("", "\"\" is no list of numbers: a number is missing or too large.");
        row("1,,2", "\"\" is no list of numbers: a number is missing or too large.");
        row("a", "\"a\" is no list of numbers: a number is missing or too large.");
        row("-1", "\"-1\" is no list of numbers: a number is missing or too large.");
        row("1-", "\"1-\" is no list of numbers: a number is missing or too large.");
        row("12", "\"12\" is no list of numbers: the last one is 11.");
        row("0-4000000000", "\"0-4000000000\" is no list of numbers: the last one is 11.");
        row("99999999999999999999",
            "\"99999999999999999999\" is no list of numbers: a number is missing or too large.");
        row("9-3", "\"9-3\" is no list of numbers: the range ends before it begins.");
        row("3-9:0", "\"3-9:0\" is no list of numbers: the step is 0.");
        row("3:2", "\"3:2\" is no list of numbers: a step needs a range.");
    }
    void refusedProcessors()
    {
        QFETCH(QString, text);
        QFETCH(QString, what);
        const auto pes = parseProcessors(text, 12);
        QVERIFY(!pes);
        QCOMPARE(pes.error().what, what);
        QVERIFY(!parseProcessors(QStringLiteral("0"), 0));
    }

    void taskIds()
    {
        QCOMPARE(toText(TaskId{ProcessorId{3}, 1207}), QStringLiteral("3:1207"));
        QCOMPARE(toText(MessageId{ProcessorId{0}, 4294967295u}), QStringLiteral("0:4294967295"));
        QCOMPARE(*parseTaskId(QStringLiteral(" 3:1207 ")), (TaskId{ProcessorId{3}, 1207}));
        for (const char* text :
             {"", "3", "3:", ":4", "3:4:5", "a:1", "-1:2", "+1:2", "1: 2", "4294967295:0", "0:4294967296"})
            QVERIFY2(!parseTaskId(QString::fromLatin1(text)), text);
    }

    void entryNames_data()
    {
        QTest::addColumn<QString>("chare");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("brief");
        const auto row = [](const char* chare, const char* name, const char* brief) {
            QTest::newRow(name) << QString::fromLatin1(chare) << QString::fromLatin1(name)
                                << QString::fromLatin1(brief);
        };
        row("Jacobi", "compute(int iteration)", "Jacobi::compute");
        row("Jacobi", "compute", "Jacobi::compute");
        row("", "dummy(void)", "dummy");
        row("Jacobi", "Jacobi::compute(int)", "Jacobi::compute");
        row("A", "recv<(int)3>(Msg*)", "A::recv<(int)3>");
        row("A", "take(std::vector<std::pair<int,int>>)", "A::take");
        row("A", "operator()(int)", "A::operator()");
        row("A", "operator<(int)", "A::operator<");
        row("A", "(no name)", "A::(no name)");
    }
    void entryNames()
    {
        QFETCH(QString, chare);
        QFETCH(QString, name);
        QFETCH(QString, brief);
        const Entry entry{.id = {}, .name = name, .chare = chare};
        QCOMPARE(entryName(entry), brief);
        QVERIFY(entryName(entry, false).endsWith(name));
    }

    void objectNames()
    {
        const std::array<std::int64_t, 6> element{3, 4, 0, 0, 0, 0};
        const std::array<std::int64_t, 6> none{};
        const auto chare = [](int dimensions) {
            return Chare{.id = {}, .name = QStringLiteral("Jacobi"), .dimensions = dimensions};
        };
        QCOMPARE(longpole::objectName(chare(2), element), QStringLiteral("Jacobi[3,4]"));
        QCOMPARE(longpole::objectName(chare(3), element), QStringLiteral("Jacobi[3,4,0]"));
        QCOMPARE(longpole::objectName(chare(1), none), QStringLiteral("Jacobi[0]"));
        QCOMPARE(longpole::objectName(chare(9), none), QStringLiteral("Jacobi[0,0,0,0,0,0]"));
        QCOMPARE(longpole::objectName(chare(-1), none), QStringLiteral("Jacobi"));
        QCOMPARE(longpole::objectName(chare(-1), element), QStringLiteral("Jacobi[3,4]"));
        QCOMPARE(longpole::objectName(chare(2), {}), QStringLiteral("Jacobi"));
    }
};

LONGPOLE_TEST(TestFormat)
#include "tst_format.moc"
