// SPDX-License-Identifier: GPL-3.0-or-later
// What-if: the closed-form cases, what the answers say, and errors.
#include "analysis/whatif/lanes.h"
#include "analysis/whatif/zeroing.h"

#include "analysis/whatif/zeroingmodels.h"
#include "support/graphs/closedforms.h"
#include "support/graphs/drawing.h"
#include "support/graphs/randomgraph.h"
#include "support/testmain.h"

#include <QTest>

#include <array>
#include <ctime>

using namespace longpole;

class TestZeroing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    // A run of a million tasks is gone through for each sixteen: not for a thousand entry methods of a small file.
    void fewerAreAskedOfLongRuns()
    {
        QCOMPARE(mostZeroed(0, {}), 1024);
        QCOMPARE(mostZeroed(1 << 17, {}), 1024);
        QCOMPARE(mostZeroed(1 << 20, {}), 128);
        QCOMPARE(mostZeroed(40'000'000, {}), 64);
        CriticalPath path;
        path.profile = {{.entry = EntryId{0}, .count = 4000}, {.entry = EntryId{1}, .count = 96}};
        QCOMPARE(mostZeroed(0, path), 512);
        path.profile[0].count = maxTime;
        QCOMPARE(mostZeroed(0, path), 64);
    }

    void closedForms_data();
    void closedForms();
    void elapsed_data();
    void elapsed();
    void nextCritical();
    void profileAfterTheChange();
    void ranksTheEntriesOfThePath();
    void gainOfASetIsNotTheSum();
    void nestedExecutionsKeepTheirTime();
    void emptyGraph();
    void errors();
    void idsOfManyEntries();
};

void TestZeroing::closedForms_data()
{
    QTest::addColumn<QString>("drawing");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("entries");  // by name
    QTest::addColumn<int>("denominator");  // of the factor 0 or 1/denominator
    QTest::addColumn<qint64>("share");
    QTest::addColumn<qint64>("exactNet");
    QTest::addColumn<qint64>("gain");
    const auto row = [](const char* name, const char* drawing, Model kind, const char* entries, qint64 share,
                        qint64 net, qint64 gain) {
        QTest::addRow("%s zero %s", name, entries)
            << QString::fromUtf8(drawing) << int(kind) << QString::fromUtf8(entries) << 1 << share << net << gain;
    };
    const auto half = [](const char* name, const char* drawing, Model kind, const char* entries, qint64 share,
                         qint64 twiceNet, qint64 gain) {
        QTest::addRow("%s half %s", name, entries)
            << QString::fromUtf8(drawing) << int(kind) << QString::fromUtf8(entries) << 2 << share << twiceNet << gain;
    };
    using namespace closedform;
    row("C1", c1, Messages, "A", 10, 11, 1);
    row("C1", c1, Messages, "B", 2, 11, 1);
    row("C1", c1, Messages, "C", 0, 12, 0);
    row("C1", c1, Messages, "D", 0, 12, 0);
    half("C1", c1, Messages, "A", 10, 22, 1);
    half("C1", c1, Messages, "B", 2, 22, 1);
    row("C1", c1, Messages, "A C", 10, 2, 10);
    row("C1 order", c1, Order, "A", 10, 11, 1);
    row("C2", c2, Messages, "X", 9, 4, 9);
    row("C2", c2, Messages, "D", 4, 12, 1);
    row("C2", c2, Messages, "B", 0, 13, 0);
    half("C2", c2, Messages, "X", 9, 17, 5);  // 8.5 is shown as 8
    row("C3", c3, Merges, "root", 2, 8, 2);
    row("C3", c3, Merges, "work", 7, 7, 3);
    row("C3", c3, Merges, "other", 0, 10, 0);
    row("C3", c3, Merges, "join", 1, 9, 1);
    half("C3", c3, Merges, "work", 7, 14, 3);
    half("C3", c3, Merges, "join", 1, 19, 0);  // 9.5 is shown as 10
    row("C4", c4, Merges, "A", 2, 9, 2);
    row("C4", c4, Merges, "B", 6, 10, 1);
    row("C4", c4, Merges, "C", 0, 11, 0);
    row("C4", c4, Merges, "D", 3, 10, 1);
    row("C5", c5, Merges, "s", 6, 6, 2);
    row("C5", c5, Merges, "W", 2, 6, 2);
    row("C5", c5, Merges, "P", 0, 8, 0);
    row("C6", c6, Messages, "hop", 35, 0, 35);
    half("C6", c6, Messages, "hop", 35, 35, 17);  // 17.5 is shown as 18
    row("C7", c7, Merges, "s0", 1, 14, 1);
    row("C7", c7, Merges, "s1", 12, 9, 6);
    row("C7", c7, Merges, "s2", 2, 13, 2);
    row("C7 order", c7, Order, "s1", 12, 9, 6);
    half("C7", c7, Merges, "s1", 12, 21, 5);  // 10.5 is shown as 10
    row("C8", c8, Merges, "A B", 3, 9, 3);
    row("C8", c8, Merges, "C D", 4, 8, 4);
    row("C8", c8, Merges, "E F", 5, 7, 5);
    row("C9 messages", c9, Messages, "k", 12, 10, 2);
    row("C9 messages", c9, Messages, "n", 0, 12, 0);
    row("C9 order", c9, Order, "k", 8, 10, 8);
    row("C9 order", c9, Order, "n", 10, 12, 6);
    half("C9 order", c9, Order, "k", 8, 28, 4);
    half("C9 order", c9, Order, "n", 10, 26, 5);
}

