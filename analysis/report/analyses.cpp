// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/analyses.h"

#include "analysis/expert/expertquestions.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/report/findings.h"
#include "analysis/results/bytesof.h"
#include "core/base/result.h"
#include "core/base/translate.h"

#include <algorithm>
#include <array>
#include <utility>

namespace longpole {

namespace {

// In the order of the report.
constexpr std::array allAnalyses{
    &adviceAnalysis, &runAnalysis,   &healthAnalysis,       &utilizationAnalysis, &entriesAnalysis,
    &mpiAnalysis,    &waitsAnalysis, &criticalPathAnalysis, &whatIfAnalysis,      &parallelismAnalysis,
    &phasesAnalysis, &treeAnalysis,  &notEvaluatedAnalysis,
};

// A report of a run with nothing to advise is short: what it says beside is for those who look further.
bool isMain(const Analysis& analysis, const Expert* expert)
{
    constexpr std::array always{&adviceAnalysis, &runAnalysis, &healthAnalysis, &utilizationAnalysis};
    const bool isQuiet = expert != nullptr && countWorthIt(expert->advice) == 0;
    return !isQuiet || std::find(always.begin(), always.end(), &analysis) != always.end();
}

}  // namespace

std::span<const Analysis* const> analyses() { return allAnalyses; }

Result<std::shared_ptr<const AnalysisResults>> AnalysesQuestion::compute(Results& results,
                                                                         const Progress& progress) const
{
    const auto paths = results.ask(RunPathsQuestion{}, progress);
    if (!paths) return paths.error();
    const TraceStore& store = results.store();
    auto answer = std::make_shared<AnalysisResults>();
    answer->paths = *paths;
    auto merges = std::make_shared<const MergeInference>();
    if (!store.info().isSummary()) {
        const auto found = results.ask(ExpertQuestion{thresholds}, progress);
        // Of parts of the events advice may have been left out; the rest is no less true.
        if (!found && (!store.info().isPart() || progress.isCancelled())) return found.error();
        if (found) answer->expert = *found;
    }
    if (!store.info().isSummary() && !store.info().isPart()) {
        const auto inferred = results.ask(MergesQuestion{}, progress);
        if (!inferred) return inferred.error();
        merges = *inferred;
    }
    const RunPaths& run = **paths;
    const AnalysisContext context{results,          store,        *run.graph, *run.workAtMessages,  *run.workAtMerges,
                                  *run.workAtOrder, *run.elapsed, *merges,    answer->expert.get(), thresholds,
                                  progress};
    for (const Analysis* analysis : allAnalyses) {
        if (progress.isCancelled()) return cancelledError();
        if (store.info().hasRanks() ? analysis->needsObjects : analysis->needsRanks) continue;
        Finding finding = analysis->evaluate(context);
        finding.id = QString::fromLatin1(analysis->id);
        finding.title = tr(store.words().say(analysis->title));
        if (!isMain(*analysis, answer->expert.get())) finding.moveToAppendix();
        answer->findings.push_back(std::move(finding));
    }
    progress.report(1.0);
    return std::shared_ptr<const AnalysisResults>(std::move(answer));
}

std::int64_t AnalysesQuestion::bytes(const AnalysisResults& results)
{
    return bytesOfAll(results.findings, [](const Finding& finding) {
        return bytesOf(finding.figures)
               + bytesOfAll(finding.tables, [](const TableData& table) { return bytesOf(table.rows); })
               + bytesOfAll(finding.appendix.tables, [](const TableData& table) { return bytesOf(table.rows); });
    });
}

}  // namespace longpole
