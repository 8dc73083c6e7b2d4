// SPDX-License-Identifier: GPL-3.0-or-later
// What compare and check say about real and hand-made runs: schemas, exit codes just at a limit, XML that can be read.
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"

#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace longpole;
using namespace longpole::test;

class TestCompare : public QObject {
    Q_OBJECT

private:
    // "T" is the small trace; C, G: chain_and_bulk_p6, gauss_seidel_p8; O: an output file.
    Said said(const QString& call) const
    {
        QStringList arguments = call.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        const auto put = [&](const char* letter, const QString& path) {
            arguments.replaceInStrings(QRegularExpression(QStringLiteral("^%1$").arg(QLatin1String(letter))), path);
        };
        put("T", m_trace);
        put("C", QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6"));
        put("G", QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8"));
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^O\\.")),
                                   m_folder.filePath(QStringLiteral("out.")));
        return m_program(arguments);
    }
    QString written(const QString& ending) const
    {
        QFile file(m_folder.filePath(QStringLiteral("out.") + ending));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
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
        QTest::addColumn<int>("code");
        for (const char* call : {"compare T T", "compare C C", "compare C G", "compare T G"})
            QTest::newRow(call) << QString::fromUtf8(call) << 0;
        QTest::newRow("kept") << QStringLiteral("check C --baseline C") << 0;
        QTest::newRow("crossed") << QStringLiteral("check G --baseline C") << 1;
        QTest::newRow("all") << QStringLiteral(
            "check C --baseline C --max-duration 0% --max-critical-path +0ns --max-iteration 0% "
            "--max-idle -0% --max-overhead 0% --max-messages +0 --max-bytes 0% "
            "--max-grain bulk=0% --max-grain Worker::chain_hop=+1us")
                             << 0;
        QTest::newRow("not judged") << QStringLiteral("check T --baseline T --max-iteration 0%") << 3;
        QTest::newRow("no baseline") << QStringLiteral("check T --max-duration 10us") << 0;
    }
    void jsonFitsItsSchema()
    {
        QFETCH(const QString, call);
        const Said answered = said(call + QStringLiteral(" --json"));
        QTEST(answered.code, "code");
        const std::string schema = call.section(QLatin1Char(' '), 0, 0).toStdString();
        QCOMPARE(QString::fromStdString(violation(answered.out.toStdString(), schema)), QString());
    }

    void aRunIsLikeItself()
    {
        const json same = json::parse(said(QStringLiteral("compare C C --json")).out.toStdString());
        COMPARE_JSON(same.at("aligned_by"), "phase");
        COMPARE_JSON(same.at("notes"), json::array({"A and B are the same trace."}));
        for (const json& figure : same.at("figures")) COMPARE_JSON(figure.at("change"), 0);
        for (const json& entry : same.at("entries")) COMPARE_JSON(entry.at("a"), entry.at("b"));
        COMPARE_JSON(same.at("phase").at("within_spread"), true);
        COMPARE_JSON(same.at("phase").at("a").at("iterations"), 20);
        for (const char* list : {"entered_path", "left_path", "waits_gained", "waits_lost"})
            COMPARE_JSON(same.at(list).size(), 0);
    }

    void iterationsAreThoseOfPhases_data()
    {
        QTest::addColumn<QString>("trace");
        for (const char* trace : {"chain_and_bulk_p6", "gauss_seidel_p8", "jacobi2d_sdag_p4", "cpath_p4"})
            QTest::newRow(trace) << QString(QStringLiteral(LONGPOLE_TEST_DATA "/") + QLatin1String(trace));
    }
    void iterationsAreThoseOfPhases()
    {
        QFETCH(QString, trace);
        const auto answer = [this](const QStringList& call) {
            return json::parse(m_program(call).out.toStdString(), nullptr, false);
        };
        const json phases = answer({QStringLiteral("phases"), trace, QStringLiteral("--json")});
        const json compared = answer({QStringLiteral("compare"), trace, trace, QStringLiteral("--json")});
        QVERIFY(!phases.at("phases").empty());
        for (const char* run : {"a", "b"})
            COMPARE_JSON(compared.at("phase").at(run).at("iterations"),
                         phases.at("phases").at(0).at("iteration_count"));
    }

    void differencesAreSaidFirst()
    {
        const QString text = said(QStringLiteral("compare C G")).out;
        QVERIFY2(text.startsWith(
                     QStringLiteral("A  chain_and_bulk_p6 on 6 PEs, 173.5 ms\nB  gauss_seidel_p8 on 8 PEs, 228.5 ms\n\n"
                                    "A is prio and B is gs: entry methods are compared where")),
                 qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("A ran on 6 PEs and B on 8")));
        QVERIFY(text.contains(QStringLiteral("B took 228.5 ms instead of 173.5 ms: 31.7 % more.")));
        QVERIFY(text.contains(QStringLiteral("Tenth of the run")));
        QVERIFY(text.contains(QStringLiteral("Left the elapsed critical path\n  Worker::bulk: ")));
        QVERIFY(!said(QStringLiteral("compare C C")).out.contains(QStringLiteral("Tenth of the run")));
    }

