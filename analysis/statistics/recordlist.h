// SPDX-License-Identifier: GPL-3.0-or-later
// All records of a trace in the order of time, as one list: which record is the n-th, and where a record stands, from
// the chunk directory and the few chunks around it. Nothing is indexed beforehand, so that tens of millions open at
// once.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/rows.h"
#include "core/store/tracestore.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// The kinds of chunks whose rows are records.
inline constexpr ChunkKind recordKinds[] = {ChunkKind::Task,     ChunkKind::Message,  ChunkKind::Idle,
                                            ChunkKind::Overhead, ChunkKind::Interval, ChunkKind::Counter,
                                            ChunkKind::Mark,     ChunkKind::Hop,      ChunkKind::MpiCall};

// Which record, and when it began. Ordered as the list: by time, then track, then kind, then row.
struct RecordRef {
    TimeNs time = 0;
    TrackId track{};
    ChunkKind kind{};
    std::int64_t row = 0;
    friend auto operator<=>(const RecordRef&, const RecordRef&) = default;
};

inline RecordRef refOf(const AnyRow& row) { return {row.time(), row.track(), row.kind(), row.number()}; }

struct RecordChoice {
    std::vector<ChunkKind> kinds = {};              // empty: all
    std::vector<ProcessorId> pes = {};              // empty: all
    std::optional<TimeRange> range = {};            // of begins
    std::optional<std::vector<bool>> entries = {};  // by entry id: tasks and messages of these alone
    friend bool operator==(const RecordChoice&, const RecordChoice&) = default;
};

// A chunk of which at least one row is in the list.
struct RecordBlock {
    const ChunkRef* ref = nullptr;
    std::int64_t listed = 0;  // rows of it that are
    TimeNs first = 0;         // no listed row begins before
    TimeNs last = 0;          // no listed row begins after
};

// Listed rows of a block of which only their bounds in time are looked at.
struct RecordSpan {
    TimeNs first = maxTime;
    TimeNs last = minTime;
    std::int64_t listed = 0;
    std::size_t block = 0;
    std::uint32_t part = 0;  // of equal length
};

class RecordList {
public:
    // O(chunks), with a range 2 chunks to every track and kind more, with entries every chunk of tasks and messages.
    // Errors: a damaged chunk, cancelled.
    static Result<std::shared_ptr<const RecordList>> make(std::shared_ptr<const TraceStore> store, RecordChoice choice,
                                                          const Progress& progress);

    const TraceStore& store() const { return *m_store; }
    std::shared_ptr<const TraceStore> sharedStore() const { return m_store; }
    const RecordChoice& choice() const { return m_choice; }
    std::int64_t count() const { return m_count; }
    std::int64_t bytes() const;  // with all that look-ups may still add to it

    // Records [first, first + count), as far as there are. Decodes the begins of a chunk or two to every track and
    // kind, on all cores. Errors: a damaged chunk, cancelled.
    Result<std::vector<RecordRef>> records(std::int64_t first, std::int64_t count, const Progress& progress) const;
    // How many records of the list stand before `ref`, which need not be one of them.
    Result<std::int64_t> position(const RecordRef& ref, const Progress& progress) const;
    // The record of that row, or nothing if the list leaves it out.
    Result<std::optional<RecordRef>> find(ChunkKind kind, TrackId track, std::int64_t row) const;

    std::span<const RecordBlock> blocks() const { return m_blocks; }  // by `first`
    // Calls visit(row) for the listed rows among [from, to). `fields` are decoded beside those needed for that.
    template <typename Visit>
    Result<> visit(const RecordBlock& block, std::uint32_t fields, const Visit& visit, std::uint32_t from = 0,
                   std::uint32_t to = ~0u) const
    {
        const Result<AnyBlock> rows = AnyBlock::read(*m_store, *block.ref, fields | neededOf(block.ref->kind));
        if (!rows) return rows.error();
        for (std::uint32_t row = from; row < std::min(to, rows->size()); ++row)
            if (const AnyRow record = (*rows)[row]; isListed(record)) visit(record);
        return Unit{};
    }

private:
    RecordList(std::shared_ptr<const TraceStore> store, RecordChoice choice);

    std::uint32_t neededOf(ChunkKind kind) const;
    bool isListed(const AnyRow& row) const;
    Result<> collect(const Progress& progress);
    Result<> count(RecordBlock& block) const;
    Result<std::vector<RecordSpan>> partsOf(std::size_t block) const;
    Result<std::vector<RecordSpan>> partsOf(std::span<const RecordSpan> spans, const Progress& progress) const;

    std::shared_ptr<const TraceStore> m_store;
    RecordChoice m_choice;
    std::vector<RecordBlock> m_blocks;
    std::int64_t m_count = 0;
    mutable std::mutex m_lock;                             // of m_parts
    mutable std::vector<std::vector<RecordSpan>> m_parts;  // by block; empty: not looked at yet
};

}  // namespace longpole
