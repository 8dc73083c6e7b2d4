// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/expertwords.h"

#include "analysis/base/naming.h"
#include "analysis/expert/plausibility.h"
#include "analysis/scheduling/schedulingwords.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

const Check* withdrawingAny(const Expert& expert)
{
    for (const TreeNode& node : expert.tree.nodes)
        if (const Check* check = withdrawing(expert.health.checks, node.id)) return check;
    return nullptr;
}

// Of MPI: it is paid once, and no verdict looks at it.
QString startUpText(const TraceStore& store)
{
    constexpr double most = 0.5;
    const TraceInfo& info = store.info();
    const double whole = double(info.duration()) * double(std::max<std::int64_t>(1, info.processors));
    const double share = info.hasRanks() ? ratio(double(saturatingAdd(info.startup, info.shutdown)), whole) : 0;
    if (share <= most) return {};
    return tr("Start-up and shut-down of MPI take %1 of the run's rank-time, which is paid once: record a longer run.")
        .arg(formatShare(share));
}

}  // namespace

QString calmText(const Expert& expert, const TraceStore& store)
{
    if (const QString text = startUpText(store); !text.isEmpty()) return text;
    const TreeNode* root = expert.tree.find(QStringLiteral("when"));
    if (root != nullptr && root->verdict != Verdict::Fired) return root->why;
    if (const Check* check = withdrawingAny(expert))
        return (check->id == CheckId::Logs ? tr("Not all causes can be judged, because %1. Record %2.")
                                           : tr("Most causes cannot be judged, because %1. Record %2."))
            .arg(check->because, check->needs);
    const QString lost = root != nullptr ? root->why + QLatin1Char(' ') : QString();
    return lost % tr("No single cause explains enough of it.");
}

QString nothingWorthItText()
{
    return tr("Nothing to advise: changing what was found saves too little, or nothing for sure.");
}

namespace {

QString leadOfAdvice(const Expert& expert, const TraceStore& store)
{
    const std::size_t count = countWorthIt(expert.advice);
    if (count == 0 && !expert.advice.empty()) return nothingWorthItText();
    if (count == 0) return tr("Nothing to advise.") % QLatin1Char(' ') % calmText(expert, store);
    const QString first = expert.advice.front().title;
    QString text = count == 1 ? tr("There is one thing to do: %1.").arg(first)
                              : tr("Start with the first of %1 pieces of advice: %2.").arg(count).arg(first);
    if (const QString order = orderText(expert.advice); !order.isEmpty()) text += QLatin1Char(' ') % order;
    if (const Check* check = withdrawingAny(expert))
        text += QLatin1Char(' ') % tr("Other causes cannot be judged without %1.").arg(check->needs);
    return text;
}

}  // namespace

QString failedText(const Expert& expert)
{
    const QString failed = failedForAll(expert.health.checks);
    return failed.isEmpty() ? QString() : tr("This trace fails checks on which every verdict rests: %1.").arg(failed);
}

QString leadText(const Expert& expert, const TraceStore& store)
{
    QString failed = failedText(expert);
    if (!failed.isEmpty()) failed += QLatin1Char(' ');
    return failed % leadOfAdvice(expert, store);
}

QString prioritiesText(const SchedulingAnalysis& scheduling)
{
    const bool isMet = scheduling.afterIdle.isMet && scheduling.behindOthers.isMet;
    if (!isMet || !scheduling.advice.empty() || !scheduling.notEvaluated.isEmpty()) return {};
    const QString overtaken = formatTime(scheduling.behindOthers.time);
    switch (outcomeOf(scheduling.tried)) {
    case TriedOutcome::Unknown:
        return tr("Critical tasks were overtaken for %1. Whether priorities help, a replay of this run cannot predict.")
            .arg(overtaken);
    case TriedOutcome::Little:
        return tr("Critical tasks were overtaken for %1, but in a replay no priority makes the run clearly shorter.")
            .arg(overtaken);
    case TriedOutcome::Nothing: break;
    }
    return tr("Critical tasks were overtaken for %1, but in a replay no priority makes the run shorter.")
        .arg(overtaken);
}

QString hiddenReductions(const TraceStore& store, const IdleByCause& idle)
{
    if (idle[static_cast<std::size_t>(IdleCause::Synchronization)] > 0 || !lacksNames(store)) return {};
    return tr(
        "Any waits for reductions count among the other causes of idle time: nothing tells them apart without names of "
        "entry methods.");
}

}  // namespace longpole
