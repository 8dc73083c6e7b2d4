// SPDX-License-Identifier: GPL-3.0-or-later
// Changes sound stores as a fuzzer's bytes say, and makes their stamps and checksums right again.
#pragma once

#include "core/hostilestore.h"
#include "core/smalltrace.h"
#include "core/store/tracestore.h"
#include "fuzz/choices.h"

#include <QByteArray>
#include <QFile>
#include <QString>

#include <cstdint>
#include <cstdlib>

namespace longpole {

inline QByteArray cellEdit(Choices& choices)
{
    struct Cells {
        const char* table;
        const char* columns[18];
    };
    static constexpr Cells cells[] = {
        {"track", {"id", "parent", "pe", "kind"}},
        {"processor",
         {"pe", "node", "process", "track", "tasks", "messages", "busy_ns", "idle_ns", "started_ns", "stopping_ns",
          "has_log", "records"}},
        {"chare", {"id", "dimensions"}},
        {"entry", {"id", "chare_id", "kind"}},
        {"region", {"id", "number", "kind"}},
        {"text", {"id"}},
        {"profile", {"pe", "entry", "count", "time_ns", "exclusive_ns", "messages", "bytes"}},
        {"issue", {"count"}},
        {"meta", {"value"}},
        {"kept", {"pe", "begin_ns", "end_ns"}},
        {"result",
         {"path_length_ns", "slack_tasks", "slack_without", "efficiency_begin_ns", "efficiency_end_ns", "ideal_ns",
          "left_out_ns", "threads", "wait_ns", "wait_of_ns", "wait_threads", "one_sided_ns", "files_ns",
          "idle_in_states_ns", "path_pe", "path_task", "elapsed_pe", "elapsed_task"}},
        {"result_elapsed_step", {"pe", "task", "entry", "begin_ns", "end_ns", "part", "edge", "doubtful", "call_path"}},
        {"result_elapsed_profile", {"entry", "tasks", "time_ns"}},
        {"result_cause", {"entry", "rank", "direct_ns", "propagated_ns", "call_path"}},
        {"result_merged_step", {"pe", "task", "entry", "begin_ns", "end_ns", "edge", "doubtful", "call_path"}},
        {"result_merged_profile", {"entry", "tasks", "time_ns"}},
        {"result_phase_round", {"phase", "mark", "begin_ns", "end_ns"}},
        {"result_region_call", {"region", "calls", "time_ns", "held_ns", "is_mpi"}},
        {"result_outside_tasks", {"pe", "messages", "bytes"}},
        {"result_path_step", {"pe", "task", "entry", "begin_ns", "end_ns", "edge", "doubtful", "call_path"}},
        {"result_path_profile", {"entry", "tasks", "time_ns"}},
        {"result_zeroing", {"entry", "share_ns", "net_ns", "gain_ns", "next_critical"}},
        {"result_zeroing_profile", {"zeroed", "entry", "tasks", "time_ns"}},
        {"result_slack", {"pe", "task", "entry", "begin_ns", "end_ns", "slack_ns"}},
        {"result_near_path", {"path", "is_listed", "slack_ns", "distinct_ns", "steps"}},
        {"result_near_step", {"path", "pe", "task", "entry", "begin_ns", "end_ns", "edge", "doubtful", "call_path"}},
        {"result_loop", {"call_path", "call", "iterations", "begin_ns", "end_ns", "is_mark_last"}},
        {"result_loop_mark", {"begin_ns"}},
        {"result_advice",
         {"stages", "has_tasks", "window_begin_ns", "window_end_ns", "start_stop_ns", "busiest_pe", "beside_idle_ns",
          "uneven", "interrupted_tasks", "interrupted_ns", "task_ns"}},
        {"result_advice_place", {"call_path"}},
        {"result_advice_period", {"begin_ns", "end_ns"}},
        {"result_stage_use", {"pe", "stage", "user_ns", "idle_ns"}},
        {"result_stage_idle", {"stage", "cause", "time_ns", "none_ns", "one_ns", "more_ns"}},
        {"result_idle_code", {"entry", "cause", "ended_ns", "sent_ns"}},
        {"result_idle_example",
         {"cause", "pe", "begin_ns", "end_ns", "task", "entry", "source_pe", "source_task", "source_entry"}},
        {"result_interruption", {"pe", "task", "entry", "begin_ns", "duration_ns", "lost_ns"}},
        {"result_call_time", {"call", "calls", "time_ns", "wait_before_ns", "execution_ns", "wait_after_ns", "bytes"}},
        {"result_busiest_load", {"entry", "tasks", "time_ns"}},
        {"result_beside_busy", {"entry", "more_ns"}},
        {"result_wait", {"kind", "waits", "time_ns", "on_ranks_ns"}},
        {"result_wait_of_rank", {"kind", "pe", "time_ns"}},
        {"result_worst_wait",
         {"kind", "pe", "seq", "begin_ns", "end_ns", "region", "call_path", "culprit", "culprit_seq", "entry",
          "task_pe", "task", "ran_ns", "waited_ns", "within_ns", "track", "culprit_track"}},
        {"result_useful", {"pe", "time_ns", "counted"}},
        {"chunk", {"track", "level", "first_row", "rows", "first_begin_ns", "last_begin_ns", "max_end_ns", "kind"}}};
    const Cells& chosen = cells[choices.below(std::size(cells))];
    std::uint32_t columns = 0;
    while (columns < std::size(chosen.columns) && chosen.columns[columns]) ++columns;
    const QByteArray row = QByteArray::number(choices.below(24));
    const QByteArray value = QByteArray::number(qlonglong{choices.number()});
    return QByteArray("UPDATE OR IGNORE ") + chosen.table + " SET " + chosen.columns[choices.below(columns)] + " = "
           + value + " WHERE rowid = (SELECT rowid FROM " + chosen.table + " LIMIT 1 OFFSET " + row + ");";
}

// Sound answers, in a trace of parts.
inline QByteArray partEdit()
{
    return sqlOfParts()
           + "INSERT INTO kept VALUES (0, -1000000000000, 1000000000000);"
           "INSERT INTO result VALUES (7, 0, 1, 9, 1, 0, 1000, 7, 0, 0, 0, 0, 0, 0, 5, 100, 0, 0, 0, 5, 0, 0, 0, 0, 1);"
           "INSERT INTO result_path_step VALUES (1, 0, 0, 0, 3, 0, 0, 0), (0, 1, 1, 4, 8, 1, 0, 0);"
           "INSERT INTO result_path_profile VALUES (0, 1, 3), (1, 1, 4);"
           "INSERT INTO result_elapsed_step VALUES (0, 0, 0, 0, 3, 0, 0, 0, 0), (0, 1, 1, 3, 4, 2, 1, 0, 0), "
           "(0, 1, 1, 4, 8, 0, 1, 0, 0);"
           "INSERT INTO result_elapsed_profile VALUES (0, 1, 3), (1, 1, 4);"
           "INSERT INTO result_cause VALUES (0, -1, 5, 0, 0), (0, 1, 5, 0, 0);"
           "INSERT INTO result_merged_step VALUES (1, 0, 0, 0, 3, 0, 0, 0), (0, 1, 1, 4, 8, 4, 0, 0);"
           "INSERT INTO result_merged_profile VALUES (0, 1, 3), (1, 1, 4);"
           "INSERT INTO result_phase_round VALUES (1, 1, 0, 4), (1, 1, 4, 8);"
           "INSERT INTO result_region_call VALUES (0, 2, 5, 1, 1);"
           "INSERT INTO result_outside_tasks VALUES (0, 2, 64);"
           "INSERT INTO result_zeroing VALUES (0, 3, 5, 2, 1);"
           "INSERT INTO result_zeroing_profile VALUES (0, 1, 1, 5);"
           "INSERT INTO result_slack VALUES (0, 1, 1, 4, 8, 0);"
           "INSERT INTO result_near_path VALUES (2, 1, 3, 2, 1);"
           "INSERT INTO result_near_step VALUES (2, 0, 1, 1, 4, 8, 0, 0, 0);"
           "INSERT INTO result_loop VALUES (1, 0, 3, 0, 8, 0);"
           "INSERT INTO result_loop_mark VALUES (0), (3), (6);"
           "INSERT INTO result_advice VALUES (100, 1, 0, 8, 0, 0, 3, 1, 1, 2, 9);"
           "INSERT INTO result_advice_period VALUES (0, 8);"
           "INSERT INTO result_stage_use VALUES (0, 3, 5, 1), (1, 2, 0, 7);"
           "INSERT INTO result_stage_idle VALUES (3, 1, 1, 0, 1, 0), (2, 4, 7, 0, 0, 0);"
           "INSERT INTO result_idle_code VALUES (1, 1, 1, 1), (-1, 4, 7, 7);"
           "INSERT INTO result_idle_example VALUES (1, 0, 4, 5, 1, 1, 1, 0, 0), (0, 1, 3, 8, -1, -1, -1, -1, -1);"
           "INSERT INTO result_interruption VALUES (0, 1, 1, 4, 4, 2);"
           "INSERT INTO result_call_time VALUES (0, 2, 5, 3, 1, 1, 16);"
           "INSERT INTO result_busiest_load VALUES (1, 2, 5);"
           "INSERT INTO result_beside_busy VALUES (0, -3), (1, 5);"
           "INSERT INTO result_wait VALUES (0, 2, 5, 5);"
           "INSERT INTO result_wait_of_rank VALUES (0, 0, 5);"
           "INSERT INTO result_worst_wait VALUES (0, 0, 1, 4, 8, 0, 0, 1, 1, 0, 1, 0, 2, 1, 3, 4294967295, 4294967295, "
           "0);"
           "INSERT INTO result_useful VALUES (0, 5, 1), (1, 6, 1);";
}

inline QByteArray tableEdit(Choices& choices)
{
    static constexpr const char* edits[] = {
        "CREATE TABLE IF NOT EXISTS task(task, pe);",
        "CREATE VIEW IF NOT EXISTS idle AS SELECT 1;",
        "CREATE INDEX IF NOT EXISTS i ON entry(name);",
        "DELETE FROM track;",
        "DELETE FROM processor;",
        "DELETE FROM meta WHERE key = 'format';",
        "DELETE FROM entry;",
        "DELETE FROM chunk WHERE kind = 'task_source';",
        "DELETE FROM chunk WHERE kind = 'message';",
        "DELETE FROM chunk_data;",
        "DELETE FROM region;",
        "INSERT OR IGNORE INTO track SELECT id + 100, id, kind, name, pe FROM track;",
        "INSERT INTO profile SELECT * FROM profile;",
        "INSERT INTO meta SELECT * FROM meta;",
        "INSERT INTO kept SELECT * FROM kept;",
        "INSERT INTO result_path_step SELECT * FROM result_path_step;",
        "DELETE FROM result;",
        "DELETE FROM result_worst_wait;",
        "UPDATE entry SET name = printf('%.*c', 100000, 'x');",
        "UPDATE entry SET name = x'ff00fe';"};
    return edits[choices.below(std::size(edits))];
}

// One column of one chunk gets other numbers, in one row or in all.
inline void chunkEdit(const QString& path, Choices& choices)
{
    const auto kind = static_cast<ChunkKind>(1 + choices.below(static_cast<std::uint32_t>(chunkSpecs().size())));
    const TrackId track{choices.below(2) == 0 ? 10u : 11u};
    const auto change = [&choices](std::vector<StoredColumn>& columns) {
        auto& column = columns[choices.below(static_cast<std::uint32_t>(columns.size()))];
        const std::int64_t value = choices.number();
        if (choices.below(4) == 0) std::fill(column.begin(), column.end(), value);
        else column[choices.below(static_cast<std::uint32_t>(column.size()))] = value;
    };
    static_cast<void>(editChunk(path, kind, track, change));
}

// A sound store, changed a few times.
inline QString mutatedStore(const std::uint8_t* data, std::size_t size)
{
    static const QByteArray sound = [] {
        const QString path = fuzzFile("sound.longpole");
        if (!writeSmallTrace(path)) std::abort();
        QByteArray bytes = fuzzBytes(path);
        // With answers it opens, too: otherwise nobody would see what is wrong with them.
        if (!editStore(path, partEdit()) || !TraceStore::open(path)) std::abort();
        return bytes;
    }();
    const QString path = fuzzFile("mutated.longpole");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(sound) != sound.size()) std::abort();
    file.close();
    Choices choices(data, size);
    QByteArray sql;
    if (size % 3 == 0) sql += partEdit();
    for (std::uint32_t edits = 1 + choices.below(4); edits > 0; --edits) {
        switch (choices.below(4)) {
        case 0: sql += tableEdit(choices); break;
        case 1: chunkEdit(path, choices); break;
        default: sql += cellEdit(choices);
        }
    }
    static_cast<void>(editStore(path, sql));
    return path;
}

}  // namespace longpole
