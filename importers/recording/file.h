// SPDX-License-Identifier: GPL-3.0-or-later
// One rank's file of a recording (recorder/format/format.h): its header, the small frames, and where each thread's
// chunks are. Damaged and cut files are read as far as they go; what is missing is counted.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/importlog.h"
#include "recorder/format/chunkrecords.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

// A file's bytes at any place, even while another process is writing it.
class RecordingBytes {
public:
    static Result<RecordingBytes> open(const QString& path);
    explicit RecordingBytes(QByteArray bytes);
    RecordingBytes(RecordingBytes&&) noexcept;
    RecordingBytes& operator=(RecordingBytes&&) noexcept;
    ~RecordingBytes();

    std::uint64_t size() const { return m_size; }
    std::uint64_t explained() const { return m_explained; }       // what limits go by
    bool read(std::uint64_t offset, std::span<char> into) const;  // false: not all of it is there

private:
    RecordingBytes();
    struct OpenFile;
    std::unique_ptr<OpenFile> m_file;
    QByteArray m_bytes;
    std::uint64_t m_size = 0;
    std::uint64_t m_explained = 0;
};

// Records of one thread: an LP_CHUNK's, or those of an LP_AREA that never became one.
struct RecordedChunk {
    std::uint32_t thread = 0;
    std::uint32_t seq = 0;
    std::uint32_t coding = 0;
    std::uint32_t records = 0;  // 0 for an area, whose number is not known
    std::uint64_t offset = 0;   // where the bytes are in the file
    std::uint64_t length = 0;
    std::uint64_t rawLength = 0;  // of the records
    std::uint32_t columns = LP_COLUMNS;
    bool hasJoinedTimes = true;  // joined calls say when they began (since version 3)
    std::uint32_t openCall = 0;  // of an area: the call that the thread was in, as its id + 1; 0: none
    std::int64_t openBegin = 0;
};

struct RecordedComm {
    lp_comm head{};
    QByteArray name;
    std::vector<std::int32_t> members;
};

// Of a communicator that some MPI may have.
inline bool isPossibleSize(const lp_comm& head) { return head.size >= 0 && head.size <= (1 << 24); }

struct RecordedNeighbours {
    std::uint32_t comm = 0;
    std::vector<std::int32_t> sources;  // world ranks; < 0: nobody
};

struct RecordedFunction {
    std::uint64_t address = 0;
    QByteArray name;  // empty: the recorder did not find out
};

struct RecordedModule {
    std::uint64_t base = 0, begin = 0, end = 0;
    QByteArray path;
    QByteArray buildId;  // empty: it has none
};

// A line of an interpreted program, for which an address stands in stacks.
struct RecordedPlace {
    QByteArray function;
    QByteArray file;
    int line = 0;
};

struct RecordedRank {
    QString path;
    lp_header header{};
    std::uint64_t bytes = 0;            // of the file
    std::uint64_t recorded = 0;         // bytes of its chunks' records
    std::vector<RecordedChunk> chunks;  // by thread, then seq; at most one of each
    std::vector<RecordedComm> comms;
    std::vector<RecordedNeighbours> neighbours;
    std::map<std::uint32_t, QByteArray> regions;  // names of MPI_Pcontrol regions, by number
    std::map<std::uint32_t, RecordedFunction> functions;
    std::vector<RecordedModule> modules;
    std::map<std::uint32_t, std::vector<std::uint64_t>> stacks;  // return addresses, that of the call first; by number
    std::map<std::uint64_t, RecordedPlace> places;               // by address
    std::map<std::uint32_t, lp_thread_start> threads;

    bool isClosed() const { return header.end_kind != LP_RUNNING; }
};

// Errors: too short for a header; not a recording (magic), or one of another byte order or a newer version.
Result<lp_header> readRecordingHeader(const RecordingBytes& bytes, const char* magic, const QString& path);
Result<RecordedRank> readRecordedRank(const RecordingBytes& bytes, const QString& path, ImportLog& log,
                                      const Progress& progress = Progress());
// The index's rows; empty if it is damaged.
Result<std::vector<lp_index_rank>> readRecordingIndex(const RecordingBytes& bytes, const QString& path);

// The records of a chunk, as they lie in an area. False: the chunk is not what the recorder makes. `records` is
// replaced.
bool readRecords(const RecordingBytes& bytes, const RecordedChunk& chunk, std::vector<char>& records);

}  // namespace longpole
