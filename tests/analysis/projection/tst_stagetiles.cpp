// SPDX-License-Identifier: GPL-3.0-or-later
// Stages made of the pyramid's bins: totals exact, cells exact where no edge cuts a bin.
#include "analysis/projection/stagetiles.h"
#include "analysis/realtraces.h"
#include "core/hostilestore.h"
#include "core/smalltrace.h"

#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

using namespace longpole;

class TestStageTiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void largestRemainder_data();
    void largestRemainder();
    void sharesAddUp();
    void againstChunks_data();
    void againstChunks();
    void alignedStagesAreExact();
    void servesWhatItHas();
    void timesWithoutBoundsEnd();

private:
    RealTraces m_traces;
};

void TestStageTiles::largestRemainder_data()
{
    using Parts = std::vector<std::int64_t>;
    QTest::addColumn<qlonglong>("value");
    QTest::addColumn<Parts>("lengths");
    QTest::addColumn<Parts>("shares");
    QTest::newRow("in proportion") << 10LL << Parts{1, 4} << Parts{2, 8};
    QTest::newRow("the larger remainder gets the rest") << 10LL << Parts{1, 2} << Parts{3, 7};
    QTest::newRow("equal remainders: the earlier part") << 1LL << Parts{5, 5} << Parts{1, 0};
    QTest::newRow("two left over") << 2LL << Parts{1, 1, 1} << Parts{1, 1, 0};
    QTest::newRow("parts of no length get nothing") << 7LL << Parts{0, 3, 0} << Parts{0, 7, 0};
    QTest::newRow("nothing but those: the first") << 7LL << Parts{0, 0} << Parts{7, 0};
    QTest::newRow("large") << 9'000'000'000'000'000'000LL << Parts{1, 1, 1}
                           << Parts{3'000'000'000'000'000'000, 3'000'000'000'000'000'000, 3'000'000'000'000'000'000};
}

void TestStageTiles::largestRemainder()
{
    QFETCH(const qlonglong, value);
    QFETCH(std::vector<std::int64_t>, lengths);
    QFETCH(const std::vector<std::int64_t>, shares);
    shareByLargestRemainder(value, lengths);
    QCOMPARE(lengths, shares);
}

void TestStageTiles::sharesAddUp()
{
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::vector<std::int64_t> parts(1 + random() % 9);
        for (std::int64_t& part : parts) part = static_cast<std::int64_t>(random() % 1000);
        const std::vector<std::int64_t> lengths = parts;
        const std::int64_t whole = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
        const auto value = static_cast<std::int64_t>(random() % 100'000);
        shareByLargestRemainder(value, parts);
        QCOMPARE(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), value);
        for (std::size_t p = 0; p < parts.size() && whole > 0; ++p) {
            const double fair = static_cast<double>(value) * static_cast<double>(lengths[p])
                                / static_cast<double>(whole);
            QVERIFY(std::abs(static_cast<double>(parts[p]) - fair) < 1);
        }
    }
}

void TestStageTiles::againstChunks_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("count");
    for (const QString& name : RealTraces::names())
        for (const int count : {1, 7, 100, 3000})
            if (name != QLatin1String("large"))
                QTest::addRow("%s, %d stages", qPrintable(name), count) << name << count;
}

void TestStageTiles::againstChunks()
{
    QFETCH(const QString, name);
    QFETCH(const int, count);
    const auto store = m_traces.open(name);
    QVERIFY(bool(store));
    const Stages stages = equalStages((*store)->info().range(), count);
    const TimeNs step = std::max<TimeNs>(1, (*store)->info().duration() / count);
    std::vector<Attribute> attributes;
    for (const char* id :
         {"user", "idle", "overhead", "tasks", "messages_created", "utilization", "pack", "bytes_sent"})
        attributes.push_back(*parseAttribute(QLatin1String(id), **store));
    EntryId busiest{};
    TimeNs most = -1;
    for (const ProfileRow& row : (*store)->profile())
        if (row.exclusive > most) busiest = row.entry, most = row.exclusive;
    for (const char* id : {"user", "tasks"}) {
        attributes.push_back(*parseAttribute(QLatin1String(id), **store));
        attributes.back().subject = subjectOf(busiest);
    }
    const std::vector<Measure> all = requestFor(attributes, stages, {}).measures;
    const auto tiles = StageTiles::load(**store, all, {}, stages.whole(), step, Progress{});
    QVERIFY(bool(tiles));
    std::vector<Projection> coarse;
    for (const Attribute& attribute : attributes) {
        QVERIFY(isInTiles(attribute, **store));
        coarse.push_back((*tiles)->project(attribute, stages));
        const auto exact = project(**store, attribute, stages, {}, nullptr, Progress{});
        QVERIFY(bool(exact));
        QCOMPARE(coarse.back().pes, exact->pes);
        QCOMPARE(coarse.back().countsPerProcessor, exact->countsPerProcessor);  // totals are exact
        QCOMPARE(coarse.back().totalCount, exact->totalCount);
        for (std::size_t i = 0; i < exact->values.size(); ++i)
            if (!coarse.back().isApproximate || coarse.back().approximate[i] == 0)
                QCOMPARE(coarse.back().values[i], exact->values[i]);
    }
    for (std::size_t i = 0; i < coarse[0].counts.size(); ++i) {
        const TimeNs length = stages.range(i % stages.count()).length();
        QCOMPARE(coarse[0].counts[i] + coarse[1].counts[i] + coarse[2].counts[i], length);
        QVERIFY(coarse[2].counts[i] >= 0);
    }
}

