// SPDX-License-Identifier: GPL-3.0-or-later
// Near-critical paths against going through all paths with the same marking rule, and where many are nearly as long.
#include "analysis/paths/nearcritical.h"

#include "analysis/paths/distinctpaths.h"
#include "support/graphs/allpaths.h"
#include "support/graphs/closedforms.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

#include <ctime>
#include <set>
#include <tuple>

using namespace longpole;

class TestNearCritical : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void closedForms_data();
    void closedForms();
    void elapsedPathWithAHole();
    void randomGraphs_data();
    void randomGraphs();
    void firstIsTheCriticalPath();
    void stepsAddUp();
    void patienceDoesNotMatter();
    void manyLeavesOnALongDetour();
    void manyLeavesBehindManyMerges();
    void emptyGraph();
    void errors();
};

namespace {

WhatIfModel chainModel(const ActivityGraph& graph, int kind)
{
    if (kind == 3) return {.mode = PathMode::Elapsed, .edges = {}};
    return {.mode = PathMode::Work, .edges = dependencies(graph, static_cast<EdgeLevel>(kind))};
}

std::vector<NearCriticalPath> nearCritical(const ActivityGraph& graph, const WhatIfModel& model,
                                           const NearCriticalOptions& options)
{
    const WorkHeads heads = workHeads(graph, model.edges, Progress{});
    const auto slack = slackOfTasks(graph, model, &heads, Progress{});
    const auto paths = nearCriticalPaths(graph, model, **slack, heads, options, Progress{});
    return paths ? *paths : std::vector<NearCriticalPath>();
}

// Of all paths through a task the longest, with the rule for equal ones: from the task back the first of message,
// merges by source, order; from the task on to where it can end, else to the first task, over the first of the same.
class Oracle {
public:
    Oracle(const ActivityGraph& graph, const WhatIfModel& model)
        : m_paths(allPaths(graph, model)), m_isElapsed(model.mode == PathMode::Elapsed),
          m_after(m_isElapsed ? delayAfterLastEnd(graph) : 0)
    {
        for (const OraclePath& path : m_paths) m_length = std::max(m_length, path.weight);
    }

    TimeNs length() const { return m_length; }

    OraclePath through(std::uint32_t task) const
    {
        const OraclePath* best = nullptr;
        for (const OraclePath& path : m_paths)
            if (placeOf(path, task) < path.steps.size() && (!best || isBefore(path, *best, task))) best = &path;
        return withoutLightBegin(*best);
    }

    // Its weight on tasks that are not taken.
    TimeNs distinct(const OraclePath& path, const std::set<std::uint32_t>& taken) const
    {
        TimeNs sum = taken.contains(path.steps.front().task) ? 0 : m_after;
        for (const OraclePath::Step& step : path.steps)
            if (!taken.contains(step.task)) sum += step.used + step.delay;
        return sum;
    }

private:
    static std::size_t placeOf(const OraclePath& path, std::uint32_t task)
    {
        const auto found = std::find_if(path.steps.begin(), path.steps.end(),
                                        [task](const OraclePath::Step& step) { return step.task == task; });
        return static_cast<std::size_t>(found - path.steps.begin());
    }

    static std::vector<std::uint32_t> choices(const OraclePath& path, std::uint32_t task)
    {
        constexpr auto rank = [](PathEdge edge) -> std::uint32_t {
            if (edge == PathEdge::Message) return 0;
            if (edge == PathEdge::RecordedMerge) return 1;
            return edge == PathEdge::Order ? 2 : 3;
        };
        std::vector<std::uint32_t> made;
        const std::size_t place = placeOf(path, task);
        for (std::size_t i = place; i < path.steps.size(); ++i) {
            made.push_back(rank(path.steps[i].edge));
            made.push_back(i + 1 < path.steps.size() ? path.steps[i + 1].task : 0);
        }
        for (std::size_t i = place; i-- > 0;) {
            made.push_back(path.steps[i].task + 1);
            made.push_back(rank(path.steps[i].edge));
        }
        made.push_back(0);
        return made;
    }

