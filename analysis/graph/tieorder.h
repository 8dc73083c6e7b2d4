// SPDX-License-Identifier: GPL-3.0-or-later
// Puts tasks that begin at the same instant into an order in which every task comes after what it waited for: the
// sender of its message, and the sources of its merges.
#pragma once

#include "analysis/graph/builder.h"

namespace longpole {

struct TieResult {
    std::int64_t dropped = 0;             // edges that closed a cycle of ties, now gone from `columns`
    std::uint32_t firstDropped = noTask;  // position
};

// Whether no merge of two tasks at one instant goes against the order. O(merges).
bool isInOrder(const TaskColumns& columns, const TimeOrder& tasks);

// Mends the order of (begin, position) in place. Groups whose senders already come first are left as they are. Merges
// count only `withMerges`. O(n), and O(m log m) for each group of m that is mended.
TieResult orderTies(TaskColumns& columns, TimeOrder& tasks, bool withMerges);

}  // namespace longpole
