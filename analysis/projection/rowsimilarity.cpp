// SPDX-License-Identifier: GPL-3.0-or-later
// k-means on few columns, and what is said about the rows that do not fit.
#include "analysis/projection/rowsimilarity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace longpole {

namespace {

constexpr std::size_t mostRows = 4096;
constexpr std::size_t mostSeedings = 64;  // where all sets of seeds are few, all of them
constexpr std::size_t randomSeedings = 6;
constexpr int mostRounds = 40;

using Means = std::vector<double>;  // [cluster x columns + column]

// Rows divided by their columns' scales, without gaps.
struct Points {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;
    const double* row(std::size_t r) const { return values.data() + r * columns; }
};

Points pointsOf(const RowVectors& vectors)
{
    Points points{vectors.rows, vectors.columns, vectors.values};
    for (std::size_t c = 0; c < points.columns; ++c) {
        double sum = 0;
        std::size_t known = 0;
        for (std::size_t r = 0; r < points.rows; ++r)
            if (const double value = vectors.at(r, c); !std::isnan(value)) sum += value, ++known;
        const double mean = known > 0 ? sum / static_cast<double>(known) : 0;
        const double scale = vectors.scale[c] > 0 ? vectors.scale[c] : 1;
        for (std::size_t r = 0; r < points.rows; ++r) {
            double& value = points.values[r * points.columns + c];
            value = (std::isnan(value) ? mean : value) / scale;
        }
    }
    return points;
}

double squaredDistance(const double* a, const double* b, std::size_t columns)
{
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

struct Clustering {
    std::vector<std::size_t> of;  // by point
    Means means;
    double error = std::numeric_limits<double>::infinity();
};

std::size_t nearest(const Points& points, std::size_t row, const Means& means, double& distance)
{
    const std::size_t k = means.size() / points.columns;
    std::size_t best = 0;
    distance = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < k; ++i) {
        const double d = squaredDistance(points.row(row), means.data() + i * points.columns, points.columns);
        if (d < distance) distance = d, best = i;
    }
    return best;
}

double assign(const Points& points, Clustering& clustering)
{
    double error = 0;
    for (std::size_t r = 0; r < points.rows; ++r) {
        double distance = 0;
        clustering.of[r] = nearest(points, r, clustering.means, distance);
        error += distance;
    }
    return error;
}

std::vector<std::size_t> sizesOf(const Clustering& clustering, std::size_t k)
{
    std::vector<std::size_t> sizes(k, 0);
    for (const std::size_t cluster : clustering.of) ++sizes[cluster];
    return sizes;
}

// A cluster that lost all its rows keeps its mean.
void updateMeans(const Points& points, Clustering& clustering)
{
    const std::size_t k = clustering.means.size() / points.columns;
    const std::vector<std::size_t> sizes = sizesOf(clustering, k);
    Means sums(clustering.means.size(), 0);
    for (std::size_t r = 0; r < points.rows; ++r)
        for (std::size_t c = 0; c < points.columns; ++c)
            sums[clustering.of[r] * points.columns + c] += points.row(r)[c];
    for (std::size_t i = 0; i < k; ++i)
        if (sizes[i] > 0)
            for (std::size_t c = 0; c < points.columns; ++c)
                clustering.means[i * points.columns + c] = sums[i * points.columns + c] / static_cast<double>(sizes[i]);
}

// Moves single rows while the error falls (Hartigan's criterion): Lloyd's rounds stop too early for that.
void moveSingles(const Points& points, Clustering& clustering)
{
    const std::size_t k = clustering.means.size() / points.columns;
    for (int round = 0; round < mostRounds; ++round) {
        bool moved = false;
        for (std::size_t r = 0; r < points.rows; ++r) {
            const std::vector<std::size_t> sizes = sizesOf(clustering, k);
            const std::size_t from = clustering.of[r];
            if (sizes[from] < 2) continue;
            const auto change = [&](std::size_t i, double sign) {
                const double n = static_cast<double>(sizes[i]);
                return squaredDistance(points.row(r), clustering.means.data() + i * points.columns, points.columns) * n
                       / (n + sign);
            };
            const double gain = change(from, -1);
            for (std::size_t to = 0; to < k; ++to) {
                if (to == from || change(to, 1) >= gain * (1 - 1e-9)) continue;
                clustering.of[r] = to;
                updateMeans(points, clustering);
                moved = true;
                break;
            }
        }
        if (!moved) return;
    }
}

void settle(const Points& points, Clustering& clustering, const Progress& progress)
{
    clustering.of.assign(points.rows, 0);
    for (int round = 0; round < mostRounds && !progress.isCancelled(); ++round) {
        const double error = assign(points, clustering);
        const bool isSettled = error >= clustering.error * (1 - 1e-9);
        clustering.error = std::min(error, clustering.error);
        if (isSettled) break;
        updateMeans(points, clustering);
    }
    constexpr std::size_t few = 512;
    if (points.rows <= few) moveSingles(points, clustering);
    clustering.error = 0;
    for (std::size_t r = 0; r < points.rows; ++r)
        clustering.error += squaredDistance(points.row(r), clustering.means.data() + clustering.of[r] * points.columns,
                                            points.columns);
}

Means meansAt(const Points& points, std::span<const std::size_t> seeds)
{
    Means means;
    for (const std::size_t row : seeds) means.insert(means.end(), points.row(row), points.row(row) + points.columns);
    return means;
}

// Next seeds are rows far from those there are: the farthest (`random` null), or drawn with the squared distance as
// weight (k-means++).
std::vector<std::size_t> seedsFrom(const Points& points, std::size_t first, std::size_t k, std::mt19937_64* random)
{
    std::vector<std::size_t> seeds{first};
    std::vector<double> distance(points.rows, std::numeric_limits<double>::infinity());
    while (seeds.size() < k) {
        double sum = 0;
        for (std::size_t r = 0; r < points.rows; ++r) {
            const double its = squaredDistance(points.row(r), points.row(seeds.back()), points.columns);
            distance[r] = std::min(distance[r], its);
            sum += distance[r];
        }
        if (sum <= 0) return seeds;  // all rows are seeds' equals
        const auto farthest = std::max_element(distance.begin(), distance.end());
        auto next = static_cast<std::size_t>(farthest - distance.begin());
        if (random != nullptr) {
            double left = sum * (static_cast<double>((*random)() >> 11) / 9007199254740992.0);
            for (next = 0; next + 1 < points.rows && left >= distance[next]; ++next) left -= distance[next];
        }
        seeds.push_back(next);
    }
    return seeds;
}

// All sets of k rows, if they are few.
std::vector<std::vector<std::size_t>> allSeedings(std::size_t rows, std::size_t k)
{
    double sets = 1;
    for (std::size_t i = 0; i < k; ++i) sets = sets * static_cast<double>(rows - i) / static_cast<double>(i + 1);
    std::vector<std::vector<std::size_t>> all;
    if (rows < k || sets > mostSeedings) return all;
    std::vector<std::size_t> set(k);
    std::iota(set.begin(), set.end(), std::size_t{0});
    for (;;) {
        all.push_back(set);
        std::size_t i = k;
        while (i > 0 && set[i - 1] == rows - k + i - 1) --i;
        if (i == 0) return all;
        ++set[i - 1];
        for (; i < k; ++i) set[i] = set[i - 1] + 1;
    }
}

std::vector<std::vector<std::size_t>> seedings(const Points& points, std::size_t k)
{
    std::vector<std::vector<std::size_t>> all = allSeedings(points.rows, k);
    if (!all.empty()) return all;
    all.push_back(seedsFrom(points, 0, k, nullptr));
    std::mt19937_64 random(k);  // the same every time
    for (std::size_t i = 0; i < randomSeedings; ++i)
        all.push_back(seedsFrom(points, random() % points.rows, k, &random));
    return all;
}

Clustering cluster(const Points& points, std::size_t k, const Progress& progress)
{
    Clustering best;
    for (const std::vector<std::size_t>& seeds : seedings(points, std::min(k, points.rows))) {
        Clustering one;
        one.means = meansAt(points, seeds);
        settle(points, one, progress);
        if (one.error < best.error * (1 - 1e-9) || best.of.empty()) best = std::move(one);
        if (progress.isCancelled()) break;
    }
    return best;
}

double silhouetteOf(const Points& points, const Clustering& clustering)
{
    const std::size_t k = clustering.means.size() / points.columns;
    if (k < 2 || points.rows == 0) return 0;
    const std::vector<std::size_t> sizes = sizesOf(clustering, k);
    double sum = 0;
    for (std::size_t r = 0; r < points.rows; ++r) {
        if (sizes[clustering.of[r]] == 1) continue;  // 0: else as many clusters as rows would be best
        double own = 0, other = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < k; ++i) {
            const double d = std::sqrt(squaredDistance(points.row(r), clustering.means.data() + i * points.columns,
                                                       points.columns));
            if (i == clustering.of[r]) own = d;
            else other = std::min(other, d);
        }
        if (std::max(own, other) > 0) sum += (other - own) / std::max(own, other);
    }
    return sum / static_cast<double>(points.rows);
}