    static bool isBefore(const OraclePath& a, const OraclePath& b, std::uint32_t task)
    {
        if (a.weight != b.weight) return a.weight > b.weight;
        return choices(a, task) < choices(b, task);
    }

    // A work path starts where it first carries time.
    OraclePath withoutLightBegin(OraclePath path) const
    {
        if (!m_isElapsed)
            while (path.steps.size() > 1 && path.steps.back().used == 0) path.steps.pop_back();
        return path;
    }

    std::vector<OraclePath> m_paths;
    bool m_isElapsed;
    TimeNs m_after;
    TimeNs m_length = 0;
};

// What a path is, for comparison: length, slack, distinct, tasks.
using Plain = std::tuple<TimeNs, TimeNs, TimeNs, std::vector<std::uint32_t>>;

std::vector<Plain> byEnumeration(const ActivityGraph& graph, const WhatIfModel& model, std::uint32_t end,
                                 const NearCriticalOptions& options)
{
    const Oracle oracle(graph, model);
    std::set<std::uint32_t> taken;
    std::vector<Plain> found;
    const auto report = [&](const OraclePath& path) {
        std::vector<std::uint32_t> tasks;
        for (const OraclePath::Step& step : path.steps) tasks.push_back(step.task);
        found.emplace_back(path.weight, oracle.length() - path.weight, oracle.distinct(path, taken), tasks);
        taken.insert(tasks.begin(), tasks.end());
    };
    report(oracle.through(end));
    std::vector<std::pair<TimeNs, std::uint32_t>> candidates;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        candidates.emplace_back(oracle.length() - oracle.through(i).weight, i);
    std::sort(candidates.begin(), candidates.end());
    for (const auto& [slack, task] : candidates) {
        if (found.size() == options.count
            || static_cast<double>(slack) > options.slackShare * static_cast<double>(oracle.length()))
            break;
        if (taken.contains(task)) continue;
        const OraclePath path = oracle.through(task);
        const TimeNs distinct = oracle.distinct(path, taken);
        if (distinct > 0 && static_cast<double>(distinct) >= options.distinctShare * static_cast<double>(path.weight))
            report(path);
    }
    return found;
}

Plain plain(const ActivityGraph& graph, const NearCriticalPath& found)
{
    std::vector<std::uint32_t> tasks;
    for (auto step = found.path->steps.rbegin(); step != found.path->steps.rend(); ++step)
        if (step->part == PathPart::Compute) tasks.push_back(graph.find(step->task));
    return {found.path->length, found.slack, found.distinct, tasks};
}

QString text(const std::vector<Plain>& paths)
{
    QStringList words;
    for (const auto& [length, slack, distinct, tasks] : paths) {
        QString list;
        for (const std::uint32_t task : tasks) list += QString::number(task) + QLatin1Char('<');
        words << QStringLiteral("%1 %2/%3/%4").arg(list).arg(length).arg(slack).arg(distinct);
    }
    return words.join(QStringLiteral(", "));
}

QString text(const Drawing& drawn, const std::vector<NearCriticalPath>& paths)
{
    QStringList words;
    for (const NearCriticalPath& found : paths) {
        QString names;
        for (const PathStep& step : found.path->steps)
            if (step.part == PathPart::Compute) names += QLatin1Char(drawn.nameOf(step.task));
        words << QStringLiteral("%1 %2/%3/%4").arg(names).arg(found.path->length).arg(found.slack).arg(found.distinct);
    }
    return words.join(QStringLiteral(", "));
}

}  // namespace

