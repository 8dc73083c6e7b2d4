// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles, utilization, health and findings of a trace small enough to draw (core/smalltrace.h).
#include "analysis/asked.h"
#include "analysis/findingresult.h"
#include "analysis/report/analyses.h"

#include "analysis/expert/health.h"
#include "analysis/graph/builder.h"
#include "analysis/statistics/profile.h"
#include "analysis/statistics/utilization.h"
#include "core/smalltrace.h"
#include "core/trace/issues.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <functional>

using namespace longpole;

class TestAnalyses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase();

    void profiles_data();
    void profiles();
    void utilizationAddsUp_data();
    void utilizationAddsUp();
    void stagesOfTheSmallTrace();
    void everyIssueHasASentence();
    void healthOfAGoodTrace();
    void healthOfABadTrace();
    void findingsComeInTheOrderOfTheList();
    void tablesHaveACellForEveryColumn();
    void criticalPathSaysModeAndLevel();
    void whatIfSaysGainAndWhatFollows();
    void emptyTraceIsNotEvaluated();
    void cancelledAnalyse();

private:
    std::shared_ptr<const TraceStore> write(const QString& name, const std::function<void(TraceWriter&)>& fill);
    const Finding& finding(const QString& id) const;

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const AnalysisResults> m_results;
};

std::shared_ptr<const TraceStore> TestAnalyses::write(const QString& name,
                                                      const std::function<void(TraceWriter&)>& fill)
{
    const QString path = m_folder.filePath(name);
    auto writer = TraceWriter::create(path);
    if (!writer) return nullptr;
    fill(**writer);
    if (!(*writer)->finish(Progress{})) return nullptr;
    const auto store = TraceStore::open(path);
    return store ? *store : nullptr;
}

const Finding& TestAnalyses::finding(const QString& id) const
{
    static const Finding none;
    for (const Finding& found : m_results->findings)
        if (found.id == id) return found;
    return none;
}

void TestAnalyses::initTestCase()
{
    m_store = write(QStringLiteral("small.longpole"), [](TraceWriter& writer) {
        addSmallDefinitions(writer);
        writeSmallEvents(writer);
    });
    QVERIFY(m_store != nullptr);
    const auto results = asked(m_store, AnalysesQuestion{});
    QVERIFY(results.ok());
    m_results = *results;
}

void TestAnalyses::profiles_data()
{
    QTest::addColumn<ProfileBy>("by");
    QTest::addColumn<QStringList>("lines");  // name count time exclusive messages bytes
    QTest::newRow("entry") << ProfileBy::Entry
                           << QStringList{QStringLiteral("Ring::pass 4 6000 6000 1 64"),
                                          QStringLiteral("Main::Main 1 4000 3000 2 128")};
    QTest::newRow("chare") << ProfileBy::Chare
                           << QStringList{QStringLiteral("Ring 4 6000 6000 1 64"),
                                          QStringLiteral("Main 1 4000 3000 2 128")};
    QTest::newRow("pe") << ProfileBy::Pe
                        << QStringList{QStringLiteral("PE 0 3 6000 5000 3 192"),
                                       QStringLiteral("PE 1 2 4000 4000 0 0")};
    QTest::newRow("object") << ProfileBy::Object
                            << QStringList{QStringLiteral("Main 1 4000 3000 2 128"),
                                           QStringLiteral("Ring[5] 1 3000 3000 0 0"),
                                           QStringLiteral("Ring[3] 1 1000 1000 1 64"),
                                           QStringLiteral("Ring[4] 1 1000 1000 0 0"),
                                           QStringLiteral("Ring[6] 1 1000 1000 0 0")};
}

void TestAnalyses::profiles()
{
    QFETCH(ProfileBy, by);
    QFETCH(QStringList, lines);
    const auto found = profile(*m_store, by, Progress{});
    QVERIFY(found.ok());
    QStringList text;
    double shares = 0;
    for (const ProfileLine& line : *found) {
        text << QStringLiteral("%1 %2 %3 %4 %5 %6")
                    .arg(line.name)
                    .arg(line.count)
                    .arg(line.time)
                    .arg(line.exclusive)
                    .arg(line.messages)
                    .arg(line.bytes);
        shares += line.share;
    }
    QCOMPARE(text, lines);
    QCOMPARE(shares, 1.0);
}

