// SPDX-License-Identifier: GPL-3.0-or-later
// The order of advice, and the sentences that its numbers make: written here alone, so that cards, reports and the
// command line say the same.
#include "analysis/scheduling/advice.h"

#include "analysis/base/naming.h"
#include "analysis/scheduling/changewords.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

double replayedGain(const Advice& advice) { return (advice.prediction->gainLow + advice.prediction->gainHigh) / 2; }

// Replayed and worth it, not replayed, not worth it.
int groupOf(const Advice& advice) { return !isWorthIt(advice) ? 2 : isReplayed(advice) ? 0 : 1; }

QString joined(const QStringList& sentences)
{
    QStringList there;
    for (const QString& sentence : sentences)
        if (!sentence.isEmpty()) there << sentence;
    return there.join(QLatin1Char(' '));
}

QString limitText(const Advice& advice, TimeNs duration)
{
    const std::optional<TimeNs> limit = saidLimitOf(advice, duration);
    if (!limit) return {};
    return tr("Could save at most %1 (%2 of the duration).")
        .arg(formatTime(*limit), shareText(double(*limit), double(duration)));
}

// A saving only where a replay says that there is one.
QString predictionText(const Prediction& prediction)
{
    if (prediction.gains())
        return tr("Predicted saving: %1 of the duration, by a replay.").arg(savingShares(prediction));
    const QString longer = formatShare(std::abs(prediction.gainLow));
    if (prediction.gainLow == 0 && prediction.gainHigh == 0) return tr("A replay says that it saves nothing.");
    if (prediction.gainHigh > 0)
        return tr("A replay can't tell whether it helps: from %1 longer to %2 shorter.")
            .arg(longer, formatShare(prediction.gainHigh));
    return tr("A replay says that it saves nothing: the run takes up to %1 longer.").arg(longer);
}

// What a replay says that it saves, or why none says so; then what it could save at most, if that is known of it alone.
QString savingText(const Advice& advice, TimeNs duration)
{
    if (isReplayed(advice)) return joined({predictionText(*advice.prediction), advice.replayChange});
    return joined({limitText(advice, duration), advice.notReplayed});
}

QString lossText(const Advice& advice, const TraceStore& store)
{
    if (advice.isOfScheduling() || advice.severity <= 0) return {};
    const double whole = double(store.info().duration()) * double(std::max<std::int64_t>(1, store.info().processors));
    return store.words()
        .say(tr("Lost: %1, %2 of the run's PE-time."), tr("Lost: %1, %2 of the run's rank-time."))
        .arg(formatTime(advice.severity), shareText(double(advice.severity), whole));
}

QString scopeText(const Advice& advice, const TraceStore& store)
{
    const AdviceScope& scope = advice.scope;
    if (scope.kind == ScopeKind::Run || scope.ranges.empty()) return tr("the whole run");
    const TimeNs start = store.info().begin;
    const auto range = [start](const TimeRange& one) {
        return tr("from %1 to %2").arg(formatTime(one.begin - start), formatTime(one.end - start));
    };
    TimeNs length = 0;
    for (const TimeRange& one : scope.ranges) addSaturating(length, one.length());
    const QString part = shareText(double(length), double(store.info().duration()));
    if (scope.kind == ScopeKind::Interval) return tr("%1, %2 of the run").arg(range(scope.ranges.front()), part);
    if (scope.ranges.size() == 1)
        return tr("one slow stretch, %1 of the run, %2").arg(part, range(scope.ranges.front()));
    return tr("%1 slow stretches, %2 of the run; the worst %3")
        .arg(formatCount(std::int64_t(scope.ranges.size())), part, range(advice.range));
}

}  // namespace

const char* name(ScopeKind kind)
{
    switch (kind) {
    case ScopeKind::Run: return "run";
    case ScopeKind::SlowStretches: return "slow_stretches";
    case ScopeKind::Interval: break;
    }
    return "interval";
}

bool isReplayed(const Advice& advice) { return advice.prediction && advice.prediction->isUsable(); }

std::optional<TimeNs> limitOf(const Advice& advice)
{
    if (isReplayed(advice)) return {};
    return advice.estimate ? advice.estimate : advice.bound;
}

std::optional<TimeNs> saidLimitOf(const Advice& advice, TimeNs duration)
{
    const std::optional<TimeNs> limit = limitOf(advice);
    return limit && double(*limit) < nearlyAll * double(duration) ? limit : std::nullopt;
}

QString savingShares(const Prediction& prediction)
{
    const QString high = formatShare(prediction.gainHigh);
    return prediction.gainLow == prediction.gainHigh ? high : tr("%1 to %2").arg(formatShare(prediction.gainLow), high);
}

bool isWorthIt(const Advice& advice)
{
    if (!isReplayed(advice)) return !advice.isTiny;
    return advice.prediction->gains() && replayedGain(advice) >= leastWorth;
}

std::size_t countWorthIt(const std::vector<Advice>& advice)
{
    return static_cast<std::size_t>(std::count_if(advice.begin(), advice.end(), isWorthIt));
}

QString notWorthItText(const Advice& advice)
{
    const QString said = isReplayed(advice)
                             ? predictionText(*advice.prediction)
                             : tr("It could save at most %1.").arg(formatTime(limitOf(advice).value_or(0)));
    return advice.title % QStringLiteral(". ") % said;
}

QString orderText(const std::vector<Advice>& advice)
{
    const auto isPredicted = [](const Advice& one) { return isReplayed(one) && isWorthIt(one); };
    const bool isAny = std::any_of(advice.begin(), advice.end(), isPredicted);
    const bool isOther = !std::all_of(advice.begin(), advice.end(), isReplayed);
    return isAny && isOther ? tr(
               "First come those whose saving a replay foretells, then the others by time lost times "
               "confidence.")
                            : QString();
}

bool ranksBefore(const Advice& a, const Advice& b)
{
    if (groupOf(a) != groupOf(b)) return groupOf(a) < groupOf(b);
    if (isReplayed(a) != isReplayed(b)) return isReplayed(a);
    const bool areReplayed = isReplayed(a);
    const double first = areReplayed ? replayedGain(a) : static_cast<double>(a.severity) * a.confidence;
    const double second = areReplayed ? replayedGain(b) : static_cast<double>(b.severity) * b.confidence;
    if (first != second) return first > second;
    return a.id < b.id;
}

void sayNumbers(Advice& advice, const TraceStore& store)
{
    const std::optional<TimeNs> limit = limitOf(advice);
    advice.isTiny = limit && double(*limit) < leastWorth * double(store.info().duration());
    advice.effect = joined({lossText(advice, store), savingText(advice, store.info().duration())});
    if (advice.effect.isEmpty()) advice.effect = tr("What it costs is not known.");
    advice.scope.text = scopeText(advice, store);
    if (advice.replay) advice.replayWords = changeWords(store, *advice.replay);
}

QString moreOf(const Advice& advice)
{
    const QString scope = advice.scope.text.isEmpty() ? QString() : tr("Scope: %1.").arg(advice.scope.text);
    return joined({advice.meaning, advice.action, advice.effect, scope});
}

QString textOf(const Advice& advice) { return joined({advice.verdict, moreOf(advice)}); }

}  // namespace longpole
