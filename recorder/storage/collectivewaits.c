// SPDX-License-Identifier: GPL-3.0-or-later
// What collective calls waited for: last begin and first end of all members, gathered in bulk over each communicator.
#include "recorder/storage/ratios.h"
#include "recorder/storage/waits.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16384, TAG = 11 };
static const int most_entries = 4000000;  // with more communicators over all ranks only MPI_COMM_WORLD is looked at

// One collective call: the offsets of the kept calls that started and that completed it.
struct part {
    size_t start, completion;
};

struct parts {
    struct part *all;
    size_t count, bytes;
    size_t *first;  // by communicator, in the order of lp_kept_comms: its first part; one element more
    int comms;
};

// How many calls a rank made on a communicator.
struct entry {
    int32_t origin;
    uint32_t serial;
    int64_t calls;
};

static bool is_collective(const struct lp_kept_call *call)
{
    const enum lp_call_class class = lp_class_of(call->call);
    const enum lp_collective_kind kind = lp_kind_of(call->call);
    return (class == LP_CLASS_COLLECTIVE || class == LP_CLASS_START_COLLECTIVE || class == LP_CLASS_COMMUNICATOR
            || class == LP_CLASS_START_COMMUNICATOR || class == LP_CLASS_LIFETIME)
           && kind != LP_KIND_NONE && kind != LP_KIND_LOOSE && lp_kept_comm_of(call->comm);
}

static uint32_t largest_request(void)
{
    uint32_t largest = 0;
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at)))
        if (lp_kept_at(at)->request > largest) largest = lp_kept_at(at)->request;
    return largest;
}

// Sets where the parts of non-blocking calls completed; those that never did stay at their start.
static bool find_completions(struct parts *parts)
{
    const uint32_t requests = largest_request() + 1;
    const size_t bytes = requests * sizeof(size_t);
    size_t *part_of = lp_map_room(bytes);  // by request: the index of its part, + 1; 0: none
    if (!part_of) return false;
    for (size_t i = 0; i < parts->count; ++i)
        if (lp_kept_at(parts->all[i].start)->request != LP_NO_REQUEST)
            part_of[lp_kept_at(parts->all[i].start)->request] = i + 1;
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at))) {
        struct lp_kept_call *call = lp_kept_at(at);
        const struct lp_kept_completion *done = lp_kept_completions(call);
        for (uint32_t i = 0; i < call->completions; ++i)
            if (done[i].request < requests && part_of[done[i].request] > 0
                && (done[i].kind == LP_COLLECTIVE_DONE || done[i].kind == LP_COMM_DONE))
                parts->all[part_of[done[i].request] - 1].completion = at;
    }
    lp_unmap_room(part_of, bytes);
    return true;
}

// Finds all collective calls, by communicator and in the order in which this rank called them.
static bool find_parts(struct parts *parts)
{
    const struct lp_kept_comm *comms = lp_kept_comms(&parts->comms);
    parts->first = calloc((size_t)parts->comms + 2, sizeof *parts->first);
    if (!parts->first) return false;
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at)))
        if (is_collective(lp_kept_at(at))) ++parts->first[lp_kept_comm_of(lp_kept_at(at)->comm) - comms + 2];
    for (int i = 0; i < parts->comms; ++i) parts->first[i + 2] += parts->first[i + 1];
    parts->count = parts->first[parts->comms + 1];
    parts->bytes = parts->count * sizeof *parts->all;
    parts->all = lp_map_room(parts->bytes);
    if (!parts->all) return false;
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at))) {
        if (!is_collective(lp_kept_at(at))) continue;
        size_t *next = &parts->first[lp_kept_comm_of(lp_kept_at(at)->comm) - comms + 1];
        parts->all[(*next)++] = (struct part){at, at};
    }
    return find_completions(parts);
}

