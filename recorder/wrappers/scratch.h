// SPDX-License-Identifier: GPL-3.0-or-later
// What each thread keeps for itself: how deep it is in MPI, and buffers that are not allocated anew for each call. And
// the gate through which calls go to the storage.
#ifndef LONGPOLE_RECORDER_SCRATCH_H
#define LONGPOLE_RECORDER_SCRATCH_H

#include "recorder/format/calls.h"
#include "recorder/format/recording.h"
#include "recorder/online/pathclock.h"
#include "recorder/wrappers/polling.h"

#include <mpi.h>

#include <stdatomic.h>

#define LP_TYPE_SIZES 64
#define LP_POLL_CALLS 8

struct lp_scratch {
    struct lp_scratch *next;  // in the list of all threads' buffers
    atomic_bool isTaken;
    unsigned epoch;  // the sizes hold until lp_forget_types() begins another epoch
    struct {
        MPI_Datatype type;
        int64_t size;
    } sizes[LP_TYPE_SIZES];
    bool hasPolls;
    int64_t polls[LP_POLL_CALLS];  // how many failed
    struct lp_polling polling;
    MPI_Request *handles;                          // the handles of a Waitall ... before the call
    struct lp_request *requests;                   // those that were taken out of the map
    MPI_Status *statuses;                          // used if the caller ignores them
    struct lp_completion *completions, *recorded;  // recorded: those of them that the storage is handed
    int *indices;                                  // of Fortran's Waitsome and Testsome, from 0
    int capacity;                                  // of the six above
};

// The calling thread's buffers, with room for `count` requests; never null.
struct lp_scratch *lp_scratch(int count);

// How many wrapped MPI calls this thread is in; inside of another one a wrapper does nothing but count.
extern _Thread_local int lp_depth __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Whether a note is asked what its call will do, before it is made: it records nothing, and asks MPI nothing that is
// there after it only.
extern _Thread_local bool lp_is_asked __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The frame of the wrapper that this thread is in, whose caller's stack is the call's; kept by the wrapper itself.
extern _Thread_local const void *lp_frame __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define LP_REMEMBER_FRAME() lp_frame = __builtin_frame_address(0)

// TIMED: only MPI_Init and MPI_Finalize are recorded, whatever the program asks for (trace = 0). OPEN also where only
// the path is followed, for which the storage is muted.
enum lp_gate { LP_TIMED = -1, LP_CLOSED, LP_PAUSED, LP_OPEN };
extern atomic_int lp_gate __attribute__((visibility("hidden")));

static inline bool lp_is_recording(void) { return atomic_load_explicit(&lp_gate, memory_order_relaxed) == LP_OPEN; }

// Of a call that returns at once: the time, or LP_BY_TICKS.
int64_t lp_begin_poll(void);
int64_t lp_end_poll(int64_t begin);
// Whether calls are followed: also while it pauses and the path goes on.
bool lp_is_observing(void);

// Begins a wrapper. Returns the time, or -1 if nothing is to be noted. While recording is paused, requests and
// communicators are still followed.
static inline __attribute__((always_inline)) int64_t lp_begin_call(enum lp_call_id call, bool mayBlock)
{
    const int gate = atomic_load_explicit(&lp_gate, memory_order_relaxed);
    if (lp_depth++ != 0 || gate <= LP_CLOSED) return -1;
    LP_REMEMBER_FRAME();
    if (lp_is_cpu_read()) lp_cpu_leaves();
    if (mayBlock) return gate == LP_OPEN ? lp_begin(call) : lp_now();
    return gate == LP_OPEN && call != LP_CALL_COUNT ? lp_begin_poll() : lp_now();
}

// Tests return at once, so nobody asks in which of them a rank hung. Constant for a constant call.
#define LP_MAY_BLOCK(call) \
    !((call) == LP_Test || (call) == LP_Testall || (call) == LP_Testany || (call) == LP_Testsome \
      || (call) == LP_Request_get_status || (call) == LP_Iprobe || (call) == LP_Improbe || (call) == LP_Win_test)

static inline void lp_end_call(void) { --lp_depth; }

// Hands over a call, after this thread's failed polls. While recording is paused, the storage is handed only calls that
// complete a recorded request; the path, all of them.
void lp_put(struct lp_call *call, const struct lp_completion *completions, int count);
void lp_count_poll(struct lp_call *call);       // counts a test that found nothing
void lp_put_mark(bool enter, uint32_t region);  // begins or ends a region now
void lp_put_all_polls(void);                    // records those of all threads, at the end
void lp_put_own_polls(void);                    // records those of this thread

#endif
