// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept, and what goes when it becomes too much.
#include "views/state/projector.h"

#include "analysis/projection/coarseprojection.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::int64_t mostKept = 96 << 20;
constexpr std::int64_t mostTiles = 96 << 20;
constexpr std::int64_t finestStages = 2000;   // that the slider asks for
constexpr std::int64_t mostBins = 2'000'000;  // of all PEs, per quantity; the pyramid's steps of 4 may make it 4 x that
constexpr int mostFormulas = 20;

}  // namespace

std::vector<Measure> sortedMeasures(std::span<const Attribute> attributes)
{
    std::vector<Measure> measures;
    for (const Attribute& attribute : attributes)
        for (const Measure& measure : measuresOf(attribute)) measures.push_back(measure);
    std::sort(measures.begin(), measures.end());
    measures.erase(std::unique(measures.begin(), measures.end()), measures.end());
    return measures;
}

bool needsPath(const Attribute& attribute)
{
    const std::vector<Measure> measures = measuresOf(attribute);
    return std::any_of(measures.begin(), measures.end(),
                       [](const Measure& measure) { return measure.quantity == StageQuantity::CriticalPath; });
}

ProjectionPtr Projector::exact(const ProjectionQuestion& question, std::size_t i)
{
    const Attribute& attribute = question.attributes[i];
    const auto found = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& one) {
        return one.attribute == attribute && (!needsPath(attribute) || one.path == question.path)
               && one.kept == question.kept && one.grain == question.grain && one.result->pes == question.pes
               && one.result->stages == question.stages;
    });
    if (found == m_kept.end()) return {};
    m_kept.splice(m_kept.begin(), m_kept, found);
    return found->result;
}

void Projector::keep(const ProjectionQuestion& question, std::size_t i, ProjectionPtr result)
{
    m_kept.push_front({question.attributes[i], question.kept, question.path, question.grain, std::move(result)});
    std::int64_t sum = 0;
    for (auto one = m_kept.begin(); one != m_kept.end();) {
        sum += bytesOf(*one->result);
        if (sum > mostKept && one != m_kept.begin()) one = m_kept.erase(one);
        else ++one;
    }
}

ProjectionPtr Projector::similar(const ProjectionQuestion& question, std::size_t i) const
{
    const auto found = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& one) {
        return one.attribute == question.attributes[i] && one.kept.empty() && one.grain == question.grain
               && one.result->pes == question.pes && one.result->stages.whole().overlaps(question.stages.whole());
    });
    return found == m_kept.end() ? nullptr : found->result;
}

TimeNs Projector::resolutionFor(const ProjectionQuestion& question)
{
    const TimeNs length = question.stages.whole().length();
    const auto pes = static_cast<std::int64_t>(std::max<std::size_t>(1, question.pes.size()));
    const TimeNs stage = length / static_cast<TimeNs>(std::max<std::size_t>(1, question.stages.count()));
    const TimeNs affordable = length / std::max<std::int64_t>(1, mostBins / pes);
    return std::max<TimeNs>(1, std::min(stage, std::max(length / finestStages, affordable)));
}

std::shared_ptr<const StageTiles> Projector::tiles(const ProjectionQuestion& question, std::size_t i)
{
    if (question.grain) return {};  // bins do not know durations
    const std::vector<Measure> wanted = sortedMeasures({&question.attributes[i], 1});
    const TimeRange range = question.stages.whole();
    const auto found = std::find_if(m_tiles.begin(), m_tiles.end(), [&](const Loaded& one) {
        return std::includes(one.measures.begin(), one.measures.end(), wanted.begin(), wanted.end())
               && one.pes == question.pes && one.range.begin <= range.begin && range.end <= one.range.end
               && one.tiles->serves(question.stages, question.pes);
    });
    if (found == m_tiles.end()) return {};
    m_tiles.splice(m_tiles.begin(), m_tiles, found);
    return found->tiles;
}

void Projector::keepTiles(std::vector<Measure> measures, std::vector<ProcessorId> pes, TimeRange range,
                          std::shared_ptr<const StageTiles> tiles)
{
    m_tiles.push_front({std::move(measures), std::move(pes), range, std::move(tiles)});
    std::int64_t sum = 0;
    for (auto one = m_tiles.begin(); one != m_tiles.end();) {
        sum += one->tiles->bytes();
        if (sum > mostTiles && one != m_tiles.begin()) one = m_tiles.erase(one);
        else ++one;
    }
}

void Projector::rememberFormula(const QString& text)
{
    m_formulas.removeAll(text);
    m_formulas.prepend(text);
    while (m_formulas.size() > mostFormulas) m_formulas.removeLast();
}

std::int64_t Projector::bytes() const
{
    std::int64_t sum = 0;
    for (const Kept& one : m_kept) sum += bytesOf(*one.result);
    for (const Loaded& one : m_tiles) sum += one.tiles->bytes();
    return sum;
}

}  // namespace longpole