// Edges at multiples of the bins' width: nothing is guessed.
void TestStageTiles::alignedStagesAreExact()
{
    const auto store = m_traces.open(QStringLiteral("gauss_seidel_p8"));
    if (!store) QSKIP("the trace is not there");
    const TimeRange run = (*store)->info().range();
    const Processor& first = (*store)->processors()[0];
    int level = (*store)->tileLevels(first.track).front();
    for (const Processor& processor : (*store)->processors())
        level = std::max(level, (*store)->tileLevels(processor.track).front());
    Stages stages{{run.begin}};
    for (TimeNs edge = ((run.begin >> level) + 1) << level; edge < run.end; edge += TimeNs{1} << level)
        stages.edges.push_back(edge);
    stages.edges.push_back(run.end);
    const auto user = parseAttribute(QStringLiteral("user"), **store);
    const auto tiles = StageTiles::load(**store, std::array{Measure{StageQuantity::User, {}}}, {}, run,
                                        TimeNs{1} << level, Progress{});
    QVERIFY(bool(tiles));
    const Projection coarse = (*tiles)->project(*user, stages);
    QVERIFY(!coarse.isApproximate);
    const auto exact = project(**store, *user, stages, {}, nullptr, Progress{});
    QVERIFY(bool(exact));
    QCOMPARE(coarse.counts, exact->counts);
}

void TestStageTiles::servesWhatItHas()
{
    const auto store = m_traces.open(QStringLiteral("gauss_seidel_p8"));
    if (!store) QSKIP("the trace is not there");
    const TimeRange run = (*store)->info().range();
    const TimeRange half{run.begin, run.begin + run.length() / 2};
    std::vector<ProcessorId> pes;
    for (const Processor& processor : (*store)->processors()) pes.push_back(processor.pe);
    const auto tiles = StageTiles::load(**store, std::array{Measure{StageQuantity::User, {}}}, pes, half,
                                        half.length() / 50, Progress{});
    QVERIFY(bool(tiles));
    QVERIFY((*tiles)->serves(equalStages(half, 50), pes));
    QVERIFY((*tiles)->serves(equalStages(half, 3), pes));
    QVERIFY(!(*tiles)->serves(equalStages(run, 3), pes));
    QVERIFY(!(*tiles)->serves(equalStages(half, 3), std::vector{pes[0]}));
    QVERIFY((*tiles)->bytes() > 0);
}

// Times of tiles that no run has: what is too much is handed on at once, not a nanosecond at a time.
void TestStageTiles::timesWithoutBoundsEnd()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.longpole"));
    QVERIFY(writeSmallTrace(path).ok());
    const auto sound = TraceStore::open(path);
    QVERIFY(sound.ok());
    const Processor& first = (*sound)->processors()[0];
    const auto change = [](std::vector<StoredColumn>& columns) {
        for (const auto column : {TileColumn::Busy, TileColumn::Idle})
            std::fill(columns[column].begin(), columns[column].end(), 6'000'000'000'000'000'000);
    };
    QVERIFY(editChunk(path, ChunkKind::Tile, first.track, change).ok());
    const auto store = TraceStore::open(path);
    QVERIFY(store.ok());
    const TimeRange run = (*store)->info().range();
    const Stages stages = equalStages(run, 7);
    const auto overhead = parseAttribute(QStringLiteral("overhead"), **store);
    const std::vector<Measure> measures = requestFor(std::vector{*overhead}, stages, {}).measures;
    const auto tiles = StageTiles::load(**store, measures, {}, run, run.length() / 7, Progress{});
    QVERIFY(bool(tiles));
    QCOMPARE((*tiles)->project(*overhead, stages).values.size(), 7 * (*store)->processors().size());
}

LONGPOLE_TEST(TestStageTiles)
#include "tst_stagetiles.moc"
