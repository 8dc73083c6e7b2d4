// SPDX-License-Identifier: GPL-3.0-or-later
// record --online: what the ranks of real programs find of the critical path while they run is, in integers, what the
// recording of the same run says afterwards.
#include "../recordedrun.h"
#include "app/jsonschema.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <map>

using namespace longpole::test;

class TestRecordedPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void equalToTheRecording_data();
    void equalToTheRecording();
    void bothCarriersAgree_data();
    void bothCarriersAgree();
    void carriedAlone_data() { addMpis(); }
    void carriedAlone();
    void latecomer_data() { addMpis(); }
    void latecomer();
    void procedures_data() { addMpis(); }
    void procedures();
    void samplesGrow_data() { addMpis(); }
    void samplesGrow();
    void withoutItNothingIsThere();
    void pausesDoNotStopIt_data() { addMpis(); }
    void pausesDoNotStopIt();
    void groupsOfRanksGoOn_data() { addMpis(); }
    void groupsOfRanksGoOn();
    void withoutMemoryTheRunGoesOn_data();
    void withoutMemoryTheRunGoesOn();
    void spillsToDisk_data() { addMpis(); }
    void spillsToDisk();
    void withoutTrace_data() { addMpis(); }
    void withoutTrace();
    void partOfTheRun_data() { addMpis(); }
    void partOfTheRun();
    void whatHasMost_data() { addMpis(); }
    void whatHasMost();
    void stoppedByTheUser_data() { addCarriers(); }
    void stoppedByTheUser();
    void killed_data() { addCarriers(); }
    void killed();

private:
    RecordedRuns m_runs;

    static void addMpis()
    {
        QTest::addColumn<QString>("mpi");
        for (const char* mpi : {"openmpi", "mpich"}) QTest::newRow(mpi) << QString::fromUtf8(mpi);
    }

    static void addCarriers()
    {
        QTest::addColumn<QString>("how");
        for (const char* how : {"meet", "carry", "both"}) QTest::newRow(how) << QString::fromUtf8(how);
    }

    std::vector<QJsonObject> samples(const char* name) const
    {
        QFile file(m_runs.path(name) + QStringLiteral("/online.jsonl"));
        std::vector<QJsonObject> all;
        if (!file.open(QIODevice::ReadOnly)) return all;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (!line.isEmpty()) all.push_back(QJsonDocument::fromJson(line).object());
        return all;
    }
    QJsonObject answer(const QStringList& words) const
    {
        const Said said = m_runs(words + QStringList{QStringLiteral("--json")});
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return QJsonDocument::fromJson(said.out.toUtf8()).object();
    }
    static qint64 number(const QJsonObject& object, const char* key) { return object[QLatin1String(key)].toInteger(); }
    static qint64 sum(const QJsonValue& rows, const char* key)
    {
        qint64 sum = 0;
        for (const auto row : rows.toArray()) sum += number(row.toObject(), key);
        return sum;
    }
};

void TestRecordedPaths::equalToTheRecording_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QString>("program");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<QString>("argument");
    for (const char* mpi : {"openmpi", "mpich"}) {
        const auto row = [mpi](const char* program, int ranks, const char* argument = "") {
            QTest::addRow("%s, %s %s on %d", mpi, program, argument, ranks)
                << QString::fromUtf8(mpi) << QString::fromUtf8(program) << ranks << QString::fromUtf8(argument);
        };
        row("ring", 3);
        row("collective", 3);
        row("polling", 2);
        row("meetings", 1, "100");
        row("meetings", 2, "300");
        row("meetings", 4, "50");
        row("meetings", 4, "300");
        row("meetings", 3, "1000");
    }
}

