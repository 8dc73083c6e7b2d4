// SPDX-License-Identifier: GPL-3.0-or-later
// What was computed of a run when its trace had all events (core/trace/storedanswers.h), checked, in types that need no
// analysis.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"
#include "core/trace/storedanswers.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

// A path of the whole run: the work path at level Order, or at level Merges, or the elapsed path.
struct StoredPath {
    struct Step {
        TaskId task{};
        EntryId entry = noEntry;
        TimeNs begin = 0;
        TimeNs end = 0;
        std::uint8_t edge = 0;  // a PathEdge
        bool isDoubtful = false;
        std::uint32_t function = noCallPath;  // where the task ran
        std::uint8_t part = 0;                // a PathPart; of the work path always Compute
    };
    struct Row {
        EntryId entry = noEntry;
        std::int64_t tasks = 0;
        TimeNs time = 0;
    };
    TaskId to{};        // the task it ends at; invalid if there are no steps
    TimeNs length = 0;  // of the steps
    std::vector<Step> steps{};
    std::vector<Row> profile{};  // of the work path all of its length, of the elapsed path its computation
};
void storePath(StoredAnswers& answers, const StoredPath& path);
void storeElapsedPath(StoredAnswers& answers, const StoredPath& path);
void storeMergedPath(StoredAnswers& answers, const StoredPath& path);  // of Charm++; of ranks it is the work path
// Errors of this and what follows: as requireEvents(), if the trace has no answers; damaged.
Result<StoredPath> storedPath(const TraceStore& store);
Result<StoredPath> storedElapsedPath(const TraceStore& store);
Result<StoredPath> storedMergedPath(const TraceStore& store);

// Of a Charm++ run: the iterations of what repeats along the path at level Merges, as its objects go through them.
struct StoredRound {
    std::size_t phase = 0;   // its number, from 0
    std::uint32_t mark = 0;  // the entry method that begins iterations
    TimeRange range{};
};
void storeRounds(StoredAnswers& answers, const std::vector<StoredRound>& rounds);
// By phase and time.
Result<std::vector<StoredRound>> storedRounds(const TraceStore& store);

struct StoredSlack {
    struct Task {
        TaskId task{};
        EntryId entry = noEntry;
        TimeNs begin = 0;
        TimeNs end = 0;
        TimeNs slack = 0;
    };
    TimeNs length = 0;          // of the path
    std::int64_t tasks = 0;     // of the run
    std::int64_t without = 0;   // of these, without slack
    std::vector<Task> least{};  // least slack first; not all tasks
};
void storeSlack(StoredAnswers& answers, const StoredSlack& slack);
Result<StoredSlack> storedSlack(const TraceStore& store);

// The next longest paths that share little with those before them, behind the work path.
struct StoredNear {
    struct Path {
        bool isListed = true;  // false: it is only the longest other one
        TimeNs slack = 0;      // by how much it is shorter than the work path
        TimeNs distinct = 0;   // of it, on tasks of no path before
        std::vector<StoredPath::Step> steps{};
    };
    std::vector<Path> paths{};
};
void storeNear(StoredAnswers& answers, const StoredNear& near);
Result<StoredNear> storedNear(const TraceStore& store);

// The program's outermost loop, and when the first rank makes the call that marks each of its iterations.
struct StoredLoop {
    std::uint32_t path = noCallPath;
    std::uint32_t call = 0;  // a region
    TimeRange range{};
    bool isMarkLast = false;
    std::vector<TimeNs> marks{};
};
void storeLoop(StoredAnswers& answers, const StoredLoop& loop);
// Nothing if none was found.
Result<std::optional<StoredLoop>> storedLoop(const TraceStore& store);

// Without start-up, of ranks only.
struct StoredEfficiency {
    TimeRange range{};
    TimeNs ideal = 0;
    TimeNs leftOut = 0, leftOutBusy = 0;
    std::vector<TimeNs> useful{};  // by rank
    std::vector<bool> counted{};   // likewise: whether averages count it
};
// Nothing is stored of a run with threads besides its ranks: those who compute it here do not look at them.
void storeEfficiency(StoredAnswers& answers, const TraceStore& store, const StoredEfficiency& efficiency);
Result<StoredEfficiency> storedEfficiency(const TraceStore& store);

// The answers' one row of single figures, which others fill, too.
std::span<std::int64_t> figuresOf(StoredAnswers& answers);
// The figures of a trace that has answers. Error: as requireEvents().
Result<std::span<const std::int64_t>> storedFigures(const TraceStore& store);
// Whether the version that computed the answers had these tables: an upgraded file may lack some.
Result<> requireTables(const TraceStore& store, std::initializer_list<AnswerTable> tables);
// What a table holds that no run can have.
Error damagedAnswers(const TraceStore& store);

}  // namespace longpole
