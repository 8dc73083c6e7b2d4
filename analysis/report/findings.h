// SPDX-License-Identifier: GPL-3.0-or-later
// The analyses of the expert report, each of which describes itself in its own file, and what they share in wording.
#pragma once

#include "analysis/base/naming.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/report/analyses.h"

namespace longpole {

extern const Analysis adviceAnalysis;
extern const Analysis runAnalysis;
extern const Analysis healthAnalysis;
extern const Analysis utilizationAnalysis;
extern const Analysis entriesAnalysis;
extern const Analysis mpiAnalysis;
extern const Analysis waitsAnalysis;
extern const Analysis criticalPathAnalysis;
extern const Analysis whatIfAnalysis;
extern const Analysis parallelismAnalysis;
extern const Analysis phasesAnalysis;
extern const Analysis treeAnalysis;
extern const Analysis notEvaluatedAnalysis;

// "5 merge edges inferred from the trace (4 of buffered messages, 1 of reductions)"; "no merge edges".
// A path's length at least, once its tasks are not interrupted, as far as their CPU times say.
TimeNs lengthUninterrupted(const AnalysisContext& context, const CriticalPath& path);
QString mergesInWords(std::size_t recorded, const MergeInference& inferred);

}  // namespace longpole
