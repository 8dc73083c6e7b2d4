// SPDX-License-Identifier: GPL-3.0-or-later
// longpole analyze --keep: the trace of parts is the same for any number of processes; what is asked of it is answered
// as of the whole one, or not at all.
#include "app/processes/answers.h"
#include "app/processes/keptrows.h"
#include "app/program.h"

#include "core/hostilestore.h"
#include "core/sql/sqlsession.h"
#include "core/store/rows.h"
#include "core/store/tracestore.h"
#include "core/trace/columns.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <memory>
#include <utility>
#include <vector>

using namespace longpole;
using namespace longpole::test;

class TestAnalyzedParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        QProcess process;
        const Said made = m_program.run(process, QStringLiteral(LONGPOLE_MAKE_RECORDING),
                                        {recording(), QStringLiteral("7"), QStringLiteral("3000")});
        QCOMPARE(made.code, 0);
    }

    // A trace of parts: the same for any number of processes, with rows of the whole one, all where it says so.
    void keepsParts_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("near the path") << QStringList{QStringLiteral("--keep"), QStringLiteral("60K")};
        QTest::newRow("hardly anything") << QStringList{QStringLiteral("--keep"), QStringLiteral("900")};
        QTest::newRow("nothing") << QStringList{QStringLiteral("--keep"), QStringLiteral("0")};
        QTest::newRow("a rank") << QStringList{QStringLiteral("--keep"), QStringLiteral("150K"),
                                               QStringLiteral("--keep-ranks"), QStringLiteral("3")};
        QTest::newRow("a range") << QStringList{QStringLiteral("--keep"), QStringLiteral("150K"),
                                                QStringLiteral("--keep-range"), QStringLiteral("10ms..12ms")};
        QTest::newRow("ranks in a range")
            << QStringList{QStringLiteral("--keep"), QStringLiteral("150K"),         QStringLiteral("--keep-ranks"),
                           QStringLiteral("1,5"),    QStringLiteral("--keep-range"), QStringLiteral("10ms..")};
    }
    void keepsParts()
    {
        QFETCH(QStringList, options);
        QByteArray before;
        const QString trace = m_folder.filePath(QStringLiteral("kept.longpole"));
        for (const int processes : {1, 2, 3, 9}) {
            const Said said = m_program(QStringList{QStringLiteral("analyze"), recording(), QStringLiteral("-o"), trace,
                                                    QStringLiteral("--processes"), QString::number(processes)}
                                        + options);
            QCOMPARE(said.error, QString());
            QCOMPARE(said.code, 0);
            if (processes > 1) QVERIFY(contentOf(trace) == before);
            before = contentOf(trace);
        }
        const auto kept = TraceStore::open(trace);
        QVERIFY2(kept.ok(), kept ? "" : qPrintable(kept.error().what));
        const auto whole = TraceStore::open(imported());
        QVERIFY(whole.ok());
        QVERIFY((*kept)->info().isPart());
        compareRows(**kept, **whole);
        QVERIFY((*kept)->profile().size() == (*whole)->profile().size());
        for (const Processor& rank : (*whole)->processors()) {
            QCOMPARE((*kept)->tileLevels(rank.track), (*whole)->tileLevels(rank.track));
            const int level = (*whole)->tileLevels(rank.track).front();
            QVERIFY((*kept)->tiles(rank.track, level, {minTime, maxTime})->bins
                    == (*whole)->tiles(rank.track, level, {minTime, maxTime})->bins);
        }
    }
    void keepsWhatIsAskedFor()
    {
        const QString trace = m_folder.filePath(QStringLiteral("asked.longpole"));
        const QStringList call{QStringLiteral("analyze"), recording(), QStringLiteral("-o"), trace};
        QCOMPARE(m_program(call
                           + QStringList{QStringLiteral("--keep-ranks"), QStringLiteral("3"), QStringLiteral("--keep"),
                                         QStringLiteral("200K")})
                     .code,
                 0);
        const auto kept = TraceStore::open(trace);
        QVERIFY(kept.ok());
        QVERIFY((*kept)->isKept(ProcessorId{3}, (*kept)->info().range()));
        // All that has room is the whole trace.
        QCOMPARE(m_program(call + QStringList{QStringLiteral("--keep"), QStringLiteral("1G")}).code, 0);
        QVERIFY(contentOf(trace) == contentOf(imported()));
        // No room for what is asked for, and what cannot be.
        for (const auto& [options, code] : {std::pair(QStringList{QStringLiteral("--keep-ranks"), QStringLiteral("0-6"),
                                                                  QStringLiteral("--keep"), QStringLiteral("10K")},
                                                      3),
                                            {QStringList{QStringLiteral("--keep-ranks"), QStringLiteral("7")}, 3},
                                            {QStringList{QStringLiteral("--keep-range"), QStringLiteral("3")}, 2},
                                            {QStringList{QStringLiteral("--keep"), QStringLiteral("much")}, 2}}) {
            const Said said = m_program(call + options);
            QCOMPARE(said.code, code);
            QVERIFY2(said.error.count(QLatin1Char('\n')) <= 2, qPrintable(said.error));
        }
        const Said lost = m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--keep"),
                                     QStringLiteral("1G")});
        QCOMPARE(lost.code, 2);
        QVERIFY(lost.error.contains(QStringLiteral("-o")));
    }

    // Whatever is asked of a trace of parts: the answer is that of the whole trace, or there is none.
    void partsAnswerAsTheWhole_data()
    {
        QTest::addColumn<QStringList>("call");
        QTest::addColumn<bool>("answers");
        const auto row = [](const char* call, bool answers) {
            QTest::newRow(call) << QString::fromUtf8(call).split(QLatin1Char(' ')) << answers;
        };
        for (const char* call : {"info --json",
                                 "info --csv",
                                 "waits",
                                 "waits --json",
                                 "waits --csv",
                                 "waits --worst 40",
                                 "efficiency",
                                 "efficiency --json",
                                 "efficiency --csv",
                                 "critical-path",
                                 "critical-path --json",
                                 "critical-path --csv",
                                 "zeroing",
                                 "zeroing --json",
                                 "zeroing --csv",
                                 "slack --limit 100 --json",
                                 "slack --limit 100 --csv",
                                 "slack",
                                 "slack --max 0 --limit 20",
                                 "near-critical",
                                 "near-critical --json",
                                 "near-critical --csv",
                                 "near-critical -k 1",
                                 "near-critical -k 4 --json",
                                 "waits --causes",
                                 "waits --causes --json",
                                 "waits --causes --csv",
                                 "critical-path --mode elapsed",
                                 "critical-path --mode elapsed --json",
                                 "critical-path --mode elapsed --csv",
                                 "critical-path --edges messages --json",
                                 "critical-path --edges merges --csv",
                                 "critical-path --mode elapsed --edges messages --json",
                                 "phases",
                                 "phases --json",
                                 "phases --csv",
                                 "phases --keep-runs --support 3 --k 2 --json",
                                 "phases --mode elapsed --json",
                                 "advise",
                                 "advise --json",
                                 "advise --csv",
                                 "profile",
                                 "profile --json",
                                 "profile --csv",
                                 "profile --by chare --json",
                                 "profile --by pe --json",
                                 "tree",
                                 "tree --json",
                                 "tree --csv"})
            row(call, true);
        for (const char* call : {"waits --worst 60",
                                 "waits --imbalance",
                                 "waits --rank 2",
                                 "waits --pattern late_sender",
                                 "waits --from 3ms",
                                 "waits --without interrupted",
                                 "efficiency --by-phase 3",
                                 "efficiency --from 3ms",
                                 "efficiency --with-startup",
                                 "waits --causes --from 3ms",
                                 "waits --causes --rank 2",
                                 "critical-path --mode sweep",
                                 "critical-path --mode elapsed --to 2:5",
                                 "critical-path --mode elapsed --from 3ms",
                                 "critical-path --edges data",
                                 "critical-path --to 2:5",
                                 "critical-path --from 3ms",
                                 "critical-path --without interrupted",
                                 "critical-path --without startup",
                                 "critical-path --streaming",
                                 "zeroing --factor 1/2",
                                 "zeroing --mode elapsed",
                                 "zeroing --from 3ms",
                                 "zeroing --without startup",
                                 "slack --json",
                                 "slack --mode elapsed --limit 5",
                                 "slack --from 3ms --limit 5",
                                 "slack --without startup --limit 5",
                                 "near-critical -k 30",
                                 "near-critical --min-new 1%",
                                 "near-critical --mode elapsed",
                                 "near-critical --edges messages",
                                 "near-critical --from 3ms",
                                 "near-critical --without startup",
                                 "near-critical --without interrupted",
                                 "parallelism",
                                 "profile --by object",
                                 "profile --by calls",
                                 "usage",
                                 "histogram",
                                 "comm-matrix",
                                 "comm-matrix --json",
                                 "project --attribute user",
                                 "graph",
                                 "graph --from 10ms --until 11ms",
                                 "activity-table --pe 2",
                                 "advise --without startup",
                                 "advise --without interrupted",
                                 "advise --priorities /dev/null/priorities.json",
                                 "mpi-calls",
                                 "phases --mode sweep",
                                 "phases --from 3ms",
                                 "phases --without startup",
                                 "algorithms",
                                 "check",
                                 "check --max-duration 1s",
                                 "check --max-critical-path 1s"})
            row(call, false);
    }
    void partsAnswerAsTheWhole()
    {
        QFETCH(QStringList, call);
        QFETCH(bool, answers);
        const QString trace = partly();
        call.insert(1, trace);
        const Said said = m_program(call);
        call[1] = imported();
        comparePartAndWhole(said, m_program(call), answers);
    }

    void pathsOverMerges_data()
    {
        QTest::addColumn<QString>("edges");
        for (const char* edges : {"messages", "merges"}) QTest::newRow(edges) << QString::fromUtf8(edges);
    }
    void pathsOverMerges()
    {
        QFETCH(QString, edges);
        const auto said = [&](const QString& trace) {
            return m_program({QStringLiteral("critical-path"), trace, QStringLiteral("--edges"), edges});
        };
        comparePathsOverMerges(said(partly()), said(imported()));
    }

    // Answers with right checksums that no run can have.
    void hostileAnswersAreRefused_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QString>("command");
        const auto row = [](const char* sql, const char* command) {
            QTest::newRow(sql) << QByteArray(sql) << QString::fromUtf8(command);
        };
        row("UPDATE result_path_step SET pe = 99 WHERE rowid = 1", "critical-path");
        row("UPDATE result_path_step SET edge = 9 WHERE rowid = 1", "critical-path");
        row("UPDATE result_path_step SET end_ns = begin_ns - 1 WHERE rowid = 1", "critical-path");
        row("UPDATE result_path_step SET end_ns = end_ns + 1 WHERE rowid = 1", "critical-path");
        row("UPDATE result_path_profile SET time_ns = time_ns + 1 WHERE rowid = 1", "critical-path");
        row("UPDATE result_zeroing SET net_ns = net_ns + 1 WHERE rowid = 1", "zeroing");
        row("UPDATE result_zeroing_profile SET zeroed = 123456", "zeroing");
        row("UPDATE result_slack SET task = -1 WHERE rowid = 1", "slack");
        row("UPDATE result SET slack_without = slack_tasks + 1", "slack");
        row("UPDATE result_region_call SET calls = -1 WHERE rowid = 1", "profile");
        row("UPDATE result_region_call SET region = 0", "profile");
        row("UPDATE result_region_call SET held_ns = -1 WHERE rowid = 1", "profile");
        row("INSERT INTO result_outside_tasks VALUES (0, 1, 1)", "profile");
        row("INSERT INTO result_outside_tasks VALUES (99, 1, 1)", "profile");
        row("UPDATE result_near_path SET slack_ns = slack_ns + 1", "near-critical");
        row("UPDATE result_near_path SET path = 1", "near-critical");
        row("UPDATE result_near_path SET distinct_ns = 9223372036854775807", "near-critical");
        row("UPDATE result_near_path SET steps = steps + 1", "near-critical");
        row("INSERT INTO result_near_path VALUES (3, 0, 0, 0, 0)", "near-critical");
        row("UPDATE result_near_step SET pe = 99 WHERE rowid = 1", "near-critical");
        row("UPDATE result_near_step SET edge = 5 WHERE rowid = 1", "near-critical");
        row("DELETE FROM result_near_step WHERE rowid = 1", "near-critical");
        row("UPDATE result_near_step SET path = path + 1", "near-critical");
        row("INSERT INTO result_loop_mark VALUES (3)", "phases");
        row("INSERT INTO result_loop VALUES (123456, 0, 1, 0, 9, 0); INSERT INTO result_loop_mark VALUES (3)",
            "phases");
        row("UPDATE result_stage_use SET stage = 100 WHERE rowid = 1", "advise");
        row("UPDATE result_stage_use SET pe = 99 WHERE rowid = 1", "advise");
        row("UPDATE result_stage_use SET user_ns = 9223372036854775807 WHERE rowid < 3", "advise");
        row("UPDATE result_stage_idle SET cause = 6 WHERE rowid = 1", "advise");
        row("UPDATE result_stage_idle SET time_ns = -1 WHERE rowid = 1", "advise");
        row("UPDATE result_idle_code SET entry = 1048577 WHERE rowid = 1", "tree");
        row("UPDATE result_idle_example SET pe = 99 WHERE rowid = 1", "advise");
        row("UPDATE result_idle_example SET source_pe = 99", "advise");
        row("UPDATE result_idle_example SET end_ns = begin_ns - 1 WHERE rowid = 1", "advise");
        row("UPDATE result_idle_example SET entry = -7 WHERE task >= 0", "advise");
        row("UPDATE result_advice_period SET end_ns = 9223372036854775807", "advise");
        row("UPDATE result_advice SET busiest_pe = 99", "advise");
        row("UPDATE result_advice SET window_end_ns = 9223372036854775807", "advise");
        row("UPDATE result_advice SET has_tasks = 0", "advise");
        row("INSERT INTO result_advice SELECT * FROM result_advice", "advise");
        row("UPDATE result_call_time SET execution_ns = -1 WHERE rowid = 1", "advise");
        row("INSERT INTO result_interruption VALUES (99, 1, 1, 1, 1, 1)", "advise");
        row("INSERT INTO result_busiest_load VALUES (-2, 1, 1)", "advise");
        row("INSERT INTO result_beside_busy VALUES (-2, 1)", "advise");
        row("INSERT INTO result_advice_place VALUES (123456)", "advise");
        row("UPDATE result_wait SET kind = 77 WHERE rowid = 1", "waits");
        row("UPDATE result_wait SET kind = 4", "waits");
        row("UPDATE result_wait_of_rank SET pe = 7 WHERE rowid = 1", "waits");
        row("UPDATE result_worst_wait SET culprit = 1000 WHERE rowid = 1", "waits");
        row("UPDATE result_worst_wait SET end_ns = 9223372036854775807 WHERE rowid = 1", "waits");
        row("UPDATE result_worst_wait SET culprit_call_path = -1 WHERE rowid = 1", "waits");
        row("UPDATE result_elapsed_step SET pe = 99 WHERE rowid = 1", "critical-path --mode elapsed");
        row("UPDATE result_elapsed_step SET part = 6 WHERE rowid = 1", "critical-path --mode elapsed");
        row("UPDATE result_elapsed_step SET end_ns = end_ns + 1 WHERE rowid = 1", "critical-path --mode elapsed");
        row("UPDATE result_elapsed_profile SET time_ns = 9223372036854775807", "critical-path --mode elapsed");
        row("UPDATE result SET elapsed_pe = 99", "critical-path --mode elapsed");
        row("UPDATE result_cause SET rank = 7 WHERE rowid = 1", "waits --causes");
        row("UPDATE result_cause SET direct_ns = -1 WHERE rowid = 1", "waits --causes");
        row("UPDATE result_cause SET direct_ns = direct_ns + 1 WHERE rank = -1", "waits --causes");
        row("UPDATE result_cause SET entry = entry + 1 WHERE rowid = 1", "waits --causes");
        row("DELETE FROM result_cause WHERE rank >= 0", "waits --causes");
        row("DELETE FROM result_cause WHERE rank < 0", "waits --causes");
        row("UPDATE result SET wait_ns = 0", "waits --causes");
        row("UPDATE result_useful SET time_ns = 9223372036854775807 WHERE rowid = 1", "efficiency");
        row("UPDATE result_useful SET pe = 3 WHERE rowid = 1", "efficiency");
        row("UPDATE result SET ideal_ns = 9223372036854775807", "efficiency");
    }
    void hostileAnswersAreRefused()
    {
        QFETCH(QByteArray, sql);
        QFETCH(QString, command);
        const QString trace = m_folder.filePath(QStringLiteral("hostile.longpole"));
        QFile::remove(trace);
        QVERIFY(QFile::copy(partly(), trace));
        QVERIFY(editStore(trace, sql).ok());
        QStringList call = command.split(QLatin1Char(' '));
        call.insert(1, trace);
        const Said said = m_program(call);
        QCOMPARE(said.code, 3);
        QCOMPARE(said.out, QString());
        QVERIFY2(said.error.contains(QStringLiteral("answers are of another run")), qPrintable(said.error));
    }
    void partsSayWhatTheyHave()
    {
        const Said info = m_program({QStringLiteral("info"), partly()});
        QCOMPARE(info.code, 0);
        QVERIFY2(info.out.contains(QRegularExpression(QStringLiteral("\nKept +events of \\d of 7 ranks"))),
                 qPrintable(info.out));
        const auto sql = [this](const char* query) {
            return m_program({QStringLiteral("sql"), partly(), QString::fromUtf8(query), QStringLiteral("--csv")});
        };
        for (const char* query : {"SELECT count(*) FROM task", "SELECT count(*) FROM mpi_call WHERE rank = 6",
                                  "SELECT * FROM idle_cause", "SELECT * FROM busy", "SELECT * FROM critical_wait"}) {
            const Said said = sql(query);
            QVERIFY2(said.code != 0 && said.error.contains(QStringLiteral("parts of the run only")),
                     qPrintable(said.out + said.error));
        }
        const Said kept = sql("SELECT count(*) > 0 AS some FROM kept");
        QVERIFY2(kept.out.contains(QLatin1Char('1')), qPrintable(kept.out + kept.error));
        const Said length = sql(
            "SELECT sum(end_ns - begin_ns) = (SELECT path_length_ns FROM result) AS same FROM "
            "result_path_step");
        QVERIFY2(length.out.contains(QLatin1Char('1')), qPrintable(length.out + length.error));
        const QString picture = m_folder.filePath(QStringLiteral("part.svg"));
        const Said drawn = m_program({QStringLiteral("render"), partly(), QStringLiteral("-o"), picture,
                                      QStringLiteral("--range"), QStringLiteral("10ms..10.2ms")});
        QCOMPARE(drawn.error, QString());
        QVERIFY(contentOf(picture).contains("not kept"));
    }

    // Rows that are kept, if what is asked of a table is kept: the same as of the whole trace.
    void partsGiveKeptRows()
    {
        const Said ranges = asked(partly(), QStringLiteral("SELECT pe, begin_ns, end_ns FROM kept ORDER BY "
                                                           "max(begin_ns, -9e9) - min(end_ns, 9e9), pe LIMIT 12"));
        QCOMPARE(ranges.error, QString());
        QStringList lines = ranges.out.split(QLatin1Char('\n'), Qt::SkipEmptyParts).mid(1);
        QVERIFY(!lines.isEmpty());
        // Hundreds of queries: not each by a program of its own.
        const auto part = openedForQueries(partly()), whole = openedForQueries(imported());
        QVERIFY(part != nullptr && whole != nullptr);
        std::map<QString, int> rowsOf;
        for (const QString& line : std::as_const(lines)) {
            const QStringList cells = line.split(QLatin1Char(','));
            QCOMPARE(cells.size(), 3);
            for (const char* table : {"task", "message", "idle", "mpi_call", "overhead"}) {
                const QString key = QLatin1String(table) == QLatin1String("mpi_call") ? QStringLiteral("rank")
                                                                                      : QStringLiteral("pe");
                const QString begin = QLatin1String(table) == QLatin1String("message") ? QStringLiteral("sent_ns")
                                                                                       : QStringLiteral("begin_ns");
                QStringList conditions{QStringLiteral("%1 BETWEEN %2 AND %3").arg(begin, cells[1], cells[2])};
                if (begin == QLatin1String("begin_ns"))
                    conditions << QStringLiteral("end_ns BETWEEN %1 AND %2").arg(cells[1], cells[2])
                               << QStringLiteral("end_ns >= %1 AND begin_ns <= %2").arg(cells[1], cells[2]);
                for (const QString& condition : std::as_const(conditions)) {
                    const QString query = QStringLiteral("SELECT * FROM %1 WHERE %2 = %3 AND %4")
                                              .arg(QLatin1String(table), key, cells[0], condition);
                    const Answer said = answerOf(*part, query), wanted = answerOf(*whole, query);
                    QCOMPARE(said.error, wanted.error);
                    QVERIFY2(said.columns == wanted.columns && said.rows == wanted.rows, qPrintable(query));
                    rowsOf[QLatin1String(table)] += static_cast<int>(said.rows.size());
                }
            }
        }
        for (const char* table : {"task", "message", "mpi_call"}) QVERIFY2(rowsOf[QLatin1String(table)] > 0, table);
        const Said joined = asked(partly(), QStringLiteral("SELECT count(*) > 0 AS some FROM kept JOIN task ON task.pe "
                                                           "= kept.pe AND task.begin_ns BETWEEN kept.begin_ns AND "
                                                           "kept.end_ns"));
        QVERIFY2(joined.out.contains(QLatin1Char('1')), qPrintable(joined.error));
        const QString one = QStringLiteral(
            "SELECT * FROM task WHERE task = (SELECT pe || ':' || task FROM "
            "result_path_step ORDER BY end_ns - begin_ns DESC LIMIT 1)");
        QCOMPARE(asked(partly(), one).error, QString());
        const Said more = asked(partly(), QStringLiteral("SELECT * FROM task WHERE pe = 3 AND begin_ns > 0"));
        QVERIFY2(more.error.contains(QStringLiteral("Ask for what is kept")), qPrintable(more.error));
        QCOMPARE(asked(partly(), QStringLiteral("SELECT * FROM task WHERE task = 'none'")).code, 0);
    }

