// SPDX-License-Identifier: GPL-3.0-or-later
// What one PE did, kept in memory while the program runs: its tasks, what each was started by, and when it sent what
// (32 bytes a task with one message), so that paths can be walked back. C++11 and nothing else, as it is compiled with
// the user's Charm++.
#ifndef LONGPOLE_ACTIVITYLOG_H
#define LONGPOLE_ACTIVITYLOG_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole_module {

// Rows in blocks, numbered from 0 on as they come; the oldest blocks can be dropped.
template <typename Row>
class Blocks {
public:
    static const std::size_t perBlock = 4096;
    std::uint64_t first() const { return m_first; }  // the oldest row that is kept
    std::uint64_t end() const { return m_first + m_blocks.size() * perBlock - m_left; }
    bool has(std::uint64_t row) const { return row >= m_first && row < end(); }
    Row &operator[](std::uint64_t row) { return m_blocks[(row - m_first) / perBlock][(row - m_first) % perBlock]; }
    const Row &operator[](std::uint64_t row) const
    {
        return m_blocks[(row - m_first) / perBlock][(row - m_first) % perBlock];
    }
    Row &last() { return m_next[-1]; }
    bool isFull() const { return m_left == 0; }  // the next row begins a block
    void add(const Row &row)
    {
        if (m_left == 0) {
            if (m_spare.empty()) m_spare.emplace_back(new Row[perBlock]);
            m_blocks.push_back(std::move(m_spare.back()));
            m_spare.pop_back();
            m_next = m_blocks.back().get();
            m_left = perBlock;
        }
        *m_next++ = row;
        --m_left;
    }
    bool canDrop() const { return m_blocks.size() > 1; }
    std::uint64_t lastOfOldest() const { return m_first + perBlock - 1; }  // if it can be dropped
    void drop()
    {
        if (m_spare.empty()) m_spare.push_back(std::move(m_blocks.front()));
        m_blocks.pop_front();
        m_first += perBlock;
    }
    void clear()
    {
        m_first = end();
        for (std::unique_ptr<Row[]> &block : m_blocks) m_spare.push_back(std::move(block));
        m_blocks.clear();
        m_left = 0;
    }
    void forgetSpare()
    {
        if (m_spare.size() > 1) m_spare.resize(1);
    }
    std::size_t bytes() const { return (m_blocks.size() + m_spare.size()) * perBlock * sizeof(Row); }
    // The row whose number ends with these 32 bits; of those that are kept there is at most one.
    std::uint64_t whole(std::uint32_t number) const
    {
        return m_first + static_cast<std::uint32_t>(number - static_cast<std::uint32_t>(m_first));
    }

private:
    std::deque<std::unique_ptr<Row[]>> m_blocks;
    std::vector<std::unique_ptr<Row[]>>
        m_spare;  // memory that the system has given already: new pages cost more than rows
    std::uint64_t m_first = 0;
    Row *m_next = nullptr;
    std::size_t m_left = 0;  // of the last block
};

// What a task was started by, or also waited for: a message, by its creating PE and the number it has there.
struct MessageKey {
    std::int32_t pe;
    std::uint32_t event;
};
const std::uint32_t blockEvent = 0xffffffffu;  // of a Structured Dagger block, which goes on where the one before ended

class ActivityLog {
public:
    using Time = std::int64_t;  // nanoseconds

    // Drops what is oldest when it needs more than this; paths then start where the log does. `identity`: another one
    // for each log that there ever was, by which it knows merges that are its own.
    explicit ActivityLog(std::size_t mostBytes, std::uint64_t identity = 0)
        : m_mostBytes(mostBytes), m_identity(identity)
    {
    }

    // In the order in which they happen. Executions inside of a task belong to it and have its time for their own.
    void begin(Time now, std::uint16_t entry, MessageKey message);
    void end(Time now);
    void idle() { m_hasIdled = true; }
    // A message for an entry method is made; returns its number if it has none, which `event` says. Numbers of others
    // ascend. `isArrayBroadcast`: other entry methods are run by it on its way.
    std::uint32_t send(Time now, std::uint16_t entry, bool isArrayBroadcast);
    void send(Time now, std::uint16_t entry, bool isArrayBroadcast, std::uint32_t event);

    // The path of the task that runs is that of the longest of what arrived at one merge (Dooley, Arya, Kale 2010,
    // section 5.1): this task, and what arrived there before. Returns what the next one hands in as `before`; of the
    // first that arrives, and outside of tasks, it is noMerge. Each is one more dependency of the task, on the message
    // that had started the task before it. What arrived in another PE's log (that of a node group, or of an object that
    // moved with its bytes) is not known here: then the task is the first again.
    struct Merge {
        std::uint64_t log;  // its identity
        std::uint64_t row;
        std::uint64_t task;
    };
    static const std::uint64_t noMerge = static_cast<std::uint64_t>(-1);
    Merge merge(Merge before);

    void forget();  // all but a task that runs, of which only what comes is kept

    // Nothing is dropped as long as somebody reads.
    void hold() { ++m_readers; }
    void release() { --m_readers; }

    // A number that no message of a task has is not found, nor one that is not kept.
    bool findSend(std::uint32_t event, std::uint64_t &send) const;

    std::uint64_t firstTask() const { return m_tasks.first(); }
    std::uint64_t endOfTasks() const { return m_tasks.end(); }
    std::uint64_t endOfSends() const { return m_sends.end(); }
    bool isDropped() const { return m_isDropped; }
    bool isRunning() const { return m_depth > 0; }
    std::size_t bytes() const;

