// SPDX-License-Identifier: GPL-3.0-or-later
// The least slack of what a row's data holds, so that frames can colour and dim by it without looking it up.
#pragma once

#include "analysis/paths/slackpyramid.h"
#include "core/store/tracestore.h"
#include "views/drawing/timeline/rowdata.h"

#include <memory>
#include <optional>
#include <span>

namespace longpole {

// The slack to draw with, and the most that any task has; version: another one for every other pyramid, 0 for none.
struct SlackLayer {
    std::shared_ptr<const SlackPyramid> pyramid{};
    TimeNs largest = 0;
    std::uint64_t version = 0;
};

// Data with its slack: of a processor's track, or, with `members`, of a group's bins. O(segments log tasks), or O(bins
// x members log tasks); a group of so many members that this would take seconds is left without.
RowData withSlack(RowData data, const TraceStore& store, TrackId track, std::span<const TrackId> members,
                  const SlackLayer& layer);

// Of the tasks that touch a range; empty if there are none, or their slack is not known.
std::optional<TimeNs> leastSlack(const RowData& data, TimeRange range);

}  // namespace longpole
