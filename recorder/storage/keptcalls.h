// SPDX-License-Identifier: GPL-3.0-or-later
// What the summary keeps of each call until the end of the run: records of fixed size in a file without a name, so that
// they cost page cache and no memory. No MPI in here.
#ifndef LONGPOLE_RECORDER_KEPTCALLS_H
#define LONGPOLE_RECORDER_KEPTCALLS_H

#include "recorder/format/recording.h"

#include <stddef.h>

enum lp_kept_flag {
    LP_KEPT_COLLECTIVE = 1,   // of an instance whose other members are known
    LP_KEPT_LATE_SENDER = 2,  // `before` is that of a receive: a send's does not replace it
};

// A call, followed by its completions.
struct lp_kept_call {
    int64_t begin, end;     // ns, this rank's clock
    int64_t before, after;  // set at the end; their sum may exceed the length of a call that did not synchronize
    uint32_t comm, request;
    int32_t peer, tag, peer2, tag2;
    uint16_t call;   // enum lp_call_id
    uint16_t flags;  // enum lp_kept_flag
    uint32_t completions;
    uint32_t members;   // of a collective that synchronizes, or its completion: edges from so many members end here
    uint32_t received;  // how many messages the call received
};

struct lp_kept_completion {
    uint32_t kind, request, comm;  // enum lp_completion_kind
    int32_t peer, tag, unused;
};

struct lp_kept_comm {
    uint32_t comm;
    int32_t origin;
    uint32_t serial;
    int32_t size;
    int32_t *members;
    char *name;
};

// From now on calls are kept, in a file in `folder`.
void lp_keep_begin(const char *folder);
bool lp_keeps(void);

// Called by lp_put_call and lp_put_comm, in any thread.
void lp_keep_call(const struct lp_call *call, const struct lp_completion *completions, int count);
void lp_keep_comm(uint32_t comm, int32_t origin, uint32_t serial, const char *name, int size, const int32_t *members);

// Ends the keeping of calls and maps those that were kept, unless lp_keep_error says why not.
void lp_keep_stop(void);
// To walk the kept calls: `at` is a byte offset, which begins at 0, grows by lp_kept_size() and ends at
// lp_kept_bytes().
size_t lp_kept_bytes(void);
struct lp_kept_call *lp_kept_at(size_t at);
struct lp_kept_completion *lp_kept_completions(struct lp_kept_call *call);
size_t lp_kept_size(const struct lp_kept_call *call);  // with its completions
// In order of (origin, serial).
const struct lp_kept_comm *lp_kept_comms(int *count);
const struct lp_kept_comm *lp_kept_comm_of(uint32_t comm);  // after lp_kept_comms; NULL: it was never kept
// Why calls were lost; NULL: none were.
const char *lp_keep_error(void);

// Zeroed memory, in a mapped file without a name if it is much; NULL if there is no room.
void *lp_map_room(size_t bytes);
void lp_unmap_room(void *room, size_t bytes);

void lp_keep_end(void);

#endif