    Time beginOf(std::uint64_t task) const;
    Time durationOf(std::uint64_t task, Time now) const;  // of the task that runs: so far
    std::uint16_t entryOf(std::uint64_t task) const { return m_tasks[task].entry; }
    MessageKey messageOf(std::uint64_t task) const { return MessageKey{m_tasks[task].pe, m_tasks[task].event}; }

    struct Send {
        std::uint64_t task;  // that sent it, or that had ended just before; noTask: nothing is known to lead to it
        Time offset;         // after the task's begin
        std::uint16_t entry;
        bool isArrayBroadcast;
    };
    static const std::uint64_t noTask = static_cast<std::uint64_t>(-1);
    Send sendAt(std::uint64_t send) const;

    // What tasks also waited for: rows in the order of tasks, each with what an earlier row waited for, too.
    struct MergeRow {
        std::uint64_t task;
        MessageKey key;        // blockEvent: none
        std::uint64_t before;  // the earlier row; it need not be kept
        bool isLast;           // none came after it
    };
    std::uint64_t firstMergeOf(std::uint64_t task) const;  // or of the next task that has one
    std::uint64_t endOfMerges() const { return m_merges.end(); }
    const MergeRow &mergeAt(std::uint64_t row) const { return m_merges[row]; }
    // For all merges, the keys of the task that arrived last and of those that had arrived before.
    struct MergeKeys {
        MessageKey task, source;
    };
    std::vector<MergeKeys> allMerges() const;

    // Calls `piece(entry, time)` for what lies until `offset` after the task's begin; time is the innermost
    // execution's.
    template <typename Piece>
    void piecesOf(std::uint64_t task, Time offset, Piece piece) const;

private:
    struct TaskRow {
        std::uint32_t beginLow;
        std::uint16_t beginHigh;  // what is above these 48 bits, three days, is in m_eras
        std::uint16_t entry;
        std::uint32_t duration;  // isLong: the time is in m_long
        std::int32_t pe;
        std::uint32_t event;
    };
    struct SendRow {
        std::uint32_t task;
        std::uint32_t offset;
        std::uint16_t entry;
        std::uint16_t kind;
    };
    struct InnerRow {  // an execution inside of a task
        std::uint32_t task;
        std::uint16_t entry;
        Time begin, end;  // after the task's begin
    };
    struct Era {  // tasks whose begins differ in their lower 48 bits only
        std::uint64_t firstTask;
        Time begin;
    };
    static_assert(sizeof(TaskRow) == 20 && sizeof(SendRow) == 12, "32 bytes a task with one message");
    enum : std::uint32_t { isLong = 0xffffffffu };
    enum : std::uint16_t { ArrayBroadcast = 1, FromNothing = 2 };

    std::uint32_t packed(Time time, std::unordered_map<std::uint64_t, Time> &longOnes, std::uint64_t row);
    void addSend(Time now, std::uint16_t entry, bool isArrayBroadcast);
    // Before a row is added.
    template <typename Row>
    void makeRoomIn(const Blocks<Row> &rows)
    {
        if (rows.isFull() && m_readers == 0 && bytes() > m_mostBytes) dropOldest();
    }
    void dropOldest();
    bool dropOldestBlock();
    void dropTasks();
    void dropSends();
    std::uint64_t ageOf(std::uint32_t task) const;
    std::uint64_t earlierMerge(std::uint64_t row) const;
    std::uint64_t firstInner(std::uint64_t task) const;

    std::size_t m_mostBytes;
    std::uint64_t m_identity;
    Blocks<TaskRow> m_tasks;
    std::vector<Era> m_eras;
    Blocks<SendRow> m_sends;
    Blocks<std::uint32_t> m_events;  // of messages whose numbers are not ours; then there are as many as messages
    Blocks<InnerRow> m_inner;
    Blocks<MergeRow> m_merges;
    std::unordered_map<std::uint64_t, Time> m_longTasks, m_longOffsets;  // of more than four seconds
    std::vector<std::uint64_t> m_openInner;
    Time m_begin = 0;  // of the last task
    int m_depth = 0;
    int m_readers = 0;
    bool m_hasTask = false;  // since the log was made or forgotten
    bool m_hasIdled = true;
    bool m_isDropped = false;
};

template <typename Piece>
void ActivityLog::piecesOf(std::uint64_t task, Time offset, Piece piece) const
{
    // Each execution has its time without that of those inside of it. Rows are in order of their begin; those that are
    // open are kept with their ends.
    struct Open {
        std::uint16_t entry;
        Time end;
    };
    std::vector<Open> open(1, Open{entryOf(task), offset});
    Time at = 0;
    const auto upTo = [&](Time time) {
        if (time > offset) time = offset;
        if (time > at) piece(open.back().entry, time - at);
        if (time > at) at = time;
    };
    const std::uint32_t number = static_cast<std::uint32_t>(task);
    for (std::uint64_t i = firstInner(task); i < m_inner.end() && m_inner[i].task == number; ++i) {
        const InnerRow &row = m_inner[i];
        while (open.size() > 1 && open.back().end <= row.begin) {
            upTo(open.back().end);
            open.pop_back();
        }
        upTo(row.begin);
        open.push_back(Open{row.entry, row.end});
    }
    while (!open.empty()) {
        upTo(open.back().end);
        open.pop_back();
    }
}

}  // namespace longpole_module

#endif
