// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/schedulingwords.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <cmath>

namespace longpole {

namespace {

QString figure(double share) { return QString::number(share * 100, 'f', std::abs(share) < 0.0995 ? 1 : 0); }

QString triedWords(const TriedScheme& tried)
{
    const Prediction& found = tried.prediction;
    if (!found.pinned.isEmpty())
        return tr("For preferring %1 there is no prediction. %2").arg(tried.what, found.pinned);
    if (!found.isUsable())
        return tr("For preferring %1 there is no prediction: what the trace leaves open makes anything from %2 % to %3 "
                  "% of "
                  "it.")
            .arg(tried.what, figure(found.gainLow), figure(found.gainHigh));
    const QString exact = percents(found.gainLow, found.gainHigh);
    const QString percent = tried.isRough ? tr("about %1").arg(exact) : exact;
    if (found.gainLow > 0) return tr("Preferring %1 would gain %2.").arg(tried.what, percent);
    if (found.gainHigh < 0) return tr("Preferring %1 would cost %2.").arg(tried.what, percent);
    return tr("Preferring %1 would gain nothing for certain: between %2 % and %3 %.")
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
    const QString low = formatTime(prediction.low);
    const QString high = formatTime(prediction.high);
    const QString time = low == high ? low : tr("%1 to %2").arg(low, high);
    const QString percent = percents(prediction.gainLow, prediction.gainHigh);
    const QString change = prediction.gainLow >= 0    ? tr("%1 less").arg(percent)
                           : prediction.gainHigh <= 0 ? tr("%1 more").arg(percent)
                                                      : tr("no clear change");
    return tr("%1 instead of %2, %3").arg(time, formatTime(prediction.baseline), change);
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

QString unmetWords(const SchedulingAnalysis& found, TimeNs duration)
{
    QStringList sentences;
    if (!found.afterIdle.isMet)
        sentences
            << tr("Processors idled %1 (%2 of the run) before tasks of the critical path, less than the %3 looked "
                  "for: there is too little idle time to move other work into.")
                   .arg(formatTime(found.afterIdle.time), shareText(found.afterIdle.time, duration),
                        formatTime(found.afterIdle.threshold));
    if (!found.behindOthers.isMet)
        sentences << tr("Tasks of the critical path waited %1 (%2 of the run) while others were started, less than the "
                        "%3 looked for: there is too little that they could go before.")
                         .arg(formatTime(found.behindOthers.time), shareText(found.behindOthers.time, duration),
                              formatTime(found.behindOthers.threshold));
    return sentences.join(QLatin1Char(' '));
}

QString boundWords(const GainBound& bound)
{
    if (bound.queue <= bound.spare)
        return tr("what led to the end of the run waited %1 in queues").arg(formatTime(bound.queue));
    if (bound.path >= bound.busiest)
        return tr("the longest chain of work takes %1 by itself").arg(formatTime(bound.path));
    return tr("PE %1 is busy for %2").arg(bound.busiestPe).arg(formatTime(bound.busiest));
}

QString waitWords(const PathEntry& entry, const QString& name, const QString& behind)
{
    QString text = tr("%1 of the %2 executions of %3 lie on the critical path (%4 of its time).")
                       .arg(formatCount(entry.criticalCount), formatCount(entry.count), name,
                            formatShare(entry.purity()));
    if (entry.wait.overtaken > 0) {
        text += QLatin1Char(' ')
                + tr("These waited %1 while tasks off the path were started%2.")
                      .arg(formatTime(entry.wait.overtaken),
                           behind.isEmpty() ? QString() : tr(", mostly %1").arg(behind));
    }
    if (entry.wait.residual > 0)
        text += QLatin1Char(' ')
                + tr("%1 more went to the rest of tasks that ran already: priorities do not change that.")
                      .arg(formatTime(entry.wait.residual));
    return text;
}

QString listed(QStringList names, qsizetype most, const QString& lastTwo)
{
    if (names.size() == 1) return names.front();
    if (names.isEmpty()) return {};
    if (names.size() > most)
        return tr("%1 and %2 more").arg(names.mid(0, most - 1).join(QStringLiteral(", "))).arg(names.size() - most + 1);
    const QString last = names.takeLast();
    return (lastTwo.isEmpty() ? tr("%1 and %2") : lastTwo).arg(names.join(QStringLiteral(", ")), last);
}

}  // namespace longpole
