// SPDX-License-Identifier: GPL-3.0-or-later
// Questions to an open trace: each answer once, for all, within the bound, and no longer than anybody waits.
#include "analysis/results/results.h"

#include "core/smalltrace.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

using namespace longpole;

namespace {

// What a test sees of its questions while they are computed.
struct Seen {
    std::atomic<int> begun{0};
    std::atomic<int> cancelled{0};
    std::atomic<bool> mayEnd{true};
    std::atomic<int> failures{0};  // so often an error comes first
};

// The number n, which is so many bytes large; asks for those below it where it is told to.
struct NumberQuestion {
    using Answer = std::int64_t;
    static constexpr const char* id = "number";
    std::int64_t number = 0;
    bool sumsUp = false;
    Seen* seen = nullptr;

    friend bool operator==(const NumberQuestion&, const NumberQuestion&) = default;
    static std::int64_t bytes(const std::int64_t& number) { return number; }

    Result<std::shared_ptr<const std::int64_t>> compute(Results& results, const Progress& progress) const
    {
        ++seen->begun;
        progress.report(0.25);
        while (!seen->mayEnd && !progress.isCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (progress.isCancelled()) {
            ++seen->cancelled;
            return cancelledError();
        }
        if (seen->failures > 0) {
            --seen->failures;
            return Error{.what = QStringLiteral("failed"), .where = {}, .hint = {}};
        }
        std::int64_t sum = number;
        if (sumsUp && number > 0) {
            const auto below = results.ask(NumberQuestion{number - 1, true, seen}, progress);
            if (!below.ok()) return below.error();
            sum += **below;
        }
        return std::make_shared<const std::int64_t>(sum);
    }
};

void waitFor(const std::function<bool()>& condition)
{
    while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

class TestResults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase();
    void computesOnceForAllWhoAsk();
    void questionsAreToldApartByTheirValues();
    void questionsAskQuestions();
    void goesOnWhileSomebodyWaits();
    void stopsWhenTheLastOneHasGone();
    void beginsAgainAfterItWasCancelled();
    void errorsAreNotKept();
    void keepsWithinTheBound();
    void anAnswerOutlivesWhatItAskedFor();
    void findsAgainWhatIsStillUsed();
    void keepsLessBesideWhatIsUsed();
    void whatIsLargerThanAllRoomDropsNothing();
    void lessCapacityDropsAtOnce();
    void whatIsLetGoIsFoundAsLongAsItIsUsed();
    void roomIsMadeByWhatNobodyUses();
    void tellsHowFarItIs();
    void canGoWhileItComputes();

private:
    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
    std::int64_t m_bytesOfChunks = 0;
};

void TestResults::initTestCase()
{
    const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
    QVERIFY(writeSmallTrace(path).ok());
    const auto store = TraceStore::open(path);
    QVERIFY(store.ok());
    m_store = *store;
    m_bytesOfChunks = m_store->cachedBytes();
}

void TestResults::computesOnceForAllWhoAsk()
{
    Results results(m_store);
    Seen seen;
    seen.mayEnd = false;
    std::atomic<int> right{0};
    std::vector<std::thread> askers;
    askers.reserve(8);
    for (int i = 0; i < 8; ++i)
        askers.emplace_back([&] {
            const auto answer = results.ask(NumberQuestion{7, false, &seen}, Progress{});
            if (answer.ok() && **answer == 7) ++right;
        });
    waitFor([&] { return seen.begun > 0; });
    QVERIFY(!results.peek(NumberQuestion{7, false, &seen}));
    seen.mayEnd = true;
    for (std::thread& asker : askers) asker.join();
    QCOMPARE(right.load(), 8);
    QCOMPARE(seen.begun.load(), 1);
    const auto first = results.peek(NumberQuestion{7, false, &seen});
    QVERIFY(first);
    QCOMPARE(*results.ask(NumberQuestion{7, false, &seen}, Progress{}), first);
}

void TestResults::questionsAreToldApartByTheirValues()
{
    Results results(m_store);
    Seen seen;
    QCOMPARE(**results.ask(NumberQuestion{3, false, &seen}, Progress{}), std::int64_t{3});
    QCOMPARE(**results.ask(NumberQuestion{3, true, &seen}, Progress{}), std::int64_t{6});
    QCOMPARE(**results.ask(NumberQuestion{4, false, &seen}, Progress{}), std::int64_t{4});
    QCOMPARE(seen.begun.load(), 6);  // 3; 3, 2, 1, 0 added up; 4
}

void TestResults::questionsAskQuestions()
{
    Results results(m_store);
    Seen seen;
    QCOMPARE(**results.ask(NumberQuestion{5, true, &seen}, Progress{}), std::int64_t{15});
    QCOMPARE(seen.begun.load(), 6);
    QCOMPARE(**results.ask(NumberQuestion{6, true, &seen}, Progress{}), std::int64_t{21});
    QCOMPARE(seen.begun.load(), 7);  // what 5 is made of is there already
}

void TestResults::goesOnWhileSomebodyWaits()
{
    Results results(m_store);
    Seen seen;
    seen.mayEnd = false;
    Progress impatient;
    std::thread first([&] { QVERIFY(!results.ask(NumberQuestion{9, false, &seen}, impatient).ok()); });
    waitFor([&] { return seen.begun > 0; });
    std::atomic<bool> got{false};
    std::thread second([&] { got = results.ask(NumberQuestion{9, false, &seen}, Progress{}).ok(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    impatient.cancel();
    first.join();
    QCOMPARE(seen.cancelled.load(), 0);
    seen.mayEnd = true;
    second.join();
    QVERIFY(got);
    QCOMPARE(seen.begun.load(), 1);
}

void TestResults::stopsWhenTheLastOneHasGone()
{
    Results results(m_store);
    Seen seen;
    seen.mayEnd = false;
    Progress progress;
    std::thread asker([&] {
        const auto answer = results.ask(NumberQuestion{9, true, &seen}, progress);
        QVERIFY(!answer.ok() && wasCancelled(answer.error()));
    });
    waitFor([&] { return seen.begun > 0; });
    progress.cancel();
    asker.join();
    waitFor([&] { return seen.cancelled == 1; });
    QVERIFY(!results.peek(NumberQuestion{9, true, &seen}));
}

void TestResults::beginsAgainAfterItWasCancelled()
{
    Results results(m_store);
    Seen seen;
    for (int i = 0; i < 20; ++i) {
        seen.mayEnd = false;
        Progress progress;
        std::thread asker([&] { QVERIFY(!results.ask(NumberQuestion{2, false, &seen}, progress).ok()); });
        const int before = i;
        waitFor([&] { return seen.begun > before; });
        progress.cancel();
        asker.join();
    }
    seen.mayEnd = true;
    QCOMPARE(**results.ask(NumberQuestion{2, false, &seen}, Progress{}), std::int64_t{2});
}

void TestResults::errorsAreNotKept()
{
    Results results(m_store);
    Seen seen;
    seen.failures = 1;
    const auto failed = results.ask(NumberQuestion{1, false, &seen}, Progress{});
    QVERIFY(!failed.ok());
    QCOMPARE(failed.error().what, QStringLiteral("failed"));
    QVERIFY(results.held().empty());
    QCOMPARE(**results.ask(NumberQuestion{1, false, &seen}, Progress{}), std::int64_t{1});
}

void TestResults::keepsWithinTheBound()
{
    Results results(m_store, 100);
    Seen seen;
    for (const std::int64_t number : {40, 50, 30})
        QVERIFY(results.ask(NumberQuestion{number, false, &seen}, Progress{}).ok());
    QVERIFY(!results.peek(NumberQuestion{40, false, &seen}));  // asked the longest ago
    QVERIFY(results.peek(NumberQuestion{50, false, &seen}));
    QVERIFY(results.peek(NumberQuestion{30, false, &seen}));
    QCOMPARE(results.bytes() - m_bytesOfChunks, std::int64_t{80});
    QVERIFY(results.ask(NumberQuestion{50, false, &seen}, Progress{}).ok());  // now 30 is the older one
    QVERIFY(results.ask(NumberQuestion{45, false, &seen}, Progress{}).ok());
    QVERIFY(!results.peek(NumberQuestion{30, false, &seen}));
    QVERIFY(results.peek(NumberQuestion{50, false, &seen}));
    QVERIFY(results.ask(NumberQuestion{500, false, &seen}, Progress{}).ok());  // larger than everything: alone
    QCOMPARE(results.held().size(), std::size_t{1});
    QCOMPARE(results.held().front().bytes, std::int64_t{500});
}

// Else a long analysis, whose question was asked before those that it asks, would be computed again each time.
void TestResults::anAnswerOutlivesWhatItAskedFor()
{
    Results results(m_store, 8);
    Seen seen;
    QCOMPARE(**results.ask(NumberQuestion{3, true, &seen}, Progress{}), std::int64_t{6});  // from 3, 1 and 0
    QVERIFY(results.peek(NumberQuestion{3, true, &seen}));
    QVERIFY(!results.peek(NumberQuestion{2, true, &seen}));
}

void TestResults::findsAgainWhatIsStillUsed()
{
    Results results(m_store, 100);
    Seen seen;
    auto used = results.ask(NumberQuestion{90, false, &seen}, Progress{});
    QVERIFY(results.ask(NumberQuestion{80, false, &seen}, Progress{}).ok());
    QCOMPARE(results.bytes() - m_bytesOfChunks, std::int64_t{170});  // one kept, one in use: both are memory
    QCOMPARE(*results.ask(NumberQuestion{90, false, &seen}, Progress{}), *used);
    QCOMPARE(seen.begun.load(), 2);
    QVERIFY(!results.peek(NumberQuestion{80, false, &seen}));
}

// What somebody uses is memory, though dropping it frees none: less is kept beside it.
void TestResults::keepsLessBesideWhatIsUsed()
{
    Results results(m_store, 100);
    Seen seen;
    auto used = results.ask(NumberQuestion{40, false, &seen}, Progress{});
    for (const int bytes : {30, 31, 35}) QVERIFY(results.ask(NumberQuestion{bytes, false, &seen}, Progress{}).ok());
    // 40 in use, and 31 and 35 beside it are more than 100 together.
    QVERIFY(!results.peek(NumberQuestion{30, false, &seen}));
    QVERIFY(!results.peek(NumberQuestion{31, false, &seen}));
    QVERIFY(results.peek(NumberQuestion{35, false, &seen}));
    QVERIFY(results.peek(NumberQuestion{40, false, &seen}));  // found as long as it is used
    used = cancelledError();
    QVERIFY(results.ask(NumberQuestion{31, false, &seen}, Progress{}).ok());
    QVERIFY(results.ask(NumberQuestion{32, false, &seen}, Progress{}).ok());
    QCOMPARE(results.bytes() - m_bytesOfChunks, std::int64_t{35 + 31 + 32});
}

void TestResults::whatIsLargerThanAllRoomDropsNothing()
{
    Results results(m_store, 100);
    Seen seen;
    const auto large = results.ask(NumberQuestion{500, false, &seen}, Progress{});
    QVERIFY(results.ask(NumberQuestion{60, false, &seen}, Progress{}).ok());
    QCOMPARE(*results.ask(NumberQuestion{500, false, &seen}, Progress{}), *large);
    QVERIFY(results.peek(NumberQuestion{60, false, &seen}));
    QCOMPARE(seen.begun.load(), 2);
}

void TestResults::lessCapacityDropsAtOnce()
{
    Results results(m_store, 100);
    Seen seen;
    QVERIFY(results.ask(NumberQuestion{60, false, &seen}, Progress{}).ok());
    QVERIFY(results.ask(NumberQuestion{30, false, &seen}, Progress{}).ok());
    results.setCapacity(50);
    QCOMPARE(results.capacity(), std::int64_t{50});
    QCOMPARE(results.bytes() - m_bytesOfChunks, std::int64_t{30});
}

void TestResults::whatIsLetGoIsFoundAsLongAsItIsUsed()
{
    Results results(m_store, 100);
    Seen seen;
    const NumberQuestion question{60, false, &seen};
    auto used = results.ask(question, Progress{});
    results.letGo(question);
    results.letGo(question);
    results.letGo(NumberQuestion{61, false, &seen});  // was never asked
    QVERIFY(results.peek(question) == *used);
    QCOMPARE(results.bytes() - m_bytesOfChunks, std::int64_t{60});
    used = cancelledError();
    QVERIFY(!results.peek(question));
    QCOMPARE(results.bytes() - m_bytesOfChunks, std::int64_t{0});
    // Its bytes are no longer counted among what is kept: both of these have room.
    QVERIFY(results.ask(NumberQuestion{50, false, &seen}, Progress{}).ok());
    QVERIFY(results.ask(NumberQuestion{45, false, &seen}, Progress{}).ok());
    QVERIFY(results.peek(NumberQuestion{50, false, &seen}));
    QVERIFY(results.ask(question, Progress{}).ok());  // computed again
    QCOMPARE(seen.begun.load(), 4);
}

void TestResults::roomIsMadeByWhatNobodyUses()
{
    Results results(m_store, 100);
    Seen seen;
    const auto ask = [&](std::int64_t number) { return results.ask(NumberQuestion{number, false, &seen}, Progress{}); };
    const auto has = [&](std::int64_t number) { return bool(results.peek(NumberQuestion{number, false, &seen})); };
    auto used = ask(30);
    for (const int bytes : {20, 21, 22}) QVERIFY(ask(bytes).ok());
    results.makeRoomFor(7);  // there is so much
    QVERIFY(has(30) && has(20) && has(21) && has(22));
    results.makeRoomFor(8);
    QVERIFY(has(30) && !has(20) && has(21) && has(22));
    results.makeRoomFor(80);  // more than can be made
    QVERIFY(has(30) && !has(21) && !has(22));
    QCOMPARE(results.bytes() - m_bytesOfChunks, std::int64_t{30});
    used = cancelledError();
    QVERIFY(has(30));  // is kept still
    results.makeRoomFor(71);
    QVERIFY(!has(30));
}

void TestResults::tellsHowFarItIs()
{
    Results results(m_store);
    Seen seen;
    seen.mayEnd = false;
    Progress progress;
    std::thread asker([&] { QVERIFY(results.ask(NumberQuestion{1, false, &seen}, progress).ok()); });
    waitFor([&] { return progress.fraction() > 0; });
    QCOMPARE(progress.fraction(), 0.25);
    seen.mayEnd = true;
    asker.join();
}

void TestResults::canGoWhileItComputes()
{
    Seen seen;
    seen.mayEnd = false;
    auto results = std::make_shared<Results>(m_store);
    Progress progress;
    std::thread asker([results, &seen, &progress] {
        QVERIFY(!results->ask(NumberQuestion{4, true, &seen}, progress).ok());
    });
    waitFor([&] { return seen.begun > 0; });
    results.reset();  // the asker holds it
    progress.cancel();
    asker.join();
    QCOMPARE(seen.cancelled.load(), 1);
}

LONGPOLE_TEST(TestResults)
#include "tst_results.moc"
