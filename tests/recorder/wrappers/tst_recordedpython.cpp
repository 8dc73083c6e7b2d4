// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in Python that call MPI through mpi4py: their call paths are Python's functions and lines. Skips where
// mpi4py is not installed.
#include "recorder/recordedrun.h"
#include "support/testmain.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

const QString pythonProgram = QStringLiteral(LONGPOLE_PROGRAM_SOURCES "/lines.py");

// "solve (lines.py:25)".
QString frame(const char* function, const char* mark)
{
    QFile file(pythonProgram);
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    for (int i = 0; i < lines.size(); ++i)
        if (lines[i].endsWith(QStringLiteral("# mark: ") + QLatin1String(mark)))
            return QStringLiteral("%1 (lines.py:%2)").arg(QLatin1String(function)).arg(i + 1);
    return {};
}

}  // namespace

class TestRecordedPython : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void callPathsAreLinesOfPython();
    void severalThreadsHaveNone();
    void noStacksNoLines();

private:
    bool record(const char* name, const QStringList& options, const QStringList& arguments = {})
    {
        const Said said = m_runs.record(name, 2, QStringList{m_python, pythonProgram} + arguments, options, m_mpi);
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return said.code == 0;
    }
    // How many calls of that name were made on each call path, by the functions and lines of Python in it.
    std::map<QString, qint64> calls(const char* name, const char* call) const
    {
        std::map<QString, qint64> counts;
        const Said said = m_runs({QStringLiteral("profile"), m_runs.path(name), QStringLiteral("--by"),
                                  QStringLiteral("callpath"), QStringLiteral("--json")});
        for (const auto value : QJsonDocument::fromJson(said.out.toUtf8()).array()) {
            QStringList frames;
            for (const auto one : value[QLatin1String("path")].toArray())
                if (one.toString().contains(QLatin1String("lines.py"))) frames << one.toString();
            const bool isCall = value[QLatin1String("path")].toArray().last().toString().startsWith(
                QLatin1String(call));
            if (isCall) counts[frames.join(QStringLiteral(" > "))] += value[QLatin1String("count")].toInteger();
        }
        return counts;
    }

    RecordedRuns m_runs;
    QString m_python, m_mpi;
};

// The user's Python, or else the system's.
void TestRecordedPython::initTestCase()
{
    const QStringList script{QStringLiteral("-c"),
                             QStringLiteral("import mpi4py; mpi4py.rc.initialize = False\n"
                                            "from mpi4py import MPI; print(MPI.get_vendor()[0])")};
    QByteArray vendor;
    for (const QString& python :
         {QStandardPaths::findExecutable(QStringLiteral("python3")), QStringLiteral("/usr/bin/python3")}) {
        QProcess process;
        process.start(python, script);
        if (!process.waitForFinished() || process.exitCode() != 0) continue;
        m_python = python;
        vendor = process.readAllStandardOutput();
        break;
    }
    if (vendor.isEmpty()) QSKIP("There is no mpi4py.");
    m_mpi = vendor.startsWith("Open MPI") ? QStringLiteral("openmpi") : QStringLiteral("mpich");
    if (const QString missing = RecordedRuns::missing(m_mpi); !missing.isEmpty()) QSKIP(qPrintable(missing));
}

void TestRecordedPython::callPathsAreLinesOfPython()
{
    QVERIFY(record("lines.lprec", {}));
    const auto path = [](const char* function, const char* main, const char* inner, const char* call,
                         const char* mark) {
        return QStringList{frame(function, main), frame("Halo.exchange", inner), frame(call, mark)}.join(
            QStringLiteral(" > "));
    };
    const std::map<QString, qint64> sends = calls("lines.lprec", "MPI_Send");
    QCOMPARE(sends, (std::map<QString, qint64>{{path("solve", "main solve", "solve", "MPI_Send", "send"), 3},
                                               {path("check", "main check", "check", "MPI_Send", "send"), 2},
                                               {path("solve", "main solve", "solve", "MPI_Send", "answer"), 3},
                                               {path("check", "main check", "check", "MPI_Send", "answer"), 2}}));
    // Of recv() of what is pickled: MPI_Mprobe and MPI_Mrecv.
    const std::map<QString, qint64> receives = calls("lines.lprec", "MPI_Mrecv");
    QCOMPARE(receives.size(), 4u);
    QCOMPARE(receives.at(path("solve", "main solve", "solve", "MPI_Mrecv", "receive")), 3);
    QCOMPARE(calls("lines.lprec", "MPI_Barrier"), (std::map<QString, qint64>{{frame("MPI_Barrier", "barrier"), 2}}));
}

void TestRecordedPython::severalThreadsHaveNone()
{
    QVERIFY(record("threads.lprec", {}, {QStringLiteral("threads")}));
    const std::map<QString, qint64> barriers = calls("threads.lprec", "MPI_Barrier");
    QCOMPARE(barriers, (std::map<QString, qint64>{{QString(), 2}}));
}

void TestRecordedPython::noStacksNoLines()
{
    QVERIFY(record("none.lprec", {QStringLiteral("--stack"), QStringLiteral("0")}));
    QCOMPARE(m_runs.sql(m_runs.path("none.lprec"), "SELECT count(*) n FROM call_path")
                 .first()[QLatin1String("n")]
                 .toInteger(),
             0);
}

LONGPOLE_TEST(TestRecordedPython)
#include "tst_recordedpython.moc"
