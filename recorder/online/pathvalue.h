// SPDX-License-Identifier: GPL-3.0-or-later
// What a program knows of its critical path while it runs (Hollingsworth 1996, sections 2.2 and 3): at a place of a
// rank, how long the longest path to it is, how much of it lies in each procedure that is followed, and how long the
// longest path were if that procedure took no time.
#ifndef LONGPOLE_RECORDER_PATHVALUE_H
#define LONGPOLE_RECORDER_PATHVALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A value is so many numbers of ns: the length, then a share for each lane, then with nets a length for each lane
// without its procedure's work. Lanes are counted from 1; work outside of all procedures that are followed has lane 0.
struct lp_lanes {
    uint32_t count;
    bool has_nets;
};

static inline size_t lp_value_words(struct lp_lanes lanes)
{
    return 1 + (size_t)lanes.count * (lanes.has_nets ? 2 : 1);
}

void lp_value_add(struct lp_lanes lanes, int64_t *value, uint32_t lane, int64_t work);
// The longer of two paths that meet; of equal ones the first stays. A net is a path of its own. Returns whether the
// other one was longer.
bool lp_value_merge(struct lp_lanes lanes, int64_t *value, const int64_t *other);

#ifdef __cplusplus
}
#endif

#endif