void TestAnalyses::utilizationAddsUp_data()
{
    QTest::addColumn<int>("stages");
    for (const int stages : {1, 2, 3, 7, 100, 8000, 9001}) QTest::addRow("%d", stages) << stages;
}

void TestAnalyses::utilizationAddsUp()
{
    QFETCH(int, stages);
    const auto usage = utilization(*m_store, stages, Progress{});
    QVERIFY(usage.ok());
    QCOMPARE(usage->total, (Usage{9000, 3500, 3500}));
    QCOMPARE(usage->perPe, (std::vector<Usage>{{5000, 1500, 1500}, {4000, 2000, 2000}}));
    QCOMPARE(usage->stageEdges.size(), std::size_t(stages) + 1);
    QCOMPARE(usage->stageEdges.front(), 1000);
    QCOMPARE(usage->stageEdges.back(), 9000);
    Usage sum;
    for (const Usage& stage : usage->perStage) {
        QVERIFY(stage.user >= 0 && stage.idle >= 0 && stage.overhead >= 0);
        sum.user += stage.user;
        sum.idle += stage.idle;
        sum.overhead += stage.overhead;
    }
    QCOMPARE(sum, usage->total);
}

void TestAnalyses::stagesOfTheSmallTrace()
{
    const auto one = utilization(*m_store, 1, Progress{});
    QVERIFY(one.ok());
    QVERIFY(one->stagesAreExact);
    const auto none = utilization(*m_store, 0, Progress{});
    QVERIFY(none.ok());
    QVERIFY(none->perStage.empty());
    QCOMPARE(none->total.sum(), 16000);
}

void TestAnalyses::everyIssueHasASentence()
{
    for (const char* kind : {edgeClamped, edgeDropped, tieCycle, taskTrimmed})
        QVERIFY(sentenceFor({}, {QLatin1String(kind), 1, {}}).endsWith(QLatin1Char('.')));
    const Issue imported{issueIdentifier(IssueKind::MissingLog), 1, {}};
    QCOMPARE(sentenceFor({}, imported), issueSentence(imported.kind));
}

void TestAnalyses::healthOfAGoodTrace()
{
    const Health found = health(*m_store, *m_results->paths->graph, *m_results->paths->workAtOrder,
                                *m_results->paths->elapsed);
    QCOMPARE(found.trust, Trust::Good);
    QCOMPARE(found.receiveTimes, 3);
    QCOMPARE(found.receiveTimesEstimated, 3);
    QCOMPARE(found.doubtfulPathShare, 0.0);
    QCOMPARE(found.issues.size(), std::size_t(1));
    QVERIFY(
        found.verdict.startsWith(QStringLiteral("Totals are exact. The split of waiting into network and queue is "
                                                "estimated: the log has no arrival times")));
}

void TestAnalyses::healthOfABadTrace()
{
    const auto store = write(QStringLiteral("bad.longpole"), [](TraceWriter& writer) {
        addSmallDefinitions(writer);
        writeSmallEvents(writer);
        const QString name = QStringLiteral("PE 2");
        writer.add(Track{.id = TrackId{12}, .parent = TrackId{1}, .name = name, .pe = ProcessorId{2}});
        writer.add(Processor{.pe = ProcessorId{2}, .track = TrackId{12}, .name = name, .hasLog = false});
        writer.add(Issue{issueIdentifier(IssueKind::MissingLog), 1, QStringLiteral("ring.2.log")});
        writer.add(Issue{issueIdentifier(IssueKind::NegativeLatency), 4, QStringLiteral("task 0:2")});
    });
    QVERIFY(store != nullptr);
    const Health found = health(*store, *m_results->paths->graph, *m_results->paths->workAtOrder,
                                *m_results->paths->elapsed);
    QCOMPARE(found.trust, Trust::Poor);
    QCOMPARE(found.missingLogs, (std::vector<ProcessorId>{ProcessorId{2}}));
    QCOMPARE(found.negativeLatencies, 4);
    QVERIFY(found.verdict.contains(QStringLiteral("1 of 2 PEs has no log")));
    QCOMPARE(found.issues.size(), std::size_t(3));
    QCOMPARE(found.issues[0].issue.count, 5);
}