void TestNearCritical::closedForms_data()
{
    QTest::addColumn<QString>("drawing");
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("slackShare");
    QTest::addColumn<QString>("paths");  // tasks, length, slack, distinct
    const auto row = [](const char* name, const char* drawing, int kind, double slackShare, const char* paths) {
        QTest::newRow(name) << QString::fromUtf8(drawing) << kind << slackShare << QString::fromUtf8(paths);
    };
    row("C1", closedform::c1, 0, 0.1, "AB 12/0/12, CD 11/1/11");
    row("C1, not so far", closedform::c1, 0, 0.05, "AB 12/0/12");
    row("C2", closedform::c2, 0, 0.1, "2D 13/0/13, 1B 12/1/12");
    // Of R-W1-J only the 5 of W1 is its own, of R-W3-J the 4 of W3; R-W0-J has 3 of 5.
    row("C3", closedform::c3, 1, 1.0, "R2J 10/0/10, R1J 7/3/5, R3J 7/3/4, R0J 5/5/3");
    row("C4", closedform::c4, 1, 1.0, "ABD 11/0/11, ACD 10/1/2");
    row("C5", closedform::c5, 1, 1.0, "2W 8/0/8, PW 6/2/4, SW 5/3/3");
    row("C6", closedform::c6, 0, 1.0, "01234 35/0/35");
    row("C8", closedform::c8, 1, 0.1, "ADE 12/0/12, ADF 12/0/5");
    row("C9 order", closedform::c9, 2, 1.0, "N1L 18/0/18, K1L 12/6/4, KML 10/8/2");
}

void TestNearCritical::closedForms()
{
    QFETCH(QString, drawing);
    QFETCH(int, kind);
    QFETCH(double, slackShare);
    QFETCH(QString, paths);
    const Drawing drawn = draw(drawing.toUtf8().constData());
    const auto graph = drawn.graph();
    QCOMPARE(text(drawn, nearCritical(*graph, chainModel(*graph, kind), {.slackShare = slackShare})), paths);
}

// K's message arrives at 5 and waits until N has ended at 10: 5 that are no part of its path.
void TestNearCritical::elapsedPathWithAHole()
{
    const Drawing drawn = draw(closedform::c9);
    const auto graph = drawn.graph();
    const auto paths = nearCritical(*graph, chainModel(*graph, 3), {.slackShare = 0.3, .distinctShare = 0.1});
    QCOMPARE(text(drawn, paths), QStringLiteral("N1L 19/0/19, K1L 14/5/4"));
    const std::vector<PathStep>& steps = paths[1].path->steps;
    QCOMPARE(steps.size(), std::size_t(5));
    QCOMPARE(steps[0].end, 4);
    QCOMPARE(steps[1].part, PathPart::Network);
    QCOMPARE(steps[1].end, 5);
    QCOMPARE(steps[2].begin, 10);
    const PathParts parts{.compute = 12, .network = 2, .queue = 0, .overhead = 0, .unexplained = 0};
    QCOMPARE(paths[1].path->parts, parts);
}

void TestNearCritical::randomGraphs_data()
{
    QTest::addColumn<unsigned>("firstSeed");
    for (unsigned first = 0; first < 500; first += 50) QTest::addRow("%u", first) << first;
}

void TestNearCritical::randomGraphs()
{
    QFETCH(unsigned, firstSeed);
    for (unsigned seed = firstSeed; seed < firstSeed + 50; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        for (int kind = 0; kind < 4; ++kind) {
            const WhatIfModel model = chainModel(*graph, kind);
            for (const NearCriticalOptions& options :
                 {NearCriticalOptions{.count = 10, .slackShare = 1.0, .distinctShare = 0.2},
                  NearCriticalOptions{.count = 3, .slackShare = 0.4, .distinctShare = 0.5},
                  NearCriticalOptions{.count = 99, .slackShare = 1.0, .distinctShare = 0.0}}) {
                const std::vector<NearCriticalPath> paths = nearCritical(*graph, model, options);
                QVERIFY(!paths.empty());
                std::vector<Plain> found;
                found.reserve(paths.size());
                for (const NearCriticalPath& path : paths) found.push_back(plain(*graph, path));
                QCOMPARE(text(found), text(byEnumeration(*graph, model, graph->find(paths.front().path->to), options)));
            }
        }
    }
}

void TestNearCritical::firstIsTheCriticalPath()
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        for (int kind = 0; kind < 4; ++kind) {
            const WhatIfModel model = chainModel(*graph, kind);
            const auto path = kind == 3 ? elapsedPath(*graph)
                                        : workPath(*graph, workHeads(*graph, model.edges, Progress{}));
            QVERIFY(path.ok());
            const CriticalPath first = *nearCritical(*graph, model, {.count = 1}).front().path;
            QCOMPARE(first.steps, path->steps);
            QCOMPARE(first.profile, path->profile);
            QCOMPARE(first.parts, path->parts);
            QCOMPARE(first.to, path->to);
            QCOMPARE(first.length, path->length);
            QCOMPARE(first.duration, path->duration);
            QCOMPARE(first.doubtfulWeight, path->doubtfulWeight);
            QCOMPARE(first.edges, path->edges);
        }
    }
}

