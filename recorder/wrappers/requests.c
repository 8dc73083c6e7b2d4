// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps requests in a hash table of queues; if several threads may call MPI, in shards with a lock each.
#include "recorder/wrappers/requests.h"

#include "recorder/wrappers/handles.h"
#include "recorder/wrappers/scratch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARD_BITS 6
#define NONE 0xffffffffu

struct node {
    struct lp_request request;
    uint32_t next;
};

struct slot {
    uintptr_t handle;      // 0: free
    uint32_t first, last;  // nodes
};

struct shard {
    pthread_mutex_t lock;
    struct slot *slots;
    struct node *nodes;
    unsigned bits;
    uint32_t used, nodeCount, nodeRoom, freeNode;
};

static struct shard shards[1 << SHARD_BITS];
static struct lp_handles messages = LP_HANDLES;
static bool severalThreads, areFollowed;
static atomic_uint serials;

void lp_use_threads(bool several)
{
    for (int shard = 0; shard < 1 << SHARD_BITS; ++shard) pthread_mutex_init(&shards[shard].lock, 0);
    severalThreads = several;
}

void lp_follow_requests(bool followed) { areFollowed = followed; }

bool lp_uses_threads(void) { return severalThreads; }

static struct shard *enter(uintptr_t handle)
{
    if (!severalThreads) return &shards[0];
    struct shard *shard = &shards[lp_hash(handle) & ((1 << SHARD_BITS) - 1)];
    pthread_mutex_lock(&shard->lock);
    return shard;
}

static void leave(struct shard *shard)
{
    if (severalThreads) pthread_mutex_unlock(&shard->lock);
}

static void *allocated(void *memory)
{
    if (memory) return memory;
    fputs("longpole: no memory left to record MPI requests.\n", stderr);
    abort();
}

// The handle's slot, or the free one where it belongs; null in an empty shard.
static struct slot *find(const struct shard *shard, uintptr_t handle)
{
    if (!shard->slots) return 0;
    const uint32_t mask = (1u << shard->bits) - 1;
    uint32_t at = (uint32_t)(lp_hash(handle) >> (64 - shard->bits));
    while (shard->slots[at].handle && shard->slots[at].handle != handle) at = (at + 1) & mask;
    return &shard->slots[at];
}

static void makeRoom(struct shard *shard)
{
    if (shard->slots && 2 * shard->used < 1u << shard->bits) return;
    struct slot *old = shard->slots;
    const uint32_t count = old ? 1u << shard->bits : 0;
    shard->bits = old ? shard->bits + 1 : 6;
    shard->slots = allocated(calloc((size_t)1 << shard->bits, sizeof *shard->slots));
    for (uint32_t at = 0; at < count; ++at) {
        if (old[at].handle) *find(shard, old[at].handle) = old[at];
    }
    free(old);
}

// Moves later slots of the same run up, so that no search stops early.
static void erase(struct shard *shard, struct slot *slot)
{
    const uint32_t mask = (1u << shard->bits) - 1;
    uint32_t hole = (uint32_t)(slot - shard->slots);
    for (uint32_t at = (hole + 1) & mask; shard->slots[at].handle; at = (at + 1) & mask) {
        const uint32_t home = (uint32_t)(lp_hash(shard->slots[at].handle) >> (64 - shard->bits));
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        shard->slots[hole] = shard->slots[at];
        hole = at;
    }
    shard->slots[hole].handle = 0;
    --shard->used;
}

static uint32_t newNode(struct shard *shard, const struct lp_request *request)
{
    uint32_t node = shard->freeNode;
    if (shard->nodeRoom && node != NONE) {
        shard->freeNode = shard->nodes[node].next;
    } else {
        if (shard->nodeCount == shard->nodeRoom) {
            shard->nodeRoom = shard->nodeRoom ? 2 * shard->nodeRoom : 64;
            shard->nodes = allocated(realloc(shard->nodes, shard->nodeRoom * sizeof *shard->nodes));
        }
        if (!shard->nodeCount) shard->freeNode = NONE;
        node = shard->nodeCount++;
    }
    shard->nodes[node] = (struct node){*request, NONE};
    return node;
}

static void add(struct shard *shard, uintptr_t handle, const struct lp_request *request, bool isFirst)
{
    makeRoom(shard);
    const uint32_t node = newNode(shard, request);
    struct slot *slot = find(shard, handle);
    if (!slot->handle) {
        *slot = (struct slot){handle, node, node};
        ++shard->used;
    } else if (isFirst) {
        shard->nodes[node].next = slot->first;
        slot->first = node;
    } else {
        shard->nodes[slot->last].next = node;
        slot->last = node;
    }
}

static void removeFirst(struct shard *shard, struct slot *slot)
{
    const uint32_t node = slot->first;
    slot->first = shard->nodes[node].next;
    shard->nodes[node].next = shard->freeNode;
    shard->freeNode = node;
    if (slot->first == NONE) erase(shard, slot);
}

static struct lp_request *first(const struct shard *shard, const struct slot *slot)
{
    return slot && slot->handle ? &shard->nodes[slot->first].request : 0;
}

static uint32_t newSerial(void)
{
    if (!lp_is_recording() && !areFollowed) return 0;
    if (severalThreads) return atomic_fetch_add_explicit(&serials, 1, memory_order_relaxed) + 1;
    const uint32_t serial = atomic_load_explicit(&serials, memory_order_relaxed) + 1;
    atomic_store_explicit(&serials, serial, memory_order_relaxed);
    return serial;
}

