// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/replayedadvice.h"

#include "analysis/base/naming.h"
#include "analysis/replay/replayquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

void ask(Advice& advice, ReplayQuestion question, const QString& option, const QString& change)
{
    advice.replay = std::make_shared<const ReplayQuestion>(std::move(question));
    advice.replayOption = option;
    advice.replayChange = change;
}

ReplayQuestion scaled(EntryId entry, Rational factor) { return {.factors = {{.entries = {entry}, .factor = factor}}}; }

bool isAbout(const Advice& advice, const char* node) { return advice.kind == QLatin1String(node); }

// Splitting a task cannot save more than not having it: what the replay says of that is a limit.
bool splits(const Advice& advice)
{
    return advice.entry != noEntry && (isAbout(advice, "split") || (isAbout(advice, "grainsize") && advice.bound));
}

// What an even spread gives back is lost on all processors at once; anything else saves no more than what is lost.
void limitToItsOwn(Advice& advice, const TraceStore& store)
{
    const bool isLimited = isAbout(advice, "synchronization") && !store.info().hasRanks();  // by its node
    if (advice.isOfScheduling() || !advice.bound || isLimited) return;
    const std::int64_t processors = std::max<std::int64_t>(1, store.info().processors);
    const TimeNs own = isAbout(advice, "load_balance") ? advice.severity / processors : advice.severity;
    if (own < *advice.bound) advice.bound = own;
    else if (!splits(advice)) advice.bound.reset();  // a limit of the run, of whatever else it waits for
}

Result<> limitByReplay(Advice& advice, Results& results, const Progress& progress)
{
    const auto without = results.ask(PredictionQuestion{scaled(advice.entry, {0, 1})}, progress);
    if (!without.ok()) return without.error();
    if (!(*without)->isUsable()) return Unit{};
    const auto most = static_cast<TimeNs>(std::llround(std::max(0.0, (*without)->gainHigh)
                                                       * double((*without)->recorded)));
    for (std::optional<TimeNs>* limit : {&advice.bound, &advice.estimate})
        if (*limit) *limit = std::min(**limit, most);
    return Unit{};
}

QString notReplayedText(const Advice& advice)
{
    return tr("Not replayed, as the run is large. To ask: longpole replay TRACE %1").arg(advice.replayOption)
           % QLatin1Char('.');
}

}  // namespace

void nameReplay(Advice& advice, const TraceStore& store)
{
    if (store.info().hasRanks() || advice.replay) return;
    if (isAbout(advice, "load_balance") || isAbout(advice, "bottleneck"))
        ask(advice, {.perfectBalance = true}, QStringLiteral("--balance perfect"),
            tr("In the replay every PE has the same work, its tasks scaled for that. What you change may save more or "
               "less."));
    else if (isAbout(advice, "latency") || isAbout(advice, "locality"))
        ask(advice, {.network = NetworkModel::Ideal}, QStringLiteral("--network ideal"),
            tr("In the replay messages take no time."));
    else if (isAbout(advice, "serial_chain") && advice.entry != noEntry)
        ask(advice, scaled(advice.entry, {1, 2}), QStringLiteral("--factor %1=1/2").arg(index(advice.entry)),
            tr("In the replay %1 takes half as long.").arg(nameOfEntry(store, advice.entry)));
}

void takePrediction(Advice& advice, const Prediction& prediction, const TraceStore& store)
{
    advice.prediction = prediction;
    advice.notReplayed = prediction.isUsable()
                             ? QString()
                             : tr("A replay can't tell what it saves.") % QLatin1Char(' ') % whyUnusable(prediction);
    if (prediction.isUsable() && !advice.isOfScheduling()) advice.bound.reset();
    sayNumbers(advice, store);
}

Result<> replayAdvice(std::vector<Advice>& advice, Results& results, const Progress& progress)
{
    const TraceStore& store = results.store();
    const bool isLarge = store.info().tasks > mostReplayedTasks;
    for (Advice& one : advice) {
        limitToItsOwn(one, store);
        nameReplay(one, store);
        if (splits(one) && !store.info().hasRanks() && !isLarge)
            if (const Result<> limited = limitByReplay(one, results, progress); !limited) return limited.error();
        if (one.replay && !one.prediction) {
            if (isLarge) {
                one.bound.reset();
                one.notReplayed = notReplayedText(one);
            } else {
                const auto answer = results.ask(PredictionQuestion{*one.replay}, progress);
                if (!answer.ok()) return answer.error();
                takePrediction(one, **answer, store);
            }
        }
        sayNumbers(one, store);
    }
    return Unit{};
}

}  // namespace longpole
