// SPDX-License-Identifier: GPL-3.0-or-later
// The longest work before each task of a run whose ranks several processes host, in one lane or several at once: values
// run along the ranks from task to task, and from process to process where a task needs one of another rank.
//
// Global synchronizations cut the run into segments (docs/algorithms.md 1.2): nothing but what all ranks have done
// reaches over them, so that values begin at 0 behind each and all segments are run at once. A cut for which that does
// not hold exactly is left out.
#pragma once

#include "analysis/whatif/lanes.h"
#include "core/base/progress.h"
#include "distributed/answers/tiedtasks.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/tasks/hostedtasks.h"
#include "distributed/transport/transport.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

// Numbers of messages between the processes, in the passes of work.
enum WorkPassNumber : std::uint16_t {
    AskForValues = 300,
    TellStatus,
    DropNeeds,
    TellValues,
    TellCrossings,
    WalkBack,
    TellTails
};

class WorkPass {
public:
    static constexpr std::uint32_t noPlace = std::numeric_limits<std::uint32_t>::max();

    // What a hosted task needs of another task; the value of it has a number at the process that hosts that one.
    struct Slot {
        std::uint32_t task = 0;
        std::uint32_t rank = 0, source = 0;
        std::uint32_t process = 0, number = 0;
        bool isMessage = false;
        bool crosses = false;  // a cut: the source is the last task before it
        bool isClamped = false;
        bool isRepaired = false;
        bool isDoubtful() const { return isMessage && (isClamped || isRepaired); }
    };
    // Who needs what of a hosted task.
    struct Reader {
        std::uint32_t source = 0;
        std::uint32_t process = 0, number = 0;
        bool crosses = false;
        TimeNs work = 0;
    };
    struct Rank {
        HostedTasks tasks;            // without needs
        std::vector<Slot> slots;      // by task: its message, then its merges
        std::vector<Reader> readers;  // by source
        std::uint32_t segmentOf(std::uint32_t task) const;
        std::span<const Slot> slotsOf(std::uint32_t task) const;
    };
    // A rank's tasks of one segment: [first, end).
    struct Strand {
        std::uint32_t rank = 0, segment = 0;  // rank: among the hosted
        std::size_t first = 0, end = 0;
        std::size_t firstSlot = 0, firstReader = 0;  // of these tasks
        std::size_t position = 0, nextSlot = 0, nextReader = 0;
        bool isLeading = false;  // no task before `position` needed anything, and there is a segment before
    };
    // The first task of a strand that reaches its largest value, which that of the strand's end is.
    struct Reached {
        TimeNs value = -1;  // -1: all tasks are leading: they go on from the segment before
        std::uint32_t task = noPlace;
    };

    WorkPass(Transport& transport, const HostedTrace& trace, TimeRange range, const Progress& progress);
    WorkPass(Transport& transport, const HostedTrace& trace, TimeRange range,
             const Progress&& progress) = delete;  // it is kept

    // Reads the hosted ranks, learns what others need of them and where the run is cut. All processes call it, once.
    // Errors: damaged chunks, cancelled.
    Result<> prepare();
    // The values of at most mostLanes lanes. All processes call it, as often as they like. `crossings`: also those over
    // cuts, which only a walk back needs.
    Result<> run(const LaneFactors& factors, std::size_t lanes, bool crossings);
    // From now on only what lies inside the range counts, which lies in the one before: work gets shorter, so that what
    // is needed and where the run is cut stays. Nothing is read or asked again.
    void narrow(TimeRange range);
    // Gives back the memory of the values, which are asked for no more until the next run().
    void dropValues();
    // Of the longest path of the run.
    TimeNs length(std::size_t lane) const { return m_base[m_segments * m_lanes + lane]; }

    // For walks back, after run().
    Transport& transport() const { return m_transport; }
    const Hosting& hosting() const { return m_trace.hosting; }
    std::uint32_t firstRank() const { return m_first; }
    std::size_t lanes() const { return m_lanes; }
    std::size_t segments() const { return m_segments; }
    std::span<const Rank> ranks() const { return m_ranks; }
    std::span<const Strand> strands() const { return m_strands; }  // by rank and segment
    const Reached& reached(std::size_t strand, std::size_t lane) const { return m_reached[strand * m_lanes + lane]; }
    // Of the path to the begin of a segment; there is one behind the last.
    TimeNs base(std::size_t segment, std::size_t lane) const { return m_base[segment * m_lanes + lane]; }
    // At the end of what is needed, from the run's begin on. `segment` is that of the task that needs it.
    TimeNs valueOf(const Slot& slot, std::uint32_t segment, std::size_t lane) const
    {
        return m_values[slot.process][slot.number * m_lanes + lane] + base(slot.crosses ? segment - 1 : segment, lane);
    }
    TimeNs scaled(const Rank& rank, std::uint32_t task, TimeNs time, std::size_t lane) const
    {
        if (hasNested(rank, task)) return nestedWork(rank, task, time).at[lane];
        return time * m_factors->of(rank.tasks.entry[task])[lane];
    }
    // What of a task `time` of work is, from its begin in the range.
    TimeRange partOf(const Rank& rank, std::uint32_t task, TimeNs time) const
    {
        const TimeNs begin = std::clamp(rank.tasks.begin[task], m_range.begin, m_range.end);
        return {begin, begin + time};
    }
    // Among tasks that begin at the same time as it, where their order by rank and index was mended; else noPlace.
    std::uint32_t placeOf(std::uint32_t rank, std::uint32_t task) const;

private:
    // What the process that hosts the source of a need says of it, if it says anything.
    enum NeedStatus : std::uint8_t {
        DroppedNeed = 1,  // the graph has no such edge
        AtOnceNeed = 2,   // source and task begin at the same time
        CrossingNeed = 4,
        ClampedNeed = 8,
        MovedNeed = 16  // the row that was asked for is in a task with another number
    };
    struct Told {  // values that others need
        std::vector<std::uint32_t> numbers;
        std::vector<TimeNs> values;  // by number and lane
    };
    // A need, for the process that hosts its source; its number is its place in the table.
    struct AskedValue {
        std::uint32_t rank = 0, source = 0;
        TimeNs offset = 0;
        TimeNs taskBegin = 0;
        std::uint32_t segment = 0;  // of the task
    };
    struct NumberedStatus {
        std::uint32_t number = 0;
        std::uint8_t status = 0;
        std::uint32_t source = 0;  // the task that the source's row is in
    };
    struct LaneTimes {
        std::array<TimeNs, mostLanes> at{};
    };
    struct Shape {  // what all processes must know before they begin
        std::uint64_t fewestCuts = std::numeric_limits<std::uint64_t>::max(), mostCuts = 0;  // of ranks that have tasks
        std::uint64_t ranks = 0;                                                             // that have tasks
        std::uint64_t againstOrder = 0;  // needs of what begins at the same time and comes after in order
    };

