// SPDX-License-Identifier: GPL-3.0-or-later
// What a user may choose of the path while it runs: gains at a factor of a procedure's time, regions with what they
// call, processor time. Where the recording can be asked the same afterwards, it has the same integers, and the same
// parts by the same names.
#include "app/jsonschema.h"
#include "recorder/online/onlineruns.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <map>

using namespace longpole::test;

class TestPathChoices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void factorOfItsTime_data() { addMpis(); }
    void factorOfItsTime();
    void withWhatItCalls_data() { addMpis(); }
    void withWhatItCalls();
    void processorTime_data() { addMpis(); }
    void processorTime();
    void partsOfTheRecording_data();
    void partsOfTheRecording();
    void refused_data();
    void refused();

private:
    OnlineRuns m_runs;

    std::map<QString, QJsonObject> procedures(const char* name) const
    {
        std::map<QString, QJsonObject> rows;
        for (const auto value : m_runs.last(name)[QStringLiteral("procedures")].toArray())
            rows[value.toObject()[QStringLiteral("name")].toString()] = value.toObject();
        return rows;
    }
    // The recording's answer for these entry methods together.
    qint64 netOf(const char* name, const QStringList& entries, const QString& factor) const
    {
        QStringList words{QStringLiteral("zeroing"),
                          m_runs.path(name),
                          QStringLiteral("--edges"),
                          QStringLiteral("data"),
                          QStringLiteral("--json"),
                          QStringLiteral("--factor"),
                          factor};
        for (const QString& entry : entries) words << QStringLiteral("--entry") << entry;
        const Said said = m_runs(words);
        const QJsonArray rows = QJsonDocument::fromJson(said.out.toUtf8()).array();
        if (rows.size() != entries.size() + (entries.size() > 1)) qWarning("%s", qPrintable(said.error + said.out));
        return figure(rows.last().toObject(), "net_ns");
    }
    void isWhole(const char* name) const
    {
        for (const char* doubt : {"late", "ambiguous", "ahead", "lost_ns", "differences", "not_compared"})
            QCOMPARE(figure(m_runs.last(name), doubt), 0);
        QVERIFY(figure(m_runs.last(name), "compared") > 0);
        const Said read = m_runs({QStringLiteral("online"), m_runs.path(name), QStringLiteral("--json")});
        const std::string wrong = violation(read.out.toStdString(), "online");
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
};

void TestPathChoices::factorOfItsTime()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    const QStringList followed{QStringLiteral("MPI_Irecv to MPI_Isend"), QStringLiteral("MPI_Isend to MPI_Isend")};
    for (const char* factor : {"2/3", "5/2"}) {
        const QString text = QString::fromUtf8(factor);
        const Said said = m_runs.record("factor.lprec", 2,
                                        {RecordedRuns::program("meetings", mpi), QStringLiteral("200")},
                                        {QStringLiteral("--online=both"), QStringLiteral("--zeroing"),
                                         QStringLiteral("--factor"), text, QStringLiteral("--procedures"),
                                         followed.join(QLatin1Char(','))},
                                        mpi);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        QVERIFY2(said.error.contains(QStringLiteral("if a procedure took %1 of its time").arg(text)),
                 qPrintable(said.error));
        isWhole("factor.lprec");
        QCOMPARE(m_runs.last("factor.lprec")[QStringLiteral("factor")].toString(), text);
        auto rows = procedures("factor.lprec");
        for (const QString& name : followed)
            QCOMPARE(figure(rows[name], "net_ns"), netOf("factor.lprec", {name}, text));
        const Said online = m_runs({QStringLiteral("online"), m_runs.path("factor.lprec")});
        QVERIFY2(online.out.contains(QStringLiteral("Path at %1").arg(text)), qPrintable(online.out));
    }
}

// "a" calls "b", which now and then calls "a": without "a" there is no "b" either.
void TestPathChoices::withWhatItCalls()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    for (const char* factor : {"0", "1/2"}) {
        const QString text = QString::fromUtf8(factor);
        const Said said = m_runs.record("nested.lprec", 2,
                                        {RecordedRuns::program("scripted", mpi), QStringLiteral("nested"),
                                         QStringLiteral("700")},
                                        {QStringLiteral("--online=both"), QStringLiteral("--zeroing"),
                                         QStringLiteral("--inclusive"), QStringLiteral("--factor"), text,
                                         QStringLiteral("--procedures"), QStringLiteral("a,b,c,d"),
                                         QStringLiteral("--clock"), QStringLiteral("none")},
                                        mpi);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        isWhole("nested.lprec");
        const QJsonObject sample = m_runs.last("nested.lprec");
        QCOMPARE(QStringLiteral("path %1\n").arg(figure(sample, "length_ns")), said.out);
        auto rows = procedures("nested.lprec");
        const QString a = QStringLiteral("a"), b = QStringLiteral("b"), c = QStringLiteral("c");
        QCOMPARE(figure(rows[a], "inclusive_ns"), figure(rows[a], "share_ns") + figure(rows[b], "share_ns"));
        QVERIFY(figure(rows[b], "inclusive_ns") > figure(rows[b], "share_ns"));
        QCOMPARE(figure(rows[c], "inclusive_ns"), figure(rows[c], "share_ns"));
        QVERIFY(!rows[QStringLiteral("before a")].contains(QStringLiteral("inclusive_ns")));
        QCOMPARE(figure(rows[a], "net_ns"), netOf("nested.lprec", {a, b}, text));
        QCOMPARE(figure(rows[c], "net_ns"), netOf("nested.lprec", {c}, text));
        // A part of "a" is called by "b".
        QVERIFY(figure(rows[b], "net_ns") < netOf("nested.lprec", {b}, text));
        QVERIFY(figure(rows[b], "net_ns") > figure(rows[a], "net_ns"));
        const Said online = m_runs({QStringLiteral("online"), m_runs.path("nested.lprec")});
        QVERIFY2(online.out.contains(QStringLiteral("With what it calls")), qPrintable(online.out));
    }
}

