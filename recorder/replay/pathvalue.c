// SPDX-License-Identifier: GPL-3.0-or-later
// A net is the length of the longest path if its procedure took no time, or another factor of what it does, so that
// much of the procedure's work is added to it. One number is enough: Hollingsworth (1996, section 3.2) follows a length
// and a share instead, and subtracts.
#include "recorder/replay/pathvalue.h"

#include <string.h>

void lp_value_add(struct lp_lanes lanes, int64_t *value, lp_lane_set in, int64_t work)
{
    value[0] += work;
    for (lp_lane_set left = in; left != 0; left &= left - 1) value[1 + __builtin_ctzll(left)] += work;
    if (!lanes.has_nets) return;
    int64_t *nets = value + 1 + lanes.count;
    const int64_t denominator = lanes.factor.denominator, numerator = lanes.factor.numerator;
    const int64_t outside = work * denominator, less = work * (denominator - numerator);
    for (uint32_t at = 0; at < lanes.count; ++at) nets[at] += outside;
    for (lp_lane_set left = in; left != 0; left &= left - 1) nets[__builtin_ctzll(left)] -= less;
}

bool lp_value_merge(struct lp_lanes lanes, int64_t *value, const int64_t *other)
{
    const bool is_longer = other[0] > value[0];
    if (is_longer) memcpy(value, other, (1 + (size_t)lanes.count) * sizeof *value);
    for (size_t at = 1 + (size_t)lanes.count; at < lp_value_words(lanes); ++at)
        if (other[at] > value[at]) value[at] = other[at];
    return is_longer;
}