    // A run that is what the replay predicted comes true.
    void adviceIsHeldAgainstTheSecondRun()
    {
        const QString replayed = m_folder.filePath(QStringLiteral("replayed.longpole"));
        QCOMPARE(said(QStringLiteral("replay C --priority Worker::chain_hop=-5 -o ") + replayed).code, 0);
        const json answer = json::parse(said(QStringLiteral("compare C %1 --json").arg(replayed)).out.toStdString());
        QCOMPARE(QString::fromStdString(violation(answer.dump(), "compare")), QString());
        COMPARE_JSON(answer.at("aligned_by"), "phase");
        QVERIFY(answer.at("waits_lost").at(0).at("name").get<std::string>().starts_with("chain_hop"));
        bool found = false;
        for (const json& advice : answer.at("advice")) {
            if (advice.at("kind") != "prioritize" || !advice.at("predicted_gain").is_array()) continue;
            found = true;
            COMPARE_JSON(advice.at("outcome"), "as_predicted");
            QVERIFY(advice.at("gain") > 0.25);
        }
        QVERIFY(found);
        const QString text = said(QStringLiteral("compare C ") + replayed).out;
        QVERIFY(text.contains(QStringLiteral("Did the advice given on A come true in B?")));
        QVERIFY(text.contains(QStringLiteral(", which is the prediction once more.")));
        // The other way round it is a loss.
        QCOMPARE(said(QStringLiteral("check %1 --baseline C").arg(replayed)).code, 0);
        QCOMPARE(said(QStringLiteral("check C --baseline ") + replayed).code, 1);
    }

    // What a program tried by itself is predicted as `replay` predicts it; what was tried on top of something else is
    // held against that.
    void trialsAreHeldAgainstTheReplay()
    {
        const auto entry = [](const char* name) { return json{{"ep", 1}, {"name", name}, {"prio", -5}}; };
        const json chain = entry("Worker::chain_hop(int it, int hop)"), bulk = entry("Worker::bulk(int it, int k)");
        const auto times = [](double median) {
            return json{{"median_s", median}, {"low_s", median}, {"high_s", median}, {"count", 11}};
        };
        QByteArray lines;
        const auto decide = [&](const char* decision, json with) {
            with.update({{"format", "longpole-auto"}, {"version", 1}, {"time_s", 4.5}, {"measure", "iterations"}});
            with["decision"] = decision;
            lines += QByteArray::fromStdString(with.dump() + '\n');
        };
        const auto trial = [&](const char* decision, const json& preferred, double gain, const json& base) {
            decide(decision, {{"trial", 1},
                              {"entries", json::array({preferred})},
                              {"base", base},
                              {"gain", gain},
                              {"off", times(0.02)},
                              {"on", times(0.012)}});
        };
        trial("kept", chain, 0.4, json::array());
        trial("taken back", bulk, -0.9, json::array({chain}));
        trial("taken back", entry("Gone::now()"), 0, json::array());
        decide("nothing to try", {{"trial", 0}});
        QFile log(m_folder.filePath(QStringLiteral("auto.jsonl")));
        QVERIFY(log.open(QIODevice::WriteOnly) && log.write(lines) == lines.size());
        log.close();
        const QString call = QStringLiteral("compare C ") + log.fileName();
        const Said answered = said(call + QStringLiteral(" --json"));
        QVERIFY2(answered.code == 0, qPrintable(answered.error));
        QCOMPARE(QString::fromStdString(violation(answered.out.toStdString(), "decisions")), QString());
        const json rows = json::parse(answered.out.toStdString()).at("decisions");
        const auto gainOf = [&](const char* options) {
            return json::parse(said(QStringLiteral("replay C --json ") + QLatin1String(options)).out.toStdString())
                .at("gain");
        };
        const json chainGain = gainOf("--priority Worker::chain_hop=-5");
        QVERIFY(rows.at(0).at("predicted") == chainGain && rows.at(0).at("inside") == true);
        const json bulkGain = gainOf("--priority Worker::bulk=-5");
        const auto time = [](const json& gain, int end) { return 1 - gain.at(std::size_t(end)).get<double>(); };
        QCOMPARE(rows.at(1).at("predicted").at(0).get<double>(), 1 - time(bulkGain, 0) / time(chainGain, 1));
        QCOMPARE(rows.at(1).at("predicted").at(1).get<double>(), 1 - time(bulkGain, 1) / time(chainGain, 0));
        QVERIFY(rows.at(2).at("predicted").is_null()
                && rows.at(2).at("why_not").get<std::string>() == "The trace has no Gone::now().");
        QVERIFY(rows.at(3).at("predicted").is_null() && rows.at(3).at("why_not").is_null());
        const QString text = said(call).out;
        QVERIFY2(text.contains(QStringLiteral("  Predicted  35.6 % to 43.8 %: measured inside\n")), qPrintable(text));
        QVERIFY2(
            text.contains(QStringLiteral("The expert prefers Worker::chain_hop(int it, int hop) in this trace; the "
                                         "program tried that.\n")),
            qPrintable(text));
        QVERIFY(said(call + QStringLiteral(" --csv"))
                    .out.startsWith(QStringLiteral(
                        "time_ns,decision,entries,gain,without_ns,with_ns,measure,before,predicted_low,")));
        // Of an MPI program no priorities can be said; a file that is none of decisions is one of bad input.
        QCOMPARE(said(QStringLiteral("compare T ") + log.fileName()).code, 0);
        QCOMPARE(said(QStringLiteral("compare C /nowhere/auto.jsonl")).code, 3);
    }