void TestRecordedPaths::equalToTheRecording()
{
    QFETCH(QString, mpi);
    QFETCH(QString, program);
    QFETCH(int, ranks);
    QFETCH(QString, argument);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QStringList command{RecordedRuns::program(program.toUtf8().constData(), mpi)};
    if (!argument.isEmpty()) command << argument;
    const Said said = m_runs.record("run.lprec", ranks, command,
                                    {QStringLiteral("--online"), QStringLiteral("--force")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QStringLiteral("longpole: the critical path is ")), qPrintable(said.error));
    const auto all = samples("run.lprec");
    QVERIFY(!all.empty());
    const QJsonObject& last = all.back();
    QVERIFY(last[QStringLiteral("final")].toBool());
    const Said online = m_runs({QStringLiteral("online"), m_runs.path("run.lprec"), QStringLiteral("--json")});
    const std::string wrong = violation(online.out.toStdString(), "online");
    QVERIFY2(wrong.empty(), wrong.c_str());
    for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns"}) QCOMPARE(number(last, doubt), 0);
    // Parts add up: by procedure, and by rank.
    const qint64 length = number(last, "length_ns");
    QCOMPARE(sum(last[QStringLiteral("procedures")], "share_ns") + number(last, "rest_ns"), length);
    QCOMPARE(sum(last[QStringLiteral("ranks")], "share_ns"), length);
    const QJsonObject path = answer({QStringLiteral("critical-path"), m_runs.path("run.lprec"),
                                     QStringLiteral("--edges"), QStringLiteral("data")});
    QCOMPARE(length, number(path, "length_ns"));
    QVERIFY(length > 0 && length <= number(last, "covered_ns"));
    if (program != QLatin1String("ring")) return;  // no ties, regions or work of the recorder: the same parts, too
    std::map<QString, qint64> parts[2];
    for (const auto value : last[QStringLiteral("procedures")].toArray())
        parts[0][value.toObject()[QStringLiteral("name")].toString()] = number(value.toObject(), "share_ns");
    for (const auto value : path[QStringLiteral("profile")].toArray())
        parts[1][value[QStringLiteral("entry")][QStringLiteral("name")].toString()] = number(value.toObject(),
                                                                                             "time_ns");
    for (auto& some : parts) std::erase_if(some, [](const auto& part) { return part.second == 0; });
    QVERIFY(parts[0].size() >= 3);
    QCOMPARE(parts[0], parts[1]);
}

void TestRecordedPaths::bothCarriersAgree_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QStringList>("program");
    QTest::addColumn<int>("ranks");
    for (const char* mpi : {"openmpi", "mpich"}) {
        const auto row = [mpi](const QString& program, int ranks) {
            QTest::addRow("%s, %s on %d", mpi, qPrintable(program), ranks)
                << QString::fromUtf8(mpi) << program.split(QLatin1Char(' ')) << ranks;
        };
        for (const char* program : {"ring", "collective", "polling", "mixed", "stacks", "meetings 300"})
            row(QString::fromUtf8(program), 2);
        row(QStringLiteral("neighbours"), 4);
        const bool isMany = qstrcmp(mpi, "openmpi") == 0;  // MPICH's ranks poll: with more than cores they are slow
        for (int seed = 1; seed <= (isMany ? 12 : 4); ++seed)
            row(QStringLiteral("anyorder %1 150 forward").arg(seed), isMany ? 2 + seed % 3 : 2);
    }
}

