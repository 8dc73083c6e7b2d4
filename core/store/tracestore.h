// SPDX-License-Identifier: GPL-3.0-or-later
// The door out: an imported trace, read only. Definitions are in memory after open(); event rows are decoded chunk by
// chunk on request. Thread-safe: any number of threads may read at once.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/entrybins.h"
#include "core/store/tiles.h"
#include "core/trace/kinds.h"
#include "core/trace/trace.h"

#include <QString>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

class StoreFile;

struct Chunk;
struct EncodedChunk;
template <typename Row>
class RowBlock;
template <typename Row>
class RowScan;
struct RowLimits;
struct StoredAnswers;

// A task with all its columns, for a selection panel.
struct TaskDetail {
    TaskId id;
    TimeRange range;
    TimeNs exclusive = 0;
    EntryId entry = noEntry;
    TaskId outer;                   // outermost execution around it; itself if none
    std::vector<TimeRange> pieces;  // at least one
    std::array<std::int64_t, 6> objectIndex{};
    std::int64_t bytes = 0;
    std::int64_t messageType = 0;
    std::optional<TimeNs> cpu;
    Link link = Link::None;
    TaskId source;  // invalid without one
    TimeNs sourceOffset = 0;
    MessageId message;  // invalid without one
    std::optional<TimeNs> sent;
    std::optional<TimeNs> received;  // as logged, or estimated (docs/definitions.md, "Receive time")
    bool receivedEstimated = false;
};

struct MessageDetail {
    MessageId id;
    TaskId source;  // invalid without one
    TimeNs sent = 0;
    TimeNs sourceOffset = 0;
    EntryId entry = noEntry;
    std::int64_t bytes = 0;
    MessageKind kind = MessageKind::Single;
    std::int64_t destinations = 1;
    TimeNs sendDuration = 0;
    std::int64_t event = 0;
    std::int64_t executions = 0;
};

// Of a trace that has the events of parts of the run only (TraceInfo::isPart): whether a reader can do with those.
// Whole: reading rows ends with requireEvents()' error, for nothing may be said of a part as if it were all.
enum class Coverage : std::uint8_t { Whole, Kept };

class TraceStore {
public:
    // Verifies schema version, completeness and stamp. Errors: not a Longpole file, made by another version, damaged,
    // unfinished, unreadable. O(plain tables + chunk directory).
    static Result<std::shared_ptr<const TraceStore>> open(const QString& path);
    // A trace that this process holds for itself (TraceWriter::createHeld), with the events of some processors only:
    // rows may point to those of others, which are not there. Its readers ask only for rows of processors that it has.
    static Result<std::shared_ptr<const TraceStore>> openHeld(const QString& path);
    ~TraceStore();

    const QString& path() const;
    const std::shared_ptr<const StoreFile>& file() const;  // which every reader of this trace reads
    const QString& stamp() const;                          // hex; the key of side files

    const TraceInfo& info() const;
    Vocabulary words() const { return info().vocabulary; }
    // False for a summary, whose format holds only sums of executions and messages, and for a trace that has the events
    // of parts of the run only. True for a log, even an empty one.
    bool hasEvents() const { return info().hasEvents(); }
    std::span<const Processor> processors() const;  // by pe
    std::span<const Track> tracks() const;          // by id
    std::span<const Chare> chares() const;
    std::span<const Entry> entries() const;            // by id
    std::span<const Region> regions() const;           // by id
    std::span<const CallPath> callPaths() const;       // by id, empty if the trace has none
    const CallPath* callPath(std::uint32_t id) const;  // null if there is none
    std::span<const Issue> issues() const;
    std::span<const RecordCount> counts() const;
    std::span<const ProfileRow> profile() const;  // by pe, entry
    const Entry* entry(EntryId id) const;         // null if there is none
    const Processor* processor(ProcessorId pe) const;
    const Region* region(RegionId id) const;
    const Track* track(TrackId id) const;
    // Those of a PE or rank, its own and those of its threads, by id.
    std::span<const std::pair<ProcessorId, TrackId>> tracksOf(ProcessorId pe) const;
    std::span<const std::pair<std::int64_t, QString>> texts() const;  // by id
    QString text(std::int64_t id) const;
    // Where a trace that has parts of the events has them: by pe, then time, disjoint. Else nothing.
    std::span<const KeptRange> kept() const;
    bool isKept(ProcessorId pe, TimeRange range) const;  // all of it; true of a trace with all events
    // What was computed when the trace had all events, for one that has parts of them; else empty tables.
    const StoredAnswers& answers() const;

