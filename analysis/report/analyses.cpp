// SPDX-License-Identifier: GPL-3.0-or-later
// The list of analyses, and running them.
#include "analysis/report/analyses.h"

#include "analysis/expert/expertquestions.h"
#include "analysis/report/findings.h"
#include "analysis/results/bytesof.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QCoreApplication>

#include <array>
#include <utility>

namespace longpole {

namespace {

constexpr std::array<Analysis, 13> list{{
    {"advice", QT_TRANSLATE_NOOP("longpole", "What to do first"), findAdvice},
    {"run", QT_TRANSLATE_NOOP("longpole", "The run"), findRun},
    {"health", QT_TRANSLATE_NOOP("longpole", "How far to trust this"), findHealth},
    {"utilization", QT_TRANSLATE_NOOP("longpole", "Utilization"), findUtilization},
    {"entries",
     {QT_TRANSLATE_NOOP("longpole", "Entry methods that cost most"),
      QT_TRANSLATE_NOOP("longpole", "Regions that cost most")},
     findEntries},
    {"mpi", QT_TRANSLATE_NOOP("longpole", "MPI"), findMpi, true},
    {"waits", QT_TRANSLATE_NOOP("longpole", "Wait states"), findWaits, true},
    {"critical-path", QT_TRANSLATE_NOOP("longpole", "The critical path"), findCriticalPath},
    {"what-if", QT_TRANSLATE_NOOP("longpole", "What could be gained"), findWhatIf},
    {"parallelism", QT_TRANSLATE_NOOP("longpole", "What exposes parallelism"), findParallelism},
    {"phases", QT_TRANSLATE_NOOP("longpole", "What repeats"), findPhases},
    {"tree", QT_TRANSLATE_NOOP("longpole", "Appendix: the decision tree"), findTree},
    {"not-evaluated", QT_TRANSLATE_NOOP("longpole", "What was not evaluated"), findNotEvaluated},
}};

}  // namespace

std::span<const Analysis> analyses() { return list; }

Result<std::shared_ptr<const AnalysisResults>> AnalysesQuestion::compute(Results& results,
                                                                         const Progress& progress) const
{
    const auto paths = results.ask(RunPathsQuestion{}, progress);
    if (!paths) return paths.error();
    const TraceStore& store = results.store();
    auto answer = std::make_shared<AnalysisResults>();
    answer->paths = *paths;
    if (store.hasEvents()) {
        const auto found = results.ask(ExpertQuestion{thresholds}, progress);
        if (!found) return found.error();
        answer->expert = *found;
    }
    const RunPaths& run = **paths;
    const AnalysisContext context{results,         store,       *run.graph, run.workAtMessages,   run.workAtMerges,
                                  run.workAtOrder, run.elapsed, run.merges, answer->expert.get(), thresholds,
                                  progress};
    for (const Analysis& analysis : list) {
        if (progress.isCancelled()) return cancelledError();
        if (analysis.needsRanks && !store.info().hasRanks()) continue;
        Finding finding = analysis.evaluate(context);
        finding.id = QString::fromLatin1(analysis.id);
        finding.title = tr(store.words().say(analysis.title));
        answer->findings.push_back(std::move(finding));
    }
    progress.report(1.0);
    return std::shared_ptr<const AnalysisResults>(std::move(answer));
}

std::int64_t AnalysesQuestion::bytes(const AnalysisResults& results)
{
    return bytesOfAll(results.findings, [](const Finding& finding) {
        return bytesOf(finding.figures)
               + bytesOfAll(finding.tables, [](const TableData& table) { return bytesOf(table.rows); });
    });
}

QString mergesInWords(std::size_t recorded, const MergeInference& inferred)
{
    const auto edges = [](std::int64_t count) { return counted(count, tr("merge edge"), tr("merge edges")); };
    const std::int64_t known = static_cast<std::int64_t>(recorded);
    const std::int64_t guessed = inferred.buffered + inferred.reductions;
    if (guessed == 0) return known == 0 ? tr("no merge edges") : tr("%1 that the program recorded").arg(edges(known));
    const QString kinds = tr("%1 of buffered messages, %2 of reductions")
                              .arg(formatCount(inferred.buffered), formatCount(inferred.reductions));
    if (known == 0) return tr("%1 inferred from the trace (%2)").arg(edges(guessed), kinds);
    return tr("%1 that the program recorded and %2 inferred from the trace (%3)")
        .arg(edges(known), formatCount(guessed), kinds);
}

}  // namespace longpole
