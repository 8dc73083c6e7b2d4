// SPDX-License-Identifier: GPL-3.0-or-later
// What longpole waits says of a program that can be redrawn by hand: exact text, CSV and JSON, and the documented
// schemas.
#include "app/jsonschema.h"
#include "app/program.h"
#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestWaits : public QObject {
    Q_OBJECT

private:
    Said run(QStringList arguments) const
    {
        arguments.insert(0, QStringLiteral("waits"));
        arguments.insert(1, m_trace);
        return m_program(arguments);
    }
    json answer(QStringList arguments) const
    {
        const Said said = run(arguments << QStringLiteral("--json"));
        return said.code == 0 ? json::parse(said.out.toStdString(), nullptr, false) : json();
    }
    static QStringList words(const char* text)
    {
        return QString::fromUtf8(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // rank 0  [setup 10    ][S]            [solve 4][barrier 1]
    // rank 1  [2].........[R][1][S]        [1]      [barrier 2]
    // rank 2  [1]................[R] 2     [1]      [barrier 1]
    void initTestCase()
    {
        WaitProgram program(3, {"setup", "solve"});
        program.compute(0, 10'000);
        program.send(0, 1, 1'000);
        program.compute(1, 2'000);
        program.receive(1, 0, 1'000);
        program.compute(1, 1'000);
        program.send(1, 2, 1'000);
        program.compute(2, 1'000);
        program.receive(2, 1, 2'000);
        program.lastCall(2).flags |= MpiCallFlag::WrongOrderSameSource;
        program.compute(0, 9'000, 1);
        program.compute(1, 1'000, 1);
        program.compute(2, 1'000, 1);
        program.meetAll(WaitProgram::Barrier, {0, 1, 2}, {1'000, 2'000, 1'000});
        QVERIFY(store(program.rows(), m_trace));
        const auto small = writeSmallTrace(m_charm);
        QVERIFY2(small, qPrintable(small ? QString() : toText(small.error())));
    }

    void jsonFitsItsSchema_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("schema");
        QTest::newRow("waits") << QString() << QStringLiteral("waits");
        QTest::newRow("one rank") << QStringLiteral("--rank 2 --worst 1") << QStringLiteral("waits");
        QTest::newRow("none") << QStringLiteral("--pattern early_scan") << QStringLiteral("waits");
        QTest::newRow("without") << QStringLiteral("--without interrupted,startup") << QStringLiteral("waits");
        QTest::newRow("causes") << QStringLiteral("--causes") << QStringLiteral("waits-causes");
        QTest::newRow("causes of a pattern")
            << QStringLiteral("--causes --pattern wait_at_barrier") << QStringLiteral("waits-causes");
        QTest::newRow("imbalance") << QStringLiteral("--imbalance") << QStringLiteral("waits-imbalance");
        QTest::newRow("of a part") << QStringLiteral("--imbalance --from 11us") << QStringLiteral("waits-imbalance");
    }
    void jsonFitsItsSchema()
    {
        QFETCH(const QString, options);
        QFETCH(const QString, schema);
        const Said said = run(options.split(QLatin1Char(' '), Qt::SkipEmptyParts) << QStringLiteral("--json"));
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QCOMPARE(QString::fromStdString(violation(said.out.toStdString(), schema.toStdString())), QString());
    }

    // What collective calls moved is a table of its own; barriers move nothing.
    void collectivesMove()
    {
        const auto said = [this](const char* options) {
            return m_program(QStringList{QStringLiteral("comm-matrix"), m_trace} + words(options));
        };
        QCOMPARE(said("--collective --csv").out, QStringLiteral("from,to,bytes\n"));
        QCOMPARE(said("--collective").out, QStringLiteral("No collective call moved anything.\n"));
        QCOMPARE(said("--collective --json").code, 2);
    }

    void waits()
    {
        const json found = answer({});
        QVERIFY(found.is_array());
        QCOMPARE(found.size(), std::size_t(4));
        COMPARE_JSON(found[0]["pattern"], "late_sender");
        COMPARE_JSON(found[0]["count"], 2);
        COMPARE_JSON(found[0]["time_ns"], 8'000 + 11'000);
        COMPARE_JSON(found[0]["by_rank_ns"], (json{0, 8'000, 11'000}));
        COMPARE_JSON(found[0]["worst"][0], (json{{"rank", 2},
                                                 {"thread", nullptr},
                                                 {"seq", 0},
                                                 {"call", "MPI_Recv"},
                                                 {"begin_ns", 1'000},
                                                 {"end_ns", 12'000},
                                                 {"time_ns", 11'000},
                                                 {"culprit", 1},
                                                 {"culprit_seq", 1},
                                                 {"culprit_thread", nullptr},
                                                 {"task", "1:0"},
                                                 {"during", {{"id", 7}, {"name", "setup"}, {"chare", ""}}},
                                                 {"during_ns", 2'000},
                                                 {"culprit_waited_ns", 8'000},
                                                 {"where", nullptr},
                                                 {"culprit_where", nullptr}}));
        COMPARE_JSON(found[1]["pattern"], "wrong_order_same_source");
        COMPARE_JSON(found[1]["part_of"], "late_sender");
        COMPARE_JSON(found[2]["pattern"], "wait_at_barrier");
        COMPARE_JSON(found[2]["time_ns"], 6'000 + 5'000);
        COMPARE_JSON(found[3]["pattern"], "barrier_completion");
        COMPARE_JSON(found[3]["worst"][0]["culprit"], nullptr);
        COMPARE_JSON(answer(words("--rank 1 --pattern late_sender"))[0]["time_ns"], 8'000);
        COMPARE_JSON(answer(words("--worst 1"))[0]["worst"].size(), 1);
        COMPARE_JSON(answer(words("--from 12us")).size(), 2);  // the barrier and its completion
        COMPARE_JSON(answer(words("--until 1500ns"))[0]["count"], 1);
    }

    void waitsForPeople()
    {
        const Said said = run(words("--pattern late_sender"));
        QCOMPARE(said.code, 0);
        QCOMPARE(said.out,
                 QStringLiteral(
                     "Waited: 19 us, 28.8 % of the time of all ranks\n"
                     "\n"
                     "Late sender: 19 us in 2 calls, 28.8 %\n"
                     "  A receive was entered before the message was sent. Give the sender less to do before it, send\n"
                     "  earlier, or receive later with a non-blocking call.\n"
                     "Rank  Waited  From  In        Call  For rank  Its call  Which ran   For  Waited itself\n"
                     "────  ──────  ────  ────────  ────  ────────  ────────  ─────────  ────  ─────────────\n"
                     "   2   11 us  1 us  MPI_Recv     0         1         1  setup      2 us           8 us\n"
                     "   1    8 us  2 us  MPI_Recv     0         0         0  setup      8 us           0 ns\n"));
        QCOMPARE(run(words("--pattern early_scan")).out,
                 QStringLiteral("The run has no waits of kind \"early scan\". The whole run has 31 us of waiting.\n"));
        QVERIFY(run(words("--without interrupted,startup"))
                    .out.startsWith(QStringLiteral("No task was interrupted: no wait is left out. No wait is in "
                                                   "start-up or shut-down of MPI.\nWaited: ")));
        // Whole waits are no share of a part's time.
        const QString part = run(words("--from 12us")).out;
        QVERIFY2(part.startsWith(QStringLiteral("Waited: 12 us, in waits that begin in this range, counted whole\n")),
                 qPrintable(part));
        QVERIFY2(!part.contains(QLatin1Char('%')), qPrintable(part));
        QVERIFY(run(words("--pattern late_sender --rank 0"))
                    .out.startsWith(QStringLiteral("Rank 0 has no waits of kind \"late sender\".")));
    }

    // Causes and what has none are all waits, to the nanosecond.
    void causes()
    {
        const json found = answer({QStringLiteral("--causes")});
        std::int64_t sum = found["unexplained_ns"];
        for (const json& cause : found["causes"]) {
            sum += cause["time_ns"].get<std::int64_t>();
            std::int64_t ofRanks = 0;
            for (const json& rank : cause["ranks"]) ofRanks += rank["time_ns"].get<std::int64_t>();
            COMPARE_JSON(cause["time_ns"], ofRanks);
        }
        COMPARE_JSON(found["total_ns"], sum);
        COMPARE_JSON(found["total_ns"], 19'000 + 11'000 + 1'000);
        COMPARE_JSON(found["unexplained_ns"], 1'000);
        COMPARE_JSON(found["causes"][0]["entry"]["name"], "setup");
        COMPARE_JSON(found["causes"][0]["ranks"][0]["rank"], 0);
        const Said text = run({QStringLiteral("--causes")});
        QCOMPARE(text.code, 0);
        QVERIFY(text.out.startsWith(QStringLiteral("Waited: 31 us, 47.0 % of the time of all ranks\n")));
        QVERIFY(text.out.contains(QStringLiteral("\nWithout a known cause: 1 us\n\nCode that others waited for")));
        const Said csv = run(words("--causes --csv"));
        QVERIFY(csv.out.startsWith(QStringLiteral("entry_id,entry,rank,time_ns,direct_ns,propagated_ns,")));
        QVERIFY(csv.out.contains(QStringLiteral("\n7,setup,0,")));
    }

    void imbalance()
    {
        const json found = answer({QStringLiteral("--imbalance")});
        const json& program = found["program"];
        COMPARE_JSON(program["calls"], 7);
        COMPARE_JSON(program["sync_wait_ns"], 11'000 + 1'000);
        COMPARE_JSON(program["sync_execution_ns"], 3'000);
        COMPARE_JSON(program["wait_execution"], 4.0);
        const std::int64_t outside = program["program_ns"];
        QCOMPARE(program["imbalance"].get<double>(), 12'000.0 / double(3'000 + outside));
        COMPARE_JSON(found["ranks"][0]["wait_execution"], 0.0);
        COMPARE_JSON(found["ranks"][1]["wait_execution"], 7.0);
        COMPARE_JSON(found["calls"][0]["call"], "MPI_Recv");
        COMPARE_JSON(found["calls"][0]["imbalance"], nullptr);
        COMPARE_JSON(found["calls"][1]["imbalance"], 4.0);
        // Outside and inside of MPI is all the time there is.
        COMPARE_JSON(program["time_ns"], std::int64_t{3} * 22'000 - outside);
        const Said text = run({QStringLiteral("--imbalance")});
        QVERIFY(text.out.contains(QRegularExpression(QStringLiteral("\n +1 +3 .* 7.000\n"))));
        QVERIFY(text.out.contains(QRegularExpression(QStringLiteral("\n +all +7 .* 4.000\n"))));
        QVERIFY(text.out.contains(QRegularExpression(QStringLiteral("\nMPI_Send .* -\n"))));
        const Said csv = run(words("--imbalance --csv"));
        QVERIFY(
            csv.out.startsWith(QStringLiteral("rank,calls,program_ns,time_ns,sync_execution_ns,sync_wait_ns,"
                                              "imbalance,wait_execution\n0,2,20000,2000,1000,0,0,0\n")));
    }

    void csvHasARowPerWait()
    {
        const Said said = run(words("--csv --worst 1"));
        QCOMPARE(said.code, 0);
        const QStringList lines = said.out.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 5);
        QCOMPARE(lines[1],
                 QStringLiteral("late_sender,2,19000,2,,0,MPI_Recv,1000,12000,11000,1,1,,1:0,setup,2000,8000,,"));
        QCOMPARE(lines[4], QStringLiteral("barrier_completion,1,1000,1,,2,MPI_Barrier,21000,22000,1000,,,,,,,,,"));
    }

    void wrongCalls_data()
    {
        QTest::addColumn<QString>("options");
        for (const char* options :
             {"--pattern late", "--rank 3", "--rank one", "--worst 0", "--imbalance --rank 1", "--imbalance --causes",
              "--imbalance --without startup", "--causes --worst 3", "--from 1h", "--from 1s"})
            QTest::newRow(options) << QString::fromUtf8(options);
    }
    void wrongCalls()
    {
        QFETCH(const QString, options);
        const Said said = run(options.split(QLatin1Char(' ')));
        QCOMPARE(said.code, 2);
        QVERIFY(!said.error.isEmpty());
    }

    void otherPrograms()
    {
        for (const QStringList& options : {QStringList(), words("--imbalance"), words("--causes --json")}) {
            const Said said = m_program(QStringList{QStringLiteral("waits"), m_charm} + options);
            QCOMPARE(said.code, 3);
            QVERIFY(said.error.contains(QStringLiteral("'waits' needs an MPI trace")));
            QVERIFY(said.out.isEmpty());
        }
    }

    // Every column of the SQL table, in its order, with its type.
    void sqlHasAllColumns()
    {
        const auto sql = [this](const char* query) {
            const Said said = m_program({QStringLiteral("sql"), m_trace, QString::fromUtf8(query),
                                         QStringLiteral("--json")});
            return said.code == 0 ? json::parse(said.out.toStdString(), nullptr, false)
                                  : json(said.error.toStdString());
        };
        const json columns = sql(
            "SELECT group_concat(name || ' ' || type, ', ') AS names FROM pragma_table_info('mpi_call')");
        COMPARE_JSON(
            columns[0]["names"],
            "rank INTEGER, seq INTEGER, call TEXT, begin_ns INTEGER, end_ns INTEGER, comm INTEGER, peer INTEGER, "
            "tag INTEGER, bytes INTEGER, wait_before_ns INTEGER, execution_ns INTEGER, wait_after_ns INTEGER, "
            "pattern TEXT, severity_ns INTEGER, culprit INTEGER, culprit_seq INTEGER, instance INTEGER, "
            "task TEXT, flags INTEGER, track INTEGER, call_path INTEGER, sent_bytes INTEGER");
        const json row = sql("SELECT * FROM mpi_call WHERE rank = 2 AND seq = 0");
        QCOMPARE(row.size(), std::size_t(1));
        const json expected{{"rank", 2},
                            {"seq", 0},
                            {"call", "MPI_Recv"},
                            {"begin_ns", 1'000},
                            {"end_ns", 14'000},
                            {"comm", nullptr},
                            {"peer", 1},
                            {"tag", 1},
                            {"bytes", 0},
                            {"wait_before_ns", 11'000},
                            {"execution_ns", 2'000},
                            {"wait_after_ns", 0},
                            {"pattern", "late_sender"},
                            {"severity_ns", 11'000},
                            {"culprit", 1},
                            {"culprit_seq", 1},
                            {"instance", nullptr},
                            {"call_path", nullptr},
                            {"task", "2:0"},
                            {"flags", 4},
                            {"track", 14},
                            {"sent_bytes", 0}};
        QCOMPARE(row[0].size(), expected.size());
        for (const auto& [name, value] : expected.items())
            QVERIFY2(row[0][name] == value, (name + ": " + row[0][name].dump()).c_str());
        COMPARE_JSON(sql("SELECT sum(severity_ns) AS waited FROM mpi_call WHERE pattern != 'none'")[0]["waited"],
                     30'000);
        COMPARE_JSON(sql("SELECT task.entry AS entry FROM mpi_call JOIN task ON task.task = mpi_call.task "
                         "WHERE rank = 0 AND seq = 1")[0]["entry"],
                     8);
    }

private:
    QTemporaryDir m_folder;
    QString m_trace = m_folder.filePath(QStringLiteral("ranks.longpole"));
    QString m_charm = m_folder.filePath(QStringLiteral("charm.longpole"));
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestWaits)
#include "tst_waits.moc"
