// SPDX-License-Identifier: GPL-3.0-or-later
// The traversal of Dooley, Arya, Kale 2010 (section 4): a path found by looking at the activity tables and nothing
// else.
#pragma once

#include "analysis/paths/activitytable.h"

#include <algorithm>
#include <vector>

namespace longpole {

// The steps of the path to the end of `to` from where it first has a length, oldest first. A step weighs what its
// message carried less what had come into its task. Empty if the tables lead nowhere.
inline std::vector<PathStep> walkTables(const std::vector<ActivityTable>& tables, TaskId to)
{
    std::vector<PathStep> steps;
    const auto end = tables[index(to.pe)].endOf(to);
    if (!end) return {};
    PrefixId at{to.pe, static_cast<std::int64_t>(*end)};
    TimeNs length = tables[index(to.pe)].row(*end).length;
    while (true) {
        const ActivityTable& table = tables[index(at.pe)];
        if (at.index < 0 || at.index >= static_cast<std::int64_t>(table.size())) return {};
        const ActivityRow row = table.row(static_cast<std::size_t>(at.index));
        const TimeNs weight = length - row.incoming.length;
        const bool isStart = row.incoming.length == 0;
        steps.push_back({.task = row.task,
                         .pe = at.pe,
                         .entry = row.entry,
                         .begin = row.begin,
                         .end = row.begin + weight,
                         .edge = isStart ? PathEdge::Start : row.incoming.edge});
        if (isStart) break;
        at = row.incoming.prefix;
        length = row.incoming.length;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

}  // namespace longpole
