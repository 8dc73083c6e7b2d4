// SPDX-License-Identifier: GPL-3.0-or-later
// What a record of the log says, whatever its kind.
#pragma once

#include "analysis/statistics/recordlist.h"
#include "core/sql/tracetables.h"

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

struct Record {
    RecordRef ref = {};
    std::optional<ProcessorId> pe = {};
    TimeNs duration = -1;  // ns; -1: a point in time
    TimeNs exclusive = 0;  // of a task: without what ran inside it
    EntryId entry = noEntry;
    std::optional<RegionId> region = {};
    std::array<std::int64_t, 6> objectIndex{};
    std::int64_t bytes = -1;               // of the message that started the task, or that was sent; -1: none
    TaskId task = {};                      // the task itself, or the one that sent the message; else invalid
    TaskId source = {};                    // of a task: the one that its message came from
    std::optional<ProcessorId> from = {};  // whose message started the task; who created what was queued
    MessageId message = {};                // the message itself, or the one that started the task
    MessageKind messageKind = MessageKind::Single;
    std::int64_t destinations = 1;
    std::int64_t executions = 0;             // that a message has led to
    std::optional<std::int64_t> event = {};  // number of the creation in the log
    std::optional<std::int64_t> value = {};  // of a user event or bracket
    std::optional<double> sample = {};       // of a counter
    std::int64_t text = -1;                  // id for TraceStore::text
    std::int64_t detail = 0;                 // OverheadKind, HopKind, depth of an interval, by kind
};

// Reads records and keeps those around them, because the next page lies there. Thread-safe.
class RecordReader {
public:
    explicit RecordReader(std::shared_ptr<const TraceStore> store);

    // In the order of `refs`. Errors: a damaged chunk; a row that the trace does not have.
    Result<std::vector<Record>> read(std::span<const RecordRef> refs);

private:
    using Lane = std::pair<ChunkKind, TrackId>;
    using Rows = std::vector<Record>;  // of one lane, by row
    struct Wanted {
        Lane lane;
        std::vector<std::int64_t> rows = {};  // in order
        Rows read = {};
    };
    std::vector<Wanted> missing(std::span<const RecordRef> refs) const;
    Result<> load(Wanted& wanted) const;
    const Record* kept(const RecordRef& ref) const;  // null if it is not

    std::shared_ptr<const TraceStore> m_store;
    TrackKeys m_keys;
    int m_dimensions = 0;  // of objects: those that some chare's elements need
    std::mutex m_lock;     // of what follows
    std::map<Lane, Rows> m_rows;
    std::size_t m_kept = 0;
};

}  // namespace longpole
