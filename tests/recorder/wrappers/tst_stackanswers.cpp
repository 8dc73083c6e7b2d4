// SPDX-License-Identifier: GPL-3.0-or-later
// What answers say of the call paths of a recording: sums are those of the other commands, places are named, and
// several processes name them as one does.
#include "app/jsonschema.h"
#include "app/processes/answers.h"
#include "recorder/wrappers/stackruns.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <cstdlib>

using namespace longpole::test;

class TestStackAnswers : public QObject, private StackRuns {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void sumsAreTheRuns_data() { addMpis(); }
    void sumsAreTheRuns();
    void placesAreNamed();
    void severalProcessesNameThem_data() { addMpis(); }
    void severalProcessesNameThem();
};

void TestStackAnswers::sumsAreTheRuns()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("sums.lprec", "stacks", mpi));
    const auto one = [&](const char* query) {
        return number(m_runs.sql(m_runs.path("sums.lprec"), query).first().toObject(), "n");
    };
    qint64 computed = 0, inCalls = 0, calls = 0, bytes = 0, waited = 0;
    for (const auto& [path, row] : tree("sums.lprec")) {
        if (!row[QLatin1String("frame")].toString().startsWith(QLatin1String("MPI_"))) {
            computed += number(row, "exclusive_ns");
            continue;
        }
        inCalls += number(row, "exclusive_ns");
        calls += number(row, "count");
        bytes += number(row, "bytes");
        waited += number(row, "wait_ns");
    }
    QCOMPARE(computed, one("SELECT value AS n FROM meta WHERE key = 'busy_ns'"));
    QCOMPARE(calls, one("SELECT count(*) AS n FROM mpi_call"));
    QCOMPARE(bytes, one("SELECT sum(bytes) AS n FROM mpi_call"));
    QCOMPARE(waited, one("SELECT sum(wait_before_ns + wait_after_ns) AS n FROM mpi_call"));
    QCOMPARE(one("SELECT count(*) AS n FROM mpi_call WHERE call_path IS NULL"), qint64(0));
    const QJsonObject root = tree("sums.lprec").at(QStringLiteral("main"));
    QCOMPARE(number(root, "inclusive_ns"), computed + inCalls);
    const Said path = m_runs({QStringLiteral("critical-path"), m_runs.path("sums.lprec"), QStringLiteral("--json")});
    QCOMPARE(number(root, "path_ns"), number(QJsonDocument::fromJson(path.out.toUtf8()).object(), "length_ns"));
    const Said causes = m_runs({QStringLiteral("waits"), m_runs.path("sums.lprec"), QStringLiteral("--causes"),
                                QStringLiteral("--json")});
    const QJsonObject all = QJsonDocument::fromJson(causes.out.toUtf8()).object();
    // What a culprit did in excess is judged by functions here and by pieces between calls there, where the pieces of
    // one function do not outweigh each other: the sums are near each other, and none is above the waits.
    const qint64 caused = number(root, "cause_ns");
    const qint64 explained = number(all, "total_ns") - number(all, "unexplained_ns");
    const QByteArray sums = QByteArray::number(caused) + " here, " + QByteArray::number(explained) + " there";
    QVERIFY2(caused <= number(all, "total_ns") && std::abs(caused - explained) <= explained / 5, sums.constData());
    // The table of places has the same sums, listed whole or cut.
    for (const QList<const char*>& words : {QList<const char*>{"mpi-calls", "sums.lprec", "--json"},
                                            {"mpi-calls", "sums.lprec", "--json", "--top", "2"},
                                            {"mpi-calls", "sums.lprec", "--json", "--by", "rank"},
                                            {"mpi-calls", "sums.lprec", "--json", "--by", "call"}}) {
        qint64 time = 0, count = 0, sent = 0, wait = 0;
        for (const auto& value : answer(words)) {
            time += number(value.toObject(), "time_ns");
            count += number(value.toObject(), "count");
            sent += number(value.toObject(), "bytes");
            wait += number(value.toObject(), "wait_ns");
        }
        QCOMPARE(time, inCalls);
        QCOMPARE(count, calls);
        QCOMPARE(sent, bytes);
        QCOMPARE(wait, waited);
    }
    for (const auto& [call, schema] : {std::pair("profile --by callpath", "callpaths"),
                                       {"mpi-calls", "mpi-calls"},
                                       {"mpi-calls --by rank", "mpi-calls"},
                                       {"mpi-calls --by call", "mpi-calls"},
                                       {"critical-path", "critical-path"},
                                       {"waits", "waits"}}) {
        QStringList words = QString::fromUtf8(call).split(QLatin1Char(' '));
        words.insert(1, m_runs.path("sums.lprec"));
        const Said said = m_runs(words << QStringLiteral("--json"));
        const std::string wrong = violation(said.out.toStdString(), schema);
        QVERIFY2(wrong.empty(), (std::string(call) + ": " + wrong).c_str());
    }
}