Clustering bestNumber(const Points& points, const Progress& progress)
{
    Clustering best = cluster(points, 1, progress);
    if (best.error <= 1e-9 * static_cast<double>(points.rows)) return best;  // all rows are equal
    double silhouette = leastSilhouette;
    for (std::size_t k = 2; k <= std::min(mostClusters, points.rows - 1) && !progress.isCancelled(); ++k) {
        Clustering one = cluster(points, k, progress);
        progress.report(static_cast<double>(k) / mostClusters);
        const double its = silhouetteOf(points, one);
        if (its <= silhouette) continue;
        silhouette = its;
        best = std::move(one);
    }
    return best;
}

// Drawn one from each of mostRows parts, always the same: a fixed step would see only every node's first PEs.
Points sampleOf(const Points& points)
{
    Points sample{mostRows, points.columns, {}};
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < mostRows; ++i) {
        const std::size_t begin = i * points.rows / mostRows, end = (i + 1) * points.rows / mostRows;
        const double* row = points.row(begin + random() % (end - begin));
        sample.values.insert(sample.values.end(), row, row + points.columns);
    }
    return sample;
}

// Numbered by size, the clusters without rows left out.
RowClusters described(const Points& points, const Clustering& clustering)
{
    const std::size_t k = clustering.means.size() / points.columns;
    const std::vector<std::size_t> sizes = sizesOf(clustering, k);
    std::vector<std::size_t> order(k), rank(k, 0);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    RowClusters clusters{.clusterOf = {}, .error = clustering.error, .silhouette = silhouetteOf(points, clustering)};
    for (std::size_t i = 0; i < k; ++i) {
        rank[order[i]] = i;
        if (sizes[order[i]] > 0) clusters.sizes.push_back(sizes[order[i]]);
    }
    clusters.representatives.assign(clusters.count(), points.rows);
    for (std::size_t r = 0; r < points.rows; ++r) {
        const std::size_t cluster = rank[clustering.of[r]];
        const double* mean = clustering.means.data() + clustering.of[r] * points.columns;
        clusters.clusterOf.push_back(cluster);
        clusters.distances.push_back(std::sqrt(squaredDistance(points.row(r), mean, points.columns)
                                               / static_cast<double>(points.columns)));
        std::size_t& nearest = clusters.representatives[cluster];
        if (nearest == points.rows || clusters.distances[r] < clusters.distances[nearest]) nearest = r;
    }
    return clusters;
}

}  // namespace

