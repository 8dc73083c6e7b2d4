// SPDX-License-Identifier: GPL-3.0-or-later
// Links to traces: what was written is read again, and what is no link is none.
#include "app/common/tracelink.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole;

class TestTraceLink : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void roundTrip_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<TimeRange>("range");
        QTest::newRow("plain") << QStringLiteral("/runs/wave2d.sts") << TimeRange{12'000'000, 15'000'000};
        QTest::newRow("whole") << QStringLiteral("/runs/wave2d.sts") << TimeRange{};
        QTest::newRow("odd name") << QStringLiteral("/a b/50 %?from=3&x#y/\u00e4\"<'.longpole") << TimeRange{-5, 1};
        QTest::newRow("long times") << QStringLiteral("/x") << TimeRange{minTime + 1, maxTime};
    }
    void roundTrip()
    {
        QFETCH(QString, path);
        QFETCH(TimeRange, range);
        const TraceLink link{path, range};
        const QString text = toText(link);
        QVERIFY(isTraceLink(text));
        QVERIFY(!text.contains(QLatin1Char(' ')) && !text.contains(QLatin1Char('"'))
                && !text.contains(QLatin1Char('<')));
        QCOMPARE(traceLinkFrom(text), std::optional(link));
    }

    void asItIsWritten()
    {
        QCOMPARE(toText(TraceLink{QStringLiteral("/runs/wave2d.sts"), {12'000'000, 15'000'000}}),
                 QStringLiteral("longpole:/runs/wave2d.sts?from=12000000&until=15000000"));
        QCOMPARE(toText(TraceLink{QStringLiteral("/runs/wave2d.sts"), {}, {ProcessorId{3}, 1207}}),
                 QStringLiteral("longpole:/runs/wave2d.sts?task=3:1207"));
    }

    void ofATask()
    {
        for (const TimeRange& range : {TimeRange{}, TimeRange{5, 9}}) {
            const TraceLink link{QStringLiteral("/a b/x?task=1:2"), range, {ProcessorId{65535}, 0xffffffffu}};
            QCOMPARE(traceLinkFrom(toText(link)), std::optional(link));
        }
    }

    void isNone_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "longpole:", "longpole:x.sts", "longpole://host/x.sts", "https://host/x.sts", "file:/x.sts",
              "longpole:/x?from=1s&until=2s", "longpole:/x?from=", "longpole:/x?task=", "longpole:/x?task=3",
              "longpole:/x?task=3:", "longpole:/x?task=3:-1", "longpole:/x?task=4294967295:1", "longpole:/x?task=a:1"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }
    void isNone()
    {
        QFETCH(QString, text);
        QVERIFY(!traceLinkFrom(text));
    }

    void aRangeThatIsNoneIsTheWholeRun()
    {
        for (const char* text : {"longpole:/x?from=5&until=5", "longpole:/x?from=5", "longpole:/x?until=9"})
            QCOMPARE(traceLinkFrom(QString::fromUtf8(text)), std::optional(TraceLink{QStringLiteral("/x"), {}}));
    }
};

LONGPOLE_TEST(TestTraceLink)
#include "tst_tracelink.moc"
