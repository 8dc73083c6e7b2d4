// SPDX-License-Identifier: GPL-3.0-or-later
// The work of the thread that is followed: its time between MPI calls and around regions, by procedure, without the
// recorder's own. The caller holds the lock of calls.
#ifndef LONGPOLE_RECORDER_PATHWORK_H
#define LONGPOLE_RECORDER_PATHWORK_H

#include "recorder/online/pathcalls.h"

#include <stdbool.h>
#include <stdint.h>

// Where a piece of code begins or ends.
struct lp_border {
    bool is_region;
    uint32_t number;  // of the region, or the call
};
static inline struct lp_border lp_border_of_call(uint16_t call) { return (struct lp_border){.number = call}; }

// A piece of code that has been executed.
struct lp_code {
    uint32_t procedure;
    lp_lane_set lanes;    // its own, where a region is around it
    lp_lane_set callers;  // of the regions around it, as in lp_path_include_callees
    int64_t ns;           // 0: there was none
};

// The first call has ended: what follows is work. False: it had before.
bool lp_work_begin(void);
// Ends the piece of code in which the thread has been, adds it to lp_path.all, and returns it. `to_call`: the time is
// the begin of the call in which the thread is now.
struct lp_code lp_work_until(int64_t time, struct lp_border next, bool to_call);
// What was noted until then is not to be noted again, as nothing follows yet: a call that was foretold begins.
void lp_work_is_noted_until(int64_t time);
// The thread goes on with its own code, behind that border.
void lp_work_goes_on(int64_t time, struct lp_border before);
// The same where a region begins or ends.
void lp_work_region(bool enter, uint32_t region, int64_t time);
// The code that follows belongs to a loop of polls, up to the next call.
void lp_work_is_polling(void);
// The recorder has worked until then, and all that it said of its own work lies before.
void lp_work_begins_at(int64_t time);
// The recorder has worked for so long, after the call that is noted next.
void lp_work_own(int64_t ns);
void lp_work_forget(void);

#endif