void TestAnalyses::findingsComeInTheOrderOfTheList()
{
    QStringList ids;
    for (const Finding& found : m_results->findings) {
        ids << found.id;
        QVERIFY(!found.title.isEmpty());
        QVERIFY(found.notEvaluated.isEmpty());
        QVERIFY(found.hasMain() || found.hasAppendix());
        const QRegularExpression leftOver(QStringLiteral("%[0-9]"));
        for (const QString& paragraph : found.paragraphs + found.appendix.paragraphs)
            QVERIFY2(!paragraph.contains(leftOver), qPrintable(paragraph));
    }
    QCOMPARE(ids,
             (QStringList{QStringLiteral("advice"), QStringLiteral("run"), QStringLiteral("health"),
                          QStringLiteral("utilization"), QStringLiteral("entries"), QStringLiteral("critical-path"),
                          QStringLiteral("what-if"), QStringLiteral("parallelism"), QStringLiteral("phases"),
                          QStringLiteral("tree"), QStringLiteral("not-evaluated")}));
}

void TestAnalyses::tablesHaveACellForEveryColumn()
{
    int tables = 0;
    for (const Finding& found : m_results->findings)
        for (const TableData& table : found.appendix.tables) {
            ++tables;
            for (const std::vector<QVariant>& row : table.rows) QCOMPARE(row.size(), table.columns.size());
        }
    QCOMPARE(tables, 14);
}

void TestAnalyses::criticalPathSaysModeAndLevel()
{
    const Finding& found = finding(QStringLiteral("critical-path"));
    // A run with nothing to advise says it in the appendix.
    QVERIFY(!found.hasMain());
    const QStringList& said = found.appendix.paragraphs;
    QCOMPARE(said[0], QStringLiteral("This work needs at least 5 us (62.5 % of the run), however it is scheduled."));
    QVERIFY(said[1].startsWith(QStringLiteral("With each PE's task order kept, the limit is ")));
    QVERIFY2(said[2].contains(
                 QStringLiteral("56.3 % work, 18.8 % network, 0.0 % queue, 25.0 % overhead, 0.0 % unexplained")),
             qPrintable(said[2]));
    QVERIFY(said.contains(QStringLiteral("The message chain (edges messages) has 2 steps on 1 PE.")));
    QCOMPARE(found.appendix.figures.size(), std::size_t(1));
    QVERIFY(found.appendix.figures[0].withPath);
    const JsonValue paths = resultOf(found);
    QCOMPARE(paths.size(), std::size_t(4));
    QCOMPARE(integerOf(paths[0], "length_ns", -1), 5000);
    QCOMPARE(textOf(paths[1], "edges"), QStringLiteral("merges"));
    QCOMPARE(integerOf(paths[3], "length_ns", -1), 8000);
}

void TestAnalyses::whatIfSaysGainAndWhatFollows()
{
    const Finding& found = finding(QStringLiteral("what-if"));
    const JsonValue said = resultOf(found);
    const std::int64_t length = integerOf(said, "length_ns", -1);
    QCOMPARE(length, m_results->paths->workAtOrder->length);
    const JsonValue& zeroing = listOf(said, "zeroing");
    QCOMPARE(zeroing.size(), std::size_t(2));
    for (const JsonValue& row : zeroing) QCOMPARE(integerOf(row, "net_ns", -1) + integerOf(row, "gain_ns", -1), length);
    QCOMPARE(integerOf(listOf(said, "near_critical").at(0), "slack_ns", -1), 0);
}

void TestAnalyses::emptyTraceIsNotEvaluated()
{
    const auto store = write(QStringLiteral("empty.longpole"),
                             [](TraceWriter& writer) { writer.setInfo(TraceInfo{}); });
    QVERIFY(store != nullptr);
    const auto results = asked(store, AnalysesQuestion{});
    QVERIFY(results.ok());
    const QStringList needsTasks{QStringLiteral("utilization"),   QStringLiteral("entries"),
                                 QStringLiteral("critical-path"), QStringLiteral("what-if"),
                                 QStringLiteral("parallelism"),   QStringLiteral("phases")};
    for (const Finding& found : (*results)->findings)
        QCOMPARE(!found.notEvaluated.isEmpty(), needsTasks.contains(found.id));
}

void TestAnalyses::cancelledAnalyse()
{
    Progress progress;
    progress.cancel();
    const auto results = asked(m_store, AnalysesQuestion{}, progress);
    QVERIFY(!results.ok());
    QVERIFY(wasCancelled(results.error()));
}

LONGPOLE_TEST(TestAnalyses)
#include "tst_analyses.moc"
