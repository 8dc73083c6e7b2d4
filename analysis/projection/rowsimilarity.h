// SPDX-License-Identifier: GPL-3.0-or-later
// Which processors behave alike: k-means clusters of rows of numbers (over stages or over a few attributes, as in
// Projections' extrema analysis), their representatives, and the rows that fit none, with what sets them apart.
#pragma once

#include "analysis/projection/projection.h"
#include "core/base/progress.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// One row a processor. NaN: unknown; counts as the column's mean.
struct RowVectors {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;        // [row x columns + column], as they are read
    std::vector<double> scale{};       // by column: what a value is divided by before distances are taken
    std::vector<std::size_t> first{};  // by column: first stage that it holds; columns + 1 of them; empty: no stages

    double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

constexpr std::size_t mostVectorColumns = 64;

// The stages of one attribute, neighbours averaged to at most mostVectorColumns; all of one scale, the largest
// magnitude.
RowVectors stageVectors(const Projection& projection);
// The totals (perProcessor) of several attributes of the same PEs; each on its own scale, its largest magnitude.
RowVectors attributeVectors(std::span<const Projection> projections);

struct RowClusters {
    std::vector<std::size_t> clusterOf{};  // by row; clusters by size, the largest first
    std::vector<std::size_t> sizes{};
    std::vector<std::size_t> representatives{};  // by cluster: the row nearest to its mean
    std::vector<double> distances{};             // by row: to its cluster's mean, root of the mean square over columns
    double error = 0;                            // sum of squared distances x columns
    double silhouette = 0;                       // mean of 1 - (own mean's distance / next mean's), 0 for a lone row
    std::size_t count() const { return sizes.size(); }
};

constexpr std::size_t mostClusters = 8;
constexpr double leastSilhouette = 0.6;

// Lloyd's algorithm from several seedings, always the same ones, then single rows moved where that lowers the error. Of
// `k` clusters (fewer where rows are equal); without k, that number of 2..8 whose silhouette is largest, one if none
// reaches leastSilhouette. More than 4096 rows: so many are drawn evenly and clustered, the others join the nearest
// mean. Cancelled: what is known so far. O(rows x columns x k) a round.
RowClusters clusterRows(const RowVectors& vectors, std::optional<std::size_t> k, const Progress& progress);

// A row that lies far from its cluster's mean (3.5 robust deviations, each at least a quarter of the median distance,
// beyond that median; and by 5 % of the scale in some column), or alone in a cluster: then it is compared with the
// nearest cluster of more rows.
struct RowOutlier {
    std::size_t row = 0;
    std::size_t cluster = 0;  // that it is compared with
    std::size_t column = 0;   // where it differs most, in deviations of that cluster (at least 1 % of the scale)
    double value = 0, mean = 0,
           deviation = 0;  // there: the row's, the cluster's mean and standard deviation without it
    double distance = 0;
};
// The farthest first.
std::vector<RowOutlier> outliersOf(const RowVectors& vectors, const RowClusters& clusters);

// Rows of a cluster next to each other, those nearest to its mean first.
std::vector<std::size_t> similarityOrder(const RowClusters& clusters);

}  // namespace longpole