void TestZeroing::closedForms()
{
    QFETCH(QString, drawing);
    QFETCH(int, kind);
    QFETCH(QString, entries);
    QFETCH(int, denominator);
    const Drawing drawn = draw(drawing.toUtf8().constData());
    const auto graph = drawn.graph();
    WhatIf question{{}, {denominator == 1 ? 0 : 1, denominator}};
    for (const QString& name : entries.split(QLatin1Char(' ')))
        question.entries.push_back(drawn.entry(name.toUtf8().constData()));
    const WhatIfAnswer answer = ask(*graph, zeroingModel(*graph, kind), question);
    QTEST(qint64(answer.share), "share");
    QTEST(qint64(answer.exactNet), "exactNet");
    QTEST(qint64(answer.gain), "gain");
    QCOMPARE(sum(answer.profile), answer.exactNet);
}

void TestZeroing::elapsed_data()
{
    QTest::addColumn<QString>("drawing");
    QTest::addColumn<QString>("entry");
    QTest::addColumn<qint64>("share");
    QTest::addColumn<qint64>("net");
    const auto row = [](const char* name, const char* drawing, const char* entry, qint64 share, qint64 net) {
        QTest::addRow("%s %s", name, entry) << QString::fromUtf8(drawing) << QString::fromUtf8(entry) << share << net;
    };
    // The elapsed path: N, the second hop, one of network, the last hop. Without n the second hop begins when its
    // message comes, at 5; without k it still waits for N, and the last one comes another one later.
    row("C9", closedform::c9, "k", 8, 11);
    row("C9", closedform::c9, "n", 10, 14);
    const char* const network = R"(
        0: AAAA..........
        1: ......BBBB.CCC
        2: DDDDDDDDD.....
        A > B ~5
    )";
    row("network and scheduler stay", network, "A", 4, 10);  // 1 + 1 + 4 + 1 + 3
    row("network and scheduler stay", network, "B", 4, 10);
    row("network and scheduler stay", network, "C", 3, 11);
    row("network and scheduler stay", network, "D", 0, 14);
    row("a shorter path takes over", "0: AAAAAAAA..\n1: BBBBBB....\n", "A", 8, 8);  // and the tail of the run stays
    row("what comes before the first task stays", "0: ..AA\n1: BBB.\n", "A", 2, 3);
    row("no sooner than a recorded merge", "0: AAAA.CC\n1: BBB....\nB > C ~3\nA@3 >> C", "B", 0, 7);
    row("no sooner than a recorded merge", "0: AAAA...\n1: BBBB.CC\nA@3 >> C", "B", 4, 5);
}

void TestZeroing::elapsed()
{
    QFETCH(QString, drawing);
    QFETCH(QString, entry);
    const Drawing drawn = draw(drawing.toUtf8().constData());
    const auto graph = drawn.graph();
    const WhatIfAnswer answer = ask(*graph, zeroingModel(*graph, Elapsed),
                                    {{drawn.entry(entry.toUtf8().constData())}, {0, 1}});
    QTEST(qint64(answer.share), "share");
    QTEST(qint64(answer.net), "net");
    QCOMPARE(answer.gain, graph->run.length() - answer.net);
}