// What messages carry along is what all ranks replay: length, and what it were without three procedures; and what the
// recording says afterwards.
void TestRecordedPaths::bothCarriersAgree()
{
    QFETCH(QString, mpi);
    QFETCH(QStringList, program);
    QFETCH(int, ranks);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString name = program.front();
    program[0] = RecordedRuns::program(name.toUtf8().constData(), mpi);
    const Said said = m_runs.record(
        "both.lprec", ranks, program,
        {QStringLiteral("--online=both"), QStringLiteral("--zeroing"), QStringLiteral("--procedures"),
         QStringLiteral("MPI_Irecv to MPI_Isend,MPI_Isend to MPI_Isend,MPI_Isend to MPI_Waitall")},
        mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = samples("both.lprec").back();
    for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns"}) QCOMPARE(number(last, doubt), 0);
    QCOMPARE(number(last, "differences"), 0);
    QCOMPARE(number(last, "not_compared"), 0);
    QVERIFY(number(last, "compared") > 0 && number(last, "compared_shares") <= number(last, "compared"));
    QVERIFY(number(last, "messages") > 0);
    if (name == QLatin1String("neighbours")) return;  // some of its calls move nothing
    const QJsonObject path = answer({QStringLiteral("critical-path"), m_runs.path("both.lprec"),
                                     QStringLiteral("--edges"), QStringLiteral("data")});
    QCOMPARE(number(last, "length_ns"), number(path, "length_ns"));
}

// Only what is followed has a part then.
void TestRecordedPaths::carriedAlone()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString followed = QStringLiteral("MPI_Irecv to MPI_Isend,MPI_Isend to MPI_Isend");
    for (const bool traced : {true, false}) {
        QStringList options{QStringLiteral("--online=carry"), QStringLiteral("--zeroing"),
                            QStringLiteral("--procedures"), followed};
        if (!traced) options << QStringLiteral("--no-trace");
        const Said said = m_runs.record("carried.lprec", 2,
                                        {RecordedRuns::program("meetings", mpi), QStringLiteral("300")}, options, mpi);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        const QJsonObject last = samples("carried.lprec").back();
        const qint64 length = number(last, "length_ns");
        QCOMPARE(sum(last[QStringLiteral("procedures")], "share_ns") + number(last, "rest_ns"), length);
        QVERIFY(last[QStringLiteral("ranks")].toArray().isEmpty() && number(last, "own_ns") > 0);
        for (const auto value : last[QStringLiteral("procedures")].toArray()) {
            const QJsonObject row = value.toObject();
            const bool isFollowed = followed.split(QLatin1Char(',')).contains(row[QStringLiteral("name")].toString());
            QCOMPARE(number(row, "share_ns") > 0, isFollowed);
            QCOMPARE(row[QStringLiteral("net_ns")].isNull(), !isFollowed);
            if (isFollowed) QVERIFY(length - number(row, "net_ns") <= number(row, "share_ns"));
        }
        if (!traced) continue;
        const QJsonObject path = answer({QStringLiteral("critical-path"), m_runs.path("carried.lprec"),
                                         QStringLiteral("--edges"), QStringLiteral("data")});
        QCOMPARE(length, number(path, "length_ns"));
    }
}

// Ranks wait for one that is late in the program's own call, where no time limit makes them give up.
void TestRecordedPaths::latecomer()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("latecomer.lprec", 2, {RecordedRuns::program("latecomer", mpi)},
                                    {QStringLiteral("--online=carry"), QStringLiteral("--no-trace")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = samples("latecomer.lprec").back();
    QVERIFY(number(last, "length_ns") > 500'000'000);
    QVERIFY(number(last, "own_ns") < 400'000'000);
}

void TestRecordedPaths::procedures()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QString followed = QStringLiteral("MPI_Irecv to MPI_Isend,MPI_Isend to MPI_Isend,no such code");
    const Said said = m_runs.record("lanes.lprec", 4, {RecordedRuns::program("meetings", mpi), QStringLiteral("200")},
                                    {QStringLiteral("--online"), QStringLiteral("--procedures"), followed,
                                     QStringLiteral("--zeroing"), QStringLiteral("--force")},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = samples("lanes.lprec").back();
    int found = 0;
    for (const auto value : last[QStringLiteral("procedures")].toArray()) {
        const QJsonObject row = value.toObject();
        const QString name = row[QStringLiteral("name")].toString();
        const bool isFollowed = followed.split(QLatin1Char(',')).contains(name);
        QCOMPARE(row[QStringLiteral("net_ns")].isNull(), !isFollowed);
        QVERIFY(number(row, "share_ns") <= number(row, "cpu_ns"));
        if (!isFollowed) continue;
        ++found;
        QVERIFY(number(row, "net_ns") >= number(last, "length_ns") - number(row, "share_ns"));
        const Said without = m_runs({QStringLiteral("zeroing"), m_runs.path("lanes.lprec"), QStringLiteral("--edges"),
                                     QStringLiteral("data"), QStringLiteral("--entry"), name,
                                     QStringLiteral("--json")});
        const QJsonArray rows = QJsonDocument::fromJson(without.out.toUtf8()).array();
        QVERIFY2(rows.size() == 1, qPrintable(without.error));
        QCOMPARE(number(row, "net_ns"), number(rows.first().toObject(), "net_ns"));
    }
    QCOMPARE(found, 2);
}

// Each sample is of a longer run, and none is half a line.
void TestRecordedPaths::samplesGrow()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("samples.lprec", 2,
                                    {RecordedRuns::program("meetings", mpi), QStringLiteral("3000")},
                                    {QStringLiteral("--online"), QStringLiteral("--sample"), QStringLiteral("1ns"),
                                     QStringLiteral("--force"), QStringLiteral("--no-import")},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const auto all = samples("samples.lprec");
    QVERIFY(all.size() >= 2);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(number(all[i], "version"), 1);
        QCOMPARE(all[i].contains(QStringLiteral("final")), i + 1 == all.size());
        if (i == 0) continue;
        for (const char* key : {"length_ns", "time_ns", "covered_ns", "meetings"})
            QVERIFY2(number(all[i], key) > number(all[i - 1], key), key);
    }
}

