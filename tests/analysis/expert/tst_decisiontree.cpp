// SPDX-License-Identifier: GPL-3.0-or-later
// The decision tree: a planted defect leads, a balanced run fires nothing, real programs are told what their authors
// would be, and what has to hold of every tree.
#include "analysis/base/thresholdkeys.h"
#include "analysis/expert/facts.h"
#include "analysis/expertinputs.h"
#include "analysis/realtraces.h"
#include "analysis/statistics/objectloads.h"
#include "analysis/waiting/sqltables.h"
#include "core/sql/sqlsession.h"
#include "importers/common/importer.h"
#include "support/machines/plantedruns.h"
#include "support/maderun.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <random>

using namespace longpole;

namespace {

QStringList firedLeaves(const DecisionTree& tree)
{
    QStringList leaves;
    for (const TreeNode& node : tree.nodes)
        if (!node.letter.isEmpty() && node.verdict == Verdict::Fired) leaves << node.id;
    return leaves;
}

bool isThresholdKey(const QString& key)
{
    return std::any_of(thresholdKeys().begin(), thresholdKeys().end(), [&key](const ThresholdKey& known) {
        return key == QLatin1String(known.section)
               || key == QLatin1String(known.section) % QLatin1Char('.') % QLatin1String(known.key);
    });
}

// Nothing, or what is wrong with a node.
QString wrongWith(const DecisionTree& tree, const TreeNode& node, const TraceStore& store)
{
    if (node.question.isEmpty() || node.why.isEmpty()) return QStringLiteral("no words");
    if (node.why.contains(QStringLiteral("()")) || node.change.contains(QStringLiteral("()")))
        return QStringLiteral("empty brackets");
    if (node.why.contains(QLatin1Char('%') % QLatin1Char('1')))
        return QStringLiteral("a figure is missing: ") % node.why;
    if (!node.parent.isEmpty()) {
        const TreeNode* parent = tree.find(node.parent);
        if (parent == nullptr || parent >= &node) return QStringLiteral("no parent before it");
        if (node.verdict != Verdict::NotJudged && node.severity > parent->severity)
            return QStringLiteral("costs more than its parent");
        if (node.verdict == Verdict::Fired && parent->verdict == Verdict::NotFollowed)
            return QStringLiteral("below what is not followed");
    }
    if (node.severity < 0 || node.share < 0 || node.share > 1) return QStringLiteral("severity");
    for (const NodeTest& test : node.tests)
        if (test.metric.isEmpty() || (!test.key.isEmpty() && !isThresholdKey(test.key)))
            return QStringLiteral("key ") % test.key;
    if (node.verdict == Verdict::NotJudged && node.needs.isEmpty()) return QStringLiteral("says not what it needs");
    const bool isJudged = node.verdict == Verdict::Fired || node.verdict == Verdict::NotFired;
    if (isJudged && (node.tests.empty() || node.change.isEmpty())) {
        if (node.tests.empty()) return QStringLiteral("no test");
        if (node.verdict == Verdict::Fired) return QStringLiteral("nothing would change it");
    }
    if (!node.letter.isEmpty() && node.verdict == Verdict::Fired && (node.advice.isEmpty() || node.evidence.empty()))
        return QStringLiteral("no advice or evidence");
    for (const Evidence& evidence : node.evidence) {
        if (store.processor(evidence.pe) == nullptr || evidence.range.end < evidence.range.begin)
            return QStringLiteral("evidence");
        for (const TaskId task : evidence.tasks)
            if (!store.task(task)) return QStringLiteral("evidence of a task that is not there");
    }
    return {};
}

void checkTree(const DecisionTree& tree, const std::shared_ptr<const TraceStore>& store)
{
    const auto results = std::make_shared<Results>(store);
    QCOMPARE(tree.nodes.size(), std::size_t{17});
    for (const TreeNode& node : tree.nodes) {
        const QString wrong = wrongWith(tree, node, *store);
        QVERIFY2(wrong.isEmpty(), qPrintable(node.id % QStringLiteral(": ") % wrong));
    }
    for (const QString& id : tree.path) QCOMPARE(tree.find(id)->verdict, Verdict::Fired);
    // Whoever lost more than the leaf that leads is named there.
    if (const TreeNode* leads = tree.path.empty() ? nullptr : tree.find(tree.path.back());
        leads && !leads->letter.isEmpty())
        for (const TreeNode& node : tree.nodes)
            if (!node.letter.isEmpty() && node.verdict == Verdict::Fired && node.severity > leads->severity)
                QVERIFY2(leads->why.contains(QStringLiteral(" lost ")), qPrintable(leads->why));
    if (store->hasEvents()) QCOMPARE(tree.idle.sum(), store->info().idle);
    const auto session = SqlSession::open(store, waitingTables(results));
    QVERIFY(session.ok());
    for (const Advice& advice : tree.advice) {
        QVERIFY2(!advice.title.isEmpty() && !advice.verdict.isEmpty() && !advice.action.isEmpty(),
                 qPrintable(advice.id));
        QVERIFY2(!advice.title.contains(QLatin1String("%1")) && !textOf(advice).contains(QLatin1String("%1")),
                 qPrintable(textOf(advice)));
        QVERIFY(advice.confidence > 0 && advice.confidence <= 1);
        QVERIFY(advice.bound.value_or(0) >= 0 && advice.bound.value_or(0) <= store->info().duration());
        QCOMPARE(tree.find(advice.node)->verdict, Verdict::Fired);
        int rows = 0;
        const Result<> ran = (*session)->run(
            advice.sql, [](const QStringList&) {}, [&rows](std::span<const QVariant>) { return ++rows < 100; },
            Progress{});
        QVERIFY2(ran.ok(), ran ? "" : qPrintable(advice.sql % toText(ran.error())));
        QVERIFY2(rows > 0, qPrintable(advice.sql));
    }
}

}  // namespace

