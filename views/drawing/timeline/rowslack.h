// SPDX-License-Identifier: GPL-3.0-or-later
// Adds slack to a row's data, so that frames can colour and dim by it without looking it up.
#pragma once

#include "analysis/paths/slackpyramid.h"
#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"

#include <memory>
#include <optional>
#include <span>

namespace longpole {

// The slack to draw with; null: none.
struct SlackLayer {
    std::shared_ptr<const SlackPyramid> pyramid{};
    TimeNs largest = 0;         // that any task has
    std::uint64_t version = 0;  // tells pyramids apart; 0: none
};

// Data with the least slack of each segment or bin, of a processor's track or, with `members`, of a group's bins.
// O(segments log tasks) or O(bins x members log tasks); a group of so many members that this would take seconds gets
// none.
RowData withSlack(RowData data, const TraceStore& store, TrackId track, std::span<const TrackId> members,
                  const SlackLayer& layer);

// The least slack of the tasks that touch a range; empty if there are none, or their slack is not known.
std::optional<TimeNs> leastSlack(const RowData& data, TimeRange range);

}  // namespace longpole
