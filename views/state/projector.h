// SPDX-License-Identifier: GPL-3.0-or-later
// What the projection views of one trace share: bins of the pyramid that are loaded, the last exact results, and the
// formulas of the session. Lives on the UI thread.
#pragma once

#include "analysis/projection/projection.h"
#include "analysis/projection/stagetiles.h"
#include "core/store/tracestore.h"

#include <QStringList>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

struct ProjectionQuestion {
    std::vector<Attribute> attributes;
    Stages stages;
    std::vector<ProcessorId> pes;                // sorted, at least one
    std::vector<bool> kept{};                    // by stage: those that were chosen; empty: all
    std::shared_ptr<const CriticalPath> path{};  // for attributes that need it
    std::optional<TimeRange> grain{};            // only executions of these durations (StageRequest)
    bool onlyAtOnce = false;                     // what the pyramid has, without counting
};

// Whether an attribute is about the critical path that is shown.
bool needsPath(const Attribute& attribute);

// Their measures, sorted, each once.
std::vector<Measure> sortedMeasures(std::span<const Attribute> attributes);

class Projector {
public:
    // Cells x attributes of one question: with results that are kept and bins it makes less than 300 MB.
    static constexpr std::int64_t mostCells = 6'000'000;

    explicit Projector(std::shared_ptr<const TraceStore> store) : m_store(std::move(store)) {}

    const std::shared_ptr<const TraceStore>& store() const { return m_store; }

    // The exact result for the i-th attribute of a question; null if it is not kept. Least recently used ones go first.
    ProjectionPtr exact(const ProjectionQuestion& question, std::size_t i);
    void keep(const ProjectionQuestion& question, std::size_t i, ProjectionPtr result);
    // Another result of that attribute and those PEs: for a first picture; null if there is none.
    ProjectionPtr similar(const ProjectionQuestion& question, std::size_t i) const;

    // Bins that serve a question's i-th attribute; null if they are not loaded.
    std::shared_ptr<const StageTiles> tiles(const ProjectionQuestion& question, std::size_t i);
    void keepTiles(std::vector<Measure> measures, std::vector<ProcessorId> pes, TimeRange range,
                   std::shared_ptr<const StageTiles> tiles);
    // How fine bins are loaded for a question, so that finer stages are served too.
    static TimeNs resolutionFor(const ProjectionQuestion& question);

    // Formulas that were typed, newest first.
    const QStringList& formulas() const { return m_formulas; }
    void rememberFormula(const QString& text);

    std::int64_t bytes() const;  // of all that is kept

private:
    struct Kept {
        Attribute attribute;
        std::vector<bool> kept;
        std::shared_ptr<const CriticalPath> path;
        std::optional<TimeRange> grain;
        ProjectionPtr result;
    };
    struct Loaded {
        std::vector<Measure> measures;
        std::vector<ProcessorId> pes;
        TimeRange range;
        std::shared_ptr<const StageTiles> tiles;
    };
    std::shared_ptr<const TraceStore> m_store;
    std::list<Kept> m_kept;  // newest first
    std::list<Loaded> m_tiles;
    QStringList m_formulas;
};

}  // namespace longpole
