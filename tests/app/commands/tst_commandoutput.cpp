// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands say about a trace that can be redrawn by hand: exact text, CSV and JSON, and the documented
// schemas.
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
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestCommandOutput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void jsonFitsItsSchema_data();
    void jsonFitsItsSchema();
    void infoSaysEverything();
    void profileGroups_data();
    void profileGroups();
    void workPath();
    void elapsedPathAddsUp();
    void streamedPath();
    void streamedPathOfAPart();
    void streamedPathForPeople();
    void streamedPathAsCsv();
    void pathOfAPart();
    void inferredMerges_data();
    void inferredMerges();
    void inconsistentCut();
    void stepsAsCsv();
    void activityTable();
    void nearCritical();
    void efficiency();
    void parallelism();
    void slack_data();
    void slack();
    void slackAsTextAndCsv();
    void graphOfTheTrace();
    void zeroing_data();
    void zeroing();
    void zeroingOfASet();
    void zeroingAsTextAndCsv();
    void sqlAnswers_data();
    void sqlAnswers();
    void sqlRefusesToWrite_data();
    void sqlRefusesToWrite();
    void fileByItsEnding();
    void pictureHasItsSize();
    void damagedPicturesAreRefused();

private:
    QString out(const QStringList& arguments, int code = 0) const;
    json answer(QStringList arguments) const;

    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

namespace {

const json startEntry = {{"id", 0}, {"name", "start()"}, {"chare", "Solver"}};
const json runEntry = {{"id", 1}, {"name", hostileName.toStdString()}, {"chare", "Solver"}};

}  // namespace

// The first word is the command, the trace is put behind it.
QString TestCommandOutput::out(const QStringList& arguments, int code) const
{
    QStringList call = arguments;
    call.insert(1, m_trace);
    const Said said = m_program(call);
    if (said.code != code) qCritical("%d: %s", said.code, qPrintable(said.error));
    return said.out;
}

json TestCommandOutput::answer(QStringList arguments) const
{
    arguments << QStringLiteral("--json");
    return json::parse(out(arguments).toStdString(), nullptr, false);
}

void TestCommandOutput::initTestCase()
{
    const auto written = writeHostileTrace(m_trace);
    QVERIFY2(written, qPrintable(written ? QString() : toText(written.error())));
}

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
    QVERIFY2(text.contains(QStringLiteral("Duration    10 us after 1 ms of start-up\n")), qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("Busy        65.0 % (13 us)\n")));
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

void TestCommandOutput::workPath()
{
    const json path = answer(words("critical-path"));
    COMPARE_JSON(path.at("mode"), json("work"));
    COMPARE_JSON(path.at("edges"), json("order"));
    COMPARE_JSON(path.at("length_ns"), json(8000));
    COMPARE_JSON(path.at("duration_ns"), json(10000));
    COMPARE_JSON(path.at("steps"), json::array({{{"task", "0:0"},
                                                 {"pe", 0},
                                                 {"entry", startEntry},
                                                 {"part", "compute"},
                                                 {"begin_ns", 5'000'000},
                                                 {"end_ns", 5'002'000},
                                                 {"weight_ns", 2000}},
                                                {{"task", "1:0"},
                                                 {"pe", 1},
                                                 {"entry", runEntry},
                                                 {"part", "compute"},
                                                 {"begin_ns", 5'003'000},
                                                 {"end_ns", 5'009'000},
                                                 {"weight_ns", 6000}}}));
    COMPARE_JSON(
        path.at("profile"),
        json::array(
            {{{"entry", runEntry}, {"count", 1}, {"time_ns", 6000}, {"share", 0.75}, {"busy_share", 9.0 / 13}},
             {{"entry", startEntry}, {"count", 1}, {"time_ns", 2000}, {"share", 0.25}, {"busy_share", 4.0 / 13}}}));
    COMPARE_JSON(answer(words("critical-path --to 0:1")).at("length_ns"), json(7000));
    COMPARE_JSON(answer(words("critical-path --to 0:1 --edges messages")).at("length_ns"), json(3000));
}

