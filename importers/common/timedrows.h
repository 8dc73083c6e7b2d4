// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts rows that come out of time order (brackets are logged when they end): their nesting is computed as they come,
// then they are sorted in runs that spill, and given back in order with their depth.
#pragma once

#include "core/base/drawnhash.h"
#include "core/base/timerange.h"
#include "importers/common/spill.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

struct TimedRow {
    TimeNs begin = 0;
    TimeNs duration = 0;
    std::int64_t extra = 0;  // of an interval: the time of those nested directly inside; of a mark: its text id
    std::int64_t value = 0;
    std::uint32_t region = 0;
    std::uint32_t lane = 0;  // the rank whose track it goes to, or 0
};

class TimedRows {
public:
    void add(const TimedRow& row, Spill& spill);
    // As add(), for rows that come in the order of their ends: sets `extra` to the time of the rows inside.
    void addInterval(TimedRow row, Spill& spill);
    void finish(Spill& spill);
    bool isEmpty() const { return m_open.empty() && m_runs.empty(); }

    // All rows of all `parts` (finished) by lane, then begin, the longer first, then by part. `depth`: how many levels
    // of its lane are taken when the row begins.
    static void merge(const std::vector<const TimedRows*>& parts, const Spill& spill,
                      const std::function<void(const TimedRow& row, std::uint32_t depth)>& give);

private:
    void storeRun(Spill& spill);

    std::vector<TimedRow> m_open;
    std::vector<Spill::Block> m_runs;  // each sorted
    // By lane, the rows so far that lie in no other: begin and end.
    std::unordered_map<std::uint32_t, std::vector<std::pair<TimeNs, TimeNs>>, DrawnHash> m_roots;
};

}  // namespace longpole
