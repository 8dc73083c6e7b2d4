// SPDX-License-Identifier: GPL-3.0-or-later
// What a stranger's file may ask for, as functions of its size: one table, which docs/security.md repeats and a test
// compares. A small file cannot make much of itself.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <cstdint>
#include <span>

namespace longpole {

struct Limit {
    const char* what;    // is counted, as the table says it
    std::int64_t free;   // so many in any case
    std::int64_t per;    // and so many for each
    const char* each;    // of these; empty: for nothing
    const char* beyond;  // what happens to more

    // The most that an input of that size may have.
    constexpr std::int64_t of(std::int64_t size) const { return shared(size, 1); }
    // Where `inputs` of one run share what is free.
    constexpr std::int64_t shared(std::int64_t size, std::size_t inputs) const
    {
        const auto sharers = static_cast<std::int64_t>(inputs > 1 ? inputs : 1);
        return free / sharers + per * (size < maxSize ? size : maxSize);
    }
    static constexpr std::int64_t maxSize = std::int64_t{1} << 50;
};

namespace limits {
inline constexpr Limit cpuTime{"seconds of CPU time that a command takes", 60, 20, "MB of its input",
                               "the command ends with an error"};
inline constexpr Limit storeRows{"rows of a .longpole file", 1 << 19, 4, "byte of the file", "refused"};
inline constexpr Limit storeTiles{"tiles of a .longpole file beyond 2048 of a row of the timeline", 1 << 20, 1,
                                  "4 bytes of the file", "refused"};
inline constexpr Limit storeIds{"number of a PE or rank, never beyond 1048575", 65536, 64, "PE or rank", "refused"};
inline constexpr Limit storeIssues{"kinds of issues, and of records, of a .longpole file", 4096, 0, "", "refused"};
inline constexpr Limit nameLength{"characters of a name", 1024, 0, "",
                                  "the rest is left out; refused in a .longpole file"};
inline constexpr Limit trackDepth{"rows of the timeline in each other", 64, 0, "", "refused"};
inline constexpr Limit sqlSteps{"steps of SQLite to open a file", 10'000'000, 64, "byte of the file", "refused"};
inline constexpr Limit sqlMemory{"bytes that SQL queries sort and group in", 1 << 30, 0, "", "the query ends"};
inline constexpr Limit sqlRows{"rows of an answer to SQL in the window", 100'000, 0, "", "the rest is left out"};
inline constexpr Limit sqlAnswer{"bytes of an answer to SQL in the window", 64 << 20, 0, "", "the rest is left out"};
inline constexpr Limit inflated{"bytes that a gzip file expands to", 1 << 20, 100, "byte of the file", "refused"};
inline constexpr Limit projectionsProcessors{"PEs of a Projections run", 16384, 64, "log",
                                             "the logs decide; those beyond are left out and counted"};
inline constexpr Limit recordingRanks{"ranks of a recording", 4096, 16, "rank's file", "refused"};
inline constexpr Limit recordingRecords{"bytes of records in a rank's file", 1 << 20, 48, "byte of the file",
                                        "refused"};
inline constexpr Limit recordedRun{"bytes of records of a recording", 16 << 20, 48, "byte of the files", "refused"};
inline constexpr Limit recordingWalk{"bytes that finding a rank's frames reads", 64 << 20, 16, "byte of the file",
                                     "the rest is left out and counted"};
inline constexpr Limit recordingMembers{"members of a recording's communicators", 1 << 20, 4, "byte of the files",
                                        "refused"};
inline constexpr Limit windowLocks{"locks of all ranks of a window, each with each target", 1 << 20, 4,
                                   "lock of the window", "what these waited for is not looked for"};
inline constexpr Limit neighbours{"sources of a run's neighbourhood calls", 1 << 20, 64, "call of the run",
                                  "what these waited for is not looked for"};
inline constexpr Limit memberPairs{"pairs of members of a run's collective calls that depend on each other", 1 << 20,
                                   32, "call of the run", "the last to arrive stands for all"};
inline constexpr Limit recordingNumbers{"numbers of a rank's communicators, functions or stacks", 4096, 1,
                                        "byte of the file", "stay without a name"};
inline constexpr Limit recordingFiles{"programs and libraries that are read for a recording", 1024, 0, "",
                                      "their code stays without names"};
inline constexpr Limit callPathDepth{"functions of a call stack", 1024, 0, "",
                                     "those further out are left out; refused in a .longpole file"};
inline constexpr Limit callPathNames{"characters of a recording's call paths, each 64 longer than it is", 1 << 23, 64,
                                     "byte of the files", "the inner functions are left out"};
inline constexpr Limit contextSteps{
    "steps between calling contexts of an OTF2 location; all locations share the first number", 1 << 16, 256, "sample",
    "the rest is left out and counted"};
inline constexpr Limit otf2Properties{"properties of an OTF2 archive", 256, 0, "", "refused"};
inline constexpr Limit otf2Anchor{"bytes of an OTF2 archive's anchor file", 1 << 15, 0, "", "refused"};
inline constexpr Limit otf2Ranks{"ranks of an OTF2 archive", 4096, 1, "location", "refused"};
inline constexpr Limit otf2Members{"members of an OTF2 archive's communicators", 1 << 20, 16, "byte of the files",
                                   "refused"};
inline constexpr Limit mpiNames{"characters of the names of an MPI run, each 64 longer than it is", 1 << 22, 64,
                                "byte of the files", "refused"};
inline constexpr Limit commandLine{"characters of an OTF2 archive's command line", 1 << 21, 0, "",
                                   "the rest is left out"};
inline constexpr Limit tableRanks{"ranks of a table of calls", 4096, 1, "line", "refused"};
inline constexpr Limit summaryCells{"cells of a summary's detail; all summaries of a run share the first number",
                                    1 << 18, 16, "byte of the file", "the rest is left out and counted"};
inline constexpr Limit summaryIntervals{"intervals of a summary; all of a run share the first number", 1 << 16, 64,
                                        "byte of the file", "the rest is left out and counted"};
inline constexpr Limit summaryEntries{"entry methods that ran in a summary; all of a run share the first number", 256,
                                      1, "byte of the file", "the rest is left out and counted"};
inline constexpr Limit textBytes{"bytes of texts of a PE or rank", 16 << 20, 0, "", "left out and counted"};
inline constexpr Limit textShare{
    "bytes of texts of a PE, each 64 longer than it is; all of a run share the first number", 1 << 16, 64,
    "byte of its log", "left out and counted"};
inline constexpr Limit mergesInto{"tasks that the recorded merges of a run lead into", 1 << 20, 4, "recorded merge",
                                  "the rest is left out and counted"};
inline constexpr Limit recordedMerges{"merges in a .merges file, each once", 1 << 20, 1, "byte of the file", "refused"};
inline constexpr Limit waitCauses{"causes that a run's waits are divided among", 1 << 25, 512, "wait",
                                  "the rest of the waits has no cause"};
inline constexpr Limit fileWaitCauses{"causes that the waits of a .longpole file are divided among", 1 << 25, 64,
                                      "byte of the file", "the rest of the waits has no cause"};
inline constexpr Limit joinMembers{"tasks that a replay looks at for what several tasks brought about together",
                                   1 << 20, 16, "task", "leaves with the task that sent it"};
inline constexpr Limit sharedNames{"shared variables of a run", 1024, 0, "", "the rest is left out and counted"};
inline constexpr Limit sharedVariables{"shared variables of a run, each on each PE", 1 << 22, 0, "",
                                       "the rest is left out and counted"};
inline constexpr Limit monotonicVariables{"monotonic shared variables whose work is looked at", 64, 0, "",
                                          "those with the fewest updates are not"};
inline constexpr Limit foldedParts{"times that a PE's executions, idle and overhead go on in a folded iteration", 1024,
                                   64, "iteration", "refused"};
inline constexpr Limit foldedRows{"rows of a folded trace, never beyond 200000", 16384, 1, "64 bytes of the file",
                                  "refused"};
inline constexpr Limit collectivePairs{"pairs that collective calls lead between", 1 << 22, 1, "byte of the file",
                                       "collective calls are left out"};
inline constexpr Limit stageCells{"bytes of cells of stages x PEs", 1 << 27, 32, "byte of the file", "refused"};
inline constexpr Limit exposingSteps{"steps of the ways to tasks that expose parallelism", 1 << 22, 16,
                                     "task of the run", "refused"};
inline constexpr Limit collectiveParts{"parts that what ranks send in collective calls is divided into", 1 << 28, 512,
                                       "byte of the file", "collective calls are left out"};
inline constexpr Limit carriedNumbers{"numbers that messages carry at once where the path is found while they pass",
                                      1 << 25, 8, "task of the run", "refused"};
inline constexpr Limit zeroedEntries{"entry methods of a path that are zeroed, one at a time", 1024, 0, "",
                                     "those with the least time on it are not"};
inline constexpr Limit zeroedTasks{"entry methods that are zeroed, beyond 64, each with all tasks of the run", 1 << 27,
                                   0, "", "those with the least time on the path are not"};
inline constexpr Limit zeroedSteps{"entry methods that are zeroed, beyond 64, each along the path", 1 << 21, 0, "",
                                   "those with the least time on it are not"};
inline constexpr Limit curveFactors{"factors at which a what-if's curve is looked for", 1024, 0, "",
                                    "between those the curve is straight, and said to be rough"};
inline constexpr Limit framesText{"characters of the functions around places in a table of call paths", 1 << 24, 8,
                                  "byte of the file", "the innermost function, and how many are around it"};
inline constexpr Limit callPlaces{"places of MPI calls, each on each rank; of each rank its share in any case", 1 << 18,
                                  1, "4 bytes of the file", "count without their place"};
inline constexpr Limit jsonMembers{"members of an object in JSON", 1024, 0, "", "refused"};
inline constexpr Limit jsonDepth{"lists and objects in each other in JSON", 64, 0, "", "refused"};
inline constexpr Limit bookmarks{"bookmarks of a session", 4096, 0, "", "left out"};
inline constexpr Limit symbolName{"bytes of a demangled name", 4096, 16, "byte of the name", "stays mangled"};
}  // namespace limits

std::span<const Limit> allLimits();

// An input claims more than the limit for its size: says which figure is impossible. `figure` is a sentence's subject
// with its verb: "The .sts counts 262144 PEs".
Error impossibleFigure(const QString& figure, const Limit& limit, std::int64_t size, const QString& where);

}  // namespace longpole
