// SPDX-License-Identifier: GPL-3.0-or-later
// Critical paths of real traces: what must hold on each, and Charm++'s own critical path as a reference from outside.
#include "analysis/asked.h"
#include "analysis/paths/nearcritical.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/paths/slack.h"
#include "analysis/report/analyses.h"
#include "analysis/statistics/profile.h"
#include "analysis/statistics/utilization.h"
#include "analysis/whatif/zeroing.h"
#include "core/store/rows.h"

#include "analysis/realtraces.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>

using namespace longpole;

class TestRealPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void whatMustHold_data();
    void whatMustHold();
    void queueIsNoIdling_data() { whatMustHold_data(); }
    void queueIsNoIdling();
    void charmsOwnCriticalPath();
    void pathRunsThroughDaggerBlocks();
    void reportNamesTheDelayedChain();

private:
    RealTraces m_traces;
};

namespace {

TimeNs realProfileSum(const CriticalPath& path)
{
    TimeNs sum = 0;
    for (const PathProfileRow& row : path.profile) sum += row.time;
    return sum;
}

TimeNs weightSum(const CriticalPath& path)
{
    TimeNs sum = 0;
    for (const PathStep& step : path.steps) sum += step.weight();
    return sum;
}

bool isInside(const CriticalPath& path, TimeRange run)
{
    return std::all_of(path.steps.begin(), path.steps.end(),
                       [run](const PathStep& step) { return step.begin >= run.begin && step.end <= run.end; });
}

bool isContiguous(const CriticalPath& path, TimeRange range)
{
    TimeNs at = range.begin;
    for (const PathStep& step : path.steps) {
        if (step.begin != at) return false;
        at = step.end;
    }
    return at == range.end;
}

// The path's tasks have slack 0, and no task has less.
bool hasNoSlackOn(const CriticalPath& path, const ActivityGraph& graph, EdgeLevel edges)
{
    const auto slack = slackOfTasks(graph, {path.mode, dependencies(graph, edges)}, nullptr, Progress{});
    if (!slack || (*slack)->length != path.length) return false;
    const std::vector<TimeNs>& values = (*slack)->slack;
    return std::all_of(values.begin(), values.end(), [](TimeNs value) { return value >= 0; })
           && std::all_of(path.steps.begin(), path.steps.end(), [&](const PathStep& step) {
                  return !step.task.isValid() || values[graph.find(step.task)] == 0;
              });
}

// Of the near-critical paths it is the first, the others come by their length, and each has a fifth of its own.
bool isFirstOfNearCritical(const CriticalPath& path, const ActivityGraph& graph)
{
    const WhatIfModel model{path.mode, dependencies(graph, path.edges)};
    const WorkHeads heads = workHeads(graph, model.edges, Progress{});
    const auto slack = slackOfTasks(graph, model, &heads, Progress{});
    const auto paths = nearCriticalPaths(graph, model, **slack, heads, {}, Progress{});
    if (!paths || paths->empty() || paths->front().path->steps != path.steps) return false;
    const bool isOrdered = std::is_sorted(paths->begin(), paths->end(),
                                          [](const auto& a, const auto& b) { return a.slack < b.slack; });
    return isOrdered && std::all_of(paths->begin(), paths->end(), [&path](const NearCriticalPath& found) {
               return found.path->length + found.slack == path.length && weightSum(*found.path) == found.path->length
                      && 5 * found.distinct >= found.path->length;
           });
}

// A line of critical-path.txt: "0: pe 0 ep 17 start 0.264878 local 0.000002 preceding ...".
struct CharmStep {
    std::uint32_t pe = 0;
    std::uint32_t entry = 0;
    TimeNs begin = 0;
    TimeNs local = 0;
};

// The steps that carry time and lie after the start-up, oldest first.
std::vector<CharmStep> charmSteps(const QString& path)
{
    QFile file(path);
    std::vector<CharmStep> steps;
    if (!file.open(QIODevice::ReadOnly)) return steps;
    for (const QByteArray& line : file.readAll().split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.size() < 9 || words[1] != "pe" || words[4].toInt() < 0) continue;
        const CharmStep step{words[2].toUInt(), words[4].toUInt(), qRound64(words[6].toDouble() * 1e9),
                             qRound64(words[8].toDouble() * 1e9)};
        if (step.local > 0) steps.insert(steps.begin(), step);
    }
    return steps;
}

