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

// What a procedure's work is multiplied by in its net: 0/1 where it takes no time. Nets are kept as so many times the
// denominator, so that they stay integers.
struct lp_factor {
    uint32_t numerator, denominator;
};

// A value is so many numbers of ns: the length, then a share for each lane, then with nets a length for each lane
// with less of its procedure's work, or more. Lanes are counted from 1.
struct lp_lanes {
    uint32_t count;  // LP_MOST_LANES at most
    bool has_nets;
    struct lp_factor factor;
};
#define LP_MOST_LANES 64

// Lanes as bits: bit 0 is lane 1.
#ifdef __cplusplus
using lp_lane_set = uint64_t;
#else
typedef uint64_t lp_lane_set;
#endif
static inline lp_lane_set lp_set_of_lane(uint32_t lane) { return (lp_lane_set)1 << (lane - 1); }

static inline size_t lp_value_words(struct lp_lanes lanes)
{
    return 1 + (size_t)lanes.count * (lanes.has_nets ? 2 : 1);
}

// Adds work in the procedures of the lanes `in`; they are several where procedures include what they call.
void lp_value_add(struct lp_lanes lanes, int64_t *value, lp_lane_set in, int64_t work);
// The longer of two paths that meet; of equal ones the first stays. A net is a path of its own. Returns whether the
// other one was longer.
bool lp_value_merge(struct lp_lanes lanes, int64_t *value, const int64_t *other);

#ifdef __cplusplus
}
#endif

#endif
