// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of real runs add up; made-up runs compare as worked out by hand: matching, iterations, paths, waits, advice.
#include "analysis/asked.h"
#include "analysis/compare/comparison.h"

#include "analysis/realtraces.h"

#include "support/testmain.h"
#include "support/writtentrace.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <ctime>

using namespace longpole;

namespace {

constexpr TimeNs ms = 1'000'000;

MethodFigures method(const char* name, std::int64_t count, TimeNs time, TimeNs onPath = 0, TimeNs queued = 0)
{
    return {.chare = QStringLiteral("C"),
            .name = QString::fromUtf8(name),
            .entry = EntryId{0},
            .count = count,
            .time = time,
            .onElapsedPath = onPath,
            .queued = queued};
}

RunFigures run(TimeNs duration, std::vector<MethodFigures> methods, std::int64_t processors = 2)
{
    RunFigures figures;
    figures.info.program = QStringLiteral("p");
    figures.info.processors = processors;
    figures.info.end = duration;
    for (const MethodFigures& m : methods) figures.usage.user += m.time;
    figures.usage.idle = duration * processors - figures.usage.user;
    figures.methods = std::move(methods);
    figures.work = WorkPathLengths{duration / 2, duration / 2, duration};
    return figures;
}

// A path whose tasks last 1 ms, the next beginning `step` after each began; letters are methods.
void setPath(RunFigures& figures, const char* letters, TimeNs step)
{
    TimeNs at = 0;
    figures.workAtMessages = {};
    for (const char* c = letters; *c; ++c, at += step) {
        figures.workAtMessages.path.symbols.push_back(std::uint32_t(*c - 'a'));
        figures.workAtMessages.path.parts.push_back({at, at + ms});
    }
    figures.workAtMessages.searched = collapsed(figures.workAtMessages.path.symbols);
}

Advice advice(double low, double high)
{
    Prediction prediction;
    prediction.gainLow = low;
    prediction.gainHigh = high;
    return {.id = QStringLiteral("prioritize:E1"),
            .node = QStringLiteral("scheduling"),
            .title = QStringLiteral("t"),
            .prediction = prediction};
}

QStringList namesAt(const Comparison& c, const std::vector<std::size_t>& indices)
{
    QStringList names;
    for (const std::size_t i : indices) names << c.methods[i].any().name;
    return names;
}

}  // namespace

class TestComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void figuresAddUp_data() { RealTraces::addRows(); }
    void figuresAddUp()
    {
        QFETCH(const QString, name);
        const auto store = m_traces.open(name);
        QVERIFY2(store, qPrintable(store ? QString() : toText(store.error())));
        const auto answer = asked(*store, RunFiguresQuestion{});
        QVERIFY2(answer, qPrintable(answer ? QString() : toText(answer.error())));
        const std::shared_ptr<const RunFigures>& figures = *answer;
        QCOMPARE(figures->usage.sum(), figures->duration() * figures->info.processors);
        TimeNs time = 0, onWork = 0, onElapsed = 0, queued = 0, inFlight = 0;
        for (std::size_t i = 0; i < figures->methods.size(); ++i) {
            const MethodFigures& m = figures->methods[i];
            time += m.time;
            onWork += m.onWorkPath;
            onElapsed += m.onElapsedPath;
            queued += m.queued;
            inFlight += m.inFlight;
            if (i > 0)
                QVERIFY(std::tie(figures->methods[i - 1].chare, figures->methods[i - 1].name)
                        < std::tie(m.chare, m.name));
        }
        QCOMPARE(time, figures->usage.user);
        QVERIFY(figures->work);
        QCOMPARE(onWork, figures->work->messages);
        QCOMPARE(onElapsed, figures->elapsed.compute);
        QCOMPARE(figures->elapsed.sum(), figures->duration());
        QCOMPARE(queued, figures->queued);
        QCOMPARE(inFlight, figures->inFlight);
        QVERIFY(figures->idle);
        TimeNs idle = 0;
        for (const TimeNs cause : *figures->idle) idle += cause;
        QCOMPARE(idle, figures->usage.idle);

        const Comparison same = compare(*figures, *figures);
        QVERIFY(same.notes.contains(QStringLiteral("A and B are the same trace.")));
        for (const ComparedFigure& figure : same.figures) QCOMPARE(figure.a, figure.b);
        for (const ComparedMethod& m : same.methods) QVERIFY(m.a && m.b && m.change == 0);
        QVERIFY(same.entered.empty() && same.left.empty() && same.waitsGained.empty() && same.waitsLost.empty());
        if (same.phase) QVERIFY(same.phase->isSameCount() && *same.isWithinSpread());
    }

    // The program makes twenty iterations of about 8.65 ms each (MANIFEST: chain_and_bulk_p6).
    void iterationsOfARealRun()
    {
        const auto store = m_traces.open(QStringLiteral("chain_and_bulk_p6"));
        QVERIFY(store);
        const auto answer = asked(*store, RunFiguresQuestion{});
        QVERIFY(answer);
        const std::shared_ptr<const RunFigures>& figures = *answer;
        const Comparison same = compare(*figures, *figures);
        QVERIFY(same.phase);
        QCOMPARE(same.phase->pattern.size(), std::size_t(3));
        QCOMPARE(same.phase->a.spans.size(), std::size_t(20));
        QVERIFY(same.phase->a.durations.median > 8 * ms && same.phase->a.durations.median < 9 * ms);
        TimeNs until = 0;
        for (const TimeRange& span : same.phase->a.spans) {
            QVERIFY(span.begin >= until);
            until = span.end;
        }
    }

    void matching()
    {
        const auto matches = [](std::vector<MethodFigures> a, std::vector<MethodFigures> b) {
            return matchMethods(a, b);
        };
        const auto m = [](const char* name) { return method(name, 1, 1); };
        QCOMPARE(matches({m("f()"), m("g()")}, {m("g()"), m("h()")}), (MethodMatches{noMethod, 0}));
        // Another argument list, when there is no doubt who is meant.
        QCOMPARE(matches({m("f(int)")}, {m("f(int, int)")}), (MethodMatches{0}));
        QCOMPARE(matches({m("f(int)")}, {m("f(char)"), m("f(int)")}), (MethodMatches{1}));
        QCOMPARE(matches({m("f(int)")}, {m("f(char)"), m("f(long)")}), (MethodMatches{noMethod}));
        MethodFigures other = m("f()");
        other.chare = QStringLiteral("D");
        QCOMPARE(matches({m("f()")}, {other}), (MethodMatches{noMethod}));
    }

    void changesAreRanked()
    {
        const Comparison c = compare(run(100 * ms, {method("a", 10, 50 * ms, 40 * ms, 9 * ms),
                                                    method("b", 5, 30 * ms, 0, ms), method("gone", 1, 2 * ms, 2 * ms)}),
                                     run(80 * ms, {method("a", 10, 20 * ms, 20 * ms, ms),
                                                   method("b", 5, 35 * ms, 5 * ms, 4 * ms),
                                                   method("new", 2, 12 * ms, 10 * ms)}));
        QCOMPARE(c.durationChange(), -20 * ms);
        QVERIFY(qAbs(c.gained() - 0.2) < 1e-12);
        QVERIFY(c.notes.isEmpty());
        QVERIFY(!c.perProcessor && !c.phase && !c.isWithinSpread());
        QCOMPARE(c.methods.size(), std::size_t(4));
        QCOMPARE(c.methods[0].any().name, QStringLiteral("a"));
        QCOMPARE(c.methods[0].change, -30 * ms);
        QCOMPARE(c.methods[1].any().name, QStringLiteral("new"));
        QVERIFY(!c.methods[1].a);
        QCOMPARE(c.methods[1].change, 12 * ms);
        QCOMPARE(c.methods[3].change, -2 * ms);
        QCOMPARE(namesAt(c, c.entered), (QStringList{QStringLiteral("new"), QStringLiteral("b")}));
        QCOMPARE(namesAt(c, c.left), QStringList{QStringLiteral("gone")});
        QCOMPARE(namesAt(c, c.waitsGained), QStringList{QStringLiteral("b")});
        QCOMPARE(namesAt(c, c.waitsLost), QStringList{QStringLiteral("a")});
        QCOMPARE(c.figures[0].id, "duration");
        QCOMPARE(c.figures[0].b, 80 * ms);
    }

    void otherProgramAndProcessors()
    {
        RunFigures b = run(80 * ms, {method("a", 10, 80 * ms)}, 4);
        b.info.program = QStringLiteral("q");
        const Comparison c = compare(run(100 * ms, {method("a", 10, 60 * ms), method("z", 1, 1)}), b);
        QCOMPARE(c.notes.size(), 2);
        QCOMPARE(
            c.notes[0],
            QStringLiteral("A is p and B is q: entry methods are compared where their names are the same, 1 of 2."));
        QVERIFY(c.notes[1].startsWith(QStringLiteral("A ran on 2 PEs and B on 4")));
        QVERIFY(c.perProcessor);
        QCOMPARE(c.methods[0].change, -10 * ms);  // 80 / 4 - 60 / 2
        QCOMPARE(c.methods[0].timeA, 30 * ms);
        QCOMPARE(c.methods[0].timeB, 20 * ms);
        for (const ComparedFigure& figure : c.figures)
            if (qstrcmp(figure.id, "user") == 0) {
                QCOMPARE(figure.a, 30 * ms);
                QCOMPARE(figure.b, 20 * ms);
            }
    }

    // abc seven times in one, six in the other, which goes on twice as fast; d is once in between.
    void iterations()
    {
        RunFigures a = run(100 * ms, {method("a", 7, ms), method("b", 7, ms), method("c", 7, ms)});
        RunFigures b = run(50 * ms, {method("a", 6, ms), method("b", 6, ms), method("c", 6, ms), method("d", 1, ms)});
        setPath(a, "abcabcabcabcabcabcabc", 4 * ms);
        setPath(b, "abcabcabcdabcabcabc", 2 * ms);
        a.workAtMessages.patterns = {{0, 1, 2}};
        const Comparison c = compare(a, b);
        QVERIFY(c.phase);
        QVERIFY(c.phase->path == PathMode::Work);
        QCOMPARE(c.phase->pattern, (std::vector<std::uint32_t>{0, 1, 2}));
        QCOMPARE(c.phase->instancesA, std::size_t(7));
        QCOMPARE(c.phase->instancesB, std::size_t(6));
        QCOMPARE(c.phase->a.spans.size(), std::size_t(7));
        QCOMPARE(c.phase->b.spans.size(), std::size_t(6));
        QCOMPARE(c.phase->b.spans[2], (TimeRange{12 * ms, 20 * ms}));
        QVERIFY(!c.phase->isSameCount());
        QCOMPARE(c.phase->a.durations.median, 12 * ms);
        QCOMPARE(c.phase->b.durations.median, 6 * ms);
        QCOMPARE(c.phase->b.durations.spread, 0);
        QCOMPARE(c.phase->b.durations.slow, std::vector<std::size_t>{2});  // with d
        QCOMPARE(*c.isWithinSpread(), false);
        // One instance less and there is no common phase.
        RunFigures shorter = b;
        setPath(shorter, "abcabcabcdabcabc", 2 * ms);
        QVERIFY(!compare(a, shorter).phase);
        // A pattern with a method that the other run lacks is none.
        RunFigures other = b;
        other.methods[1].name = QStringLiteral("elsewhere");
        QVERIFY(!compare(a, other).phase);
    }

    // The mark is what begins equally many iterations in both: c is rarest in them together, but in one run the path
    // went round it.
    void mark()
    {
        RunFigures a = run(100 * ms, {method("a", 8, ms), method("b", 8, ms), method("c", 8, ms)});
        RunFigures b = a;
        setPath(a, "abcabcabcabcabcabcabcabc", ms);
        setPath(b, "ababcabcabcabcabcabcabc", ms);
        a.workAtMessages.patterns = {{2, 0, 1}};
        const auto phase = compare(a, b).phase;
        QVERIFY(phase);
        QCOMPARE(phase->mark(), 0u);
        QVERIFY(phase->isSameCount());
        QCOMPARE(phase->b.spans.size(), std::size_t(8));
        // What the pattern has twice is not what begins it.
        setPath(a, "abacabacabacabacabacabac", ms);
        a.workAtMessages.patterns = {{0, 1, 0, 2}};
        const auto twice = compare(a, a).phase;
        QVERIFY(twice);
        QCOMPARE(twice->mark(), 1u);
        QCOMPARE(twice->a.spans.size(), std::size_t(6));
        QCOMPARE(twice->a.spans.front(), (TimeRange{1 * ms, 5 * ms}));
    }

    // The path goes through b in one run and through c in the other: a still begins every iteration.
    void otherWayThroughTheLoop()
    {
        RunFigures a = run(100 * ms, {method("a", 8, ms), method("b", 8, ms), method("c", 8, ms)});
        RunFigures b = a;
        setPath(a, "abababababababab", ms);
        setPath(b, "acacacacacacacac", 2 * ms);
        a.workAtMessages.patterns = {{0, 1}};
        b.workAtMessages.patterns = {{0, 2}};
        const auto phase = compare(a, b).phase;
        QVERIFY(phase);
        QCOMPARE(phase->pattern, std::vector<std::uint32_t>{0});
        QCOMPARE(phase->instancesA, std::size_t(0));
        QCOMPARE(phase->a.spans.size(), std::size_t(8));
        QCOMPARE(phase->a.durations.median, 2 * ms);
        QCOMPARE(phase->b.durations.median, 4 * ms);
        // Not if it is the run-time system's, or begins another number of iterations.
        a.methods[0].kind = b.methods[0].kind = EntryKind::System;
        QVERIFY(!compare(a, b).phase);
        a.methods[0].kind = b.methods[0].kind = EntryKind::User;
        setPath(b, "acacacacacacac", ms);
        b.workAtMessages.patterns = {{0, 2}};
        QVERIFY(!compare(a, b).phase);
    }

    // Loops of many entry methods, of which the runs share all or every second one.
    void longLoops()
    {
        constexpr std::uint32_t many = 100'000, rounds = 6;
        std::vector<MethodFigures> methods;
        for (std::uint32_t i = 0; i < many; ++i) methods.push_back(method("m", rounds, ms));
        for (std::uint32_t i = 0; i < many; ++i) methods[i].name += QString::number(i);
        const auto loop = [&methods](std::uint32_t step) {
            RunFigures figures = run(rounds * many * ms, methods);
            std::vector<std::uint32_t> pattern;
            for (std::uint32_t i = 0; i < many; i += step) pattern.push_back(i);
            for (std::uint32_t round = 0; round < rounds; ++round)
                for (const std::uint32_t symbol : pattern) {
                    const auto at = TimeNs(figures.workAtMessages.path.symbols.size()) * ms;
                    figures.workAtMessages.path.symbols.push_back(symbol);
                    figures.workAtMessages.path.parts.push_back({at, at + ms});
                }
            figures.workAtMessages.searched = collapsed(figures.workAtMessages.path.symbols);
            figures.workAtMessages.patterns = {pattern};
            return figures;
        };
        const RunFigures all = loop(1), half = loop(2);
        const std::clock_t start = std::clock();
        const auto phase = commonPhase(all, half, matchMethods(all.methods, half.methods));
        QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 4);
        QVERIFY(phase);
        QCOMPARE(phase->pattern.size(), std::size_t(many / 2));
        QCOMPARE(phase->mark(), 0u);
        QCOMPARE(phase->a.spans.size(), std::size_t(rounds));
        QVERIFY(phase->isSameCount());
    }

    void adviceComesTrue_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<QString>("outcome");
        QTest::newRow("inside") << 0.1 << 0.3 << QStringLiteral("as_predicted");
        QTest::newRow("less") << 0.25 << 0.3 << QStringLiteral("less");
        QTest::newRow("more") << 0.05 << 0.15 << QStringLiteral("more");
        QTest::newRow("too wide to be a prediction") << 0.0 << 0.5 << QStringLiteral("not_predicted");
    }
    void adviceComesTrue()
    {
        QFETCH(const double, low);
        QFETCH(const double, high);
        QFETCH(const QString, outcome);
        const Comparison c = compare(run(100 * ms, {}), run(80 * ms, {}), {advice(low, high)});
        QCOMPARE(c.advice.size(), std::size_t(1));
        QCOMPARE(QString::fromLatin1(name(c.advice[0].outcome)), outcome);
        QVERIFY2(c.advice[0].text.contains(QStringLiteral("B took 80 ms instead of 100 ms: a gain of 20.0 %")),
                 qPrintable(c.advice[0].text));
    }
    // A replay of balanced work says nothing of a priority: only a replay of the advice itself is held against it.
    void aReplayIsHeldAgainstItsOwnAdvice()
    {
        Advice given = advice(0.25, 0.3);
        given.replay = std::make_shared<const ReplayQuestion>(ReplayQuestion{.queue = QueueOrder::Priority});
        given.replayWords = QStringLiteral("hop at priority -5");
        RunFigures replayed = run(80 * ms, {});
        replayed.info.commandline = QStringLiteral("replay of ./p: all PEs with the same work");
        const Comparison other = compare(run(100 * ms, {}), replayed, {given});
        QCOMPARE(other.advice[0].outcome, AdviceOutcome::NotPredicted);
        QVERIFY(other.advice[0].isOfAnother && !other.advice[0].saysMuch());
        QCOMPARE(other.advice[0].text, QStringLiteral("The replay took 80 ms instead of 100 ms: a gain of 20.0 %. That "
                                                      "replay changes something else."));
        replayed.info.commandline = QStringLiteral("replay of ./p: hop at priority -5");
        const Comparison own = compare(run(100 * ms, {}), replayed, {given});
        QCOMPARE(own.advice[0].outcome, AdviceOutcome::Less);
        QVERIFY(own.advice[0].saysMuch());
    }
    void moreThanTheBound()
    {
        Advice unpredicted{.id = QStringLiteral("split:E1"), .bound = 10 * ms};
        const Comparison c = compare(run(100 * ms, {}), run(80 * ms, {}), {unpredicted});
        QVERIFY(c.advice[0].text.contains(QStringLiteral("something else changed as well")));
        unpredicted.bound = 20 * ms;
        QVERIFY(!compare(run(100 * ms, {}), run(80 * ms, {}), {unpredicted})
                     .advice[0]
                     .text.contains(QStringLiteral("else")));
    }

    // The path at merges runs through entry methods that are on no other path, and in no profile.
    void entriesOfThePhaseAlone()
    {
        constexpr std::uint32_t turns = 100;
        constexpr TimeNs length = 100;
        Written written;
        written.tasks.resize(3);
        written.messages.resize(3);
        written.tasks[0].push_back({.begin = turns * 60, .duration = 2 * turns * length - turns * 60 + 1});
        for (std::uint32_t i = 0; i < 2 * turns; ++i) {
            Executed one{.begin = i * length, .duration = length, .entry = 1 + i % 2};
            if (i > 0) one.merged = task(1 + (i - 1) % 2, (i - 1) / 2);
            written.tasks[1 + i % 2].push_back(one);
        }
        const QTemporaryDir folder;
        const auto trace = store(written, folder.filePath(QStringLiteral("phase.longpole")));
        QVERIFY(trace);
        const auto figures = asked(trace, RunFiguresQuestion{});
        QVERIFY2(figures.ok(), figures.ok() ? "" : qPrintable(figures.error().what));
        QCOMPARE((*figures)->phase.pattern.size(), std::size_t(2));
        for (const std::uint32_t place : (*figures)->phase.pattern) QVERIFY(place < (*figures)->methods.size());
    }

    void emptyRuns()
    {
        const Comparison c = compare(RunFigures{}, RunFigures{});
        QCOMPARE(c.gained(), 0.0);
        QVERIFY(c.methods.empty() && !c.phase);
        QVERIFY(!relativeChange(0, 5));
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestComparison)
#include "tst_comparison.moc"
