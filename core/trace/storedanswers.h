// SPDX-License-Identifier: GPL-3.0-or-later
// What was computed of a run while all its events were at hand, as tables of numbers: a trace that has the events of
// parts of the run only answers from them.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

enum class AnswerTable : std::uint8_t {
    Run,
    PathStep,
    PathProfile,
    Zeroing,
    ZeroingProfile,
    Slack,
    Wait,
    WaitOfRank,
    WorstWait,
    Useful,
    ElapsedStep,
    ElapsedProfile,
    Cause,
    NearPath,
    NearStep,
    Loop,
    LoopMark,
    Advice,
    AdvicePlace,
    AdvicePeriod,
    StageUse,
    StageIdle,
    IdleCode,
    IdleExample,
    Interruption,
    CallTime,
    BusiestLoad,
    BesideBusy,
    MergedStep,
    MergedProfile,
    PhaseRound,
    RegionCall,
    OutsideTasks,
};
constexpr std::size_t answerTables = 33;

// Columns of the tables, in the order of their values; what is not known is -1.
namespace RunColumn {
enum : std::uint8_t {
    PathLength,
    PathPe,
    PathTask,
    SlackTasks,
    SlackWithout,
    EfficiencyBegin,
    EfficiencyEnd,
    Ideal,
    LeftOut,
    LeftOutBusy,
    Threads,
    ThreadsInRegions,
    ThreadsInMpi,
    ThreadsWaited,
    WaitTotal,
    WaitTotalTime,
    WaitThreads,
    OneSided,
    Files,
    IdleInStates,
    IdleBeforeLast,
    IdleAfterFirst,
    IdleElsewhere,
    ElapsedPe,
    ElapsedTask,
    Count
};
}
namespace PathStepColumn {
enum : std::uint8_t { Pe, Task, Entry, Begin, End, Edge, Doubtful, CallPath, Count };
}
namespace PathProfileColumn {
enum : std::uint8_t { Entry, Tasks, Time, Count };
}
namespace ZeroingColumn {
enum : std::uint8_t { Entry, Share, Net, Gain, Next, Count };
}
namespace ZeroingProfileColumn {
enum : std::uint8_t { Zeroed, Entry, Tasks, Time, Count };
}
namespace SlackColumn {
enum : std::uint8_t { Pe, Task, Entry, Begin, End, Slack, Count };
}
namespace WaitColumn {
enum : std::uint8_t { Kind, Waits, Time, OnRanks, Count };
}
namespace WaitOfRankColumn {
enum : std::uint8_t { Kind, Pe, Time, Count };
}
namespace WorstWaitColumn {
enum : std::uint8_t {
    Kind,
    Pe,
    Seq,
    Begin,
    End,
    Region,
    CallPath,
    Culprit,
    CulpritSeq,
    Entry,
    TaskPe,
    Task,
    Ran,
    Waited,
    Within,
    Track,
    CulpritTrack,
    CulpritPath,
    Count
};
}
namespace UsefulColumn {
enum : std::uint8_t { Pe, Time, Counted, Count };
}
namespace ElapsedStepColumn {
enum : std::uint8_t { Pe, Task, Entry, Begin, End, Part, Edge, Doubtful, CallPath, Count };
}
namespace CauseColumn {
enum : std::uint8_t { Entry, Rank, Direct, Propagated, CallPath, Count };
}
namespace NearPathColumn {
enum : std::uint8_t { Path, Listed, Slack, Distinct, Steps, Count };
}
namespace NearStepColumn {
enum : std::uint8_t { Path, Pe, Task, Entry, Begin, End, Edge, Doubtful, CallPath, Count };
}
namespace LoopColumn {
enum : std::uint8_t { CallPath, Call, Iterations, Begin, End, IsMarkLast, Count };
}
namespace LoopMarkColumn {
enum : std::uint8_t { Begin, Count };
}