static int by_comm(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

// Gathers the entries of all ranks, sorted; `*count` < 0 if there are too many.
static struct entry *gather_entries(MPI_Comm world, const struct parts *parts, int *count)
{
    int ranks = 1, bytes = parts->comms * (int)sizeof(struct entry), total = 0, unused = 0;
    PMPI_Comm_size(world, &ranks);
    const struct lp_kept_comm *comms = lp_kept_comms(&unused);
    int *sizes = malloc((size_t)ranks * sizeof *sizes), *at = malloc((size_t)ranks * sizeof *at);
    struct entry *mine = malloc((size_t)parts->comms * sizeof *mine + 1), *all = NULL;
    for (int i = 0; mine && i < parts->comms; ++i)
        mine[i] = (struct entry){comms[i].origin, comms[i].serial, (int64_t)(parts->first[i + 1] - parts->first[i])};
    const bool ok = lp_all_ranks(world, sizes && at && mine);
    if (ok) {
        PMPI_Allgather(&bytes, 1, MPI_INT, sizes, 1, MPI_INT, world);
        int64_t sum = 0;
        for (int i = 0; i < ranks; ++i) sum += sizes[i] / (int)sizeof(struct entry);
        total = sum > most_entries ? -1 : (int)sum;
        for (int i = 0, offset = 0; total >= 0 && i < ranks; offset += sizes[i++]) at[i] = offset;
    }
    if (ok && total >= 0) all = malloc((size_t)total * sizeof *all + 1);
    if (lp_all_ranks(world, all != NULL)) {
        PMPI_Allgatherv(mine, bytes, MPI_BYTE, all, sizes, at, MPI_BYTE, world);
        qsort(all, (size_t)total, sizeof *all, by_comm);
    } else {
        free(all);
        all = NULL;
    }
    free(sizes);
    free(at);
    free(mine);
    *count = total;
    return all;
}

// How many calls all members of a communicator have in common; -1: one of them does not know it.
static int64_t common_calls(const struct entry *all, int count, const struct lp_kept_comm *comm)
{
    const struct entry key = {comm->origin, comm->serial, 0};
    const struct entry *found = bsearch(&key, all, (size_t)count, sizeof *all, by_comm);
    if (!found) return -1;
    while (found > all && by_comm(found - 1, &key) == 0) --found;
    int64_t common = found->calls;
    int members = 0;
    for (; found < all + count && by_comm(found, &key) == 0; ++found, ++members)
        if (found->calls < common) common = found->calls;
    return members == comm->size ? common : -1;
}

// A communicator of the same members, for us alone.
static MPI_Comm comm_of(MPI_Comm world, const struct lp_kept_comm *comm)
{
    MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_group(world, &all);
    PMPI_Group_incl(all, comm->size, comm->members, &group);
    PMPI_Comm_create_group(world, group, TAG, &made);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    return made;
}

static void set_waits(const struct part *part, const int64_t agreed[4], int members)
{
    struct lp_kept_call *start = lp_kept_at(part->start), *end = lp_kept_at(part->completion);
    if (agreed[2] != -agreed[3]) return;  // members call different things
    const bool is_non_blocking = start->request != LP_NO_REQUEST;
    const struct lp_parts parts = lp_collective_parts(start->begin, end->end, agreed[0], -agreed[1]);
    if (!is_non_blocking) {
        start->before = parts.before;
        start->after = parts.after;
        start->flags |= LP_KEPT_COLLECTIVE;
    } else if (start != end && !lp_is_test(end->call)) {
        lp_wait_before(end, lp_receive_parts(end->begin, end->end, agreed[0]).before);
    }
    end->members += parts.execution >= 0 || is_non_blocking ? (uint32_t)members : 0;
}

// All members agree on the last begin, the first end and the call of each instance, a block at a time.
static void agree(MPI_Comm comm, const struct part *parts, int64_t count, int members, int64_t *room)
{
    for (int64_t done = 0; done < count; done += BLOCK) {
        const int block = (int)(count - done < BLOCK ? count - done : BLOCK);
        for (int i = 0; i < block; ++i) {
            const struct lp_kept_call *start = lp_kept_at(parts[done + i].start);
            const int64_t mine[] = {start->begin, -lp_kept_at(parts[done + i].completion)->end, start->call,
                                    -(int64_t)start->call};
            memcpy(room + 4 * (ptrdiff_t)i, mine, sizeof mine);
        }
        if (comm != MPI_COMM_NULL) PMPI_Allreduce(MPI_IN_PLACE, room, 4 * block, MPI_INT64_T, MPI_MAX, comm);
        for (int i = 0; i < block; ++i) set_waits(&parts[done + i], room + 4 * (ptrdiff_t)i, members);
    }
}

// Ranks go over their communicators in one order, by id, so that none waits for another in a circle.
static void agree_on_all(MPI_Comm world, const struct parts *parts, const struct entry *all, int count, int64_t *room)
{
    int comms = 0, ranks = 1;
    PMPI_Comm_size(world, &ranks);
    const struct lp_kept_comm *comm = lp_kept_comms(&comms);
    for (int i = 0; i < comms; ++i, ++comm) {
        const struct part *first = parts->all + parts->first[i];
        if (comm->size == 1) {
            agree(MPI_COMM_NULL, first, (int64_t)(parts->first[i + 1] - parts->first[i]), 1, room);
            continue;
        }
        const int64_t calls = common_calls(all, count, comm);
        if (calls <= 0) continue;
        MPI_Comm own = comm->size == ranks ? world : comm_of(world, comm);
        agree(own, first, calls, comm->size, room);
        if (own != world) PMPI_Comm_free(&own);
    }
}

bool lp_collective_waits(MPI_Comm world)
{
    struct parts parts = {0};
    int count = 0;
    int64_t *room = malloc((size_t)4 * BLOCK * sizeof *room);
    const bool ok = lp_all_ranks(world, find_parts(&parts) && room);
    struct entry *all = ok ? gather_entries(world, &parts, &count) : NULL;
    if (all) agree_on_all(world, &parts, all, count, room);
    free(all);
    free(room);
    free(parts.first);
    lp_unmap_room(parts.all, parts.bytes);
    return ok && all;
}