// Waits, steps of the path and advice say where in the source they are.
void TestStackAnswers::placesAreNamed()
{
    const QString mpi = QStringLiteral("openmpi");
    SKIP_WITHOUT(mpi);
    QVERIFY(record("places.lprec", "stacks", mpi));
    const QString norm = QStringLiteral("norm at stacks.c:%1, in solve at stacks.c:%2")
                             .arg(lineOf("stacks.c", "allreduce"))
                             .arg(lineOf("stacks.c", "norm"));
    const QString solve = QStringLiteral("solve, in main at stacks.c:%1").arg(lineOf("stacks.c", "solve"));
    const Said waits = m_runs({QStringLiteral("waits"), m_runs.path("places.lprec")});
    QVERIFY2(waits.out.contains(norm), qPrintable(waits.out));
    QVERIFY2(waits.out.contains(solve), qPrintable(waits.out));
    const Said causes = m_runs({QStringLiteral("waits"), m_runs.path("places.lprec"), QStringLiteral("--causes"),
                                QStringLiteral("--json")});
    const QJsonArray found = QJsonDocument::fromJson(causes.out.toUtf8())[QLatin1String("causes")].toArray();
    QString where;
    for (const auto& cause : found)
        if (cause[QLatin1String("entry")][QLatin1String("name")] == QLatin1String("MPI_Allreduce to MPI_Irecv"))
            where = cause[QLatin1String("where")].toString();
    QVERIFY2(where == solve, qPrintable(causes.out));
    const Said path = m_runs({QStringLiteral("critical-path"), m_runs.path("places.lprec"), QStringLiteral("--csv")});
    QVERIFY2(path.out.contains(solve), qPrintable(path.out));
    // As on a host with a core for each rank, without which nothing is said of their code.
    for (const int rank : {0, 1, 2}) {
        QFile file(m_runs.path("places.lprec") + QStringLiteral("/rank-00000%1.lprank").arg(rank));
        lp_header header;
        QVERIFY(file.open(QIODevice::ReadWrite));
        QCOMPARE(file.read(reinterpret_cast<char*>(&header), sizeof header), qint64(sizeof header));
        header.cores = 3;
        header.own_cores = 0;
        header.flags = 0;
        QVERIFY(file.seek(0));
        QCOMPARE(file.write(reinterpret_cast<const char*>(&header), sizeof header), qint64(sizeof header));
    }
    const Said advice = m_runs({QStringLiteral("advise"), m_runs.path("places.lprec")});
    QVERIFY2(advice.out.contains(QStringLiteral("Where: ")), qPrintable(advice.out));
}

// Several processes name the places that commands name of the import, byte for byte, also those of ranks that another
// process hosts; and so does a trace without any events, for it keeps them.
void TestStackAnswers::severalProcessesNameThem()
{
    QFETCH(QString, mpi);
    SKIP_WITHOUT(mpi);
    QVERIFY(record("shared.lprec", "stacks", mpi, 4));
    const QString run = m_runs.path("shared.lprec");
    const QString trace = m_runs.path("shared.longpole");
    std::map<QString, QString> wanted;
    for (const AnswerFile& answer : answerFiles()) {
        const Said said = m_runs(answer.call(run));
        QCOMPARE(said.code, 0);
        wanted[answer.name] = withoutInterruptions(said.out);
    }
    static const QRegularExpression place(QStringLiteral("\"culprit_where\": \"solve, in main at stacks.c"));
    QVERIFY2(wanted[QStringLiteral("waits.json")].contains(place), qPrintable(wanted[QStringLiteral("waits.json")]));
    for (int processes = 1; processes <= 4; ++processes) {
        const Said said = m_runs({QStringLiteral("analyze"), run, QStringLiteral("--processes"),
                                  QString::number(processes), QStringLiteral("--answers"), m_runs.path("shared"),
                                  QStringLiteral("-o"), trace, QStringLiteral("--keep"), QStringLiteral("0")});
        QCOMPARE(said.error, QString());
        QCOMPARE(said.code, 0);
        for (const AnswerFile& answer : answerFiles()) {
            QFile written(m_runs.path("shared") + QLatin1Char('/') + answer.name);
            QVERIFY(written.open(QIODevice::ReadOnly));
            QCOMPARE(difference(QString::fromUtf8(written.readAll()), wanted[answer.name]), QString());
            if (answer.name == QLatin1String("info.json")) continue;  // which says how much of the run is there
            const Said kept = m_runs(answer.call(trace));
            QCOMPARE(kept.error, QString());
            QCOMPARE(difference(kept.out, wanted[answer.name]), QString());
        }
    }
}

LONGPOLE_TEST(TestStackAnswers)
#include "tst_stackanswers.moc"
