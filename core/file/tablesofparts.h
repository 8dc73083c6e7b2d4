// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that only a file with the events of parts of the run has: where these are, and what was computed of the
// whole run.
#pragma once

#include "core/file/tablespec.h"

namespace longpole {

constexpr TableSpec tablesOfParts[] = {
    {"kept", R"(CREATE TABLE kept( -- where the trace has events: all that touch this time
  pe INTEGER NOT NULL REFERENCES processor(pe),
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL
))",
     true},
    {"result", R"(CREATE TABLE result( -- what was computed of the whole run, in one row; -1: none
  path_length_ns INTEGER NOT NULL,  -- of the work path with the ranks' order
  path_pe INTEGER NOT NULL,         -- of the task it ends at
  path_task INTEGER NOT NULL,
  slack_tasks INTEGER NOT NULL,     -- of the run
  slack_without INTEGER NOT NULL,   -- of these, without slack
  efficiency_begin_ns INTEGER NOT NULL,
  efficiency_end_ns INTEGER NOT NULL,
  ideal_ns INTEGER NOT NULL,        -- T_ideal
  left_out_ns INTEGER NOT NULL,     -- start-up and shut-down
  left_out_busy_ns INTEGER NOT NULL,
  threads INTEGER NOT NULL,         -- others than the ranks' own
  threads_in_regions_ns INTEGER NOT NULL,
  threads_in_mpi_ns INTEGER NOT NULL,
  threads_waited_ns INTEGER NOT NULL,
  wait_ns INTEGER NOT NULL,         -- of all waits
  wait_of_ns INTEGER NOT NULL,      -- of so much time
  wait_threads INTEGER NOT NULL,
  one_sided_ns INTEGER NOT NULL,    -- in calls that are not judged
  files_ns INTEGER NOT NULL,
  idle_in_states_ns INTEGER NOT NULL,
  idle_before_last_ns INTEGER NOT NULL,
  idle_after_first_ns INTEGER NOT NULL,
  idle_elsewhere_ns INTEGER NOT NULL,
  elapsed_pe INTEGER NOT NULL,      -- of the task that the elapsed path ends at
  elapsed_task INTEGER NOT NULL
))",
     true},
    {"result_path_step", R"(CREATE TABLE result_path_step( -- of the work path, oldest first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,      -- row on that PE
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  edge INTEGER NOT NULL,      -- by which it came: 0 start, 1 order, 2 message, 3 recorded merge, 4 inferred merge
  doubtful INTEGER NOT NULL,
  call_path INTEGER NOT NULL  -- where the task ran
))",
     true},
    {"result_path_profile", R"(CREATE TABLE result_path_profile( -- by entry, most time first
  entry INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_zeroing", R"(CREATE TABLE result_zeroing( -- what the path gains if an entry costs nothing
  entry INTEGER NOT NULL,
  share_ns INTEGER NOT NULL,      -- its time on the path
  net_ns INTEGER NOT NULL,        -- length afterwards
  gain_ns INTEGER NOT NULL,
  next_critical INTEGER NOT NULL  -- entry with most time on that path
))",
     true},
    {"result_zeroing_profile", R"(CREATE TABLE result_zeroing_profile( -- of the path afterwards
  zeroed INTEGER NOT NULL,  -- the entry that costs nothing
  entry INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_slack", R"(CREATE TABLE result_slack( -- tasks with least slack, least first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  slack_ns INTEGER NOT NULL
))",
     true},
    {"result_wait", R"(CREATE TABLE result_wait( -- wait states, by time
  kind INTEGER NOT NULL,  -- 0 late sender, 1 late receiver, 2 wrong order from one source, 3 from several, 4 wait at
                          -- barrier, 5 barrier completion, 6 wait at N to N, 7 its completion, 8 early reduce, 9 late
                          -- broadcast, 10 early scan, 11 barrier of threads, 12 device synchronization, 13 wait at
                          -- fence, 14 late post, 15 early wait, 16 late complete, 17 lock competition
  waits INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  on_ranks_ns INTEGER NOT NULL  -- of that, on the ranks' own threads
))",
     true},
    {"result_wait_of_rank", R"(CREATE TABLE result_wait_of_rank( -- likewise, of ranks that waited
  kind INTEGER NOT NULL,
  pe INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_worst_wait", R"(CREATE TABLE result_worst_wait( -- of each wait state, longest first
  kind INTEGER NOT NULL,
  pe INTEGER NOT NULL,
  seq INTEGER NOT NULL,      -- the call that waited
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  region INTEGER NOT NULL,   -- that call's name
  call_path INTEGER NOT NULL,
  culprit INTEGER NOT NULL,  -- rank that was waited for
  culprit_seq INTEGER NOT NULL,
  entry INTEGER NOT NULL,    -- what that rank ran meanwhile
  task_pe INTEGER NOT NULL,
  task INTEGER NOT NULL,
  ran_ns INTEGER NOT NULL,
  waited_ns INTEGER NOT NULL,
  within_ns INTEGER NOT NULL,
  track INTEGER NOT NULL,    -- of the thread that waited
  culprit_track INTEGER NOT NULL,
  culprit_call_path INTEGER NOT NULL  -- the function in which that rank was; 0: not known
))",
     true},
    {"result_useful", R"(CREATE TABLE result_useful( -- time of a rank outside of MPI, without start-up and shut-down
  pe INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  counted INTEGER NOT NULL  -- whether averages count it
))",
     true},
    {"result_elapsed_step", R"(CREATE TABLE result_elapsed_step( -- of the elapsed path, oldest first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,      -- row on that PE; of what is between two tasks: of the one behind it
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  part INTEGER NOT NULL,      -- 0 compute, 1 network, 2 queue, 3 overhead, 4 unexplained, 5 startup
  edge INTEGER NOT NULL,      -- as in result_path_step
  doubtful INTEGER NOT NULL,
  call_path INTEGER NOT NULL  -- where the task ran
))",
     true},
    {"result_elapsed_profile", R"(CREATE TABLE result_elapsed_profile( -- its computation by entry, most time first
  entry INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_cause",
     R"(CREATE TABLE result_cause( -- code that others waited for: of all ranks, then of each, largest first
  entry INTEGER NOT NULL,          -- number of an entry or region
  rank INTEGER NOT NULL,           -- that others waited for; -1: all together
  direct_ns INTEGER NOT NULL,      -- of ranks that waited for this code
  propagated_ns INTEGER NOT NULL,  -- of ranks that waited for ranks that waited themselves
  call_path INTEGER NOT NULL       -- where most of it was; 0: not known
))",
     true},
    {"result_near_path", R"(CREATE TABLE result_near_path( -- the next longest paths that share little with those before
  path INTEGER NOT NULL,         -- from 2: the first is the work path
  is_listed INTEGER NOT NULL,    -- 0: it is only the longest other one, and too much shorter or too much alike
  slack_ns INTEGER NOT NULL,     -- by how much it is shorter than the work path
  distinct_ns INTEGER NOT NULL,  -- of it, on tasks of no path before
  steps INTEGER NOT NULL
))",
     true},
    {"result_near_step", R"(CREATE TABLE result_near_step( -- of these paths, one after the other, each oldest first
  path INTEGER NOT NULL,
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,      -- row on that PE
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  edge INTEGER NOT NULL,      -- as in result_path_step
  doubtful INTEGER NOT NULL,
  call_path INTEGER NOT NULL  -- where the task ran
))",
     true},
    {"result_loop", R"(CREATE TABLE result_loop( -- the program's outermost loop, one row; none if it is not known
  call_path INTEGER NOT NULL,    -- from where ranks call MPI once in each iteration
  call INTEGER NOT NULL,         -- region of that call
  iterations INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,     -- of the loop
  end_ns INTEGER NOT NULL,
  is_mark_last INTEGER NOT NULL  -- 1: that call ends iterations, 0: it begins them
))",
     true},
    {"result_loop_mark", R"(CREATE TABLE result_loop_mark( -- when the first rank makes that call, by iteration
  begin_ns INTEGER NOT NULL
))",
     true},
    {"result_advice", R"(CREATE TABLE result_advice( -- what advice follows from, one row; none: it was not asked for
  stages INTEGER NOT NULL,             -- equal parts of the run
  has_tasks INTEGER NOT NULL,
  window_begin_ns INTEGER NOT NULL,    -- the period that lost most
  window_end_ns INTEGER NOT NULL,
  start_stop_ns INTEGER NOT NULL,      -- overhead in the periods that is start-up and shut-down
  busiest_pe INTEGER NOT NULL,         -- that may hold the others up; -1: none
  beside_idle_ns INTEGER NOT NULL,     -- idle time of the others while it was busy
  uneven INTEGER NOT NULL,             -- 1: interruptions were looked for, as work is spread unevenly
  interrupted_tasks INTEGER NOT NULL,
  interrupted_ns INTEGER NOT NULL,     -- what these lost
  task_ns INTEGER NOT NULL             -- of all tasks
))",
     true},
    {"result_advice_place", R"(CREATE TABLE result_advice_place( -- where each piece of advice is about, in its order
  call_path INTEGER NOT NULL  -- 0: not known
))",
     true},
    {"result_advice_period", R"(CREATE TABLE result_advice_period( -- the periods that advice is about
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL
))",
     true},
    {"result_stage_use", R"(CREATE TABLE result_stage_use( -- of each rank in each stage, where it did something
  pe INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  user_ns INTEGER NOT NULL,
  idle_ns INTEGER NOT NULL
))",
     true},
    {"result_stage_idle", R"(CREATE TABLE result_stage_idle( -- idle time of all ranks in a stage by what it waited for
  stage INTEGER NOT NULL,
  cause INTEGER NOT NULL,    -- 0 end, 1 synchronization, 2 latency, 3 scheduling, 4 imbalance, 5 parallelism
  time_ns INTEGER NOT NULL,
  none_ns INTEGER NOT NULL,  -- of synchronization: while no other rank worked
  one_ns INTEGER NOT NULL,   -- one
  more_ns INTEGER NOT NULL   -- several
))",
     true},
    {"result_idle_code", R"(CREATE TABLE result_idle_code( -- idle time of all ranks by code
  entry INTEGER NOT NULL,     -- -1: none
  cause INTEGER NOT NULL,     -- as in result_stage_idle
  ended_ns INTEGER NOT NULL,  -- until this code began
  sent_ns INTEGER NOT NULL    -- until the message of this code
))",
     true},
    {"result_idle_example", R"(CREATE TABLE result_idle_example( -- the longest idle intervals of each cause
  cause INTEGER NOT NULL,       -- as in result_stage_idle
  pe INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  task INTEGER NOT NULL,        -- of that PE, that ended it; -1: none did
  entry INTEGER NOT NULL,
  source_pe INTEGER NOT NULL,   -- of the task that sent its message; -1: not known
  source_task INTEGER NOT NULL,
  source_entry INTEGER NOT NULL
))",
     true},
    {"result_interruption", R"(CREATE TABLE result_interruption( -- tasks that were interrupted, most lost first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  lost_ns INTEGER NOT NULL
))",
     true},
    {"result_call_time", R"(CREATE TABLE result_call_time( -- MPI calls of all ranks in the period that lost most
  call INTEGER NOT NULL,  -- region
  calls INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  wait_before_ns INTEGER NOT NULL,
  execution_ns INTEGER NOT NULL,
  wait_after_ns INTEGER NOT NULL,
  bytes INTEGER NOT NULL
))",
     true},
    {"result_busiest_load", R"(CREATE TABLE result_busiest_load( -- what the busiest rank did in the periods
  entry INTEGER NOT NULL,  -- with most of it
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_beside_busy", R"(CREATE TABLE result_beside_busy( -- and beyond what the others did
  entry INTEGER NOT NULL,
  more_ns INTEGER NOT NULL  -- its time, times the number of the others, less their time
))",
     true},
    {"result_merged_step",
     R"(CREATE TABLE result_merged_step( -- Charm++: the work path with inferred merges, oldest first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,      -- row on that PE
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  edge INTEGER NOT NULL,      -- as in result_path_step
  doubtful INTEGER NOT NULL,
  call_path INTEGER NOT NULL  -- 0
))",
     true},
    {"result_merged_profile", R"(CREATE TABLE result_merged_profile( -- its entries, most time first
  entry INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_phase_round", R"(CREATE TABLE result_phase_round( -- Charm++: iterations as objects go through them
  phase INTEGER NOT NULL,  -- of those that repeat along that path, from 1
  mark INTEGER NOT NULL,   -- entry method that begins them
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL
))",
     true},
    {"result_region_call", R"(CREATE TABLE result_region_call( -- of ranks: calls of functions and of MPI
  region INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,  -- inside, with what they call
  held_ns INTEGER NOT NULL,  -- of that, where the rank waited for its threads or devices
  is_mpi INTEGER NOT NULL
))",
     true},
    {"result_outside_tasks", R"(CREATE TABLE result_outside_tasks( -- messages that were created outside of tasks
  pe INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  bytes INTEGER NOT NULL
))",
     true},
};

}  // namespace longpole