// 0:0 is followed for 2 us, then 1:0 for 6 us. Without `run` 0:0's 4 us are left, without `start` the 6 us.
void TestCommandOutput::streamedPath()
{
    const json path = answer(words("critical-path --streaming --zeroing --sample 4us"));
    COMPARE_JSON(path.at("mode"), json("work"));
    COMPARE_JSON(path.at("edges"), json("order"));
    COMPARE_JSON(path.at("length_ns"), json(8000));
    COMPARE_JSON(path.at("duration_ns"), json(10000));
    COMPARE_JSON(path.at("steps"), json::array());
    COMPARE_JSON(
        path.at("profile"),
        json::array(
            {{{"entry", runEntry}, {"count", nullptr}, {"time_ns", 6000}, {"share", 0.75}, {"busy_share", 9.0 / 13}},
             {{"entry", startEntry}, {"count", nullptr}, {"time_ns", 2000}, {"share", 0.25}, {"busy_share", 4.0 / 13}},
             {{"entry", nullptr}, {"count", nullptr}, {"time_ns", 0}, {"share", 0.0}, {"busy_share", 0.0}}}));
    COMPARE_JSON(path.at("zeroing"),
                 json::array({{{"entry", runEntry}, {"share_ns", 6000}, {"net_ns", 4000}, {"gain_ns", 4000}},
                              {{"entry", startEntry}, {"share_ns", 2000}, {"net_ns", 6000}, {"gain_ns", 2000}}}));
    COMPARE_JSON(path.at("samples"),
                 json::array({{{"time_ns", 5'004'000}, {"length_ns", 4000}, {"shares", {0.0, 1.0, 0.0}}},
                              {{"time_ns", 5'008'000}, {"length_ns", 7000}, {"shares", {5.0 / 7, 2.0 / 7, 0.0}}},
                              {{"time_ns", 5'010'000}, {"length_ns", 8000}, {"shares", {0.75, 0.25, 0.0}}}}));
    COMPARE_JSON(path.at("streaming"), json({{"shares", "exclusive"},
                                             {"covered", 1.0},
                                             {"most_in_flight", 1},
                                             {"messages_lost", 0},
                                             {"search_rounds", nullptr}}));

    const json searched = answer(words("critical-path --streaming --top-share 2"));
    COMPARE_JSON(searched.at("profile").size(), json(2));
    COMPARE_JSON(searched.at("profile").at(0).at("entry"), runEntry);
    COMPARE_JSON(searched.at("streaming").at("search_rounds"), json(1));
    COMPARE_JSON(searched.at("samples"), json::array());
    QVERIFY(!searched.contains("zeroing"));
}

// As without --streaming: 0:0 all the time.
void TestCommandOutput::streamedPathOfAPart()
{
    const json path = answer({QStringLiteral("critical-path"), QStringLiteral("--streaming"), QStringLiteral("--from"),
                              QStringLiteral("1us"), QStringLiteral("--until"), QStringLiteral("3us 500ns")});
    COMPARE_JSON(path.at("duration_ns"), json(2500));
    COMPARE_JSON(path.at("length_ns"), json(2500));
    COMPARE_JSON(path.at("profile").at(0).at("entry"), startEntry);
}

