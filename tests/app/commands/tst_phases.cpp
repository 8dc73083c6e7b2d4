// SPDX-License-Identifier: GPL-3.0-or-later
// What phases says about traces and texts: schema, spans that are those of the path, and what is wrong with a call.
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"
#include "app/wrongcalls.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <string>

using namespace longpole;
using namespace longpole::test;

namespace {

// Figure 10 of Dooley, Arya, Kale 2010.
const std::string paperString =
    "abbbbbcdefggggghijbbbbbklmnopopqrbbbbstiuvwbbbbxxyvwbbbbbAAxyvwbbbbxxyvwbbbbbxxyvwbbbbbxxabbbbbcdefg"
    "gggghijbbbbbbklmnopopqrbbbbstiuvwbbbbbAAxyvwbbbbbAAxyvwbbbbbAAxyvwbbbbbxxyvwbbbbbxxabbbbbcdefggggghi"
    "jbbbbbklmnopopqrbbbbstiuvwbbbbxxyvwbbbAAxyvwbbbbxxyvwbbbbAxxywbbbAAxabbbbbcdefgggghijbbbbklmnopopqrb"
    "bbbstiuvwbbbbbAxxyvwbbbbbAxxyvwbbbbbxxyvwbbbbbxxyvwbbbbxxAabbbbbcdefgggghijbbbbbklmnopopqrbbbbstiuvw"
    "bbbbxxyvwbbbbxxyvwbbbbxxyvwbbbbxxyvwbbbbbxxabbbbbcdefggggghijbbbbbklmnopopqrbbbbstiuvwbbbb";
const QString phasesSeidel = QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8");

}  // namespace

