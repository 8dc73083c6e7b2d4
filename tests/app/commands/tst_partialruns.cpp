// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of runs that are not all there: ranks whose files are missing, records that cannot be read, files that
// are cut, logs without names. Nothing that is missing is told as work, and no check passes.
#include "app/program.h"
#include "app/unpacked.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace longpole;
using namespace longpole::test;
using nlohmann::json;

namespace {

const QString haloRun = QStringLiteral(LONGPOLE_TEST_DATA "/../older/halo.lprec");
const QString seidelRun = QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8");
const QString killedRun = QStringLiteral(LONGPOLE_TEST_DATA "/wave2d_killed_p3");

}  // namespace

class TestPartialRuns : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};

    QString file(const QString& name) const { return m_folder.filePath(name); }
    QString seidel(const QString& name) const
    {
        if (!QDir().mkpath(file(name))) return {};
        for (const QString& one : QDir(seidelRun).entryList(QDir::Files))
            QFile::copy(QDir(seidelRun).filePath(one), file(name + QLatin1Char('/') + one));
        return file(name);
    }
    // Four ranks on two cores, but for the file of one.
    QString halo(const QString& name, const QString& without = {}) const
    {
        if (!QDir().mkpath(file(name))) return {};
        for (const QString& packed : QDir(haloRun).entryList(QDir::Files))
            if (const QString one = packed.chopped(3);
                one != without && !unpack(QDir(haloRun).filePath(packed), file(name + QLatin1Char('/') + one)))
                return {};
        return file(name);
    }
    json answer(const QStringList& call) const
    {
        const Said said = m_program(call + QStringList{QStringLiteral("--json")});
        return json::parse(said.out.toStdString(), nullptr, false);
    }
    static json named(const json& list, const char* key, const char* value)
    {
        for (const json& one : list)
            if (one[key] == value) return one;
        return nullptr;
    }

