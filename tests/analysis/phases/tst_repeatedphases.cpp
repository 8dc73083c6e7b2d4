// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated phases of strings: the papers' strings, closed forms, and the level-wise method and plain counting on random
// ones.
#include "analysis/phases/disjointplaces.h"
#include "analysis/phases/pathphases.h"
#include "analysis/phases/phases.h"
#include "analysis/phases/primitiveroot.h"
#include "analysis/phases/suffixarray.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

using namespace longpole;

namespace {

// Figure 10 of Dooley, Arya, Kale 2010.
const std::string paperString =
    "abbbbbcdefggggghijbbbbbklmnopopqrbbbbstiuvwbbbbxxyvwbbbbbAAxyvwbbbbxxyvwbbbbbxxyvwbbbbbxxabbbbbcdefg"
    "gggghijbbbbbbklmnopopqrbbbbstiuvwbbbbbAAxyvwbbbbbAAxyvwbbbbbAAxyvwbbbbbxxyvwbbbbbxxabbbbbcdefggggghi"
    "jbbbbbklmnopopqrbbbbstiuvwbbbbxxyvwbbbAAxyvwbbbbxxyvwbbbbAxxywbbbAAxabbbbbcdefgggghijbbbbklmnopopqrb"
    "bbbstiuvwbbbbbAxxyvwbbbbbAxxyvwbbbbbxxyvwbbbbbxxyvwbbbbxxAabbbbbcdefgggghijbbbbbklmnopopqrbbbbstiuvw"
    "bbbbxxyvwbbbbxxyvwbbbbxxyvwbbbbxxyvwbbbbbxxabbbbbcdefggggghijbbbbbklmnopopqrbbbbstiuvwbbbb";
// The same figure in their slides.
const std::string slideString =
    "abbbbbbcdefggggghijbbbbbklmnopopqrbbbbstiuvwbbbbxxyvwbbbbbAAxyvwbbbbxxxyvwbbbbbxxxyvwbbbbbxxxabbbbbb"
    "cdefggggghijbbbbbbklmnopopqrbbbbstiuvwbbbbbAAxyvwbbbbbAAxyvwbbbbbAAxyvwbbbbbxxxyvwbbbbbxxxabbbbbbcde"
    "fggggghijbbbbbklmnopopqrbbbbstiuvwbbbbxxyvwbbbAAxyvwbbbbxxxyvwbbbbAxxywbbbAAxabbbbbbcdefggghijbbbklm"
    "nopopqrbbbbstiuvwbbbbbAxxyvwbbbbbAxxyvwbbbbbxxxyvwbbbbxxxywbbbbxxAabbbbbbcdefggggghijbbbbbklmnopopqr"
    "bbbbstiuvwbbbbxxyvwbbbbxxxyvwbbbbxxxyvwbbbbxxxyvwbbbbbxxxabbbbbbcdefggggghijbbbbbklmnopopqrbbbbstiuv"
    "wbbbb";

using Symbols = std::vector<std::uint32_t>;

Symbols symbolsOf(const std::string& text) { return {text.begin(), text.end()}; }

std::string textOf(std::span<const std::uint32_t> symbols)
{
    std::string text;
    for (const std::uint32_t symbol : symbols) text += static_cast<char>(symbol);
    return text;
}

std::string repeated(const std::string& text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

std::vector<Phase> phasesOf(const Symbols& symbols, const PhaseOptions& options)
{
    Result<FoundPhases> found = phases(symbols, options, Progress{});
    return found ? found->phases : std::vector<Phase>{};
}

// Every place of every substring of free symbols, level by level as in the paper: one symbol longer each time, as long
// as something occurs often enough. The largest score, 0 if there is none.
std::int64_t levelWise(const Symbols& symbols, const std::vector<bool>& isFree, const PhaseOptions& options)
{
    std::int64_t best = 0;
    std::vector<std::int32_t> begins(symbols.size());
    std::iota(begins.begin(), begins.end(), 0);
    for (std::int32_t length = 1; !begins.empty(); ++length) {
        std::map<Symbols, std::vector<std::int32_t>> level;
        for (const std::int32_t begin : begins) {
            const auto end = static_cast<std::size_t>(begin) + static_cast<std::size_t>(length);
            if (end > symbols.size() || !isFree[end - 1]) continue;
            level[Symbols(symbols.begin() + begin, symbols.begin() + begin + length)].push_back(begin);
        }
        begins.clear();
        for (const auto& [pattern, places] : level) {
            std::int64_t count = 0;
            std::int32_t free = 0;
            for (const std::int32_t place : places)
                if (options.overlapping || place >= free) {
                    ++count;
                    free = place + length;
                }
            if (count < options.support) continue;
            best = std::max(best, count * length * length);
            begins.insert(begins.end(), places.begin(), places.end());
        }
    }
    return best;
}

}  // namespace

class TestRepeatedPhases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void best_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("support");
        QTest::addColumn<bool>("overlapping");
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("root");
        QTest::addColumn<int>("instances");
        const auto row = [](const char* name, const std::string& text, int support, const char* pattern,
                            const char* root, int instances, bool overlapping = false) {
            QTest::newRow(name) << QString::fromStdString(text) << support << overlapping << QString::fromUtf8(pattern)
                                << QString::fromUtf8(root) << instances;
        };
        const char* loop = "bbbbklmnopopqrbbbbstiuvwbbbb";
        row("paper, support 6", paperString, 6, loop, loop, 6);
        row("paper, overlapping", paperString, 6, loop, loop, 6, true);
        const char* slide = "abbbbbbcdefggggghijbbbbbklmnopopqrbbbbstiuvwbbbb";
        row("slides, support 4", slideString, 4, slide, slide, 4);
        row("b^36", std::string(36, 'b'), 6, "bbbbbb", "b", 6);
        row("b^36, overlapping", std::string(36, 'b'), 6, "bbbbbbbbbbbbbbbbbbb", "b", 0, true);
        row("(abc)^20", repeated("abc", 20), 6, "abcabcabc", "abc", 6);
        std::string noisy;
        for (int i = 0; i < 8; ++i) noisy += "abbbbbcdefg" + std::string(1, static_cast<char>('0' + i));
        row("8x(abbbbbcdefg and one that differs)", noisy, 6, "abbbbbcdefg", "abbbbbcdefg", 8);
        row("single symbols", "axbxcxdxexfxg", 6, "x", "x", 6);
    }
    void best();

    // Only lengths and counts are known of these (docs/algorithms.md 6).
    void papers_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("support");
        QTest::addColumn<bool>("collapse");
        QTest::addColumn<int>("length");
        QTest::addColumn<int>("instances");
        QTest::addColumn<int>("score");
        const QString paper = QString::fromStdString(paperString), slides = QString::fromStdString(slideString);
        QTest::newRow("paper, 6") << paper << 6 << false << 28 << 6 << 4704;
        QTest::newRow("paper, 4") << paper << 4 << false << 36 << 4 << 5184;
        QTest::newRow("slides, 6") << slides << 6 << false << 27 << 6 << 4374;
        QTest::newRow("slides, 4") << slides << 4 << false << 48 << 4 << 9216;
        QTest::newRow("paper, collapsed") << paper << 6 << true << 29 << 6 << 5046;
        QTest::newRow("slides, collapsed") << slides << 6 << true << 29 << 6 << 5046;
    }
    void papers();

    void nothing_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", "a", "aaaaa", "abcdefghij", "abcdeabcdeabcdeabcdeabcde"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }
    void nothing();

    void isTheLevelWiseAnswer();
    void suffixesAreInOrder();
    void budgetEnds();
    void manySymbols();
    void roots();
    void runs();
    void wrongQuestions();
};

