// SPDX-License-Identifier: GPL-3.0-or-later
// Turns measures into an attribute's values, and values into overviews.
#include "analysis/projection/projection.h"

#include "core/base/parallel.h"

#include "analysis/projection/stagetiles.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

// Where a request has the measures of an attribute.
std::vector<std::size_t> placesOf(const std::vector<Measure>& wanted, const StageRequest& request)
{
    std::vector<std::size_t> places;
    places.reserve(wanted.size());
    for (const Measure& measure : wanted)
        places.push_back(static_cast<std::size_t>(std::find(request.measures.begin(), request.measures.end(), measure)
                                                  - request.measures.begin()));
    return places;
}

// Folds the measures of some rows row by row, column by column and altogether. Several work on the same result, each on
// rows of its own; then one adds up the others.
class Folder {
public:
    Folder(Projection& result, const StageCells& cells)
        : m_result(result), m_cells(cells), m_wanted(measuresOf(result.attribute)),
          m_places(placesOf(m_wanted, cells.request())), m_isAdditive(result.attribute.isAdditive()),
          m_row(m_wanted.size())
    {
        const std::size_t stages = result.stages.count();
        for (const Measure& measure : m_wanted) {
            const double start = isMaximum(measure.quantity) ? undefinedValue : 0;
            m_stageSums.emplace_back(stages, start);
            m_totals.push_back(start);
        }
        if (m_isAdditive) m_countsPerStage.assign(stages, 0);
    }

    void addRow(std::size_t row)
    {
        const std::size_t stages = m_result.stages.count();
        std::vector<double> rowSums(m_wanted.size());
        for (std::size_t m = 0; m < m_wanted.size(); ++m) {
            m_row[m].resize(stages);
            if (isReal(m_wanted[m].quantity)) std::ranges::copy(m_cells.reals(m_places[m], row), m_row[m].begin());
            else std::ranges::copy(m_cells.counts(m_places[m], row), m_row[m].begin());
            rowSums[m] = addMeasure(m);
        }
        double* values = m_result.values.data() + row * stages;
        if (m_result.attribute.formula) {
            std::vector<double> measures(m_wanted.size());
            for (std::size_t stage = 0; stage < stages; ++stage) {
                for (std::size_t m = 0; m < m_wanted.size(); ++m) measures[m] = m_row[m][stage];
                values[stage] = valueOf(m_result.attribute, measures);
            }
        } else if (m_wanted.size() == 3) {
            for (std::size_t i = 0; i < stages; ++i) values[i] = m_row[0][i] - m_row[1][i] - m_row[2][i];
        } else if (m_wanted.size() == 2) {
            for (std::size_t i = 0; i < stages; ++i)
                values[i] = m_row[1][i] > 0 ? m_row[0][i] / m_row[1][i] : undefinedValue;
        } else {
            std::ranges::copy(m_row[0], values);
        }
        if (m_isAdditive) addExact(row);
        for (std::size_t m = 0; m < m_wanted.size(); ++m)
            m_totals[m] = folded(m_totals[m], rowSums[m], m_wanted[m].quantity);
        m_result.perProcessor[row] = valueOf(m_result.attribute, rowSums);
        ++m_rowsThere;
    }

    void add(const Folder& other)
    {
        m_rowsThere += other.m_rowsThere;
        for (std::size_t m = 0; m < m_wanted.size(); ++m) {
            m_totals[m] = folded(m_totals[m], other.m_totals[m], m_wanted[m].quantity);
            for (std::size_t i = 0; i < m_stageSums[m].size(); ++i)
                m_stageSums[m][i] = folded(m_stageSums[m][i], other.m_stageSums[m][i], m_wanted[m].quantity);
        }
        for (std::size_t i = 0; i < m_countsPerStage.size(); ++i)
            m_countsPerStage[i] = saturatingAdd(m_countsPerStage[i], other.m_countsPerStage[i]);
    }