void TestNearCritical::stepsAddUp()
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        for (int kind = 0; kind < 4; ++kind)
            for (const NearCriticalPath& found :
                 nearCritical(*graph, chainModel(*graph, kind), {.slackShare = 1.0, .distinctShare = 0.0})) {
                TimeNs sum = 0, profile = 0, holes = 0, at = graph->run.begin;
                for (const PathStep& step : found.path->steps) {
                    sum += step.weight();
                    holes += step.begin - at;
                    at = step.end;
                }
                for (const PathProfileRow& row : found.path->profile) profile += row.time;
                QCOMPARE(sum, found.path->length);
                QCOMPARE(found.path->parts.sum(), sum);
                QCOMPARE(profile, found.path->parts.compute);
                if (kind == 3) QCOMPARE(holes + graph->run.end - at, found.slack);
            }
    }
}

// Once too many steps were in vain, the answers come from two passes over all tasks. They stay the same.
void TestNearCritical::patienceDoesNotMatter()
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto graph = randomGraphOfAllKinds(seed).graph();
        for (int kind = 0; kind < 4; ++kind) {
            const WhatIfModel model = chainModel(*graph, kind);
            const WorkHeads heads = workHeads(*graph, model.edges, Progress{});
            const auto slack = slackOfTasks(*graph, model, &heads, Progress{});
            const PathLinks links(*graph, model, **slack, heads);
            DistinctPaths patient(links), impatient(links, 0);
            for (std::uint32_t taken = 0; taken < graph->size(); taken += 3) {
                patient.take(patient.through(taken));
                impatient.take(impatient.through(taken));
                for (int round = 0; round < 20; ++round)
                    for (std::uint32_t i = 0; i < graph->size(); ++i) {
                        const std::optional<TimeNs> exact = patient.distinct(i, 0);
                        QVERIFY(exact.has_value());
                        QCOMPARE(impatient.distinct(i, *exact + 1), std::nullopt);
                        QCOMPARE(impatient.distinct(i, *exact), exact);
                    }
            }
        }
    }
}

// Two hundred thousand short tasks beside a long one, each with a leaf of its own: the way back from every leaf is long
// and in vain.
void TestNearCritical::manyLeavesOnALongDetour()
{
    constexpr std::uint32_t count = 200'000;
    constexpr TimeNs zero = 10 * TimeNs{count};
    std::vector<RawTask> tasks;
    // 0: first, then the detour's twin of the same time; 1: the detour, count tasks of 1; 2: a leaf from each.
    tasks.push_back({.id = {ProcessorId{0}, 0}, .begin = 0, .duration = zero, .entry = EntryId{0}});
    tasks.push_back({.id = {ProcessorId{0}, 1},
                     .begin = zero,
                     .duration = 3 * TimeNs{count},
                     .entry = EntryId{1},
                     .source = {ProcessorId{0}, 0},
                     .offset = zero});
    for (std::uint32_t i = 0; i < count; ++i) {
        const TimeNs begin = zero + 2 * TimeNs{i};
        RawTask task{.id = {ProcessorId{1}, i},
                     .begin = begin,
                     .duration = 1,
                     .entry = EntryId{2},
                     .source = {ProcessorId{1}, i - 1},
                     .offset = 1};
        if (i == 0) task.source = {ProcessorId{0}, 0};
        if (i == 0) task.offset = zero;
        tasks.push_back(task);
        tasks.push_back({.id = {ProcessorId{2}, i},
                         .begin = begin + 1,
                         .duration = 1,
                         .entry = EntryId{3},
                         .source = {ProcessorId{1}, i},
                         .offset = 1});
    }
    const auto graph = makeActivityGraph(std::move(tasks), {0, zero + 3 * TimeNs{count}}, 3);
    const auto paths = nearCritical(*graph, chainModel(*graph, 0), {.slackShare = 1.0});
    QCOMPARE(paths.size(), std::size_t(1));  // the detour has 1 of 11 for its own
    QCOMPARE(paths.front().path->length, zero + 3 * TimeNs{count});
    const auto all = nearCritical(*graph, chainModel(*graph, 0),
                                  {.count = 3, .slackShare = 1.0, .distinctShare = 0.05});
    QCOMPARE(all.size(), std::size_t(2));
    QCOMPARE(all[1].path->length, zero + TimeNs{count} + 1);
    QCOMPARE(all[1].distinct, TimeNs{count} + 1);
    QCOMPARE(all[1].path->steps.size(), std::size_t(count) + 2);
}

