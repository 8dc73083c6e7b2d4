// SPDX-License-Identifier: GPL-3.0-or-later
// What longpole tree says of traces: schema, text that fits a terminal, thresholds from a file, and what is wrong with
// one.
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"

#include "support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

const QString treeChain = QStringLiteral(LONGPOLE_TEST_DATA "/chain_and_bulk_p6");
const QString treeSeidel = QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8");
const QString treeShared = QStringLiteral(LONGPOLE_SHARED_TRACES);

}  // namespace

class TestTree : public QObject {
    Q_OBJECT

private:
    json answer(const QStringList& arguments) const
    {
        const Said answered = m_program(QStringList{QStringLiteral("tree")} + arguments
                                        + QStringList{QStringLiteral("--json")});
        if (answered.code != 0) qCritical("%d: %s", answered.code, qPrintable(answered.error));
        return json::parse(answered.out.toStdString(), nullptr, false);
    }
    static json node(const json& tree, const char* id)
    {
        for (const json& found : tree["nodes"])
            if (found["id"] == id) return found;
        return nullptr;
    }
    QString written(const QByteArray& text) const
    {
        QFile file(m_folder.filePath(QStringLiteral("limits.toml")));
        if (file.open(QIODevice::WriteOnly)) file.write(text);
        return file.fileName();
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        const auto small = writeHostileTrace(m_trace);
        QVERIFY2(small, qPrintable(small ? QString() : toText(small.error())));
    }

    // Figures of a damaged trace come with a warning, where a person reads them, from commands that say nothing else.
    void figuresOfDamagedTracesWarn()
    {
        const QString killed = QStringLiteral(LONGPOLE_TEST_DATA "/wave2d_killed_p3");
        const auto warns = [&](const QStringList& command) {
            const Said said = m_program(command);
            if (said.code != 0) qCritical("%d: %s", said.code, qPrintable(said.error));
            return said.error.contains(
                QLatin1String("longpole: Logs of 3 PEs are cut or damaged: their ends are missing."));
        };
        for (const char* command : {"efficiency", "critical-path", "profile", "zeroing"}) {
            QVERIFY2(warns({QLatin1String(command), killed}), command);
            QVERIFY2(!warns({QLatin1String(command), treeChain}), command);
            QVERIFY2(!warns({QLatin1String(command), killed, QStringLiteral("--json")}), command);
        }
        for (const char* command : {"info", "tree", "advise"})
            QVERIFY2(!warns({QLatin1String(command), killed}), command);
    }

