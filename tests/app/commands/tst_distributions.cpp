// SPDX-License-Identifier: GPL-3.0-or-later
// What histogram, usage and comm-matrix say about a trace that can be redrawn by hand: exact text, CSV and JSON, their
// schemas, their pictures, and what is wrong with a call.
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

const json startNamed = {{"id", 0}, {"name", "start()"}, {"chare", "Solver"}};
const json runNamed = {{"id", 1}, {"name", hostileName.toStdString()}, {"chare", "Solver"}};

}  // namespace

class TestDistributions : public QObject {
    Q_OBJECT

private:
    QString out(QStringList arguments, int code = 0) const
    {
        arguments.insert(1, m_trace);
        const Said said = m_program(arguments);
        if (said.code != code) qCritical("%d: %s", said.code, qPrintable(said.error));
        return said.out;
    }
    json answer(QStringList arguments) const
    {
        arguments << QStringLiteral("--json");
        return json::parse(out(arguments).toStdString(), nullptr, false);
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        const auto written = writeHostileTrace(m_trace);
        QVERIFY2(written, qPrintable(written ? QString() : toText(written.error())));
    }

    void rangesAreWrittenInTwoWays()
    {
        for (const char* call : {"usage", "histogram", "comm-matrix", "slack", "critical-path", "graph"}) {
            const auto answer = [&](const char* range) {
                return out(QString::fromLatin1(call).split(QLatin1Char(' '))
                           << words(range) << QStringLiteral("--json"));
            };
            const QString text = answer("--range 1us..4us");
            QVERIFY2(!text.isEmpty() && text != answer("--range 2us.."), call);
            QCOMPARE(answer("--from 1us --until 4us"), text);
            QCOMPARE(answer("--from 2us"), answer("--range 2us.."));
        }
    }

    void ranksHaveNoQueues()
    {
        const QString ranks = QStringLiteral(LONGPOLE_TEST_DATA "/otf2/pipit_ping-pong/traces.otf2");
        const Said said = m_program({QStringLiteral("histogram"), ranks, QStringLiteral("--of"),
                                     QStringLiteral("queue-wait")});
        QCOMPARE(said.code, 3);
        QVERIFY2(said.error.contains(QLatin1String("ranks have no queues")), qPrintable(said.error));
    }

