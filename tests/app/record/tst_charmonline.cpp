// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path that a Charm++ program finds while it runs, against the one of its Projections logs, and the
// priorities that it finds by itself. Where LONGPOLE_CHARM names a Charm++.
#include "app/record/charmprogram.h"

#include "support/testmain.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace longpole;
using longpole::test::charmProgram;
using longpole::test::Program;
using longpole::test::Said;
using Json = nlohmann::json;

namespace {

struct Step {
    int pe = 0, entry = 0;
    double weight = 0;  // microseconds
};

constexpr const char* noCharm = "set LONGPOLE_CHARM to a Charm++ that was built (multicore-linux-x86_64)";

}  // namespace

class TestCharmOnline : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
    QString m_charm = qEnvironmentVariable("LONGPOLE_CHARM");
    QHash<QString, QString> m_apps;

    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString app(const char* name, const QStringList& linkOptions)
    {
        const QString key = QLatin1String(name) + linkOptions.join(QLatin1Char(' '));
        if (!m_apps.contains(key))
            m_apps[key] = charmProgram(m_program, m_charm, m_folder.path(),
                                       QStringLiteral(LONGPOLE_CHARM_KINDS "/") + QLatin1String(name), linkOptions);
        return m_apps[key];
    }
    QString traced(const char* name)
    {
        return app(name, {QStringLiteral("-tracemode"), QStringLiteral("projections")});
    }
    Said run(const QString& app, const QStringList& options) const
    {
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        return m_program.run(process, app,
                             QStringList{QStringLiteral("+p4"), QStringLiteral("+setcpuaffinity"),
                                         QStringLiteral("+CmiSleepOnIdle")}
                                 + options);
    }
    static Json json(const QString& file)
    {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? Json::parse(in.readAll().toStdString()) : Json();
    }
    // Runs with Projections into a folder of its own.
    Said record(const QString& app, const QString& folder, const QStringList& options)
    {
        QDir(path(folder)).removeRecursively();
        QDir(m_folder.path()).mkpath(folder);
        return run(app, options + QStringList{QStringLiteral("+traceroot"), path(folder)});
    }
    QString symbols(const QString& folder) const
    {
        const QStringList found = QDir(path(folder)).entryList({QStringLiteral("*.sts")});
        return path(folder) + QLatin1Char('/') + found.value(0);
    }
    // What carries no time to speak of at the path's begin is left out: logs count whole microseconds.
    static std::vector<Step> trimmed(std::vector<Step> steps)
    {
        const auto carries = std::find_if(steps.begin(), steps.end(),
                                          [](const Step& step) { return step.weight >= 50; });
        steps.erase(steps.begin(), carries);
        return steps;
    }
    static QByteArray words(const std::vector<Step>& steps)
    {
        QByteArray text;
        for (const Step& step : steps) text += QByteArray::number(step.pe) + ':' + QByteArray::number(step.entry) + ' ';
        return text;
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // The same tasks, as long in both. Projections needs a microsecond or two itself between its clock and ours, and a
    // PE may be interrupted just there: then the run is repeated.
    void sameAsTheLogs_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("options");
        const auto row = [](const char* name, const char* program, const char* options) {
            QTest::newRow(name) << QString::fromLatin1(program)
                                << QString::fromLatin1(options).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        };
        row("pipeline", "kinds", "0 6");
        row("chains and bulk", "kinds", "3 6");
        row("solver", "kinds", "6 6");
        row("arrays", "arrays", "");
        row("elements that move", "arrays", "1");
    }
    void sameAsTheLogs()
    {
        if (m_charm.isEmpty()) QSKIP(noCharm);
        QFETCH(QString, program);
        QFETCH(QStringList, options);
        const QString app = traced(program.toLatin1().constData());
        QVERIFY(!app.isEmpty());
        QByteArray wrong = "no run";
        for (int attempt = 0; attempt < 5 && !wrong.isEmpty(); ++attempt) {
            const QString file = path(QStringLiteral("path.json"));
            const Said said = record(app, QStringLiteral("logs"),
                                     options
                                         + QStringList{QStringLiteral("+longpole-path-file"), file,
                                                       QStringLiteral("+longpole-edges"), QStringLiteral("messages")});
            QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
            const Json online = json(file);
            QVERIFY(online.at("complete").get<bool>());
            const Said offlineSaid = m_program({QStringLiteral("critical-path"), symbols(QStringLiteral("logs")),
                                                QStringLiteral("--edges"), QStringLiteral("messages"),
                                                QStringLiteral("--json")});
            QVERIFY2(offlineSaid.code == 0, qPrintable(offlineSaid.error));
            const Json offline = Json::parse(offlineSaid.out.toStdString());
            std::vector<Step> here, there;
            for (const Json& step : online.at("steps"))
                here.push_back({step.at("pe"), step.at("ep"), step.at("weight_ns").get<double>() / 1000});
            for (const Json& step : offline.at("steps"))
                there.push_back({step.at("pe"), step.at("entry").at("id"), step.at("weight_ns").get<double>() / 1000});
            here = trimmed(here);
            there = trimmed(there);
            wrong = words(here) == words(there) && here.size() > 20 ? QByteArray()
                                                                    : words(here) + "\nfor\n" + words(there);
            std::vector<double> apart;
            for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i)
                apart.push_back(std::abs(here[i].weight - there[i].weight));
            if (apart.empty()) continue;
            std::nth_element(apart.begin(), apart.begin() + std::ptrdiff_t(apart.size() / 2), apart.end());
            if (apart[apart.size() / 2] > 3) wrong += " weights apart: " + QByteArray::number(apart[apart.size() / 2]);
        }
        QVERIFY2(wrong.isEmpty(), wrong);
    }

    // Merges that the program notes are written beside the logs, and then both paths have them.
    void mergesReachTheImport()
    {
        if (m_charm.isEmpty()) QSKIP(noCharm);
        const QString app = traced("arrays");
        QVERIFY(!app.isEmpty());
        const Said said = record(app, QStringLiteral("merged"), {QStringLiteral("+longpole-path")});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        QVERIFY2(said.out.contains(QStringLiteral("Longpole: critical path (merges)")), qPrintable(said.out));
        const Said sql = m_program({QStringLiteral("sql"), symbols(QStringLiteral("merged")),
                                    QStringLiteral("SELECT count(*) FROM merge"), QStringLiteral("--csv")});
        // Six steps of ten cells, each of which waits for a second ghost. The import takes a task that was interrupted
        // inside of an inline call for two.
        QFile notes(symbols(QStringLiteral("merged")).chopped(4) + QStringLiteral(".merges"));
        QVERIFY(notes.open(QIODevice::ReadOnly));
        QCOMPARE(notes.readAll().count("MERGE "), 60);
        const int found = sql.out.section(QLatin1Char('\n'), 1, 1).toInt();
        QVERIFY2(found >= 60 && found < 70, qPrintable(sql.out + sql.error));
        const Said info = m_program({QStringLiteral("info"), symbols(QStringLiteral("merged"))});
        QVERIFY2(!info.out.contains(QStringLiteral("unmatched_merge")), qPrintable(info.out));
    }

    // Without Projections, by calls of the program: every third iteration it asks for its path and forgets the log.
    void programAsks()
    {
        if (m_charm.isEmpty()) QSKIP(noCharm);
        const Said said = run(app("kinds", {}),
                              {QStringLiteral("3"), QStringLiteral("9"), QStringLiteral("0"), QStringLiteral("3")});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        static const QRegularExpression found(
            QStringLiteral("path ([0-9]+) ns, ([0-9]+) steps, first share ([0-9]+) ns"));
        int paths = 0;
        for (auto matches = found.globalMatch(said.out); matches.hasNext(); ++paths) {
            const auto match = matches.next();
            // Three iterations with a chain of eight hops of 700 us each.
            QVERIFY2(match.captured(1).toLongLong() >= 3LL * 8 * 700'000, qPrintable(said.out));
            QVERIFY2(match.captured(2).toInt() >= 24 && match.captured(2).toInt() < 48, qPrintable(said.out));
            QVERIFY2(match.captured(3).toLongLong() >= 3LL * 8 * 700'000, qPrintable(said.out));
        }
        QCOMPARE(paths, 3);
        QVERIFY2(!said.out.contains(QStringLiteral("Longpole")), qPrintable(said.out));
    }

    // PEs that have nothing on the path leave no logs, and what is left shows the same path.
    void othersLeaveNoLogs()
    {
        if (m_charm.isEmpty()) QSKIP(noCharm);
        const QString app = traced("kinds");
        QVERIFY(!app.isEmpty());
        // All that is heavy is on PE 1; PE 0 has the main chare.
        const Said said = record(app, QStringLiteral("reduced"),
                                 {QStringLiteral("9"), QStringLiteral("4"), QStringLiteral("+longpole-keep-critical")});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        static const QRegularExpression kept(QStringLiteral("of 4 PEs ([0-9]) are on the path"));
        const int pes = kept.match(said.out).captured(1).toInt();
        QVERIFY2(pes >= 1 && pes < 4, qPrintable(said.out));
        int logs = 0;
        for (const QFileInfo& log : QDir(path(QStringLiteral("reduced"))).entryInfoList({QStringLiteral("*.log*")}))
            logs += log.size() > 0;
        QCOMPARE(logs, pes);
        const Said info = m_program({QStringLiteral("critical-path"), symbols(QStringLiteral("reduced"))});
        QVERIFY2(info.code == 0, qPrintable(info.error));
    }

    // The chain's priority is found and kept, and what it gains is there; what decided it is in the log.
    void autoFindsTheGain()
    {
        if (m_charm.isEmpty()) QSKIP(noCharm);
        const QString log = path(QStringLiteral("auto.jsonl"));
        const Said said = run(app("kinds", {}),
                              {QStringLiteral("4"), QStringLiteral("150"), QStringLiteral("+longpole-auto"),
                               QStringLiteral("400ms"), QStringLiteral("+longpole-auto-log"), log});
        QVERIFY2(said.code == 0, qPrintable(said.out + said.error));
        QFile in(log);
        QVERIFY(in.open(QIODevice::ReadOnly));
        bool isKept = false;
        for (const QByteArray& line : in.readAll().split('\n')) {
            if (line.isEmpty()) continue;
            const Json decision = Json::parse(line.toStdString());
            if (decision.at("decision") != "kept") continue;
            isKept = true;
            QVERIFY2(decision.at("gain").get<double>() > 0.1, line);
            QCOMPARE(decision.at("measure").get<std::string>(), std::string("iterations"));
            break;
        }
        QVERIFY2(isKept, qPrintable(said.out));
        // `longpole charm --decisions` shows them.
        const Said shown = m_program({QStringLiteral("charm"), QStringLiteral("--decisions"), log});
        QVERIFY2(shown.code == 0 && shown.out.contains(QStringLiteral("kept")), qPrintable(shown.out + shown.error));
    }

    // The log's name is known to all who may write in the folder.
    void logThroughALink()
    {
        if (m_charm.isEmpty()) QSKIP(noCharm);
        const QString log = path(QStringLiteral("link.jsonl"));
        QFile other(path(QStringLiteral("precious")));
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("precious") == 8);
        other.close();
        QVERIFY(QFile::link(other.fileName(), log));
        const Said said = run(app("kinds", {}),
                              {QStringLiteral("8"), QStringLiteral("2"), QStringLiteral("+longpole-auto"),
                               QStringLiteral("400ms"), QStringLiteral("+longpole-auto-log"), log});
        QVERIFY2(said.code == 0 && said.out.contains(QStringLiteral("decisions cannot be noted in")),
                 qPrintable(said.out + said.error));
        QVERIFY(other.open(QIODevice::ReadOnly));
        QCOMPARE(other.readAll(), QByteArray("precious"));
    }

    void wrongOptions_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("says");
        QTest::newRow("no time") << QStringList{QStringLiteral("+longpole-auto"), QStringLiteral("soon")}
                                 << QStringLiteral("no automatic priorities: soon is no time");
        QTest::newRow("no edges") << QStringList{QStringLiteral("+longpole-path"), QStringLiteral("+longpole-edges"),
                                                 QStringLiteral("all")}
                                  << QStringLiteral("+longpole-edges takes messages, merges or order, not all");
        QTest::newRow("no folder") << QStringList{QStringLiteral("+longpole-path-file"),
                                                  QStringLiteral("/nowhere/path.json")}
                                   << QStringLiteral("cannot be written to /nowhere/path.json: No such file");
        QTest::newRow("no Projections") << QStringList{QStringLiteral("+longpole-keep-critical")}
                                        << QStringLiteral("not linked with -tracemode projections");
        QTest::newRow("little memory") << QStringList{QStringLiteral("+longpole-path"),
                                                      QStringLiteral("+longpole-memory"), QStringLiteral("-1")}
                                       << QStringLiteral("critical path (merges)");
    }
    // The program runs as ever.
    void wrongOptions()
    {
        if (m_charm.isEmpty()) QSKIP(noCharm);
        QFETCH(QStringList, options);
        QFETCH(QString, says);
        const Said said = run(app("kinds", {}), QStringList{QStringLiteral("8"), QStringLiteral("2")} + options);
        QVERIFY2(said.code == 0 && said.out.contains(says) && said.out.contains(QStringLiteral("took ")),
                 qPrintable(said.out + said.error));
    }
};

LONGPOLE_TEST(TestCharmOnline)
#include "tst_charmonline.moc"
