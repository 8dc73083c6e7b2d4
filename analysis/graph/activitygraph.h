// SPDX-License-Identifier: GPL-3.0-or-later
// The program activity graph of a message-driven run, without materialised prefixes (docs/algorithms.md 1.1): graph
// tasks are the outermost executions, in order of (begin, pe, index), with at most one message edge each; processor
// order is implied by the previous task on the PE. Struct of arrays, 41 bytes a task.
#pragma once

#include "analysis/base/compacttimes.h"

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"
#include "core/trace/trace.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

constexpr std::uint32_t noTask = 0xffffffffu;

// Why a task is known to depend on more than the message that started it (docs/algorithms.md 1.1, rules R1 to R3).
enum class MergeKind : std::uint8_t {
    Recorded,  // the program said so (the MERGE_PATH macros of Dooley, Arya, Kale 2010, section 5)
    Buffered,  // an execution before it only kept its message for it
    Reduction  // a contribution to a reduction
};

// `task` also needed `source` to have run for `offset`; graph tasks, source < task.
struct MergeEdge {
    std::uint32_t task = noTask;
    std::uint32_t source = noTask;
    TimeNs offset = 0;
    MergeKind kind = MergeKind::Recorded;
    friend auto operator<=>(const MergeEdge&, const MergeEdge&) = default;
};

// The graph tasks of each PE, in begin order: one array, and where each PE's part of it begins.
class TasksByProcessor {
public:
    TasksByProcessor() = default;
    // `first` has one place more than there are PEs, the number of all tasks.
    TasksByProcessor(std::vector<std::uint32_t> tasks, std::vector<std::size_t> first)
        : m_tasks(std::move(tasks)), m_first(std::move(first))
    {
    }

    std::size_t size() const { return m_first.empty() ? 0 : m_first.size() - 1; }  // PEs
    std::span<const std::uint32_t> operator[](std::size_t pe) const
    {
        return std::span(m_tasks).subspan(m_first[pe], m_first[pe + 1] - m_first[pe]);
    }
    std::int64_t bytes() const
    {
        return static_cast<std::int64_t>(m_tasks.capacity() * sizeof(std::uint32_t)
                                         + m_first.capacity() * sizeof(std::size_t));
    }

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = std::span<const std::uint32_t>;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = value_type;

        Iterator(const TasksByProcessor& all, std::size_t pe) : m_all(&all), m_pe(pe) {}
        std::span<const std::uint32_t> operator*() const { return (*m_all)[m_pe]; }
        Iterator& operator++()
        {
            ++m_pe;
            return *this;
        }
        bool operator==(const Iterator& other) const { return m_pe == other.m_pe; }

    private:
        const TasksByProcessor* m_all;
        std::size_t m_pe;
    };
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size()}; }

private:
    std::vector<std::uint32_t> m_tasks;
    std::vector<std::size_t> m_first;
};

struct ActivityGraph {
    TimeRange run;  // [begin, end] of the trace
    std::uint32_t processors = 0;
    bool hasRanks = false;  // an MPI run: the order of a rank's tasks is part of its program, so every edge level
                            // keeps it, and a message is received when its receiver waits for it

    // Per graph task.
    std::vector<TimeNs> begin;
    CompactTimes duration;
    std::vector<std::uint32_t> pe;
    std::vector<std::uint32_t> taskIndex;  // TaskId::index on that PE
    std::vector<std::uint32_t> entry;
    std::vector<std::uint32_t> source;  // graph task the message edge comes from; noTask
    CompactTimes offset;                // send - begin of the source, clamped to [0, begin - source begin]
    CompactTimes queued;                // begin - receive time; see received()
    std::vector<std::uint8_t> flags;    // Flag bits
    enum Flag : std::uint8_t {
        Estimated = 1,     // its receive time
        Repaired = 2,      // its message was found in spite of a wrong key
        Clamped = 4,       // its offset was out of bounds
        BlockEdge = 8,     // a Structured Dagger block: goes on where the block before it ended
        AfterIdle = 16,    // its PE idled just before it, so its message did not have to wait for the task before
        HasReceived = 32,  // its receive time is known or estimated
        SentApart = 64     // its message was not sent at begin[source] + offset; see sent()
    };

    // When the message that started it was sent, also if no task of the trace sent it. Where the trace has no send
    // time: when the edge leaves the source; without a source minTime. O(1), O(log n) where SentApart.
    TimeNs sent(std::uint32_t task) const;
    // Receive time, estimated where the log has none; minTime if unknown.
    TimeNs received(std::uint32_t task) const;
    // The graph task before it on its PE; noTask. O(log n): passes over all tasks keep the newest one per PE instead.
    std::uint32_t previous(std::uint32_t task) const;
    TimeNs end(std::uint32_t task) const { return begin[task] + duration[task]; }

