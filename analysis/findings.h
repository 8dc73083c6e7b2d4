// The functions behind the list of analyses, and what they share in wording.
#pragma once

#include "analysis/analyses.h"
#include "analysis/mergeinference.h"

namespace longpole {

Finding findAdvice(const AnalysisContext& context);
Finding findRun(const AnalysisContext& context);
Finding findHealth(const AnalysisContext& context);
Finding findUtilization(const AnalysisContext& context);
Finding findEntries(const AnalysisContext& context);
Finding findCriticalPath(const AnalysisContext& context);
Finding findWhatIf(const AnalysisContext& context);
Finding findParallelism(const AnalysisContext& context);
Finding findMpi(const AnalysisContext& context);    // of traces with ranks
Finding findWaits(const AnalysisContext& context);
Finding findPhases(const AnalysisContext& context);
Finding findTree(const AnalysisContext& context);
Finding findNotEvaluated(const AnalysisContext& context);

// "Jacobi::compute"; "entry 17" if the trace has no name for it.
QString nameOfEntry(const TraceStore& store, EntryId entry);
// {id, name, chare} (CLI.md).
QJsonValue entryJson(const TraceStore& store, EntryId entry);
// Why a finding about executions is not there: the trace is a summary, or else `otherwise`.
QString withoutEvents(const TraceStore& store, const QString& otherwise);
// part / whole, 0 where there is no whole.
double ratio(double part, double whole);
// "1 task", "12 tasks".
QString counted(std::int64_t count, const QString& one, const QString& many);
// "5 merge edges inferred from the trace (4 of buffered messages, 1 of reductions)"; "no merge edges".
QString mergesInWords(std::size_t recorded, const MergeInference& inferred);

}  // namespace longpole