void TestCommandOutput::streamedPathForPeople()
{
    const QString text = out(words("critical-path --streaming --procedures 0 --sample 5us"));
    QVERIFY2(text.contains(QStringLiteral("Length 8 us, 80.0 % of the duration 10 us\n")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("hold only 25.0 % of the path")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Solver::start       2 us   25.0 %       30.8 %\n")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("(none of these)     6 us   75.0 %       69.2 %\n")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral(" 5 us    4 us        100.0 %            0.0 %\n")), qPrintable(text));
    QVERIFY(!out(words("critical-path --streaming --procedures 1")).contains(QStringLiteral("hold only")));
}

void TestCommandOutput::streamedPathAsCsv()
{
    QCOMPARE(out(words("critical-path --streaming --procedures 0 --zeroing --csv")),
             QStringLiteral("entry_id,entry,entry_chare,time_ns,share,busy_share,net_ns,gain_ns\n"
                            "0,start(),Solver,2000,0.25,%1,6000,2000\n"
                            ",,,6000,0.75,%2,,\n")
                 .arg(QString::number(4.0 / 13, 'g', QLocale::FloatingPointShortest),
                      QString::number(9.0 / 13, 'g', QLocale::FloatingPointShortest)));
    QCOMPARE(out(words("critical-path --streaming --procedures 0 --sample 5us --csv")),
             QStringLiteral("time_ns,length_ns,share_of_0,share_of_others\n"
                            "5005000,4000,1,0\n5010000,8000,0.25,0.75\n"));
}

void TestCommandOutput::elapsedPathAddsUp()
{
    const json path = answer(words("critical-path --mode elapsed"));
    COMPARE_JSON(path.at("length_ns"), json(10000));
    std::int64_t parts = 0, steps = 0, profile = 0;
    for (const json& part : path.at("parts")) parts += part.get<std::int64_t>();
    for (const json& step : path.at("steps")) steps += step.at("weight_ns").get<std::int64_t>();
    for (const json& row : path.at("profile")) profile += row.at("time_ns").get<std::int64_t>();
    QCOMPARE(parts, 10000);
    QCOMPARE(steps, 10000);
    COMPARE_JSON(json(profile), path.at("parts").at("compute"));
}

void TestCommandOutput::pathOfAPart()
{
    const json path = answer({QStringLiteral("critical-path"), QStringLiteral("--from"), QStringLiteral("1us"),
                              QStringLiteral("--until"), QStringLiteral("3us 500ns")});
    COMPARE_JSON(path.at("duration_ns"), json(2500));
    COMPARE_JSON(path.at("length_ns"), json(2500));  // 0:0 all the time
    COMPARE_JSON(path.at("steps").at(0).at("begin_ns"), json(5'001'000));
}

void TestCommandOutput::inferredMerges_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<QString>("length");
    QTest::addColumn<QString>("line");  // the one below
    const auto row = [](const char* options, const char* length, const QString& line) {
        QTest::newRow(options) << QString::fromLatin1(options) << QString::fromLatin1(length) << line;
    };
    const QString edges = QStringLiteral(
        "With 284 merge edges inferred from the trace (216 of buffered messages, 68 of "
        "reductions)");
    row("--edges messages", "Length 9.169 ms,", edges % QStringLiteral(": at most 13.10 ms"));
    row("--edges messages --to 0:129", "Length 4.187 ms,", edges % QStringLiteral(": at most 12.99 ms"));
    row("--edges merges", "Length 13.10 ms,", edges);
    row("--edges merges --to 0:129", "Length 12.99 ms,", edges);
    row("--edges order", "Length 26.10 ms,", {});
    row("--mode sweep", "Length ", {});
}

// A path over messages says between what lengths the truth lies, one over merges how many are guesses.
void TestCommandOutput::inferredMerges()
{
    QFETCH(QString, options);
    QFETCH(QString, length);
    QFETCH(QString, line);
    const QStringList call{QStringLiteral("critical-path"), QStringLiteral(LONGPOLE_TEST_DATA "/cpath_p4")};
    const Said said = m_program(call + options.split(QLatin1Char(' ')));
    QCOMPARE(said.code, 0);
    const QStringList lines = said.out.split(QLatin1Char('\n'));
    QVERIFY2(lines[1].startsWith(length), qPrintable(said.out));
    QCOMPARE(lines[2], line);
}

// By the clocks of two processors an execution had begun before its message was sent.
void TestCommandOutput::inconsistentCut()
{
    const SmallRun run;
    run.symbols(smallSymbols(2));
    run.log(0,
            "6 1\n2 4 6 10 90 0 80 0 0 0 0 0 1\n3 0 6 100 90 0 0 1\n2 4 6 200 91 0 80 0 0 0 0 0 1\n1 4 6 260 5 0 80 0\n"
            "3 0 6 300 91 0 0 1\n7 900\n");
    run.log(1,
            "6 1\n2 4 6 150 92 1 80 0 0 0 0 0 1\n3 0 6 160 92 1 0 1\n2 4 6 220 5 0 80 0 0 0 0 0 1\n3 0 6 280 5 0 0 1\n"
            "7 900\n");
    const auto lines = [&](const char* options) {
        const QStringList call{QStringLiteral("critical-path"), run.folder()};
        return m_program(call + QString::fromLatin1(options).split(QLatin1Char(','))).out.split(QLatin1Char('\n'));
    };
    QCOMPARE(lines("--from,230us")[2],
             QStringLiteral("The cut at 230 us is not consistent: tasks begun before what started them was sent: 1; "
                            "processors to stop earlier: 1, by up to 20 us"));
    for (const QString& line : lines("--from,400us"))
        QVERIFY2(!line.contains(QLatin1String("consistent")), qPrintable(line));
}

void TestCommandOutput::stepsAsCsv()
{
    QString quoted = hostileName;
    quoted.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    QCOMPARE(out(words("critical-path --csv")),
             QStringLiteral("task,pe,entry_id,entry,entry_chare,part,begin_ns,end_ns,weight_ns\n"
                            "0:0,0,0,start(),Solver,compute,5000000,5002000,2000\n"
                            "1:0,1,1,\"%1\",Solver,compute,5003000,5009000,6000\n")
                 .arg(quoted));
}

// 0:0 sends at 2 us what starts 1:0; then 0:1.
void TestCommandOutput::activityTable()
{
    const json table = answer(words("activity-table --pe 1"));
    COMPARE_JSON(table.at("rows"),
                 json::array({{{"index", 0},
                               {"task", "1:0"},
                               {"entry", runEntry},
                               {"message", nullptr},
                               {"begin_ns", 5'003'000},
                               {"end_ns", 5'009'000},
                               {"length_ns", 8000},
                               {"incoming", {{"edge", "message"}, {"pe", 0}, {"index", 0}, {"length_ns", 2000}}},
                               {"merged", json::array()}}}));
    QCOMPARE(out(words("activity-table --pe 0 --csv")),
             QStringLiteral("index,task,entry_id,entry,entry_chare,message,begin_ns,end_ns,length_ns,incoming_edge,"
                            "incoming_pe,incoming_index,incoming_ns,merged\n"
                            "0,0:0,0,start(),Solver,0:0,5000000,5002000,2000,,,,,\n"
                            "1,0:0,0,start(),Solver,,5000000,5004000,4000,,,,,\n"
                            "2,0:1,1,\"%1\",Solver,,5006000,5009000,7000,order,0,1,4000,\n")
                 .arg(QString(hostileName).replace(QLatin1Char('"'), QStringLiteral("\"\""))));
    const QString text = out(words("activity-table --pe 0 --edges messages"));
    QVERIFY(text.startsWith(QStringLiteral("Activity table of processor 0, edges messages: 3 prefixes of 2 tasks\n")));
    QVERIFY(!text.contains(QStringLiteral("order")));
}

// The other work path is an eighth shorter, too much to be nearly critical.
void TestCommandOutput::nearCritical()
{
    const json paths = answer(words("near-critical"));
    QCOMPARE(paths.size(), std::size_t(1));
    COMPARE_JSON(paths.at(0).at("length_ns"), json(8000));
    COMPARE_JSON(paths.at(0).at("slack_ns"), json(0));
    COMPARE_JSON(paths.at(0).at("distinct_ns"), json(8000));
    COMPARE_JSON(paths.at(0).at("steps"), answer(words("critical-path")).at("steps"));
    QVERIFY(
        out(words("near-critical"))
            .contains(QStringLiteral(
                "\nNo other path within 5.0 % of its length has 20.0 % of its time on tasks of its own. The longest "
                "other path is 1 us shorter; ")));
    // The next longest that differ, however long.
    const json others = answer(words("near-critical --min-new 0"));
    QVERIFY(others.size() > 1);
    COMPARE_JSON(others.at(0), paths.at(0));
    COMPARE_JSON(others.at(1).at("slack_ns"), json(1000));
    QVERIFY(answer(words("near-critical --min-new 0 -k 1")).size() == 1);
    QString quoted = hostileName;
    quoted.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    QCOMPARE(out(words("near-critical --csv --from 3us --until 9us")),
             QStringLiteral("path,length_ns,slack_ns,distinct_ns,task,pe,entry_id,entry,entry_chare,part,begin_ns,"
                            "end_ns,weight_ns\n"
                            "1,6000,0,6000,1:0,1,1,\"%1\",Solver,compute,5003000,5009000,6000\n")
                 .arg(quoted));
    const QString elapsed = out(words("near-critical --mode elapsed"));
    QVERIFY2(
        elapsed.contains(QStringLiteral("\nThe second path is as long: shortening the first alone gains nothing\n")),
        qPrintable(elapsed));
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
    QCOMPARE(
        out(words("efficiency")),
        QStringLiteral("Parallel efficiency         65.0 %  Useful time of the average PE over the time: "
                       "load balance x communication\n"
                       "  Load balance              92.9 %  Useful time: average over longest\n"
                       "  Communication             70.0 %  Longest useful time over the time\n"
                       "    Serialization           87.5 %  Longest useful time over the time on an ideal network: "
                       "the rest is waiting for each other\n"
                       "    Transfer                80.0 %  The time on an ideal network over the time: the rest is "
                       "messages under way\n\n"
                       "Time 10 us, on an ideal network 8 us. Useful time of 2 PEs: average 6.500 us, longest 7 us "
                       "(PE 0).\n"));
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
                        {"weight_ns", 2000}};
    const json itself = {{"task", "1:0"},         {"pe", 1},
                         {"entry", runEntry},     {"part", "compute"},
                         {"begin_ns", 5'003'000}, {"end_ns", 5'003'000},
                         {"weight_ns", 0}};
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

void TestCommandOutput::slack_data()
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("slack");  // task and slack, in the order listed
    const auto row = [](const char* call, const char* slack) {
        QTest::newRow(call) << QString::fromUtf8(call) << QString::fromUtf8(slack);
    };
    row("slack", "0:0=0 1:0=0 0:1=1000");
    row("slack --edges messages", "0:0=0 1:0=0 0:1=5000");
    row("slack --max 4us --edges messages", "0:0=0 1:0=0");
    row("slack --limit 1", "0:0=0");
    row("slack --mode elapsed", "0:0=0 1:0=0 0:1=0");
    row("slack --from 4us", "1:0=0 0:1=2000");  // 5 us of 1:0 are left
}

