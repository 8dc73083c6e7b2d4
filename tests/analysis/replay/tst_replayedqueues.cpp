// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that use priorities, expedited messages or queues newest first: what the replay finds of that in the record, and
// that asking for the opposite recovers the other run; and how often the truth lies in what is predicted.
#include "analysis/queues/discipline.h"
#include "analysis/realtraces.h"
#include "support/machines/replayedmachine.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>

using namespace longpole;

namespace {

// A run as it was recorded, and one as it might have been.
struct PlayedPair {
    PlayedQueue was;
    PlayedQueue is;
};

ReplayQuestion askedFor(const PlayedQueue& queue, const MachineRun& recorded)
{
    if (queue.isLifo) return {.queue = QueueOrder::Lifo};
    if (queue.first != nullptr) return prioritizedAt(recorded.entry(queue.first));
    return {.queue = QueueOrder::Fifo};
}

const MachineProgram& playedProgram(const char* name)
{
    const auto& all = machinePrograms();
    return *std::find_if(all.begin(), all.end(),
                         [&](const MachineProgram& one) { return qstrcmp(one.name, name) == 0; });
}

QString wordsOf(const PlayedQueue& queue)
{
    if (queue.isLifo) return QStringLiteral("newest first");
    if (queue.isShuffled) return QStringLiteral("shuffled");
    if (queue.newestFirst != nullptr) return QStringLiteral("newest first of ") + QLatin1String(queue.newestFirst);
    if (queue.shuffled != nullptr) return QStringLiteral("shuffled ") + QLatin1String(queue.shuffled);
    if (queue.expedited != nullptr) return QStringLiteral("expedited ") + QLatin1String(queue.expedited);
    return queue.first != nullptr ? QLatin1String(queue.first) + QStringLiteral(" first") : QStringLiteral("fifo");
}

// What the second run of a pair gained over the first, and what the replay of the first says.
struct Foretold {
    double truth = 0;
    Prediction prediction{};
    QString words{};

    // By how much the truth lies outside.
    double miss() const { return std::max({0.0, prediction.gainLow - truth, truth - prediction.gainHigh}); }
};

Foretold foretell(const MachineProgram& program, std::uint64_t seed, const PlayedPair& pair)
{
    const MachineRun recorded = playedRun(program, seed * 1000 + 7, machineOptions(seed), pair.was);
    // Priorities by chance make another program of each run: that one is compared which was recorded.
    const bool isOne = pair.was.isShuffled || pair.was.shuffled != nullptr;
    const auto before = static_cast<double>(isOne ? recorded.duration() : playedMedian(program, seed, pair.was));
    const auto after = static_cast<double>(playedMedian(program, seed, pair.is));
    const auto predicted = predict(*modelOf(recorded), askedFor(pair.is, recorded), Progress{});
    Foretold found{.truth = 1 - after / before};
    if (predicted) found.prediction = *predicted;
    found.words = QStringLiteral("%1, seed %2, %3 -> %4: %5 in [%6, %7]")
                      .arg(QLatin1String(program.name))
                      .arg(seed)
                      .arg(wordsOf(pair.was), wordsOf(pair.is))
                      .arg(found.truth)
                      .arg(found.prediction.gainLow)
                      .arg(found.prediction.gainHigh);
    return found;
}

bool isThere(const MachineProgram& program, std::uint64_t seed, const char* entry)
{
    return playedRun(program, seed * 1000 + 7, machineOptions(seed)).entry(entry) != noEntry;
}

}  // namespace

class TestReplayedQueues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void priorityIsFound();
    void newestFirstIsFound();
    void fifoShowsNoOrder_data() { addPrograms(); }
    void fifoShowsNoOrder();
    void opposites_data() { addPrograms(); }
    void opposites();
    void oppositesOfMixedQueues_data() { addPrograms(); }
    void oppositesOfMixedQueues();
    void truthsLieInside();
    void ordersOfMessagesAreKept();
    void newestFirstOfOneEntryIsFound();
    void fittedBaselineHidesWhatFreeOneShows();
    void noiseOfIterationsIsTheLeastWidth();
    void measuredGains_data();
    void measuredGains();

private:
    static void addPrograms();
    RealTraces m_traces;
};