uint32_t lp_add_request(MPI_Request handle, struct lp_request request)
{
    if (lp_is_asked || handle == MPI_REQUEST_NULL) return 0;
    struct shard *shard = enter(LP_HANDLE(handle));
    request.isUnrecorded = !lp_is_recording();
    request.serial = request.isPersistent ? 0 : newSerial();
    add(shard, LP_HANDLE(handle), &request, false);
    leave(shard);
    return request.serial;
}

bool lp_take_request(MPI_Request handle, struct lp_request *taken)
{
    if (handle == MPI_REQUEST_NULL) return false;
    struct shard *shard = enter(LP_HANDLE(handle));
    struct slot *slot = find(shard, LP_HANDLE(handle));
    struct lp_request *request = first(shard, slot);
    const bool isKnown = request && (!request->isPersistent || request->isActive);
    if (isKnown) {
        *taken = *request;
        request->isActive = false;
        if (!request->isPersistent) removeFirst(shard, slot);
    }
    leave(shard);
    return isKnown;
}

void lp_return_request(MPI_Request handle, const struct lp_request *taken)
{
    struct shard *shard = enter(LP_HANDLE(handle));
    struct lp_request *request = taken->isPersistent ? first(shard, find(shard, LP_HANDLE(handle))) : 0;
    if (request) request->isActive = true;
    else add(shard, LP_HANDLE(handle), taken, true);
    leave(shard);
}

static bool findFollowed(MPI_Request handle, struct lp_request *found, bool isSeen)
{
    if (handle == MPI_REQUEST_NULL) return false;
    struct shard *shard = enter(LP_HANDLE(handle));
    const struct slot *slot = find(shard, LP_HANDLE(handle));
    uint32_t node = slot && slot->handle ? slot->first : NONE;
    while (node != NONE && !shard->nodes[node].request.serial) node = shard->nodes[node].next;
    struct lp_request *request = node != NONE ? &shard->nodes[node].request : 0;
    const bool isKnown = request && request->kind != LP_COMM_REQUEST && (!request->isPersistent || request->isActive);
    if (isKnown) *found = *request;
    if (isKnown && isSeen) request->serial = 0;
    leave(shard);
    return isKnown;
}

bool lp_find_request(MPI_Request handle, struct lp_request *found) { return findFollowed(handle, found, false); }

bool lp_see_request(MPI_Request handle, struct lp_request *seen) { return findFollowed(handle, seen, true); }

void lp_each_open_receive(void (*of)(MPI_Request handle, struct lp_request *request))
{
    for (int at = 0; at < 1 << SHARD_BITS; ++at) {
        const struct shard *shard = &shards[at];
        for (uint32_t i = 0; shard->slots && i < 1u << shard->bits; ++i) {
            if (!shard->slots[i].handle) continue;
            struct lp_request *request = &shard->nodes[shard->slots[i].first].request;
            const bool isOpen = request->serial && (!request->isPersistent || request->isActive);
            if (isOpen && request->kind == LP_RECEIVE_REQUEST && (request->peer < 0 || request->tag < 0))
                of((MPI_Request)shard->slots[i].handle, request);
        }
    }
}

bool lp_start_request(MPI_Request handle, struct lp_request *started)
{
    struct shard *shard = enter(LP_HANDLE(handle));
    struct lp_request *request = first(shard, find(shard, LP_HANDLE(handle)));
    const bool isKnown = request && request->isPersistent;
    if (isKnown) {
        request->isUnrecorded = !lp_is_recording();
        request->serial = newSerial();
        request->isActive = true;
        request->ready = 0;
        *started = *request;
    }
    leave(shard);
    return isKnown;
}

bool lp_find_prepared(MPI_Request handle, struct lp_request *found)
{
    if (handle == MPI_REQUEST_NULL) return false;
    struct shard *shard = enter(LP_HANDLE(handle));
    const struct lp_request *request = first(shard, find(shard, LP_HANDLE(handle)));
    const bool isKnown = request && request->isPersistent;
    if (isKnown) *found = *request;
    leave(shard);
    return isKnown;
}

bool lp_count_ready(MPI_Request handle, int partitions, struct lp_request *sent)
{
    struct shard *shard = enter(LP_HANDLE(handle));
    struct lp_request *request = first(shard, find(shard, LP_HANDLE(handle)));
    const bool isKnown = request && request->partitions > 0 && request->ready < request->partitions;
    if (isKnown) {
        request->ready += partitions;
        *sent = *request;
    }
    leave(shard);
    return isKnown && sent->ready >= sent->partitions;
}

bool lp_forget_request(MPI_Request handle, struct lp_request *forgotten)
{
    struct shard *shard = enter(LP_HANDLE(handle));
    struct slot *slot = find(shard, LP_HANDLE(handle));
    struct lp_request *request = first(shard, slot);
    const bool isKnown = request != 0;
    if (isKnown) {
        *forgotten = *request;
        removeFirst(shard, slot);
    }
    leave(shard);
    return isKnown;
}

void lp_add_message(MPI_Message handle, const struct lp_communicator *comm)
{
    lp_handle_set(&messages, LP_HANDLE(handle), (void *)comm);
}

const struct lp_communicator *lp_take_message(MPI_Message handle)
{
    return lp_handle_take(&messages, LP_HANDLE(handle));
}
