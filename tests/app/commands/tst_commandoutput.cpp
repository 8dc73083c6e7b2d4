// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands say about a trace that can be redrawn by hand: exact text, CSV and JSON, and the documented
// schemas.
#include "app/commands/smalltracetest.h"
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"
#include "importers/smallrun.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QRegularExpression>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestCommandOutput : public SmallTraceTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { writeSmall(); }
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void jsonFitsItsSchema_data();
    void jsonFitsItsSchema();
    void infoSaysEverything();
    void profileGroups_data();
    void profileGroups();
    void efficiency();
    void parallelism();
    void graphOfTheTrace();
    void sqlAnswers_data();
    void sqlAnswers();
    void sqlRefusesToWrite_data();
    void sqlRefusesToWrite();
    void fileByItsEnding();
    void pictureHasItsSize();
    void damagedPicturesAreRefused();
};

void TestCommandOutput::jsonFitsItsSchema_data()
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("schema");
    const auto row = [](const char* call, const char* schema) {
        QTest::newRow(call) << QString::fromUtf8(call) << QString::fromUtf8(schema);
    };
    row("info", "info");
    row("import", "import");
    row("profile", "profile");
    row("profile --by chare", "profile");
    row("profile --by pe", "profile");
    row("profile --by object", "profile");
    row("critical-path", "critical-path");
    row("critical-path --edges messages", "critical-path");
    row("critical-path --edges merges", "critical-path");
    row("critical-path --mode elapsed", "critical-path");
    row("critical-path --mode sweep", "critical-path");
    row("critical-path --to 0:1", "critical-path");
    row("critical-path --streaming", "critical-path");
    row("critical-path --streaming --inclusive --sample 1us --zeroing", "critical-path");
    row("critical-path --streaming --top-share 2 --sample 3us", "critical-path");
    row("near-critical", "near-critical");
    row("near-critical --mode elapsed -k 2", "near-critical");
    row("near-critical --edges merges", "near-critical");
    row("efficiency", "efficiency");
    row("efficiency --from 3us --until 4us", "efficiency");
    row("efficiency --by-phase 3", "efficiency");
    row("parallelism", "parallelism");
    row("parallelism --edges merges -k 1", "parallelism");
    row("slack", "slack");
    row("slack --mode elapsed", "slack");
    row("slack --max 0 --edges messages", "slack");
    row("zeroing", "zeroing");
    row("zeroing --mode elapsed --factor 1/2", "zeroing");
    row("zeroing --entry 0 --entry 1 --factor 2", "zeroing");
    row("replay", "replay");
    row("replay --priority 1=-5 --network ideal --balance perfect --factor 0=1/2", "replay");
    row("activity-table --pe 1", "activity-table");
    row("activity-table --pe 0 --edges messages", "activity-table");
    row("graph", "graph");
    row("graph --edges messages --to 1:0 --nodes 1", "graph");
}