void TestCommandOutput::slack()
{
    QFETCH(QString, call);
    QFETCH(QString, slack);
    QStringList listed;
    for (const json& row : answer(call.split(QLatin1Char(' '))))
        listed << QString::fromStdString(row.at("task").get<std::string>() + "="
                                         + std::to_string(row.at("slack_ns").get<std::int64_t>()));
    QCOMPARE(listed.join(QLatin1Char(' ')), slack);
}

void TestCommandOutput::slackAsTextAndCsv()
{
    QCOMPARE(out(words("slack --csv --limit 1")),
             QStringLiteral("task,pe,entry_id,entry,entry_chare,begin_ns,end_ns,slack_ns\n"
                            "0:0,0,0,start(),Solver,5000000,5004000,0\n"));
    const QString text = out(words("slack --limit 2"));
    QVERIFY2(text.startsWith(QStringLiteral("Slack to the work path, edges order, of length 8 us: "
                                            "2 of 3 tasks have none\n")),
             qPrintable(text));
    QVERIFY2(text.endsWith(QStringLiteral("\n1 more tasks: --limit, --csv and --json list more\n")), qPrintable(text));
}

void TestCommandOutput::graphOfTheTrace()
{
    QCOMPARE(out(words("graph --csv")), QStringLiteral("source,target,kind,offset_ns,length_ns,on_path\n"
                                                       "0:0,1:0,message,2000,2000,true\n"
                                                       "0:0,0:1,order,4000,4000,false\n"));
    const json cut = answer(words("graph --nodes 1"));
    COMPARE_JSON(cut.at("tasks_omitted"), json(2));
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

void TestCommandOutput::zeroing_data()
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("rows");  // entry: share net gain next, in the order listed; entry -1 is null
    const auto row = [](const char* call, const char* rows) {
        QTest::newRow(call) << QString::fromUtf8(call) << QString::fromUtf8(rows);
    };
    row("zeroing", "1: 6000 4000 4000 0, 0: 2000 6000 2000 1");
    row("zeroing --edges messages", "1: 6000 4000 4000 0, 0: 2000 6000 2000 1");
    row("zeroing --factor 1/3", "1: 6000 5000 3000 0, 0: 2000 6667 1333 1");
    row("zeroing --factor 2", "1: 6000 14000 -6000 0, 0: 2000 11000 -3000 1");
    row("zeroing --entry start()", "0: 2000 6000 2000 1");
    row("zeroing --entry 0 --entry 1", "1: 6000 4000 4000 0, 0: 2000 6000 2000 1, -1: 8000 0 8000 -1");
    row("zeroing --entry 0 --entry start", "0: 2000 6000 2000 1");
    // The elapsed path: 0:0, 2 us until 0:1 begins, 0:1, 1 us; 1:0 begins at 1 us if 0:0 takes no time.
    row("zeroing --mode elapsed", "1: 3000 7000 3000 0, 0: 4000 8000 2000 1");
    // 5 us of 1:0 are left, and 0:1.
    row("zeroing --from 4us", "1: 5000 0 5000 -1");
}

