// SPDX-License-Identifier: GPL-3.0-or-later
// The scan, nearest chunk first, and what each kind is compared by.
#include "analysis/statistics/recordsearch.h"

#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QRegularExpression>

#include <algorithm>
#include <bit>

namespace longpole {

namespace {

bool isIn(const std::vector<bool>& set, std::int64_t id)
{
    return id >= 0 && static_cast<std::uint64_t>(id) < set.size() && set[static_cast<std::size_t>(id)];
}

void put(std::vector<bool>& set, std::uint32_t id)
{
    if (id >= set.size()) set.resize(id + std::size_t{1});
    set[id] = true;
}

constexpr std::uint32_t bit(std::uint32_t column) { return 1u << column; }

std::uint32_t columnsOf(ChunkKind kind)
{
    switch (kind) {
    case ChunkKind::Task: return bit(TaskColumn::Entry);
    case ChunkKind::Message: return bit(MessageColumn::Entry) | bit(MessageColumn::Event);
    case ChunkKind::Interval: return bit(IntervalColumn::Region) | bit(IntervalColumn::Value);
    case ChunkKind::Counter: return bit(CounterColumn::Region) | bit(CounterColumn::Value);
    case ChunkKind::Mark: return bit(MarkColumn::Region) | bit(MarkColumn::Value) | bit(MarkColumn::Text);
    case ChunkKind::Hop: return bit(HopColumn::Event);
    case ChunkKind::MpiCall: return bit(MpiCallColumn::Region);
    default: return 0;
    }
}

bool fits(const RecordQuestion& question, const Chunk& chunk, std::uint32_t row)
{
    const auto has = [&](std::size_t column) { return question.value && chunk.at(column, row) == *question.value; };
    switch (chunk.kind) {
    case ChunkKind::Task: return isIn(question.entries, chunk.at(TaskColumn::Entry, row));
    case ChunkKind::Message:
        return isIn(question.entries, chunk.at(MessageColumn::Entry, row)) || has(MessageColumn::Event);
    case ChunkKind::Interval:
        return isIn(question.regions, chunk.at(IntervalColumn::Region, row)) || has(IntervalColumn::Value);
    case ChunkKind::Counter:
        return isIn(question.regions, chunk.at(CounterColumn::Region, row))
               || (question.value
                   && std::bit_cast<double>(chunk.at(CounterColumn::Value, row))
                          == static_cast<double>(*question.value));
    case ChunkKind::Mark:
        return isIn(question.regions, chunk.at(MarkColumn::Region, row)) || has(MarkColumn::Value)
               || question.texts.contains(chunk.at(MarkColumn::Text, row));
    case ChunkKind::Hop: return has(HopColumn::Event);
    case ChunkKind::MpiCall: return isIn(question.regions, chunk.at(MpiCallColumn::Region, row));
    default: return false;
    }
}

// Can a chunk of that kind have what is asked for?
bool mayFit(const RecordQuestion& question, ChunkKind kind)
{
    const auto any = [](const std::vector<bool>& set) { return std::find(set.begin(), set.end(), true) != set.end(); };
    switch (kind) {
    case ChunkKind::Task: return any(question.entries);
    case ChunkKind::Message: return any(question.entries) || question.value;
    case ChunkKind::Interval:
    case ChunkKind::Counter: return any(question.regions) || question.value;
    case ChunkKind::Mark: return any(question.regions) || question.value || !question.texts.empty();
    case ChunkKind::Hop: return question.value.has_value();
    case ChunkKind::MpiCall: return any(question.regions);
    default: return false;
    }
}

// The ids of notes whose words match; notes are few beside the other records.
Result<> addTexts(RecordQuestion& question, const QRegularExpression& pattern, const TraceStore& store,
                  const Progress& progress)
{
    std::set<std::int64_t> seen;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Mark)) {
        if (progress.isCancelled()) return cancelledError();
        const Result<std::shared_ptr<const Chunk>> chunk = store.read(ref, bit(MarkColumn::Text));
        if (!chunk) return chunk.error();
        for (std::uint32_t row = 0; row < ref.rows; ++row)
            if (const std::int64_t id = (*chunk)->at(MarkColumn::Text, row); id >= 0 && seen.insert(id).second)
                if (pattern.match(store.text(id)).hasMatch()) question.texts.insert(id);
    }
    return Unit{};
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
    const bool isRegex = asked.size() > 2 && asked.startsWith(QLatin1Char('/')) && asked.endsWith(QLatin1Char('/'));
    const QRegularExpression pattern(isRegex ? asked.mid(1, asked.size() - 2) : QRegularExpression::escape(asked),
                                     QRegularExpression::CaseInsensitiveOption);
    if (!pattern.isValid())
        return Error{.what = tr("The regular expression is wrong at character %1: %2.")
                                 .arg(pattern.patternErrorOffset() + 1)
                                 .arg(pattern.errorString()),
                     .where = {},
                     .hint = {}};
    for (const Entry& entry : store.entries())
        if (pattern.match(entryName(entry, false)).hasMatch()) put(question.entries, index(entry.id));
    for (const Region& region : store.regions())
        if (pattern.match(region.name).hasMatch()) put(question.regions, index(region.id));
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
        const Result<> visited = list.visit(
            block, columnsOf(block.ref->kind), [&](const Chunk& chunk, std::uint32_t row, TimeNs time) {
                const RecordRef ref{time, chunk.track, chunk.kind, chunk.firstRow + row};
                if ((from && !isBefore(*from, ref)) || (best && !isBefore(ref, *best))) return;
                if (fits(question, chunk, row)) best = ref;
            });
        if (!visited) return visited.error();
    }
    return best;
}

}  // namespace longpole
