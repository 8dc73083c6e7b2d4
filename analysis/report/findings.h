// SPDX-License-Identifier: GPL-3.0-or-later
// The functions behind the list of analyses, and what they share in wording.
#pragma once

#include "analysis/base/naming.h"
#include "analysis/graph/mergeinference.h"
#include "analysis/report/analyses.h"

namespace longpole {

Finding findAdvice(const AnalysisContext& context);
Finding findRun(const AnalysisContext& context);
Finding findHealth(const AnalysisContext& context);
Finding findUtilization(const AnalysisContext& context);
Finding findEntries(const AnalysisContext& context);
Finding findCriticalPath(const AnalysisContext& context);
Finding findWhatIf(const AnalysisContext& context);
Finding findParallelism(const AnalysisContext& context);
Finding findMpi(const AnalysisContext& context);  // of traces with ranks
Finding findWaits(const AnalysisContext& context);
Finding findPhases(const AnalysisContext& context);
Finding findTree(const AnalysisContext& context);
Finding findNotEvaluated(const AnalysisContext& context);

// "5 merge edges inferred from the trace (4 of buffered messages, 1 of reductions)"; "no merge edges".
QString mergesInWords(std::size_t recorded, const MergeInference& inferred);

}  // namespace longpole
