// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps calls for the summary: in memory as far as a buffer goes, then in a file, which is mapped at the end.
#define _GNU_SOURCE
#include "recorder/storage/keptcalls.h"

#include "recorder/storage/ownfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER = 1 << 20 };

static struct {
    bool on;
    char folder[4096];
    struct lp_own_file file;
    char *buffer;  // calls that are not in the file yet
    size_t filled, room, used;
    char *map;  // all calls, after lp_keep_stop
    const char *error;
    struct lp_kept_comm *comms;
    int comm_count, comm_room;
    bool comms_sorted;
    uint32_t largest_comm;  // number
    int32_t *place;         // by number of a communicator: its place in the sorted comms; -1: it was never kept
    uint32_t places;
} kept = {.file = {.fd = -1}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Opens a file without a name, which is gone when it is closed. -1: errno says why not.
static int nameless_file(void)
{
    char path[sizeof kept.folder + 32];
    snprintf(path, sizeof path, "%s/summary-XXXXXX", kept.folder);
    const int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) unlink(path);
    return file;
}

void lp_keep_begin(const char *folder)
{
    kept.on = true;
    snprintf(kept.folder, sizeof kept.folder, "%s", folder && *folder ? folder : ".");
}

bool lp_keeps(void) { return kept.on; }

