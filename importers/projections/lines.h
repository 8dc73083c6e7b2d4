// SPDX-License-Identifier: GPL-3.0-or-later
// Writes lines of a text log: a binary record as the line that the text writer would have written, a line with another
// time, the line that ends what another one began.
#pragma once

#include "importers/projections/records.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace longpole {

// All lines end with a line feed; times in lines are microseconds.

// The line of a record that was decoded from the binary bytes `raw`. Numbers that the decoder found impossible become
// ones that a reader of the line finds impossible too. Notes have the blank that old writers put before their text:
// the Java reader needs it.
std::string lineOf(const LogRecord& record, const RecordLayout& layout, std::span<const char> raw);

// `line` with its time replaced; a bracketed note's second time stays.
std::string withTime(std::string_view line, RecordType type, std::int64_t time);
// A bracketed note with both of its times replaced.
std::string withTimes(std::string_view line, std::int64_t begin, std::int64_t end);

// Whether a record of this type begins something that another one ends: blocks, idle, packing, flushes, pairs,
// functions; and END_TRACE, as tracing is off until the next BEGIN_TRACE.
bool isBegin(RecordType type);
// Which record type ends what `begin` began.
RecordType endOf(RecordType begin);
// The line that ends at `time` what `line` began. An execution's CPU time and counters stay at what they were when it
// began: how much of them belongs to the part before `time` is not known.
std::string endLine(std::string_view line, RecordType begin, const RecordLayout& layout, std::int64_t time);

// The two lines of an interval of a user event (record 100).
struct PairLines {
    std::uint32_t userEvent = 0;
    std::int32_t event = 0;
    std::uint32_t pe = 0;
    int nestedId = 0;
};
std::string pairLines(const PairLines& pair, std::int64_t begin, std::int64_t end);

}  // namespace longpole