void TestRecordedPaths::withoutItNothingIsThere()
{
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    const Said said = m_runs.record("plain.lprec", 2, {RecordedRuns::program("ring")});
    QCOMPARE(said.code, 0);
    QVERIFY(!said.error.contains(QStringLiteral("critical path")));
    QVERIFY(!QFile::exists(m_runs.path("plain.lprec/online.jsonl")));
}

// MPI_Pcontrol ends recording on some ranks, at other times than on others; meetings are still counted alike.
void TestRecordedPaths::pausesDoNotStopIt()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("paused.lprec", 4,
                                    {RecordedRuns::program("meetings", mpi), QStringLiteral("300"),
                                     QStringLiteral("pause")},
                                    {QStringLiteral("--online"), QStringLiteral("--force")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const QJsonObject last = samples("paused.lprec").back();
    QVERIFY(last[QStringLiteral("final")].toBool());
    QCOMPARE(number(last, "meetings"), 302);
    QVERIFY(number(last, "length_ns") > 0);
}

// Calls between two groups of ranks are no meetings of all, and nobody waits for what the others do not send.
void TestRecordedPaths::groupsOfRanksGoOn()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QElapsedTimer timer;
    timer.start();
    const Said said = m_runs.record("groups.lprec", 4, {RecordedRuns::program("groups", mpi), QStringLiteral("100")},
                                    {QStringLiteral("--online=both"), QStringLiteral("--force")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QCOMPARE(said.out, QStringLiteral("done\n"));
    QVERIFY2(timer.elapsed() < 40'000, qPrintable(QString::number(timer.elapsed())));  // a carrier waits for 60 s
    const QJsonObject last = samples("groups.lprec").back();
    QVERIFY(last[QStringLiteral("final")].toBool());
    QCOMPARE(number(last, "differences"), 0);
    QVERIFY(number(last, "length_ns") > 0);
    QCOMPARE(m_runs({QStringLiteral("info"), m_runs.path("groups.lprec")}).code, 0);
}

void TestRecordedPaths::withoutMemoryTheRunGoesOn_data()
{
    QTest::addColumn<QString>("spill");
    QTest::newRow("nothing on disk") << QStringLiteral("0");
    QTest::newRow("too little on disk") << QStringLiteral("128K");
}

void TestRecordedPaths::withoutMemoryTheRunGoesOn()
{
    QFETCH(QString, spill);
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    RecordedRuns runs;
    runs.set("LONGPOLE_ONLINE_MEMORY", QStringLiteral("64K"));  // 4,096 steps
    runs.set("LONGPOLE_ONLINE_SPILL", spill);
    const Said said = runs.record("small.lprec", 2,
                                  {RecordedRuns::program("meetings"), QStringLiteral("100"), QStringLiteral("many")},
                                  {QStringLiteral("--online")});
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QVERIFY2(said.error.contains(QStringLiteral("longpole: there is no memory for the path")), qPrintable(said.error));
    QFile file(runs.path("small.lprec/online.jsonl"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject last = QJsonDocument::fromJson(file.readAll().trimmed().split('\n').last()).object();
    QVERIFY(last[QStringLiteral("final")].toBool());
    QVERIFY(number(last, "lost_ns") > 0);
    QVERIFY(number(last, "covered_ns") + number(last, "lost_ns") == number(last, "time_ns"));
}

// What has no room in memory lies on disk meanwhile: the same path, and nothing stays behind.
void TestRecordedPaths::spillsToDisk()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RecordedRuns runs;
    runs.set("LONGPOLE_ONLINE_MEMORY", QStringLiteral("64K"));
    const Said said = runs.record("spilled.lprec", 2,
                                  {RecordedRuns::program("meetings", mpi), QStringLiteral("100"),
                                   QStringLiteral("many")},
                                  {QStringLiteral("--online=both")}, mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QFile file(runs.path("spilled.lprec/online.jsonl"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject last = QJsonDocument::fromJson(file.readAll().trimmed().split('\n').last()).object();
    QVERIFY(last[QStringLiteral("final")].toBool());
    for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns", "differences"}) QCOMPARE(number(last, doubt), 0);
    const Said path = runs({QStringLiteral("critical-path"), runs.path("spilled.lprec"), QStringLiteral("--edges"),
                            QStringLiteral("data"), QStringLiteral("--json")});
    QCOMPARE(number(last, "length_ns"), number(QJsonDocument::fromJson(path.out.toUtf8()).object(), "length_ns"));
    QCOMPARE(QDir(runs.path("spilled.lprec")).entryList({QStringLiteral("path-*")}), QStringList());
}

// The path alone: as many meetings, the same code, regions by their names; the ranks' files do not grow with the run.
void TestRecordedPaths::withoutTrace()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const auto record = [&](const char* name, const char* program, const QStringList& arguments,
                            const QStringList& options) {
        return m_runs.record(name, 3, QStringList{RecordedRuns::program(program, mpi)} + arguments,
                             QStringList{QStringLiteral("--online")} + options, mpi);
    };
    const QStringList noTrace{QStringLiteral("--no-trace")};
    QSet<QString> names[2];
    for (const bool traced : {true, false}) {
        const Said said = record("both.lprec", "meetings", {QStringLiteral("300")}, traced ? QStringList{} : noTrace);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        const QJsonObject last = samples("both.lprec").back();
        QVERIFY(last[QStringLiteral("final")].toBool());
        QCOMPARE(number(last, "meetings"), 302);
        for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns"}) QCOMPARE(number(last, doubt), 0);
        QCOMPARE(sum(last[QStringLiteral("ranks")], "share_ns"), number(last, "length_ns"));
        QVERIFY(number(last, "length_ns") > 0 && number(last, "length_ns") <= number(last, "covered_ns"));
        for (const auto row : last[QStringLiteral("procedures")].toArray())
            names[traced].insert(row.toObject()[QStringLiteral("name")].toString());
        QCOMPARE(said.error.contains(QStringLiteral("'longpole online ")), !traced);
        if (!traced)
            for (int rank = 0; rank < 3; ++rank) QCOMPARE(m_runs.header("both.lprec", rank).calls, 2u);
    }
    QCOMPARE(names[0], names[1]);

    QVERIFY(record("regions.lprec", "regions", {}, noTrace).code == 0);
    QSet<QString> regions;
    for (const auto row : samples("regions.lprec").back()[QStringLiteral("procedures")].toArray())
        regions.insert(row.toObject()[QStringLiteral("name")].toString());
    QVERIFY2(regions.contains(QStringLiteral("inner")),
             qPrintable(QStringList(regions.values()).join(QLatin1Char(','))));
}

// From a time on, until a time, never: the rest of the run is in no figure.
void TestRecordedPaths::partOfTheRun()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const auto lastOf = [&](const QStringList& options) {
        const Said said = m_runs.record("part.lprec", 2,
                                        {RecordedRuns::program("meetings", mpi), QStringLiteral("100000")},
                                        QStringList{QStringLiteral("--online"), QStringLiteral("--no-trace")} + options,
                                        mpi);
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return samples("part.lprec").back();
    };
    const QJsonObject never = lastOf({QStringLiteral("--online-from"), QStringLiteral("1000s")});
    QCOMPARE(number(never, "length_ns"), 0);
    QCOMPARE(never[QStringLiteral("procedures")].toArray().size(), 0);
    QCOMPARE(number(never, "paused_ns"), number(never, "time_ns"));
    QVERIFY(never[QStringLiteral("stopped")].toBool());
    // Moments that the run passes on any machine.
    for (const auto& [option, moment] : {std::pair("--online-from", "30ms"), {"--online-until", "1ms"}}) {
        const QJsonObject last = lastOf({QString::fromUtf8(option), QString::fromUtf8(moment)});
        QVERIFY(number(last, "length_ns") > 0);
        QVERIFY(number(last, "length_ns") <= number(last, "covered_ns"));
        QVERIFY(number(last, "paused_ns") > 0);
        QCOMPARE(number(last, "covered_ns") + number(last, "paused_ns"), number(last, "time_ns"));
        QCOMPARE(sum(last[QStringLiteral("ranks")], "share_ns"), number(last, "length_ns"));
        for (const auto row : last[QStringLiteral("procedures")].toArray())
            QVERIFY(number(row.toObject(), "share_ns") <= number(row.toObject(), "cpu_ns"));
        for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns"}) QCOMPARE(number(last, doubt), 0);
    }
}

// What has more than a fifth of the path is followed from the first sample on: nothing is gained beyond its part.
void TestRecordedPaths::whatHasMost()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const Said said = m_runs.record("most.lprec", 2, {RecordedRuns::program("meetings", mpi), QStringLiteral("30000")},
                                    {QStringLiteral("--online"), QStringLiteral("--no-trace"),
                                     QStringLiteral("--sample"), QStringLiteral("1ms"), QStringLiteral("--top-share"),
                                     QStringLiteral("5")},
                                    mpi);
    QVERIFY2(said.code == 0, qPrintable(said.error));
    const auto all = samples("most.lprec");
    const QJsonObject& last = all.back();
    const qint64 length = number(last, "length_ns");
    // The CPU time that a procedure had when the first sample said what the path would be without it.
    std::map<QString, qint64> cpuBefore;
    for (const QJsonObject& sample : all)
        for (const auto value : sample[QStringLiteral("procedures")].toArray())
            if (const QJsonObject row = value.toObject(); !row[QStringLiteral("net_ns")].isNull())
                cpuBefore.emplace(row[QStringLiteral("name")].toString(), number(row, "cpu_ns"));
    int followed = 0;
    qint64 most = 0;
    for (const auto value : last[QStringLiteral("procedures")].toArray()) {
        const QJsonObject row = value.toObject();
        if (row[QStringLiteral("net_ns")].isNull()) continue;
        ++followed;
        const qint64 gain = length - number(row, "net_ns");
        const QString name = row[QStringLiteral("name")].toString();
        const QString told = QStringLiteral("%1: %2 of %3").arg(name).arg(gain).arg(number(row, "share_ns"));
        QVERIFY2(gain <= number(row, "share_ns"), qPrintable(told));
        // Only one that never ran since it is followed, as start-up, may gain nothing.
        if (cpuBefore.at(name) == number(row, "cpu_ns")) QVERIFY2(gain >= 0, qPrintable(told));
        else QVERIFY2(gain > 0, qPrintable(told));
        most = std::max(most, gain);
        QVERIFY(number(row, "net_since_ns") > 0 && number(row, "net_since_ns") < number(last, "time_ns"));
    }
    QVERIFY(followed >= 1 && followed <= 5);
    QVERIFY(most > 0);
}

// online.control, while the program runs: stop, start, other procedures, and what nobody understands.
void TestRecordedPaths::stoppedByTheUser()
{
    QFETCH(QString, how);
    const QByteArray name = "control-" + how.toUtf8() + ".lprec";
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    const QString folder = m_runs.path(name.constData());
    const auto ask = [&folder](const QByteArray& text) {
        QFile file(folder + QStringLiteral("/online.control"));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    const auto wait = [&](const std::function<bool(const QJsonObject&)>& isThere) {
        for (int i = 0; i < 2400; ++i, QTest::qWait(50)) {
            const auto all = samples(name.constData());
            if (!all.empty() && isThere(all.back())) return true;
        }
        return false;
    };
    QFile goes(m_runs.path("goes"));
    QVERIFY(goes.open(QIODevice::WriteOnly));
    QProcess process;
    m_runs.start(process, name.constData(), 2,
                 {RecordedRuns::program("meetings"), QStringLiteral("2000000000"), QStringLiteral("while"),
                  goes.fileName()},
                 {QStringLiteral("--online=") + how, QStringLiteral("--no-trace"), QStringLiteral("--sample"),
                  QStringLiteral("10ms")});
    const auto stopped = [](const QJsonObject& sample) { return sample[QStringLiteral("stopped")].toBool(); };
    QVERIFY(wait([](const QJsonObject& sample) { return number(sample, "length_ns") > 0; }));
    QVERIFY(ask("stop\nrun faster\n"));
    QVERIFY(wait(stopped));
    const qint64 length = number(samples(name.constData()).back(), "length_ns");
    QTest::qWait(300);
    QCOMPARE(number(samples(name.constData()).back(), "length_ns"), length);
    QVERIFY(ask("start\nprocedures MPI_Irecv to MPI_Isend,MPI_Isend to MPI_Isend\n"));
    QVERIFY(wait([&](const QJsonObject& sample) { return !stopped(sample) && number(sample, "length_ns") > length; }));
    QVERIFY(wait([](const QJsonObject& sample) {
        int nets = 0;
        for (const auto row : sample[QStringLiteral("procedures")].toArray())
            nets += number(row.toObject(), "net_since_ns") > 0;
        return nets == 2 && number(sample, "paused_ns") > 0;
    }));
    const Said online = m_runs({QStringLiteral("online"), folder});
    QVERIFY2(online.out.contains(QStringLiteral("it was stopped then"))
                 && online.out.contains(QStringLiteral("Some gains are of the run from")),
             qPrintable(online.out));
    QVERIFY(goes.remove());
    const Said said = longpole::test::Program::finish(process);
    QCOMPARE(said.code, 0);
    QVERIFY2(said.error.contains(QStringLiteral("online.control: not understood: run faster")), qPrintable(said.error));
    QVERIFY(samples(name.constData()).back()[QStringLiteral("final")].toBool());
}

// Rank 0 is killed: who follows the run is told, and has all that came before.
void TestRecordedPaths::killed()
{
    QFETCH(QString, how);
    const QByteArray name = "killed-" + how.toUtf8() + ".lprec";
    if (const QString missing = RecordedRuns::missing(QStringLiteral("openmpi")); !missing.isEmpty())
        QSKIP(qPrintable(missing));
    QFile goes(m_runs.path("goes"));
    QVERIFY(goes.open(QIODevice::WriteOnly));
    QProcess process;
    m_runs.start(process, name.constData(), 2,
                 {RecordedRuns::program("meetings"), QStringLiteral("2000000000"), QStringLiteral("while"),
                  goes.fileName()},
                 {QStringLiteral("--online=") + how, QStringLiteral("--no-trace"), QStringLiteral("--sample"),
                  QStringLiteral("10ms")});
    for (int i = 0; i < 600 && samples(name.constData()).empty(); ++i) QTest::qWait(50);
    QVERIFY(!samples(name.constData()).empty());
    QVERIFY(::kill(pid_t(m_runs.header(name.constData(), 0).pid), SIGKILL) == 0);
    QVERIFY(goes.remove());
    const Said said = m_runs({QStringLiteral("online"), m_runs.path(name.constData()), QStringLiteral("--follow")});
    QCOMPARE(said.code, 0);
    QVERIFY2(said.error.contains(QStringLiteral("ended without MPI_Finalize")), qPrintable(said.error));
    QVERIFY(said.out.contains(QStringLiteral("The critical path, ")));
    QVERIFY(longpole::test::Program::finish(process).code != 0);
    for (const QJsonObject& sample : samples(name.constData())) QVERIFY(!sample[QStringLiteral("final")].toBool());
}

LONGPOLE_TEST(TestRecordedPaths)
#include "tst_recordedpaths.moc"
