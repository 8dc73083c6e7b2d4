// SPDX-License-Identifier: GPL-3.0-or-later
// The decision tree as indented text, as CSV with a line per node, and as JSON (resources/schema/tree.schema.json).
#pragma once

#include "analysis/expert/decisiontree.h"
#include "app/output/output.h"
#include "core/store/tracestore.h"

namespace longpole {

void writeTree(Output& output, OutputFormat format, const TraceStore& store, const DecisionTree& tree);

}  // namespace longpole