class TestPhases : public QObject {
    Q_OBJECT

private:
    // "T" is the small trace, "G" a real one, "O" the other one, "F" the file.
    Said said(const QString& call) const
    {
        QStringList arguments = words(call);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^T$")), m_trace);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^G$")), phasesSeidel);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^O$")), m_other);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^F$")), m_text);
        return m_program(arguments);
    }
    json answer(const QString& call) const
    {
        const Said answered = said(call + QStringLiteral(" --json"));
        if (answered.code != 0) qCritical("%d: %s", answered.code, qPrintable(answered.error));
        return json::parse(answered.out.toStdString(), nullptr, false);
    }
    void write(const QByteArray& text) const
    {
        QFile file(m_text);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        write("abcabcabcabcabcabcabcabcabc\n");
    }
    void initTestCase()
    {
        const auto written = writeHostileTrace(m_trace);
        QVERIFY2(written, qPrintable(written ? QString() : toText(written.error())));
    }

    void jsonFitsItsSchema_data()
    {
        QTest::addColumn<QString>("call");
        for (const char* call :
             {"phases T", "phases T --support 2 --overlapping", "phases G", "phases G --collapse -k 2",
              "phases G --mode elapsed", "phases G --edges messages --support 3 --overlapping", "phases G --mode sweep",
              "phases --text F", "phases --text F --collapse --support 4", "phases G --prove",
              "phases --text F --prove"})
            QTest::newRow(call) << QString::fromUtf8(call);
    }
    void jsonFitsItsSchema()
    {
        QFETCH(const QString, call);
        const Said answered = said(call + QStringLiteral(" --json"));
        QVERIFY2(answered.code == 0, qPrintable(answered.error));
        QCOMPARE(QString::fromStdString(violation(answered.out.toStdString(), "phases")), QString());
    }

    // All that count the iterations of the first phase say the same number: that of the program.
    // What the programs ran stands in their sources, or is the number of executions that each object had.
    void oneAnswer_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<int>("count");
        const QString data = QStringLiteral(LONGPOLE_TEST_DATA "/");
        QTest::newRow("gauss_seidel") << data + QStringLiteral("gauss_seidel_p8") << 60;
        QTest::newRow("jacobi2d") << data + QStringLiteral("jacobi2d_sdag_p4") << 40;
        QTest::newRow("chain_and_bulk") << data + QStringLiteral("chain_and_bulk_p6/prio.sts") << 20;
        QTest::newRow("cpath") << data + QStringLiteral("cpath_p4") << 6;
    }
    void oneAnswer()
    {
        QFETCH(QString, trace);
        QFETCH(int, count);
        m_other = trace;
        const QTemporaryDir folder;
        const json phases = answer(QStringLiteral("phases O")).at("phases");
        COMPARE_JSON(phases.at(0).at("iteration_count"), count);
        COMPARE_JSON(phases.at(0).at("iterations").at("spans").size(), count);
        const json folded = answer(QStringLiteral("fold O -o ") + folder.filePath(QStringLiteral("f.longpole")));
        COMPARE_JSON(folded.at("iterations"), count);
        const json projected = answer(QStringLiteral("project O --attribute user --stages iterations"));
        json edges = projected.at("stage_edges_ns");
        std::size_t found = 0;  // begins of iterations among the stages' edges
        for (const json& span : phases.at(0).at("iterations").at("spans"))
            found += std::size_t(std::count(edges.begin(), edges.end(), span.at("begin_ns")));
        COMPARE_JSON(found, std::size_t(count));
        const QString report = folder.filePath(QStringLiteral("r.json"));
        QCOMPARE(said(QStringLiteral("report O -o ") + report).code, 0);
        QFile file(report);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const json written = json::parse(file.readAll().toStdString(), nullptr, false);
        const std::string text = written.dump();
        const std::size_t at = text.find("\"iterations\":[");
        QVERIFY(at != std::string::npos);
        const std::string list = text.substr(at, text.find(']', at) - at);
        COMPARE_JSON(std::count(list.begin(), list.end(), '{'), count);
    }

    void nothingRepeats()
    {
        COMPARE_JSON(answer(QStringLiteral("phases T")),
                     (json{{"length", 2}, {"phases", json::array()}, {"complete", true}}));
        QVERIFY(said(QStringLiteral("phases T")).out.endsWith(QStringLiteral("\nNothing occurs that often\n")));
        for (const char* text : {"", "\n", "a", "abc"}) {
            write(text);
            COMPARE_JSON(answer(QStringLiteral("phases --text F")).at("phases"), json::array());
        }
    }

    void text()
    {
        const json found = answer(QStringLiteral("phases --text F --support 4 -k 1"));
        COMPARE_JSON(found, (json{{"length", 27},
                                  {"complete", true},
                                  {"phases",
                                   {{{"pattern", "abcabc"},
                                     {"root", "abc"},
                                     {"instances", 4},
                                     {"pattern_length", 6},
                                     {"score", 144},
                                     {"proven", true},
                                     {"spans",
                                      {{{"begin", 0}, {"end", 6}},
                                       {{"begin", 6}, {"end", 12}},
                                       {{"begin", 12}, {"end", 18}},
                                       {{"begin", 18}, {"end", 24}}}}}}}}));
        QCOMPARE(said(QStringLiteral("phases --text F --csv --support 5")).out,
                 QStringLiteral("phase,instance,begin,end,length\n1,1,0,3,3\n1,2,3,6,3\n1,3,6,9,3\n"
                                "1,4,9,12,3\n1,5,12,15,3\n1,6,15,18,3\n1,7,18,21,3\n1,8,21,24,3\n1,9,24,27,3\n"));
        QVERIFY(said(QStringLiteral("phases --text F --support 4"))
                    .out.contains(QStringLiteral(
                        "1. 4 occurrences of a pattern of 6, score 144\n   It repeats, 9 times in all: abc\n")));
    }

    // Figure 10 of the paper, as it is and with each run as one symbol: spans are offsets of the text as it is.
    void paper()
    {
        write(QByteArray::fromStdString(paperString));
        const json kept = answer(QStringLiteral("phases --text F")).at("phases").at(0);
        COMPARE_JSON(kept.at("pattern"), "bbbbklmnopopqrbbbbstiuvwbbbb");
        COMPARE_JSON(kept.at("score"), 4704);
        const json collapsed = answer(QStringLiteral("phases --text F --collapse")).at("phases").at(0);
        COMPARE_JSON(collapsed.at("pattern"), "abcdefghijbklmnopopqrbstiuvwb");
        COMPARE_JSON(collapsed.at("score"), 5046);
        for (const json& span : collapsed.at("spans")) {
            const auto begin = span.at("begin").get<std::size_t>(), end = span.at("end").get<std::size_t>();
            std::string piece = paperString.substr(begin, end - begin);
            piece.erase(std::unique(piece.begin(), piece.end()), piece.end());
            COMPARE_JSON(piece, collapsed.at("pattern"));
            QVERIFY(end == paperString.size() || paperString[end] != paperString[end - 1]);  // whole runs
        }
    }

    void charactersAndBytes()
    {
        write(QStringLiteral("äπ😀äπ😀").toUtf8());
        const json found = answer(QStringLiteral("phases --text F --support 2"));
        COMPARE_JSON(found.at("length"), 6);
        COMPARE_JSON(found.at("phases").at(0).at("pattern"), "äπ😀");
        write("\xff\xfe\xff\xfe");
        const json bytes = answer(QStringLiteral("phases --text F --support 2"));
        COMPARE_JSON(bytes.at("length"), 4);
        COMPARE_JSON(bytes.at("phases").at(0).at("pattern"), "ÿþ");
    }

    // Each span begins and ends where steps of the path do, with the pattern's entry methods between.
    void spansAreOfThePath()
    {
        const json path = answer(QStringLiteral("critical-path G")).at("steps");
        const json found = answer(QStringLiteral("phases G -k 1 --edges order --keep-runs"));
        COMPARE_JSON(found.at("length"), path.size());
        const json phase = found.at("phases").at(0);
        COMPARE_JSON(phase.at("pattern").size(), phase.at("pattern_length"));
        COMPARE_JSON(phase.at("spans").size(), phase.at("instances"));
        QVERIFY(phase.at("instances") >= 6);
        std::size_t next = 0;
        for (const json& span : phase.at("spans")) {
            while (next < path.size() && path[next].at("begin_ns") != span.at("begin_ns")) ++next;
            for (const json& entry : phase.at("pattern")) {
                QVERIFY(next < path.size());
                COMPARE_JSON(path[next++].at("entry"), entry);
            }
            COMPARE_JSON(path[next - 1].at("end_ns"), span.at("end_ns"));
        }
    }

    // Iterations follow one another, each from an execution of the mark; `project` cuts stages there.
    void iterations()
    {
        const json found = answer(QStringLiteral("phases G -k 1")).at("phases").at(0).at("iterations");
        const json& spans = found.at("spans");
        COMPARE_JSON(found.at("mark").at("name"), "red_en(int it, double v)");
        QCOMPARE(spans.size(), std::size_t(60));
        const QString query = QStringLiteral("SELECT begin_ns FROM task WHERE entry = %1")
                                  .arg(found.at("mark").at("id").get<int>());
        const json rows = json::parse(m_program(QStringList{QStringLiteral("sql"),
                                                            QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8"),
                                                            query, QStringLiteral("--json")})
                                          .out.toStdString());
        for (std::size_t i = 0; i < spans.size(); ++i) {
            if (i > 0) COMPARE_JSON(spans[i].at("begin_ns"), spans[i - 1].at("end_ns"));
            QVERIFY(std::any_of(rows.begin(), rows.end(),
                                [&](const json& row) { return row.at("begin_ns") == spans[i].at("begin_ns"); }));
        }
        const json stages = answer(QStringLiteral("project G --stages iterations --attribute user"))
                                .at("stage_edges_ns");
        QCOMPARE(stages.size(), spans.size() + 2);  // both ends, and what is before; the last goes on to the end
        const Said none = said(QStringLiteral("project T --stages iterations --attribute user"));
        QCOMPARE(none.code, 3);
        QVERIFY(none.error.contains(QStringLiteral("Nothing repeats")));
    }

    // The folded trace is one that every command takes.
    void folds()
    {
        const QString target = m_folder.filePath(QStringLiteral("folded.longpole"));
        const QString call = QStringLiteral("fold G -o ") + target;
        const Said answered = said(call + QStringLiteral(" --json"));
        QVERIFY2(answered.code == 0, qPrintable(answered.error));
        QCOMPARE(QString::fromStdString(violation(answered.out.toStdString(), "fold")), QString());
        const json report = json::parse(answered.out.toStdString());
        COMPARE_JSON(report.at("iterations"), 60);
        COMPARE_JSON(report.at("rows"), 480);
        const json info = answer(QStringLiteral("info ") + target);
        COMPARE_JSON(info.at("processors"), report.at("rows"));
        QCOMPARE(said(QStringLiteral("critical-path ") + target).code, 0);
        QVERIFY(said(call).out.startsWith(QStringLiteral("60 iterations on a common axis of ")));
        QVERIFY(said(call + QStringLiteral(" --cut instances")).out.startsWith(QStringLiteral("6 iterations")));
        QVERIFY(said(call + QStringLiteral(" --phase 2 --support 7 --cut repeats")).code == 0);
    }

    void textIsForPeople()
    {
        const QString out = said(QStringLiteral("phases G")).out;
        QVERIFY(out.startsWith(QStringLiteral("Repeated phases of the critical path: work, edges merges\n")));
        QVERIFY(out.contains(QStringLiteral("Median ")));
        QVERIFY(out.contains(QStringLiteral("Iterations, one for each RB2::red_en of an object: 60. ")));
        const QString kept = said(QStringLiteral("phases G --edges order --keep-runs")).out;
        QVERIFY(kept.startsWith(QStringLiteral("Repeated phases of the critical path: work, edges order\n")));
        QVERIFY(kept.contains(QStringLiteral("REDN::contribute_residual ×8, RB2::dag9")));
        const QString csv = said(QStringLiteral("phases G --csv")).out;
        QVERIFY(csv.startsWith(QStringLiteral("phase,instance,begin_ns,end_ns,duration_ns\n1,1,")));
    }

    void wrongCalls_data()
    {
        addWrongCalls({{"phases", 2, "needs a trace: longpole "},
                       {"phases T --text F", 2, "instead of a TRACE"},
                       {"phases --text F --mode elapsed", 2, "--mode"},
                       {"phases --text F --from 1ms", 2, "--from"},
                       {"phases T --support 1", 2, "at least 2"},
                       {"phases T --support 0", 2, "--support takes"},
                       {"phases T --support few", 2, "'few'"},
                       {"phases T -k 0", 2, "-k takes"},
                       {"phases T --mode elapsed --edges messages", 2, "order"},
                       {"phases --text /nowhere/text", 3, "/nowhere/text"},
                       {"phases --text /", 3, "/"},
                       {"phases /nowhere", 3, "/nowhere"},
                       {"fold T", 2, "-o"},
                       {"fold T -o x.txt", 2, ".longpole"},
                       {"fold T -o x.longpole --cut thirds", 2, "thirds"},
                       {"fold T -o x.longpole --support 1", 2, "at least 2"},
                       {"fold T -o x.longpole", 3, "Nothing repeats"},
                       {"fold /nowhere -o x.longpole", 3, "/nowhere"},
                       {"fold G -o /nowhere/x.longpole", 3, "/nowhere"},
                       {"fold G -o x.longpole --phase 99", 3, "phases repeat"}});
    }
    void wrongCalls()
    {
        QFETCH(const QString, call);
        checkRefused(said(call));
    }

private:
    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    QString m_other;
    QString m_text = m_folder.filePath(QStringLiteral("text.txt"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestPhases)
#include "tst_phases.moc"
