// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/pathsentence.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

QString pathName(PathMode mode, EdgeLevel edges)
{
    if (mode == PathMode::Elapsed) return tr("Elapsed path");
    if (mode == PathMode::Sweep) return tr("Sweep");
    switch (edges) {
    case EdgeLevel::Messages: return tr("Message chain");
    case EdgeLevel::Merges: return tr("Message chain with merges");
    case EdgeLevel::Data: return tr("Data path");
    case EdgeLevel::Order: break;
    }
    return tr("Scheduled path");
}

QString pathMeaning(Vocabulary words, PathMode mode, EdgeLevel edges)
{
    if (mode == PathMode::Elapsed)
        return tr("Backwards from the end: what each moment of the run waited for, work or not.");
    if (mode == PathMode::Sweep) return tr("One sweep over time that keeps to the work which ends last.");
    switch (edges) {
    case EdgeLevel::Messages:
        return words.say(tr("The longest chain of work and messages: no placement and no order of tasks beats it."),
                         tr("The longest chain of work, messages and the order of each rank."));
    case EdgeLevel::Merges:
        return words.say(tr("That chain, where a task also waits for reductions and buffered messages."),
                         tr("The longest chain of work, messages and the order of each rank."));
    case EdgeLevel::Data: return tr("The scheduled path, without what senders waited for their receivers.");
    case EdgeLevel::Order: break;
    }
    return words.say(tr("The longest chain of work when each PE keeps its order of tasks."),
                     tr("The longest chain of work when each rank keeps its order."));
}

QString timeOf(TimeNs part, TimeNs whole)
{
    const QString all = formatTime(whole);
    const QString some = formatTime(part);
    const QString unit = all.section(QLatin1Char(' '), -1);
    if (some.section(QLatin1Char(' '), -1) != unit) return tr("%1 of %2").arg(some, all);
    return tr("%1 of %2").arg(some.left(some.lastIndexOf(QLatin1Char(' '))), all);
}

QString pathSentence(Vocabulary words, const CountedPath& counted)
{
    const CriticalPath& path = *counted.path;
    const QString head = tr("%1: %2").arg(pathName(path.mode, path.edges), timeOf(path.length, counted.until));
    if (path.length <= 0 || counted.onBusiest <= 0) return head;
    const double share = static_cast<double>(counted.onBusiest) / static_cast<double>(path.length);
    return words.say(tr("%1; PE %2 carries %3"), tr("%1; rank %2 carries %3"))
        .arg(head, QString::number(index(counted.busiest)), formatShare(share));
}

}  // namespace longpole