    void finish()
    {
        m_result.rowsThere = m_rowsThere;
        for (const std::int64_t count : m_countsPerStage)
            m_result.totalCount = saturatingAdd(m_result.totalCount, count);
        m_result.countsPerStage = std::move(m_countsPerStage);
        std::vector<double> measures(m_wanted.size());
        for (std::size_t stage = 0; stage < m_result.stages.count(); ++stage) {
            for (std::size_t m = 0; m < measures.size(); ++m) measures[m] = m_stageSums[m][stage];
            m_result.perStage[stage] = valueOf(m_result.attribute, measures);
        }
        m_result.total = valueOf(m_result.attribute, m_totals);
    }

private:
    // Folds the current row of a measure into the stages; returns it folded over the stages.
    double addMeasure(std::size_t m)
    {
        const std::vector<double>& row = m_row[m];
        std::vector<double>& sums = m_stageSums[m];
        double all = isMaximum(m_wanted[m].quantity) ? undefinedValue : 0;
        if (isMaximum(m_wanted[m].quantity)) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                sums[i] = folded(sums[i], row[i], m_wanted[m].quantity);
                all = folded(all, row[i], m_wanted[m].quantity);
            }
            return all;
        }
        for (std::size_t i = 0; i < row.size(); ++i) sums[i] += row[i];
        for (const double value : row) all += value;
        return all;
    }

    void addExact(std::size_t row)
    {
        const std::size_t stages = m_result.stages.count();
        std::int64_t* counts = m_result.counts.data() + row * stages;
        std::ranges::copy(m_cells.counts(m_places[0], row), counts);
        for (std::size_t m = 1; m < m_places.size(); ++m) {  // overhead: what the others leave of the length
            const std::span<const std::int64_t> part = m_cells.counts(m_places[m], row);
            for (std::size_t i = 0; i < stages; ++i) counts[i] = saturatingSubtract(counts[i], part[i]);
        }
        std::int64_t& all = m_result.countsPerProcessor[row];
        for (std::size_t i = 0; i < stages; ++i) {
            m_countsPerStage[i] = saturatingAdd(m_countsPerStage[i], counts[i]);
            all = saturatingAdd(all, counts[i]);
        }
    }

    Projection& m_result;
    const StageCells& m_cells;
    std::vector<Measure> m_wanted;
    std::vector<std::size_t> m_places;
    bool m_isAdditive;
    std::vector<std::vector<double>> m_row;        // [measure][stage] of the current processor
    std::vector<std::vector<double>> m_stageSums;  // [measure][stage]
    std::vector<double> m_totals;
    std::vector<std::int64_t> m_countsPerStage;  // of additive attributes
    std::size_t m_rowsThere = 0;
};

double statisticOf(std::vector<double>& values, Statistic statistic)
{
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty()) return undefinedValue;
    switch (statistic.kind) {
    case Statistic::Kind::Largest: return *std::max_element(values.begin(), values.end());
    case Statistic::Kind::Least: return *std::min_element(values.begin(), values.end());
    case Statistic::Kind::Percentile: return percentileOf(values, statistic.percentile);
    case Statistic::Kind::Mean:
    case Statistic::Kind::Together: break;
    }
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

}  // namespace

StageRequest requestFor(std::span<const Attribute> attributes, Stages stages, std::vector<ProcessorId> pes)
{
    StageRequest request{.measures = {}, .stages = std::move(stages), .pes = std::move(pes)};
    for (const Attribute& attribute : attributes)
        for (const Measure& measure : measuresOf(attribute)) request.measures.push_back(measure);
    std::sort(request.measures.begin(), request.measures.end());
    request.measures.erase(std::unique(request.measures.begin(), request.measures.end()), request.measures.end());
    return request;
}

