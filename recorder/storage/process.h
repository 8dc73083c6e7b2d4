// SPDX-License-Identifier: GPL-3.0-or-later
// The recording of this process, of which there is one; buffer.c, names.c and recording.c share it.
#ifndef LONGPOLE_RECORDER_RECORDER_H
#define LONGPOLE_RECORDER_RECORDER_H

#include "recorder/format/recording.h"
#include "recorder/storage/columns.h"
#include "recorder/storage/config.h"
#include "recorder/storage/file.h"
#include "recorder/storage/machine.h"

#include <pthread.h>
#include <stdatomic.h>

// MUTED: calls are told, as the path wants them, and nothing is written.
enum lp_state { LP_STATE_OFF, LP_STATE_STOPPED, LP_STATE_MUTED, LP_STATE_PAUSED, LP_STATE_ON };

// A thread that records, and its area. Only the thread itself writes here, unless `busy` is 0 and recording is over.
struct lp_thread {
    struct lp_area *area;
    unsigned char *records;  // behind the area's head
    uint64_t used, capacity;
    int64_t last_end;  // end of the last call, for joining the next one to it
    bool can_join;
    atomic_uint busy;            // it is putting a record
    int64_t own_begin, own_end;  // a flush that has yet to be recorded; 0: none
    int64_t next_sample;         // when it looks at the machine again
    struct lp_machine machine;   // as it was seen last
    bool is_measured;            // to the end (lp_measure_end): `last` stands for all later looks
    struct lp_machine last;
    struct lp_own_file waits;  // lp_open_machine(); of the first threads only
    uint32_t number, seq;
    uint64_t record_count, call_count;
    bool seen[512];                  // calls that stand in header.used_calls
    struct lp_known_stacks *stacks;  // stacks.c
    struct lp_thread *next;
};

struct lp_recording {
    atomic_int state;      // enum lp_state
    pthread_mutex_t lock;  // of all below
    struct lp_file file;
    struct lp_packer *packer;
    struct lp_thread *threads;  // those that have not ended
    struct lp_area *free_areas[64];
    int free_area_count;
    uint32_t thread_count;
    uint64_t record_count, call_count;  // of threads that have ended
    int64_t threshold;                  // ns
    unsigned stack_depth;
    bool keeps;  // calls for the summary, too (keptcalls.h)
    // Told how long the recorder itself worked behind a record, if anybody asks.
    void (*own_work)(int64_t ns);
    char folder[1200];
    int number;  // of the folder (lp_open)
    int rank, size;
};
extern struct lp_recording lp_recording;

// With the lock held: appends a frame that is not a chunk. A failure stops recording.
void lp_append(uint32_t kind, const void *bytes, size_t length);
// Whether this process is a child of the one that records, made without pthread_atfork()'s handlers (_Fork, clone): the
// recording is its parent's.
bool lp_is_child(void);
// With the lock held: stops recording and prints, once, what file.error is and that the program goes on without it.
void lp_stop(void);

// Records what the machine gave the calling thread since it looked last, if its area has room for it, at the end of its
// last call.
void lp_put_sample(struct lp_thread *thread);

// For lp_measure_begin and lp_measure_end: looks at the machine for later samples to begin, and to end, with.
void lp_begin_samples(struct lp_thread *thread);
void lp_end_samples(struct lp_thread *thread);

// With the lock held: the area's records become a chunk. False: they stay in the area.
bool lp_pack_area(struct lp_thread *thread);
// The calling thread's own, which its first record makes; null if it cannot record.
struct lp_thread *lp_this_thread(void);
void lp_prepare_threads(void);

// With the lock held: write the names of all functions that were met, and of the files that hold the code.
void lp_name_functions(void);
void lp_put_modules(void);
// Whether files with code were loaded since lp_put_modules was called last.
bool lp_has_new_modules(void);

// Of a thread that has ended.
void lp_free_stacks(struct lp_known_stacks *stacks);

#endif
