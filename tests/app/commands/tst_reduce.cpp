// SPDX-License-Identifier: GPL-3.0-or-later
// longpole reduce as a user calls it: what is kept, what it says, and what it refuses.
#include "app/jsonschema.h"
#include "app/program.h"
#include "app/smalltrace.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace longpole;
using namespace longpole::test;

class TestReduce : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void answer();
    void processorsOnThePath_data();
    void processorsOnThePath();
    void pathAsUserEvent();
    void pathOfARange();
    void busyTimeOfARange();
    void usage_data();
    void usage();
    void originalOfAnImportedFile();
    void originalAtAnotherPlace();
    void noProjectionsTrace();

private:
    QString place(const QString& name) const { return m_folder.filePath(name); }
    static QString data(const char* name) { return QStringLiteral(LONGPOLE_TEST_DATA "/") + QString::fromUtf8(name); }
    json answerOf(const QStringList& arguments) const;
    json rows(const QString& trace, const QString& statement) const;

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

namespace {

void copyFolder(const QString& from, const QString& to)
{
    QVERIFY(QDir().mkpath(to));
    for (const QString& name : QDir(from).entryList(QDir::Files))
        QVERIFY(QFile::copy(from + QLatin1Char('/') + name, to + QLatin1Char('/') + name));
}

}  // namespace

json TestReduce::answerOf(const QStringList& arguments) const
{
    const Said said = m_program(arguments + QStringList{QStringLiteral("--json")});
    if (said.code != 0) qCritical("%d: %s", said.code, qPrintable(said.error));
    return json::parse(said.out.toStdString(), nullptr, false);
}

json TestReduce::rows(const QString& trace, const QString& statement) const
{
    return answerOf({QStringLiteral("sql"), trace, statement});
}

void TestReduce::answer()
{
    const QString folder = place(QStringLiteral("pes"));
    QStringList call = QStringList{QStringLiteral("reduce"), data("nqueen_p4")} + words("--pes 0,3 -o");
    call << folder;
    const Said said = m_program(call + QStringList{QStringLiteral("--json")});
    QCOMPARE(said.error, QString());
    QCOMPARE(QString::fromStdString(violation(said.out.toStdString(), "reduce")), QString());
    const json report = json::parse(said.out.toStdString());
    COMPARE_JSON(report.at("pes"), json::array({0, 3}));
    std::int64_t before = 0;
    for (const QFileInfo& info : QDir(data("nqueen_p4")).entryInfoList(QDir::Files)) before += info.size();
    COMPARE_JSON(report.at("bytes_before"), before);
    std::int64_t bytes = 0;
    QStringList names;
    for (const json& file : report.at("files")) {
        const QFileInfo info(QString::fromStdString(file.get<std::string>()));
        QCOMPARE(info.absolutePath(), folder);
        bytes += info.size();
        names << info.fileName();
    }
    COMPARE_JSON(report.at("bytes_after"), bytes);
    names.sort();
    QCOMPARE(names, QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name));
    QCOMPARE(names.size(), 4);

    call.last() = place(QStringLiteral("text"));
    const Said text = m_program(call);
    QCOMPARE(text.out, QStringLiteral("Wrote 4 files into %1\nPEs         0,3 (2)\n"
                                      "Size        21.7 kB instead of 22.1 kB: 1.8 % smaller\n")
                           .arg(call.last()));
}

void TestReduce::processorsOnThePath_data()
{
    QTest::addColumn<QStringList>("options");
    for (const char* options : {"", "--edges messages", "--mode elapsed", "--mode sweep"})
        QTest::newRow(options) << words(options);
}

// The reduced trace has the processors of the path, and the same path again.
void TestReduce::processorsOnThePath()
{
    QFETCH(QStringList, options);
    const QString folder = place(QStringLiteral("path%1").arg(options.join(QString())));
    const json path = answerOf(QStringList{QStringLiteral("critical-path"), data("gauss_seidel_p8")} + options);
    std::set<int> pes;
    for (const json& step : path.at("steps"))
        if (step.at("part") == "compute") pes.insert(step.at("pe").get<int>());
    const json report = answerOf(QStringList{QStringLiteral("reduce"), data("gauss_seidel_p8")}
                                 + words("--keep critical -o") + QStringList{folder} + options);
    COMPARE_JSON(report.at("pes"), json(pes));
    const json again = answerOf(QStringList{QStringLiteral("critical-path"), folder} + options);
    COMPARE_JSON(again.at("length_ns"), path.at("length_ns"));
}

