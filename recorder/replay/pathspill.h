// SPDX-License-Identifier: GPL-3.0-or-later
// Where a part of the path's log goes for which there is no room in memory: a file without a name, on disk space that
// is there, mapped like memory.
#ifndef LONGPOLE_RECORDER_PATHSPILL_H
#define LONGPOLE_RECORDER_PATHSPILL_H

#include "recorder/storage/ownfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lp_spill {
    const char *folder;  // NULL: nothing is spilled
    uint64_t most;       // bytes
    struct lp_own_file file;
    bool is_used;     // the array lies in the file
    bool has_failed;  // it could not grow, since it was last given back
};

// Doubles the room of an array of `capacity` items of `size` bytes, `count` of which are kept: moves them into the
// file, or makes that longer. False: the disk is full, too, or `most` is reached; the array stays as it is, and further
// calls fail at once until the file is given back.
bool lp_spill_grow(struct lp_spill *spill, void *array, uint32_t *capacity, uint32_t count, size_t size);

// Gives the file back and keeps the first `count` items in memory. Without memory for these they stay in the file.
void lp_spill_return(struct lp_spill *spill, void *array, uint32_t *capacity, uint32_t count, size_t size);

#ifdef __cplusplus
}
#endif

#endif
