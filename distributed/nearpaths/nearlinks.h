// SPDX-License-Identifier: GPL-3.0-or-later
// What the longest path through each hosted task comes from and goes on to (analysis/paths/distinctpaths.h): the first
// of equal ones in the order of the graph of the whole run, whichever process hosts it.
#pragma once

#include "distributed/answers/tailpass.h"
#include "distributed/answers/workpass.h"

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

// Numbers of messages between the processes, in the search for near-critical paths.
enum NearPassNumber : std::uint16_t { AskForTies = 320, TellTies, WantValues, TellBefore, TellBehind, WalkNear };

class NearLinks {
public:
    // Of a task: places in the slots or readers of its rank, or one of these.
    static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();  // the path begins or ends here
    static constexpr std::uint32_t neighbour = nothing - 1;  // the task before it on its rank, or the one behind
    static constexpr std::uint32_t across = nothing - 2;     // the path leaves the segment here, for its target

    struct Target {
        std::uint32_t rank = WorkPass::noPlace, task = WorkPass::noPlace;
        friend auto operator<=>(const Target&, const Target&) = default;
    };
    struct Rank {
        std::vector<std::uint32_t> before, next;  // by task
        std::vector<TimeNs> slack;                // likewise
        std::vector<bool> isBefore;               // by reader: its task's path comes from the hosted one
        std::vector<bool> isNext;                 // by slot: the path of its source goes on to the hosted task
    };
    struct Place {
        std::uint32_t rank = WorkPass::noPlace;  // among the hosted
        std::uint32_t at = 0;                    // in its slots or readers
    };

    // Both are of the run as it is, and outlive this.
    NearLinks(const WorkPass& pass, const TailPass& tails);
    // All processes call it, once. Afterwards the transport may have failed.
    void find();

    const WorkPass& pass() const { return m_pass; }
    const std::vector<Rank>& ranks() const { return m_ranks; }
    // Where a path goes on that leaves a segment in the last task of a hosted rank.
    Target target(std::size_t strand) const { return m_targets[strand]; }
    // By hosted rank, of its first segment.
    std::size_t firstStrand(std::uint32_t rank) const { return m_firstStrand[rank]; }
    // The hosted slot of which a process knows the reader by that number; nothing if there is none.
    std::optional<Place> slotOf(int process, std::uint32_t number) const { return placed(m_slotAt, process, number); }
    // The hosted reader of which a process knows the slot by that number.
    std::optional<Place> readerOf(int process, std::uint32_t number) const
    {
        return placed(m_readerAt, process, number);
    }
    // How much of a hosted task lies on the longest path through it.
    TimeNs length(std::uint32_t rank, std::uint32_t task) const;
    // Fails the transport: what came from a process cannot be.
    void refuse(int from) const;

private:
    // A task, and how it depends on another, as the graph has them in order.
    struct Key {
        TimeNs begin = maxTime;
        std::uint32_t place = WorkPass::noPlace;
        std::uint32_t rank = WorkPass::noPlace, task = WorkPass::noPlace;
        std::uint32_t edge = 0;  // 0 message, 1 merge, 2 order
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    struct FirstTwo {  // of different ranks
        Key first, second;
        void add(const Key& key);
    };
    struct Cut {           // in front of a segment
        FirstTwo leaving;  // last tasks of the segment before that come as far as the path does
        FirstTwo entered;  // tasks that need all of the segment before, from which the way on is longest
    };
    struct Tie {  // which of several comes first has to be asked
        std::uint32_t rank = 0, task = 0;
        bool isBack = false;
        Key best{};
        std::uint32_t link = nothing;
    };
    struct Question {
        std::uint32_t number = 0;
        bool isBack =
            false;  // about the source of a need of the asker; else about a task that needs one of the asker's
    };
    struct Asked {  // besides the question
        std::size_t tie = 0;
        std::uint32_t link = nothing;
    };
    using Places = std::vector<std::vector<Place>>;  // by process and number

    static std::optional<Place> placed(const Places& places, int process, std::uint32_t number);
    Key keyOf(std::uint32_t rank, std::uint32_t task, std::uint32_t edge) const;
    TimeNs behind(std::size_t segment) const { return m_pass.length(0) - m_pass.base(segment + 1, 0); }
    void note();
    void findCuts();
    void look(std::uint32_t rank);
    std::uint32_t before(std::uint32_t rank, std::uint32_t task, std::uint32_t segment, TimeNs head,
                         std::pair<std::uint32_t, std::uint32_t> slots);
    std::uint32_t next(std::uint32_t rank, std::uint32_t task, std::uint32_t segment,
                       std::pair<std::uint32_t, std::uint32_t> readers);
    std::uint32_t ask(Tie tie, const std::vector<std::uint32_t>& candidates);
    std::pair<Key, Target> acrossFrom(std::uint32_t rank, std::uint32_t task, std::uint32_t segment) const;
    void askAll();
    std::optional<Key> answer(int from, const Question& question) const;
    void want();

    const WorkPass& m_pass;
    const TailPass& m_tails;
    Transport& m_transport;
    std::vector<Rank> m_ranks;
    std::vector<std::size_t> m_firstStrand;
    std::vector<Target> m_targets;  // by strand
    Places m_slotAt, m_readerAt;
    std::vector<Cut> m_cuts;  // by segment
    std::vector<Tie> m_ties;
    std::vector<std::vector<Question>> m_questions;  // by process
    std::vector<std::vector<Asked>> m_asked;         // likewise
};

}  // namespace longpole
