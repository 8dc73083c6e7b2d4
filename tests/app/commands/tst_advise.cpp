// SPDX-License-Identifier: GPL-3.0-or-later
// What advise says of traces: schema, SQL that shows the waits again, priorities as files, and what is wrong with a
// call.
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"
#include "app/wrongcalls.h"

#include "support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

const QString advisedChain = QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6");
const QString advisedSeidel = QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8");
const QString adviseShared = QStringLiteral(LONGPOLE_SHARED_TRACES);

QByteArray contents(const QString& name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestAdvise : public QObject {
    Q_OBJECT

private:
    // "T" is the small trace, "C" and "G" are real ones, "P.x" is a file, "R" the thresholds.
    Said said(const QString& call) const
    {
        QStringList arguments = call.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^T$")), m_trace);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^C$")), advisedChain);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^G$")), advisedSeidel);
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^P\\.")), file(QStringLiteral("prio.")));
        arguments.replaceInStrings(QRegularExpression(QStringLiteral("^R$")), file(QStringLiteral("limits.toml")));
        return m_program(arguments);
    }
    json answer(const QString& call) const
    {
        const Said answered = said(call + QStringLiteral(" --json"));
        if (answered.code != 0) qCritical("%d: %s", answered.code, qPrintable(answered.error));
        return json::parse(answered.out.toStdString(), nullptr, false);
    }
    QString file(const QString& name) const { return m_folder.filePath(name); }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        const auto written = writeHostileTrace(m_trace);
        QVERIFY2(written, qPrintable(written ? QString() : toText(written.error())));
    }

    void jsonFitsItsSchema_data()
    {
        QTest::addColumn<QString>("trace");
        for (const QString& trace :
             {m_trace, advisedChain, advisedSeidel, QStringLiteral(LONGPOLE_TEST_DATA "/blocker_p6"),
              QString(adviseShared + QStringLiteral("/wave2d_p6")),
              QStringLiteral(LONGPOLE_TEST_DATA "/pingpong_net_p2"),
              QString(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4"))})
            QTest::newRow(qPrintable(QFileInfo(trace).fileName())) << trace;
    }
    void jsonFitsItsSchema()
    {
        QFETCH(const QString, trace);
        if (!QFileInfo::exists(trace)) QSKIP("the trace is not there");
        const Said answered = m_program({QStringLiteral("advise"), trace, QStringLiteral("--json")});
        QVERIFY2(answered.code == 0, qPrintable(answered.error));
        QCOMPARE(QString::fromStdString(violation(answered.out.toStdString(), "advise")), QString());
    }

    void chainIsToGoFirst()
    {
        const json found = answer(QStringLiteral("advise C"));
        const json first = found.at("advice").at(0);
        COMPARE_JSON(first.at("id"), "prioritize:E155");
        COMPARE_JSON(first.at("entry").at("name"), "chain_hop(int it, int hop)");
        COMPARE_JSON(first.at("class"), "good");
        COMPARE_JSON(first.at("over_ns"), 89'889'000);
        QVERIFY(first.at("predicted_gain").at(0) > 0.27 && first.at("predicted_gain").at(1) < 0.47);
        COMPARE_JSON(found.at("conditions").at("behind_others").at("count"), 20);
        COMPARE_JSON(found.at("not_evaluated"), nullptr);
        const QString text = said(QStringLiteral("advise C")).out;
        // Its work is timed sleeps, as the checks say first.
        QVERIFY(text.startsWith(
            QStringLiteral("Advice for prio: 173.5 ms on 6 PEs\n\nCan this run be judged?\n"
                           "  doubtful  CPU time: Tasks sleep or block for at least 94.2 % of busy time.")));
        QVERIFY(text.contains(
            QStringLiteral("\n\n1. Give Worker::chain_hop a higher priority\n   Critical "
                           "tasks of Worker::chain_hop were overtaken for 89.89 ms, mostly by Worker::bulk.")));
        COMPARE_JSON(found.at("judged").at("checks").at(0).at("id"), "processor_time");
        for (const QString& line :
             text.section(QStringLiteral("\nEntry method on the path"), 0, 0).split(QLatin1Char('\n')))
            QVERIFY2(line.size() <= 100, qPrintable(line));
    }

    // Nothing is said twice, and the command's own sentence of what starts late names its edges.
    void wordsStandOnce()
    {
        // What any order of tasks could save is said where one is advised, and where none helps it is not.
        for (const auto& [trace, count] : {std::pair("advise C", 1), std::pair("advise G", 0)}) {
            const QString text = said(QLatin1String(trace)).out.simplified();
            QVERIFY2(!text.contains(QStringLiteral("Priorities: ")), qPrintable(text));
            QVERIFY2(text.count(QStringLiteral("Reordering tasks can save at most")) == count, qPrintable(text));
        }
        const QString text = said(QStringLiteral("parallelism C")).out.simplified();
        QVERIFY2(
            text.contains(QStringLiteral("later than the work on its chain of messages takes (edges messages). Task")),
            qPrintable(text));
        QVERIFY(said(QStringLiteral("parallelism C --edges merges"))
                    .out.simplified()
                    .contains(QStringLiteral(
                        "later than the work on its chain of messages and merges takes (edges merges). Task")));
    }

    // Each advice's SQL runs and shows waits.
    void sqlShowsItAgain_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<int>("waits");  // all of them: the query adds up to the time that the advice is about
        QTest::newRow("prioritize") << advisedChain << 20;
        QTest::newRow("split") << QStringLiteral(LONGPOLE_TEST_DATA "/blocker_p6") << 153;
    }
    void sqlShowsItAgain()
    {
        QFETCH(const QString, trace);
        if (!QFileInfo::exists(trace)) QSKIP("the trace is not there");
        const Said answered = m_program({QStringLiteral("advise"), trace, QStringLiteral("--json")});
        const json first = json::parse(answered.out.toStdString()).at("advice").at(0);
        const QString sql = QString::fromStdString(first.at("sql").get<std::string>());
        const Said rows = m_program({QStringLiteral("sql"), trace, sql, QStringLiteral("--json")});
        QVERIFY2(rows.code == 0, qPrintable(rows.error));
        const json table = json::parse(rows.out.toStdString());
        QTEST(int(table.size()), "waits");
        QVERIFY(table.at(0).at("wait_ns") > 1'000'000);
        // The longest waits are those of the evidence.
        bool isEvidence = false;
        for (const json& evidence : first.at("evidence"))
            isEvidence |= evidence.at("tasks").at(0) == table.at(0).at("task");
        QVERIFY(isEvidence);
    }

    void csvHasALineForEachAdvice()
    {
        const QString csv = said(QStringLiteral("advise C --csv")).out;
        QCOMPARE(csv.count(QLatin1Char('\n')), 2);
        QVERIFY(csv.startsWith(QStringLiteral("id,kind,title,")));
        QVERIFY(
            csv.contains(QStringLiteral("\nprioritize:E155,prioritize,Give Worker::chain_hop a higher priority,155,")));
        QVERIFY(!said(QStringLiteral("advise G --csv")).out.contains(QStringLiteral("\nprioritize")));
    }

    void prioritiesAsFiles()
    {
        QCOMPARE(said(QStringLiteral("advise C --priorities P.json")).code, 0);
        const json list = json::parse(contents(file(QStringLiteral("prio.json"))).toStdString());
        COMPARE_JSON(list.at("format"), "charm-autoprio");
        COMPARE_JSON(list.at("version"), 1);
        COMPARE_JSON(list.at("window").at(1).get<std::int64_t>() - list.at("window").at(0).get<std::int64_t>(),
                     173'495'000);
        QVERIFY(!list.at("source").get<std::string>().empty());
        COMPARE_JSON(list.at("entries"), (json::array({{{"ep", 155},
                                                        {"name", "Worker::chain_hop(int it, int hop)"},
                                                        {"prio", -5},
                                                        {"count", 120},
                                                        {"class", "GOOD"}}})));
        QCOMPARE(said(QStringLiteral("advise C --priorities P.csv --all-path-entries")).code, 0);
        const QByteArray csv = contents(file(QStringLiteral("prio.csv")));
        QCOMPARE(csv.count('\n'), 5);
        QVERIFY(csv.contains("153,Worker::start(int it),-5,20,MIXED\n"));
        QCOMPARE(said(QStringLiteral("advise C --priorities P.h")).code, 0);
        QVERIFY(contents(file(QStringLiteral("prio.h")))
                    .contains("{155, \"Worker::chain_hop(int it, int hop)\", -5, 120LL, \"GOOD\"}"));
        // Nothing is advised: nothing is preferred.
        QCOMPARE(said(QStringLiteral("advise G --priorities P.json")).code, 0);
        const json none = json::parse(contents(file(QStringLiteral("prio.json"))).toStdString());
        COMPARE_JSON(none.at("entries"), json::array());
    }

    void thresholdsOfAFile()
    {
        QFile limits(file(QStringLiteral("limits.toml")));
        QVERIFY(limits.open(QIODevice::WriteOnly));
        limits.write("[scheduling]\novertaking = 0.9\n");
        limits.close();
        const json found = answer(QStringLiteral("advise C --thresholds R"));
        for (const json& advice : found.at("advice")) QVERIFY(advice.at("kind") != "prioritize");
        COMPARE_JSON(found.at("conditions").at("behind_others").at("met"), false);
        COMPARE_JSON(found.at("baseline_ns"), nullptr);
    }

    void whatCannotBeJudged()
    {
        const json found = answer(QStringLiteral("advise T"));
        COMPARE_JSON(found.at("not_evaluated"),
                     "The longest chain of messages and merges has 2 tasks: too short to judge.");
        COMPARE_JSON(found.at("verdict"), nullptr);
        COMPARE_JSON(found.at("entries"), json::array());
        QVERIFY(said(QStringLiteral("advise T"))
                    .out.endsWith(QStringLiteral("Priorities could not be judged. The longest chain of messages and "
                                                 "merges has 2 tasks: too short to\njudge.\n\n")));
    }

    void aSummaryIsRefused()
    {
        const QString summary = QStringLiteral(LONGPOLE_TEST_DATA "/stencil3d_summary_p4");
        const Said answered = m_program({QStringLiteral("advise"), summary});
        QCOMPARE(answered.code, 3);
        QVERIFY2(answered.error.contains(QStringLiteral("is a summary")), qPrintable(answered.error));
    }

    // The question that advice about latency stands for, in the replay's own words.
    void replaySaysWhatAnIdealNetworkSaves()
    {
        const Said answered = said(QStringLiteral("replay C --network ideal"));
        QCOMPARE(answered.code, 0);
        const QString text = answered.out;
        QVERIFY2(text.contains(QRegularExpression(
                     QStringLiteral("\nPredicted  [0-9.]+ ms to [0-9.]+ ms, messages taking no time\n"
                                    "Gain       1\\.\\d % to [12]\\.\\d %\n\nThe run becomes shorter\\.\n"))),
                 qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("\u2212<")));
        const json found = answer(QStringLiteral("replay C --network ideal"));
        QVERIFY(found.at("usable").get<bool>() && found.at("reason").is_null());
        QVERIFY(found.at("gain").at(0).get<double>() > 0.01 && found.at("gain").at(1).get<double>() < 0.03);
    }

    void wrongCalls_data()
    {
        addWrongCalls({{"advise", 2, "needs a trace: longpole "},
                       {"advise T --priorities P.txt", 2, ".json, .h or .csv"},
                       {"advise T --all-path-entries", 2, "--priorities"},
                       {"advise C --priorities /nowhere/p.json", 3, "/nowhere/p.json"},
                       {"advise C --priorities P.json -o P.json", 3, "two things"},
                       {"advise T --thresholds /nowhere.toml", 3, "/nowhere.toml"},
                       {"advise /nowhere", 3, "/nowhere"}});
    }
    void wrongCalls()
    {
        QFETCH(const QString, call);
        checkRefused(said(call));
    }

private:
    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestAdvise)
#include "tst_advise.moc"