void TestCommandOutput::zeroing()
{
    QFETCH(QString, call);
    QFETCH(QString, rows);
    const auto id = [](const json& entry) { return entry.is_null() ? -1 : entry.at("id").get<int>(); };
    QStringList listed;
    for (const json& row : answer(call.split(QLatin1Char(' '))))
        listed << QStringLiteral("%1: %2 %3 %4 %5")
                      .arg(id(row.at("entry")))
                      .arg(row.at("share_ns").get<qint64>())
                      .arg(row.at("net_ns").get<qint64>())
                      .arg(row.at("gain_ns").get<qint64>())
                      .arg(id(row.at("next_critical")));
    QCOMPARE(listed.join(QStringLiteral(", ")), rows);
}

void TestCommandOutput::zeroingOfASet()
{
    const json rows = answer(words("zeroing --entry 1 --entry 0"));
    COMPARE_JSON(rows.at(0), (json{{"entry", runEntry},
                                   {"share_ns", 6000},
                                   {"net_ns", 4000},
                                   {"gain_ns", 4000},
                                   {"next_critical", startEntry}}));
    COMPARE_JSON(rows.at(2), (json{{"entry", nullptr},
                                   {"entries", {runEntry, startEntry}},
                                   {"share_ns", 8000},
                                   {"net_ns", 0},
                                   {"gain_ns", 8000},
                                   {"next_critical", nullptr}}));
}

