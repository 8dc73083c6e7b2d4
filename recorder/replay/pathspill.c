// SPDX-License-Identifier: GPL-3.0-or-later
// The file is made when it is first needed. Its disk space is reserved before it is mapped, so a full disk is an error
// here and no signal later. If the program has closed its descriptor, the mapping is still valid; when more room is
// needed, the content moves to a new file.
#define _GNU_SOURCE
#include "recorder/replay/pathspill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int nameless_file(const char *folder)
{
    char path[4096 + 16];
    if (snprintf(path, sizeof path, "%s/path-XXXXXX", folder) >= (int)sizeof path) return -1;
    const int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) unlink(path);
    return file;
}

static bool set_aside(int file, size_t bytes)
{
    if (!lp_may_reach(bytes)) return false;
    int error;
    do error = posix_fallocate(file, 0, (off_t)bytes);
    while (error == EINTR);
    return error == 0;
}

static bool grow(struct lp_spill *spill, void *array, uint32_t *capacity, uint32_t count, size_t size)
{
    void **items = array;
    const uint64_t larger = 2 * (uint64_t)*capacity;
    if (!spill->folder || larger == 0 || larger > UINT32_MAX || larger * size > spill->most) return false;
    if (spill->is_used && lp_is_own(&spill->file)) {
        if (!set_aside(spill->file.fd, (size_t)larger * size)) return false;
        void *moved = mremap(*items, *capacity * size, (size_t)larger * size, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) return false;
        *items = moved;
        *capacity = (uint32_t)larger;
        return true;
    }
    const int file = nameless_file(spill->folder);
    if (file < 0) return false;
    void *mapped = MAP_FAILED;
    if (set_aside(file, (size_t)larger * size))
        mapped = mmap(NULL, (size_t)larger * size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        close(file);
        return false;
    }
    memcpy(mapped, *items, count * size);
    if (spill->is_used) {
        munmap(*items, *capacity * size);
        lp_disown(&spill->file);
    } else {
        free(*items);
    }
    *items = mapped;
    *capacity = (uint32_t)larger;
    spill->file = lp_own(file);
    spill->is_used = true;
    return true;
}

bool lp_spill_grow(struct lp_spill *spill, void *array, uint32_t *capacity, uint32_t count, size_t size)
{
    spill->has_failed = spill->has_failed || !grow(spill, array, capacity, count, size);
    return !spill->has_failed;
}

void lp_spill_return(struct lp_spill *spill, void *array, uint32_t *capacity, uint32_t count, size_t size)
{
    spill->has_failed = false;
    if (!spill->is_used) return;
    void **items = array, *kept = count > 0 ? malloc(count * size) : NULL;
    if (count > 0 && !kept) return;
    if (kept) memcpy(kept, *items, count * size);
    munmap(*items, *capacity * size);
    lp_disown(&spill->file);
    *items = kept;
    *capacity = count;
    spill->is_used = false;
}
