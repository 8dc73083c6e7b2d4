// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a path as rows of a table and as the JSON that is documented.
#pragma once

#include "analysis/base/finding.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/base/json.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"
#include "core/trace/vocabulary.h"

#include <QVariant>

#include <vector>

namespace longpole {

std::vector<Column> stepColumns(Vocabulary words);

// Begins and ends are shown from `zero` on.
std::vector<QVariant> stepCells(const PathStep& step, TimeNs zero);

JsonValue stepJson(const TraceStore& store, const PathStep& step);

// A JSON list with one step a line behind `indent` blanks, written step by step: a path may have millions. False when
// nothing more can be written.
bool writeStepsJson(Output& output, const TraceStore& store, const std::vector<PathStep>& steps, int indent);

}  // namespace longpole