    Result<> readRanks();
    void ask();
    std::vector<NumberedStatus> noteAsked(int from, const std::vector<AskedValue>& asked);
    static void sortBySource(std::vector<Reader>& readers, std::size_t tasks);
    void noteStatus(int from, const std::vector<NumberedStatus>& told);
    void takeStatus(int from, const Payload& bytes);
    bool isAgainstOrder(std::uint32_t rank, const Slot& slot) const;
    void applyStatus();
    void orderTies();
    void dropMergesAgainstOrder();
    bool countsAgainstOrder(const Slot& slot) const { return slot.isMessage || m_trace.store->info().hasRanks(); }
    std::vector<std::vector<std::uint32_t>> eraseSlots(std::vector<TiedNeed> needs);
    void dropNeeds(const std::vector<std::vector<std::uint32_t>>& numbers);
    void chooseCuts();
    void judgeCuts(const Rank& rank, std::vector<std::uint8_t>& isBad) const;
    void keepCuts(const std::vector<std::uint8_t>& isBad);
    void makeStrands();

    template <std::size_t Lanes>
    void give(std::uint32_t process, std::uint32_t number, const TimeNs* values);
    template <std::size_t Lanes>
    void got(std::size_t process, std::uint32_t number, const TimeNs* values);
    static bool hasNested(const Rank& rank, std::uint32_t task)
    {
        return rank.tasks.nested != nullptr && rank.tasks.nested->has(task);
    }
    void addUpNested();
    LaneTimes nestedWork(const Rank& rank, std::uint32_t task, TimeNs time) const;
    void addLanes(LaneTimes& sum, std::uint32_t entry, TimeNs time) const;
    void runAll();
    template <std::size_t Lanes>
    void run(const Rank& rank, std::size_t number);
    void runFreely();
    Payload packTold(Told& told) const;
    void noteTold(int from, const Payload& bytes, bool goesOn);
    void sumUp();
    void tellCrossings();
    void refuse(int from);

    Transport& m_transport;
    const HostedTrace& m_trace;
    TimeRange m_range;
    const Progress& m_progress;
    const std::uint32_t m_first;
    Shape m_shape;
    std::vector<Rank> m_ranks;
    struct Asker {
        std::uint32_t strand = 0;  // of the hosted ranks; until there are strands: a rank
        std::uint32_t task = 0;
    };
    std::vector<std::vector<Asker>> m_askedBy;        // by process and number; by rank and task
    std::vector<std::vector<std::uint8_t>> m_status;  // likewise
    // By process and number: where the row of a need is not the task's number. Only until the needs know it.
    std::vector<std::vector<std::uint32_t>> m_moved;
    // By cut, as far as sources know: so many more needs reach over it, whole or not, than over the cut before.
    std::vector<std::int64_t> m_reaching;
    std::unordered_map<std::uint64_t, std::uint32_t> m_places;  // by rank and task

    std::size_t m_segments = 1;
    std::vector<Strand> m_strands;
    std::vector<std::uint32_t> m_firstStrand;  // by hosted rank
    const LaneFactors* m_factors = nullptr;
    std::vector<std::optional<PrefixSums<LaneTimes>>> m_nested;  // by rank; of those with nested executions
    std::size_t m_lanes = 1;
    // By strand and lane: at the end of the task before its position, or what more has come to it.
    std::vector<TimeNs> m_now;
    std::vector<Reached> m_reached;             // likewise
    std::vector<std::vector<TimeNs>> m_values;  // by process, number and lane
    std::vector<Told> m_told;                   // by process: to be sent
    std::vector<TimeNs> m_base;                 // by segment and lane
    std::vector<std::uint32_t> m_runnable;      // strands
    std::uint64_t m_left = 0;                   // hosted tasks that have not run
};

}  // namespace longpole