void TestRepeatedPhases::best()
{
    QFETCH(const QString, text);
    QFETCH(const int, support);
    QFETCH(const bool, overlapping);
    QFETCH(const QString, pattern);
    QFETCH(const QString, root);
    QFETCH(const int, instances);
    const Symbols symbols = symbolsOf(text.toStdString());
    const auto found = phasesOf(symbols, {.support = support, .overlapping = overlapping, .count = 1});
    QCOMPARE(found.size(), std::size_t(1));
    const std::string whole = textOf(found[0].pattern);
    QCOMPARE(QString::fromStdString(whole.substr(0, found[0].rootLength)), root);
    QVERIFY(found[0].proven);
    if (instances == 0) return;  // more than the string holds
    QCOMPARE(QString::fromStdString(whole), pattern);
    QCOMPARE(found[0].begins.size(), std::size_t(instances));
    QCOMPARE(found[0].score, std::int64_t(instances) * pattern.size() * pattern.size());
}

void TestRepeatedPhases::papers()
{
    QFETCH(const QString, text);
    QFETCH(const int, support);
    QFETCH(const bool, collapse);
    Symbols symbols = symbolsOf(text.toStdString());
    if (collapse) symbols = collapsed(symbols).symbols;
    for (const bool overlapping : {false, true}) {
        const auto found = phasesOf(symbols, {.support = support, .overlapping = overlapping, .count = 1});
        QCOMPARE(found.size(), std::size_t(1));
        QTEST(int(found[0].pattern.size()), "length");
        QTEST(int(found[0].begins.size()), "instances");
        QTEST(int(found[0].score), "score");
        if (collapse) QCOMPARE(textOf(found[0].pattern), std::string("abcdefghijbklmnopopqrbstiuvwb"));
    }
}

