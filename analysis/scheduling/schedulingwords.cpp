// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/schedulingwords.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

QString figure(double share) { return QString::number(share * 100, 'f', std::abs(share) < 0.0995 ? 1 : 0); }

QString triedWords(const TriedScheme& tried)
{
    const Prediction& found = tried.prediction;
    if (!found.pinned.isEmpty())
        return tr("Whether preferring %1 helps can't be predicted.").arg(tried.what) % QLatin1Char(' ') % found.pinned;
    if (!found.isUsable())
        return tr("Whether preferring %1 helps can't be predicted: anything from %2 % to %3 % is possible.")
            .arg(tried.what, figure(found.gainLow), figure(found.gainHigh));
    const QString exact = percents(found.gainLow, found.gainHigh);
    const QString percent = tried.isRough ? tr("about %1").arg(exact) : exact;
    if (found.gainLow > 0) return tr("Preferring %1 would save %2.").arg(tried.what, percent);
    if (found.gainHigh < 0) return tr("Preferring %1 would cost %2.").arg(tried.what, percent);
    return tr("Preferring %1 would save nothing for certain: between %2 % and %3 %.")
        .arg(tried.what, figure(found.gainLow), figure(found.gainHigh));
}

}  // namespace

QString percents(double low, double high)
{
    const double from = std::min(std::abs(low), std::abs(high));
    const double to = std::max(std::abs(low), std::abs(high));
    if (figure(from) == figure(to)) return tr("%1 %").arg(figure(to));
    return tr("%1 to %2 %").arg(figure(from), figure(to));
}

QString predictionWords(const Prediction& prediction)
{
    const QString percent = percents(prediction.gainLow, prediction.gainHigh);
    if (prediction.gainLow >= 0) return tr("%1 faster in replay").arg(percent);
    return prediction.gainHigh <= 0 ? tr("%1 slower in replay").arg(percent)
                                    : tr("between %1 % and %2 % faster in replay")
                                          .arg(figure(prediction.gainLow), figure(prediction.gainHigh));
}

QStringList notAdvisedWords(const std::vector<TriedScheme>& tried)
{
    QStringList sentences, alike;
    for (const TriedScheme& scheme : tried) {
        const Prediction& found = scheme.prediction;
        if (scheme.isAdvised) continue;
        if (found.isUsable() && std::max(std::abs(found.gainLow), std::abs(found.gainHigh)) < 0.01)
            alike << scheme.what;
        else sentences << triedWords(scheme);
    }
    if (!alike.isEmpty())
        sentences << tr("Preferring %1 would change less than 1 %.").arg(listed(alike, 6, tr("%1 or %2")));
    return sentences;
}

TriedOutcome outcomeOf(const std::vector<TriedScheme>& tried)
{
    const auto gains = [](const TriedScheme& scheme) { return scheme.prediction.gains(); };
    const auto isUnknown = [](const TriedScheme& scheme) {
        return scheme.isRough ? scheme.prediction.gainHigh > 0 : !scheme.prediction.isUsable();
    };
    if (std::any_of(tried.begin(), tried.end(), isUnknown)) return TriedOutcome::Unknown;
    return std::any_of(tried.begin(), tried.end(), gains) ? TriedOutcome::Little : TriedOutcome::Nothing;
}

QString noPriorityWords(TriedOutcome outcome, bool byEntry)
{
    switch (outcome) {
    case TriedOutcome::Unknown:
        return byEntry ? tr("Whether priorities by entry method help can't be predicted.")
                       : tr("Whether priorities help can't be predicted.");
    case TriedOutcome::Little:
        return byEntry ? tr("Priorities by entry method hardly help.") : tr("Priorities hardly help.");
    case TriedOutcome::Nothing: break;
    }
    return byEntry ? tr("Priorities by entry method won't help.") : tr("Priorities won't help.");
}

QString unmetWords(const SchedulingAnalysis& found, TimeNs duration)
{
    QStringList sentences;
    if (!found.afterIdle.isMet)
        sentences
            << tr("There is too little idle time before critical tasks to shift other work into: %1, %2 of the run.")
                   .arg(formatTime(found.afterIdle.time), shareText(found.afterIdle.time, duration));
    if (!found.behindOthers.isMet)
        sentences << (found.behindOthers.time > 0
                          ? tr("Critical tasks were overtaken for %1, %2 of the run: too small to matter.")
                                .arg(formatTime(found.behindOthers.time), shareText(found.behindOthers.time, duration))
                          : tr("No critical task was overtaken."));
    return sentences.join(QLatin1Char(' '));
}

QString boundWords(const GainBound& bound)
{
    if (bound.queue <= bound.spare)
        return tr("what led to the end of the run waited %1 in queues").arg(formatTime(bound.queue));
    if (bound.path >= bound.busiest)
        return tr("the longest chain of work takes %1 by itself").arg(formatTime(bound.path));
    return tr("PE %1 has %2 of work").arg(bound.busiestPe).arg(formatTime(bound.busiest));
}

QString boundSentence(const SchedulingAnalysis& found, TimeNs duration)
{
    return tr("Reordering tasks can save at most %1 (%2), because %3.")
        .arg(formatTime(found.bound), shareText(found.bound, duration), found.boundReason);
}

QString listed(QStringList names, qsizetype most, const QString& lastTwo)
{
    if (names.size() == 1) return names.front();
    if (names.isEmpty()) return {};
    if (names.size() > most)
        return tr("%1 and %2 more")
            .arg(names.mid(0, most - 1).join(QStringLiteral(", ")), QString::number(names.size() - most + 1));
    const QString last = names.takeLast();
    return (lastTwo.isEmpty() ? tr("%1 and %2") : lastTwo).arg(names.join(QStringLiteral(", ")), last);
}

}  // namespace longpole
