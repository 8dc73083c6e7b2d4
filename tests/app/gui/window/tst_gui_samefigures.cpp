// SPDX-License-Identifier: GPL-3.0-or-later
// That the window, the report, the command line and SQL say the same of a trace: one message-driven, one of MPI.
#include "analysis/expert/expertquestions.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/paths/pathquestions.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/pathstrip.h"
#include "app/gui/window/windowfixture.h"
#include "app/program.h"
#include "views/expert/treepanel.h"
#include "views/expert/waitstatespanel.h"
#include "views/plots/partbarview.h"
#include "views/state/pathsentence.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "views/seen.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include <unordered_map>

using namespace longpole;
using namespace longpole::test;

class SameFiguresTest : public QObject, private WindowFixture {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { shareCache(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void everybodySaysTheSame_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::newRow("Charm++") << QStringLiteral("chain_and_bulk_p6/prio.sts");
        QTest::newRow("MPI") << QStringLiteral("otf2/casita_4_mpi_ls_barr/traces.otf2");
    }
    void everybodySaysTheSame()
    {
        QFETCH(const QString, trace);
        m_trace = QStringLiteral(LONGPOLE_TEST_DATA "/") % trace;
        m_window->open(m_trace);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->workspace(), 30'000);
        const QString file = m_folder.filePath(QStringLiteral("report.json"));
        QFile::remove(file);
        m_window->exportReport(file);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), 60'000);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        m_report = QJsonDocument::fromJson(written.readAll()).object();
        busyTime();
        workPath();
        pathSentences();
        idleCauses();
        if (results().store().info().hasRanks()) waits();
    }

private:
    void busyTime()
    {
        const qint64 busy = results().store().info().busy;
        QVERIFY(busy > 0);
        QCOMPARE(m_report.value(QLatin1String("trace")).toObject().value(QLatin1String("busy_ns")).toInteger(), busy);
        QCOMPARE(command({QStringLiteral("info")}).value(QLatin1String("busy_ns")).toInteger(), busy);
        QCOMPARE(sql(QStringLiteral("SELECT sum(exclusive_ns) FROM task")), busy);
    }
    void workPath()
    {
        const auto path = results().ask(PathQuestion{.edges = EdgeLevel::Messages}, Progress{});
        QVERIFY(path.ok());
        const qint64 length = (*path)->length;
        QVERIFY(length > 0);
        const QJsonArray paths = finding("critical-path").toArray();
        QCOMPARE(paths.first().toObject().value(QLatin1String("length_ns")).toInteger(), length);
        const QJsonObject said = command({QStringLiteral("critical-path"), QStringLiteral("--mode"),
                                          QStringLiteral("work"), QStringLiteral("--edges"),
                                          QStringLiteral("messages")});
        QCOMPARE(said.value(QLatin1String("length_ns")).toInteger(), length);
    }
    // Above the timeline: the path that shows, and in the sheet below it what the others say.
    void pathSentences()
    {
        const Vocabulary words = results().store().words();
        auto* strip = m_window->findChild<PathStrip*>();
        QVERIFY(strip);
        m_window->session().setModel(PathMode::Work, EdgeLevel::Order);
        const QString scheduled = sentenceOf(QStringLiteral("work"), QStringLiteral("order"),
                                             pathName({}, EdgeLevel::Order));
        QTRY_VERIFY2(strip->sentence().text().startsWith(scheduled), qPrintable(scheduled + strip->sentence().text()));
        QVERIFY(strip->sentence().text().contains(words.ofRanks() ? QStringLiteral("; rank ")
                                                                  : QStringLiteral("; PE ")));
        strip->sentence().click();
        const QList<QPushButton*> choices = strip->sheet().findChildren<QPushButton*>();
        QCOMPARE(choices.size(), words.ofRanks() ? 2 : 4);
        QTRY_COMPARE_WITH_TIMEOUT(choices[choices.size() - 2]->text() + QStringLiteral("  ▾"), strip->sentence().text(),
                                  20'000);
        QVERIFY(choices[choices.size() - 2]->isChecked());
        const QString elapsed = sentenceOf(QStringLiteral("elapsed"), {}, pathName(PathMode::Elapsed, {}));
        QTRY_VERIFY_WITH_TIMEOUT(choices.back()->text().startsWith(elapsed), 20'000);
        choices.back()->click();
        QCOMPARE(m_window->session().question().mode, PathMode::Elapsed);
        QTRY_VERIFY(strip->sentence().text().startsWith(elapsed));
        m_window->session().setModel(PathMode::Work, EdgeLevel::Order);
    }
    QString sentenceOf(const QString& mode, const QString& edges, const QString& name)
    {
        QStringList arguments{QStringLiteral("critical-path"), QStringLiteral("--mode"), mode};
        if (!edges.isEmpty()) arguments << QStringLiteral("--edges") << edges;
        const QJsonObject said = command(arguments);
        const qint64 length = said.value(QLatin1String("length_ns")).toInteger();
        const auto path = results().ask(PathQuestion{.mode = edges.isEmpty() ? PathMode::Elapsed : PathMode::Work,
                                                     .edges = EdgeLevel::Order},
                                        Progress{});
        std::unordered_map<std::uint32_t, TimeNs> times;
        for (const PathStep& step : (*path)->steps) times[index(step.pe)] += step.weight();
        TimeNs most = 0;
        for (const auto& [pe, time] : times) most = std::max(most, time);
        const double share = static_cast<double>(most) / static_cast<double>(length);
        const QString sentence = name % QStringLiteral(": ") % timeOf(length, results().store().info().duration());
        const auto counted = CountedPathQuestion{PathQuestion{.mode = (*path)->mode, .edges = EdgeLevel::Order}};
        const auto answer = results().ask(counted, Progress{});
        if (!pathSentence(results().store().words(), **answer)
                 .endsWith(QStringLiteral("carries ") % formatShare(share)))
            QTest::qFail("another share", __FILE__, __LINE__);
        return sentence;
    }
    void idleCauses()
    {
        m_window->showTab(QLatin1String(panels::tree.id));
        auto& panel = m_window->workspace()->panel<TreePanel>(panels::tree.id);
        QTRY_VERIFY_WITH_TIMEOUT(panel.isThere(), 60'000);
        QCOMPARE(results().computed<ExpertQuestion>(), 1);  // the report's is the panel's
        const QJsonObject said = command({QStringLiteral("tree")})
                                     .value(QLatin1String("idle_causes"))
                                     .toObject()
                                     .value(QLatin1String("total"))
                                     .toObject();
        const QJsonArray reported = idleTableOfReport();
        QCOMPARE(reported.size(), qsizetype(idleCauseCount));
        qint64 sum = 0;
        for (std::size_t i = 0; i < idleCauseCount; ++i) {
            const qint64 time = seen<PartBar>(panel).parts()[i].time;
            sum += time;
            const QString key = QLatin1String(name(static_cast<IdleCause>(i))) % QStringLiteral("_ns");
            QCOMPARE(said.value(key).toInteger(-1), time);
            QCOMPARE(reported.at(static_cast<qsizetype>(i)).toObject().value(QLatin1String("time_ns")).toInteger(-1),
                     time);
        }
        const qint64 begin = results().store().info().begin;  // idle time of start-up is not of the run
        QCOMPARE(sql(QStringLiteral("SELECT sum(end_ns - max(begin_ns, %1)) FROM idle WHERE end_ns > %1").arg(begin)),
                 sum);
    }
    void waits()
    {
        m_window->showTab(QLatin1String(panels::waitStates.id));
        auto& panel = m_window->workspace()->panel<WaitStatesPanel>(panels::waitStates.id);
        QTRY_VERIFY_WITH_TIMEOUT(panel.isThere(), 60'000);
        QCOMPARE(results().computed<WaitsQuestion>(), 2);  // the states, and they with their causes: the report's
        const QJsonObject reported = finding("waits").toObject();
        const QJsonObject said = command({QStringLiteral("waits"), QStringLiteral("--causes")});
        for (const char* key : {"total_ns", "unexplained_ns"})
            QCOMPARE(said.value(QLatin1String(key)).toInteger(-1), reported.value(QLatin1String(key)).toInteger(-2));
        const QJsonArray states = reported.value(QLatin1String("states")).toArray();
        QVERIFY(!states.isEmpty());
        const TableModel& shown = panel.patterns().table();
        QCOMPARE(shown.rowCount(), int(states.size()));
        const QList<QByteArray> lines = shown.toCsv().trimmed().split('\n');
        for (qsizetype i = 0; i < states.size(); ++i) {
            const QJsonObject state = states.at(i).toObject();
            const QByteArray time = QByteArray::number(state.value(QLatin1String("time_ns")).toInteger());
            QVERIFY2(lines.at(i + 1).split(',').contains(time), lines.at(i + 1).constData());
            const QString pattern = state.value(QLatin1String("pattern")).toString();
            if (pattern != QLatin1String("late_sender")) continue;
            QCOMPARE(QByteArray::number(
                         sql(QStringLiteral("SELECT sum(severity_ns) FROM mpi_call WHERE pattern = 'late_sender'"))),
                     time);
        }
    }

    Results& results() { return *m_window->workspace()->state().results(); }
    // What the report says of an analysis.
    QJsonObject found(const char* id) const
    {
        for (const QJsonValue& one : m_report.value(QLatin1String("findings")).toArray())
            if (one.toObject().value(QLatin1String("id")) == QLatin1String(id)) return one.toObject();
        return {};
    }
    QJsonValue finding(const char* id) const { return found(id).value(QLatin1String("result")); }
    QJsonArray idleTableOfReport() const
    {
        const QJsonArray tables = found("tree").value(QLatin1String("tables")).toArray();
        return tables.first().toObject().value(QLatin1String("rows")).toArray();
    }
    QJsonObject command(QStringList arguments)
    {
        arguments << m_trace << QStringLiteral("--json");
        const test::Said said = test::Program(m_folder.path())(arguments);
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return QJsonDocument::fromJson(said.out.toUtf8()).object();
    }
    qint64 sql(const QString& statement)
    {
        const test::Said said = test::Program(m_folder.path())({QStringLiteral("sql"), m_trace, statement,
                                                                QStringLiteral("--csv")});
        return said.out.trimmed().split(QLatin1Char('\n')).last().trimmed().toLongLong();
    }

    QString m_trace;
    QJsonObject m_report;
};

LONGPOLE_GUI_TEST(SameFiguresTest)
#include "tst_gui_samefigures.moc"