void TestReplayedQueues::addPrograms()
{
    QTest::addColumn<int>("program");
    for (std::size_t i = 0; i < machinePrograms().size(); ++i)
        QTest::newRow(machinePrograms()[i].name) << static_cast<int>(i);
}

void TestReplayedQueues::priorityIsFound()
{
    const MachineProgram& program = playedProgram("chain_and_bulk");
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const MachineRun recorded = playedRun(program, seed * 1000 + 7, machineOptions(seed), {.first = "chain_hop"});
        const auto model = modelOf(recorded);
        const QueueDiscipline& found = model->discipline;
        QCOMPARE(found.order.size(), std::size_t(1));
        QCOMPARE(found.order.front().entry, recorded.entry("chain_hop"));
        QCOMPARE(found.order.front().before, recorded.entry("bulk"));
        QCOMPARE(found.order.front().conduct, RecordedConduct::Before);
        QVERIFY(found.order.front().evidence >= 10);
        QVERIFY(found.of(index(recorded.entry("chain_hop"))) < found.of(index(recorded.entry("bulk"))));
        QVERIFY(found.unexplainedShare() < 0.01);
        // The run as it was is replayed with it, not first in, first out.
        const auto kept = replay(*model, {}, ArrivalReading::Likely, Progress{});
        const auto fifo = replay(*model, {.queue = QueueOrder::Fifo}, ArrivalReading::Likely, Progress{});
        QVERIFY(kept && fifo);
        const auto recordedTime = static_cast<double>(recorded.duration());
        QVERIFY(std::abs(static_cast<double>(kept->duration) / recordedTime - 1) < 0.005);
        QVERIFY(static_cast<double>(fifo->duration) / recordedTime > 1.05);
    }
}

void TestReplayedQueues::newestFirstIsFound()
{
    const MachineProgram& program = playedProgram("producers");
    const MachineRun recorded = playedRun(program, 3007, machineOptions(3), {.isLifo = true});
    const auto model = modelOf(recorded);
    for (const char* name : {"out", "finish"}) {
        const EntryId entry = recorded.entry(name);
        QVERIFY(QueueDiscipline::isLifo(model->discipline.of(index(entry))));
        const auto& order = model->discipline.order;
        QVERIFY(std::any_of(order.begin(), order.end(), [&](const RecordedOrder& one) {
            return one.entry == entry && one.before == entry && one.conduct == RecordedConduct::Lifo;
        }));
    }
}

void TestReplayedQueues::fifoShowsNoOrder()
{
    QFETCH(int, program);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const MachineRun recorded = playedRun(machinePrograms()[static_cast<std::size_t>(program)], seed * 1000 + 7,
                                              machineOptions(seed));
        QVERIFY2(modelOf(recorded)->discipline.isFifo(), qPrintable(QString::number(seed)));
    }
}

// What a run did is taken from it, and the other run of the pair comes out: within three points, of the right sign.
void TestReplayedQueues::opposites()
{
    QFETCH(int, program);
    const MachineProgram& played = machinePrograms()[static_cast<std::size_t>(program)];
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        std::vector<PlayedPair> pairs{{{}, {.isLifo = true}}, {{.isLifo = true}, {}}};
        for (const char* candidate : played.candidates) {
            if (!isThere(played, seed, candidate)) continue;
            pairs.push_back({{}, {.first = candidate}});
            pairs.push_back({{.first = candidate}, {}});
            pairs.push_back({{.expedited = candidate}, {}});
        }
        for (const PlayedPair& pair : pairs) {
            const Foretold found = foretell(played, seed, pair);
            if (!found.prediction.isUsable()) continue;
            QVERIFY2(found.prediction.gainHigh - found.prediction.gainLow <= 0.25, qPrintable(found.words));
            QVERIFY2(found.miss() <= 0.03, qPrintable(found.words));
            QVERIFY2(found.truth < 0.03 || found.prediction.gainHigh > 0, qPrintable(found.words));
            QVERIFY2(found.truth > -0.03 || found.prediction.gainLow < 0, qPrintable(found.words));
        }
    }
}