// Every step of the path is an interval of the event, in whole microseconds.
void TestReduce::pathAsUserEvent()
{
    const QString folder = place(QStringLiteral("event"));
    const json path = answerOf({QStringLiteral("critical-path"), data("features_p4")});
    answerOf(QStringList{QStringLiteral("reduce"), data("features_p4")} + words("--keep critical --with-path -o")
             + QStringList{folder});
    json steps = json::array();
    for (const json& step : path.at("steps"))
        steps.push_back({{"track", step.at("pe")}, {"begin_ns", step.at("begin_ns")}, {"end_ns", step.at("end_ns")}});
    std::sort(steps.begin(), steps.end());
    json intervals = rows(folder, QStringLiteral("SELECT track & 65535 AS track, begin_ns, end_ns FROM interval "
                                                 "WHERE region = 'Critical Path'"));
    std::sort(intervals.begin(), intervals.end());
    QVERIFY(steps.size() > 100);
    COMPARE_JSON(intervals, steps);
    // The program's own events are all there.
    const QString others = QStringLiteral(
        "SELECT region, count(*) AS n, sum(end_ns - begin_ns) AS ns FROM interval "
        "WHERE region <> 'Critical Path' GROUP BY region ORDER BY region");
    QVERIFY(!rows(folder, others).empty());
    COMPARE_JSON(rows(folder, others), rows(data("features_p4"), others));
}

void TestReduce::pathOfARange()
{
    const QString folder = place(QStringLiteral("range"));
    const json path = answerOf(QStringList{QStringLiteral("critical-path"), data("gauss_seidel_p8")}
                               + words("--from 100ms --until 150ms"));
    const json report = answerOf(QStringList{QStringLiteral("reduce"), data("gauss_seidel_p8")}
                                 + words("--keep critical --with-path --range 100ms..150ms -o") + QStringList{folder});
    std::set<int> pes;
    for (const json& step : path.at("steps")) pes.insert(step.at("pe").get<int>());
    COMPARE_JSON(report.at("pes"), json(pes));
    const json total = rows(folder, QStringLiteral("SELECT sum(end_ns - begin_ns) AS ns FROM interval"));
    COMPARE_JSON(total.at(0).at("ns"), path.at("length_ns"));
    const json info = answerOf({QStringLiteral("info"), folder});
    QVERIFY(info.at("end_ns").get<std::int64_t>() - info.at("begin_ns").get<std::int64_t>() <= 50'000'000);
}

// No task of this trace has several pieces, so a task's busy time lies where the task does.
void TestReduce::busyTimeOfARange()
{
    const QString folder = place(QStringLiteral("busy"));
    const QString trace = data("gauss_seidel_p8");
    COMPARE_JSON(rows(trace, QStringLiteral("SELECT count(*) AS n FROM task WHERE exclusive_ns <> end_ns - begin_ns"))
                     .at(0)
                     .at("n"),
                 0);
    answerOf(QStringList{QStringLiteral("reduce"), trace} + words("--range 33ms333us..77777777 -o")
             + QStringList{folder});
    const QString clipped = QStringLiteral(
        "WITH edge(a, b) AS (SELECT value + 33333000, value + 77778000 FROM meta WHERE key = 'begin_ns'), "
        "part(pe, entry, ns) AS (SELECT pe, entry, max(0, min(end_ns, b) - max(begin_ns, a)) FROM task, edge) "
        "SELECT pe, entry, sum(ns) AS ns FROM part GROUP BY pe, entry HAVING sum(ns) > 0 ORDER BY pe, entry");
    const json before = rows(trace, clipped);
    QVERIFY(before.size() > 20);
    COMPARE_JSON(rows(folder, QStringLiteral("SELECT pe, entry, exclusive_ns AS ns FROM profile WHERE exclusive_ns > 0 "
                                             "ORDER BY pe, entry")),
                 before);
}

void TestReduce::usage_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* options, int code, const char* error) {
        QTest::newRow(options) << QString::fromUtf8(options) << code << QString::fromUtf8(error);
    };
    row("--keep critical", 2, "-o DIR is missing");
    row("-o D", 2, "nothing says what to keep: --keep critical, --pes PES or --range A..B");
    row("-o D --with-path", 2, "nothing says what to keep");
    row("-o D --keep critcal", 2, "--keep takes critical, not 'critcal'; did you mean critical?");
    row("-o D --keep critical --pes 1", 2, "--keep and --pes exclude each other");
    row("-o D --pes 1 --mode elapsed", 2, "--mode needs a path: --keep critical or --with-path");
    row("-o D --pes 1 --edges order", 2, "--edges needs a path");
    row("-o D --keep critical --mode elapsed --edges merges", 2, "--mode elapsed implies --edges order");
    row("-o D --pes 4", 2, "--pes 4: this run has PEs 0 to 3.");
    row("-o D --pes 1-", 2, "--pes: ");
    row("-o D --range 5ms", 2, "--range: ");
    row("-o D --range 5ms..3ms", 2, "it ends before it begins");
    row("-o D --range 5ms..5ms", 2, "it ends before it begins");
    row("-o D --range 5m..6m", 2, "--range 5m..6m: the run lasts 7.864 ms only.");
    row("-o D --pes 0 --csv", 2, "unknown option '--csv'");
    row("-o T --pes 0", 3, "The original logs lie in this folder; it is left as it is (");
    row("-o T/nqueen.sts --pes 0", 3, "A file is in the way of the folder to write (");
    row("-o /proc/x --pes 0", 3, "The folder cannot be created: No such file or directory (/proc/x).");
}