    void jsonFitsItsSchema_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("schema");
        for (const char* of : {"task-duration", "message-size", "idle-length", "latency", "queue-wait"})
            QTest::newRow(of) << QStringLiteral("histogram --of %1").arg(QLatin1String(of))
                              << QStringLiteral("histogram");
        for (const char* call :
             {"histogram --linear", "histogram --by entry --bins 3", "histogram --range 3us..4us", "usage",
              "usage --pes 1", "comm-matrix", "comm-matrix --by node", "comm-matrix --by entry", "comm-matrix --pes 0"})
            QTest::newRow(call) << QString::fromUtf8(call) << QString::fromUtf8(call).section(QLatin1Char(' '), 0, 0);
    }
    void jsonFitsItsSchema()
    {
        QFETCH(QString, call);
        QFETCH(QString, schema);
        const QString said = out(call.split(QLatin1Char(' ')) << QStringLiteral("--json"));
        QCOMPARE(QString::fromStdString(violation(said.toStdString(), schema.toStdString())), QString());
    }

    // Tasks of 4, 3 and 6 us.
    void histogramOfTasks()
    {
        const json found = answer(words("histogram"));
        COMPARE_JSON(found["count"], 3);
        COMPARE_JSON(found["sum"], 13 * us);
        COMPARE_JSON(found["percentiles"]["50"], 4 * us);
        COMPARE_JSON(found["percentiles"]["99"], 6 * us);
        COMPARE_JSON(found["per_decade"], 10);
        const json linear = answer(words("histogram --width 2us"));
        COMPARE_JSON(linear["bins"], json({{{"from", 2000}, {"to", 4000}, {"count", 1}, {"sum", 3000}},
                                           {{"from", 4000}, {"to", 6000}, {"count", 1}, {"sum", 4000}},
                                           {{"from", 6000}, {"to", 8000}, {"count", 1}, {"sum", 6000}}}));
        COMPARE_JSON(linear["series"][0],
                     json({{"entry", runNamed}, {"rest", false}, {"counts", {1, 0, 1}}, {"sums", {3000, 0, 6000}}}));
        COMPARE_JSON(linear["series"][1]["entry"], startNamed);
    }

    void histogramOfParts()
    {
        COMPARE_JSON(answer(words("histogram --range 3us.."))["sum"], 9 * us);  // 0:0 begins before
        COMPARE_JSON(answer(words("histogram --pes 0"))["sum"], 7 * us);
        for (const char* call : {"histogram --of message-size", "histogram", "comm-matrix", "usage"})
            COMPARE_JSON(answer(words(call) << words("--range 0..")), answer(words(call)));  // all of it
        COMPARE_JSON(answer(words("histogram --entry start"))["sum"], 4 * us);
        COMPARE_JSON(answer(words("histogram --range 1ns..2ns"))["bins"], json::array());
    }

    void histogramOfWaits()
    {
        COMPARE_JSON(answer(words("histogram --of message-size"))["sum"], 640);
        COMPARE_JSON(answer(words("histogram --of idle-length"))["sum"], 7 * us);
        COMPARE_JSON(answer(words("histogram --of idle-length"))["count"], 4);
        COMPARE_JSON(answer(words("histogram --of latency"))["sum"], 1 * us);
        const json wait = answer(words("histogram --of queue-wait"));
        COMPARE_JSON(wait["sum"], 0);  // the only message between them was also the fastest
        COMPARE_JSON(wait["estimated"], 1);
    }

    void histogramAsText()
    {
        const QString text = out(words("histogram --width 2us"));
        QVERIFY2(text.startsWith(QStringLiteral("Task duration: 3 tasks · 13 us in all · mean 4.333 us · median 4 us · "
                                                "95 % up to 6 us · most 6 us\n\n")),
                 qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("2 us to 4 us")));
        QVERIFY(text.contains(QString(40, QChar(0x2588))));
        QCOMPARE(out(words("histogram --width 2us --csv")),
                 QStringLiteral("from_ns,to_ns,count,time_ns\n2000,4000,1,3000\n4000,6000,1,4000\n6000,8000,1,6000\n"));
        QCOMPARE(
            out(words("histogram --of message-size --by entry --width 1000 --csv")).section(QLatin1Char('\n'), 0, 0),
            QStringLiteral("entry_id,entry,entry_chare,from_bytes,to_bytes,count,bytes"));
    }

    // What nobody knows counts as overhead, and is said.
    void usageWithoutALog()
    {
        QTemporaryDir folder;
        const QString source = QStringLiteral(LONGPOLE_TEST_DATA "/jacobi2d_sdag_p4/");
        for (const QString& name : QDir(source).entryList(QDir::Files))
            QVERIFY(name == QLatin1String("jacobi2d.2.log.gz") || QFile::copy(source + name, folder.filePath(name)));
        const QString trace = folder.filePath(QStringLiteral("jacobi2d.sts"));
        const QString said = m_program({QStringLiteral("usage"), trace}).out;
        QVERIFY2(said.endsWith(QStringLiteral("\n25.0 % of all time, listed as overhead, is that of PEs without a log: "
                                              "nobody knows what they did.\n")),
                 qPrintable(said));
        const QString others =
            m_program({QStringLiteral("usage"), trace, QStringLiteral("--pes"), QStringLiteral("0,1")}).out;
        QVERIFY2(!others.isEmpty() && !others.contains(QStringLiteral("without a log")), qPrintable(others));
    }

    void usage()
    {
        COMPARE_JSON(answer(words("usage")),
                     json({{{"pe", 0},
                            {"user_ns", 7000},
                            {"idle_ns", 3000},
                            {"overhead_ns", 0},
                            {"pack_ns", 0},
                            {"flush_ns", 0},
                            {"untraced_ns", 0},
                            {"entries",
                             {{{"entry", startNamed}, {"time_ns", 4000}}, {{"entry", runNamed}, {"time_ns", 3000}}}}},
                           {{"pe", 1},
                            {"user_ns", 6000},
                            {"idle_ns", 4000},
                            {"overhead_ns", 0},
                            {"pack_ns", 0},
                            {"flush_ns", 0},
                            {"untraced_ns", 0},
                            {"entries", json::array({json({{"entry", runNamed}, {"time_ns", 6000}})})}}}));
        QCOMPARE(out(words("usage --csv")),
                 QStringLiteral("pe,user_ns,idle_ns,overhead_ns,pack_ns,flush_ns,untraced_ns\n"
                                "0,7000,3000,0,0,0,0\n1,6000,4000,0,0,0,0\n"));
        QVERIFY(out(words("usage")).contains(QStringLiteral("65.0 %")));  // of both
        // 3 us to 7 us: PE 0 runs 1 us of its first task, idles for 2 and runs 1 us of the next; PE 1 runs all the
        // time.
        QCOMPARE(out(words("usage --range 3us..7us --csv")),
                 QStringLiteral("pe,user_ns,idle_ns,overhead_ns,pack_ns,flush_ns,untraced_ns\n"
                                "0,2000,2000,0,0,0,0\n1,4000,0,0,0,0,0\n"));
        COMPARE_JSON(answer(words("usage --range 3us..7us --pes 0"))[0]["entries"],
                     json({{{"entry", startNamed}, {"time_ns", 1000}}, {{"entry", runNamed}, {"time_ns", 1000}}}));
        QCOMPARE(out(words("usage --by entry --pes 0 --csv")).count(QLatin1Char('\n')), 3);
    }

    void commMatrix()
    {
        const json amount = {{"messages", 1}, {"bytes", 640}, {"deliveries", 1}, {"delivered_bytes", 640}};
        const json nothing = {{"messages", 0}, {"bytes", 0}, {"deliveries", 0}, {"delivered_bytes", 0}};
        const json none = {{"messages", 0}, {"bytes", 0}};
        COMPARE_JSON(answer(words("comm-matrix")), json({{"by", "pe"},
                                                         {"total", amount},
                                                         {"in_node", amount},
                                                         {"outside", nothing},
                                                         {"unattributed", none},
                                                         {"unexecuted", none},
                                                         {"unknown_senders", 2},
                                                         {"cells", json::array({json({{"from", 0},
                                                                                      {"to", 1},
                                                                                      {"messages", 1},
                                                                                      {"bytes", 640},
                                                                                      {"deliveries", 1},
                                                                                      {"delivered_bytes", 640}})})}}));
        const json byEntry = answer(words("comm-matrix --by entry"))["cells"][0];
        COMPARE_JSON(byEntry["from"], startNamed);
        COMPARE_JSON(byEntry["to"], runNamed);
        COMPARE_JSON(answer(words("comm-matrix --pes 0"))["outside"], amount);
        COMPARE_JSON(answer(words("comm-matrix --range ..2us"))["total"], nothing);
        QCOMPARE(out(words("comm-matrix --csv")),
                 QStringLiteral("from,to,messages,bytes,deliveries,delivered_bytes\n0,1,1,640,1,640\n"));
        QVERIFY(out(words("comm-matrix")).contains(QStringLiteral("1 message, 640 B · 1 delivery, 640 B")));
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QSize>("size");
        QTest::newRow("histogram") << QStringLiteral("histogram") << QSize(960, 420);
        QTest::newRow("histogram of nothing")
            << QStringLiteral("histogram --range 1ns..2ns --size 400x200") << QSize(400, 200);
        QTest::newRow("heights") << QStringLiteral("histogram --height sum --log-height --theme dark --size 500")
                                 << QSize(500, 420);
        QTest::newRow("usage") << QStringLiteral("usage --size 700x300") << QSize(700, 300);
        QTest::newRow("matrix") << QStringLiteral("comm-matrix --measure messages --size 640x400") << QSize(640, 400);
        QTest::newRow("call table") << QStringLiteral("comm-matrix --by entry --linear --size 640x400")
                                    << QSize(640, 400);
    }
    void pictures()
    {
        QFETCH(QString, call);
        QFETCH(QSize, size);
        const QString png = m_folder.filePath(QStringLiteral("picture.png"));
        out(call.split(QLatin1Char(' ')) << QStringLiteral("-o") << png);
        const QImage image(png);
        QCOMPARE(image.size(), size);
        const QString svg = m_folder.filePath(QStringLiteral("picture.svg"));
        out(call.split(QLatin1Char(' ')) << QStringLiteral("-o") << svg);
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("<svg"));
    }

    // A bar of PE 0: user 70 %, then idle, on a plot 0 to 100 %.
    void pictureOfUsageIsToScale()
    {
        const QString png = m_folder.filePath(QStringLiteral("usage.png"));
        out(words("usage --size 800x400 -o") << png);
        const QImage image(png);
        const QRgb idle = qRgb(236, 239, 244);  // of the light theme
        int idlePixels = 0;
        int barPixels = 0;
        for (int y = 50; y < 330; ++y) {
            const QRgb pixel = image.pixel(260, y);
            if (pixel == idle) ++idlePixels;
            if (pixel != qRgb(255, 255, 255)) ++barPixels;
        }
        QVERIFY(barPixels > 200);
        QVERIFY2(std::abs(idlePixels - 0.3 * barPixels) < 5,
                 qPrintable(QStringLiteral("%1 of %2").arg(idlePixels).arg(barPixels)));
    }

    void wrongCalls_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QString>("says");
        QTest::newRow("quantity") << QStringLiteral("histogram --of weight") << QStringLiteral("--of takes");
        QTest::newRow("log and bins") << QStringLiteral("histogram --log --bins 3") << QStringLiteral("--log excludes");
        QTest::newRow("per decade") << QStringLiteral("histogram --per-decade 3 --linear")
                                    << QStringLiteral("--per-decade");
        QTest::newRow("too fine") << QStringLiteral("histogram --per-decade 1000") << QStringLiteral("at most 100");
        QTest::newRow("too many") << QStringLiteral("histogram --bins 1000000")
                                  << QStringLiteral("--bins takes at most");
        QTest::newRow("width") << QStringLiteral("histogram --width 3parsecs") << QStringLiteral("--width");
        QTest::newRow("no width") << QStringLiteral("histogram --width 0") << QStringLiteral("above zero");
        QTest::newRow("bytes") << QStringLiteral("histogram --of message-size --width 3us")
                               << QStringLiteral("whole number");
        QTest::newRow("entry") << QStringLiteral("histogram --entry strat") << QStringLiteral("did you mean");
        QTest::newRow("range") << QStringLiteral("comm-matrix --range 5..x") << QStringLiteral("--range");
        QTest::newRow("outside") << QStringLiteral("histogram --range 50us..60us")
                                 << QStringLiteral("--range 50us..60us: the run lasts 10 us only.");
        QTest::newRow("pes") << QStringLiteral("usage --pes 7") << QStringLiteral("--pes");
        QTest::newRow("ending") << QStringLiteral("comm-matrix -o m.pdf")
                                << QStringLiteral(".txt, .json, .csv, .png or .svg");
        QTest::newRow("size") << QStringLiteral("usage --size big -o u.png") << QStringLiteral("--size takes");
        QTest::newRow("limit") << QStringLiteral("comm-matrix --limit 0") << QStringLiteral("--limit takes");
    }
    void wrongCalls()
    {
        QFETCH(QString, call);
        QFETCH(QString, says);
        QStringList arguments = call.split(QLatin1Char(' '));
        arguments.insert(1, m_trace);
        const Said said = m_program(arguments);
        QCOMPARE(said.code, 2);
        QVERIFY2(said.error.contains(says), qPrintable(said.error));
        QVERIFY(said.out.isEmpty());
    }

private:
    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestDistributions)
#include "tst_distributions.moc"