// The same where entry methods differ in their discipline, or single messages have priorities.
void TestReplayedQueues::oppositesOfMixedQueues()
{
    QFETCH(int, program);
    const MachineProgram& played = machinePrograms()[static_cast<std::size_t>(program)];
    int asked = 0;
    QStringList missed;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        std::vector<PlayedPair> pairs{{{.isShuffled = true}, {}}};
        for (const char* candidate : played.candidates) {
            if (!isThere(played, seed, candidate)) continue;
            pairs.push_back({{.isLifo = true}, {.first = candidate}});
            pairs.push_back({{.first = candidate}, {.isLifo = true}});
            pairs.push_back({{.newestFirst = candidate}, {}});
            pairs.push_back({{.newestFirst = candidate}, {.first = candidate}});
            pairs.push_back({{.shuffled = candidate}, {}});
            pairs.push_back({{.isShuffled = true}, {.first = candidate}});
        }
        for (const PlayedPair& pair : pairs) {
            const Foretold found = foretell(played, seed, pair);
            if (!found.prediction.isUsable()) continue;
            ++asked;
            const bool isWrong = (found.truth >= 0.03 && found.prediction.gainHigh <= 0)
                                 || (found.truth <= -0.03 && found.prediction.gainLow >= 0);
            if (found.miss() > 0.03 || isWrong) missed << found.words;
        }
    }
    QVERIFY(asked >= 20);
    // Two of a program may go wrong: where the recorded order hides what a message waited for, or few ever waited.
    QVERIFY2(missed.size() <= 2, qPrintable(missed.join(QLatin1Char('\n'))));
}

// Nine in ten truths should; programs and questions are drawn.
void TestReplayedQueues::truthsLieInside()
{
    std::mt19937_64 random(2026);
    int asked = 0, inside = 0, refused = 0;
    QStringList outside;
    for (std::uint64_t seed = 21; seed <= 40; ++seed)
        for (const MachineProgram& program : machinePrograms()) {
            std::vector<PlayedQueue> queues{{}, {.isLifo = true}};
            for (const char* candidate : program.candidates)
                if (isThere(program, seed, candidate)) queues.push_back({.first = candidate});
            const PlayedQueue was = queues[random() % queues.size()];
            const PlayedQueue is = queues[random() % queues.size()];
            const Foretold found = foretell(program, seed, {was, is});
            refused += !found.prediction.isUsable();
            if (!found.prediction.isUsable()) continue;
            ++asked;
            inside += found.miss() <= 0;
            if (found.miss() > 0) outside << found.words;
        }
    const QString said = QStringLiteral("of %1: %2 inside, %3 refused\n%4")
                             .arg(asked)
                             .arg(inside)
                             .arg(refused)
                             .arg(outside.join(QLatin1Char('\n')));
    QVERIFY2(inside * 100 >= asked * 85, qPrintable(said));
    QVERIFY2(refused * 10 <= asked, qPrintable(said));
}

// Single messages have priorities that their entry methods do not tell: that is said, and their recorded order kept.
void TestReplayedQueues::ordersOfMessagesAreKept()
{
    MachineOptions options = machineOptions(2);
    options.isShuffled = true;
    const MachineRun recorded = playedRun(playedProgram("chain_and_bulk"), 2007, options, PlayedQueue{});
    const auto model = modelOf(recorded);
    const auto& order = model->discipline.order;
    QVERIFY(std::any_of(order.begin(), order.end(), [&](const RecordedOrder& one) {
        return one.conduct == RecordedConduct::Messages && one.entry == recorded.entry("bulk")
               && one.before == one.entry && one.evidence >= 5;
    }));
    const auto kept = replay(*model, {}, ArrivalReading::Likely, Progress{});
    const auto fifo = replay(*model, {.queue = QueueOrder::Fifo}, ArrivalReading::Likely, Progress{});
    QVERIFY(kept && fifo);
    const auto off = [&recorded](const ReplayedRun& run) {
        return std::abs(static_cast<double>(run.duration) / static_cast<double>(recorded.duration()) - 1);
    };
    QVERIFY2(off(*kept) < 0.02 && off(*fifo) > 0.02,
             qPrintable(QStringLiteral("%1 %2").arg(off(*kept)).arg(off(*fifo))));
}

// Each entry method has its own discipline: one newest first, the others as before.
void TestReplayedQueues::newestFirstOfOneEntryIsFound()
{
    const MachineProgram& program = playedProgram("chain_and_bulk");
    const MachineRun recorded = playedRun(program, 1007, machineOptions(1), {.newestFirst = "bulk"});
    const auto model = modelOf(recorded);
    const QueueDiscipline& found = model->discipline;
    QVERIFY(QueueDiscipline::isLifo(found.of(index(recorded.entry("bulk")))));
    QVERIFY(!QueueDiscipline::isLifo(found.of(index(recorded.entry("chain_hop")))));
}

