// SPDX-License-Identifier: GPL-3.0-or-later
// Aligns clocks: fastest round trip along a tree of ranks, or barriers and a median. Only PMPI calls.
#define _GNU_SOURCE
#include "recorder/storage/clock.h"

#include "recorder/format/format.h"
#include "recorder/format/recording.h"
#include "recorder/storage/config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BARRIERS = 101, EXCHANGES = 200, FEWEST_EXCHANGES = 20, CHECKS = 3, TAG = 7 };
// When the fewest exchanges have been made, no more begin after exchange_time ns; if ranks share processors and no
// exchange has been fast_enough yet, not after longest_time.
static const int64_t exchange_time = 50000000, longest_time = 500000000, fast_enough = 50000;

struct offset {
    int64_t offset, error;
};

static struct lp_clock_point points[2];
static struct lp_clock_difference run;  // of rank 0's clock, in a program that others started

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t median(int64_t *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

// What the side does whose clock counts: it answers until it is told that there is no more.
static void answer(MPI_Comm comm, int other)
{
    int64_t more = 1;
    while (more) {
        PMPI_Recv(&more, 1, MPI_INT64_T, other, TAG, comm, MPI_STATUS_IGNORE);
        const int64_t time = lp_now();
        PMPI_Send(&time, 1, MPI_INT64_T, other, TAG, comm);
    }
}

// Cristian's algorithm: the other's clock was read somewhere within an exchange, so the fastest exchange says most. The
// last exchange tells the other side that there is no more.
static struct offset ask(MPI_Comm comm, int other, int exchanges)
{
    struct offset best = {0, INT64_MAX};
    const int64_t begin = lp_now();
    int64_t more = 1;
    for (int i = 1; more; ++i) {
        const int64_t sent = lp_now();
        const int64_t limit = best.error <= fast_enough ? exchange_time : longest_time;
        more = i < exchanges && (i < FEWEST_EXCHANGES || sent - begin < limit);
        int64_t theirs = 0;
        PMPI_Send(&more, 1, MPI_INT64_T, other, TAG, comm);
        PMPI_Recv(&theirs, 1, MPI_INT64_T, other, TAG, comm, MPI_STATUS_IGNORE);
        const int64_t received = lp_now();
        const int64_t error = (received - sent + 1) / 2;
        if (error >= best.error) continue;
        best.error = error;
        best.offset = theirs - (sent + (received - sent) / 2);
    }
    return best;
}

// Round trips along a binomial tree: each rank asks its parent, then offsets add up from the root. O(log ranks) rounds.
static struct offset by_round_trip(MPI_Comm comm, int exchanges)
{
    int rank = 0, size = 1, top = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    struct offset mine = {0, 0};
    for (int step = 1; step < size; step *= 2) {
        top = step;
        if (rank % (2 * step) == step) mine = ask(comm, rank - step, exchanges);
        else if (rank % (2 * step) == 0 && rank + step < size) answer(comm, rank + step);
    }
    for (int step = top; size > 1 && step >= 1; step /= 2) {
        struct offset theirs = {0, 0};
        if (rank % (2 * step) == step) {
            PMPI_Recv(&theirs, 2, MPI_INT64_T, rank - step, TAG, comm, MPI_STATUS_IGNORE);
            mine.offset += theirs.offset;
            mine.error += theirs.error;
        } else if (rank % (2 * step) == 0 && rank + step < size) {
            PMPI_Send(&mine, 2, MPI_INT64_T, rank + step, TAG, comm);
        }
    }
    return mine;
}

// Korkhov et al., section 5.4: compares the times after each of a series of barriers with rank 0's. A difference below
// the barrier's duration counts as none, and that duration is the error.
static struct offset by_barriers(MPI_Comm comm)
{
    int64_t after[BARRIERS], reference[BARRIERS], taken[BARRIERS];
    for (int i = 0; i < BARRIERS; ++i) {
        const int64_t before = lp_now();
        PMPI_Barrier(comm);
        after[i] = lp_now();
        taken[i] = after[i] - before;
    }
    memcpy(reference, after, sizeof reference);
    PMPI_Bcast(reference, BARRIERS, MPI_INT64_T, 0, comm);
    for (int i = 0; i < BARRIERS; ++i) {
        after[i] = reference[i] - after[i];
        if (llabs(after[i]) < taken[i]) after[i] = 0;
    }
    const struct offset result = {median(after, BARRIERS), median(taken, BARRIERS)};
    return result;
}

// FNV-1a; continue with the result as `hash`.
static const uint64_t no_text = 14695981039346656037u;
static uint64_t hash_of(const char *text, uint64_t hash)
{
    for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

// Hosts that share memory share a clock, unless they only look like one: their kernels' boot ids must be the same too.
// no_text: it is not known.
static uint64_t boot_id(void)
{
    char text[64] = {0};
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
        close(file);
    }
    return hash_of(text, no_text);
}

static int all_agree(MPI_Comm comm, int mine)
{
    int all = 0;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm);
    return all;
}