    // The directory: chunks of a kind (and tile level) on a track, by first row. Empty if none. Of events of which the
    // trace has parts only: one chunk, which cannot be read, lest somebody takes what lacks for nothing.
    std::span<const ChunkRef> chunks(ChunkKind kind, TrackId track, int level = 0) const;
    std::span<const ChunkRef> chunks(ChunkKind kind) const;  // of all tracks, by track, level, first row
    // The chunks that there are, in any trace: with Coverage::Kept they can be read.
    std::span<const ChunkRef> keptChunks(ChunkKind kind, TrackId track) const;

    // The decoded rows of a kind on a track, or on all tracks, one after the other, and those of one chunk. `fields`: a
    // combination of Row::Field. The definitions are in core/store/rowscan.h, which must be included.
    template <typename Row>
    RowScan<Row> rows(TrackId track, std::uint32_t fields) const;
    template <typename Row>
    RowScan<Row> rows(TrackId track, std::uint32_t fields, const RowLimits& limits) const;
    template <typename Row>
    RowScan<Row> rows(std::uint32_t fields) const;
    template <typename Row>
    RowScan<Row> rows(std::uint32_t fields, const RowLimits& limits) const;
    template <typename Row>
    Result<RowBlock<Row>> block(const ChunkRef& ref, std::uint32_t fields, Coverage coverage = Coverage::Whole) const;

    // Decodes a chunk; columns whose bit in `columns` is 0 stay empty. Errors: the chunk's hash does not fit; it has
    // events of a trace that has parts of them only.
    Result<std::shared_ptr<const Chunk>> read(const ChunkRef& ref, std::uint32_t columns = 0xffffffffu,
                                              Coverage coverage = Coverage::Whole) const;

    // The chunk as it stands in the file, for another file. Error: its hash does not fit.
    Result<EncodedChunk> encoded(const ChunkRef& ref) const;

    // How many bytes the decoded chunks in the cache take.
    std::int64_t cachedBytes() const;

    // The levels that exist for a track, finest first; a level's bins that overlap the range (decoded, cached).
    std::vector<int> tileLevels(TrackId track) const;
    // Columns (bit TileColumn) that were not asked for are left as an empty bin has them.
    Result<TileLevel> tiles(TrackId track, int level, TimeRange range, std::uint32_t columns = allTileColumns) const;
    // The columns that the file's tiles have; the others are 0. Summaries lack messages, bytes and pack, and without
    // .sumd also tasks and entry methods.
    std::uint32_t tileColumns() const;
    // Sum over all PEs, at most a few thousand bins: the minimap's utilization. Busy and idle are sums over PEs.
    Result<TileLevel> overview() const;
    // What each entry method did on a PE's track in coarse bins, whose sums are exclusive time and count of the PE's
    // profile rows. No rows if the file has none (summaries without .sumd). O(rows), at most 1024 bins.
    Result<EntryBins> entryBins(TrackId track) const;

    Result<TaskDetail> task(TaskId id) const;
    Result<MessageDetail> message(MessageId id) const;
    // Messages created by a task, in send order.
    Result<std::vector<MessageDetail>> messagesOf(TaskId id, const Progress& progress = {}) const;
    // Least latency seen from each source PE to `pe`, by source; estimates unknown receive times.
    Result<std::vector<std::pair<ProcessorId, TimeNs>>> leastLatencies(ProcessorId pe) const;

private:
    class Private;
    explicit TraceStore(std::unique_ptr<Private> content);
    std::unique_ptr<Private> d;
};

// Errors: the trace is a summary, without executions and messages, or has those of parts of the run only (see
// hasEvents).
Result<> requireEvents(const TraceStore& store);
// Error: the trace is a folded one, of which nothing may be said as if its rows were PEs that run together.
Result<> requireRun(const TraceStore& store);
// Whether rows of that kind may be read; the same error. Sums, which are of the whole run, always may.
Result<> requireRows(const TraceStore& store, ChunkKind kind, Coverage coverage);

// Receive time of a message sent at `sent` and executed at `begin`, when the log has none: sent + least latency of the
// PE pair, within [.., begin] (docs/definitions.md, "Receive time").
TimeNs estimatedReceive(TimeNs sent, TimeNs begin, TimeNs leastLatency);

}  // namespace longpole