void TestReduce::usage()
{
    QFETCH(QString, options);
    QFETCH(int, code);
    QFETCH(QString, error);
    const QString folder = place(QStringLiteral("unused"));
    QString trace = place(QStringLiteral("nqueen"));
    if (!QFileInfo::exists(trace)) copyFolder(data("nqueen_p4"), trace);
    QStringList call = QStringList{QStringLiteral("reduce"), trace} + words(options.toUtf8().constData());
    for (QString& word : call) {
        if (word == QLatin1String("D")) word = folder;
        if (word == QLatin1String("T") || word.startsWith(QLatin1String("T/"))) word.replace(0, 1, trace);
    }
    const Said said = m_program(call);
    QVERIFY2(said.code == code, qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
    QVERIFY2(said.error.contains(error), qPrintable(said.error));
    QCOMPARE(said.out, QString());
    QVERIFY(!QFileInfo::exists(folder));
    QCOMPARE(QDir(trace).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             QDir(data("nqueen_p4")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
}

// A .longpole file knows where it came from, and says when that is gone or has changed.
void TestReduce::originalOfAnImportedFile()
{
    const QString trace = place(QStringLiteral("queens"));
    const QString file = place(QStringLiteral("queens.longpole"));
    copyFolder(data("nqueen_p4"), trace);
    QCOMPARE(m_program({QStringLiteral("import"), trace, QStringLiteral("-o"), file}).code, 0);
    const auto reduce = [&](const QString& folder) {
        return m_program(QStringList{QStringLiteral("reduce"), file} + words("--pes 0 -o")
                         + QStringList{place(folder)});
    };
    QCOMPARE(reduce(QStringLiteral("q1")).code, 0);

    QFile log(trace + QStringLiteral("/nqueen.0.log.gz"));
    QVERIFY(log.open(QIODevice::Append));
    log.write("x");
    log.close();
    const Said changed = reduce(QStringLiteral("q2"));
    QCOMPARE(changed.code, 3);
    QCOMPARE(
        changed.error,
        QStringLiteral("longpole: The original trace has changed since it was imported (%1/nqueen.sts). Put it back "
                       "as it was, or name the logs themselves instead of the .longpole file: they are imported "
                       "then.\n")
            .arg(trace));
    QVERIFY(QDir(trace).removeRecursively());
    const Said gone = reduce(QStringLiteral("q3"));
    QCOMPARE(gone.code, 3);
    QVERIFY(gone.error.startsWith(QStringLiteral("longpole: The original trace is gone (%1/nqueen.sts). ").arg(trace)));
    QVERIFY(!QFileInfo::exists(place(QStringLiteral("q2"))) && !QFileInfo::exists(place(QStringLiteral("q3"))));
}

// The same logs, moved: the cache has imported them from a place where they are no more.
void TestReduce::originalAtAnotherPlace()
{
    const QString trace = place(QStringLiteral("first"));
    copyFolder(data("nqueen_p4"), trace);
    QCOMPARE(m_program({QStringLiteral("info"), trace}).code, 0);
    QVERIFY(QDir().rename(trace, place(QStringLiteral("second"))));
    const Said said = m_program(QStringList{QStringLiteral("reduce"), place(QStringLiteral("second"))}
                                + words("--pes 0 -o") + QStringList{place(QStringLiteral("moved"))});
    QCOMPARE(said.error, QString());
    QCOMPARE(said.code, 0);
}

void TestReduce::noProjectionsTrace()
{
    const QString trace = place(QStringLiteral("small.longpole"));
    QVERIFY(writeHostileTrace(trace));
    const Said said = m_program(QStringList{QStringLiteral("reduce"), trace} + words("--pes 0 -o")
                                + QStringList{place(QStringLiteral("none"))});
    QCOMPARE(said.code, 3);
    // It lies elsewhere, where nothing is looked for.
    QVERIFY2(said.error.contains(QStringLiteral("it was made from /traces/small.sts")), qPrintable(said.error));
}

LONGPOLE_TEST(TestReduce)
#include "tst_reduce.moc"