    // Send times of the tasks that are SentApart, sorted by task: sent outside any task.
    struct SendTime {
        std::uint32_t task;
        TimeNs time;
    };
    std::vector<SendTime> sentApart;

    std::vector<MergeEdge> merges;  // recorded ones, sorted

    // Executions nested in graph tasks, in pieces: the time of a piece is exclusive to them (see attribution.h).
    struct Inner {
        std::uint32_t task;       // graph task
        std::uint32_t taskIndex;  // TaskId::index of the inner execution
        std::uint32_t entry;
        TimeNs begin, end;  // one piece
    };
    std::vector<Inner> inner;                 // sorted by (task, begin)
    std::vector<std::uint32_t> innerByIndex;  // places in `inner` of first pieces, by (task, taskIndex)

    std::vector<TimeNs> exclusiveByEntry;  // busy time of the run per entry id
    // Soft errors met while loading: edges dropped (source begins later), clamped, cycles among ties.
    std::vector<Issue> issues;

    std::size_t size() const { return begin.size(); }
    TaskId id(std::uint32_t task) const { return {ProcessorId{pe[task]}, taskIndex[task]}; }
    // The graph task that is, or contains, an execution; noTask if there is none. O(log n).
    std::uint32_t find(TaskId id) const;
    // Pieces of the executions inside a graph task, by begin; mostly none. O(log n).
    std::span<const Inner> innerOf(std::uint32_t task) const;
    void indexInner();  // after `inner` has changed
    // The first piece of an execution nested in the task; null if there is none. O(log pieces).
    const Inner* innerExecution(std::uint32_t task, std::uint32_t index) const;

    TasksByProcessor byProcessor;
    // Per rank: its time between start-up and shut-down. Empty: no processor has either.
    std::vector<TimeRange> active;
    TimeRange activeOf(std::uint32_t processor) const
    {
        return processor < active.size() ? active[processor] : TimeRange{minTime, maxTime};
    }
};

// Data: without the edges back from a receiver to the sender that waited for it, along which nothing was sent
// (Hollingsworth 1996 has none). Only an MPI run has such edges.
enum class GraphEdges : std::uint8_t { All, Data };

// Loads all tasks of a trace. Errors: damaged chunks, cancelled, more than 2^32 - 2 tasks.
Result<std::shared_ptr<const ActivityGraph>> loadActivityGraph(const TraceStore& store, const Progress& progress,
                                                               GraphEdges edges = GraphEdges::All);

// Makes a graph of tasks in any order, as the loader does of a trace; tests draw their graphs with it. Offsets count
// from the source's begin; ids are (pe, taskIndex).
struct RawTask {
    TaskId id{};
    TimeNs begin = 0;
    TimeNs duration = 0;
    EntryId entry = noEntry;
    TaskId source{};  // invalid: none
    TimeNs offset = 0;
    TimeNs sent = minTime;
    TimeNs received = minTime;
    std::uint8_t flags = 0;
};
struct RawMerge {
    TaskId task{};
    TaskId source{};
    TimeNs offset = 0;
    MergeKind kind = MergeKind::Recorded;
};
std::shared_ptr<const ActivityGraph> makeActivityGraph(std::vector<RawTask> tasks, TimeRange run,
                                                       std::uint32_t processors,
                                                       const std::vector<RawMerge>& merges = {}, bool hasRanks = false);

// What lies inside a range, as a run of its own (docs/algorithms.md 2.5): tasks are cut at the range's ends and weigh
// what is left, messages sent at or before its begin are no dependencies. Every analysis runs on it as on the whole.
std::shared_ptr<const ActivityGraph> clip(const ActivityGraph& graph, TimeRange range);

// The first of `merges`, sorted by task, that leads into `task` or a later one. O(log merges).
inline std::vector<MergeEdge>::const_iterator mergesFrom(const std::vector<MergeEdge>& merges, std::uint32_t task)
{
    return std::lower_bound(merges.begin(), merges.end(), task,
                            [](const MergeEdge& merge, std::uint32_t wanted) { return merge.task < wanted; });
}

// Those that lead into `task`. O(log merges), also where many do.
inline std::span<const MergeEdge> mergesInto(const std::vector<MergeEdge>& merges, std::uint32_t task)
{
    const auto first = mergesFrom(merges, task);
    return {first,
            std::partition_point(first, merges.end(), [task](const MergeEdge& merge) { return merge.task == task; })};
}

}  // namespace longpole
