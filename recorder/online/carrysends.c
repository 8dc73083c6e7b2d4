// SPDX-License-Identifier: GPL-3.0-or-later
// Values on their way to other ranks: buffers that MPI sends from, used again when they are sent.
#define _GNU_SOURCE
#include "recorder/online/carrystate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 16 };

// Tests the oldest sends, which are done first.
static void test_sends(int most)
{
    for (int tries = 0; tries < lp_carry.send_count && tries < most && lp_carry.free_count == 0; ++tries) {
        int is_done = 0;
        lp_carry.tested = (lp_carry.tested + 1) % lp_carry.send_count;
        PMPI_Test(&lp_carry.requests[lp_carry.tested], &is_done, MPI_STATUS_IGNORE);
        if (is_done) lp_carry.free_sends[lp_carry.free_count++] = lp_carry.tested;
    }
}

bool lp_carry_add_send(void)
{
    if (lp_carry.send_count == lp_carry.send_capacity) {
        const int capacity = 2 * lp_carry.send_capacity + 64;
        void *requests = realloc(lp_carry.requests, (size_t)capacity * sizeof *lp_carry.requests);
        if (requests) lp_carry.requests = requests;
        void *buffers = realloc(lp_carry.buffers, (size_t)capacity * sizeof *lp_carry.buffers);
        if (buffers) lp_carry.buffers = buffers;
        void *free_sends = realloc(lp_carry.free_sends, (size_t)capacity * sizeof *lp_carry.free_sends);
        if (free_sends) lp_carry.free_sends = free_sends;
        if (!requests || !buffers || !free_sends) return false;
        lp_carry.send_capacity = capacity;
    }
    int64_t *buffer = malloc((LP_CARRY_HEAD + LP_MOST_WORDS) * sizeof *buffer);
    if (!buffer) return false;
    lp_carry.requests[lp_carry.send_count] = MPI_REQUEST_NULL;
    lp_carry.buffers[lp_carry.send_count] = buffer;
    lp_carry.free_sends[lp_carry.free_count++] = lp_carry.send_count++;
    return true;
}

// Waits until a send is free; there is room for one at least.
static void find_free_send(void)
{
    if (lp_carry.free_count > 0) return;
    test_sends(MOST_TESTS);
    if (lp_carry.free_count > 0 || lp_carry_add_send()) return;
    // No memory for more: values are small, so that MPI takes them before they are received.
    while (lp_carry.free_count == 0) test_sends(lp_carry.send_count);
}

static int64_t two(uint32_t low, uint32_t high) { return (int64_t)((uint64_t)low | (uint64_t)high << 32); }

void lp_carry_send_value(int to, struct lp_carry_key key, const int64_t *value)
{
    find_free_send();
    if (lp_carry.counts.is_broken) value = NULL;
    const int at = lp_carry.free_sends[--lp_carry.free_count];
    int64_t *words = lp_carry.buffers[at];
    words[0] = two((uint32_t)key.origin, key.serial);
    words[1] = two((uint32_t)key.tag, key.number);
    words[2] = two(lp_carry.epoch, value != NULL);
    if (value) memcpy(words + LP_CARRY_HEAD, value, lp_carry.words * sizeof *words);
    PMPI_Isend(words, (int)(LP_CARRY_HEAD + (value ? lp_carry.words : 0)), MPI_INT64_T, to, LP_CARRY_TAG, lp_carry.comm,
               &lp_carry.requests[at]);
    ++lp_carry.counts.messages;
}