private:
    Said asked(const QString& trace, const QString& query)
    {
        return m_program({QStringLiteral("sql"), trace, query, QStringLiteral("--csv")});
    }

    struct Answer {
        QString error;
        QStringList columns;
        std::vector<std::vector<QVariant>> rows;
    };
    static std::unique_ptr<SqlSession> openedForQueries(const QString& trace)
    {
        const auto store = TraceStore::open(trace);
        auto session = store ? SqlSession::open(*store) : Result<std::unique_ptr<SqlSession>>(store.error());
        return session ? std::move(*session) : nullptr;
    }
    static Answer answerOf(SqlSession& session, const QString& query)
    {
        Answer answer;
        const Result<> ran = session.run(
            query, [&answer](const QStringList& names) { answer.columns = names; },
            [&answer](std::span<const QVariant> row) {
                answer.rows.emplace_back(row.begin(), row.end());
                return true;
            },
            Progress{});
        if (!ran) answer.error = ran.error().what;
        return answer;
    }

    QString imported()
    {
        const QString path = m_folder.filePath(QStringLiteral("whole.longpole"));
        if (!QFile::exists(path)) m_program({QStringLiteral("import"), recording(), QStringLiteral("-o"), path});
        return path;
    }
    // A trace of parts.
    QString partly()
    {
        const QString path = m_folder.filePath(QStringLiteral("part.longpole"));
        if (!QFile::exists(path))
            m_program({QStringLiteral("analyze"), recording(), QStringLiteral("--processes"), QStringLiteral("2"),
                       QStringLiteral("-o"), path, QStringLiteral("--keep"), QStringLiteral("60K")});
        return path;
    }
    QString recording() const { return m_folder.filePath(QStringLiteral("run.lprec")); }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

LONGPOLE_TEST(TestAnalyzedParts)
#include "tst_analyzedparts.moc"