    void jsonFitsItsSchema_data()
    {
        QTest::addColumn<QString>("trace");
        for (const QString& trace :
             {m_trace, treeChain, treeSeidel, QStringLiteral(LONGPOLE_TEST_DATA "/shared_variables_p6"),
              QString(treeShared + QStringLiteral("/wave2d_p6")),
              QStringLiteral(LONGPOLE_TEST_DATA "/stencil3d_summary_p4"),
              QStringLiteral(LONGPOLE_TEST_DATA "/pingpong_net_p2"),
              QString(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4"))})
            QTest::newRow(qPrintable(QFileInfo(trace).fileName())) << trace;
    }
    void jsonFitsItsSchema()
    {
        QFETCH(const QString, trace);
        if (!QFileInfo::exists(trace)) QSKIP("the trace is not there");
        const Said answered = m_program({QStringLiteral("tree"), trace, QStringLiteral("--json")});
        QVERIFY2(answered.code == 0, qPrintable(answered.error));
        QCOMPARE(QString::fromStdString(violation(answered.out.toStdString(), "tree")), QString());
    }

    void causesAreAllOfTheIdleTime()
    {
        const json tree = answer({treeSeidel});
        const json info = json::parse(
            m_program({QStringLiteral("info"), treeSeidel, QStringLiteral("--json")}).out.toStdString());
        std::int64_t total = 0, byEntry = 0;
        for (const auto& [cause, time] : tree["idle_causes"]["total"].items()) total += time.get<std::int64_t>();
        for (const json& row : tree["idle_causes"]["by_entry"])
            for (const auto& [cause, time] : row.items())
                if (cause != "entry") byEntry += time.get<std::int64_t>();
        QCOMPARE(total, info["idle_ns"].get<std::int64_t>());
        QCOMPARE(byEntry, total);
        QCOMPARE(tree["path"].back().get<std::string>(), std::string("bottleneck"));
        QVERIFY(node(tree, "synchronization")["fired"].get<bool>());
        QVERIFY(node(tree, "shared_variables")["fired"].is_null());
        QVERIFY(!node(tree, "shared_variables")["needs"].empty());
    }

    // What ranks wait in calls that need all of them is collective, also of the last one to come, which waits for the
    // others to leave; what they wait in receives is not sent yet.
    void causesOfRanksAreTheirWaits()
    {
        const QString late = m_folder.filePath(QStringLiteral("late.csv"));
        QFile file(late);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "rank,seq,call,start_ns,end_ns,comm,peer,tag\n"
            "0,0,MPI_Init,0,1000,MPI_COMM_WORLD,-,-\n"
            "0,1,MPI_Allreduce,100000,201000,MPI_COMM_WORLD,-,-\n"
            "0,2,MPI_Recv,300000,500000,MPI_COMM_WORLD,1,7\n"
            "0,3,MPI_Finalize,600000,601000,MPI_COMM_WORLD,-,-\n"
            "1,0,MPI_Init,0,1000,MPI_COMM_WORLD,-,-\n"
            "1,1,MPI_Allreduce,200000,240000,MPI_COMM_WORLD,-,-\n"
            "1,2,MPI_Send,490000,495000,MPI_COMM_WORLD,0,7\n"
            "1,3,MPI_Finalize,600000,601000,MPI_COMM_WORLD,-,-\n");
        file.close();
        for (const QString& trace :
             {late, QStringLiteral(LONGPOLE_TEST_DATA "/otf2/casita_4_mpi_ls_barr/traces.otf2")}) {
            const json causes = answer({trace})["idle_causes"]["total"];
            const json calls = json::parse(
                m_program({QStringLiteral("mpi-calls"), trace, QStringLiteral("--json")}).out.toStdString());
            std::int64_t collective = 0, others = 0;
            for (const json& call : calls) {
                const auto name = call["call"].get<std::string>();
                const bool isOfAll = name == "MPI_Barrier" || name == "MPI_Allreduce";
                (isOfAll ? collective : others) += call["wait_ns"].get<std::int64_t>();
            }
            QVERIFY(collective > 0 && others > 0);
            QCOMPARE(causes["synchronization_ns"].get<std::int64_t>(), collective);
            QCOMPARE(causes["imbalance_ns"].get<std::int64_t>(), others);
        }
    }

    // Roots and ranks that come late to collective calls send nothing earlier.
    void latenessHasTheWordsOfItsCall_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<int>("late");  // rank
        QTest::addColumn<QString>("says");
        QTest::newRow("root") << "MPI_Bcast" << 0 << "mostly for roots of collective calls: ";
        QTest::newRow("others") << "MPI_Reduce" << 1 << "mostly roots of collective calls: ";
    }
    void latenessHasTheWordsOfItsCall()
    {
        QFETCH(const QString, call);
        QFETCH(const int, late);
        QFETCH(const QString, says);
        const QString path = m_folder.filePath(call + QStringLiteral(".csv"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("rank,seq,call,start_ns,end_ns,comm,peer,tag\n");
        constexpr int rounds = 20, work = 800'000, other = 600'000, inCall = 10'000;
        constexpr int step = work + other + 2 * inCall;
        for (int rank = 0; rank < 2; ++rank) {
            int seq = 0;
            const auto row = [&](const QString& name, int begin, int end, const char* root) {
                file.write(QStringLiteral("%1,%2,%3,%4,%5,MPI_COMM_WORLD,%6,-\n")
                               .arg(rank)
                               .arg(seq++)
                               .arg(name)
                               .arg(begin)
                               .arg(end)
                               .arg(QLatin1String(root))
                               .toUtf8());
            };
            row(QStringLiteral("MPI_Init"), 0, 1000, "-");
            // Who is late works, and the other waits; then the other works nearly as long, until both meet.
            for (int i = 0; i < rounds; ++i) {
                const int begin = 1000 + i * step, come = begin + work, met = begin + step;
                row(call, rank == late ? come : begin, come + inCall, "0");
                row(QStringLiteral("MPI_Barrier"), rank == late ? come + inCall : met - inCall, met, "-");
            }
            row(QStringLiteral("MPI_Finalize"), 1000 + rounds * step, 2000 + rounds * step, "-");
        }
        file.close();
        const json found = node(answer({path}), "late_messages");
        const QString why = QString::fromStdString(found["why"].get<std::string>());
        QVERIFY2(why.contains(says), qPrintable(why));
    }

    // Of a folded trace nothing is said as if its rows were PEs that run together.
    void foldedTracesAreRefused()
    {
        const QString folded = m_folder.filePath(QStringLiteral("folded.longpole"));
        const QString pipeline = QStringLiteral(LONGPOLE_TEST_DATA "/pipeline_p6");
        const Said made = m_program({QStringLiteral("fold"), pipeline, QStringLiteral("-o"), folded});
        QVERIFY2(made.code == 0, qPrintable(made.error));
        for (const char* command : {"advise", "tree", "replay", "efficiency"}) {
            const Said said = m_program({QString::fromLatin1(command), folded});
            QCOMPARE(said.code, 3);
            QVERIFY2(said.error.contains(QStringLiteral("each of its rows is one iteration of a PE")),
                     qPrintable(said.error));
        }
        const Said compared = m_program({QStringLiteral("compare"), pipeline, folded});
        QCOMPARE(compared.code, 3);
        const Said info = m_program({QStringLiteral("info"), folded});
        QVERIFY2(info.out.contains(QStringLiteral("20 iterations over each other")), qPrintable(info.out));
        for (const char* command : {"critical-path", "profile", "usage"})
            QCOMPARE(m_program({QString::fromLatin1(command), folded}).code, 0);
    }

    void namesThatLackAreSaid()
    {
        const json killed = answer({QStringLiteral(LONGPOLE_TEST_DATA "/wave2d_killed_p3")});
        const auto says = [](const json& tree) {
            return node(tree, "idle")["why"].get<std::string>().find("without names of entry methods")
                   != std::string::npos;
        };
        QVERIFY(says(killed));
        QVERIFY(!says(answer({treeChain})));
    }

    // Where splitting tasks is what helps, waits for the rest of running ones are shown, not what was overtaken.
    void evidenceIsOfTheAdvice()
    {
        const json scheduling = node(answer({QStringLiteral(LONGPOLE_TEST_DATA "/blocker_p6")}), "scheduling");
        QVERIFY(scheduling["advice"].get<std::string>().starts_with("Split "));
        QVERIFY(!scheduling["evidence"].empty());
        for (const json& seen : scheduling["evidence"])
            QVERIFY(seen["text"].get<std::string>().find(" for the rest of ") != std::string::npos);
    }

    void textFitsATerminal()
    {
        for (const QString& trace : {treeChain, treeSeidel}) {
            const Said answered = m_program({QStringLiteral("tree"), trace});
            QCOMPARE(answered.code, 0);
            for (const QString& line : answered.out.split(QLatin1Char('\n')))
                QVERIFY2(line.size() <= 100, qPrintable(line));
            QVERIFY(answered.out.contains(QStringLiteral("[x] When did the run do badly?")));
            QVERIFY(answered.out.simplified().contains(QStringLiteral("Missing: user stats named shared/")));
        }
        QVERIFY(m_program({QStringLiteral("tree"), treeChain})
                    .out.contains(QStringLiteral("The largest cause: Give Worker::chain_hop a higher priority (E).")));
    }

    void csvHasALineForEachNode()
    {
        const QString csv = m_program({QStringLiteral("tree"), treeChain, QStringLiteral("--csv")}).out;
        QVERIFY(csv.startsWith(
            QStringLiteral("id,letter,parent,verdict,metric,value,threshold,key,severity_pe_ns,share,advice,why")));
        QCOMPARE(csv.count(QLatin1Char('\n')), 18);
    }

    void thresholdsOfAFile()
    {
        const Said defaults = m_program({QStringLiteral("tree"), QStringLiteral("--default-thresholds")});
        QCOMPARE(defaults.code, 0);
        QFile resource(QStringLiteral(LONGPOLE_SCHEMAS "/../thresholds.toml"));
        QVERIFY(resource.open(QIODevice::ReadOnly));
        QCOMPARE(defaults.out.toUtf8(), resource.readAll());
        const QString same = written(defaults.out.toUtf8());
        QVERIFY(answer({treeSeidel, QStringLiteral("--thresholds"), same}) == answer({treeSeidel}));
        const QString other = written("[synchronization]\nidle_share = 0.99\n");
        const json tree = answer({treeSeidel, QStringLiteral("--thresholds"), other});
        QVERIFY(!node(tree, "synchronization")["fired"].get<bool>());
        QCOMPARE(node(tree, "synchronization")["threshold"].get<double>(), 0.99);
    }

    // The checks stand before all else, in JSON and as text, and say what they withdrew.
    void checksComeFirst()
    {
        const QString jacobi = QStringLiteral(LONGPOLE_TEST_DATA "/jacobi2d_sdag_p4");
        const json tree = answer({jacobi});
        const json checks = tree["judged"]["checks"];
        QCOMPARE(checks.size(), std::size_t(8));
        QCOMPARE(checks[0]["id"].get<std::string>(), std::string("processor_time"));
        QVERIFY(!checks[0]["passed"].get<bool>());
        QVERIFY(checks[0]["value"].get<double>() > 0.05);
        const QString json = m_program({QStringLiteral("tree"), jacobi, QStringLiteral("--json")}).out;
        QVERIFY(json.startsWith(QStringLiteral("{\n  \"judged\": {")));
        QVERIFY(node(tree, "latency")["fired"].is_null());
        const QString text = m_program({QStringLiteral("tree"), jacobi}).out;
        QVERIFY(text.simplified().contains(
            QStringLiteral("Can this run be judged? failed CPU time: This run had fewer cores than PEs:")));
        QVERIFY(text.indexOf(QStringLiteral("fewer cores than PEs")) < text.indexOf(QStringLiteral("[x]")));
        QVERIFY(text.contains(QStringLiteral("Cannot be judged, because this run had fewer cores than PEs.")));
        QVERIFY(m_program({QStringLiteral("info"), jacobi})
                    .out.contains(QStringLiteral("Cores          This run had fewer cores than PEs:")));
    }

    void partsAreLeftOut()
    {
        const QString without = QStringLiteral("--without");
        const json all = answer({treeSeidel});
        const json startless = answer({treeSeidel, without, QStringLiteral("startup")});
        QVERIFY(node(startless, "when")["severity_pe_ns"] < node(all, "when")["severity_pe_ns"]);
        QVERIFY(QString::fromStdString(node(startless, "when")["why"].get<std::string>())
                    .contains(QStringLiteral("Start-up is left out, 2.0 % of the run.")));
        const QString file = written("[without]\nstartup = 1\n");
        QVERIFY(answer({treeSeidel, QStringLiteral("--thresholds"), file}) == startless);
        QCOMPARE(m_program({QStringLiteral("tree"), treeSeidel, without, QStringLiteral("sleep")}).code, 2);
    }

    void aTypoNamesItsLine()
    {
        const QString wrong = written("[when]\n# mine\nutilisation = 0.5\n");
        const Said answered = m_program({QStringLiteral("tree"), treeSeidel, QStringLiteral("--thresholds"), wrong});
        QCOMPARE(answered.code, 3);
        QVERIFY2(answered.error.contains(QStringLiteral("did you mean utilization?")), qPrintable(answered.error));
        QVERIFY(answered.error.contains(QStringLiteral("limits.toml, line 3")));
        QVERIFY(answered.out.isEmpty());
    }

private:
    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("small.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestTree)
#include "tst_tree.moc"