    void csv()
    {
        const QString text = said(QStringLiteral("compare C G --csv")).out;
        QVERIFY(text.startsWith(QStringLiteral("kind,name,a,b,change\nfigure,duration_ns,")));
        QVERIFY(text.contains(QStringLiteral("\ncount,Worker::chain_hop(),120,0,-120\n"))
                || text.contains(
                    QRegularExpression(QStringLiteral("\ncount,\"?Worker::chain_hop\\(.*\\)\"?,120,0,-120\n"))));
    }

    // The small trace lasts 10 us, its work path at messages 8 us; it idles 3.5 us a processor.
    void exitCodes_data()
    {
        QTest::addColumn<QString>("limit");
        QTest::addColumn<int>("code");
        const auto row = [](const char* limit, int code) { QTest::newRow(limit) << QString::fromUtf8(limit) << code; };
        row("--max-duration 10us", 0);
        row("--max-duration 9999", 1);
        row("--max-critical-path 8us", 0);
        row("--max-critical-path 7999ns", 1);
        row("--max-idle 3500ns", 0);
        row("--max-idle 3499ns", 1);
        row("--max-messages 1", 0);
        row("--max-messages 0", 1);
        row("--max-bytes 640", 0);
        row("--max-bytes 639B", 1);
        row("--max-grain start=4us", 0);
        row("--max-grain Solver::start=3999ns", 1);
        row("--max-grain nobody=1s", 3);
        row("--baseline T", 0);
        row("--baseline T --max-duration 0%", 0);
        row("--baseline T --max-duration -0.01%", 1);
        row("--baseline T --max-duration -1ns", 1);
        row("--baseline T --max-duration +0ns --max-idle -1%", 1);
        row("--baseline T --max-iteration +3%", 3);
        row("--baseline T --max-iteration +3% --max-duration -1%", 1);
        row("--baseline /nowhere", 3);
        row("", 2);
        row("--max-duration +3%", 2);
        row("--max-duration 10us --max-iteration 1ms", 2);
        row("--baseline T --max-duration few", 2);
        row("--baseline T --max-grain 3%", 2);
        row("--baseline T --max-duration", 2);
        row("--baseline T --format html", 2);
        row("--baseline T --json --format junit", 2);
        row("--baseline T -o O.html", 2);
        row("--baseline T -o /nowhere/x.json", 3);
        row("T --baseline T", 2);
    }
    void exitCodes()
    {
        QFETCH(const QString, limit);
        const Said answered = said(QStringLiteral("check T ") + limit);
        QTEST(answered.code, "code");
        if (answered.code == 2)
            QVERIFY(answered.out.isEmpty() && answered.error.startsWith(QStringLiteral("longpole check: ")));
        if (answered.code <= 1 && !limit.contains(QStringLiteral("iteration"))) QVERIFY(answered.error.isEmpty());
    }