// At factor one nothing changes, and no entry method gains more than it has on the path.
bool isBoundForGains(const CriticalPath& path, const ActivityGraph& graph, EdgeLevel edges)
{
    const WhatIfModel model{path.mode, dependencies(graph, edges)};
    const auto same = whatIf(graph, model, {{{EntryId{0}}, {1, 1}}}, Progress{});
    if (!same || same->front().net != path.length || same->front().gain != 0 || same->front().profile != path.profile)
        return false;
    const auto ranked = zeroing(graph, model, path, Progress{});
    return ranked && ranked->size() == path.profile.size()
           && std::all_of(ranked->begin(), ranked->end(),
                          [](const WhatIfAnswer& answer) { return answer.gain >= 0 && answer.gain <= answer.share; });
}

}  // namespace

void TestRealPaths::whatMustHold_data()
{
    QTest::addColumn<QString>("trace");
    for (const QString& name : RealTraces::names()) QTest::newRow(qPrintable(name)) << name;
    if (RealTraces::names().isEmpty()) QSKIP("no real trace lies in tests/data or beside the repository");
}

void TestRealPaths::whatMustHold()
{
    QFETCH(QString, trace);
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(trace);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    const Result<std::shared_ptr<const AnalysisResults>> results = asked(*store, AnalysesQuestion{});
    QVERIFY2(results.ok(), results ? "" : qPrintable(toText(results.error())));
    const TimeRange run = (*store)->info().range();
    const ActivityGraph& graph = *(*results)->paths->graph;
    const CriticalPath& messages = *(*results)->paths->workAtMessages;
    const CriticalPath& order = *(*results)->paths->workAtOrder;
    const CriticalPath& elapsed = *(*results)->paths->elapsed;

    QVERIFY(messages.length <= order.length);
    QVERIFY(order.length <= run.length());
    for (const std::span<const std::uint32_t> tasks : graph.byProcessor) {
        TimeNs busy = 0;
        for (const std::uint32_t task : tasks) busy += graph.duration[task];
        QVERIFY(order.length >= busy);
    }
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        QVERIFY(graph.source[i] == noTask || graph.source[i] < i);
        QVERIFY(graph.duration[i] <= std::max(messages.length, TimeNs{0}));
    }
    for (const CriticalPath* path : {&messages, &order}) {
        QCOMPARE(weightSum(*path), path->length);
        QCOMPARE(realProfileSum(*path), path->length);
        QVERIFY(isInside(*path, run));
    }
    QCOMPARE(elapsed.length, run.length());
    QCOMPARE(elapsed.parts.sum(), run.length());
    QCOMPARE(realProfileSum(elapsed), elapsed.parts.compute);
    QVERIFY(isContiguous(elapsed, run));

    QVERIFY(hasNoSlackOn(messages, graph, EdgeLevel::Messages));
    QVERIFY(hasNoSlackOn(order, graph, EdgeLevel::Order));
    QVERIFY(hasNoSlackOn(elapsed, graph, EdgeLevel::Order));
    QVERIFY(isBoundForGains(messages, graph, EdgeLevel::Messages));
    QVERIFY(isBoundForGains(order, graph, EdgeLevel::Order));
    QVERIFY(isBoundForGains(elapsed, graph, EdgeLevel::Order));
    for (const CriticalPath* path : {&messages, &order, &elapsed}) QVERIFY(isFirstOfNearCritical(*path, graph));

    const TimeRange middle{run.begin + run.length() / 3, run.begin + run.length() / 2};
    const Result<CriticalPath> part = elapsedPath(graph, middle);
    QVERIFY(part.ok());
    QCOMPARE(part->length, middle.length());
    QVERIFY(workPath(graph, Dependencies{EdgeLevel::Order}, middle)->length <= middle.length());

    for (const ProfileBy by : {ProfileBy::Entry, ProfileBy::Chare, ProfileBy::Pe, ProfileBy::Object}) {
        const auto lines = profile(**store, by, Progress{});
        QVERIFY(lines.ok());
        TimeNs exclusive = 0;
        std::int64_t count = 0;
        for (const ProfileLine& line : *lines) {
            exclusive += line.exclusive;
            count += line.count;
        }
        QCOMPARE(exclusive, (*store)->info().busy);
        QCOMPARE(count, (*store)->info().tasks);
    }
    const Result<Utilization> usage = utilization(**store, 37, Progress{});
    QVERIFY(usage.ok());
    QCOMPARE(usage->total.sum(), run.length() * (*store)->info().processors);
    Usage staged;
    for (const Usage& stage : usage->perStage) {
        staged.user += stage.user;
        staged.idle += stage.idle;
        staged.overhead += stage.overhead;
        QVERIFY(stage.overhead >= 0);
    }
    QCOMPARE(staged, usage->total);
    const auto isAsked = [](const Analysis* analysis) { return !analysis->needsRanks; };
    QCOMPARE(std::ssize((*results)->findings), std::count_if(analyses().begin(), analyses().end(), isAsked));
    for (const Finding& finding : (*results)->findings)
        QVERIFY2(!finding.paragraphs.isEmpty() || !finding.appendix.paragraphs.isEmpty()
                     || !finding.notEvaluated.isEmpty(),
                 qPrintable(finding.id));
}