void TestRepeatedPhases::nothing()
{
    QFETCH(const QString, text);
    for (const bool overlapping : {false, true}) {
        const auto found = phases(symbolsOf(text.toStdString()), {.overlapping = overlapping}, Progress{});
        QVERIFY(found.ok());
        QVERIFY(found->phases.empty());
        QVERIFY(found->isComplete);
    }
}

// Small strings of 1 to 4 symbols, random or with repeats; each phase against what those before it left free.
void TestRepeatedPhases::isTheLevelWiseAnswer()
{
    std::mt19937 random(5);
    for (int round = 0; round < 6000; ++round) {
        const std::uint32_t alphabet = 1 + random() % 4;
        Symbols symbols(random() % 61);
        for (std::uint32_t& symbol : symbols) symbol = 'a' + random() % alphabet;
        const std::size_t period = 1 + random() % 9;
        if (round % 2 == 1)
            for (std::size_t i = period; i < symbols.size(); ++i)
                if (random() % 12 != 0) symbols[i] = symbols[i - period];
        if (round % 3 == 2) symbols = collapsed(symbols).symbols;
        const PhaseOptions options{.support = std::int64_t(2 + random() % 6),
                                   .overlapping = random() % 3 == 0,
                                   .count = 3};
        const auto found = phasesOf(symbols, options);
        const QByteArray about = QByteArray::fromStdString(textOf(symbols)) + " support "
                                 + QByteArray::number(qlonglong(options.support))
                                 + (options.overlapping ? " overlapping" : "");
        std::vector<bool> isFree(symbols.size(), true);
        for (std::size_t k = 0; k <= found.size() && k < options.count; ++k) {
            const std::int64_t expected = levelWise(symbols, isFree, options);
            const std::int64_t score = k < found.size() ? found[k].score : 0;
            const QByteArray answers = ": " + QByteArray::number(qlonglong(score)) + " is not "
                                       + QByteArray::number(qlonglong(expected));
            QVERIFY2(score == expected, QByteArray(about + answers).constData());
            if (k == found.size()) break;
            const Phase& phase = found[k];
            const std::size_t length = phase.pattern.size();
            QVERIFY(phase.proven);
            QVERIFY(std::int64_t(phase.begins.size()) >= options.support);
            QCOMPARE(phase.score, std::int64_t(phase.begins.size() * length * length));
            for (std::size_t i = 0; i < phase.begins.size(); ++i) {
                const auto begin = symbols.begin() + std::ptrdiff_t(phase.begins[i]);
                QVERIFY2(std::equal(phase.pattern.begin(), phase.pattern.end(), begin), about.constData());
                if (i > 0) QVERIFY(phase.begins[i] >= phase.begins[i - 1] + (options.overlapping ? 1 : length));
            }
            for (const std::size_t begin : phase.begins)
                for (std::size_t i = 0; i < length; ++i) {
                    QVERIFY(isFree[begin + i] || options.overlapping);
                    isFree[begin + i] = false;
                }
            QVERIFY(phase.rootInstances >= std::int64_t(length / phase.rootLength));
        }
    }
}

void TestRepeatedPhases::suffixesAreInOrder()
{
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        const std::uint32_t alphabet = 1 + random() % 5;
        Symbols symbols(random() % 50);
        for (std::uint32_t& symbol : symbols) symbol = random() % alphabet;
        const SuffixArray array = suffixArray(symbols, alphabet);
        std::vector<std::int32_t> order(symbols.size());
        std::iota(order.begin(), order.end(), 0);
        const auto suffix = [&](std::int32_t begin) { return std::span(symbols).subspan(std::size_t(begin)); };
        std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return std::lexicographical_compare(suffix(a).begin(), suffix(a).end(), suffix(b).begin(), suffix(b).end());
        });
        QCOMPARE(array.order, order);
        for (std::size_t row = 0; row < order.size(); ++row) {
            std::size_t common = 0;
            if (row > 0) {
                const auto a = suffix(order[row - 1]), b = suffix(order[row]);
                while (common < std::min(a.size(), b.size()) && a[common] == b[common]) ++common;
            }
            QCOMPARE(array.common[std::size_t(order[row])], std::int32_t(common));
        }
    }
}

