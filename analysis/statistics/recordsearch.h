// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the next record that a question fits: by name, text, number or task.
#pragma once

#include "analysis/statistics/recordlist.h"
#include "core/base/drawnhash.h"

#include <QString>

#include <set>
#include <unordered_set>

namespace longpole {

// What a record must be, one of them suffices.
struct RecordQuestion {
    std::optional<TaskId> task = {};  // this task alone
    std::unordered_set<EntryId, DrawnHash> entries = {};
    std::unordered_set<RegionId, DrawnHash> regions = {};
    std::set<std::int64_t> texts = {};       // ids of notes
    std::optional<std::int64_t> value = {};  // of a user event or bracket, an event number, a counter's sample
};

// "3:1207" is a task; "/regex/" is matched with names and notes; other words are parts of names and notes whatever
// their case, and values if they are numbers. Errors: a regular expression that does not parse.
Result<RecordQuestion> parseRecordQuestion(const QString& text, const TraceStore& store, const Progress& progress);

// The next fitting record of the list after `from`, or before it; without one from the begin, or the end. Chunk by
// chunk in the order of time, stops at the first. Errors: a damaged chunk, cancelled.
Result<std::optional<RecordRef>> findRecord(const RecordList& list, const RecordQuestion& question,
                                            const std::optional<RecordRef>& from, bool forward,
                                            const Progress& progress);

}  // namespace longpole
