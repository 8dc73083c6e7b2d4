// SPDX-License-Identifier: GPL-3.0-or-later
// What-if: random graphs against all their paths and against a plain pass, and large ones.
#include "analysis/whatif/zeroing.h"

#include "analysis/graph/attribution.h"
#include "analysis/whatif/zeroingmodels.h"
#include "support/graphs/allpaths.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

#include <map>

using namespace longpole;

namespace {

void addZeroingModels()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("messages") << int(Messages);
    QTest::newRow("merges") << int(Merges);
    QTest::newRow("order") << int(Order);
    QTest::newRow("elapsed") << int(Elapsed);
}

// The same graph with executions of entry 3 and 1 nested in some of its tasks.
ActivityGraph withNested(const ActivityGraph& graph, unsigned seed)
{
    ActivityGraph nested = graph;
    std::mt19937 random(seed);
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        if (graph.duration[task] < 3 || random() % 2 == 0) continue;
        const TimeNs begin = graph.begin[task];
        nested.inner.push_back({task, 1000 + task, 3, begin + 1, begin + 3});
        if (random() % 2 == 0) nested.inner.push_back({task, 2000 + task, 1, begin + 2, begin + 3});
    }
    return nested;
}

// A path as its time per entry method, and its fixed delays.
struct PathTimes {
    std::map<std::uint32_t, TimeNs> ofEntry;
    TimeNs fixed = 0;

    TimeNs of(const std::vector<EntryId>& entries) const
    {
        TimeNs time = 0;
        for (const auto& [number, t] : ofEntry)
            if (std::find(entries.begin(), entries.end(), entry(number)) != entries.end()) time += t;
        return time;
    }
    TimeNs all() const
    {
        TimeNs time = fixed;
        for (const auto& [number, t] : ofEntry) time += t;
        return time;
    }
    TimeNs scaled(const WhatIf& question) const
    {
        const TimeNs chosen = of(question.entries);
        return chosen * question.factor.numerator + (all() - chosen) * question.factor.denominator;
    }
};

std::vector<PathTimes> timesOfAllPaths(const ActivityGraph& graph, const WhatIfModel& model)
{
    std::vector<PathTimes> result;
    for (const OraclePath& path : allPaths(graph, model)) {
        PathTimes times{{}, path.weight};
        for (const OraclePath::Step& step : path.steps) {
            times.fixed -= step.used;
            attributeToInnermost(graph, step.task, graph.begin[step.task] + step.used,
                                 [&](std::uint32_t number, TimeNs time) { times.ofEntry[number] += time; });
        }
        result.push_back(times);
    }
    return result;
}

// Single entries, pairs and all, at factors below and above one.
std::vector<WhatIf> questions()
{
    std::vector<WhatIf> list;
    for (const Rational factor :
         {Rational{0, 1}, Rational{1, 2}, Rational{1, 3}, Rational{1, 1}, Rational{7, 5}, Rational{2, 1}})
        for (const std::vector<EntryId>& entries : std::vector<std::vector<EntryId>>{{entry(0)},
                                                                                     {entry(1)},
                                                                                     {entry(2)},
                                                                                     {entry(0), entry(1)},
                                                                                     {entry(2), entry(0), entry(2)},
                                                                                     {entry(3)},
                                                                                     {entry(99)},
                                                                                     {}})
            list.push_back({entries, factor});
    return list;
}

// The recurrence once more, one question at a time and with everything kept.
TimeNs plainPass(const ActivityGraph& graph, const WhatIfModel& model, const WhatIf& question)
{
    std::vector<TimeNs> head(graph.size());
    const auto scaled = [&](std::uint32_t task, TimeNs prefix) {
        PathTimes times;
        attributeToInnermost(graph, task, graph.begin[task] + prefix,
                             [&](std::uint32_t number, TimeNs time) { times.ofEntry[number] += time; });
        return times.scaled(question);
    };
    TimeNs longest = 0;
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        for (const OracleEdge& edge : edgesInto(graph, model, task)) {
            const TimeNs before = edge.source == noTask ? 0 : head[edge.source] + scaled(edge.source, edge.offset);
            head[task] = std::max(head[task], before + edge.delay * question.factor.denominator);
        }
        longest = std::max(longest, head[task] + scaled(task, graph.duration[task]));
    }
    return longest + (model.mode == PathMode::Elapsed ? delayAfterLastEnd(graph) * question.factor.denominator : 0);
}

}  // namespace

