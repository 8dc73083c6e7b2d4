// SPDX-License-Identifier: GPL-3.0-or-later
// A net is the length of the longest path if its procedure took no time, so the procedure's work adds nothing to it.
// One number is enough: Hollingsworth (1996, section 3.2) follows a length and a share instead, and subtracts.
#include "recorder/online/pathvalue.h"

#include <string.h>

void lp_value_add(struct lp_lanes lanes, int64_t *value, uint32_t lane, int64_t work)
{
    value[0] += work;
    if (lane > 0) value[lane] += work;
    if (!lanes.has_nets) return;
    int64_t *nets = value + lanes.count;  // from 1
    for (uint32_t at = 1; at <= lanes.count; ++at) nets[at] += at == lane ? 0 : work;
}

bool lp_value_merge(struct lp_lanes lanes, int64_t *value, const int64_t *other)
{
    const bool is_longer = other[0] > value[0];
    if (is_longer) memcpy(value, other, (1 + (size_t)lanes.count) * sizeof *value);
    for (size_t at = 1 + (size_t)lanes.count; at < lp_value_words(lanes); ++at)
        if (other[at] > value[at]) value[at] = other[at];
    return is_longer;
}
