// SPDX-License-Identifier: GPL-3.0-or-later
// The scan, nearest chunk first, and what each kind is compared by.
#include "analysis/statistics/recordsearch.h"

#include "analysis/base/namepattern.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

std::uint32_t fieldsOf(ChunkKind kind)
{
    switch (kind) {
    case ChunkKind::Task: return TaskRow::Entry;
    case ChunkKind::Message: return MessageRow::Entry | MessageRow::Event;
    case ChunkKind::Interval: return IntervalRow::Region | IntervalRow::Value;
    case ChunkKind::Counter: return CounterRow::Region | CounterRow::Value;
    case ChunkKind::Mark: return MarkRow::Region | MarkRow::Value | MarkRow::Text;
    case ChunkKind::Hop: return HopRow::Event;
    case ChunkKind::MpiCall: return MpiRow::Region;
    default: return 0;
    }
}

bool fits(const RecordQuestion& question, const AnyRow& record)
{
    const std::optional<std::int64_t>& value = question.value;
    switch (record.kind()) {
    case ChunkKind::Task: return question.entries.contains(record.as<TaskRow>().entry());
    case ChunkKind::Message: {
        const auto row = record.as<MessageRow>();
        return question.entries.contains(row.entry()) || (value && row.event() == *value);
    }
    case ChunkKind::Interval: {
        const auto row = record.as<IntervalRow>();
        return question.regions.contains(row.region()) || (value && row.value() == *value);
    }
    case ChunkKind::Counter: {
        const auto row = record.as<CounterRow>();
        return question.regions.contains(row.region()) || (value && row.value() == static_cast<double>(*value));
    }
    case ChunkKind::Mark: {
        const auto row = record.as<MarkRow>();
        return question.regions.contains(row.region()) || (value && row.value() == *value)
               || question.texts.contains(row.text());
    }
    case ChunkKind::Hop: return value && record.as<HopRow>().event() == *value;
    case ChunkKind::MpiCall: return question.regions.contains(record.as<MpiRow>().region());
    default: return false;
    }
}

// Can a chunk of that kind have what is asked for?
bool mayFit(const RecordQuestion& question, ChunkKind kind)
{
    switch (kind) {
    case ChunkKind::Task: return !question.entries.empty();
    case ChunkKind::Message: return !question.entries.empty() || question.value;
    case ChunkKind::Interval:
    case ChunkKind::Counter: return !question.regions.empty() || question.value;
    case ChunkKind::Mark: return !question.regions.empty() || question.value || !question.texts.empty();
    case ChunkKind::Hop: return question.value.has_value();
    case ChunkKind::MpiCall: return !question.regions.empty();
    default: return false;
    }
}

// The ids of notes whose words match; notes are few beside the other records.
Result<> addTexts(RecordQuestion& question, const QRegularExpression& pattern, const TraceStore& store,
                  const Progress& progress)
{
    std::set<std::int64_t> seen;
    auto marks = store.rows<MarkRow>(MarkRow::Text, {.progress = &progress});
    for (const MarkRow& mark : marks)
        if (const std::int64_t id = mark.text(); id >= 0 && seen.insert(id).second)
            if (pattern.match(store.text(id)).hasMatch()) question.texts.insert(id);
    return marks.result();
}

Result<std::optional<RecordRef>> findTask(const RecordList& list, TaskId task, const std::optional<RecordRef>& from,
                                          bool forward)
{
    const Processor* processor = list.store().processor(task.pe);
    if (!processor) return std::optional<RecordRef>();
    Result<std::optional<RecordRef>> found = list.find(ChunkKind::Task, processor->track, task.index);
    if (!found || !*found || !from) return found;
    const bool isAhead = forward ? **found > *from : **found < *from;
    return isAhead ? found : std::optional<RecordRef>();
}

}  // namespace

Result<RecordQuestion> parseRecordQuestion(const QString& text, const TraceStore& store, const Progress& progress)
{
    RecordQuestion question;
    const QString asked = text.trimmed();
    if (const Result<TaskId> task = parseTaskId(asked); task.ok()) {
        question.task = *task;
        return question;
    }
    const Result<QRegularExpression> sought = namePattern(asked);
    if (!sought) return sought.error();
    const QRegularExpression& pattern = *sought;
    for (const Entry& entry : store.entries())
        if (pattern.match(entryName(entry, false)).hasMatch()) question.entries.insert(entry.id);
    for (const Region& region : store.regions())
        if (pattern.match(region.name).hasMatch()) question.regions.insert(region.id);
    bool isNumber = false;
    if (const std::int64_t value = asked.toLongLong(&isNumber); isNumber) question.value = value;
    if (const Result<> added = addTexts(question, pattern, store, progress); !added) return added.error();
    return question;
}

Result<std::optional<RecordRef>> findRecord(const RecordList& list, const RecordQuestion& question,
                                            const std::optional<RecordRef>& from, bool forward,
                                            const Progress& progress)
{
    if (question.task) return findTask(list, *question.task, from, forward);
    const auto isBefore = [forward](const RecordRef& a, const RecordRef& b) { return forward ? a < b : b < a; };
    std::vector<const RecordBlock*> blocks;
    for (const RecordBlock& block : list.blocks())
        if (mayFit(question, block.ref->kind)
            && (!from || (forward ? block.last >= from->time : block.first <= from->time)))
            blocks.push_back(&block);
    if (!forward)
        std::sort(blocks.begin(), blocks.end(),
                  [](const RecordBlock* a, const RecordBlock* b) { return a->last > b->last; });
    std::optional<RecordRef> best;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const RecordBlock& block = *blocks[i];
        if (progress.isCancelled()) return cancelledError();
        progress.report(static_cast<double>(i) / static_cast<double>(blocks.size()));
        if (best && (forward ? block.first > best->time : block.last < best->time)) break;
        const Result<> visited = list.visit(block, fieldsOf(block.ref->kind), [&](const AnyRow& row) {
            const RecordRef ref = refOf(row);
            if ((from && !isBefore(*from, ref)) || (best && !isBefore(ref, *best))) return;
            if (fits(question, row)) best = ref;
        });
        if (!visited) return visited.error();
    }
    return best;
}

}  // namespace longpole