class TestZeroingGraphs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void randomGraphs_data();
    void randomGraphs();
    void factorOneChangesNothing_data();
    void factorOneChangesNothing();
    void agreesWithAPlainPass_data();
    void agreesWithAPlainPass();
    void manyQuestions();
    void manyEntries();
    void timesBeyond32Bits();
    void chainOfAMillionTasks();
    void mergeOfAMillionTasks();
};

void TestZeroingGraphs::randomGraphs_data()
{
    QTest::addColumn<unsigned>("firstSeed");
    for (unsigned first = 0; first < 500; first += 50) QTest::addRow("%u", first) << first;
}

void TestZeroingGraphs::randomGraphs()
{
    QFETCH(unsigned, firstSeed);
    const std::vector<WhatIf> asked = questions();
    for (unsigned seed = firstSeed; seed < firstSeed + 50; ++seed)
        for (const int kind : {Messages, Merges, Order, Elapsed}) {
            const ActivityGraph graph = withNested(*randomGraphOfAllKinds(seed).graph(), seed);
            const WhatIfModel model = zeroingModel(graph, kind);
            const std::vector<PathTimes> paths = timesOfAllPaths(graph, model);
            const auto answers = whatIf(graph, model, asked, Progress{});
            QVERIFY(answers.ok());
            TimeNs length = 0;
            for (const PathTimes& path : paths) length = std::max(length, path.all());
            for (std::size_t i = 0; i < asked.size(); ++i) {
                const WhatIfAnswer& answer = (*answers)[i];
                TimeNs longest = 0;
                for (const PathTimes& path : paths) longest = std::max(longest, path.scaled(asked[i]));
                QCOMPARE(answer.exactNet, longest);
                QCOMPARE(answer.gain, length - roundedQuotient(longest, asked[i].factor.denominator));
                if (kind != Elapsed) QCOMPARE(sum(answer.profile), longest);
                else QVERIFY(sum(answer.profile) <= longest);
                if (asked[i].factor.numerator > asked[i].factor.denominator) continue;
                QVERIFY(answer.gain >= 0);
                for (const PathTimes& path : paths)
                    if (path.all() == length) QVERIFY(answer.gain <= path.of(asked[i].entries));
            }
        }
}

void TestZeroingGraphs::factorOneChangesNothing_data() { addZeroingModels(); }

void TestZeroingGraphs::factorOneChangesNothing()
{
    QFETCH(int, kind);
    for (unsigned seed = 0; seed < 500; ++seed) {
        const ActivityGraph graph = withNested(*randomGraphOfAllKinds(seed).graph(), seed);
        const WhatIfModel model = zeroingModel(graph, kind);
        const CriticalPath path = pathOf(graph, model);
        const WhatIfAnswer answer = ask(graph, model, {{entry(0), entry(2)}, {1, 1}});
        QCOMPARE(answer.net, path.length);
        QCOMPARE(answer.gain, 0);
        QCOMPARE(answer.profile, path.profile);
        if (kind == Elapsed) QCOMPARE(answer.net, graph.run.length());
        TimeNs share = 0;
        for (const PathProfileRow& row : path.profile)
            if (row.entry == entry(0) || row.entry == entry(2)) share += row.time;
        QCOMPARE(answer.share, share);
    }
}

void TestZeroingGraphs::agreesWithAPlainPass_data() { addZeroingModels(); }

