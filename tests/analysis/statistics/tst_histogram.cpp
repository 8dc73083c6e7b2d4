// SPDX-License-Identifier: GPL-3.0-or-later
// Distributions and histograms: values counted by hand, against brute force on random traces, and on real ones against
// the totals that the importer stored.
#include "analysis/randomtrace.h"
#include "analysis/realtraces.h"
#include "analysis/statistics/histogram.h"

#include "core/trace/columns.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>

using namespace longpole;

namespace {

Distribution of(std::vector<std::pair<std::uint32_t, std::vector<ValueCount>>> entries)
{
    Distribution made;
    for (auto& [entry, values] : entries) {
        const ValueSummary summary = summarize(values);
        made.entries.push_back({.entry = EntryId{entry}, .values = values, .count = summary.count, .sum = summary.sum});
        made.count += summary.count;
        made.sum += summary.sum;
    }
    return made;
}

using Edges = std::vector<std::int64_t>;

// What `distribution` must say, row by row.
struct Oracle {
    std::map<std::int64_t, std::vector<std::int64_t>> byEntry;  // -1: none

    void add(std::int64_t entry, std::int64_t value) { byEntry[entry].push_back(value); }

    void check(const Distribution& found)
    {
        std::int64_t count = 0;
        std::int64_t sum = 0;
        QCOMPARE(found.entries.size(), byEntry.size());
        for (const EntryDistribution& entry : found.entries) {
            std::vector<std::int64_t>& values =
                byEntry[entry.entry == noEntry ? -1 : static_cast<std::int64_t>(index(entry.entry))];
            std::sort(values.begin(), values.end());
            std::vector<std::int64_t> all;
            for (const ValueCount& value : entry.values)
                all.insert(all.end(), static_cast<std::size_t>(value.count), value.value);
            QCOMPARE(all, values);
            QCOMPARE(entry.count, std::int64_t(values.size()));
            for (const std::int64_t value : values) sum += value;
            count += entry.count;
        }
        QCOMPARE(found.count, count);
        QCOMPARE(found.sum, sum);
    }
};

// All rows of a processor, with or without those of the aligned kind.
template <typename Visit>
void rowsOf(const TraceStore& store, ChunkKind kind, const Processor& processor, Visit visit)
{
    const auto refs = store.chunks(kind, processor.track);
    const auto sources = store.chunks(ChunkKind::TaskSource, processor.track);
    for (std::size_t i = 0; i < refs.size(); ++i) {
        const auto rows = store.read(refs[i]);
        QVERIFY(rows.ok());
        std::shared_ptr<const Chunk> aligned;
        if (kind == ChunkKind::Task) aligned = *store.read(sources[i]);
        for (std::uint32_t r = 0; r < refs[i].rows; ++r) visit(**rows, aligned.get(), r);
    }
}

Oracle oracle(const TraceStore& store, const DistributionRequest& request)
{
    Oracle result;
    const bool all = request.range.isEmpty();
    for (const Processor& processor : store.processors()) {
        if (!request.pes.empty() && std::ranges::find(request.pes, processor.pe) == request.pes.end()) continue;
        const auto wants = [&](std::int64_t entry) {
            return request.entries.empty()
                   || std::ranges::find(request.entries, EntryId{std::uint32_t(entry)}) != request.entries.end();
        };
        const bool ofMessages = request.of == DistributedQuantity::MessageSize;
        rowsOf(store, ofMessages ? ChunkKind::Message : ChunkKind::Task, processor,
               [&](const Chunk& rows, const Chunk* source, std::uint32_t r) {
                   if (!all && !request.range.contains(rows.at(0, r))) return;
                   const std::int64_t entry = rows.at(ofMessages ? std::size_t(MessageColumn::Entry)
                                                                 : std::size_t(TaskColumn::Entry),
                                                      r);
                   if (!wants(entry)) return;
                   if (ofMessages) result.add(entry, rows.at(MessageColumn::Bytes, r));
                   else if (request.of == DistributedQuantity::TaskDuration)
                       result.add(entry, rows.at(TaskColumn::Duration, r) - rows.at(TaskColumn::Nested, r));
                   else if (source->at(TaskSourceColumn::MessageIndex, r) >= 0)
                       result.add(entry, source->at(TaskSourceColumn::Latency, r));
               });
    }
    return result;
}

}  // namespace

