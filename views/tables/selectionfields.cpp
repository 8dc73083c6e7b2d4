// SPDX-License-Identifier: GPL-3.0-or-later
// Puts each field of a task or a message into words for the selection panel.
#include "views/tables/selectionpanel.h"

#include "analysis/base/unknownbytes.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

QString entryText(const TraceStore& store, EntryId id)
{
    const Entry* entry = store.entry(id);
    return entry ? entryName(*entry, false) : tr("(none)");
}

QString since(const TraceStore& store, TimeNs time)
{
    // Most logs count whole microseconds: nanoseconds that are always zero are left out.
    const TimeNs shown = saturatingSubtract(time, store.info().begin);
    return formatTimeAt(shown, shown % 1000 == 0 ? 1000 : 1);
}

// Marks a value that depends on an estimated receive time.
QString marked(const QString& text, bool estimated) { return estimated ? tr("%1, estimated").arg(text) : text; }

QString linkText(Link link)
{
    switch (link) {
    case Link::None: return tr("no creation known");
    case Link::Message: return tr("a message");
    case Link::RepairedBcast: return tr("an array broadcast, its key repaired");
    case Link::Block: return tr("Structured Dagger: the block before it");
    case Link::NoTask: return tr("a message sent outside any task");
    case Link::Collective: return tr("another rank's call that this one waited for");
    case Link::Forwarded: return tr("a broadcast for another entry method");
    case Link::Rendezvous: return tr("the rank that a send or one-sided call before this one waited for");
    }
    return {};
}

QString kindText(MessageKind kind)
{
    switch (kind) {
    case MessageKind::Single: return tr("single");
    case MessageKind::Broadcast: return tr("broadcast");
    case MessageKind::Multicast: return tr("multicast");
    }
    return {};
}

QString objectText(const TraceStore& store, const TaskDetail& task)
{
    const Entry* entry = store.entry(task.entry);
    if (!entry) return {};
    const std::span<const Chare> chares = store.chares();
    const auto chare = std::find_if(chares.begin(), chares.end(),
                                    [&](const Chare& c) { return c.id == entry->chareId && c.name == entry->chare; });
    return chare == chares.end() ? entry->chare : objectName(*chare, task.objectIndex);
}

void addWaits(std::vector<SelectionField>& fields, const TraceStore& store, const TaskDetail& task)
{
    if (isWithoutMessage(task.link)) {
        if (!task.sent) return;
        fields.push_back({tr("That call began"), since(store, *task.sent), {}});
        fields.push_back({tr("From there to start"), formatTime(task.range.begin - *task.sent), {}});
        return;
    }
    if (task.sent) {
        fields.push_back({tr("Sent"), since(store, *task.sent), {}});
        fields.push_back({tr("Latency, send to start"), formatTime(task.range.begin - *task.sent), {}});
    }
    if (!task.received || store.info().hasRanks()) return;  // ranks have no queue
    fields.push_back({tr("Received"), marked(since(store, *task.received), task.receivedEstimated), {}});
    if (task.sent)
        fields.push_back({tr("On the way"),
                          marked(formatTime(*task.received - *task.sent), task.receivedEstimated),
                          {}});
    fields.push_back({tr("Wait in the queue"),
                      marked(formatTime(task.range.begin - *task.received), task.receivedEstimated),
                      {}});
}

}  // namespace

std::vector<SelectionField> taskFields(const TraceStore& store, const TaskDetail& task)
{
    std::vector<SelectionField> fields{
        {tr("Task"), toText(task.id), {}},
        {store.words().say(tr("Entry method"), tr("Region")), entryText(store, task.entry), {}},
        {tr("Object"), objectText(store, task), {}},
        {tr("Start"), since(store, task.range.begin), {}},
        {tr("End"), since(store, task.range.end), {}},
        {tr("Duration"), formatTime(task.range.length()), {}},
        {tr("Without inner tasks"), formatTime(task.exclusive), {}},
    };
    if (task.cpu) fields.push_back({tr("CPU time"), formatTime(*task.cpu), {}});
    if (task.pieces.size() > 1) {
        fields.push_back({tr("Pieces"), formatCount(static_cast<std::int64_t>(task.pieces.size())), {}});
        for (std::size_t i = 0; i < std::min<std::size_t>(task.pieces.size(), 20); ++i)
            fields.push_back({tr("Piece %1").arg(i + 1),
                              since(store, task.pieces[i].begin) % QStringLiteral(" + ")
                                  % formatTime(task.pieces[i].length()),
                              {}});
    }
    if (task.outer != task.id)
        fields.push_back({tr("Inside"), toText(task.outer), Selection{.task = task.outer, .message = {}}});
    // No message begins most of a rank's code.
    if (task.link != Link::None || !store.info().hasRanks())
        fields.push_back({tr("Started by"), linkText(task.link), {}});
    else if (task.id.index > 0) fields.push_back({tr("Started by"), tr("what its rank did before it"), {}});
    if (task.source.isValid()) {
        fields.push_back({tr("Source task"), toText(task.source), Selection{.task = task.source, .message = {}}});
        if (!isWithoutMessage(task.link))
            fields.push_back({tr("Sent after its start"), formatTime(task.sourceOffset), {}});
    }
    if (task.message.isValid()) fields.push_back({tr("Message"), toText(task.message), {}});
    addWaits(fields, store, task);
    if (store.info().hasRanks()) {
        if (task.message.isValid() && areBytesKnown(store.info()))
            fields.push_back({tr("Message size"), formatBytes(task.bytes), {}});
        return fields;
    }
    fields.push_back({tr("Message size"), formatBytes(task.bytes), {}});
    fields.push_back({tr("Message type"), QString::number(task.messageType), {}});
    return fields;
}

std::vector<SelectionField> messageFields(const TraceStore& store, const MessageDetail& message)
{
    std::vector<SelectionField> fields{
        {tr("Message"), toText(message.id), {}},
        {store.words().say(tr("For entry method"), tr("For region")), entryText(store, message.entry), {}},
        {tr("Kind"), kindText(message.kind), {}},
        {tr("Sent"), since(store, message.sent), {}},
        {tr("Size"), formatBytes(message.bytes), {}},
        {tr("Tasks"), formatCount(message.executions), {}},
        {tr("Destinations"), formatCount(message.destinations), {}},
        {tr("Sending took"), formatTime(message.sendDuration), {}},
        {tr("Event in the log"), QString::number(message.event), {}},
    };
    if (message.source.isValid()) {
        fields.push_back({tr("Source task"), toText(message.source), Selection{.task = message.source, .message = {}}});
        fields.push_back({tr("Sent after its start"), formatTime(message.sourceOffset), {}});
    }
    return fields;
}

}  // namespace longpole