// Larger graphs, whose paths cannot be enumerated: slots are used again, and ties are many.
void TestZeroingGraphs::agreesWithAPlainPass()
{
    QFETCH(int, kind);
    std::mt19937 random(7);
    for (int round = 0; round < 4; ++round) {
        constexpr std::uint32_t each = 250, pes = 8;
        std::vector<RawTask> tasks;
        std::vector<RawMerge> merges;
        for (std::uint32_t i = 0; i < each; ++i)
            for (std::uint32_t pe = 0; pe < pes; ++pe) {
                RawTask task{.id = {ProcessorId{pe}, i},
                             .begin = TimeNs(i) * 10 + TimeNs(random() % 4),
                             .duration = TimeNs(random() % 7),
                             .entry = entry(random() % 20)};
                const auto other = [&] {
                    const auto to = std::uint32_t(random() % pes);
                    return TaskId{ProcessorId{to}, std::uint32_t(random() % i)};
                };
                if (i > 0 && random() % 8 != 0) task.source = other();
                task.offset = TimeNs(random() % 3);
                if (i > 0 && random() % 8 == 0)
                    merges.push_back({task.id, other(), TimeNs(random() % 3), MergeKind::Recorded});
                tasks.push_back(task);
            }
        const auto made = makeActivityGraph(std::move(tasks), {0, each * 10}, pes, std::move(merges));
        const ActivityGraph graph = round % 2 == 0 ? *made : withNested(*made, 5);
        const WhatIfModel model = zeroingModel(graph, kind);
        std::vector<WhatIf> asked;
        for (std::uint32_t e = 0; e < 20; ++e)
            asked.push_back({{entry(e), entry((e * 7) % 20)}, {TimeNs(e) % 5, 1 + TimeNs(e) % 3}});
        for (const std::size_t count : {std::size_t(2), std::size_t(7), std::size_t(20)}) {
            const std::vector<WhatIf> some(asked.begin(), asked.begin() + std::ptrdiff_t(count));
            const auto answers = whatIf(graph, model, some, Progress{});
            QVERIFY(answers.ok());
            for (std::size_t i = 0; i < count; ++i) QCOMPARE((*answers)[i].exactNet, plainPass(graph, model, some[i]));
        }
    }
}

// More than one pass, on more than one thread.
void TestZeroingGraphs::manyQuestions()
{
    const Drawing drawn = draw(closedform::c3);
    const auto graph = drawn.graph();
    const EntryId work = drawn.entry("work");
    std::vector<WhatIf> asked;
    for (std::int64_t i = 0; i <= 100; ++i) asked.push_back({{work}, {i, 50}});
    const auto answers = whatIf(*graph, zeroingModel(*graph, Merges), asked, Progress{});
    QVERIFY(answers.ok());
    QCOMPARE(answers->size(), asked.size());
    for (std::int64_t i = 0; i <= 100; ++i)
        QCOMPARE((*answers)[std::size_t(i)].exactNet, std::max<TimeNs>(7 * 50, 3 * 50 + 7 * i));
}

// Ids beyond any table, and that of no entry method.
void TestZeroingGraphs::manyEntries()
{
    std::vector<RawTask> tasks;
    const std::uint32_t ids[] = {0xfffffff0u, 0xffffffffu, 3u};
    for (std::uint32_t i = 0; i < 3; ++i)
        tasks.push_back(
            {.id = {ProcessorId{0}, i}, .begin = 10 * TimeNs(i), .duration = 2 + TimeNs(i), .entry = entry(ids[i])});
    const auto graph = makeActivityGraph(std::move(tasks), {0, 30}, 1);
    const WhatIfModel model = zeroingModel(*graph, Order);
    QCOMPARE(ask(*graph, model, {{entry(0xfffffff0u)}, {0, 1}}).net, 7);
    QCOMPARE(ask(*graph, model, {{noEntry}, {0, 1}}).net, 6);
    QCOMPARE(ask(*graph, model, {{entry(3), noEntry, entry(0xfffffff0u)}, {1, 3}}).exactNet, 9);
    QCOMPARE(ask(*graph, model, {{entry(0x12345678u)}, {0, 1}}).net, 9);
}

