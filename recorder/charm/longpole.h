// SPDX-License-Identifier: GPL-3.0-or-later
// What a Charm++ program can ask of the module: its critical path while it runs, merges of paths (with the macros of
// Dooley, Arya and Kale 2010, section 5.1), iterations for the automatic priorities. Programs need none of it. Include
// it after charm++.h. A program that includes it keeps its tasks and messages in memory from the start (some 100 ns and
// 32 bytes a task).
#ifndef LONGPOLE_H
#define LONGPOLE_H

#include "charm++.h"
#include "longpole.decl.h"

#include <cstdint>
#include <map>

// One task of the path, oldest first, and how long the path stays in it.
struct LongpoleStep {
    std::int32_t pe;
    std::int32_t entry;   // entry method, as Charm++ numbers them
    std::int64_t begin;   // nanoseconds of its process's clock
    std::int64_t weight;  // nanoseconds
};
// What an entry method has of the path, most first. Time of executions inside of others is theirs.
struct LongpoleShare {
    std::int32_t entry;
    std::int32_t steps;
    std::int64_t time;    // nanoseconds
    std::int64_t waited;  // nanoseconds from the sending of messages on the path to the begin of what they started
    std::int64_t busy;    // nanoseconds on all PEs
    std::int64_t tasks;   // on all PEs
};
// Length -1: there is none, as this Charm++ is built without tracing (--enable-tracing), or PEs did not answer.
class LongpolePath : public CMessage_LongpolePath {
public:
    std::int64_t length;    // nanoseconds
    std::int64_t duration;  // nanoseconds from the first task's begin on
    std::int32_t stepCount;
    std::int32_t shareCount;
    LongpoleStep *steps;
    LongpoleShare *shares;
};

// Finds the longest path of messages and recorded merges that ends by now, and sends it as a LongpolePath, which the
// receiver deletes. Tasks that begin later are left out. Any PE may ask, and several at once.
void longpolePath(const CkCallback &callback);
// Forgets what was recorded so far, on all PEs: of each iteration a path of its own (section 4.2). Messages that are
// under way have no known sender then.
void longpolePathReset();
// At the end of the run PEs that have nothing on the path discard their Projections logs (section 7.2). Call it on any
// PE; +longpole-keep-critical does the same.
void longpoleKeepCritical();
// An iteration of the program has ended: call it in one place on one PE. Automatic priorities then compare times of
// iterations.
void longpoleIteration();

namespace longpole_module {

extern bool isPathUsed;
struct PathIsUsed {
    PathIsUsed() { isPathUsed = true; }
};
static const PathIsUsed pathIsUsed;

// What arrived at one merge since it was reset, on the PE where it did last: on another one it begins anew.
class PathMerge {
public:
    void arrive();
    void reset() { m_log = m_row = m_task = ~std::uint64_t(0); }

private:
    std::uint64_t m_log = ~std::uint64_t(0), m_row = ~std::uint64_t(0), m_task = ~std::uint64_t(0);
};

}  // namespace longpole_module

#undef MERGE_PATH_DECLARE
#undef MERGE_PATH_RESET
#undef MERGE_PATH_MAX
#undef MERGE_PATH_DECLARE_D
#undef MERGE_PATH_RESET_D
#undef MERGE_PATH_DELETE_D
#undef MERGE_PATH_DELETE_ALL_D
#undef MERGE_PATH_MAX_D
#define MERGE_PATH_DECLARE(x) longpole_module::PathMerge merge_path_##x
#define MERGE_PATH_RESET(x) merge_path_##x.reset()
#define MERGE_PATH_MAX(x) merge_path_##x.arrive()
#define MERGE_PATH_DECLARE_D(x) std::map<int, longpole_module::PathMerge> merge_path_D_##x
#define MERGE_PATH_RESET_D(x, n) merge_path_D_##x[n].reset()
#define MERGE_PATH_DELETE_D(x, n) merge_path_D_##x.erase(n)
#define MERGE_PATH_DELETE_ALL_D(x) merge_path_D_##x.clear()
#define MERGE_PATH_MAX_D(x, n) merge_path_D_##x[n].arrive()

#endif
