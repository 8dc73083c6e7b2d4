// SPDX-License-Identifier: GPL-3.0-or-later
// Fills what is missing from what is there.
#include "analysis/projection/coarseprojection.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

bool fits(const Projection* coarse, const Projection& projection)
{
    return coarse != nullptr && coarse->values.size() == projection.values.size() && coarse->pes == projection.pes;
}

void copyRow(Projection& to, std::size_t row, const Projection& from, std::size_t source)
{
    const auto stages = static_cast<std::ptrdiff_t>(to.stages.count());
    std::copy_n(from.values.begin() + static_cast<std::ptrdiff_t>(source) * stages, stages,
                to.values.begin() + static_cast<std::ptrdiff_t>(row) * stages);
    to.perProcessor[row] = from.perProcessor[source];
    std::fill_n(to.approximate.begin() + static_cast<std::ptrdiff_t>(row) * stages, stages, true);
}

// By row: the nearest one that is there, or rows.
std::vector<std::size_t> nearestThere(const StageCells& cells, std::size_t rows)
{
    std::vector<std::size_t> nearest(rows, rows);
    std::size_t last = rows;
    for (std::size_t row = 0; row < rows; ++row) {
        if (cells.isThere(row)) last = row;
        nearest[row] = last;
    }
    last = rows;
    for (std::size_t row = rows; row-- > 0;) {
        if (cells.isThere(row)) last = row;
        if (last != rows && (nearest[row] == rows || last - row < row - nearest[row])) nearest[row] = last;
    }
    return nearest;
}

double mean(double sum, double weight) { return weight > 0 ? sum / weight : undefinedValue; }

// The folded values of what is kept, from the cells of the projection alone.
class Weighted {
public:
    Weighted(const Projection& projection, bool adds) : m_projection(projection), m_adds(adds) {}
    void add(double value, std::size_t stage)
    {
        if (std::isnan(value)) return;
        const auto length = static_cast<double>(std::max<TimeNs>(1, m_projection.stages.range(stage).length()));
        m_sum += m_adds ? value : value * length;
        m_weight += length;
    }
    double value() const { return m_adds ? (m_weight > 0 ? m_sum : 0) : mean(m_sum, m_weight); }

private:
    const Projection& m_projection;
    bool m_adds;
    double m_sum = 0, m_weight = 0;
};

void foldKept(Projection& projection, const std::vector<bool>& kept)
{
    Weighted total(projection, projection.attribute.isAdditive());
    for (std::size_t row = 0; row < projection.pes.size(); ++row) {
        Weighted its(projection, projection.attribute.isAdditive());
        for (std::size_t stage = 0; stage < kept.size(); ++stage) {
            if (!kept[stage]) continue;
            its.add(projection.at(row, stage), stage);
            total.add(projection.at(row, stage), stage);
        }
        projection.perProcessor[row] = its.value();
    }
    projection.total = total.value();
    projection.isApproximate = projection.isApproximate || !projection.attribute.isAdditive();
}

double added(double sum, double value, StageQuantity quantity)
{
    if (!isMaximum(quantity)) return sum + value;
    if (std::isnan(sum)) return value;
    return std::isnan(value) ? sum : std::max(sum, value);
}

void foldKeptExactly(Projection& projection, const std::vector<bool>& kept, const StageCells& cells)
{
    const std::vector<Measure> wanted = measuresOf(projection.attribute);
    const std::vector<Measure>& all = cells.request().measures;
    std::vector<double> start;
    std::vector<std::size_t> places;
    for (const Measure& measure : wanted) {
        start.push_back(isMaximum(measure.quantity) ? undefinedValue : 0);
        places.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), measure) - all.begin()));
    }
    std::vector<double> total = start;
    for (std::size_t row = 0; row < projection.pes.size(); ++row) {
        std::vector<double> sums = start;
        for (std::size_t m = 0; m < wanted.size(); ++m) {
            for (std::size_t stage = 0; stage < kept.size(); ++stage)
                if (kept[stage]) sums[m] = added(sums[m], cells.value(places[m], row, stage), wanted[m].quantity);
            total[m] = added(total[m], sums[m], wanted[m].quantity);
        }
        projection.perProcessor[row] = valueOf(projection.attribute, sums);
    }
    projection.total = valueOf(projection.attribute, total);
}

