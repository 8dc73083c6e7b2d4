// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/olderschemas.h"

#include "core/file/tablesofall.h"
#include "core/file/tablesofparts.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

namespace longpole {
namespace {

// Tables as they were before they became those of today.
constexpr TableSpec kept14 = {
    "kept", R"(CREATE TABLE kept( -- where a trace has events that has those of parts of the run only: all that touch
  -- this time; else empty
  pe INTEGER NOT NULL REFERENCES processor(pe),
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL
))",
    true};
constexpr TableSpec result14 = {
    "result", R"(CREATE TABLE result( -- what was computed of the whole run, in one row; this and the following tables
  -- are empty but in a trace that has the events of parts of the run; -1: none
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
    true};
constexpr TableSpec result11 = {
    "result", R"(CREATE TABLE result( -- what was computed of the whole run, in one row; this and the following tables
  -- are empty but in a trace that has the events of parts of the run; -1: none
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
  idle_elsewhere_ns INTEGER NOT NULL
))",
    true};
constexpr TableSpec worstWait11 = {"result_worst_wait",
                                   R"(CREATE TABLE result_worst_wait( -- of each wait state, longest first
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
  culprit_track INTEGER NOT NULL
))",
                                   true};

constexpr TableSpec chunk15 = {
    "chunk",
    R"(CREATE TABLE chunk( -- directory of the event rows; read them as tables task, message ... through the
  -- module longpole_sqlite
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  track INTEGER NOT NULL,     -- references track; 4294967295: the whole run
  level INTEGER NOT NULL,     -- of tiles and entry bins: log2 of the bin's width in ns
  first_row INTEGER NOT NULL, -- of tiles: the first bin
  rows INTEGER NOT NULL,
  first_begin_ns INTEGER NOT NULL,
  last_begin_ns INTEGER NOT NULL,
  max_end_ns INTEGER NOT NULL,
  hash INTEGER NOT NULL       -- XXH3-64 of the data
))",
    true};

bool isNamed(const TableSpec& spec, std::string_view name) { return name == spec.name; }

const TableSpec* tableOfParts(std::string_view name)
{
    return std::find_if(std::begin(tablesOfParts), std::end(tablesOfParts),
                        [name](const TableSpec& one) { return isNamed(one, name); });
}

// Those of today, of which some were others.
std::vector<TableSpec> tablesWith(std::span<const TableSpec> today, std::initializer_list<TableSpec> changed)
{
    std::vector<TableSpec> tables(today.begin(), today.end());
    for (const TableSpec& one : changed)
        std::replace_if(
            tables.begin(), tables.end(), [&one](const TableSpec& other) { return isNamed(other, one.name); }, one);
    return tables;
}

// Up to schema 14 the tables of parts stood before the directory in every file, empty where it had all events; with
// time they became more. `last`: the last of those that there were, empty for none; `changed`: those that were others.
std::vector<TableSpec> tablesUpTo14(std::string_view last, std::initializer_list<TableSpec> changed)
{
    std::vector<TableSpec> tables = tablesWith(tablesOfAll, {chunk15});
    if (!last.empty())
        tables.insert(std::find_if(tables.begin(), tables.end(),
                                   [](const TableSpec& one) { return isNamed(one, "chunk"); }),
                      std::begin(tablesOfParts), tableOfParts(last) + 1);
    return tablesWith(tables, changed);
}

// Steps to the next schema.
void keepRow(AnswerTable /*table*/, std::vector<std::int64_t>& /*row*/) {}

void addCulpritPath(AnswerTable table, std::vector<std::int64_t>& row)
{
    if (table == AnswerTable::WorstWait) row.push_back(0);  // not known
}

void addElapsedEnd(AnswerTable table, std::vector<std::int64_t>& row)
{
    if (table == AnswerTable::Run) row.insert(row.end(), {-1, -1});  // none
}

}  // namespace

const std::vector<OlderSchema>& olderSchemas()
{
    static const std::vector<OlderSchema> all{
        {10, tablesUpTo14({}, {}), keepRow},
        {11, tablesUpTo14("result_useful", {kept14, result11, worstWait11}), addCulpritPath},
        {12, tablesUpTo14("result_useful", {kept14, result11}), addElapsedEnd},
        {12, tablesUpTo14("result_cause", {kept14, result14}), keepRow},
        {13, tablesUpTo14("result_near_step", {kept14, result14}), keepRow},
        {14, tablesUpTo14("result_loop_mark", {kept14, result14}), keepRow},
        {14, tablesUpTo14("result_beside_busy", {kept14, result14}), keepRow},
        {15, tablesWith(tables(HasEvents::All), {chunk15}), keepRow},
        {15, tablesWith(tables(HasEvents::OfParts), {chunk15}), keepRow},
    };
    return all;
}

void OlderSchema::bringToday(AnswerTable table, std::vector<std::int64_t>& row) const
{
    const std::vector<OlderSchema>& all = olderSchemas();
    for (auto at = all.begin() + (this - all.data()); at != all.end(); ++at) at->step(table, row);
}

bool OlderSchema::has(std::string_view table) const
{
    return std::any_of(tables.begin(), tables.end(), [table](const TableSpec& one) { return isNamed(one, table); });
}

}  // namespace longpole