// By the script's clocks other programs have the core most of the time, and calls keep the processor busy.
void TestPathChoices::processorTime()
{
    QFETCH(QString, mpi);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    for (const char* how : {"both", "carry", "meet"}) {
        const Said said = m_runs.record(
            "taken.lprec", 2, {RecordedRuns::program("scripted", mpi), QStringLiteral("taken"), QStringLiteral("400")},
            {QStringLiteral("--online=") + QString::fromUtf8(how), QStringLiteral("--online-clock"),
             QStringLiteral("cpu"), QStringLiteral("--no-trace")},
            mpi);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        const QJsonObject sample = m_runs.last("taken.lprec");
        QCOMPARE(QStringLiteral("path %1\n").arg(figure(sample, "length_ns")), said.out);
        QVERIFY(3 * figure(sample, "length_ns") < figure(sample, "covered_ns"));
        QCOMPARE(sample[QStringLiteral("clock")].toString(), QStringLiteral("cpu"));
        if (qstrcmp(how, "both") == 0) isWhole("taken.lprec");
        const Said online = m_runs({QStringLiteral("online"), m_runs.path("taken.lprec")});
        QVERIFY2(online.out.contains(QStringLiteral("All of it is CPU time.")), qPrintable(online.out));
    }
}

void TestPathChoices::partsOfTheRecording_data()
{
    QTest::addColumn<QString>("mpi");
    QTest::addColumn<QStringList>("program");
    for (const char* mpi : {"openmpi", "mpich"})
        for (const char* program : {"meetings 100", "meetings 100 named", "collective", "polling", "stacks"})
            QTest::addRow("%s, %s", mpi, program)
                << QString::fromUtf8(mpi) << QString::fromUtf8(program).split(QLatin1Char(' '));
}

// Code outside of regions is named by its borders alike, and by the calls around the recorder's own work. Of equally
// long paths each may show another one: such a run is made again.
void TestPathChoices::partsOfTheRecording()
{
    QFETCH(QString, mpi);
    QFETCH(QStringList, program);
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
    program[0] = RecordedRuns::program(program[0].toUtf8().constData(), mpi);
    std::map<QString, qint64> parts[2];
    for (int attempt = 0; attempt == 0 || (attempt < 3 && parts[0] != parts[1]); ++attempt) {
        const Said said = m_runs.record("parts.lprec", 2, program, {QStringLiteral("--online=both")}, mpi);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        isWhole("parts.lprec");
        const Said path = m_runs({QStringLiteral("critical-path"), m_runs.path("parts.lprec"),
                                  QStringLiteral("--edges"), QStringLiteral("data"), QStringLiteral("--json")});
        for (auto& some : parts) some.clear();
        for (const auto& [name, row] : procedures("parts.lprec")) parts[0][name] = figure(row, "share_ns");
        const QJsonObject recorded = QJsonDocument::fromJson(path.out.toUtf8()).object();
        QCOMPARE(figure(m_runs.last("parts.lprec"), "length_ns"), figure(recorded, "length_ns"));
        for (const auto value : recorded[QStringLiteral("profile")].toArray())
            parts[1][value[QStringLiteral("entry")][QStringLiteral("name")].toString()] = figure(value.toObject(),
                                                                                                 "time_ns");
        for (auto& some : parts) std::erase_if(some, [](const auto& part) { return part.second == 0; });
    }
    QVERIFY(parts[0].size() >= 3);
    QCOMPARE(parts[0], parts[1]);
}

void TestPathChoices::refused_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* options, const char* why) {
        QTest::newRow(options) << QString::fromUtf8(options).split(QLatin1Char(' ')) << QString::fromUtf8(why);
    };
    row("--factor 1/2", "--factor is of --online");
    row("--online --factor 1/2000", "--factor takes a fraction such as 1/2");
    row("--online --factor 0.0001", "--factor takes a fraction such as 1/2");
    row("--online --factor -1", "--factor takes a fraction such as 1/2");
    row("--inclusive", "--inclusive is of --online");
    row("--online=carry --inclusive", "--inclusive is of --online=meet and both");
    row("--online-clock cpu", "--online-clock is of --online");
}

void TestPathChoices::refused()
{
    QFETCH(QStringList, options);
    QFETCH(QString, why);
    const Said said = m_runs(QStringList{QStringLiteral("record")} + options
                             + QStringList{QStringLiteral("--"), QStringLiteral("true")});
    QCOMPARE(said.code, 2);
    QVERIFY2(said.error.contains(why), qPrintable(said.error));
}

LONGPOLE_TEST(TestPathChoices)
#include "tst_pathchoices.moc"
