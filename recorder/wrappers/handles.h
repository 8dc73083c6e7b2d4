// SPDX-License-Identifier: GPL-3.0-or-later
// A map from MPI handles to pointers, read without locks: few writes, many reads, from any thread.
#ifndef LONGPOLE_RECORDER_HANDLES_H
#define LONGPOLE_RECORDER_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct lp_handle_slots;

struct lp_handles {
    _Atomic(struct lp_handle_slots *) slots;
    pthread_mutex_t lock;  // of writers
};

#define LP_HANDLES \
    { \
        NULL, PTHREAD_MUTEX_INITIALIZER \
    }

// MPICH's handles are ints, Open MPI's are pointers. None is 0, not even a null handle: 0 marks a free slot, is found
// nowhere and never set.
#define LP_HANDLE(handle) ((uintptr_t)(handle))

static inline uint64_t lp_hash(uintptr_t handle) { return handle * UINT64_C(0x9e3779b97f4a7c15); }

void *lp_handle_find(const struct lp_handles *handles, uintptr_t handle);
void lp_handle_set(struct lp_handles *handles, uintptr_t handle, void *value);
void *lp_handle_take(struct lp_handles *handles, uintptr_t handle);  // and forgets it

#endif
