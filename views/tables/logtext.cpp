// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/logtext.h"

#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/widgets/notice.h"
#include "views/widgets/tablemodel.h"

#include <QStringList>

#include <algorithm>

namespace longpole {

namespace {

QString nameText(const TraceStore& store, const Record& record)
{
    if (record.region) {
        const Region* region = store.region(*record.region);
        return region ? region->name : QString();
    }
    const Entry* entry = record.entry == noEntry ? nullptr : store.entry(record.entry);
    return entry ? entryName(*entry) : QString();
}

QString objectText(const TraceStore& store, const Record& record)
{
    if (record.ref.kind != ChunkKind::Task || record.entry == noEntry) return {};
    const Entry* entry = store.entry(record.entry);
    if (!entry) return {};
    const std::span<const Chare> chares = store.chares();
    const auto chare = std::ranges::lower_bound(chares, entry->chareId, {}, &Chare::id);
    if (chare == chares.end() || chare->id != entry->chareId) return {};
    return objectName(*chare, record.objectIndex);
}

QString peerText(Vocabulary words, const Record& record)
{
    switch (record.ref.kind) {
    case ChunkKind::Task:
        if (record.source.isValid()) return tr("← %1").arg(toText(record.source));
        return record.from ? words.say(tr("← PE %1"), tr("← rank %1")).arg(index(*record.from)) : QString();
    case ChunkKind::Message:
        if (record.messageKind == MessageKind::Single) return counted("→ %1 tasks", "→ %1 task", record.executions);
        return tr("→ %1").arg(countedProcessors(words, record.destinations));
    case ChunkKind::Hop:
        return record.from ? words.say(tr("← PE %1"), tr("← rank %1")).arg(index(*record.from)) : QString();
    default: return {};
    }
}

QString remarkText(const TraceStore& store, const Record& record, qsizetype letters)
{
    QStringList parts;
    if (record.ref.kind == ChunkKind::Task && record.task.isValid()) parts << tr("task %1").arg(toText(record.task));
    if (record.ref.kind == ChunkKind::Message && record.task.isValid())
        parts << tr("in task %1").arg(toText(record.task));
    if (record.text >= 0) parts << store.text(record.text).left(letters).simplified();
    if (record.sample) parts << QString::number(*record.sample, 'g', 10);
    if (record.value && record.text < 0) parts << tr("value %1").arg(*record.value);
    if (record.event) parts << tr("event %1").arg(*record.event);
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

QString logTitle(Vocabulary words, LogColumn column)
{
    switch (column) {
    case LogColumn::Time: return tr("time");
    case LogColumn::Pe: return words.say(tr("PE"), tr("Rank"));
    case LogColumn::Kind: return tr("kind");
    case LogColumn::Name: return words.say(tr("entry method or event"), tr("region or event"));
    case LogColumn::Object: return tr("object");
    case LogColumn::Duration: return tr("duration");
    case LogColumn::Bytes: return tr("bytes");
    case LogColumn::Peer: return tr("from, to");
    case LogColumn::Text: return tr("text");
    }
    return {};
}

bool isFigure(LogColumn column)
{
    return column == LogColumn::Time || column == LogColumn::Pe || column == LogColumn::Duration
           || column == LogColumn::Bytes;
}

QString kindText(Vocabulary words, const Record& record)
{
    switch (record.ref.kind) {
    case ChunkKind::Task: return tr("task");
    case ChunkKind::Message: return record.messageKind == MessageKind::Single ? tr("message") : tr("broadcast");
    case ChunkKind::Idle: return words.say(tr("idle"), tr("waiting in MPI"));
    case ChunkKind::Overhead:
        switch (static_cast<OverheadKind>(record.detail)) {
        case OverheadKind::Pack: return tr("pack");
        case OverheadKind::Unpack: return tr("unpack");
        case OverheadKind::Flush: return tr("flush");
        case OverheadKind::Untraced: return tr("not traced");
        }
        return words.say(tr("overhead"), tr("in MPI"));
    case ChunkKind::Interval: return tr("bracket");
    case ChunkKind::Counter: return tr("counter");
    case ChunkKind::Mark: return tr("event");
    case ChunkKind::Hop:
        switch (static_cast<HopKind>(record.detail)) {
        case HopKind::Enqueue: return tr("enqueue");
        case HopKind::Dequeue: return tr("dequeue");
        case HopKind::Receive: return tr("receive");
        }
        return tr("queue");
    case ChunkKind::MpiCall: return tr("MPI call");
    default: return {};
    }
}

QString kindName(ChunkKind kind)
{
    switch (kind) {
    case ChunkKind::Task: return tr("Tasks");
    case ChunkKind::Message: return tr("Messages");
    case ChunkKind::Idle: return tr("Idle");
    case ChunkKind::Overhead: return tr("Overhead");
    case ChunkKind::Interval: return tr("Brackets");
    case ChunkKind::Counter: return tr("Counters");
    case ChunkKind::Mark: return tr("Events");
    case ChunkKind::Hop: return tr("Queues");
    case ChunkKind::MpiCall: return tr("MPI calls");
    default: return {};
    }
}

QString logText(const TraceStore& store, const Record& record, LogColumn column, qsizetype letters)
{
    switch (column) {
    case LogColumn::Time: {
        const TimeNs time = saturatingSubtract(record.ref.time, store.info().begin);
        return formatTimeAt(time, time % 1000 == 0 ? 1000 : 1);  // exact, but most logs have whole microseconds
    }
    case LogColumn::Pe: return record.pe ? QString::number(index(*record.pe)) : QString();
    case LogColumn::Kind: return kindText(store.words(), record);
    case LogColumn::Name: return onOneLine(nameText(store, record));
    case LogColumn::Object: return onOneLine(objectText(store, record));
    case LogColumn::Duration: return record.duration < 0 ? QString() : formatTime(record.duration);
    case LogColumn::Bytes: return record.bytes < 0 ? QString() : formatCount(record.bytes);
    case LogColumn::Peer: return peerText(store.words(), record);
    case LogColumn::Text: return onOneLine(remarkText(store, record, letters));
    }
    return {};
}

QByteArray logCsv(const TraceStore& store, std::span<const Record> records)
{
    QByteArray csv("time_ns,pe,kind,name,object,duration_ns,bytes,from_to,text\r\n");
    for (const Record& record : records) {
        QStringList cells;
        for (const LogColumn column : logColumns) {
            QVariant value = logText(store, record, column);
            if (column == LogColumn::Time) value = QVariant::fromValue<qlonglong>(record.ref.time - store.info().begin);
            if (column == LogColumn::Duration && record.duration >= 0)
                value = QVariant::fromValue<qlonglong>(record.duration);
            if (column == LogColumn::Bytes && record.bytes >= 0) value = QVariant::fromValue<qlonglong>(record.bytes);
            cells.append(csvField(plainText(value)));
        }
        csv += cells.join(QLatin1Char(',')).toUtf8() + "\r\n";
    }
    return safeCsv(csv);
}

QString logRows(const TraceStore& store, std::span<const Record> records)
{
    QString text;
    for (const Record& record : records) {
        QStringList cells;
        for (const LogColumn column : logColumns) cells.append(pastedCell(logText(store, record, column)));
        text += cells.join(QLatin1Char('\t')) % QLatin1Char('\n');
    }
    return text;
}

}  // namespace longpole