Projection projectionOf(const Attribute& attribute, const StageCells& cells)
{
    Projection result{.attribute = attribute,
                      .stages = cells.request().stages,
                      .pes = cells.request().pes,
                      .values = {}};
    result.values.assign(result.pes.size() * result.stages.count(), undefinedValue);
    result.perStage.assign(result.stages.count(), undefinedValue);
    result.perProcessor.assign(result.pes.size(), undefinedValue);
    result.isEstimated = cells.isEstimated();
    if (attribute.isAdditive()) {
        result.counts.assign(result.values.size(), 0);
        result.countsPerProcessor.assign(result.pes.size(), 0);
    }
    // Formulas are evaluated one at a time. The number of blocks does not depend on the threads, nor then do sums.
    constexpr std::size_t mostBlocks = 16;
    const std::size_t rows = result.pes.size();
    const std::size_t blocks = attribute.formula ? 1 : std::clamp<std::size_t>(rows / 16, 1, mostBlocks);
    std::vector<Folder> folders(blocks, Folder(result, cells));
    parallelFor(blocks, [&](std::size_t block) {
        for (std::size_t row = rows * block / blocks; row < rows * (block + 1) / blocks; ++row)
            if (cells.isThere(row)) folders[block].addRow(row);
    });
    for (std::size_t block = 1; block < blocks; ++block) folders[0].add(folders[block]);
    folders[0].finish();
    // Totals are of all the run's time; what each of these did is not known.
    for (std::size_t row = 0; row < rows; ++row) {
        if (!cells.isLost(row)) continue;
        const auto begin = result.values.begin() + static_cast<std::ptrdiff_t>(row * result.stages.count());
        std::fill_n(begin, result.stages.count(), undefinedValue);
        result.perProcessor[row] = undefinedValue;
    }
    return result;
}

namespace {

// A summary's bins are all that there is, exact or not.
Result<Projection> projectSummary(const TraceStore& store, const Attribute& attribute, const Stages& stages,
                                  std::vector<ProcessorId> pes, const Progress& progress)
{
    if (pes.empty())
        for (const Processor& processor : store.processors())
            if (processor.kind != TrackKind::CommThread) pes.push_back(processor.pe);
    constexpr TimeNs finest = 1;
    const auto tiles = StageTiles::load(store, measuresOf(attribute), pes, stages.whole(), finest, progress);
    if (!tiles) return tiles.error();
    return (*tiles)->project(attribute, stages);
}

}  // namespace

Result<Projection> project(const TraceStore& store, const Attribute& attribute, const Stages& stages,
                           const std::vector<ProcessorId>& pes, std::shared_ptr<const CriticalPath> path,
                           const Progress& progress)
{
    if (store.info().isSummary() && isInTiles(attribute, store))
        return projectSummary(store, attribute, stages, pes, progress);
    StageRequest request = requestFor({&attribute, 1}, stages, pes);
    request.path = std::move(path);
    const auto cells = stageCells(store, std::move(request), progress);
    if (!cells) return cells.error();
    return projectionOf(attribute, **cells);
}

std::vector<double> overProcessors(const Projection& projection, Statistic statistic)
{
    if (statistic.kind == Statistic::Kind::Together) return projection.perStage;
    std::vector<double> result;
    for (std::size_t stage = 0; stage < projection.stages.count(); ++stage) {
        std::vector<double> values;
        for (std::size_t pe = 0; pe < projection.pes.size(); ++pe) values.push_back(projection.at(pe, stage));
        result.push_back(statisticOf(values, statistic));
    }
    return result;
}

std::vector<double> overStages(const Projection& projection, Statistic statistic)
{
    if (statistic.kind == Statistic::Kind::Together) return projection.perProcessor;
    std::vector<double> result;
    for (std::size_t pe = 0; pe < projection.pes.size(); ++pe) {
        std::vector<double> values;
        for (std::size_t stage = 0; stage < projection.stages.count(); ++stage)
            values.push_back(projection.at(pe, stage));
        result.push_back(statisticOf(values, statistic));
    }
    return result;
}

double percentileOf(std::vector<double>& values, double percentile)
{
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty()) return undefinedValue;
    const auto count = static_cast<double>(values.size());
    const double rank = std::ceil(std::clamp(percentile, 0.0, 100.0) / 100 * count);
    const auto at = static_cast<std::ptrdiff_t>(std::clamp(rank - 1, 0.0, count - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

}  // namespace longpole