// Arrivals that are fitted to the record make its replay exact; after usual latencies it is off where they vary.
void TestReplayedQueues::fittedBaselineHidesWhatFreeOneShows()
{
    MachineOptions options = machineOptions(3);
    options.latencyNoise = 400;
    const MachineRun recorded = playedRun(playedProgram("wavefront"), 3007, options);
    const auto predicted = predict(*modelOf(recorded), {}, Progress{});
    QVERIFY(predicted);
    QVERIFY(std::abs(predicted->baselineError) < 0.02);
    QVERIFY2(std::abs(predicted->freeBaselineError) > 0.02, qPrintable(QString::number(predicted->freeBaselineError)));
}

void TestReplayedQueues::noiseOfIterationsIsTheLeastWidth()
{
    const MachineProgram& program = playedProgram("chain_and_bulk");
    MachineOptions options = machineOptions(1);
    const auto widthAt = [&](double workNoise) {
        options.workNoise = workNoise;
        const MachineRun recorded = playedRun(program, 1007, options);
        const auto predicted = predict(*modelOf(recorded), prioritizedAt(recorded.entry("bulk")), Progress{});
        return predicted ? std::pair(predicted->noise, predicted->gainHigh - predicted->gainLow) : std::pair(0.0, 0.0);
    };
    const auto [quiet, narrow] = widthAt(0);
    const auto [noisy, wide] = widthAt(0.6);
    QVERIFY(quiet < 0.002);
    QVERIFY2(noisy > 0.003, qPrintable(QString::number(noisy)));
    QVERIFY(wide >= 4 * noisy - 1e-9 && wide > narrow);
    // Between a run and itself there is none.
    const MachineRun recorded = playedRun(program, 1007, options);
    const auto same = predict(*modelOf(recorded), {.queue = QueueOrder::Fifo}, Progress{});
    QVERIFY(same);
    QVERIFY(same->noise > 0.003);
    QVERIFY(same->gainHigh <= std::max(0.001, std::abs(same->baselineError)));
    QVERIFY(same->gainLow >= -std::max(0.001, std::abs(same->baselineError)));
}

// Programs that were really run both ways (traces/MANIFEST.md).
void TestReplayedQueues::measuredGains_data()
{
    QTest::addColumn<QString>("trace");
    QTest::addColumn<QString>("entry");
    QTest::addColumn<double>("measured");
    QTest::newRow("chain and bulk") << QStringLiteral("chain_and_bulk_p6") << QStringLiteral("chain_hop") << 0.37;
    QTest::newRow("pipeline") << QStringLiteral("pipeline_p6") << QStringLiteral("stage_item") << 0.277;
    QTest::newRow("blocker") << QStringLiteral("blocker_p6") << QStringLiteral("token_hop") << -0.004;
}

void TestReplayedQueues::measuredGains()
{
    QFETCH(const QString, trace);
    QFETCH(const QString, entry);
    QFETCH(const double, measured);
    if (!RealTraces::has(trace)) QSKIP("the trace is not there");
    const auto store = m_traces.open(trace);
    QVERIFY(store);
    const auto graph = loadActivityGraph(**store, Progress{});
    QVERIFY(graph);
    const auto merges = inferMerges(**store, **graph, Progress{});
    QVERIFY(merges);
    const auto model = replayModel(**store, *graph, *merges, Progress{});
    QVERIFY(model);
    QVERIFY((*model)->discipline.isFifo());
    for (const Entry& one : (*store)->entries()) {
        if (one.name.section(QLatin1Char('('), 0, 0) != entry) continue;
        const auto predicted = predict(**model, prioritizedAt(one.id), Progress{});
        QVERIFY(predicted && predicted->isUsable());
        const QString said = QStringLiteral("%1 to %2").arg(predicted->gainLow).arg(predicted->gainHigh);
        QVERIFY2(predicted->gainLow <= measured + 0.03 && predicted->gainHigh >= measured - 0.03, qPrintable(said));
        return;
    }
    QFAIL("the entry method is not there");
}

LONGPOLE_TEST(TestReplayedQueues)
#include "tst_replayedqueues.moc"
