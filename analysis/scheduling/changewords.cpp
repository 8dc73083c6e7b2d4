// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/changewords.h"

#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QStringList>

#include <algorithm>

namespace longpole {

namespace {

QString tasksText(std::size_t count) { return counted("%1 tasks", "%1 task", static_cast<std::int64_t>(count)); }

void addPriorities(QStringList& changes, const TraceStore& store, const QueuePriorities& priorities)
{
    for (const QueuePriorities::OfEntry& one : priorities.entries)
        changes << tr("%1 at priority %2").arg(onOneLine(nameOfEntry(store, one.entry)), QString::number(one.priority));
    const auto own = priorities.tasks.size()
                     - static_cast<std::size_t>(std::count(priorities.tasks.begin(), priorities.tasks.end(), 0));
    if (own > 0) changes << tr("priorities of their own for %1").arg(tasksText(own));
}

}  // namespace

QString changeWords(const TraceStore& store, const ReplayQuestion& question)
{
    QStringList changes;
    if (question.queue == QueueOrder::Fifo) changes << tr("first in, first out");
    if (question.queue == QueueOrder::Lifo) changes << tr("last in, first out");
    if (question.network == NetworkModel::Ideal) changes << tr("messages taking no time");
    if (question.network == NetworkModel::ZeroLatency) changes << tr("messages without latency");
    if (question.perfectBalance)
        changes << (question.balanceParts == 1 ? tr("all PEs with the same work")
                                               : tr("all PEs with the same work in every tenth of the run"));
    if (question.queue == QueueOrder::Priority) addPriorities(changes, store, question.priorities);
    for (const WhatIf& change : question.factors)
        for (const EntryId entry : change.entries)
            changes
                << tr("%1 taking %2 times as long").arg(onOneLine(nameOfEntry(store, entry)), toText(change.factor));
    if (!question.shorter.empty()) changes << tr("no interruptions of %1").arg(tasksText(question.shorter.size()));
    return changes.join(tr(", "));
}

}  // namespace longpole
