// SPDX-License-Identifier: GPL-3.0-or-later
// What the projection views of one trace share: the questions that were asked lately, whose answers (kept in Results)
// may do for a first picture of others; and the formulas that were typed. Lives on the UI thread.
#pragma once

#include "analysis/projection/projectionquestions.h"

#include <QStringList>

#include <cstdint>
#include <list>
#include <memory>

namespace longpole {

class Projector {
public:
    // The most cells (stages x processors x attributes) that one question may have.
    static constexpr std::int64_t mostCells = 6'000'000;

    explicit Projector(std::shared_ptr<Results> results) : m_results(std::move(results)) {}

    const std::shared_ptr<Results>& results() const { return m_results; }
    const TraceStore& store() const { return m_results->store(); }

    // The answer for the i-th attribute of a question; null if it is not kept.
    ProjectionPtr exact(const ProjectionQuestion& question, std::size_t i);
    // For a first picture: an answer for that attribute and those PEs with other stages; null if none is kept.
    ProjectionPtr similar(const ProjectionQuestion& question, std::size_t i) const;
    // Makes similar() look for the answers to this question from now on.
    void remember(const ProjectionQuestion& question);

    // Bins from which the i-th attribute of a question can be computed; null if none are kept.
    std::shared_ptr<const StageTiles> tiles(const ProjectionQuestion& question, std::size_t i);
    // The question whose answer are bins for all attributes of `question` that tiles know, and for finer stages too;
    // tiles() will look for the answer.
    StageTilesQuestion askForTiles(const ProjectionQuestion& question);

    // Formulas that were typed, newest first.
    const QStringList& formulas() const { return m_formulas; }
    void rememberFormula(const QString& text);

private:
    std::shared_ptr<Results> m_results;
    std::list<AttributeQuestion> m_asked;  // newest first
    std::list<StageTilesQuestion> m_askedTiles;
    QStringList m_formulas;
};

}  // namespace longpole