// Nothing waits for its turn on a processor that was recorded idle: the tree gives such time another cause than a
// queue.
void TestRealPaths::queueIsNoIdling()
{
    QFETCH(QString, trace);
    const auto store = m_traces.open(trace);
    QVERIFY(store.ok());
    const auto path = asked(*store, PathQuestion{.mode = PathMode::Elapsed});
    QVERIFY(path.ok());
    std::map<ProcessorId, std::vector<TimeRange>> idle;
    for (const Processor& processor : (*store)->processors()) {
        auto gaps = (*store)->rows<IdleRow>(processor.track, IdleRow::All);
        for (const IdleRow& gap : gaps) idle[processor.pe].push_back(gap.range());
    }
    TimeNs both = 0;
    for (const PathStep& step : (*path)->steps) {
        if (step.part != PathPart::Queue) continue;
        for (const TimeRange& gap : idle[step.pe]) both += intersection(gap, {step.begin, step.end}).length();
    }
    QCOMPARE(both, TimeNs{0});
}

void TestRealPaths::charmsOwnCriticalPath()
{
    const QString name = QStringLiteral("cpath_p4");
    if (!RealTraces::has(name)) QSKIP("the trace cpath_p4 is not there");
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(name);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    const auto graph = loadActivityGraph(**store, Progress{});
    QVERIFY(graph.ok());
    const std::vector<CharmStep> expected = charmSteps(RealTraces::folder(name) % QLatin1String("/critical-path.txt"));
    QCOMPARE(expected.size(), std::size_t(21));

    // Its step 0: PE 0, entry 17, 264878 us.
    TaskId to;
    for (const std::uint32_t task : (*graph)->byProcessor[0]) {
        const bool isThere = std::abs((*graph)->begin[task] - 264'878'000) <= 1'000;
        if (isThere && (*graph)->entry[task] == 17) to = (*graph)->id(task);
    }
    QVERIFY(to.isValid());
    const Result<CriticalPath> path = workPath(**graph, workHeads(**graph, EdgeLevel::Messages, Progress{}), to);
    QVERIFY(path.ok());
    const std::vector<PathStep>& steps = path->steps;
    QCOMPARE(steps.size(), expected.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        QCOMPARE(index(steps[i].pe), expected[i].pe);
        QCOMPARE(index(steps[i].entry), expected[i].entry);
        QVERIFY(std::abs(steps[i].begin - expected[i].begin) <= 1'000);
        QVERIFY(std::abs(steps[i].weight() - expected[i].local) <= 3'000);
    }
    QCOMPARE(path->length, 4'187'000);
}

void TestRealPaths::pathRunsThroughDaggerBlocks()
{
    const QString name = QStringLiteral("jacobi2d_sdag_p4");
    if (!RealTraces::has(name)) QSKIP("the trace jacobi2d_sdag_p4 is not there");
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(name);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    const auto graph = loadActivityGraph(**store, Progress{});
    QVERIFY(graph.ok());
    const Result<CriticalPath> path = workPath(**graph, workHeads(**graph, EdgeLevel::Messages, Progress{}));
    QVERIFY(path.ok());
    std::size_t blocks = 0;
    for (const PathStep& step : path->steps) {
        const std::uint32_t task = (*graph)->find(step.task);
        if (step.edge == PathEdge::Message && ((*graph)->flags[task] & ActivityGraph::BlockEdge) != 0) ++blocks;
    }
    QVERIFY(blocks > path->steps.size() / 4);
}

// With high priority on chain_hop this program really became 37 % faster.
void TestRealPaths::reportNamesTheDelayedChain()
{
    const QString name = QStringLiteral("chain_and_bulk_p6");
    if (!RealTraces::has(name)) QSKIP("the trace chain_and_bulk_p6 is not there");
    const Result<std::shared_ptr<const TraceStore>> store = m_traces.open(name);
    QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
    const Result<std::shared_ptr<const AnalysisResults>> results = asked(*store, AnalysesQuestion{});
    QVERIFY(results.ok());
    const auto& findings = (*results)->findings;
    const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.id == QLatin1String("critical-path");
    });
    QVERIFY(found != findings.end());
    const QString text = found->paragraphs.join(QLatin1Char('\n'));
    QVERIFY2(text.contains(QStringLiteral("Worker::chain_hop stands out")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("the rest ran before it on its PEs")), qPrintable(text));
}

LONGPOLE_TEST(TestRealPaths)
#include "tst_realpaths.moc"