void TestZeroing::nextCritical()
{
    const Drawing drawn = draw(closedform::c1);
    const auto graph = drawn.graph();
    const WhatIfModel model = zeroingModel(*graph, Messages);
    const auto next = [&](std::vector<EntryId> entries) {
        return ask(*graph, model, {std::move(entries), {0, 1}}).nextCritical;
    };
    const auto id = [&drawn](const char* name) { return drawn.entry(name); };
    QCOMPARE(next({id("A")}), id("C"));
    QCOMPARE(next({id("B")}), id("C"));
    QCOMPARE(next({id("C")}), id("A"));
    QCOMPARE(next({id("A"), id("C")}), id("B"));
    QCOMPARE(next({id("A"), id("B"), id("C"), id("D")}), noEntry);
}

void TestZeroing::profileAfterTheChange()
{
    const Drawing drawn = draw(closedform::c3);
    const auto graph = drawn.graph();
    const EntryId root = drawn.entry("root"), work = drawn.entry("work"), join = drawn.entry("join");
    // 2 + 7 x 3/4 + 1, times four.
    const WhatIfAnswer answer = ask(*graph, zeroingModel(*graph, Merges), {{work}, {3, 4}});
    QCOMPARE(answer.exactNet, 33);
    QCOMPARE(answer.net, 8);
    QCOMPARE(answer.profile.size(), std::size_t(3));
    QCOMPARE(answer.profile[0].entry, work);
    QCOMPARE(answer.profile[0].time, 21);
    QCOMPARE(answer.profile[0].share, 21.0 / 33.0);
    QCOMPARE(answer.profile[1].entry, root);
    QCOMPARE(answer.profile[1].time, 8);
    QCOMPARE(answer.profile[2].entry, join);
    QCOMPARE(answer.profile[2].time, 4);
    QCOMPARE(answer.nextCritical, root);
}

void TestZeroing::ranksTheEntriesOfThePath()
{
    const Drawing drawn = draw(closedform::c7);
    const auto graph = drawn.graph();
    const WhatIfModel model = zeroingModel(*graph, Merges);
    const CriticalPath path = pathOf(*graph, model);
    const auto ranked = zeroing(*graph, model, path, Progress{});
    QVERIFY(ranked.ok());
    QCOMPARE(ranked->size(), std::size_t(3));
    const char* const names[] = {"s1", "s2", "s0"};
    const TimeNs gains[] = {6, 2, 1};
    for (std::size_t i = 0; i < 3; ++i) {
        QCOMPARE((*ranked)[i].question.entries, std::vector<EntryId>{drawn.entry(names[i])});
        QCOMPARE((*ranked)[i].gain, gains[i]);
        QCOMPARE((*ranked)[i].net, 15 - gains[i]);
    }
    const auto doubled = zeroing(*graph, model, path, Progress{}, {2, 1});
    QVERIFY(doubled.ok());
    QCOMPARE(doubled->front().question.entries, std::vector<EntryId>{drawn.entry("s1")});
    QCOMPARE(doubled->front().gain, -12);
}

void TestZeroing::gainOfASetIsNotTheSum()
{
    const Drawing drawn = draw(closedform::c1);
    const auto graph = drawn.graph();
    const EntryId a = drawn.entry("A"), c = drawn.entry("C"), d = drawn.entry("D");
    const auto answers = whatIf(*graph, zeroingModel(*graph, Messages),
                                {{{a}, {0, 1}}, {{c}, {0, 1}}, {{a, c}, {0, 1}}, {{a, c, d}, {0, 1}}}, Progress{});
    QVERIFY(answers.ok());
    QCOMPARE((*answers)[0].gain, 1);
    QCOMPARE((*answers)[1].gain, 0);
    QCOMPARE((*answers)[2].gain, 10);
    QCOMPARE((*answers)[2].share, 10);
    QCOMPARE((*answers)[3].gain, 10);
}

