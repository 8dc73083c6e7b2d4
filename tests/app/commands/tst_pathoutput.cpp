// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands say about paths, slack and what-if of a trace that can be redrawn by hand: exact text, CSV and
// JSON.
#include "app/commands/smalltracetest.h"
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"
#include "importers/smallrun.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestPathOutput : public SmallTraceTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { writeSmall(); }
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
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
    void slack_data();
    void slack();
    void slackAsTextAndCsv();
    void zeroing_data();
    void zeroing();
    void zeroingOfASet();
    void zeroingAsTextAndCsv();
    void whatIsLeftOutIsLeftOutEverywhere();
};

// --without means the same to all commands about work paths: one length, and the same words.
void TestPathOutput::whatIsLeftOutIsLeftOutEverywhere()
{
    const QString trace = QStringLiteral(LONGPOLE_TEST_DATA "/cpath_p4");
    const auto said = [&](const char* command, const QStringList& options) {
        const Said answered = m_program(QStringList{QLatin1String(command), trace} + options);
        if (answered.code != 0) qCritical("%s: %s", command, qPrintable(answered.error));
        return answered.out;
    };
    const auto lengthOf = [&](const QString& without) {
        const QStringList options{QStringLiteral("--without"), without, QStringLiteral("--json")};
        const json path = json::parse(said("critical-path", options).toStdString());
        const json near = json::parse(said("near-critical", options).toStdString());
        const json slack = json::parse(said("slack", options).toStdString());
        const auto length = path.at("length_ns").get<std::int64_t>();
        if (near.at(0).at("length_ns").get<std::int64_t>() != length) return std::int64_t{-1};
        return slack.at(0).at("slack_ns").get<std::int64_t>() == 0 ? length : std::int64_t{-1};
    };
    const json whole = json::parse(said("critical-path", {QStringLiteral("--json")}).toStdString());
    const std::int64_t left = lengthOf(QStringLiteral("interrupted"));
    QVERIFY(left > 0 && left < whole.at("length_ns").get<std::int64_t>());
    QVERIFY(lengthOf(QStringLiteral("interrupted,startup")) > 0);
    QVERIFY(said("near-critical", {QStringLiteral("--without"), QStringLiteral("interrupted")})
                .contains(QStringLiteral("The longest other path is as long; ")));
    const QString line = QStringLiteral("Interruptions of ");
    for (const char* command : {"critical-path", "near-critical", "slack", "zeroing", "phases", "parallelism"}) {
        const QString text = said(command, {QStringLiteral("--without"), QStringLiteral("interrupted,startup")});
        QVERIFY2(text.contains(line) && text.contains(QStringLiteral("start-up")), qPrintable(text));
        if (qstrcmp(command, "parallelism") == 0) continue;  // it has one mode
        const Said wrong = m_program({QLatin1String(command), trace, QStringLiteral("--mode"),
                                      QStringLiteral("elapsed"), QStringLiteral("--without"),
                                      QStringLiteral("interrupted")});
        QCOMPARE(wrong.code, 2);
    }
    // The replay has no earlier begin, and says of how many tasks it takes something off.
    const QString replayed = said("replay", {QStringLiteral("--without"), QStringLiteral("interrupted")});
    QVERIFY2(replayed.contains(QStringLiteral("no interruptions of 54 tasks")), qPrintable(replayed));
    const json shorter = json::parse(said("replay", {QStringLiteral("--without"), QStringLiteral("interrupted"),
                                                     QStringLiteral("--json")})
                                         .toStdString());
    QVERIFY(shorter.at("predicted_ns").at(1).get<std::int64_t>() < shorter.at("recorded_ns").get<std::int64_t>());
    QCOMPARE(m_program({QStringLiteral("replay"), trace, QStringLiteral("--without"), QStringLiteral("startup")}).code,
             2);
}

void TestPathOutput::workPath()
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
                                                 {"weight_ns", 2000},
                                                 {"where", nullptr},
                                                 {"interrupted_ns", nullptr}},
                                                {{"task", "1:0"},
                                                 {"pe", 1},
                                                 {"entry", runEntry},
                                                 {"part", "compute"},
                                                 {"begin_ns", 5'003'000},
                                                 {"end_ns", 5'009'000},
                                                 {"weight_ns", 6000},
                                                 {"where", nullptr},
                                                 {"interrupted_ns", nullptr}}}));
    COMPARE_JSON(
        path.at("profile"),
        json::array(
            {{{"entry", runEntry}, {"count", 1}, {"time_ns", 6000}, {"share", 0.75}, {"busy_share", 9.0 / 13}},
             {{"entry", startEntry}, {"count", 1}, {"time_ns", 2000}, {"share", 0.25}, {"busy_share", 4.0 / 13}}}));
    COMPARE_JSON(answer(words("critical-path --to 0:1")).at("length_ns"), json(7000));
    COMPARE_JSON(answer(words("critical-path --to 0:1 --edges messages")).at("length_ns"), json(3000));
}

// 0:0 is followed for 2 us, then 1:0 for 6 us. Without `run` 0:0's 4 us are left, without `start` the 6 us.
void TestPathOutput::streamedPath()
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
void TestPathOutput::streamedPathOfAPart()
{
    const json path = answer({QStringLiteral("critical-path"), QStringLiteral("--streaming"), QStringLiteral("--from"),
                              QStringLiteral("1us"), QStringLiteral("--until"), QStringLiteral("3us 500ns")});
    COMPARE_JSON(path.at("duration_ns"), json(2500));
    COMPARE_JSON(path.at("length_ns"), json(2500));
    COMPARE_JSON(path.at("profile").at(0).at("entry"), startEntry);
}

