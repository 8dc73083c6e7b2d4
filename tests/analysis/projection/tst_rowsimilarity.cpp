// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters of processors: planted ones are found, the error is the least there is on few rows, and outliers are named
// with what sets them apart.
#include "analysis/projection/rowsimilarity.h"

#include "support/testmain.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace longpole;

class RowSimilarityTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void findsPlantedClusters_data();
    void findsPlantedClusters();
    void leastErrorOnFewRows();
    void equalRowsAreOneCluster();
    void noiseIsOneCluster();
    void isTheSameEveryTime();
    void manyRowsAreSampled();
    void outlierHasAReason();
    void loneRowIsComparedWithTheNearestCluster();
    void vectorsAverageStages();
    void unknownValuesCountAsTheMean();
    void nothingAsked();
};

namespace {

RowVectors vectorsOf(std::size_t columns, std::vector<double> values)
{
    const std::size_t rows = values.size() / columns;
    RowVectors vectors{.rows = rows, .columns = columns, .values = std::move(values)};
    double largest = 0;
    for (const double value : vectors.values)
        if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
    vectors.scale.assign(columns, largest);
    return vectors;
}

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) / 9007199254740992.0; }

// Rows of `k` groups in turn, each around values of its own.
RowVectors planted(std::size_t rows, std::size_t columns, std::size_t k, double noise, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<double> means, values;
    for (std::size_t i = 0; i < k * columns; ++i) {
        const std::size_t group = i / columns;
        means.push_back(group == 0 ? 0.1 : static_cast<double>(group + 1) / static_cast<double>(k + 1));
    }
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            values.push_back(means[r % k * columns + c] + noise * (uniform(random) - 0.5));
    return vectorsOf(columns, values);
}

// The least error of all partitions into at most k parts.
double leastError(const RowVectors& vectors, std::size_t k)
{
    double least = INFINITY;
    const auto partitions = static_cast<std::size_t>(std::pow(k, vectors.rows));
    for (std::size_t p = 0; p < partitions; ++p) {
        double error = 0;
        for (std::size_t cluster = 0; cluster < k; ++cluster)
            for (std::size_t c = 0; c < vectors.columns; ++c) {
                double n = 0, sum = 0, squares = 0;
                for (std::size_t r = 0, rest = p; r < vectors.rows; ++r, rest /= k)
                    if (rest % k == cluster) {
                        const double value = vectors.at(r, c) / vectors.scale[c];
                        ++n, sum += value, squares += value * value;
                    }
                if (n > 0) error += squares - sum * sum / n;
            }
        least = std::min(least, error);
    }
    return least;
}

}  // namespace

void RowSimilarityTest::findsPlantedClusters_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("k");
    QTest::newRow("two of one column") << 20 << 1 << 2;
    QTest::newRow("three") << 30 << 10 << 3;
    QTest::newRow("five") << 200 << 64 << 5;
    QTest::newRow("eight") << 64 << 20 << 8;
}

void RowSimilarityTest::findsPlantedClusters()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(int, k);
    const auto number = static_cast<std::size_t>(k);
    const RowVectors vectors = planted(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), number, 0.02,
                                       3);
    const RowClusters clusters = clusterRows(vectors, {}, Progress{});
    QCOMPARE(clusters.count(), number);
    for (std::size_t r = number; r < vectors.rows; ++r) QCOMPARE(clusters.clusterOf[r], clusters.clusterOf[r % number]);
    QVERIFY(clusters.silhouette > 0.7);
    for (std::size_t i = 0; i < clusters.count(); ++i) QCOMPARE(clusters.clusterOf[clusters.representatives[i]], i);
    QVERIFY(std::is_sorted(clusters.sizes.rbegin(), clusters.sizes.rend()));
    const std::vector<std::size_t> order = similarityOrder(clusters);
    QCOMPARE(std::set<std::size_t>(order.begin(), order.end()).size(), vectors.rows);
    for (std::size_t i = 1; i < order.size(); ++i)
        QVERIFY(clusters.clusterOf[order[i - 1]] <= clusters.clusterOf[order[i]]);
}

void RowSimilarityTest::leastErrorOnFewRows()
{
    std::mt19937_64 random(11);
    for (int i = 0; i < 60; ++i) {
        const std::size_t k = 1 + random() % 3, rows = k + random() % 5, columns = 1 + random() % 3;
        std::vector<double> values;
        for (std::size_t v = 0; v < rows * columns; ++v) values.push_back(uniform(random));
        const RowVectors vectors = vectorsOf(columns, values);
        const RowClusters clusters = clusterRows(vectors, k, Progress{});
        QVERIFY(clusters.count() <= k);
        QVERIFY2(
            std::abs(clusters.error - leastError(vectors, k)) < 1e-9,
            qPrintable(
                QStringLiteral("case %1: %2 instead of %3").arg(i).arg(clusters.error).arg(leastError(vectors, k))));
    }
}

void RowSimilarityTest::equalRowsAreOneCluster()
{
    const RowVectors vectors = vectorsOf(3, std::vector<double>(30, 0.5));
    QCOMPARE(clusterRows(vectors, {}, Progress{}).count(), std::size_t(1));
    QCOMPARE(clusterRows(vectors, 4, Progress{}).count(), std::size_t(1));
    QVERIFY(outliersOf(vectors, clusterRows(vectors, {}, Progress{})).empty());
}

