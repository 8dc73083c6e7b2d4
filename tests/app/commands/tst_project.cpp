// SPDX-License-Identifier: GPL-3.0-or-later
// What project says about traces: schemas, sums that are those of info, pictures, animations, and what is wrong with a
// call.
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"
#include "app/wrongcalls.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

std::int64_t sum(const json& values)
{
    std::int64_t all = 0;
    for (const json& row : values)
        for (const json& value : row) all += value.get<std::int64_t>();
    return all;
}

}  // namespace

class TestProject : public QObject {
    Q_OBJECT

private:
    Said said(QStringList arguments, const QString& trace = {}) const
    {
        arguments.insert(1, trace.isEmpty() ? m_trace : trace);
        return m_program(arguments);
    }
    json answer(QStringList arguments, const QString& trace = {}) const
    {
        const Said answered = said(arguments << QStringLiteral("--json"), trace);
        if (answered.code != 0) qCritical("%d: %s", answered.code, qPrintable(answered.error));
        return json::parse(answered.out.toStdString(), nullptr, false);
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        const auto written = writeHostileTrace(m_trace);
        QVERIFY2(written, qPrintable(written ? QString() : toText(written.error())));
    }

    void jsonFitsItsSchema_data()
    {
        QTest::addColumn<QString>("call");
        for (const char* call :
             {"project --list", "project --attribute user", "project --attribute grain_mean --stages 3",
              "project --attribute utilization --view overview", "project --attribute idle --pes 1",
              "project --attribute user/tasks --view overview --over time",
              "project --attribute tasks --view overview --statistic p90 --timestep 3us",
              "project --attribute critical_path --edges messages", "project --attribute overhead --stage-set 1,3-9:2"})
            QTest::newRow(call) << QString::fromUtf8(call);
    }
    void jsonFitsItsSchema()
    {
        QFETCH(const QString, call);
        const Said answered = said(call.split(QLatin1Char(' ')) << QStringLiteral("--json"));
        QVERIFY2(answered.code == 0, qPrintable(answered.error));
        QCOMPARE(QString::fromStdString(violation(answered.out.toStdString(), "project")), QString());
    }

