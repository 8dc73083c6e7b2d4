// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of one location as nested intervals: complete when they are left, handed over in the order in which they
// were entered.
#pragma once

#include "core/base/timerange.h"
#include "importers/common/spill.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace longpole {

struct NestedInterval {
    TimeNs begin = 0;
    TimeNs duration = 0;
    TimeNs nested = 0;        // of the regions directly inside, and of the time that was added
    std::uint32_t depth = 0;  // 0: in no other
    std::uint32_t region = 0;
};

// Intervals of one depth follow each other, so each depth keeps a packed list of its own. The sequence of depths, in
// the order of entering, says from which list the next interval comes, so nothing is sorted. About eight bytes an
// interval, spilled in blocks.
class MpiIntervals {
public:
    struct Open {
        TimeNs begin;
        TimeNs nested;
        std::uint32_t region;
        std::uint64_t number;  // how many were entered before it
    };
    // What goes on: the open ones, the outermost first, and how many were entered so far, these among them.
    struct State {
        std::vector<Open> open{};
        std::uint64_t entered = 0;
    };

    // Goes on with those that are open in `from`, which give() gives first.
    explicit MpiIntervals(Spill& spill) : m_spill(spill) {}
    MpiIntervals(Spill& spill, const State& from);
    State state() const { return {m_open, entered()}; }

    // Times do not decrease from call to call.
    void enter(TimeNs time, std::uint32_t region);
    void leave(TimeNs time);  // the innermost open one
    // Time inside the innermost open region that does not belong to it.
    void addNested(TimeNs duration);

    bool isEmpty() const { return m_open.empty(); }
    std::size_t depth() const { return m_open.size(); }
    std::uint32_t innermost() const { return m_open.back().region; }  // not if isEmpty()

    // All intervals, in the order of entering; all must be closed. Call it once.
    void give(const std::function<void(const NestedInterval&)>& take);

private:
    std::uint64_t entered() const { return m_enteredBefore + m_count; }
    // Varints, written once, read once.
    class Packed {
    public:
        void put(std::uint64_t value, Spill& spill);
        std::uint64_t next(Spill& spill);

    private:
        std::uint8_t nextByte(Spill& spill);
        std::vector<std::byte> m_bytes;  // being written; then being read
        std::vector<Spill::Block> m_blocks;
        std::size_t m_block = 0;  // next to read
        std::size_t m_position = 0;
        bool m_isReading = false;
    };
    struct Level {
        Packed rows;
        TimeNs last = 0;  // end of the interval before
    };

    Spill& m_spill;
    std::vector<Open> m_open;
    std::vector<Level> m_levels;  // by depth
    Packed m_depths;
    std::uint64_t m_count = 0;          // to give
    std::uint64_t m_enteredBefore = 0;  // and not given here
};

}  // namespace longpole
