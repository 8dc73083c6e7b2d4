// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/projector.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::int64_t finestStages = 2000;  // that the slider can choose
constexpr std::int64_t mostBinsLoaded =
    2'000'000;  // of all PEs and one quantity; up to 4 x as many, since tiles have levels
constexpr int mostFormulas = 20;
constexpr std::size_t mostAsked = 64;

// The width of bins for a question: fine enough for the finest stages that can be chosen, if that is affordable.
TimeNs resolutionFor(const ProjectionQuestion& question)
{
    const TimeNs length = question.stages.whole().length();
    const auto pes = static_cast<std::int64_t>(std::max<std::size_t>(1, question.pes.size()));
    const TimeNs stage = length / static_cast<TimeNs>(std::max<std::size_t>(1, question.stages.count()));
    const TimeNs affordable = length / std::max<std::int64_t>(1, mostBinsLoaded / pes);
    return std::max<TimeNs>(1, std::min(stage, std::max(length / finestStages, affordable)));
}

template <typename Question>
void putFirst(std::list<Question>& asked, Question question)
{
    asked.remove(question);
    asked.push_front(std::move(question));
    if (asked.size() > mostAsked) asked.pop_back();
}

}  // namespace

ProjectionPtr Projector::exact(const ProjectionQuestion& question, std::size_t i)
{
    return m_results->peek(question.one(i));
}

ProjectionPtr Projector::similar(const ProjectionQuestion& question, std::size_t i) const
{
    for (const AttributeQuestion& one : m_asked) {
        if (!(one.attribute == question.attributes[i]) || !one.kept.empty() || one.grain != question.grain
            || one.pes != question.pes || !one.stages.whole().overlaps(question.stages.whole()))
            continue;
        if (ProjectionPtr there = m_results->peek(one)) return there;
    }
    return nullptr;
}

void Projector::remember(const ProjectionQuestion& question)
{
    for (std::size_t i = 0; i < question.attributes.size(); ++i) putFirst(m_asked, question.one(i));
}

std::shared_ptr<const StageTiles> Projector::tiles(const ProjectionQuestion& question, std::size_t i)
{
    if (question.grain) return {};  // bins do not know durations
    const std::vector<Measure> wanted = sortedMeasures({&question.attributes[i], 1});
    const TimeRange range = question.stages.whole();
    for (const StageTilesQuestion& one : m_askedTiles) {
        if (!std::includes(one.measures.begin(), one.measures.end(), wanted.begin(), wanted.end())
            || one.pes != question.pes || one.range.begin > range.begin || range.end > one.range.end)
            continue;
        const std::shared_ptr<const StageTiles> there = m_results->peek(one);
        if (there && there->serves(question.stages, question.pes)) return there;
    }
    return {};
}

StageTilesQuestion Projector::askForTiles(const ProjectionQuestion& question)
{
    std::vector<Attribute> attributes;
    for (const Attribute& attribute : question.attributes)
        if (isInTiles(attribute, store())) attributes.push_back(attribute);
    StageTilesQuestion wanted{sortedMeasures(attributes), question.pes, question.stages.whole(),
                              resolutionFor(question)};
    putFirst(m_askedTiles, wanted);
    return wanted;
}

void Projector::rememberFormula(const QString& text)
{
    m_formulas.removeAll(text);
    m_formulas.prepend(text);
    while (m_formulas.size() > mostFormulas) m_formulas.removeLast();
}

}  // namespace longpole
