// SPDX-License-Identifier: GPL-3.0-or-later
// The door in: importers hand definitions and rows to a TraceWriter, which makes the .longpole file. Nothing can be
// read back. The file is built as <path>.part-<pid> and renamed by finish(); a writer destroyed before that removes it.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/entrybins.h"
#include "core/store/tiles.h"
#include "core/trace/columns.h"
#include "core/trace/trace.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

struct EncodedChunk;
struct StoredAnswers;
class EventStream;

// What a process holds a trace for (heldtrace.h). If only for answers, small chunks are not compressed.
enum class HeldFor : std::uint8_t { Trace, Answers };

class TraceWriter {
public:
    // Removes part files of dead processes beside `path` first. Errors: folder not writable, disk full.
    static Result<std::unique_ptr<TraceWriter>> create(const QString& path);
    // Of a trace that this process holds for itself, without a name in the folder of `path`. After finish()
    // TraceStore::openHeld() opens it by `path`, once; no other held trace of the process may have that meanwhile.
    static Result<std::unique_ptr<TraceWriter>> createHeld(const QString& path, HeldFor use);
    ~TraceWriter();

    // Rows of events in a deterministic order: streams are stored in the order of their ordinals 0, 1, 2 ..., whoever
    // finishes first (what is out of turn is kept compressed, beyond 64 MiB in an unlinked file). Every ordinal from
    // 0 on must be opened and closed once before finish(). Thread-safe; one stream belongs to one thread at a time.
    std::unique_ptr<EventStream> stream(std::uint32_t ordinal);
    // For rows of kinds by turns: full chunks lie as if all rows of the first kinds had been appended before those of
    // the next ones, and so on. Takes an ordinal for each of these, and one more for all else.
    std::unique_ptr<EventStream> stream(std::uint32_t ordinal, std::span<const std::vector<ChunkKind>> kinds);

    // By ordinal: the id of the last chunk that was stored until that stream had ended. Thread-safe.
    std::vector<std::int64_t> streamEnds() const;

    // Definitions; from one thread, in any order, before finish().
    void add(const Track& track);
    void add(const Processor& processor);
    void add(const Chare& chare);
    void add(const Entry& entry);
    void add(const Region& region);
    void add(const CallPath& path);
    void add(const Issue& issue);  // same kind and place given twice: added up
    void add(const RecordCount& count);
    void add(const ProfileRow& row);
    void addText(std::int64_t id, const QString& text);
    // Of a trace with TraceInfo::isPart(): where it has events, by pe and time, disjoint; and what was computed.
    void setKept(std::vector<KeptRange> kept);
    void setAnswers(StoredAnswers answers);
    void setInfo(const TraceInfo& info);

    // Disk full or another write error so far; workers may look at it to stop early. Thread-safe.
    bool hasFailed() const;

    // Writes the plain tables (sorted by their ids) and the stamp, syncs, renames. Errors: what the disk said.
    // Cancelled: nothing is left behind.
    Result<> finish(const Progress& progress);

private:
    friend class EventStream;
    class Private;
    explicit TraceWriter(std::unique_ptr<Private> content);
    std::unique_ptr<Private> d;
};

// Appends rows, cuts them into chunks, encodes and compresses on the caller's thread.
class EventStream {
public:
    ~EventStream();  // closes

    // One row in the column order of the kind's spec. Rows of a kind and track are numbered from 0, or from where an
    // earlier stream of this writer with the same kind and track ended (ordinal order). O(columns).
    void append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row);

    // All levels of a track's level-of-detail pyramid.
    void append(TrackId track, const TilePyramid& pyramid);
    // All entry bins of a track; once a track.
    void append(TrackId track, const EntryBins& bins);
    // Rows as another writer has encoded them, which must be whole: those that follow are numbered on from them. Chunks
    // that are numbered already keep their numbers.
    void append(EncodedChunk chunk);

    // Takes as little memory as it can until the next row: of many streams most wait for others. Changes no byte of
    // the file.
    void rest();

    void close();

private:
    friend class TraceWriter;
    class Private;
    explicit EventStream(std::unique_ptr<Private> content);
    std::unique_ptr<Private> d;
};

}  // namespace longpole
