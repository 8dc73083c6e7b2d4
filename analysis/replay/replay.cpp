// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/replay.h"

#include "analysis/base/naming.h"
#include "analysis/replay/model.h"
#include "analysis/replay/run.h"
#include "analysis/replay/times.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

namespace longpole {

namespace {

Result<ReplayedRun> run(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                        bool keepsTimes, const Progress& progress, bool startsFixedAtOnce = false)
{
    const Result<ReplayTimes> times = ReplayTimes::of(*model.graph, question);
    if (!times) return times.error();
    const ReplayInput input{model, question, *times, reading, keepsTimes, startsFixedAtOnce};
    return question.queue == QueueOrder::Recorded ? runRecordedOrder(input, progress) : runQueues(input, progress);
}

Result<TimeNs> durationOf(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                          const Progress& progress)
{
    const Result<ReplayedRun> result = run(model, question, reading, false, progress);
    if (!result) return result.error();
    return result->duration;
}

// The replayed duration of the run as it was; in the recorded order of tasks if the question keeps that order.
Result<TimeNs> baselineOf(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                          const Progress& progress)
{
    if (question.queue == QueueOrder::Recorded)
        return durationOf(model, {.queue = QueueOrder::Recorded}, reading, progress);
    std::atomic<TimeNs>& known = model.baseline[static_cast<std::size_t>(reading)];
    if (known >= 0) return known.load();
    const Result<TimeNs> duration = durationOf(model, {}, reading, progress);
    if (duration) known = *duration;
    return duration;
}

// A question's run and the run as it was, under one reading.
struct Pair {
    TimeNs baseline = 0;
    TimeNs changed = 0;
    std::optional<Error> error;
    std::optional<Error> baselineError;
};

double gainOf(const Pair& pair)
{
    return pair.baseline > 0 ? 1 - static_cast<double>(pair.changed) / static_cast<double>(pair.baseline) : 0;
}

// Measured gains lay outside of the predicted interval by up to this share of the predicted gain, as arrivals are
// estimated and a replay does not know everything of a run.
constexpr double estimateError = 0.1;

// Two runs of the same program differ by noise, so no prediction of a difference is more exact than that: so many
// standard deviations to either side. Even where iterations show no noise, logs in whole microseconds without receive
// times hide about leastNoise of the duration.
constexpr double deviations = 2;
constexpr double leastNoise = 0.0005;

// Widens the interval about its middle to what the run's noise allows to say.
void takeNoise(Prediction& prediction, double noise, bool isEstimated)
{
    const double middle = (prediction.gainLow + prediction.gainHigh) / 2;
    const double aside = deviations * (isEstimated ? std::max(noise, leastNoise) : noise);
    prediction.gainLow = std::min(prediction.gainLow, middle - aside);
    prediction.gainHigh = std::min(std::max(prediction.gainHigh, middle + aside), 1.0);
}

// Replayed with free arrivals the run as it was may take less time than recorded. The rest are waits that no usual
// latency explains, and they may remain whatever is changed: as one more bound the gain is scaled to the part that is
// explained.
void widenByFree(Prediction& prediction, std::span<const Pair> pairs, TimeNs unfitted)
{
    if (unfitted <= 0 || prediction.recorded <= 0) return;
    const double explained = std::min(1.0, static_cast<double>(unfitted) / static_cast<double>(prediction.recorded));
    const double gain = gainOf(pairs.back()) * explained;
    prediction.gainLow = std::min(prediction.gainLow, gain);
    prediction.gainHigh = std::max(prediction.gainHigh, gain);
}

// Whether the question asks for other queues than the run had.
bool replacesQueues(const ReplayQuestion& question)
{
    return question.queue != QueueOrder::Recorded && question.queue != QueueOrder::Kept;
}

// Where single messages had priorities, the order in which they ran does not show when they arrived. The error of the
// replay with free arrivals may come from that order, and a replay with other queues may be wrong by as much.
void widenByMessages(Prediction& prediction, const ReplayModel& model)
{
    const double error = std::abs(prediction.freeBaselineError) * (1 + model.discipline.unexplainedShare());
    prediction.gainLow -= error;
    prediction.gainHigh = std::min(prediction.gainHigh + error, 1.0);
}

// Makes the prediction of the pairs, of which the first is the likely reading. `unfitted`: the duration of the run as
// it was with free arrivals. `isAsked`: the question asks for something, even if only for what the run had.
Prediction together(std::span<const Pair> pairs, TimeNs unfitted, const ReplayModel& model,
                    const ReplayQuestion& question, bool isAsked)
{
    const TimeNs duration = model.graph->run.length();
    Prediction prediction{.recorded = duration, .baseline = pairs[0].baseline, .noise = model.noise};
    prediction.readings = static_cast<int>(pairs.size());
    const auto recorded = static_cast<double>(duration);
    if (duration > 0) {
        prediction.baselineError = static_cast<double>(prediction.baseline) / recorded - 1;
        prediction.freeBaselineError = static_cast<double>(unfitted) / recorded - 1;
    }
    prediction.gainLow = prediction.gainHigh = gainOf(pairs[0]);
    for (const Pair& pair : pairs) {
        prediction.gainLow = std::min(prediction.gainLow, gainOf(pair));
        prediction.gainHigh = std::max(prediction.gainHigh, gainOf(pair));
    }
    widenByFree(prediction, pairs, unfitted);
    const double unexplained = question.queue == QueueOrder::Recorded ? 0 : model.discipline.unexplainedShare();
    const double error = model.isEstimated ? estimateError + unexplained : unexplained;
    prediction.gainLow -= error * std::abs(prediction.gainLow);
    // The part of the run that remains can shrink by at most `error` of itself.
    const double most = 1 - (1 - prediction.gainHigh) * (1 - std::min(error, 1.0));
    prediction.gainHigh = std::min(prediction.gainHigh + error * std::abs(prediction.gainHigh), most);
    prediction.gainLow -= std::abs(prediction.baselineError);
    prediction.gainHigh = std::min(prediction.gainHigh + std::abs(prediction.baselineError), 1.0);
    if (replacesQueues(question) && model.discipline.hasMessagesOrdered()) widenByMessages(prediction, model);
    if (isAsked) takeNoise(prediction, question == ReplayQuestion{} ? 0 : model.noise, model.isEstimated);
    prediction.low = std::llround((1 - prediction.gainHigh) * recorded);
    prediction.high = std::llround((1 - prediction.gainLow) * recorded);
    return prediction;
}

// The advice where no better trace would help.
QString onlyARunTells() { return tr("Make the change, and ask longpole compare what it saved."); }

// Where most decisions of the recorded queues contradict every order of entry methods, what another order would change
// is a guess.
QString unknownOrderWords(const ReplayModel& model, const ReplayQuestion& question)
{
    const QueueDiscipline& discipline = model.discipline;
    if (!replacesQueues(question) || discipline.unexplained * 2 <= discipline.decisions) return {};
    return tr("In %1 of %2 cases what ran first neither came first nor had priority by its entry method: the order of "
              "the recorded queues is unknown.")
               .arg(formatCount(discipline.unexplained), formatCount(discipline.decisions))
           % QLatin1Char(' ') % onlyARunTells();
}

// Whether the question asks for a change, in queues in which arrivals decide what runs.
bool isReplacing(const ReplayQuestion& question, const ReplayQuestion& wanted)
{
    return question.queue != QueueOrder::Recorded && !(wanted == ReplayQuestion{});
}

// A question for the queues that the run had already is one for no change: a run does not differ from itself by noise.
ReplayQuestion simplest(ReplayQuestion question, const ReplayModel& model)
{
    const QueuePriorities& priorities = question.priorities;
    const bool isFifo = question.queue == QueueOrder::Fifo
                        || (question.queue == QueueOrder::Priority && priorities.entries.empty()
                            && priorities.tasks.empty());
    if (isFifo && model.discipline.isFifo()) {
        question.queue = QueueOrder::Kept;
        question.priorities = {};
    }
    return question;
}

// If the replay with free arrivals is wrong by more than this share of the duration, nothing is predicted.
constexpr double mostFreeError = 0.5;

QString unexplainedWaits(double freeBaselineError)
{
    return tr("Waits that no usual latency of messages explains make %1 of the run; whether the change saves them is "
              "unknown.")
               .arg(formatShare(std::min(1.0, std::abs(freeBaselineError))))
           % QLatin1Char(' ') % tr("With a core for every PE there are fewer: record such a run, and ask again.");
}

QString causelessWords(const ReplayModel& model)
{
    if (model.dropped > 0)
        return counted(
                   "%1 tasks started before their sender did, or it is not in the trace. They keep their recorded "
                   "times, and decide the end of the run whatever is changed.",
                   "%1 task started before its sender did, or it is not in the trace. It keeps its recorded "
                   "times, and decides the end of the run whatever is changed.",
                   model.dropped)
               % QLatin1Char(' ') % tr("Record all PEs, with clocks that agree (on one node they do), and ask again.");
    return tr("Tasks whose messages are not in the trace keep their recorded times, and decide the end of the run "
              "whatever is changed.")
           % QLatin1Char(' ') % tr("Record all PEs, with tracing on from start to end, and ask again.");
}

bool changesWork(const ReplayQuestion& question)
{
    return question.perfectBalance || !question.factors.empty() || !question.shorter.empty();
}

// Tasks without a known cause keep their recorded times. Replays the changed run with them at its begin: if it ends
// much earlier then, these recorded times decide when it ends, and nothing can be said. If it ends somewhat earlier,
// less work may gain what it gains between two such runs.
Result<> findPinned(Prediction& prediction, const Pair& likely, const ReplayModel& model,
                    const ReplayQuestion& question, const Progress& progress)
{
    constexpr double much = Prediction::widest, some = 0.01;
    const auto isMore = [&likely](TimeNs time, double share) {
        return static_cast<double>(time) > share * static_cast<double>(likely.changed);
    };
    const TimeNs fixedUntil = model.lastFixed - model.graph->run.begin;
    if (!isMore(fixedUntil, changesWork(question) ? 5 * some : much)) return Unit{};
    const Result<ReplayedRun> early = run(model, question, ArrivalReading::Likely, false, progress, true);
    if (!early) return early.error();
    const TimeNs earlier = likely.changed - early->duration;
    Pair pair = likely;
    pair.changed = early->duration;
    if (isMore(earlier, much)) prediction.pinned = causelessWords(model);
    else if (changesWork(question) && isMore(earlier, some)) {
        const ReplayQuestion unchanged{.queue = question.queue == QueueOrder::Recorded ? QueueOrder::Recorded
                                                                                       : QueueOrder::Kept};
        const Result<ReplayedRun> before = run(model, unchanged, ArrivalReading::Likely, false, progress, true);
        if (!before) return before.error();
        pair.baseline = before->duration;
    } else return Unit{};
    prediction.gainHigh = std::max(prediction.gainHigh, gainOf(pair));
    prediction.low = std::llround((1 - prediction.gainHigh) * static_cast<double>(prediction.recorded));
    return Unit{};
}

}  // namespace

QString whyUnusable(const Prediction& prediction)
{
    if (prediction.isUsable()) return {};
    constexpr double much = 0.1;
    if (prediction.pinned.isEmpty() && prediction.freeBaselineError < -much)
        return unexplainedWaits(prediction.freeBaselineError);
    return !prediction.pinned.isEmpty()
               ? prediction.pinned
               : tr("The trace leaves too much open for a prediction: the interval is wider than 25 points.")
                     % QLatin1Char(' ') % onlyARunTells();
}

Result<ReplayedRun> replay(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                           const Progress& progress)
{
    return run(model, question, reading, true, progress);
}

Result<TimeNs> replayedDuration(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                                const Progress& progress)
{
    return durationOf(model, question, reading, progress);
}

Result<Prediction> predict(const ReplayModel& model, const ReplayQuestion& wanted, const Progress& progress)
{
    const ReplayQuestion question = simplest(wanted, model);
    constexpr std::size_t longRun = 10'000'000;
    constexpr std::array readings{ArrivalReading::Likely, ArrivalReading::Early, ArrivalReading::Late,
                                  ArrivalReading::Free};
    const std::size_t fitted = model.graph->size() > longRun ? 1 : readings.size() - 1;
    const std::size_t tried = fitted + (fitted > 1 && model.isEstimated ? 1 : 0);
    std::array<Pair, readings.size()> pairs;
    TimeNs unfitted = 0;
    std::optional<Error> unfittedError;
    const bool triesFree = tried == readings.size();
    parallelFor(2 * tried + (triesFree ? 0 : 1), [&](std::size_t i) {
        if (i == 2 * tried) {
            const Result<TimeNs> result = baselineOf(model, question, ArrivalReading::Free, progress);
            if (result) unfitted = *result;
            else unfittedError = result.error();
            return;
        }
        Pair& pair = pairs[i / 2];
        const Result<TimeNs> result = i % 2 == 0 ? baselineOf(model, question, readings[i / 2], progress)
                                                 : durationOf(model, question, readings[i / 2], progress);
        if (!result) (i % 2 == 0 ? pair.baselineError : pair.error) = result.error();
        else (i % 2 == 0 ? pair.baseline : pair.changed) = *result;
    });
    for (std::size_t i = 0; i < tried; ++i)
        if (const auto& error = pairs[i].error ? pairs[i].error : pairs[i].baselineError) return *error;
    if (unfittedError) return *unfittedError;
    if (triesFree) unfitted = pairs[tried - 1].baseline;
    Prediction prediction = together({pairs.data(), tried}, unfitted, model, question, !(wanted == ReplayQuestion{}));
    prediction.pinned = unknownOrderWords(model, question);
    if (prediction.pinned.isEmpty() && isReplacing(question, wanted)
        && std::abs(prediction.freeBaselineError) > mostFreeError)
        prediction.pinned = prediction.freeBaselineError < 0 ? unexplainedWaits(prediction.freeBaselineError)
                                                             : tr("The replay of the run as it was takes %1 longer "
                                                                  "where arrivals are not fitted to the record.")
                                                                       .arg(formatShare(prediction.freeBaselineError))
                                                                   % QLatin1Char(' ') % onlyARunTells();
    if (!prediction.pinned.isEmpty()) return prediction;
    if (const Result<> found = findPinned(prediction, pairs[0], model, question, progress); !found)
        return found.error();
    return prediction;
}

}  // namespace longpole