    void sumsAreThoseOfInfo_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::newRow("small") << m_trace;
        for (const char* name : {"gauss_seidel_p8", "features_p4", "jacobi2d_sdag_p4", "wave2d_killed_p3"})
            QTest::newRow(name) << QStringLiteral(LONGPOLE_TEST_DATA "/") + QLatin1String(name);
    }
    void sumsAreThoseOfInfo()
    {
        QFETCH(const QString, trace);
        const json info = answer({QStringLiteral("info")}, trace);
        const auto total = [&](const char* attribute, const char* how) {
            return sum(answer(words("project --attribute") << QLatin1String(attribute) << words(how), trace)["values"]);
        };
        for (const char* how :
             {"--stages 1", "--stages 100", "--view overview --stages 7", "--view overview --over time"}) {
            QCOMPARE(total("user", how), info["busy_ns"].get<std::int64_t>());
            QCOMPARE(total("idle", how), info["idle_ns"].get<std::int64_t>());
            QCOMPARE(total("overhead", how), info["overhead_ns"].get<std::int64_t>());
            QCOMPARE(total("tasks", how), info["tasks"].get<std::int64_t>());
            QCOMPARE(total("messages_created", how), info["messages"].get<std::int64_t>());
        }
    }

    void edgesAndRows()
    {
        const json info = answer({QStringLiteral("info")});
        const std::int64_t begin = info["begin_ns"].get<std::int64_t>(), end = info["end_ns"].get<std::int64_t>();
        const json found = answer(words("project --attribute user --stages 7"));
        COMPARE_JSON(found["unit"], "ns");
        COMPARE_JSON(found["additive"], true);
        QCOMPARE(found["stage_edges_ns"].size(), std::size_t{8});
        for (std::int64_t i = 0; i <= 7; ++i)
            COMPARE_JSON(found["stage_edges_ns"][static_cast<std::size_t>(i)], begin + (end - begin) * i / 7);
        QCOMPARE(found["values"].size(), info["processors"].get<std::size_t>());
        QCOMPARE(found["pes"].size(), info["processors"].get<std::size_t>());
        for (const json& row : found["values"]) QCOMPARE(row.size(), std::size_t{7});
        const json one = answer(words("project --attribute user --pes 1 --stages 7"));
        COMPARE_JSON(one["pes"], json({1}));
        COMPARE_JSON(one["values"][0], found["values"][1]);
        const json path = answer(words("project --attribute critical_path --edges messages"));
        COMPARE_JSON(json(sum(path["values"])), answer(words("critical-path --edges messages"))["length_ns"]);
    }

    void csvHasALineACell()
    {
        const QString text = said(words("project --attribute user --stages 2 --csv")).out;
        const QStringList lines = text.split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
        QCOMPARE(lines.front(), QStringLiteral("pe,stage,begin_ns,end_ns,user"));
        QCOMPARE(lines.size(), 1 + 2 * 2);
        const QString over = said(words("project --attribute user --stages 2 --view overview --csv")).out;
        QCOMPARE(over.split(QStringLiteral("\r\n"), Qt::SkipEmptyParts).front(),
                 QStringLiteral("stage,begin_ns,end_ns,user"));
    }

    void textIsForPeople()
    {
        const QString detailed = said(words("project --attribute utilization --stages 4")).out;
        QVERIFY(detailed.startsWith(QStringLiteral("Utilization · 4 stages · 2 PEs")));
        QVERIFY(detailed.contains(QStringLiteral("together")));
        const QString list = said(words("project --list")).out;
        QVERIFY(list.contains(QStringLiteral("bytes_received_in_node")));
        QVERIFY(list.contains(QStringLiteral("recorded no memory")));
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QSize>("size");
        QTest::newRow("heat map") << "project --attribute utilization --size 700x300" << QSize(700, 300);
        QTest::newRow("dark, log") << "project --attribute user --log --theme dark --size 700x300" << QSize(700, 300);
        QTest::newRow("overview") << "project --attribute tasks --view overview --size 600x200" << QSize(600, 200);
        QTest::newRow("over time") << "project --attribute idle --view overview --over time --size 600x200"
                                   << QSize(600, 200);
        QTest::newRow("nothing in it") << "project --attribute flush --size 600x200" << QSize(600, 200);
        QTest::newRow("animation") << "project --attribute user --view animation --stages 4 --path --size 300x240"
                                   << QSize(300, 240);
    }
    void pictures()
    {
        QFETCH(const QString, call);
        const QString file = m_folder.filePath(QStringLiteral("picture.png"));
        const Said drawn = said(call.split(QLatin1Char(' ')) << QStringLiteral("-o") << file);
        QVERIFY2(drawn.code == 0, qPrintable(drawn.error));
        const QImage image(file);
        QTEST(image.size(), "size");
        // Something is drawn on the ground.
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); y += 3)
            for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
        QVERIFY(colours.size() > 4);
        if (!call.contains(QLatin1String("animation"))) return;
        QFile bytes(file);
        QVERIFY(bytes.open(QIODevice::ReadOnly));
        const QByteArray png = bytes.readAll();
        QCOMPARE(png.count("fcTL"), 4);
        QCOMPARE(png.count("fdAT"), 3);
    }

    void svg()
    {
        const QString file = m_folder.filePath(QStringLiteral("picture.svg"));
        QCOMPARE(said(words("project --attribute utilization -o") << file).code, 0);
        QFile svg(file);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("<svg"));
    }

    void wrongCalls_data()
    {
        addWrongCalls({{"project", 2, "--attribute A is missing"},
                       {"project --attribute utilisation", 2, "utilization"},
                       {"project --attribute user/", 2, "column"},
                       {"project --attribute user/tsks", 2, "tasks"},
                       {"project --attribute memory", 3, "recorded no memory"},
                       {"project --attribute memory/tasks", 3, "recorded no memory"},
                       {"project --attribute events@step", 2, "step"},
                       {"project --attribute user --timestep 0", 2, "longer than zero"},
                       {"project --attribute user --timestep 1m", 2, "longer than the range"},
                       {"project --attribute user --timestep soon", 2, "soon"},
                       {"project --attribute user --stages 0", 2, "at least one"},
                       {"project --attribute user --stages 5000000", 2, "more than"},
                       {"project --attribute user --pes 7", 2, "--pes"},
                       {"project --attribute user --stage-set 200", 2, "200"},
                       {"project --attribute user --view overview --statistic mode", 2, "--statistic"},
                       {"project --attribute user --view overview --statistic p101", 2, "--statistic"},
                       {"project --attribute user --by phase", 3, "phase"},
                       {"project --attribute user --view animation", 2, "FILE.png"},
                       {"project --attribute user --view animation --grid 1x1 -o none.png", 2, "too few"},
                       {"project --attribute user --view animation --grid 9x9 -o none.png", 2, "so large a grid"},
                       {"project --attribute user --stages 3 --timestep 1us", 2, "give one of them"},
                       {"project --attribute user --statistic mean", 2, "overview"},
                       {"project --attribute user --range 10s..20s", 2, "--range 10s..20s: the run lasts 10 us only."},
                       {"project --attribute user --view everything", 2, "everything"},
                       {"project --attribute user -o x.gif", 2, ".png"},
                       {"project --attribute user -o /nowhere/x.csv", 3, "/nowhere"}});
    }
    void wrongCalls()
    {
        QFETCH(const QString, call);
        checkRefused(said(call.split(QLatin1Char(' '))));
    }

private:
    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestProject)
#include "tst_project.moc"
