// SPDX-License-Identifier: GPL-3.0-or-later
// What the projection views of one trace share: which questions were asked lately, whose answers (in Results) make
// first pictures of others, and the formulas of the session. Lives on the UI thread.
#pragma once

#include "analysis/projection/projectionquestions.h"

#include <QStringList>

#include <cstdint>
#include <list>
#include <memory>

namespace longpole {

class Projector {
public:
    // Cells x attributes of one question.
    static constexpr std::int64_t mostCells = 6'000'000;

    explicit Projector(std::shared_ptr<Results> results) : m_results(std::move(results)) {}

    const std::shared_ptr<Results>& results() const { return m_results; }
    void setResults(std::shared_ptr<Results> results);  // another epoch
    const TraceStore& store() const { return m_results->store(); }

    // The exact answer for the i-th attribute of a question; null if it is not held.
    ProjectionPtr exact(const ProjectionQuestion& question, std::size_t i);
    // Another answer of that attribute and those PEs that is held, for a first picture; null if there is none.
    ProjectionPtr similar(const ProjectionQuestion& question, std::size_t i) const;
    // Answers to it may be similar to later questions.
    void remember(const ProjectionQuestion& question);

    // Bins that serve a question's i-th attribute; null if none are held.
    std::shared_ptr<const StageTiles> tiles(const ProjectionQuestion& question, std::size_t i);
    // What to ask for bins that serve all attributes that the pyramid has, and finer stages too. Remembers it.
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