// A task that many merged into, and as many leaves that it sends to: the way back from each of them goes through it.
void TestNearCritical::manyLeavesBehindManyMerges()
{
    constexpr std::uint32_t count = 100'000;
    constexpr ProcessorId root{0}, merged{1}, hub{2}, leaves{3};
    std::vector<RawTask> tasks;
    std::vector<RawMerge> merges;
    tasks.push_back({.id = {root, 0}, .begin = 0, .duration = 900, .entry = EntryId{0}});
    tasks.push_back(
        {.id = {root, 1}, .begin = 900, .duration = 100, .entry = EntryId{0}, .source = {root, 0}, .offset = 900});
    for (std::uint32_t i = 0; i <= count; ++i) {  // the last one decides
        const TimeNs duration = i == count ? 10 : 0;
        tasks.push_back({.id = {merged, i},
                         .begin = 901,
                         .duration = duration,
                         .entry = EntryId{0},
                         .source = {root, 0},
                         .offset = 900});
        merges.push_back({.task = {hub, 0}, .source = {merged, i}, .offset = duration});
    }
    tasks.push_back({.id = {hub, 0}, .begin = 920, .duration = 10, .entry = EntryId{0}});
    for (std::uint32_t i = 0; i < count; ++i)
        tasks.push_back({.id = {leaves, i},
                         .begin = 940 + 30 * TimeNs{i},
                         .duration = 30,
                         .entry = EntryId{0},
                         .source = {hub, 0},
                         .offset = 10});
    const auto graph = makeActivityGraph(std::move(tasks), {0, 940 + 30 * TimeNs{count}}, 4, merges);
    const std::clock_t begin = std::clock();
    const auto paths = nearCritical(*graph, chainModel(*graph, static_cast<int>(EdgeLevel::Merges)),
                                    {.slackShare = 1.0});
    const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    QVERIFY2(seconds < 5, qPrintable(QString::number(seconds)));
    QCOMPARE(paths.front().path->length, 1000);
}

void TestNearCritical::emptyGraph()
{
    const auto graph = makeActivityGraph({}, {5, 25}, 3);
    for (int kind = 0; kind < 4; ++kind) {
        const WhatIfModel model = chainModel(*graph, kind);
        const WorkHeads heads = workHeads(*graph, model.edges, Progress{});
        const auto slack = slackOfTasks(*graph, model, &heads, Progress{});
        const auto paths = nearCriticalPaths(*graph, model, **slack, heads, {}, Progress{});
        QVERIFY(paths.ok());
        QVERIFY(paths->empty());
    }
}

void TestNearCritical::errors()
{
    const auto graph = draw(closedform::c1).graph();
    const WhatIfModel model = chainModel(*graph, 0);
    const WorkHeads heads = workHeads(*graph, model.edges, Progress{});
    const auto slack = slackOfTasks(*graph, model, &heads, Progress{});
    Progress cancelled;
    cancelled.cancel();
    QVERIFY(wasCancelled(nearCriticalPaths(*graph, model, **slack, heads, {}, cancelled).error()));
    QVERIFY(!nearCriticalPaths(*graph, {.mode = PathMode::Sweep, .edges = {}}, **slack, heads, {}, Progress{}).ok());
    QVERIFY(!nearCriticalPaths(*graph, model, **slack, WorkHeads{}, {}, Progress{}).ok());
}

LONGPOLE_TEST(TestNearCritical)
#include "tst_nearcritical.moc"
