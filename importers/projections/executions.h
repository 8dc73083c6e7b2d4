// SPDX-License-Identifier: GPL-3.0-or-later
// What matching needs to know of one processor's executions, packed, in begin order.
#pragma once

#include "core/base/timerange.h"
#include "importers/common/spill.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace longpole {

struct PendingExecution {
    TimeNs begin = 0;
    std::int32_t creator = 0;  // PE; not for blocks
    std::int32_t event = 0;
    std::uint32_t entry = 0;
    bool isBlock = false;      // it has no message and goes on where the block before it ended
    std::uint32_t before = 0;  // row of the block before it; noRow: none
    TimeNs beforeOffset = 0;
};

// Written once, then read once from the start. About ten bytes a row.
class Executions {
public:
    void add(const PendingExecution& execution, Spill& spill);
    void finish(Spill& spill);
    std::uint32_t size() const { return m_size; }

    class Reader {
    public:
        Reader(const Executions& executions, const Spill& spill) : m_executions(executions), m_spill(spill) {}
        bool next(PendingExecution& execution);

    private:
        std::uint64_t number();
        const Executions& m_executions;
        const Spill& m_spill;
        std::vector<std::byte> m_bytes;
        std::size_t m_position = 0;
        std::size_t m_block = 0;
        TimeNs m_previousBegin = 0;
        std::int32_t m_previousEvent = 0;
        std::uint32_t m_row = 0;
    };

private:
    void put(std::uint64_t number);
    void storeBlock(Spill& spill);

    std::vector<std::byte> m_open;  // m_filled bytes of it hold rows
    std::size_t m_filled = 0;
    std::vector<Spill::Block> m_blocks;
    TimeNs m_previousBegin = 0;  // not the whole row: copying what was just written in parts stalls the processor
    std::int32_t m_previousEvent = 0;
    std::uint32_t m_size = 0;
};

}  // namespace longpole
