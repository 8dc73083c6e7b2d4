// SPDX-License-Identifier: GPL-3.0-or-later
// Phases of the critical path: the string that it becomes, and the pieces into which a phase cuts the run.
#include "analysis/phases/pathphases.h"
#include "analysis/phases/phases.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace longpole;

namespace {

// A task a letter, each from its own time to just before the next one's.
CriticalPath pathOf(const std::string& text, const std::vector<TimeNs>& begins = {})
{
    CriticalPath path;
    for (std::uint32_t i = 0; i < text.size(); ++i) {
        const TimeNs begin = begins.empty() ? TimeNs{i} * 10 : begins[i];
        path.steps.push_back(
            {.task = {ProcessorId{0}, i}, .entry = EntryId{std::uint32_t(text[i])}, .begin = begin, .end = begin + 9});
    }
    return path;
}

PathPhases phasesOfPath(const CriticalPath& path, const PhaseQuestion& question)
{
    Result<PathPhases> found = pathPhases(path, question, Progress{});
    return found ? *found : PathPhases{};
}

std::string lettersOf(const Phase& phase) { return {phase.pattern.begin(), phase.pattern.end()}; }

}  // namespace

class TestPhasesOfPath : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void pathAsString();
    void pieces();
    void bursts();
    void durations();
};

// A task's pieces are one symbol, latencies none.
void TestPhasesOfPath::pathAsString()
{
    const auto step = [](std::uint32_t task, std::uint32_t entry, PathPart part, TimeNs begin, TimeNs end) {
        return PathStep{
            .task = {ProcessorId{0}, task}, .entry = EntryId{entry}, .begin = begin, .end = end, .part = part};
    };
    CriticalPath path;
    QVERIFY(pathString(path).symbols.empty());
    path.steps = {step(0, 7, PathPart::Compute, 0, 2), step(1, 8, PathPart::Network, 2, 3),
                  step(1, 8, PathPart::Compute, 3, 4), step(1, 8, PathPart::Compute, 4, 6),
                  step(2, 8, PathPart::Compute, 6, 9)};
    const PathString string = pathString(path);
    QCOMPARE(string.symbols, (std::vector<std::uint32_t>{7, 8, 8}));
    QCOMPARE(string.parts, (std::vector<TimeRange>{{0, 2}, {3, 6}, {6, 9}}));
    QCOMPARE(string.tasks[2], (TaskId{ProcessorId{0}, 2}));
}

// Iterations are there where the root does not match, too: across xx, and in abac.
void TestPhasesOfPath::pieces()
{
    const std::string text = "xabbcabbcabbcxxabcabcabcabacy";
    const PathPhases found = phasesOfPath(pathOf(text), {.options = {.count = 1}});
    QCOMPARE(found.phases.size(), std::size_t(1));
    const Phase& phase = found.phases.front();
    const auto textsOf = [&](PhaseCut cut) {
        std::vector<std::string> texts;
        for (const PhasePiece& piece : phasePieces(found, phase, cut)) {
            const std::size_t first = found.searched.begins[piece.first];
            texts.push_back(text.substr(first, found.searched.begins[piece.last] - first));
            if (piece.range.begin != TimeNs(first) * 10) texts.emplace_back("wrong begin");
        }
        return texts;
    };
    using Texts = std::vector<std::string>;
    QCOMPARE(lettersOf(phase), std::string("abc"));
    QCOMPARE(textsOf(PhaseCut::Instances), (Texts{"abbc", "abbc", "abbc", "abc", "abc", "abc"}));
    QCOMPARE(textsOf(PhaseCut::Repeats), textsOf(PhaseCut::Instances));
    QCOMPARE(phase.mark, std::uint32_t('c'));  // seven, as b, but much more even
    QCOMPARE(textsOf(PhaseCut::Iterations), (Texts{"cabb", "cabb", "cxxab", "cab", "cab", "caba", "c"}));
    const std::vector<PhasePiece> iterations = phasePieces(found, phase, PhaseCut::Iterations);
    for (std::size_t i = 1; i < iterations.size(); ++i)
        QCOMPARE(iterations[i].range.begin, iterations[i - 1].range.end);
    QCOMPARE(iterations.back().range.end, TimeNs(279));  // before y
    QCOMPARE(rangesOf(iterations).size(), iterations.size());

    // A phase that repeats its root.
    const std::string twice = "abababababababab";
    const PathPhases roots = phasesOfPath(pathOf(twice), {.options = {.support = 4, .count = 1}, .collapse = false});
    QCOMPARE(lettersOf(roots.phases[0]), std::string("abab"));
    QCOMPARE(phasePieces(roots, roots.phases[0], PhaseCut::Instances).size(), std::size_t(4));
    QCOMPARE(phasePieces(roots, roots.phases[0], PhaseCut::Repeats).size(), std::size_t(8));
    QCOMPARE(phasePieces(roots, roots.phases[0], PhaseCut::Iterations).size(), std::size_t(8));
    QCOMPARE(exactIterations(roots, roots.phases[0]), phasePieces(roots, roots.phases[0], PhaseCut::Repeats));
    QCOMPARE(roots.alphabet, (std::vector<std::uint32_t>{'a', 'b'}));
    Progress cancelled;
    cancelled.cancel();
    for (const PhaseCut cut : {PhaseCut::Iterations, PhaseCut::Repeats})
        QVERIFY(phasePieces(roots, roots.phases[0], cut, cancelled).size() <= 1);
    // Its root is "ba" or "ab", but b is rarer: exact iterations begin there.
    const PathPhases turned = phasesOfPath(pathOf("aabababababababa"),
                                           {.options = {.support = 3, .count = 1}, .collapse = false});
    for (const PhasePiece& piece : exactIterations(turned, turned.phases[0]))
        QCOMPARE(turned.searched.symbols[piece.first], std::uint32_t('b'));
}

// Four elements of an array do "ab" in a row on their PE: they are one iteration.
void TestPhasesOfPath::bursts()
{
    std::string text;
    std::vector<TimeNs> begins;
    for (int iteration = 0; iteration < 8; ++iteration)
        for (int element = 0; element < 4; ++element)
            for (const char symbol : {'a', 'b'}) {
                text += symbol;
                begins.push_back(iteration * 10'000 + TimeNs(text.size()) * 10);
            }
    const PathPhases found = phasesOfPath(pathOf(text, begins), {.options = {.count = 1}});
    const auto iterations = phasePieces(found, found.phases.front(), PhaseCut::Iterations);
    QCOMPARE(iterations.size(), std::size_t(8));
    for (const PhasePiece& piece : iterations) QCOMPARE(piece.last - piece.first, std::size_t(8));
}

void TestPhasesOfPath::durations()
{
    const std::vector<TimeRange> instances{{0, 10}, {10, 22}, {30, 41}, {50, 90}, {90, 99}};
    const InstanceDurations found = instanceDurations(instances);
    QCOMPARE(found.median, TimeNs(11));
    QCOMPARE(found.spread, TimeNs(1));
    QCOMPARE(found.slow, std::vector<std::size_t>{3});
    QCOMPARE(instanceDurations({}).median, TimeNs(0));
}

LONGPOLE_TEST(TestPhasesOfPath)
#include "tst_phasesofpath.moc"