RowVectors stageVectors(const Projection& projection)
{
    const std::size_t stages = projection.stages.count();
    RowVectors vectors;
    vectors.rows = projection.pes.size();
    vectors.columns = std::min(stages, mostVectorColumns);
    for (std::size_t c = 0; c <= vectors.columns; ++c)
        vectors.first.push_back(vectors.columns == 0 ? 0 : c * stages / vectors.columns);
    double largest = 0;
    for (std::size_t r = 0; r < vectors.rows; ++r)
        for (std::size_t c = 0; c < vectors.columns; ++c) {
            double sum = 0, known = 0;
            for (std::size_t s = vectors.first[c]; s < vectors.first[c + 1]; ++s)
                if (const double value = projection.at(r, s); !std::isnan(value)) sum += value, ++known;
            vectors.values.push_back(known > 0 ? sum / known : std::nan(""));
            if (known > 0) largest = std::max(largest, std::abs(vectors.values.back()));
        }
    vectors.scale.assign(vectors.columns, largest);
    return vectors;
}

RowVectors attributeVectors(std::span<const Projection> projections)
{
    RowVectors vectors;
    vectors.columns = projections.size();
    vectors.rows = projections.empty() ? 0 : projections.front().pes.size();
    vectors.scale.assign(vectors.columns, 0);
    for (std::size_t r = 0; r < vectors.rows; ++r)
        for (std::size_t c = 0; c < vectors.columns; ++c) {
            const double value = projections[c].perProcessor[r];
            vectors.values.push_back(value);
            if (!std::isnan(value)) vectors.scale[c] = std::max(vectors.scale[c], std::abs(value));
        }
    return vectors;
}

RowClusters clusterRows(const RowVectors& vectors, std::optional<std::size_t> k, const Progress& progress)
{
    if (vectors.rows == 0 || vectors.columns == 0) return {};
    const Points points = pointsOf(vectors);
    const auto find = [&](const Points& some) {
        return k ? cluster(some, std::max<std::size_t>(1, *k), progress) : bestNumber(some, progress);
    };
    if (points.rows <= mostRows) return described(points, find(points));
    Clustering all;
    all.means = find(sampleOf(points)).means;
    all.of.assign(points.rows, 0);
    all.error = assign(points, all);
    return described(points, all);
}

std::vector<std::size_t> similarityOrder(const RowClusters& clusters)
{
    std::vector<std::size_t> order(clusters.clusterOf.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(clusters.clusterOf[a], clusters.distances[a])
               < std::pair(clusters.clusterOf[b], clusters.distances[b]);
    });
    return order;
}

}  // namespace longpole