void TestZeroingGraphs::timesBeyond32Bits()
{
    const Drawing drawn = draw(closedform::c3);
    RandomGraph made{.tasks = drawn.tasks, .run = drawn.run, .processors = drawn.processors, .merges = drawn.merges};
    constexpr TimeNs factor = 3'000'000'000;
    changeTimes(made, factor, 7'000'000'000'000);
    const auto graph = made.graph();
    const EntryId work = drawn.entry("work");
    QCOMPARE(ask(*graph, zeroingModel(*graph, Merges), {{work}, {0, 1}}).net, 7 * factor);
    QCOMPARE(ask(*graph, zeroingModel(*graph, Merges), {{work}, {5, 7}}).exactNet, 56 * factor);
    QCOMPARE(ask(*graph, zeroingModel(*graph, Elapsed), {{work}, {1, 1}}).net, 12 * factor);
}

void TestZeroingGraphs::chainOfAMillionTasks()
{
    constexpr std::uint32_t count = 1'000'000;
    std::vector<RawTask> tasks;
    for (std::uint32_t i = 0; i < count; ++i) {
        RawTask task{.id = {ProcessorId{i % 3}, i / 3},
                     .begin = 3 * static_cast<TimeNs>(i),
                     .duration = 2,
                     .entry = entry(i % 4)};
        if (i > 0) task.source = {ProcessorId{(i - 1) % 3}, (i - 1) / 3};
        task.offset = 2;
        tasks.push_back(task);
    }
    const auto graph = makeActivityGraph(std::move(tasks), {0, 3 * static_cast<TimeNs>(count)}, 3);
    for (const int kind : {Messages, Order}) {
        const auto ranked = zeroing(*graph, zeroingModel(*graph, kind), pathOf(*graph, zeroingModel(*graph, kind)),
                                    Progress{});
        QVERIFY(ranked.ok());
        QCOMPARE(ranked->size(), std::size_t(4));
        for (const WhatIfAnswer& answer : *ranked) {
            QCOMPARE(answer.gain, count / 2);
            QCOMPARE(answer.share, count / 2);
        }
    }
    QCOMPARE(ask(*graph, zeroingModel(*graph, Elapsed), {{entry(1)}, {0, 1}}).net, 3 * count - count / 2);
}

void TestZeroingGraphs::mergeOfAMillionTasks()
{
    constexpr std::uint32_t count = 1'000'000;
    std::vector<RawTask> tasks;
    std::vector<RawMerge> merges;
    const TaskId last{ProcessorId{0}, count};
    for (std::uint32_t i = 0; i < count; ++i) {
        tasks.push_back(
            {.id = {ProcessorId{0}, i}, .begin = 3 * static_cast<TimeNs>(i), .duration = i % 3, .entry = entry(i % 3)});
        merges.push_back({last, {ProcessorId{0}, i}, i % 3, MergeKind::Recorded});
    }
    tasks.push_back({.id = last, .begin = 3 * static_cast<TimeNs>(count), .duration = 5, .entry = entry(9)});
    const TimeRange run{0, 3 * static_cast<TimeNs>(count) + 5};
    const auto graph = makeActivityGraph(std::move(tasks), run, 1, std::move(merges));
    const WhatIfModel model = zeroingModel(*graph, Merges);
    const WhatIfAnswer answer = ask(*graph, model, {{entry(2)}, {0, 1}});
    QCOMPARE(answer.share, 2);
    QCOMPARE(answer.net, 6);
    QCOMPARE(answer.nextCritical, entry(9));
    QCOMPARE(answer.profile.size(), std::size_t(2));
    QCOMPARE(answer.profile[1].entry, entry(1));
}

LONGPOLE_TEST(TestZeroingGraphs)
#include "tst_zeroinggraphs.moc"
