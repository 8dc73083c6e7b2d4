// SPDX-License-Identifier: GPL-3.0-or-later
// A projection as text, CSV and JSON.
#pragma once

#include "analysis/projection/projection.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

#include <QString>

#include <vector>

namespace longpole {

// What of a projection is written: all of it, or one value a stage, or one a processor.
enum class ProjectionView : std::uint8_t { Detailed, OverProcessors, OverTime };

struct ProjectionOutput {
    ProjectionView view = ProjectionView::Detailed;
    Statistic statistic{};
    std::vector<std::size_t> stages;  // that are written, ascending
};

QString statisticName(Statistic statistic);  // "together", "mean", "max", "min", "percentile 90"

void writeProjection(Output& output, OutputFormat format, const TraceStore& store, const Projection& projection,
                     const ProjectionOutput& what);

}  // namespace longpole