void RowSimilarityTest::noiseIsOneCluster()
{
    for (const std::size_t rows : {60, 8, 3})  // of few rows each might be its own cluster
        QCOMPARE(clusterRows(planted(rows, 40, 1, 0.1, 9), {}, Progress{}).count(), std::size_t(1));
}

void RowSimilarityTest::isTheSameEveryTime()
{
    const RowVectors vectors = planted(300, 8, 4, 0.5, 21);
    const RowClusters once = clusterRows(vectors, 4, Progress{});
    QCOMPARE(clusterRows(vectors, 4, Progress{}).clusterOf, once.clusterOf);
}

void RowSimilarityTest::manyRowsAreSampled()
{
    const RowVectors vectors = planted(9999, 4, 3, 0.02, 5);
    const RowClusters clusters = clusterRows(vectors, {}, Progress{});
    QCOMPARE(clusters.sizes, (std::vector<std::size_t>{3333, 3333, 3333}));
    for (std::size_t r = 3; r < vectors.rows; ++r) QCOMPARE(clusters.clusterOf[r], clusters.clusterOf[r % 3]);
}

// Idle shares of ten processors around 31 %; processor 7 idles 62 %.
void RowSimilarityTest::outlierHasAReason()
{
    std::vector<double> values;
    for (int pe = 0; pe < 10; ++pe) {
        values.push_back(0.5);                                         // the same everywhere
        values.push_back(pe == 7 ? 0.62 : pe % 2 == 0 ? 0.30 : 0.32);  // idle
    }
    const RowVectors vectors = vectorsOf(2, values);
    const RowClusters clusters = clusterRows(vectors, 1, Progress{});
    const std::vector<RowOutlier> outliers = outliersOf(vectors, clusters);
    QCOMPARE(outliers.size(), std::size_t(1));
    QCOMPARE(outliers[0].row, std::size_t(7));
    QCOMPARE(outliers[0].column, std::size_t(1));
    QCOMPARE(outliers[0].value, 0.62);
    QVERIFY(std::abs(outliers[0].mean - (5 * 0.30 + 4 * 0.32) / 9) < 1e-12);
    QVERIFY(outliers[0].deviation > 0.009 && outliers[0].deviation < 0.011);
}

void RowSimilarityTest::loneRowIsComparedWithTheNearestCluster()
{
    // Two clusters around 0.2 and 0.8, and a row at 0.55 between them, nearer to the second.
    std::vector<double> values;
    for (int r = 0; r < 8; ++r) values.push_back(r % 2 == 0 ? 0.2 : 0.8);
    values.push_back(0.55);
    const RowVectors vectors = vectorsOf(1, values);
    const RowClusters clusters = clusterRows(vectors, 3, Progress{});
    QCOMPARE(clusters.sizes, (std::vector<std::size_t>{4, 4, 1}));
    const std::vector<RowOutlier> outliers = outliersOf(vectors, clusters);
    QCOMPARE(outliers.size(), std::size_t(1));
    QCOMPARE(outliers[0].row, std::size_t(8));
    QCOMPARE(outliers[0].cluster, clusters.clusterOf[1]);
    QCOMPARE(outliers[0].mean, 0.8);
}

void RowSimilarityTest::vectorsAverageStages()
{
    Projection projection;
    projection.stages.edges.resize(129);
    for (std::size_t i = 0; i < 129; ++i) projection.stages.edges[i] = static_cast<TimeNs>(i);
    projection.pes = {ProcessorId{0}, ProcessorId{1}};
    for (std::size_t i = 0; i < 256; ++i) projection.values.push_back(static_cast<double>(i % 2));
    projection.values[0] = NAN;
    const RowVectors vectors = stageVectors(projection);
    QCOMPARE(vectors.columns, std::size_t(64));
    QCOMPARE(vectors.first[1], std::size_t(2));
    QCOMPARE(vectors.at(0, 0), 1.0);  // of its two stages one is unknown
    QCOMPARE(vectors.at(0, 1), 0.5);
    QCOMPARE(vectors.scale[5], 1.0);
    projection.perProcessor = {4, 8};
    Projection other = projection;
    other.perProcessor = {100, 50};
    const RowVectors totals = attributeVectors(std::vector{projection, other});
    QCOMPARE(totals.values, (std::vector<double>{4, 100, 8, 50}));
    QCOMPARE(totals.scale, (std::vector<double>{8, 100}));
}

void RowSimilarityTest::unknownValuesCountAsTheMean()
{
    const RowVectors vectors = vectorsOf(1, {0.1, 0.1, NAN, 0.1});
    const RowClusters clusters = clusterRows(vectors, {}, Progress{});
    QCOMPARE(clusters.count(), std::size_t(1));
    QCOMPARE(clusters.distances[2], 0.0);
    QVERIFY(outliersOf(vectors, clusters).empty());
}

void RowSimilarityTest::nothingAsked()
{
    QCOMPARE(clusterRows(RowVectors{}, {}, Progress{}).count(), std::size_t(0));
    QVERIFY(outliersOf(RowVectors{}, RowClusters{}).empty());
    QVERIFY(similarityOrder(RowClusters{}).empty());
    QCOMPARE(stageVectors(Projection{}).rows, std::size_t(0));
}

LONGPOLE_TEST(RowSimilarityTest)
#include "tst_rowsimilarity.moc"
