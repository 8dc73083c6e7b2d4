// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the source MPI calls and the code between them are: call paths as text, and the path of any task.
#pragma once

#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>
#include <QStringList>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace longpole {

// "halo_exchange at halo.c:112, in solve at solver.c:88": the innermost functions of the path, at most `most`. Of a
// function "solve, in main at main.c:40". Empty if the path is not known.
QString pathText(const TraceStore& store, std::uint32_t path, std::size_t most = 3);
// "halo.c:112"; of a function, or without debug information, what is known.
QString placeText(const CallPath& path);
// The function with the place that calls it, "main" or "solve (main.c:40)". Empty if the path is not known.
QString frameText(const TraceStore& store, std::uint32_t path);

// The function that made the call, for a place; itself for a function.
std::uint32_t functionOf(const TraceStore& store, std::uint32_t path);

// How many places of MPI calls, each with what is called there, are told apart on all ranks (limits::callPlaces): all
// of a trace that lies in no file. Beyond that each rank has its share still. For any number of threads.
class CallPlaceBudget {
public:
    explicit CallPlaceBudget(const TraceStore& store);
    std::int64_t most() const { return m_most; }
    // Whether a rank that tells `own` apart may tell one more, which counts then.
    bool takes(std::size_t own) { return m_taken.fetch_add(1, std::memory_order_relaxed) < m_most || own < m_share; }

private:
    std::int64_t m_most;
    std::size_t m_share;  // of each rank
    std::atomic<std::int64_t> m_taken{0};
};

// Functions from the outermost on, as frameText() has them, for the cells of a table, which share it. Once these have
// had more text than `most`, a path is its innermost function and, before it, how many are around: "(99 functions)".
class FramesOfRows {
public:
    explicit FramesOfRows(const TraceStore& store);  // `most`: limits::framesText
    FramesOfRows(const TraceStore& store, std::int64_t most) : m_store(store), m_left(most) {}
    QStringList of(std::uint32_t path);

private:
    struct Frame {
        QString text;
        std::uint32_t caller = noCallPath;  // a function
        qsizetype count = 0;                // functions from the outermost up to this one
        std::int64_t characters = 0;        // of them all
    };
    const Frame* frame(std::uint32_t function);  // null: it is not known

    const TraceStore& m_store;
    std::int64_t m_left;
    std::map<std::uint32_t, Frame> m_frames;  // those that were asked for, and their callers
};
// Null without a trace.
std::shared_ptr<FramesOfRows> framesOfRows(const TraceStore* store);

// Which functions call paths have in common, in O(log depth) however deep stacks are: each node knows its caller and
// one further out (Myers, An applicative random-access stack, 1983). 12 bytes for each path.
class CommonCallers {
public:
    explicit CommonCallers(const TraceStore& store);

    // The innermost function from which both were called. Between two calls the code ran in that function or in what it
    // called; or, where both are the same place, perhaps in one that called it again. If one is not known, the other's.
    std::uint32_t functionOf(std::uint32_t path, std::uint32_t other) const;

private:
    struct Node {
        std::uint32_t depth = 0, caller = 0, further = 0;  // nodes; 0 is around all
    };
    std::uint32_t nodeOf(std::uint32_t path) const;
    std::uint32_t outward(std::uint32_t node, std::uint32_t depth) const;

    const TraceStore& m_store;
    std::vector<Node> m_nodes;  // node 0, then those of store.callPaths()
};

// The functions in which the tasks of one rank ran.
class RankPaths {
public:
    // Errors: damaged chunks. O(calls), 8 bytes for each.
    static Result<RankPaths> read(const TraceStore& store, const CommonCallers& callers, std::uint32_t rank);
    std::uint32_t ofTask(std::uint32_t task) const;  // a function, or noCallPath

private:
    std::vector<std::uint32_t> m_last;  // tasks up to this one, from the one behind that of the element before
    std::vector<std::uint32_t> m_path;  // run in this function; one more element: of those behind all calls
};

// The same for tasks of any rank, read when they are asked for; for one thread. What cannot be read is not known. In a
// trace that has parts of the events the paths that it keeps tell where their tasks ran.
class TaskPaths {
public:
    explicit TaskPaths(const TraceStore& store);
    std::uint32_t of(TaskId task);

private:
    const TraceStore& m_store;
    CommonCallers m_callers;
    std::map<ProcessorId, RankPaths> m_ranks;
    std::map<TaskId, std::uint32_t> m_told;  // functions of tasks on paths that the trace keeps
};

// For the cells of a table, which share it; null without a trace.
std::shared_ptr<TaskPaths> pathsOf(const TraceStore* store);

}  // namespace longpole