private Q_SLOTS:
    // Of a rank without a file nothing is known: it did not idle, and was not busy for 0 %. Sums are of all ranks'
    // time.
    void stagesOfMissingRanks()
    {
        const QString run = halo(QStringLiteral("stages.lprec"), QStringLiteral("rank-000002.lprank"));
        for (const char* attribute : {"utilization", "idle", "tasks", "overhead", "bytes_sent / tasks"}) {
            for (const char* view : {"detailed", "overview"}) {
                QStringList call{QStringLiteral("project"),     run,
                                 QStringLiteral("--stages"),    QStringLiteral("4"),
                                 QStringLiteral("--attribute"), QLatin1String(attribute),
                                 QStringLiteral("--view"),      QLatin1String(view)};
                if (call.back() == QLatin1String("overview"))
                    call << QStringLiteral("--over") << QStringLiteral("time");
                const json stages = answer(call);
                QVERIFY2(stages.is_object(), attribute);
                QCOMPARE(stages["values"].size(), std::size_t(4));
                for (std::size_t rank = 0; rank < 4; ++rank)
                    for (const json& value : stages["values"][rank])
                        QVERIFY2(value.is_null() == (rank == 2), attribute);
            }
        }
        const json over = answer({QStringLiteral("project"), run, QStringLiteral("--stages"), QStringLiteral("4"),
                                  QStringLiteral("--attribute"), QStringLiteral("overhead"), QStringLiteral("--view"),
                                  QStringLiteral("overview")});
        std::int64_t sum = 0;
        for (const json& value : over["values"][0]) sum += value.get<std::int64_t>();
        QCOMPARE(sum, answer({QStringLiteral("info"), run})["overhead_ns"].get<std::int64_t>());
        const Said text = m_program({QStringLiteral("project"), run, QStringLiteral("--stages"), QStringLiteral("4"),
                                     QStringLiteral("--attribute"), QStringLiteral("utilization")});
        QVERIFY2(text.out.contains(QRegularExpression(QStringLiteral("\n2( +–){4}\n3 "))), qPrintable(text.out));
    }

    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void compareSaysThatRanksHadNoCores()
    {
        const QString run = halo(QStringLiteral("whole.lprec"));
        const json compared = answer({QStringLiteral("compare"), run, run});
        int said = 0;
        for (const json& note : compared["notes"])
            said += note.get<std::string>().find("had no core for") != std::string::npos ? 1 : 0;
        QCOMPARE(said, 2);
    }

    // Three of four ranks on two cores: that there were too few cores is known without the fourth. What their calls
    // took may all have been waiting for it.
    void ranksThatAreMissing()
    {
        const QString run = halo(QStringLiteral("lost.lprec"), QStringLiteral("rank-000002.lprank"));
        const json tree = answer({QStringLiteral("tree"), run});
        for (const char* id : {"mpi_time", "synchronization"}) {
            const json node = named(tree["nodes"], "id", id);
            QVERIFY2(node.is_object() && node["verdict"] == "not_judged", id);
        }
        const Said advised = m_program({QStringLiteral("advise"), run});
        QCOMPARE(advised.code, 0);
        QVERIFY2(!advised.out.contains(QStringLiteral("MPI itself")), qPrintable(advised.out));
        QVERIFY2(advised.out.contains(QStringLiteral("fewer cores than ranks")), qPrintable(advised.out));
        QVERIFY(answer({QStringLiteral("info"), run})["cores"] == 2);
        // Shares are of all four ranks' time, in each command.
        const double all = 4 * answer({QStringLiteral("advise"), run})["duration_ns"].get<double>();
        int shares = 0;
        for (const json& node : tree["nodes"]) {
            if (node["verdict"] != "fired" || node["severity_pe_ns"] == 0) continue;
            QVERIFY(qFuzzyCompare(node["share"].get<double>(), node["severity_pe_ns"].get<double>() / all));
            ++shares;
        }
        QVERIFY(shares > 0);
        const Said report = m_program({QStringLiteral("report"), run, QStringLiteral("-o"),
                                       file(QStringLiteral("lost.md"))});
        QVERIFY2(report.code == 0, qPrintable(report.error));
        QFile written(file(QStringLiteral("lost.md")));
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(written.readAll());
        QVERIFY(text.contains(QStringLiteral("may be waiting for ranks that are not in the trace")));
        QVERIFY(text.contains(QRegularExpression(QStringLiteral("is the time of ranks that are not in the trace"))));
    }

    // Everything of the damaged part is missing from the totals: figures that keep a limit prove nothing.
    void damagedRecordings()
    {
        const QString run = halo(QStringLiteral("cut.lprec"));
        QFile rank(run + QStringLiteral("/rank-000001.lprank"));
        QVERIFY(rank.resize(rank.size() * 6 / 10));
        const Said said = m_program({QStringLiteral("check"), run, QStringLiteral("--max-duration"),
                                     QStringLiteral("10s")});
        QVERIFY2(said.code == 3, qPrintable(said.out + said.error));
        const json checks = answer({QStringLiteral("advise"), run})["judged"]["checks"];
        QVERIFY(named(checks, "id", "logs")["passed"] == false);
    }

    void recordsThatCannotBeRead()
    {
        const QString run = seidel(QStringLiteral("unread"));
        const QString sts = QDir(run).entryList({QStringLiteral("*.sts")}).front();
        // A whole log, then one whose records of one kind are no records.
        const Said unpacked = m_program({QStringLiteral("check"), run + QLatin1Char('/') + sts,
                                         QStringLiteral("--max-duration"), QStringLiteral("10s")});
        QVERIFY2(unpacked.code == 0, qPrintable(unpacked.out + unpacked.error));
        const QString log = QDir(run).filePath(QStringLiteral("gs.3.log.gz"));
        QProcess shell;
        const Said changed = m_program.run(
            shell, QStringLiteral("sh"),
            {QStringLiteral("-c"),
             QStringLiteral("gzip -dc '%1' | sed '100,400s/^2 /2 x/' > '%2' && rm '%1'").arg(log, log.chopped(3))});
        QVERIFY2(changed.code == 0, qPrintable(changed.error));
        const Said said = m_program({QStringLiteral("check"), run + QLatin1Char('/') + sts,
                                     QStringLiteral("--max-duration"), QStringLiteral("10s")});
        QVERIFY2(said.code == 3, qPrintable(said.out + said.error));
        const Said advised = m_program({QStringLiteral("advise"), run + QLatin1Char('/') + sts});
        QVERIFY2(advised.out.contains(QStringLiteral("records could not be read: what they told is missing")),
                 qPrintable(advised.out));
    }

    // Reductions are known by names.
    void logsWithoutNames()
    {
        const json tree = answer({QStringLiteral("tree"), killedRun});
        QVERIFY(named(tree["nodes"], "id", "synchronization")["verdict"] == "not_judged");
    }
};

LONGPOLE_TEST(TestPartialRuns)
#include "tst_partialruns.moc"
