// SPDX-License-Identifier: GPL-3.0-or-later
// Open addressing; a slot keeps its handle for ever, so that readers need no lock. Tables that were too small are kept
// (together they are no larger than the last one).
#include "recorder/wrappers/handles.h"

#include <stdlib.h>

struct lp_handle_slot {
    _Atomic uintptr_t handle;
    _Atomic(void *) value;
};

struct lp_handle_slots {
    unsigned bits;
    size_t used;
    struct lp_handle_slot at[];
};

static struct lp_handle_slots *newSlots(unsigned bits)
{
    struct lp_handle_slots *slots = calloc(1, sizeof *slots + (sizeof(struct lp_handle_slot) << bits));
    if (slots) slots->bits = bits;
    return slots;
}

// The handle's slot, or the free one where it belongs.
static struct lp_handle_slot *slotOf(struct lp_handle_slots *slots, uintptr_t handle)
{
    const size_t mask = ((size_t)1 << slots->bits) - 1;
    size_t at = lp_hash(handle) >> (64 - slots->bits);
    for (;; at = (at + 1) & mask) {
        const uintptr_t found = atomic_load_explicit(&slots->at[at].handle, memory_order_acquire);
        if (!found || found == handle) return &slots->at[at];
    }
}

void *lp_handle_find(const struct lp_handles *handles, uintptr_t handle)
{
    struct lp_handle_slots *slots = atomic_load_explicit(&handles->slots, memory_order_acquire);
    return slots && handle ? atomic_load_explicit(&slotOf(slots, handle)->value, memory_order_acquire) : 0;
}

static void put(struct lp_handle_slots *slots, uintptr_t handle, void *value)
{
    struct lp_handle_slot *slot = slotOf(slots, handle);
    atomic_store_explicit(&slot->value, value, memory_order_release);
    if (!atomic_load_explicit(&slot->handle, memory_order_relaxed)) {
        ++slots->used;
        atomic_store_explicit(&slot->handle, handle, memory_order_release);
    }
}

static struct lp_handle_slots *larger(struct lp_handle_slots *slots)
{
    struct lp_handle_slots *result = newSlots(slots ? slots->bits + 1 : 6);
    for (size_t at = 0; slots && result && at < (size_t)1 << slots->bits; ++at) {
        void *value = atomic_load(&slots->at[at].value);
        if (value) put(result, atomic_load(&slots->at[at].handle), value);
    }
    return result;
}

void lp_handle_set(struct lp_handles *handles, uintptr_t handle, void *value)
{
    pthread_mutex_lock(&handles->lock);
    struct lp_handle_slots *slots = atomic_load(&handles->slots);
    if (!slots || 2 * slots->used >= (size_t)1 << slots->bits) {
        struct lp_handle_slots *grown = larger(slots);
        if (grown) {
            slots = grown;
            atomic_store_explicit(&handles->slots, slots, memory_order_release);
        }
    }
    if (slots && handle && slots->used + 1 < (size_t)1 << slots->bits) put(slots, handle, value);
    pthread_mutex_unlock(&handles->lock);
}

void *lp_handle_take(struct lp_handles *handles, uintptr_t handle)
{
    pthread_mutex_lock(&handles->lock);
    struct lp_handle_slots *slots = atomic_load(&handles->slots);
    void *value = slots && handle ? atomic_exchange(&slotOf(slots, handle)->value, 0) : 0;
    pthread_mutex_unlock(&handles->lock);
    return value;
}
