// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/storedanswers.h"

#include <cassert>
#include <iterator>

namespace longpole {
namespace {

constexpr const char* runColumns[] = {"path_length_ns",
                                      "path_pe",
                                      "path_task",
                                      "slack_tasks",
                                      "slack_without",
                                      "efficiency_begin_ns",
                                      "efficiency_end_ns",
                                      "ideal_ns",
                                      "left_out_ns",
                                      "left_out_busy_ns",
                                      "threads",
                                      "threads_in_regions_ns",
                                      "threads_in_mpi_ns",
                                      "threads_waited_ns",
                                      "wait_ns",
                                      "wait_of_ns",
                                      "wait_threads",
                                      "one_sided_ns",
                                      "files_ns",
                                      "idle_in_states_ns",
                                      "idle_before_last_ns",
                                      "idle_after_first_ns",
                                      "idle_elsewhere_ns"};
constexpr const char* stepColumns[] = {"pe", "task", "entry", "begin_ns", "end_ns", "edge", "doubtful", "call_path"};
constexpr const char* profileColumns[] = {"entry", "tasks", "time_ns"};
constexpr const char* zeroingColumns[] = {"entry", "share_ns", "net_ns", "gain_ns", "next_critical"};
constexpr const char* zeroingProfileColumns[] = {"zeroed", "entry", "tasks", "time_ns"};
constexpr const char* slackColumns[] = {"pe", "task", "entry", "begin_ns", "end_ns", "slack_ns"};
constexpr const char* waitColumns[] = {"kind", "waits", "time_ns", "on_ranks_ns"};
constexpr const char* waitOfRankColumns[] = {"kind", "pe", "time_ns"};
constexpr const char* worstWaitColumns[] = {"kind",    "pe",           "seq",     "begin_ns",    "end_ns",
                                            "region",  "call_path",    "culprit", "culprit_seq", "entry",
                                            "task_pe", "task",         "ran_ns",  "waited_ns",   "within_ns",
                                            "track",   "culprit_track"};
constexpr const char* usefulColumns[] = {"pe", "time_ns", "counted"};

static_assert(std::size(runColumns) == RunColumn::Count);
static_assert(std::size(stepColumns) == PathStepColumn::Count);
static_assert(std::size(profileColumns) == PathProfileColumn::Count);
static_assert(std::size(zeroingColumns) == ZeroingColumn::Count);
static_assert(std::size(zeroingProfileColumns) == ZeroingProfileColumn::Count);
static_assert(std::size(slackColumns) == SlackColumn::Count);
static_assert(std::size(waitColumns) == WaitColumn::Count);
static_assert(std::size(waitOfRankColumns) == WaitOfRankColumn::Count);
static_assert(std::size(worstWaitColumns) == WorstWaitColumn::Count);
static_assert(std::size(usefulColumns) == UsefulColumn::Count);

// In the order of AnswerTable.
constexpr AnswerSpec specs[] = {
    {"result", runColumns},
    {"result_path_step", stepColumns},
    {"result_path_profile", profileColumns},
    {"result_zeroing", zeroingColumns},
    {"result_zeroing_profile", zeroingProfileColumns},
    {"result_slack", slackColumns},
    {"result_wait", waitColumns},
    {"result_wait_of_rank", waitOfRankColumns},
    {"result_worst_wait", worstWaitColumns},
    {"result_useful", usefulColumns},
};
static_assert(std::size(specs) == answerTables);

}  // namespace

const AnswerSpec& answerSpec(AnswerTable table) { return specs[static_cast<std::size_t>(table)]; }

void StoredAnswers::add(AnswerTable table, std::span<const std::int64_t> row)
{
    assert(row.size() == answerSpec(table).columns.size());
    std::vector<std::int64_t>& rows = values[static_cast<std::size_t>(table)];
    rows.insert(rows.end(), row.begin(), row.end());
}

}  // namespace longpole