void TestCommandOutput::zeroingAsTextAndCsv()
{
    const QString quoted = QString(hostileName).replace(QLatin1Char('"'), QStringLiteral("\"\""));
    QCOMPARE(out(words("zeroing --csv")), QStringLiteral("entry_id,entry,entry_chare,share_ns,net_ns,gain_ns,"
                                                         "next_critical_id,next_critical,next_critical_chare\n"
                                                         "1,\"%1\",Solver,6000,4000,4000,0,start(),Solver\n"
                                                         "0,start(),Solver,2000,6000,2000,1,\"%1\",Solver\n")
                                              .arg(quoted));
    const QString text = out(words("zeroing --entry 0 --entry 1"));
    QVERIFY2(text.startsWith(QStringLiteral("The work path, edges order, is 8 us long. "
                                            "What it gains if an entry method cost nothing:\n")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("at most 4 us (50.0 %), then Solver::start becomes critical\n")),
             qPrintable(text));
    QVERIFY2(text.contains(QRegularExpression(QStringLiteral("at most 2 us \\(25.0 %\\), then .* stays critical\n"))),
             qPrintable(text));
    const QRegularExpression all(QStringLiteral("all of them at once +8 us +0 ns +at most 8 us \\(100.0 %\\)\n"));
    QVERIFY2(text.contains(all), qPrintable(text));
    QVERIFY(out(words("zeroing --factor 2")).contains(QStringLiteral("took 2 times as long")));
    QVERIFY(out(words("zeroing --factor 2")).contains(QStringLiteral("costs 6 us (75.0 %)\n")));
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