void TestCommandOutput::jsonFitsItsSchema()
{
    QFETCH(QString, call);
    QFETCH(QString, schema);
    QStringList arguments = call.split(QLatin1Char(' '));
    arguments << QStringLiteral("--json");
    const std::string wrong = violation(out(arguments).toStdString(), schema.toStdString());
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestCommandOutput::infoSaysEverything()
{
    const json info = answer(words("info"));
    COMPARE_JSON(info.at("program"), json("small"));
    COMPARE_JSON(info.at("commandline"), json("./small \"two words\" +p2"));
    COMPARE_JSON(info.at("begin_ns"), json(5'000'000));
    COMPARE_JSON(info.at("end_ns"), json(5'010'000));
    COMPARE_JSON(info.at("busy_ns"), json(13'000));
    COMPARE_JSON(info.at("idle_ns"), json(7'000));
    COMPARE_JSON(info.at("overhead_ns"), json(0));
    COMPARE_JSON(info.at("startup_ns"), json(1'000'000));
    COMPARE_JSON(info.at("issues"),
                 json::array({{{"kind", "unmatched_execution"}, {"count", 1}, {"where", "small.0.log, line 7"}}}));
    COMPARE_JSON(info.at("counts"), json::array({{{"kind", "BEGIN_PROCESSING"}, {"count", 3}}}));

    const QString text = out(words("info"));
    QVERIFY2(text.contains(QStringLiteral("Duration       10 us after 1 ms of start-up\n")), qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("Busy           65.0 % (13 us)\n")));
    QVERIFY(text.contains(QStringLiteral("unmatched_execution      1  small.0.log, line 7\n")));
    QVERIFY(out(words("info --csv")).contains(QStringLiteral("commandline,\"./small \"\"two words\"\" +p2\"\n")));
}

void TestCommandOutput::profileGroups_data()
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("csv");
    QString quoted = hostileName;
    quoted = QLatin1Char('"') + quoted.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
    const QString figures = QStringLiteral("count,time_ns,exclusive_ns,share,messages,bytes\n");
    const QString nine = QString::number(9.0 / 13, 'g', QLocale::FloatingPointShortest);
    const QString four = QString::number(4.0 / 13, 'g', QLocale::FloatingPointShortest);
    const QString seven = QString::number(7.0 / 13, 'g', QLocale::FloatingPointShortest);
    const QString six = QString::number(6.0 / 13, 'g', QLocale::FloatingPointShortest);
    QTest::newRow("entry") << QStringLiteral("profile --csv")
                           << QStringLiteral("entry_id,entry,entry_chare,") + figures + QStringLiteral("1,") + quoted
                                  + QStringLiteral(",Solver,2,9000,9000,%1,0,0\n").arg(nine)
                                  + QStringLiteral("0,start(),Solver,1,4000,4000,%1,1,640\n").arg(four);
    QTest::newRow("chare") << QStringLiteral("profile --csv --by chare")
                           << QStringLiteral("chare,chare_id,") + figures
                                  + QStringLiteral("Solver,0,3,13000,13000,1,1,640\n");
    QTest::newRow("pe") << QStringLiteral("profile --csv --by pe")
                        << QStringLiteral("pe,") + figures + QStringLiteral("0,2,7000,7000,%1,1,640\n").arg(seven)
                               + QStringLiteral("1,1,6000,6000,%1,0,0\n").arg(six);
    QTest::newRow("object") << QStringLiteral("profile --csv --by object")
                            << QStringLiteral("object,chare_id,") + figures
                                   + QStringLiteral("Solver[0],0,2,7000,7000,%1,1,640\n").arg(seven)
                                   + QStringLiteral("Solver[1],0,1,6000,6000,%1,0,0\n").arg(six);
}

void TestCommandOutput::profileGroups()
{
    QFETCH(QString, call);
    QFETCH(QString, csv);
    QCOMPARE(out(call.split(QLatin1Char(' '))), csv);
}

// 0:1 is 3 us of work and began 6 us after the run; 1:0 is 6 us and began 1 us after what its message waited for.
void TestCommandOutput::efficiency()
{
    const json run = answer(words("efficiency"));
    COMPARE_JSON(run.at("duration_ns"), json(10'000));
    COMPARE_JSON(run.at("useful_ns"), json({7'000, 6'000}));
    COMPARE_JSON(run.at("useful_max_ns"), json(7'000));
    COMPARE_JSON(run.at("useful_average_ns"), json(6'500));
    COMPARE_JSON(run.at("ideal_ns"), json(8'000));
    COMPARE_JSON(run.at("parallel"), json(0.65));
    COMPARE_JSON(run.at("communication"), json(0.7));
    COMPARE_JSON(run.at("serialization"), json(0.875));
    COMPARE_JSON(run.at("transfer"), json(0.8));
    QVERIFY(!run.contains("phases"));
    const json part = answer(words("efficiency --from 4us --until 6us"));
    COMPARE_JSON(part.at("begin_ns"), json(5'004'000));
    COMPARE_JSON(part.at("useful_ns"), json({0, 2'000}));
    const json phases = answer(words("efficiency --by-phase 2")).at("phases");
    QCOMPARE(phases.size(), std::size_t(2));
    COMPARE_JSON(phases.at(1).at("name"), json("1: 5 us to 10 us"));
    COMPARE_JSON(phases.at(1).at("useful_ns"), json({3'000, 4'000}));
    QCOMPARE(out(words("efficiency")),
             QStringLiteral(
                 "Parallel efficiency         65.0 %  Busy time of the average PE over the time: load balance x "
                 "communication\n  Load balance              92.9 %  Busy time: average over longest\n  Communication  "
                 "           70.0 %  Longest busy time over the time\n    Serialization           87.5 %  Longest busy "
                 "time over the time on an ideal network: the rest is waiting for each other\n    Transfer             "
                 "   80.0 %  The time on an ideal network over the time: the rest is messages under way\n\nTime 10 us, "
                 "on an ideal network 8 us. Busy time of 2 PEs: average 6.500 us, longest 7 us (PE 0).\n"));
    QCOMPARE(out(words("efficiency --csv --from 4us --until 6us")),
             QStringLiteral("phase,begin_ns,end_ns,duration_ns,ideal_ns,useful_max_ns,useful_average_ns,parallel,"
                            "load_balance,communication,serialization,transfer\n"
                            "all,5004000,5006000,2000,2000,2000,1000,0.5,0.5,1,1,1\n"));
    QVERIFY(out(words("efficiency --by-phase 2")).contains(QStringLiteral("0: 0 ns to 5 us")));
}

void TestCommandOutput::parallelism()
{
    const json tasks = answer(words("parallelism"));
    QCOMPARE(tasks.size(), std::size_t(2));
    const json start = {{"task", "0:0"},         {"pe", 0},
                        {"entry", startEntry},   {"part", "compute"},
                        {"begin_ns", 5'000'000}, {"end_ns", 5'002'000},
                        {"weight_ns", 2000},     {"where", nullptr}};
    const json itself = {{"task", "1:0"},         {"pe", 1},
                         {"entry", runEntry},     {"part", "compute"},
                         {"begin_ns", 5'003'000}, {"end_ns", 5'003'000},
                         {"weight_ns", 0},        {"where", nullptr}};
    COMPARE_JSON(tasks.at(0).at("task"), json("0:1"));
    COMPARE_JSON(tasks.at(0).at("delay_ns"), json(6000));
    COMPARE_JSON(tasks.at(1), json({{"task", "1:0"},
                                    {"entry", runEntry},
                                    {"dominated_ns", 6000},
                                    {"span_ns", 6000},
                                    {"exposed", 1.0},
                                    {"delay_ns", 1000},
                                    {"steps", json::array({start, itself})}}));
    QString quoted = hostileName;
    quoted.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    QCOMPARE(
        out(words("parallelism --csv -k 1")),
        QStringLiteral("task,entry_id,entry,entry_chare,dominated_ns,span_ns,exposed,delay_ns,queue_ns,network_ns\n"
                       "0:1,1,\"%1\",Solver,3000,3000,1,6000,0,0\n")
            .arg(quoted));
    QVERIFY(out(words("parallelism"))
                .startsWith(QStringLiteral("Tasks that much work waits for and that began late, edges messages\n")));
}

void TestCommandOutput::graphOfTheTrace()
{
    QCOMPARE(out(words("graph --csv")), QStringLiteral("source,target,kind,offset_ns,length_ns,on_path\n"
                                                       "0:0,1:0,message,2000,2000,true\n"
                                                       "0:0,0:1,order,4000,4000,false\n"));
    const json cut = answer(words("graph --nodes 1"));
    COMPARE_JSON(cut.at("tasks_omitted"), json(2));
    COMPARE_JSON(cut.at("dependencies_omitted"), json(0));
    COMPARE_JSON(cut.at("tasks"), json::array({{{"task", "1:0"},
                                                {"pe", 1},
                                                {"entry", runEntry},
                                                {"begin_ns", 5'003'000},
                                                {"end_ns", 5'009'000},
                                                {"length_ns", 8000},
                                                {"on_path", true}}}));
    COMPARE_JSON(cut.at("dependencies"), json::array());
    for (const char* ending : {"png", "svg", "dot", "csv", "json"}) {
        const QString file = m_folder.filePath(QStringLiteral("graph.") % QLatin1String(ending));
        QCOMPARE(out({QStringLiteral("graph"), QStringLiteral("-o"), file, QStringLiteral("--range"),
                      QStringLiteral("1us..9us")}),
                 QString());
        QVERIFY(QFileInfo(file).size() > 50);
    }
    QVERIFY(!QImage(m_folder.filePath(QStringLiteral("graph.png"))).isNull());
}

void TestCommandOutput::sqlAnswers_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* query, const char* format, const char* expected) {
        QTest::newRow(name) << QString::fromUtf8(query) << QString::fromUtf8(format) << QString::fromUtf8(expected);
    };
    row("json", "SELECT task, pe, begin_ns, end_ns FROM task WHERE pe = 0 ORDER BY begin_ns", "--json",
        "[\n  {\"task\":\"0:0\",\"pe\":0,\"begin_ns\":5000000,\"end_ns\":5004000},"
        "\n  {\"task\":\"0:1\",\"pe\":0,\"begin_ns\":5006000,\"end_ns\":5009000}\n]\n");
    row("no rows, json", "SELECT task FROM task WHERE pe = 9", "--json", "[]\n");
    row("no rows, csv", "SELECT task FROM task WHERE pe = 9", "--csv", "task\n");
    row("64 bits", "SELECT 9007199254740993 AS n, 0.1 AS x, NULL AS none, x'00ff' AS bytes", "--json",
        "[\n  {\"n\":9007199254740993,\"x\":0.1,\"none\":null,\"bytes\":\"00ff\"}\n]\n");
    row("same name twice", "SELECT 1 AS n, 2 AS n", "--json", "[\n  {\"n\":1,\"n_2\":2}\n]\n");
    row("csv quoting", "SELECT 'a,b' AS x, 'say \"no\"' AS y, 'two' || char(10) || 'lines' AS z, ' pad' AS p", "--csv",
        "x,y,z,p\n\"a,b\",\"say \"\"no\"\"\",\"two\nlines\",\" pad\"\n");
    row("text", "SELECT 'long name' AS n, 7 AS figure UNION ALL SELECT 'x', 1234 ORDER BY 1", "",
        "n          figure\n─────────  ──────\nlong name       7\nx            1234\n");
    row("text on one line", "SELECT 'a' || char(10) || 'b' AS n", "", "n\n───\na b\n");
}

void TestCommandOutput::sqlAnswers()
{
    QFETCH(QString, query);
    QFETCH(QString, format);
    QFETCH(QString, expected);
    QStringList call{QStringLiteral("sql"), query};
    if (!format.isEmpty()) call << format;
    QCOMPARE(out(call), expected);
}

void TestCommandOutput::sqlRefusesToWrite_data()
{
    QTest::addColumn<QString>("query");
    for (const char* query :
         {"DELETE FROM entry", "DROP TABLE meta", "CREATE TABLE t(x)", "UPDATE meta SET value = 1",
          "ATTACH ':memory:' AS m", "SELECT 1; DELETE FROM entry", "SELEC 1", "SELECT * FROM nothing"})
        QTest::newRow(query) << QString::fromUtf8(query);
}

void TestCommandOutput::sqlRefusesToWrite()
{
    QFETCH(QString, query);
    QFile file(m_trace);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    file.seek(0);
    const Said said = m_program({QStringLiteral("sql"), m_trace, query});
    QCOMPARE(said.code, 3);
    QCOMPARE(said.out, QString());
    QVERIFY(said.error.startsWith(QStringLiteral("longpole: ")));
    QVERIFY(file.readAll() == before);
}

void TestCommandOutput::fileByItsEnding()
{
    for (const char* ending : {"json", "csv", "txt"}) {
        const QString name = m_folder.filePath(QStringLiteral("profile.") + QString::fromUtf8(ending));
        QCOMPARE(out({QStringLiteral("profile"), QStringLiteral("-o"), name}), QString());
        QFile file(name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QStringList same{QStringLiteral("profile")};
        if (qstrcmp(ending, "txt") != 0) same << QStringLiteral("--") + QString::fromUtf8(ending);
        QCOMPARE(QString::fromUtf8(file.readAll()), out(same));
    }
}

void TestCommandOutput::pictureHasItsSize()
{
    const QString name = m_folder.filePath(QStringLiteral("picture.png"));
    out({QStringLiteral("render"), QStringLiteral("-o"), name, QStringLiteral("--size"), QStringLiteral("640x240"),
         QStringLiteral("--path")});
    QCOMPARE(QImage(name).size(), QSize(640, 240));
    out({QStringLiteral("render"), QStringLiteral("-o"), name, QStringLiteral("--size"), QStringLiteral("500")});
    QCOMPARE(QImage(name).width(), 500);
}

// One byte of each compressed chunk in turn: the picture is refused or the same, never with holes in it.
void TestCommandOutput::damagedPicturesAreRefused()
{
    QFile file(m_trace);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray sound = file.readAll();
    const auto draw = [this](const QByteArray& bytes) {
        const QString trace = m_folder.filePath(QStringLiteral("flipped.longpole"));
        const QString picture = m_folder.filePath(QStringLiteral("flipped.svg"));
        QFile(picture).remove();
        QFile written(trace);
        if (!written.open(QIODevice::WriteOnly) || written.write(bytes) != bytes.size()) return QByteArray();
        written.close();
        const Said said = m_program({QStringLiteral("render"), trace, QStringLiteral("-o"), picture});
        QFile drawn(picture);
        if (said.code != 0) return drawn.exists() ? QByteArray("refused, and left a picture") : QByteArray("refused");
        return drawn.open(QIODevice::ReadOnly) ? drawn.readAll() : QByteArray();
    };
    const QByteArray picture = draw(sound);
    QVERIFY(picture.startsWith("<?xml"));
    const QByteArray frame = QByteArray::fromHex("28b52ffd");  // how zstd data begins
    int refused = 0;
    for (qsizetype at = sound.indexOf(frame); at >= 0; at = sound.indexOf(frame, at + 1)) {
        QByteArray bytes = sound;
        bytes[at + 9] = static_cast<char>(bytes[at + 9] ^ 0x40);
        const QByteArray answer = draw(bytes);
        if (answer == "refused") ++refused;
        else QCOMPARE(answer, picture);
    }
    QVERIFY2(refused >= 4, qPrintable(QString::number(refused)));  // two PEs' tasks and tiles at least
}

LONGPOLE_TEST(TestCommandOutput)
#include "tst_commandoutput.moc"