class TestHistogram : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void valuesAreCounted()
    {
        std::mt19937 random(1);
        std::map<std::int64_t, std::int64_t> expected;
        ValueCounts counts;
        for (int i = 0; i < 20'000; ++i) {
            const std::int64_t value = std::int64_t(random() % 3000) * 1000 - 100'000;
            counts.add(value);
            ++expected[value];
        }
        counts.add(minTime, 3);
        counts.add(maxTime);
        expected[minTime] += 3;
        ++expected[maxTime];
        QCOMPARE(counts.size(), expected.size());
        std::size_t i = 0;
        const std::vector<ValueCount> sorted = counts.sorted();
        for (const auto& [value, count] : expected) QCOMPARE(sorted[i++], (ValueCount{value, count}));
    }

    void rounding()
    {
        QCOMPARE(roundedValue(65535), 65535);
        QCOMPARE(roundedValue(65537), 65536);
        QCOMPARE(roundedValue(-65537), -65536);
        QCOMPARE(roundedValue(0), 0);
        QVERIFY(roundedValue(minTime) < 0);
        ValueCounts counts;
        counts.add(131072);
        counts.add(131073, 2);
        counts.add(5);
        counts.round();
        QCOMPARE(counts.sorted(), (std::vector<ValueCount>{{5, 1}, {131072, 3}}));
    }

    void quantiles()
    {
        const std::vector<ValueCount> values{{10, 50}, {20, 45}, {30, 4}, {40, 1}};
        QCOMPARE(quantile(values, 0), 10);
        QCOMPARE(quantile(values, 0.5), 10);
        QCOMPARE(quantile(values, 0.51), 20);
        QCOMPARE(quantile(values, 0.95), 20);
        QCOMPARE(quantile(values, 0.99), 30);
        QCOMPARE(quantile(values, 1), 40);
        QCOMPARE(quantile({}, 0.5), 0);
        const ValueSummary summary = summarize(values);
        QCOMPARE(summary.count, 100);
        QCOMPARE(summary.sum, 500 + 900 + 120 + 40);
        QCOMPARE(summary.mean, 15.6);
        QCOMPARE(summary.least, 10);
        QCOMPARE(summary.most, 40);
    }

    void logarithmicBins()
    {
        QCOMPARE(logarithmicEdges(1, 1, 3), (Edges{1, 2}));
        QCOMPARE(logarithmicEdges(3, 5, 3), (Edges{2, 5, 10}));
        QCOMPARE(logarithmicEdges(1000, 20'000, 3), (Edges{1000, 2000, 5000, 10'000, 20'000, 50'000}));
        QCOMPARE(logarithmicEdges(100, 1000, 1), (Edges{100, 1000, 10'000}));
        const Edges ten = logarithmicEdges(1, 99,
                                           10);  // those of the first decade that are no whole numbers fall together
        QCOMPARE(ten, (Edges{1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 80, 100}));
        QCOMPARE(logarithmicEdges(390'000, 400'000, 10), (Edges{315'000, 400'000, 500'000}));
        QCOMPARE(logarithmicEdges(100, 100, 2), (Edges{100, 316}));
        QCOMPARE(logarithmicEdges(maxTime - 1, maxTime - 1, 3).back(), maxTime);
    }

    void binsByHand()
    {
        const Distribution made = of({{7, {{0, 2}, {1000, 3}, {1999, 1}, {2000, 1}}}, {4, {{-50, 1}, {999, 1}}}});
        const Histogram log = histogram(made, {.perDecade = 3});
        QCOMPARE(log.edges, (Edges{-50, 0, 500, 1000, 2000, 5000}));
        QCOMPARE(log.counts, (Edges{1, 2, 1, 4, 1}));
        QCOMPARE(log.sums, (Edges{-50, 0, 999, 4999, 2000}));
        QCOMPARE(log.series.size(), std::size_t(2));
        QCOMPARE(log.series[0].entry, EntryId{7});
        QCOMPARE(log.series[0].counts, (Edges{0, 2, 0, 4, 1}));
        QCOMPARE(log.series[1].counts, (Edges{1, 0, 1, 0, 0}));
        const Histogram linear = histogram(made, {.binning = Binning::Linear, .width = 1000});
        QCOMPARE(linear.edges, (Edges{-1000, 0, 1000, 2000, 3000}));
        QCOMPARE(linear.counts, (Edges{1, 3, 4, 1}));
        QCOMPARE(linear.width, 1000);
        const Histogram few = histogram(made, {.binning = Binning::Linear, .bins = 3});
        QCOMPARE(few.width, 2000);
        QCOMPARE(few.counts, (Edges{1, 7, 1}));
        const Histogram whole = histogram(of({{1, {{1000, 2}, {2000, 1}, {3000, 4}}}}), {.perDecade = 10});
        QCOMPARE(whole.edges, (Edges{1000, 2000, 2500, 3150}));
        QCOMPARE(whole.counts, (Edges{2, 1, 4}));
        const Histogram onlyZeros = histogram(of({{1, {{0, 9}}}}), {});
        QCOMPARE(onlyZeros.edges, (Edges{0, 1}));
        QCOMPARE(onlyZeros.counts, (Edges{9}));
        QVERIFY(histogram(of({}), {}).edges.empty());
        // A width that would make millions of bins is made larger.
        const Histogram wide = histogram(of({{1, {{0, 1}, {1'000'000'000, 1}}}}),
                                         {.binning = Binning::Linear, .width = 7});
        QVERIFY(wide.bins() <= std::size_t(mostBins));
        QCOMPARE(wide.counts.front() + wide.counts.back(), 2);
    }

    // Values that are farther apart than the largest number: there were bins without end.
    void valuesThatAreFarApart()
    {
        for (const std::int64_t far : {std::int64_t{1} << 62, maxTime}) {
            const std::int64_t least = far == maxTime ? minTime : -far;
            const Distribution made = of({{1, {{least, 2}, {0, 1}, {far, 3}}}});
            for (const std::int64_t width : {std::int64_t{0}, std::int64_t{7}, maxTime}) {
                const Histogram wide = histogram(made, {.binning = Binning::Linear, .width = width});
                QVERIFY(wide.bins() > 0 && wide.bins() <= std::size_t(width > 0 ? mostBins : 60));
                QVERIFY(std::ranges::is_sorted(wide.edges, std::less_equal()));
                QVERIFY(wide.edges.front() <= least && wide.edges.back() >= far);
                QCOMPARE(std::accumulate(wide.counts.begin(), wide.counts.end(), std::int64_t{0}), 6);
            }
        }
    }

    void theRestIsAddedUp()
    {
        const Distribution made = of({{1, {{8, 1}}}, {2, {{7, 1}}}, {3, {{6, 2}}}, {4, {{5, 1}}}});
        const Histogram two = histogram(made, {.binning = Binning::Linear, .width = 1, .series = 2});
        QCOMPARE(two.series.size(), std::size_t(3));
        QVERIFY(two.series[2].isRest);
        QCOMPARE(two.series[2].counts, (Edges{1, 2, 0, 0}));
        QCOMPARE(two.counts, (Edges{1, 2, 1, 1}));
        // One entry method more than there is room for stands for itself: "1 other" says less than its name.
        QCOMPARE(histogram(made, {.series = 3}).series.size(), std::size_t(4));
        QVERIFY(!histogram(made, {.series = 3}).series[3].isRest);
    }

    void againstBruteForce()
    {
        QTemporaryDir folder;
        std::mt19937 random(7);
        for (unsigned seed = 0; seed < 60; ++seed) {
            const auto store = RandomTrace(seed).write(folder.filePath(QString::number(seed)));
            QVERIFY(store.ok());
            for (const DistributedQuantity quantity :
                 {DistributedQuantity::TaskDuration, DistributedQuantity::MessageSize, DistributedQuantity::Latency}) {
                DistributionRequest request{.of = quantity};
                const auto a = std::int64_t(random() % 20);
                if (random() % 2 == 0 && quantity != DistributedQuantity::MessageSize)
                    request.range = {a, a + 1 + std::int64_t(random() % 20)};
                if (random() % 2 == 0) request.pes = {ProcessorId{0}};
                if (random() % 3 == 0) request.entries = {EntryId{0}, EntryId{2}};
                const auto found = distribution(**store, request, Progress{});
                QVERIFY(found.ok());
                oracle(**store, request).check(*found);
                const Histogram bins = histogram(*found, {.series = 1});
                std::int64_t sum = 0;
                for (const HistogramSeries& series : bins.series)
                    for (std::size_t i = 0; i < bins.bins(); ++i) sum += series.counts[i];
                QCOMPARE(sum, found->count);
            }
        }
    }

    void realTraces_data() { RealTraces::addRows(); }
    void realTraces()
    {
        QFETCH(QString, name);
        const auto opened = m_traces.open(name);
        if (!opened) QSKIP("not imported");
        const TraceStore& store = **opened;
        std::int64_t tasks = 0;
        std::int64_t messages = 0;
        for (const Processor& processor : store.processors())
            if (processor.kind != TrackKind::CommThread) {
                tasks += processor.tasks;
                messages += processor.messages;
            }
        const auto durations = distribution(store, {.of = DistributedQuantity::TaskDuration}, Progress{});
        QVERIFY(durations.ok());
        QCOMPARE(durations->count, tasks);
        QCOMPARE(durations->sum, store.info().busy);
        const auto sizes = distribution(store, {.of = DistributedQuantity::MessageSize}, Progress{});
        QCOMPARE(sizes->count, messages);
        const auto idle = distribution(store, {.of = DistributedQuantity::IdleLength}, Progress{});
        QCOMPARE(idle->sum, store.info().idle);  // idling before the first task is no part of the run
        const auto waits = distribution(store, {.of = DistributedQuantity::QueueWait}, Progress{});
        const auto latencies = distribution(store, {.of = DistributedQuantity::Latency}, Progress{});
        QVERIFY(waits->count >= latencies->count);
        QVERIFY(waits->estimated <= waits->count);
        if (!durations->entries.empty()) {
            QVERIFY(!durations->isRounded);
            const Histogram bins = histogram(*durations, {});
            QCOMPARE(std::accumulate(bins.counts.begin(), bins.counts.end(), std::int64_t{0}), tasks);
            QCOMPARE(std::accumulate(bins.sums.begin(), bins.sums.end(), std::int64_t{0}), store.info().busy);
        }
    }

    void tooManyValuesAreRounded()
    {
        if (!RealTraces::has(QStringLiteral("wave2d_p6"))) QSKIP("no trace");
        const auto store = m_traces.open(QStringLiteral("wave2d_p6"));
        const auto exact = distribution(**store, {.of = DistributedQuantity::Latency}, Progress{});
        const auto rounded = distribution(**store, {.of = DistributedQuantity::Latency, .mostValues = 10}, Progress{});
        QVERIFY(!exact->isRounded);
        QVERIFY(rounded->isRounded);
        QCOMPARE(rounded->count, exact->count);
        QCOMPARE(rounded->sum, exact->sum);
        const double a = double(quantile(allValues(*exact), 0.5));
        const double b = double(quantile(allValues(*rounded), 0.5));
        QVERIFY(b <= a && b > a * (1 - 1.0 / 32768));
        QCOMPARE(histogram(*rounded, {}).summary.sum, exact->sum);
    }

    void cancelled()
    {
        QTemporaryDir folder;
        const auto store = RandomTrace(3).write(folder.filePath(QStringLiteral("t")));
        Progress progress;
        progress.cancel();
        const auto found = distribution(**store, {}, progress);
        QVERIFY(!found.ok());
        QVERIFY(wasCancelled(found.error()));
    }

    void names()
    {
        for (const DistributedQuantity quantity :
             {DistributedQuantity::TaskDuration, DistributedQuantity::MessageSize, DistributedQuantity::IdleLength,
              DistributedQuantity::Latency, DistributedQuantity::QueueWait})
            QCOMPARE(quantityOf(QLatin1String(name(quantity))), std::optional(quantity));
        QVERIFY(!quantityOf(QStringLiteral("weight")));
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestHistogram)
#include "tst_histogram.moc"