// What was found by then, said not to be proven; never better than the best.
void TestRepeatedPhases::budgetEnds()
{
    const Symbols symbols = symbolsOf(paperString);
    const auto best = phasesOf(symbols, {.count = 1});
    const auto first = phasesOf(symbols, {.count = 1, .budget = 0});
    QCOMPARE(first.size(), std::size_t(1));
    QVERIFY(!first[0].proven);
    QVERIFY(first[0].score <= best[0].score);
    QVERIFY(first[0].begins.size() >= 6);
    // One budget for all: what the first leaves may pay for no second one, and that is said.
    const auto all = phases(symbols, {.count = 3, .budget = unlimitedBudget}, Progress{});
    const auto few = phases(symbols, {.count = 3, .budget = 0}, Progress{});
    QVERIFY(all.ok() && few.ok());
    QCOMPARE(all->phases.size(), std::size_t(3));
    QVERIFY(all->isComplete);
    for (const Phase& phase : all->phases) QVERIFY(phase.proven);
    QCOMPARE(few->phases.size(), std::size_t(1));
    QVERIFY(!few->isComplete);
    const auto justOne = phases(symbols, {.count = 1, .budget = 0}, Progress{});
    QVERIFY(justOne->isComplete);  // no more were asked for
    Progress stopped;
    stopped.cancel();
    QVERIFY(!phases(symbols, {}, stopped).ok());
}

// Ids of any size, each gap of an earlier phase a symbol of its own.
void TestRepeatedPhases::manySymbols()
{
    Symbols symbols;
    for (std::uint32_t i = 0; i < 9; ++i)
        for (const std::uint32_t symbol : {0xffffffffu, 70'000u, 0u, 70'000u, i + 100'000u, 5u, 6u})
            symbols.push_back(symbol);
    const auto found = phasesOf(symbols, {});
    QCOMPARE(found.size(), std::size_t(1));  // 5 6 and the four before it, around the one that differs
    QCOMPARE(found[0].pattern, (Symbols{5, 6, 0xffffffff, 70'000, 0, 70'000}));
    QCOMPARE(found[0].begins.size(), std::size_t(8));
    QCOMPARE(found[0].begins.front(), std::size_t(5));
}

void TestRepeatedPhases::roots()
{
    const auto root = [](const char* text) { return textOf(symbolsOf(text)).substr(0, rootLength(symbolsOf(text))); };
    QCOMPARE(root("abcabcabc"), std::string("abc"));
    QCOMPARE(root("abcabcab"), std::string("abc"));
    QCOMPARE(root("abcab"), std::string("abcab"));  // less than twice
    QCOMPARE(root("aaaa"), std::string("a"));
    QCOMPARE(root("a"), std::string("a"));
    QCOMPARE(root(""), std::string());
    QCOMPARE(disjointOccurrences(symbolsOf("aaaaa"), symbolsOf("aa")), std::int64_t(2));
    QCOMPARE(disjointOccurrences(symbolsOf("ababcababab"), symbolsOf("abab")), std::int64_t(2));
    QCOMPARE(disjointOccurrences(symbolsOf("aaaaa"), {}), std::int64_t(0));
    QCOMPARE(phasesOf(symbolsOf(repeated("abc", 20)), {.count = 1})[0].rootInstances, std::int64_t(20));
}

void TestRepeatedPhases::runs()
{
    const CollapsedRuns found = collapsed(symbolsOf("aabcccca"));
    QCOMPARE(textOf(found.symbols), std::string("abca"));
    QCOMPARE(found.begins, (std::vector<std::size_t>{0, 2, 3, 7, 8}));
    QCOMPARE(collapsed({}).begins, (std::vector<std::size_t>{0}));
}

void TestRepeatedPhases::wrongQuestions()
{
    QVERIFY(!phases(symbolsOf("aaaa"), {.support = 1}, Progress{}).ok());
    QVERIFY(!phases(symbolsOf("aaaa"), {.support = 0}, Progress{}).ok());
}

LONGPOLE_TEST(TestRepeatedPhases)
#include "tst_repeatedphases.moc"
