// SPDX-License-Identifier: GPL-3.0-or-later
// The longest way from the begin of each task of a run whose ranks several processes host to the end of its segment:
// values run back from task to task as they ran forward in a work pass.
#pragma once

#include "distributed/answers/workpass.h"
#include "distributed/transport/transport.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace longpole {

class TailPass {
public:
    // `pass`: has been run in one lane in which all counts as it is, and outlives this.
    explicit TailPass(const WorkPass& pass);

    // All processes call it, once.
    void run();

    // Of a hosted rank, by task.
    const std::vector<TimeNs>& tails(std::size_t rank) const { return m_tails[rank]; }
    // Of the task that reads a hosted one, by the reader's process and number; not over a cut.
    TimeNs tailOf(const WorkPass::Reader& reader) const { return m_values[reader.process][reader.number]; }

private:
    static constexpr TimeNs isUnknown = minTime;  // a tail that has yet to come

    struct ToldTail {  // for a reader of it
        std::uint32_t number = 0;
        TimeNs tail = 0;
    };
    struct Place {  // where a strand has come to, from its end
        std::size_t position = 0, nextSlot = 0, nextReader = 0;
        TimeNs tail = 0;     // of the task behind it
        TimeNs ownTail = 0;  // of the task before it, as far as its readers have told
    };
    struct ReadAt {
        std::uint32_t strand = 0;
        std::uint32_t source = WorkPass::noPlace;
    };

    void prepare();
    void noteReaders(std::span<const WorkPass::Reader> readers, std::uint32_t first, std::uint32_t last);
    void runAll();
    void runBack(const WorkPass::Strand& strand, Place& place);
    void give(const WorkPass::Slot& slot, TimeNs tail);
    bool got(std::size_t process, std::uint32_t number, TimeNs tail);
    static Payload pack(std::vector<ToldTail>& told);
    void note(int from, const Payload& bytes);

    const WorkPass& m_pass;
    Transport& m_transport;
    std::vector<std::vector<ToldTail>> m_told;  // by process: to be sent
    std::vector<std::vector<TimeNs>> m_values;  // by process and its number of the need
    std::vector<std::vector<ReadAt>> m_readAt;  // likewise
    std::vector<std::vector<TimeNs>> m_tails;
    std::vector<Place> m_places;  // by strand
    std::vector<std::uint32_t> m_runnable;
    std::uint64_t m_left = 0;
};

}  // namespace longpole