void TestPathOutput::streamedPathForPeople()
{
    const QString text = out(words("critical-path --streaming --procedures 0 --sample 5us"));
    QVERIFY2(text.contains(QStringLiteral("Length 8 us, 80.0 % of the duration 10 us\n")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("hold only 25.0 % of the path")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Solver::start       2 us   25.0 %       30.8 %\n")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("(none of these)     6 us   75.0 %       69.2 %\n")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral(" 5 us    4 us        100.0 %            0.0 %\n")), qPrintable(text));
    QVERIFY(!out(words("critical-path --streaming --procedures 1")).contains(QStringLiteral("hold only")));
}

void TestPathOutput::streamedPathAsCsv()
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

void TestPathOutput::elapsedPathAddsUp()
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

void TestPathOutput::pathOfAPart()
{
    const json path = answer({QStringLiteral("critical-path"), QStringLiteral("--from"), QStringLiteral("1us"),
                              QStringLiteral("--until"), QStringLiteral("3us 500ns")});
    COMPARE_JSON(path.at("duration_ns"), json(2500));
    COMPARE_JSON(path.at("length_ns"), json(2500));  // 0:0 all the time
    COMPARE_JSON(path.at("steps").at(0).at("begin_ns"), json(5'001'000));
}

void TestPathOutput::inferredMerges_data()
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
void TestPathOutput::inferredMerges()
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
void TestPathOutput::inconsistentCut()
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
                            "PEs to stop earlier: 1, by up to 20 us"));
    for (const QString& line : lines("--from,400us"))
        QVERIFY2(!line.contains(QLatin1String("consistent")), qPrintable(line));
}

void TestPathOutput::stepsAsCsv()
{
    QString quoted = hostileName;
    quoted.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    QCOMPARE(out(words("critical-path --csv")),
             QStringLiteral("task,pe,entry_id,entry,entry_chare,part,begin_ns,end_ns,weight_ns,where,"
                            "interrupted_ns\n"
                            "0:0,0,0,start(),Solver,compute,5000000,5002000,2000,,\n"
                            "1:0,1,1,\"%1\",Solver,compute,5003000,5009000,6000,,\n")
                 .arg(quoted));
}

// 0:0 sends at 2 us what starts 1:0; then 0:1.
void TestPathOutput::activityTable()
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
    QVERIFY(text.startsWith(QStringLiteral("Activity table of PE 0, edges messages: 3 prefixes of 2 tasks\n")));
    QVERIFY(!text.contains(QStringLiteral("order")));
}

// The other work path is an eighth shorter, too much to be nearly critical.
void TestPathOutput::nearCritical()
{
    const json paths = answer(words("near-critical"));
    QCOMPARE(paths.size(), std::size_t(1));
    COMPARE_JSON(paths.at(0).at("length_ns"), json(8000));
    COMPARE_JSON(paths.at(0).at("slack_ns"), json(0));
    COMPARE_JSON(paths.at(0).at("distinct_ns"), json(8000));
    json steps = answer(words("critical-path")).at("steps");
    for (json& step : steps) step.erase("interrupted_ns");
    COMPARE_JSON(paths.at(0).at("steps"), steps);
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
                            "end_ns,weight_ns,where\n"
                            "1,6000,0,6000,1:0,1,1,\"%1\",Solver,compute,5003000,5009000,6000,\n")
                 .arg(quoted));
    const QString elapsed = out(words("near-critical --mode elapsed"));
    QVERIFY2(elapsed.contains(
                 QStringLiteral("\nThe second path is as long, 8 us of it on tasks of its own: shortening only what "
                                "the first has alone gains nothing\n")),
             qPrintable(elapsed));
}

void TestPathOutput::slack_data()
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

void TestPathOutput::slack()
{
    QFETCH(QString, call);
    QFETCH(QString, slack);
    QStringList listed;
    for (const json& row : answer(call.split(QLatin1Char(' '))))
        listed << QString::fromStdString(row.at("task").get<std::string>() + "="
                                         + std::to_string(row.at("slack_ns").get<std::int64_t>()));
    QCOMPARE(listed.join(QLatin1Char(' ')), slack);
}

void TestPathOutput::slackAsTextAndCsv()
{
    QCOMPARE(out(words("slack --csv --limit 1")),
             QStringLiteral("task,pe,entry_id,entry,entry_chare,begin_ns,end_ns,slack_ns\n"
                            "0:0,0,0,start(),Solver,5000000,5004000,0\n"));
    const QString text = out(words("slack --limit 2"));
    QVERIFY2(text.startsWith(QStringLiteral("Slack to the work path, edges order, of length 8 us: "
                                            "2 of 3 tasks have none\n")),
             qPrintable(text));
    QVERIFY2(text.endsWith(QStringLiteral("\n1 more task: --limit, --csv and --json list more\n")), qPrintable(text));
}

void TestPathOutput::zeroing_data()
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

void TestPathOutput::zeroing()
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

void TestPathOutput::zeroingOfASet()
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

void TestPathOutput::zeroingAsTextAndCsv()
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
    QVERIFY2(text.contains(QStringLiteral("  4 us (50.0 %), then Solver::start becomes critical\n")), qPrintable(text));
    QVERIFY2(text.contains(QRegularExpression(QStringLiteral(" 2 us \\(25.0 %\\), then .* stays critical\n"))),
             qPrintable(text));
    const QRegularExpression all(QStringLiteral("all of them at once +8 us +0 ns +8 us \\(100.0 %\\)\n"));
    QVERIFY2(text.contains(all), qPrintable(text));
    QVERIFY(out(words("zeroing --factor 2")).contains(QStringLiteral("took 2 times as long")));
    QVERIFY(out(words("zeroing --factor 2")).contains(QStringLiteral("costs 6 us (75.0 %)\n")));
}

LONGPOLE_TEST(TestPathOutput)
#include "tst_pathoutput.moc"
