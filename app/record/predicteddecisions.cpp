// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/predicteddecisions.h"

#include "analysis/base/cells.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/scheduling/prioritylist.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "core/base/translate.h"

#include <set>
#include <utility>

namespace longpole {

namespace {

// Durations with these entry methods preferred, as parts of the run as it was; or why there are none.
struct Durations {
    double low = 1, high = 1;
    QString why{};
};

Result<Durations> durationsWith(Results& results, const QStringList& entries, const Progress& progress)
{
    if (entries.isEmpty()) return Durations{};
    std::vector<NamedPriority> named;
    for (const QString& entry : entries) named.push_back({.name = entry, .priority = highPriority});
    FoundPriorities found = findPriorities(results.store(), named);
    if (!found.missing.isEmpty())
        return Durations{.why = tr("The trace has no %1.").arg(onOneLine(found.missing.join(QStringLiteral(", "))))};
    ReplayQuestion question{.queue = QueueOrder::Priority, .priorities = std::move(found.priorities)};
    const auto prediction = results.ask(PredictionQuestion{std::move(question)}, progress);
    if (!prediction) return prediction.error();
    const Prediction& known = **prediction;
    if (!known.isUsable()) return Durations{.why = whyUnusable(known)};
    return Durations{1 - known.gainHigh, 1 - known.gainLow, {}};
}

// Each costs replays of the whole run.
constexpr std::size_t mostSets = 64;

Result<DecisionPrediction> predictionOf(Results& results, const AutoDecision& decision, const Progress& progress)
{
    if (!decision.isTrial) return DecisionPrediction{};
    const auto with = durationsWith(results, decision.entries, progress);
    if (!with) return with.error();
    const auto without = durationsWith(results, decision.base, progress);
    if (!without) return without.error();
    if (!with->why.isEmpty()) return DecisionPrediction{{}, with->why};
    if (!without->why.isEmpty()) return DecisionPrediction{{}, without->why};
    if (without->low <= 0) return DecisionPrediction{{}, tr("What was in force before takes no time in a replay.")};
    return DecisionPrediction{PredictedGain{1 - with->high / without->low, 1 - with->low / without->high}, {}};
}

}  // namespace

Result<PredictedDecisions> predictDecisions(Results& results, const std::vector<AutoDecision>& decisions,
                                            const Thresholds& thresholds, const Progress& progress)
{
    PredictedDecisions predicted;
    const auto advised = results.ask(PriorityListQuestion{thresholds, ListedEntries::Advised}, progress);
    if (!advised) return advised.error();
    for (const PriorityList::Row& row : (*advised)->rows) predicted.advised << row.name;
    std::set<QStringList> sets;  // that were replayed
    for (const AutoDecision& decision : decisions) {
        if (decision.isTrial) {
            std::set<QStringList> with = sets;
            with.insert({decision.entries, decision.base});
            if (with.size() > mostSets) {
                predicted.predictions.push_back(
                    {{}, tr("Only the first %1 sets of entry methods are replayed.").arg(mostSets)});
                continue;
            }
            sets = std::move(with);
        }
        auto prediction = predictionOf(results, decision, progress);
        if (!prediction) return prediction.error();
        predicted.predictions.push_back(std::move(*prediction));
    }
    return predicted;
}

}  // namespace longpole