namespace AdviceColumn {
enum : std::uint8_t {
    Stages,
    HasTasks,
    WindowBegin,
    WindowEnd,
    StartAndStop,
    BusiestPe,
    BesideIdle,
    Uneven,
    Interrupted,
    InterruptedFor,
    TaskTime,
    Count
};
}
namespace AdvicePlaceColumn {
enum : std::uint8_t { CallPath, Count };
}
namespace AdvicePeriodColumn {
enum : std::uint8_t { Begin, End, Count };
}
namespace StageUseColumn {
enum : std::uint8_t { Pe, Stage, User, Idle, Count };
}
namespace StageIdleColumn {
enum : std::uint8_t { Stage, Cause, Time, NoneWorked, OneWorked, MoreWorked, Count };
}
namespace IdleCodeColumn {
enum : std::uint8_t { Entry, Cause, Ended, Sent, Count };
}
namespace IdleExampleColumn {
enum : std::uint8_t { Cause, Pe, Begin, End, Task, Entry, SourcePe, SourceTask, SourceEntry, Count };
}
namespace InterruptionColumn {
enum : std::uint8_t { Pe, Task, Entry, Begin, Duration, Lost, Count };
}
namespace CallTimeColumn {
enum : std::uint8_t { Call, Calls, Time, WaitBefore, Execution, WaitAfter, Bytes, Count };
}
namespace BusiestLoadColumn {
enum : std::uint8_t { Entry, Tasks, Time, Count };
}
namespace BesideBusyColumn {
enum : std::uint8_t { Entry, More, Count };
}
namespace PhaseRoundColumn {
enum : std::uint8_t { Phase, Mark, Begin, End, Count };
}
namespace RegionCallColumn {
enum : std::uint8_t { Region, Calls, Time, Held, IsMpi, Count };
}
namespace OutsideTasksColumn {
enum : std::uint8_t { Pe, Messages, Bytes, Count };
}

// A table in the file, whose columns stand there in the order of their enumeration above; by AnswerTable.
struct AnswerSpec {
    const char* name;
    std::size_t columns;
};
constexpr std::array<AnswerSpec, answerTables> answerSpecs{{
    {"result", RunColumn::Count},
    {"result_path_step", PathStepColumn::Count},
    {"result_path_profile", PathProfileColumn::Count},
    {"result_zeroing", ZeroingColumn::Count},
    {"result_zeroing_profile", ZeroingProfileColumn::Count},
    {"result_slack", SlackColumn::Count},
    {"result_wait", WaitColumn::Count},
    {"result_wait_of_rank", WaitOfRankColumn::Count},
    {"result_worst_wait", WorstWaitColumn::Count},
    {"result_useful", UsefulColumn::Count},
    {"result_elapsed_step", ElapsedStepColumn::Count},
    {"result_elapsed_profile", PathProfileColumn::Count},
    {"result_cause", CauseColumn::Count},
    {"result_near_path", NearPathColumn::Count},
    {"result_near_step", NearStepColumn::Count},
    {"result_loop", LoopColumn::Count},
    {"result_loop_mark", LoopMarkColumn::Count},
    {"result_advice", AdviceColumn::Count},
    {"result_advice_place", AdvicePlaceColumn::Count},
    {"result_advice_period", AdvicePeriodColumn::Count},
    {"result_stage_use", StageUseColumn::Count},
    {"result_stage_idle", StageIdleColumn::Count},
    {"result_idle_code", IdleCodeColumn::Count},
    {"result_idle_example", IdleExampleColumn::Count},
    {"result_interruption", InterruptionColumn::Count},
    {"result_call_time", CallTimeColumn::Count},
    {"result_busiest_load", BusiestLoadColumn::Count},
    {"result_beside_busy", BesideBusyColumn::Count},
    {"result_merged_step", PathStepColumn::Count},
    {"result_merged_profile", PathProfileColumn::Count},
    {"result_phase_round", PhaseRoundColumn::Count},
    {"result_region_call", RegionCallColumn::Count},
    {"result_outside_tasks", OutsideTasksColumn::Count},
}};
constexpr const AnswerSpec& answerSpec(AnswerTable table) { return answerSpecs[static_cast<std::size_t>(table)]; }

// Rows of numbers by table. Equal ones answer alike.
struct StoredAnswers {
    std::array<std::vector<std::int64_t>, answerTables> values{};  // row after row
    // Tables that the version which computed the answers did not have: their being empty says nothing.
    std::bitset<answerTables> lacking{};

    bool isThere() const { return !values[0].empty(); }
    bool lacks(AnswerTable table) const { return lacking[static_cast<std::size_t>(table)]; }
    std::size_t rows(AnswerTable table) const
    {
        return values[static_cast<std::size_t>(table)].size() / answerSpec(table).columns;
    }
    std::span<const std::int64_t> row(AnswerTable table, std::size_t number) const
    {
        const std::size_t columns = answerSpec(table).columns;
        return std::span(values[static_cast<std::size_t>(table)]).subspan(number * columns, columns);
    }
    // As many values as the table has columns.
    void add(AnswerTable table, std::span<const std::int64_t> row);

    friend bool operator==(const StoredAnswers&, const StoredAnswers&) = default;
};

}  // namespace longpole
