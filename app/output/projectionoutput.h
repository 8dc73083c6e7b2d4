// SPDX-License-Identifier: GPL-3.0-or-later
// A projection, an attribute by stage and processor, as text, CSV and JSON (resources/schema/project.schema.json).
#pragma once

#include "analysis/projection/projection.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

#include <QString>

#include <vector>

namespace longpole {

// Which values are written: all, one per stage (OverProcessors), or one per processor (OverTime).
enum class ProjectionView : std::uint8_t { Detailed, OverProcessors, OverTime };

struct ProjectionOutput {
    ProjectionView view = ProjectionView::Detailed;
    Statistic statistic{};
    std::vector<std::size_t> stages;  // those that are written, ascending
};

QString statisticName(Statistic statistic);  // "together", "mean", "max", "min", "percentile 90"

void writeProjection(Output& output, OutputFormat format, const TraceStore& store, const Projection& projection,
                     const ProjectionOutput& what);

}  // namespace longpole