static bool flush(void)
{
    if (kept.file.fd < 0 && (kept.file = lp_own(nameless_file())).fd < 0) return false;
    if (!lp_is_own(&kept.file)) {  // what is in it cannot be had again
        kept.error = "the program closed their file";
        return false;
    }
    if (!lp_may_reach(kept.used)) return false;
    for (size_t done = 0; done < kept.filled;) {
        const ssize_t wrote = write(kept.file.fd, kept.buffer + done, kept.filled - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    kept.filled = 0;
    return true;
}

static bool make_room(size_t bytes)
{
    if (kept.filled > 0 && !flush()) return false;
    if (bytes <= kept.room) return true;
    const size_t room = bytes > BUFFER ? bytes : BUFFER;
    char *more = realloc(kept.buffer, room);
    if (!more) return false;
    kept.buffer = more;
    kept.room = room;
    return true;
}

static void *append(size_t bytes)
{
    if (kept.filled + bytes > kept.room && !make_room(bytes)) {
        if (!kept.error) kept.error = strerror(errno);
        return NULL;
    }
    void *at = kept.buffer + kept.filled;
    kept.filled += bytes;
    kept.used += bytes;
    return at;
}

void lp_keep_stop(void)
{
    pthread_mutex_lock(&lock);
    kept.on = false;
    if (!kept.error && kept.used > 0) {
        if (flush()) kept.map = mmap(NULL, kept.used, PROT_READ | PROT_WRITE, MAP_SHARED, kept.file.fd, 0);
        if (!kept.map || kept.map == MAP_FAILED) {
            if (!kept.error) kept.error = strerror(errno);
            kept.map = NULL;
        }
    }
    if (!kept.map) kept.used = 0;
    free(kept.buffer);
    kept.buffer = NULL;
    pthread_mutex_unlock(&lock);
}

static bool says_peer(enum lp_completion_kind kind)
{
    return kind == LP_RECV_DONE || kind == LP_SEND_STARTED || kind == LP_SSEND_STARTED || kind == LP_RECV_STARTED;
}

void lp_keep_call(const struct lp_call *call, const struct lp_completion *completions, int count)
{
    if (!kept.on) return;
    pthread_mutex_lock(&lock);
    const size_t bytes = sizeof(struct lp_kept_call) + (size_t)count * sizeof(struct lp_kept_completion);
    struct lp_kept_call *to = kept.error ? NULL : append(bytes);
    if (to) {
        *to = (struct lp_kept_call){.begin = call->begin,
                                    .end = call->end,
                                    .comm = call->comm,
                                    .request = call->request,
                                    .peer = call->peer,
                                    .tag = call->tag,
                                    .peer2 = call->peer2,
                                    .tag2 = call->tag2,
                                    .call = call->call,
                                    .completions = (uint32_t)count};
        struct lp_kept_completion *found = lp_kept_completions(to);
        for (int i = 0; i < count; ++i) {
            const bool is_told = says_peer(completions[i].kind);
            found[i] = (struct lp_kept_completion){(uint32_t)completions[i].kind,
                                                   completions[i].request,
                                                   completions[i].comm,
                                                   is_told ? completions[i].peer : LP_NO_RANK,
                                                   is_told ? completions[i].tag : 0,
                                                   0};
        }
    }
    pthread_mutex_unlock(&lock);
}

static struct lp_kept_comm *known_comm(uint32_t comm)
{
    for (int at = kept.comm_count - 1; at >= 0; --at)
        if (kept.comms[at].comm == comm) return &kept.comms[at];
    return NULL;
}

void lp_keep_comm(uint32_t comm, int32_t origin, uint32_t serial, const char *name, int size, const int32_t *members)
{
    if (!kept.on) return;
    pthread_mutex_lock(&lock);
    // One that has a name now. New ones have larger numbers, but where threads make them at once.
    const bool is_new = kept.comm_count == 0 || comm > kept.largest_comm;
    struct lp_kept_comm *known = is_new ? NULL : known_comm(comm);
    if (known) {
        free(known->name);
        known->name = strdup(name ? name : "");
        pthread_mutex_unlock(&lock);
        return;
    }
    if (is_new) kept.largest_comm = comm;
    if (kept.comm_count == kept.comm_room) {
        const int room = kept.comm_room ? 2 * kept.comm_room : 16;
        struct lp_kept_comm *more = realloc(kept.comms, (size_t)room * sizeof *more);
        if (!more) kept.error = strerror(ENOMEM);
        else {
            kept.comms = more;
            kept.comm_room = room;
        }
    }
    int32_t *copy = malloc((size_t)(size > 0 ? size : 1) * sizeof *copy);
    if (kept.comm_count < kept.comm_room && copy) {
        memcpy(copy, members, (size_t)size * sizeof *copy);
        kept.comms[kept.comm_count++] = (struct lp_kept_comm){comm, origin, serial,
                                                              size, copy,   strdup(name ? name : "")};
        kept.comms_sorted = false;
    } else {
        free(copy);
    }
    pthread_mutex_unlock(&lock);
}

size_t lp_kept_bytes(void) { return kept.used; }

struct lp_kept_call *lp_kept_at(size_t at) { return (struct lp_kept_call *)(void *)(kept.map + at); }

struct lp_kept_completion *lp_kept_completions(struct lp_kept_call *call)
{
    return (struct lp_kept_completion *)(void *)(call + 1);
}

size_t lp_kept_size(const struct lp_kept_call *call)
{
    return sizeof *call + call->completions * sizeof(struct lp_kept_completion);
}

static int by_id(const void *a, const void *b)
{
    const struct lp_kept_comm *x = a, *y = b;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void sort_comms(void)
{
    qsort(kept.comms, (size_t)kept.comm_count, sizeof *kept.comms, by_id);
    uint32_t largest = 0;
    for (int i = 0; i < kept.comm_count; ++i)
        if (kept.comms[i].comm != LP_NO_COMM && kept.comms[i].comm > largest) largest = kept.comms[i].comm;
    free(kept.place);
    kept.place = malloc(((size_t)largest + 1) * sizeof *kept.place);
    kept.places = kept.place ? largest + 1 : 0;
    for (uint32_t i = 0; i < kept.places; ++i) kept.place[i] = -1;
    for (int i = 0; i < kept.comm_count; ++i)
        if (kept.comms[i].comm < kept.places) kept.place[kept.comms[i].comm] = i;
    kept.comms_sorted = true;
}

const struct lp_kept_comm *lp_kept_comms(int *count)
{
    if (!kept.comms_sorted && kept.comm_count > 0) sort_comms();
    *count = kept.comm_count;
    return kept.comms;
}

const struct lp_kept_comm *lp_kept_comm_of(uint32_t comm)
{
    return comm < kept.places && kept.place[comm] >= 0 ? &kept.comms[kept.place[comm]] : NULL;
}

const char *lp_keep_error(void) { return kept.error; }

void *lp_map_room(size_t bytes)
{
    if (bytes <= BUFFER) {
        void *small = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return small == MAP_FAILED ? NULL : small;
    }
    if (!lp_may_reach(bytes)) return NULL;
    const int file = nameless_file();
    if (file < 0) return NULL;
    void *room = MAP_FAILED;
    if (posix_fallocate(file, 0, (off_t)bytes) == 0)
        room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return room == MAP_FAILED ? NULL : room;
}

void lp_unmap_room(void *room, size_t bytes)
{
    if (room) munmap(room, bytes ? bytes : 1);
}

void lp_keep_end(void)
{
    if (kept.map) munmap(kept.map, kept.used);
    lp_disown(&kept.file);
    for (int i = 0; i < kept.comm_count; ++i) {
        free(kept.comms[i].members);
        free(kept.comms[i].name);
    }
    free(kept.comms);
    free(kept.place);
    memset(&kept, 0, sizeof kept);
    kept.file.fd = -1;
}
