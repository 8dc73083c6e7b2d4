// SPDX-License-Identifier: GPL-3.0-or-later
// What a wrapped MPI call hands to the recording: the interface between recorder/wrappers and recorder/storage.
// Everything here is hidden; the library exports MPI's names only.
#ifndef LONGPOLE_RECORDER_RECORD_H
#define LONGPOLE_RECORDER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LP_NO_REQUEST 0u      // serials begin at 1
#define LP_NO_RANK (-1)       // PROC_NULL, no peer, no root
#define LP_FOREIGN_RANK (-2)  // of a program that is not in this recording
#define LP_NO_COMM 0xffffffffu

// One call. Ranks are the recording's: world ranks; those of programs that MPI_Comm_spawn started follow behind them.
// bytes < 0: unknown.
struct lp_call {
    int64_t begin, end;  // ns, lp_now()
    uint16_t call;       // enum lp_call_id (calls.h)
    uint32_t comm;       // recorder's number of the communicator on this rank (lp_comm), or LP_NO_COMM
    int32_t peer, tag;   // destination, source or root
    int64_t bytes;
    uint32_t request;     // the one that the call started, or LP_NO_REQUEST
    int32_t peer2, tag2;  // the receive of a Sendrecv
    int64_t bytes2;
    uint32_t stack;  // lp_stack()
};

// LP_..._STARTED: what MPI_Start and MPI_Startall start. LP_EPOCH_PEER completes nothing: a member of the group of
// MPI_Win_post or MPI_Win_start. LP_FREED_ANY: a receive that takes messages of several channels is freed, and MPI
// knows which one it has taken. Only these, LP_RECV_DONE and LP_COMM_DONE (comm: the new one) carry comm, peer, tag and
// bytes on disk.
enum lp_completion_kind {
    LP_SEND_DONE,
    LP_RECV_DONE,
    LP_COLLECTIVE_DONE,
    LP_CANCELLED,
    LP_FREED,
    LP_COMM_DONE,
    LP_SEND_STARTED,
    LP_SSEND_STARTED,
    LP_RECV_STARTED,
    LP_COLLECTIVE_STARTED,
    LP_EPOCH_PEER,
    LP_FREED_ANY
};

// A request that a call completed or started; completions follow their call.
struct lp_completion {
    enum lp_completion_kind kind;
    uint32_t request;
    uint32_t comm;
    int32_t peer, tag;
    int64_t bytes;
    bool is_unrecorded;  // of a request that was started while the recording paused: for the path alone
};

int64_t lp_now(void);
// Returns lp_now(), and notes that this thread is in `call` until its next lp_put_call, to show where a rank hung.
int64_t lp_begin(uint16_t call);

// The number of the call stack that ends in the function with that frame (__builtin_frame_address), without the
// function itself; 0: none is recorded.
uint32_t lp_stack(const void *frame);

void lp_put_call(const struct lp_call *call, const struct lp_completion *completions, int count);
// A communicator and its members' world ranks; `origin`, `serial`: the id that all members agree on.
void lp_put_comm(uint32_t comm, int32_t origin, uint32_t serial, const char *name, int size, const int32_t *members);
// The neighbours of this rank in a communicator with a topology: world ranks or LP_NO_RANK, `sources` of them that its
// neighbourhood calls receive from, then `targets` that they send to.
void lp_put_neighbours(uint32_t comm, int sources, int targets, const int32_t *ranks);
void lp_region_name(uint32_t region, char *name, size_t room);  // of a region or a function
uint32_t lp_region(const char *name);       // the number of a region's name, the same for the same text
uint32_t lp_function(const void *address);  // likewise of a function, which is named at the end or at import
void lp_put_region(bool enter, uint32_t region, int64_t time);
// A loop of failed polls: Test calls and probes that found nothing, without another call and next to no computation
// between them.
struct lp_polling_loop {
    int64_t begin, end;  // of the first and of the last poll
    uint16_t call;       // the first one's
    bool is_ended;       // by the thread's next call, at once
    uint32_t count;
    uint32_t stack;  // lp_stack() in one of them
};
// The recorder itself worked, between two records of this thread.
void lp_put_own_work(int64_t begin, int64_t end);
void lp_put_polling(const struct lp_polling_loop *loop);
void lp_put_failed_polls(uint16_t call, int64_t count, int64_t time);  // Test calls that found nothing
// For MPI_Pcontrol. While it is off, calls and regions of all threads are not recorded.
void lp_switch(bool on, int64_t time);

// Whether calls are to be recorded; else only MPI_Init and MPI_Finalize are.
bool lp_is_traced(void);
// While it is on, nothing is written, whatever is put; regions and functions have numbers and names.
void lp_mute(bool on);

// MPI is up at lp_open and still up at lp_close. `abort`: no communication is possible. `number` says which folder:
// that of the settings is 1, 2 stands beside it ("run-2.lprec"). 0, for rank 0: the first without a recording. Returns
// it.
int lp_open(int rank, int size, int number);
void lp_close(bool abort);
// What the machine gives to the program, and keeps from it, counts from the one to the other: what the recorder does
// before and after is no part of the run. By the thread that initializes and finalizes MPI.
void lp_measure_begin(void);
void lp_measure_end(void);

// Set fields of this rank's header; to be called between lp_open and lp_close.
struct lp_clock_point;
struct lp_index_rank;
void lp_set_run(uint64_t run);  // the same on all ranks, not 0
uint64_t lp_run(void);
int lp_folder(void);                                            // lp_open's number
void lp_set_first(int32_t first);                               // the number of the rank 0 of this MPI_COMM_WORLD
void lp_set_mpi(const char *library, int thread_level);         // 0 .. 3: MPI_THREAD_SINGLE .. MULTIPLE
void lp_set_clock(int point, const struct lp_clock_point *at);  // format.h; 0: at MPI_Init, 1: at MPI_Finalize
// lp_index_row gives this rank's row of the index. When rank 0 has gathered them all, it writes the index, by rank.
void lp_index_row(struct lp_index_rank *row);
void lp_write_index(const struct lp_index_rank *ranks, int size);

#ifdef __cplusplus
}
#endif

#endif
