// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/orderwords.h"

#include "analysis/base/entrychoice.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QStringList>

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostSaid = 3;

QString nameInOrder(const TraceStore& store, EntryId id)
{
    const Entry* const entry = store.entry(id);
    return entry != nullptr ? entryName(*entry) : QString::number(index(id));
}

QString orderSentence(const RecordedOrder& one, const TraceStore& store)
{
    const QString name = nameInOrder(store, one.entry);
    const QString count = formatCount(one.evidence);
    switch (one.conduct) {
    case RecordedConduct::Lifo: return tr("%1 ran newest first (seen %2 times).").arg(name, count);
    case RecordedConduct::Expedited:
        return tr("%1 ran before everything that waited with it: expedited, or of the highest priority (seen %2 "
                  "times).")
            .arg(name, count);
    case RecordedConduct::Messages:
        return tr("Single messages of %1 ran before earlier ones of it, as if they had priorities (seen %2 times).")
            .arg(name, count);
    case RecordedConduct::Before: break;
    }
    return tr("%1 ran before %2 that had come earlier (seen %3 times).")
        .arg(name, nameInOrder(store, one.before), count);
}

}  // namespace

QString recordedOrderWords(const std::vector<RecordedOrder>& order, const TraceStore& store)
{
    if (order.empty()) return {};
    QStringList sentences{tr("The recorded queues were not first in, first out.")};
    std::vector<EntryId> expedited;  // said once, whatever they ran before
    std::size_t left = 0;
    for (const RecordedOrder& one : order) {
        if (one.conduct == RecordedConduct::Expedited) {
            if (std::find(expedited.begin(), expedited.end(), one.entry) != expedited.end()) continue;
            expedited.push_back(one.entry);
        }
        if (static_cast<std::size_t>(sentences.size()) <= mostSaid) sentences << orderSentence(one, store);
        else ++left;
    }
    if (left > 0) sentences << tr("There are %1 more such pairs.").arg(left);
    sentences << tr("The replay keeps that order, unless it is asked for another.");
    return sentences.join(QLatin1Char(' '));
}

}  // namespace longpole
