// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that fit no cluster, and in what they differ.
#include "analysis/projection/rowsimilarity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longpole {

namespace {

constexpr double robustDeviations = 3.5;
constexpr double leastSpread = 0.25;      // of the median distance: where most distances are the same
constexpr double leastDifference = 0.05;  // of the scale
constexpr double leastDeviation = 0.01;   // of the scale: equal rows would make any difference infinite

double medianOf(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// By cluster: the distance above which a row does not belong.
std::vector<double> limits(const RowClusters& clusters)
{
    std::vector<std::vector<double>> distances(clusters.count());
    for (std::size_t r = 0; r < clusters.clusterOf.size(); ++r)
        distances[clusters.clusterOf[r]].push_back(clusters.distances[r]);
    std::vector<double> limits;
    for (std::vector<double>& its : distances) {
        const double median = medianOf(its);
        for (double& distance : its) distance = std::abs(distance - median);
        limits.push_back(median + robustDeviations * std::max(1.4826 * medianOf(its), leastSpread * median));
    }
    return limits;
}

struct Spread {
    double mean = 0, deviation = 0;
};

// Of a column of a cluster, without a row.
Spread spreadOf(const RowVectors& vectors, const RowClusters& clusters, std::size_t cluster, std::size_t column,
                std::size_t without)
{
    double n = 0, mean = 0, squares = 0;
    for (std::size_t r = 0; r < vectors.rows; ++r) {
        const double value = vectors.at(r, column);
        if (clusters.clusterOf[r] != cluster || r == without || std::isnan(value)) continue;
        ++n;
        const double difference = value - mean;
        mean += difference / n;
        squares += difference * (value - mean);
    }
    return {n > 0 ? mean : std::nan(""), n > 0 ? std::sqrt(squares / n) : 0};
}

// The row against a cluster: the column where it differs most, and how far all of it lies away.
RowOutlier compared(const RowVectors& vectors, const RowClusters& clusters, std::size_t row, std::size_t cluster)
{
    RowOutlier outlier{.row = row, .cluster = cluster};
    double most = -1, squares = 0;
    for (std::size_t c = 0; c < vectors.columns; ++c) {
        const double value = vectors.at(row, c);
        const Spread spread = spreadOf(vectors, clusters, cluster, c, row);
        const double scale = vectors.scale[c] > 0 ? vectors.scale[c] : 1;
        const double difference = std::abs(value - spread.mean);
        if (std::isnan(difference)) continue;
        squares += difference / scale * (difference / scale);
        const double score = difference < leastDifference * scale
                                 ? 0
                                 : difference / std::max(spread.deviation, leastDeviation * scale);
        if (score <= most) continue;
        most = score;
        outlier.column = c;
        outlier.value = value;
        outlier.mean = spread.mean;
        outlier.deviation = spread.deviation;
    }
    outlier.distance = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, vectors.columns)));
    if (most <= 0) outlier.distance = 0;  // differs nowhere enough to be spoken of
    return outlier;
}

}  // namespace

std::vector<RowOutlier> outliersOf(const RowVectors& vectors, const RowClusters& clusters)
{
    std::vector<RowOutlier> outliers;
    if (clusters.count() == 0 || clusters.sizes.front() < 3) return outliers;
    const std::vector<double> limit = limits(clusters);
    for (std::size_t r = 0; r < vectors.rows; ++r) {
        const std::size_t own = clusters.clusterOf[r];
        if (clusters.sizes[own] > 1 && clusters.distances[r] <= limit[own]) continue;
        RowOutlier found{};
        found.distance = std::numeric_limits<double>::infinity();
        if (clusters.sizes[own] > 1) found = compared(vectors, clusters, r, own);
        else
            for (std::size_t other = 0; other < clusters.count(); ++other)
                if (clusters.sizes[other] > 1)
                    if (const RowOutlier one = compared(vectors, clusters, r, other); one.distance < found.distance)
                        found = one;
        if (found.distance > 0 && std::isfinite(found.distance)) outliers.push_back(found);
    }
    std::stable_sort(outliers.begin(), outliers.end(),
                     [](const RowOutlier& a, const RowOutlier& b) { return a.distance > b.distance; });
    return outliers;
}

}  // namespace longpole