// Whether all ranks read one clock, as far as a few exchanges along a tree can tell: with time name spaces or
// libfaketime the clocks of one host differ, and then no exchange's bounds contain 0.
static int clocks_agree(MPI_Comm comm)
{
    int rank = 0, size = 1, agree = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    for (int step = 1; step < size; step *= 2) {
        if (rank % (2 * step) == step) {
            const struct offset found = ask(comm, rank - step, CHECKS);
            agree = llabs(found.offset) <= found.error;
        } else if (rank % (2 * step) == 0 && rank + step < size) {
            answer(comm, rank + step);
        }
    }
    return all_agree(comm, agree);
}

static uint64_t host_of(uint64_t boot)
{
    char name[256] = {0};
    gethostname(name, sizeof name - 1);
    return hash_of(name, boot);
}

// Whether the whole run is on one host, by its name and its kernel's boot id, with one clock: then nothing has to be
// measured, and no communicators of hosts are made, which would take longer than all else that MPI_Init is stopped for.
static int on_one_host(MPI_Comm world)
{
    const uint64_t boot = boot_id();
    const uint64_t mine = host_of(boot);
    uint64_t least[2] = {mine, boot == no_text ? mine : ~mine};  // the least complement is that of the largest
    PMPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_UINT64_T, MPI_MIN, world);
    return least[0] == ~least[1] && clocks_agree(world);
}

// Whether all of a host's ranks read one clock.
static int one_clock(MPI_Comm host)
{
    uint64_t first = boot_id();
    const uint64_t id = first;
    PMPI_Bcast(&first, 1, MPI_UINT64_T, 0, host);
    if (!all_agree(host, first == id)) return 0;
    return clocks_agree(host);
}

// One leader per host asks; the others of the host have its clock.
static struct offset by_hosts(MPI_Comm world, uint32_t *method)
{
    MPI_Comm host = MPI_COMM_NULL, leaders = MPI_COMM_NULL;
    int rank = 0, in_host = 0, hosts = 1;
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    PMPI_Comm_rank(host, &in_host);
    struct offset mine = {0, 0};
    const int is_shared = all_agree(world, one_clock(host));
    if (is_shared) {
        PMPI_Comm_split(world, in_host == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
        if (leaders != MPI_COMM_NULL) {
            PMPI_Comm_size(leaders, &hosts);
            mine = by_round_trip(leaders, EXCHANGES);
            PMPI_Comm_free(&leaders);
        }
        PMPI_Bcast(&mine, 2, MPI_INT64_T, 0, host);
        PMPI_Bcast(&hosts, 1, MPI_INT, 0, host);
        *method = hosts == 1 ? LP_CLOCK_SAME_HOST : LP_CLOCK_RTT;
    } else {
        mine = by_round_trip(world, EXCHANGES);
    }
    PMPI_Comm_free(&host);
    return mine;
}

static struct offset measure(MPI_Comm world, uint32_t *method)
{
    static int is_one_host;
    const struct offset none = {0, 0};
    switch (lp_config()->clock) {
    case LP_ALIGN_NONE: *method = LP_CLOCK_NONE; return none;
    case LP_ALIGN_BARRIER: *method = LP_CLOCK_BARRIER; return by_barriers(world);
    case LP_ALIGN_RTT: *method = LP_CLOCK_RTT; return by_round_trip(world, EXCHANGES);
    case LP_ALIGN_AUTO: break;
    }
    if (!is_one_host && points[0].method == LP_CLOCK_UNKNOWN) is_one_host = on_one_host(world);
    *method = is_one_host ? LP_CLOCK_SAME_HOST : LP_CLOCK_RTT;
    return is_one_host ? none : by_hosts(world, method);
}

static void set_point(int which, MPI_Comm world)
{
    struct lp_clock_point *point = &points[which];
    const struct offset found = measure(world, &point->method);
    point->local = lp_now();
    point->offset = found.offset + run.offset;
    point->error = found.error + run.error;
    lp_set_clock(which, point);
}

void lp_clock_begin(MPI_Comm world) { set_point(0, world); }

void lp_clock_answer_started(MPI_Comm between)
{
    const uint64_t boot = boot_id();
    const int64_t mine[] = {points[0].offset, points[0].error, (int64_t)host_of(boot), boot != no_text};
    PMPI_Send(mine, 4, MPI_INT64_T, 0, TAG, between);
    answer(between, 0);
}

struct lp_clock_difference lp_clock_ask_starter(MPI_Comm between)
{
    int64_t theirs[4];
    PMPI_Recv(theirs, 4, MPI_INT64_T, 0, TAG, between, MPI_STATUS_IGNORE);
    struct offset found = ask(between, 0, EXCHANGES);
    const bool is_one_host = theirs[3] && (uint64_t)theirs[2] == host_of(boot_id());
    if (is_one_host && llabs(found.offset) <= found.error) found = (struct offset){0, 0};
    return (struct lp_clock_difference){theirs[0] + found.offset, theirs[1] + found.error};
}

void lp_clock_follow(struct lp_clock_difference difference) { run = difference; }

void lp_clock_end(MPI_Comm world) { set_point(1, world); }

int64_t lp_clock_align(int64_t time)
{
    const struct lp_clock_point *a = &points[0], *b = &points[1];
    if (b->method == LP_CLOCK_UNKNOWN || time <= a->local || b->local <= a->local) return time + a->offset;
    if (time >= b->local) return time + b->offset;
    const double share = (double)(time - a->local) / (double)(b->local - a->local);
    return time + a->offset + (int64_t)((double)(b->offset - a->offset) * share);
}
