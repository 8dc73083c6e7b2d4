// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/predicteddecisions.h"

#include "analysis/base/cells.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/scheduling/prioritylist.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "core/base/translate.h"

#include <map>
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

// Of the sets that were asked about, each once.
using DurationsOfSets = std::map<QStringList, Durations>;

Result<> addDurations(DurationsOfSets& known, Results& results, const QStringList& entries, const Progress& progress)
{
    if (known.contains(entries)) return Unit{};
    auto durations = durationsWith(results, entries, progress);
    if (!durations) return durations.error();
    known.emplace(entries, std::move(*durations));
    return Unit{};
}

DecisionPrediction predictionOf(const Durations& with, const Durations& without)
{
    if (!with.why.isEmpty()) return {{}, with.why};
    if (!without.why.isEmpty()) return {{}, without.why};
    if (without.low <= 0) return {{}, tr("What was in force before takes no time in a replay.")};
    return {PredictedGain{1 - with.high / without.low, 1 - with.low / without.high}, {}};
}

}  // namespace

Result<PredictedDecisions> predictDecisions(Results& results, const std::vector<AutoDecision>& decisions,
                                            const Thresholds& thresholds, const Progress& progress)
{
    PredictedDecisions predicted;
    const auto advised = results.ask(PriorityListQuestion{thresholds, ListedEntries::Advised}, progress);
    if (!advised) return advised.error();
    for (const PriorityList::Row& row : (*advised)->rows) predicted.advised << row.name;
    DurationsOfSets known;
    for (const AutoDecision& decision : decisions) {
        if (progress.isCancelled()) return cancelledError();
        if (!decision.isTrial) {
            predicted.predictions.emplace_back();
            continue;
        }
        std::size_t sets = known.size() + (known.contains(decision.entries) ? 0 : 1);
        if (decision.base != decision.entries && !known.contains(decision.base)) ++sets;
        if (sets > mostSets) {
            predicted.predictions.push_back(
                {{}, tr("Only the first %1 sets of entry methods are replayed.").arg(mostSets)});
            continue;
        }
        for (const QStringList& entries : {decision.entries, decision.base})
            if (const Result<> added = addDurations(known, results, entries, progress); !added) return added.error();
        predicted.predictions.push_back(predictionOf(known.at(decision.entries), known.at(decision.base)));
    }
    return predicted;
}

}  // namespace longpole
