// SPDX-License-Identifier: GPL-3.0-or-later
// The chunks that were decoded last, up to a limit in bytes; shared by all readers of a trace.
#pragma once

#include "core/base/drawnhash.h"
#include "core/trace/columns.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace longpole {

class ChunkCache {
public:
    explicit ChunkCache(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    // A chunk that has at least `columns`; null if there is none. Thread-safe, like insert().
    std::shared_ptr<const Chunk> find(std::int64_t id, std::uint32_t columns);
    // The columns of a cached chunk, decoded or not: 0 if it is not there.
    std::uint32_t columnsOf(std::int64_t id) const;
    // Replaces what was there under this id; drops the least recently used ones beyond the bound.
    void insert(std::int64_t id, std::uint32_t columns, std::shared_ptr<const Chunk> chunk);

    std::size_t bytes() const;

private:
    struct Slot {
        std::int64_t id;
        std::uint32_t columns;
        std::size_t bytes;
        std::shared_ptr<const Chunk> chunk;
    };
    mutable std::mutex m_mutex;
    std::size_t m_maxBytes;
    std::size_t m_bytes = 0;
    std::list<Slot> m_slots;  // most recently used first
    std::unordered_map<std::int64_t, std::list<Slot>::iterator, DrawnHash> m_byId;
};

}  // namespace longpole