class TestDecisionTree : public QObject {
    Q_OBJECT
    RealTraces m_traces;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void aPlantedDefectLeads_data()
    {
        QTest::addColumn<int>("run");
        QTest::addColumn<int>("pes");
        QTest::addColumn<bool>("hasReceiveTimes");
        for (std::size_t i = 0; i < plantedRuns().size(); ++i)
            for (const int pes : {4, 8, 16, 64})
                if (pes >= int(plantedRuns()[i].fewestPes))
                    QTest::addRow("%s on %d", plantedRuns()[i].name, pes) << int(i) << pes << (pes != 16);
    }
    void aPlantedDefectLeads()
    {
        QFETCH(int, run);
        QFETCH(int, pes);
        QFETCH(bool, hasReceiveTimes);
        const PlantedRun& planted = plantedRuns()[std::size_t(run)];
        QTemporaryDir folder;
        const QString source = planted.write(folder.path(), {std::uint32_t(pes), 7, hasReceiveTimes});
        const QString target = folder.filePath(QStringLiteral("planted.longpole"));
        QVERIFY(importerFor(source)->import(source, target, ImportOptions{}, Progress{}).ok());
        const auto store = TraceStore::open(target);
        QVERIFY(store.ok());
        const auto found = expertRun(*store);
        QVERIFY2(found.ok(), found ? "" : qPrintable(toText(found.error())));
        checkTree(found->tree, *store);
        if (*planted.node == '\0') {
            QCOMPARE(firedLeaves(found->tree), QStringList());
            QVERIFY(found->tree.path.empty());
            QVERIFY(found->tree.advice.empty());
            QVERIFY(found->tree.find(QStringLiteral("when"))->why.contains(QStringLiteral("nothing to look for")));
            return;
        }
        QVERIFY(!found->tree.path.empty());
        QCOMPARE(found->tree.path.back(), QString::fromLatin1(planted.node));
        QCOMPARE(found->tree.path.front(), QStringLiteral("when"));
    }

    void everyRealTreeHolds()
    {
        int seen = 0;
        for (const QString& name : RealTraces::names()) {
            const auto store = m_traces.open(name);
            QVERIFY2(store.ok(), qPrintable(name));
            const auto found = expertRun(*store);
            QVERIFY2(found.ok(), qPrintable(name));
            checkTree(found->tree, *store);
            if (QTest::currentTestFailed()) QFAIL(qPrintable(name));
            ++seen;
        }
        QVERIFY(seen > 0);
    }

