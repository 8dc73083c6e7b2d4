// SPDX-License-Identifier: GPL-3.0-or-later
// A held trace: what a process holds of a trace while it works on it. The definitions are in memory, and the chunks of
// some processors' rows in a file without a name, which nobody else can open.
#pragma once

#include "core/file/chunksink.h"
#include "core/file/definitions.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// Chunks by their ids, which count from 1. Written by one thread, then read by any number.
class ChunkFile final : public ChunkPlace {
public:
    // In the folder of that path; it goes away with the object, or with the process.
    static Result<std::shared_ptr<ChunkFile>> create(const QString& path);
    ~ChunkFile() override;
    ChunkFile(const ChunkFile&) = delete;
    ChunkFile& operator=(const ChunkFile&) = delete;

    Result<> write(std::int64_t id, std::span<const char> bytes) override;  // ids in order
    Result<std::vector<char>> read(std::int64_t id) override;
    // Nothing may be written afterwards.
    Result<> finish();
    // After finish(). Bytes of this thread, until it calls that again; empty if there is no such chunk, or if the disk
    // fails. What lies behind a small chunk is read with it.
    std::span<const char> bytes(std::int64_t id) const;

    const QString& path() const { return m_path; }

private:
    ChunkFile(int descriptor, QString path);
    Result<> writeBuffer();
    struct Extent {
        std::int64_t begin = 0, end = 0;
    };
    std::optional<Extent> extent(std::int64_t id) const;

    int m_descriptor;
    std::uint64_t m_number;  // no other file of this process has it, or had it
    QString m_path;
    std::vector<std::int64_t> m_ends;  // of chunks, by id - 1
    std::vector<char> m_buffer;        // the last bytes, which the file does not have yet
    std::int64_t m_written = 0;
};

struct HeldTrace {
    Definitions definitions;  // as readDefinitions() gives them, but for the stamp
    std::shared_ptr<const ChunkFile> chunks;
};

// From who has written it to who reads it, in this process: once, by a name of its own. Nothing if there is none of
// that name. Thread-safe.
void leaveHeld(const QString& name, HeldTrace trace);
std::optional<HeldTrace> takeHeld(const QString& name);

}  // namespace longpole