void keepCounts(Projection& projection, const std::vector<bool>& kept)
{
    if (projection.counts.empty()) return;
    projection.totalCount = 0;
    for (std::size_t row = 0; row < projection.pes.size(); ++row) {
        std::int64_t& sum = projection.countsPerProcessor[row] = 0;
        for (std::size_t stage = 0; stage < kept.size(); ++stage) {
            std::int64_t& count = projection.counts[row * kept.size() + stage];
            if (!kept[stage]) count = 0;
            sum = saturatingAdd(sum, count);
        }
        projection.totalCount = saturatingAdd(projection.totalCount, sum);
    }
    for (std::size_t stage = 0; stage < kept.size(); ++stage)
        if (!kept[stage]) projection.countsPerStage[stage] = 0;
}

}  // namespace

Projection pictureOf(const Attribute& attribute, const StageCells& cells, const Projection* coarse)
{
    Projection picture = projectionOf(attribute, cells);
    const std::size_t rows = picture.pes.size();
    if (picture.rowsThere == rows) return picture;
    picture.isApproximate = true;
    picture.approximate.assign(picture.values.size(), false);
    if (fits(coarse, picture)) {
        for (std::size_t row = 0; row < rows; ++row)
            if (!cells.isThere(row)) copyRow(picture, row, *coarse, row);
        picture.perStage = coarse->perStage;
        picture.total = coarse->total;
        return picture;
    }
    if (picture.rowsThere == 0) return picture;
    const std::vector<std::size_t> nearest = nearestThere(cells, rows);
    for (std::size_t row = 0; row < rows; ++row)
        if (nearest[row] != row && nearest[row] != rows) copyRow(picture, row, picture, nearest[row]);
    if (!attribute.isAdditive()) return picture;
    const double factor = static_cast<double>(rows) / static_cast<double>(picture.rowsThere);
    for (double& value : picture.perStage) value *= factor;
    picture.total *= factor;
    return picture;
}

Projection resampled(const Projection& projection, const Stages& stages)
{
    Projection result{.attribute = projection.attribute, .stages = stages, .pes = projection.pes, .values = {}};
    const std::size_t count = stages.count(), before = projection.stages.count();
    result.values.assign(result.pes.size() * count, undefinedValue);
    result.perStage.assign(count, undefinedValue);
    result.perProcessor = projection.perProcessor;
    result.total = projection.total;
    result.isApproximate = true;
    result.approximate.assign(result.values.size(), true);
    result.rowsThere = projection.rowsThere;
    if (before == 0) return result;
    const bool adds = projection.attribute.isAdditive();
    for (std::size_t stage = 0; stage < count; ++stage) {
        const TimeRange range = stages.range(stage);
        const TimeNs middle = range.begin + range.length() / 2;
        if (!projection.stages.whole().contains(middle)) continue;
        const std::size_t from = projection.stages.at(middle);
        const auto length = static_cast<double>(std::max<TimeNs>(1, projection.stages.range(from).length()));
        const double factor = adds ? static_cast<double>(range.length()) / length : 1;
        for (std::size_t row = 0; row < result.pes.size(); ++row)
            result.values[row * count + stage] = projection.at(row, from) * factor;
        result.perStage[stage] = projection.perStage[from] * factor;
    }
    return result;
}

void keepStages(Projection& projection, const std::vector<bool>& kept, const StageCells* cells)
{
    if (kept.empty() || std::find(kept.begin(), kept.end(), false) == kept.end()) return;
    if (cells != nullptr) foldKeptExactly(projection, kept, *cells);
    else foldKept(projection, kept);
    keepCounts(projection, kept);
    for (std::size_t stage = 0; stage < kept.size(); ++stage) {
        if (kept[stage]) continue;
        projection.perStage[stage] = undefinedValue;
        for (std::size_t row = 0; row < projection.pes.size(); ++row)
            projection.values[row * kept.size() + stage] = undefinedValue;
    }
}

std::int64_t bytesOf(const Projection& projection)
{
    const std::size_t words = projection.values.size() + projection.counts.size() + projection.stages.edges.size()
                              + projection.perStage.size() + projection.perProcessor.size()
                              + projection.countsPerStage.size() + projection.countsPerProcessor.size();
    return static_cast<std::int64_t>(8 * words + projection.approximate.size() / 8 + 4 * projection.pes.size());
}

}  // namespace longpole