    void userIdleAndOverheadAreExactInEveryStage_data()
    {
        QTest::addColumn<TimeNs>("overhead");  // of the stages looked at
        QTest::newRow("chain_and_bulk_p6") << TimeNs{691'250};
        QTest::newRow("pipeline_p6") << TimeNs{2'063'250};
    }
    void userIdleAndOverheadAreExactInEveryStage()
    {
        QFETCH(TimeNs, overhead);
        const QString name = QString::fromLatin1(QTest::currentDataTag());
        if (!RealTraces::has(name)) QSKIP("not there");
        const auto store = m_traces.open(name);
        const auto run = expertRun(*store);
        QVERIFY(run.ok());
        const Thresholds thresholds;
        const auto facts = treeFacts({*run->results, **store, *run->paths.graph, *run->paths.workAtMessages,
                                      *run->paths.workAtMerges, run->idle, run->scheduling, run->shared, run->health,
                                      thresholds},
                                     Progress{});
        QVERIFY(facts.ok());
        const ActivityGraph& graph = *run->paths.graph;
        for (std::size_t s = 0; s < facts->stages.count(); ++s) {
            const TimeRange stage = facts->stages.range(s);
            Usage all;
            for (std::size_t pe = 0; pe < facts->pes.size(); ++pe) {
                Usage own;
                for (std::uint32_t task = 0; task < graph.size(); ++task)
                    if (graph.pe[task] == index(facts->pes[pe]))
                        own.user += overlap(stage, {graph.begin[task], graph.end(task)});
                for (const TimeRange& idle : run->idle[index(facts->pes[pe])]) own.idle += overlap(stage, idle);
                own.overhead = stage.length() - own.user - own.idle;
                QCOMPARE(facts->usage(pe, s), own);
                QCOMPARE(own.sum(), stage.length());
                all = {all.user + own.user, all.idle + own.idle, all.overhead + own.overhead};
            }
            QCOMPARE(facts->perStage[s], all);
            const IdleByCause& labels = facts->labels.byStage[s];
            QCOMPARE(std::accumulate(labels.begin(), labels.end(), TimeNs{0}), all.idle);
        }
        QCOMPARE(facts->scope.usage.overhead, overhead);
        QCOMPARE(facts->scope.usage.sum(), facts->scope.length * TimeNs(facts->pes.size()));
    }

    void realProgramsAreToldWhatTheirAuthorsWouldBe_data()
    {
        QTest::addColumn<QString>("leaf");
        QTest::addColumn<QString>("words");  // of the leading node's advice
        const auto row = [](const char* name, const char* leaf, const char* words) {
            QTest::newRow(name) << QString::fromLatin1(leaf) << QString::fromLatin1(words);
        };
        row("gauss_seidel_p8", "bottleneck", "contribute_residual");
        row("chain_and_bulk_p6", "scheduling", "chain_hop");
        row("pipeline_p6", "scheduling", "stage_item");
        row("blocker_p6", "scheduling", "Split Node::big_block");
        row("shared_variables_p6", "shared_variables", "Spread the keys");
        row("wave2d_p6", "synchronization", "begin_iteration");
        row("jacobi2d_sdag_p4", "synchronization", "recvConvergeResult");
        row("stencil3d_lb_p4", "synchronization", "doStep");
        // Its processes shared cores: for 83 % of busy time they were not running, so that latency cannot be told.
        row("pingpong_net_p2", "kind", "");
        row("nqueen_p4", "parallelism", "what the run waits for");
    }
    void realProgramsAreToldWhatTheirAuthorsWouldBe()
    {
        QFETCH(QString, leaf);
        QFETCH(QString, words);
        const QString name = QString::fromLatin1(QTest::currentDataTag());
        if (!RealTraces::has(name)) QSKIP("not there");
        const auto store = m_traces.open(name);
        const auto found = expertRun(*store);
        QVERIFY(found.ok());
        QVERIFY(!found->tree.path.empty());
        QCOMPARE(found->tree.path.back(), leaf);
        QVERIFY2(found->tree.find(leaf)->advice.contains(words), qPrintable(found->tree.find(leaf)->advice));
    }

    void thresholdsDecideAndTheNodeSaysWhich()
    {
        const auto store = m_traces.open(QStringLiteral("gauss_seidel_p8"));
        QVERIFY(store.ok());
        const auto found = expertRun(*store);
        QVERIFY(found.ok());
        const TreeNode* node = found->tree.find(QStringLiteral("synchronization"));
        QVERIFY(node->change.contains(QStringLiteral("synchronization.idle_share")));
        Thresholds changed;
        changed.synchronization.idleShare = node->tests[0].value + 0.001;
        const auto other = treeOf(*found, changed);
        QVERIFY(other.ok());
        QCOMPARE(other->find(QStringLiteral("synchronization"))->verdict, Verdict::NotFired);
        QCOMPARE(other->find(QStringLiteral("synchronization"))->tests[0].value, node->tests[0].value);

        Thresholds content;  // with so little
        content.when.utilization = 0;
        content.when.exit = 0.1;
        content.when.whole = 0;
        const auto nothing = treeOf(*found, content);
        QVERIFY(nothing.ok());
        QVERIFY(nothing->path.empty());
        for (const TreeNode& below : nothing->nodes)
            QCOMPARE(below.verdict, below.id == QLatin1String("when") ? Verdict::NotFired : Verdict::NotFollowed);
        Thresholds deep;
        deep.tree.stopBelow = 0.99;
        const auto shallow = treeOf(*found, deep);
        QVERIFY(shallow.ok());
        QCOMPARE(firedLeaves(*shallow), QStringList());
    }

    void reductionsThatOneProcessorGathersAreItsBottleneckFirst()
    {
        // Once a single system is left seven processors wait while PE 5 hears of each of them for the eighth's REDN[5].
        const auto store = m_traces.open(QStringLiteral("gauss_seidel_p8"));
        QVERIFY(store.ok());
        const auto found = expertRun(*store);
        QVERIFY(found.ok());
        const DecisionTree& tree = found->tree;
        const TreeNode* bottleneck = tree.find(QStringLiteral("bottleneck"));
        QVERIFY(bottleneck->why.contains(QStringLiteral("idled for 293.1 ms while it was busy")));
        QVERIFY(bottleneck->severity > 279'000'000 && bottleneck->severity < 293'100'000);
        QCOMPARE(tree.find(QStringLiteral("synchronization"))->verdict, Verdict::Fired);
        QVERIFY(tree.find(QStringLiteral("synchronization"))->why.contains(QStringLiteral("PE 5")));
        QCOMPARE(tree.advice.front().node, QStringLiteral("bottleneck"));
        TimeNs busiest = 0, sum = 0;
        for (const Processor& processor : (*store)->processors()) {
            busiest = std::max(busiest, processor.busy);
            sum += processor.busy;
        }
        const TimeNs duration = (*store)->info().duration();
        // Overlap moves no work; a divided bottleneck does.
        for (const Advice& advice : tree.advice) {
            if (advice.node == QLatin1String("synchronization")) QCOMPARE(advice.bound.value_or(0), duration - busiest);
            if (advice.node == QLatin1String("bottleneck")) QCOMPARE(advice.bound.value_or(0), duration - sum / 8);
        }
        // Both of E's conditions are met, but nothing is of use: that is no cause.
        const TreeNode* scheduling = tree.find(QStringLiteral("scheduling"));
        QVERIFY(scheduling->tests[0].fired && scheduling->tests[1].fired);
        QCOMPARE(scheduling->verdict, Verdict::NotFired);
        QVERIFY(scheduling->why.contains(QStringLiteral("nothing that was tried helps")));
    }

    void tasksAtOnceAreThoseOfThePathAtMerges()
    {
        const QString name = QStringLiteral("jacobi2d_sdag_p4");
        if (!RealTraces::has(name)) QSKIP("not there");
        const auto store = m_traces.open(name);
        const auto found = expertRun(*store);
        QVERIFY(found.ok());
        const NodeTest& test = found->tree.find(QStringLiteral("parallelism"))->tests[1];
        QCOMPARE(test.key, QStringLiteral("parallelism.per_processor"));
        QCOMPARE(test.value, double((*store)->info().busy) / double(found->paths.workAtMerges->length) / 4);
        QVERIFY(std::abs(test.value - 1.45) < 0.01 && test.fired);
    }

    void oneProcessorHasNothingToShare()
    {
        MadeRun made;
        for (int i = 0; i < 20; ++i) made.start(0, 1000 * i, 1000 * i + 300, Bulk, 1);
        const auto store = made.import();
        QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
        const auto found = expertRun(*store);
        QVERIFY(found.ok());
        checkTree(found->tree, *store);
        const TreeNode* where = found->tree.find(QStringLiteral("where"));
        QCOMPARE(where->verdict, Verdict::NotJudged);
        QVERIFY(where->needs.contains(QStringLiteral("a second PE")));
    }

    void withoutMessagesNodesSayWhatIsMissing()
    {
        MadeRun made;
        for (int i = 0; i < 20; ++i) made.start(i % 2, 1000 * i, 1000 * i + 300, Bulk, i);
        const auto store = made.import();
        QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
        const auto found = expertRun(*store);
        QVERIFY(found.ok());
        checkTree(found->tree, *store);
        QCOMPARE(found->tree.find(QStringLiteral("when"))->verdict, Verdict::Fired);
    }

    void aShortRunIsNotJudged()
    {
        MadeRun made;
        made.start(0, 0, 300, Bulk, 1);
        made.start(1, 0, 900, Bulk, 1);
        const auto store = made.import();
        QVERIFY(store.ok());
        const auto found = expertRun(*store);
        QVERIFY(found.ok());
        checkTree(found->tree, *store);
        QCOMPARE(found->tree.find(QStringLiteral("when"))->verdict, Verdict::NotJudged);
        QVERIFY(found->tree.find(QStringLiteral("when"))->why.contains(QStringLiteral("too short")));
        QCOMPARE(firedLeaves(found->tree), QStringList());
    }

    void aSummaryTellsWhenWhereAndWhat()
    {
        const QString folder = RealTraces::folder(QStringLiteral("stencil3d_summary_p4"));
        QTemporaryDir target;
        const QString file = target.filePath(QStringLiteral("s.longpole"));
        QVERIFY(importerFor(folder)->import(folder, file, ImportOptions{}, Progress{}).ok());
        const auto store = TraceStore::open(file);
        const auto found = expertRun(*store);
        QVERIFY2(found.ok(), found ? "" : qPrintable(toText(found.error())));
        checkTree(found->tree, *store);
        QCOMPARE(firedLeaves(found->tree), QStringList());
        QVERIFY(found->tree.find(QStringLiteral("when"))->verdict != Verdict::NotJudged);
        QCOMPARE(found->tree.find(QStringLiteral("latency"))->verdict, Verdict::NotJudged);
    }

    void cancelled()
    {
        const auto store = m_traces.open(QStringLiteral("gauss_seidel_p8"));
        const auto found = expertRun(*store);
        Progress progress;
        progress.cancel();
        QVERIFY(!treeOf(*found, Thresholds{}, progress).ok());
    }

    void objectsMoveWhileTheMaximumFalls()
    {
        const std::vector<ProcessorId> pes{ProcessorId{0}, ProcessorId{1}, ProcessorId{2}};
        const auto object = [](std::uint32_t pe, TimeNs time, bool canMove) {
            return ObjectLoad{.pe = ProcessorId{pe},
                              .chare = ChareId{0},
                              .objectIndex = {},
                              .time = time,
                              .tasks = 1,
                              .canMove = canMove};
        };
        // 10 = 6 + 3 + 1 (that stays), 4, 1: the six goes to PE 2 (4 4 7), then nothing of 7 helps but itself.
        const std::vector<ObjectLoad> objects{object(0, 6, true), object(0, 3, true), object(0, 1, false)};
        std::vector<TimeNs> loads{10, 4, 1};
        const auto moved = greedyMoves(loads, objects, pes);
        QCOMPARE(moved, (std::vector<std::size_t>{0}));
        QCOMPARE(loads, (std::vector<TimeNs>{4, 4, 7}));
        std::vector<TimeNs> fixed{10, 4, 1};
        QVERIFY(greedyMoves(fixed, std::vector{object(0, 10, false)}, pes).empty());
        QCOMPARE(fixed[0], TimeNs{10});

        // Always the first object of the first PE with most that makes its PE's load smaller than the other's becomes.
        std::mt19937 random(5);
        for (int run = 0; run < 200; ++run) {
            std::vector<ObjectLoad> some;
            std::vector<TimeNs> own(pes.size(), 0);
            for (int i = 0; i < 40; ++i) {
                some.push_back(object(random() % 3, random() % 20, random() % 4 > 0));
                own[index(some.back().pe)] += some.back().time;
            }
            std::vector<std::vector<std::size_t>> on(pes.size());
            for (std::size_t i = 0; i < some.size(); ++i)
                if (some[i].canMove) on[index(some[i].pe)].push_back(i);
            std::vector<TimeNs> expected = own;
            std::vector<std::size_t> order;
            while (order.size() < some.size()) {
                const auto most = std::size_t(std::max_element(expected.begin(), expected.end()) - expected.begin());
                const auto least = std::size_t(std::min_element(expected.begin(), expected.end()) - expected.begin());
                const auto next = std::find_if(on[most].begin(), on[most].end(), [&](std::size_t i) {
                    return some[i].time > 0 && expected[least] + some[i].time < expected[most];
                });
                if (next == on[most].end()) break;
                order.push_back(*next);
                expected[most] -= some[*next].time;
                expected[least] += some[*next].time;
                on[least].push_back(*next);
                on[most].erase(next);
            }
            QCOMPARE(greedyMoves(own, some, pes), order);
            QCOMPARE(own, expected);
        }

        // Two thirds of many objects go, behind as many that take no time.
        constexpr std::size_t many = 200'000;
        std::vector<ObjectLoad> all(many, object(0, 0, true));
        all.resize(2 * many, object(0, 1, true));
        std::vector<TimeNs> own{TimeNs{many}, 0, 0};
        const std::clock_t start = std::clock();
        QCOMPARE(greedyMoves(own, all, pes).size(), many * 2 / 3);
        QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 3);
    }
};

LONGPOLE_TEST(TestDecisionTree)
#include "tst_decisiontree.moc"
