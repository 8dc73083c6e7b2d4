// Puts tasks that begin at the same instant into an order in which every sender comes before what it sent.
#pragma once

#include "analysis/graphbuilder.h"

namespace longpole {

struct TieResult {
    std::int64_t dropped = 0;               // message edges that closed a cycle of ties, now gone from `columns`
    std::uint32_t firstDropped = noTask;    // position
};

// Mends the order of (begin, position) in place. Groups whose senders already come first are left as they are. O(n),
// and O(m log m) for a group of m that is not.
TieResult orderTies(TaskColumns& columns, TimeOrder& tasks);

}  // namespace longpole