// A's prefix of 8 ns holds 3 ns of entry 7, of which 1 ns is entry 8's.
void TestZeroing::nestedExecutionsKeepTheirTime()
{
    const Drawing drawn = draw("0: AAAAAAAAAA..\n1: ..........BB\nA@8 > B");
    ActivityGraph graph = *drawn.graph();
    const std::uint32_t outer = graph.find(drawn['A']);
    graph.inner = {{outer, 1, 7, 2, 5}, {outer, 2, 8, 3, 4}, {outer, 3, 7, 9, 10}};
    const WhatIfModel model = zeroingModel(graph, Messages);
    const auto net = [&](std::vector<EntryId> entries, Rational factor) {
        return ask(graph, model, {std::move(entries), factor}).exactNet;
    };
    const EntryId a{'A'}, b{'B'}, seven{7}, eight{8};
    QCOMPARE(net({}, {0, 1}), 10);
    QCOMPARE(net({a}, {0, 1}), 5);      // 3 in A, 2 in B
    QCOMPARE(net({seven}, {0, 1}), 8);  // 5 + 1 + 2; the whole of A is 7
    QCOMPARE(net({eight}, {0, 1}), 9);
    QCOMPARE(net({seven, eight}, {0, 1}), 7);
    QCOMPARE(net({b}, {0, 1}), 10);  // all of A
    QCOMPARE(net({a, b, seven, eight}, {0, 1}), 0);
    QCOMPARE(net({seven}, {1, 2}), 18);
    QCOMPARE(ask(graph, model, {{seven}, {0, 1}}).nextCritical, a);
}

void TestZeroing::emptyGraph()
{
    const auto graph = makeActivityGraph({}, {5, 25}, 3);
    for (const int kind : {Messages, Order, Elapsed}) {
        const WhatIfModel model = zeroingModel(*graph, kind);
        const WhatIfAnswer answer = ask(*graph, model, {{entry(0)}, {1, 2}});
        QCOMPARE(answer.net, kind == Elapsed ? 20 : 0);
        QCOMPARE(answer.gain, 0);
        QVERIFY(answer.profile.empty());
        QCOMPARE(answer.nextCritical, noEntry);
        const auto ranked = zeroing(*graph, model, pathOf(*graph, model), Progress{});
        QVERIFY(ranked.ok());
        QVERIFY(ranked->empty());
    }
    const auto one = draw("0: AAA").graph();
    QVERIFY(whatIf(*one, zeroingModel(*one, Order), {}, Progress{})->empty());
}

void TestZeroing::errors()
{
    const auto graph = draw(closedform::c1).graph();
    const auto refuses = [&](const WhatIfModel& model, Rational factor, const char* word) {
        const auto answers = whatIf(*graph, model, {{{entry('A')}, factor}}, Progress{});
        return !answers && answers.error().what.contains(QLatin1String(word)) && !answers.error().hint.isEmpty();
    };
    const WhatIfModel order = zeroingModel(*graph, Order);
    QVERIFY(refuses(order, {-1, 2}, "-1/2"));
    QVERIFY(refuses(order, {1, 0}, "1/0"));
    QVERIFY(refuses(order, {1, -2}, "1/-2"));
    QVERIFY(refuses(order, {maxTime, 1}, "too large"));
    QVERIFY(refuses(order, {1, maxTime}, "too fine"));
    QVERIFY(refuses({PathMode::Sweep, {}}, {0, 1}, "sweep"));
    QCOMPARE(ask(*graph, order, {{entry('A')}, {maxTime / 12, 1}}).exactNet, 10 * (maxTime / 12) + 2);
    const auto ranked = zeroing(*graph, order, pathOf(*graph, order), Progress{}, {-1, 1});
    QVERIFY(!ranked.ok());
    QVERIFY(!zeroing(*graph, {PathMode::Sweep, {}}, {}, Progress{}).ok());
    Progress progress;
    progress.cancel();
    const auto cancelled = whatIf(*graph, order, {{{entry('A')}, {0, 1}}}, progress);
    QVERIFY(!cancelled.ok());
    QVERIFY(wasCancelled(cancelled.error()));
    QVERIFY(!zeroing(*graph, order, pathOf(*graph, order), progress).ok());
}

// Ids beyond those that have a table are found as fast.
void TestZeroing::idsOfManyEntries()
{
    constexpr std::uint32_t many = 200'000, far = 4'000'000'000;
    WhatIf question{.entries = {EntryId{7}}, .factor = {1, 3}};
    for (std::uint32_t i = 0; i < many; ++i) question.entries.push_back(EntryId{far + i});
    const std::clock_t start = std::clock();
    const LaneFactors factors(std::array{question});
    std::int64_t shortened = 0;
    for (std::uint32_t i = 0; i < 2 * many; ++i) shortened += factors.of(far + i)[0] == 1 ? 1 : 0;
    QCOMPARE(shortened, std::int64_t{many});
    QCOMPARE(factors.of(7)[0], TimeNs{1});
    QCOMPARE(factors.of(8)[0], TimeNs{3});
    QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 3);
}

LONGPOLE_TEST(TestZeroing)
#include "tst_zeroing.moc"