    void wrongCompares_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<int>("code");
        QTest::newRow("one trace") << QStringLiteral("compare T") << 2;
        QTest::newRow("three") << QStringLiteral("compare T T T") << 2;
        QTest::newRow("missing first") << QStringLiteral("compare /nowhere T") << 3;
        QTest::newRow("missing second") << QStringLiteral("compare T /nowhere") << 3;
        QTest::newRow("two formats") << QStringLiteral("compare T T --json --csv") << 2;
    }
    void wrongCompares()
    {
        QFETCH(const QString, call);
        const Said answered = said(call);
        QTEST(answered.code, "code");
        QVERIFY(answered.out.isEmpty() && !answered.error.isEmpty());
        if (answered.code == 3) QVERIFY(answered.error.contains(QStringLiteral("/nowhere")));
    }

    void defaultsAreSaid()
    {
        const QString text = said(QStringLiteral("check T --baseline T")).out;
        QVERIFY(text.contains(QStringLiteral("No limits were given: these are the ones by default.")));
        QVERIFY(text.contains(QRegularExpression(QStringLiteral("\nduration +10 us +10 us +0.0 % +\\+5 % +kept\n"))));
        QVERIFY(
            !said(QStringLiteral("check T --baseline T --max-duration 1%")).out.contains(QStringLiteral("default")));
    }

    void junit()
    {
        QCOMPARE(said(QStringLiteral(
                          "check T --baseline C --max-duration +1% --max-grain start=3us --max-iteration 3% -o O.xml"))
                     .code,
                 1);
        QXmlStreamReader xml(written(QStringLiteral("xml")));
        QStringList names;
        QXmlStreamAttributes suite;
        while (!xml.atEnd())
            if (xml.readNext() == QXmlStreamReader::StartElement) {
                names << xml.name().toString();
                if (xml.name() == QLatin1String("testsuite")) suite = xml.attributes();
            }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(suite.value(QStringLiteral("tests")), QStringLiteral("3"));
        QCOMPARE(suite.value(QStringLiteral("failures")), QStringLiteral("1"));
        QCOMPARE(suite.value(QStringLiteral("errors")), QStringLiteral("1"));
        QCOMPARE(names.count(QStringLiteral("testcase")), 3);
        QCOMPARE(names.count(QStringLiteral("failure")), 1);
        QCOMPARE(names.count(QStringLiteral("error")), 1);
    }

    // One row per limit, by the ending, by --csv, by --format: the same bytes.
    void limitsAsCsv()
    {
        const QString limits = QStringLiteral("check T --baseline T --max-duration -1% --max-grain start=0% ");
        const Said answered = said(limits + QStringLiteral("--csv"));
        QCOMPARE(answered.code, 1);
        const QStringList lines = answered.out.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[0].startsWith(QStringLiteral("figure,entry,unit,baseline,run,relative,limit,")),
                 qPrintable(lines[0]));
        QVERIFY2(lines[1].startsWith(QStringLiteral("duration,,ns,10000,10000,0,")), qPrintable(lines[1]));
        QCOMPARE(said(limits + QStringLiteral("--format csv")).out, answered.out);
        QCOMPARE(said(limits + QStringLiteral("-o O.csv")).code, 1);
        QCOMPARE(written(QStringLiteral("csv")), answered.out);
        QCOMPARE(said(limits + QStringLiteral("--csv --json")).code, 2);
        QCOMPARE(said(limits + QStringLiteral("--csv --format junit")).code, 2);
    }

    void markdown()
    {
        QCOMPARE(said(QStringLiteral("check T --baseline T --max-duration -1% --max-grain start=0% -o O.md")).code, 1);
        const QStringList lines = written(QStringLiteral("md")).split(QLatin1Char('\n'));
        QVERIFY(lines[0].startsWith(QStringLiteral("**longpole check:** small against small: 1 of 2 limits crossed")));
        QVERIFY(lines.contains(QStringLiteral("| duration | 10 us | 10 us | 0.0 % | -1 % | **CROSSED** |")));
        QVERIFY(lines.contains(QStringLiteral("| mean grain of start | 4 us | 4 us | 0.0 % | +0 % | kept |")));
    }

private:
    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestCompare)
#include "tst_compare.moc"
