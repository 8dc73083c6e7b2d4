// SPDX-License-Identifier: GPL-3.0-or-later
// The rank 0 of the program that was started greets rank 0 of those who started it, which answers. Their messages are
// the first on the intercommunicator, before the program has seen it.
#define _GNU_SOURCE
#include "recorder/wrappers/spawned.h"

#include "recorder/format/recording.h"
#include "recorder/storage/clock.h"
#include "recorder/storage/spawnfiles.h"

#include <stdlib.h>
#include <time.h>

enum { TAG = 7, MARK = 0x4c50534e };
// How long an answer may take, and one that was sent; and how often it is asked whether one may come.
static const int64_t patience = 60000000000, grace = 5000000000, often = 1000000;  // ns

struct greeting {
    uint32_t mark;
    int32_t size;  // of the program
};

struct answer {
    uint32_t mark;
    int32_t parents;  // in the group of those who started it; their numbers follow. 0: it is a run of its own
    uint64_t run;
    int32_t folder, first;
    struct lp_comm_id comm;
};

// What all who started the program learn; `first` < 0: it is a run of its own.
struct allotted {
    int32_t first, count;
    struct lp_comm_id comm;
};

static int answered;  // how many who start programs were waiting when this one was started
static MPI_Comm parentsComm;
static int32_t *parents;

static void pauseShortly(void) { nanosleep(&(struct timespec){.tv_nsec = 50000}, 0); }

// Waits for a message as long as the other side may still send it, and `longer`; else takes the receive back. Returns
// whether it came.
static bool arrives(MPI_Request *request, bool (*mayCome)(void), int64_t longer)
{
    int isDone = 0;
    int64_t until = lp_now() + patience, next = 0;
    for (bool isAwaited = true; !isDone; pauseShortly()) {
        PMPI_Test(request, &isDone, MPI_STATUS_IGNORE);
        const int64_t now = lp_now();
        if (isDone || now > until) break;
        if (!isAwaited || now < next) continue;
        next = now + often;
        if (mayCome()) continue;
        isAwaited = false;
        until = now + longer;
    }
    if (isDone) return true;
    MPI_Status status;
    PMPI_Cancel(request);
    PMPI_Wait(request, &status);
    PMPI_Test_cancelled(&status, &isDone);
    return !isDone;
}

void lp_before_start(void)
{
    static bool isDone;
    if (!isDone) answered = lp_answer_spawns();
    isDone = true;
}

// Rank 0 of the program that was started. Without an answer it has no parents.
static struct answer greet(int size)
{
    struct answer answer = {.parents = 0};
    if (answered == 0 || !lp_is_spawn_open()) return answer;
    const struct greeting greeting = {MARK, size};
    MPI_Request sent, received;
    PMPI_Irecv(&answer, sizeof answer, MPI_BYTE, 0, TAG, parentsComm, &received);
    PMPI_Isend(&greeting, sizeof greeting, MPI_BYTE, 0, TAG, parentsComm, &sent);
    if (!arrives(&received, lp_is_spawn_open, grace) || answer.mark != MARK) answer.parents = 0;
    PMPI_Wait(&sent, MPI_STATUS_IGNORE);  // so short a message needs nobody who receives it
    return answer;
}

static struct lp_joined joinParents(MPI_Comm own)
{
    struct lp_joined joined = {.run = 0};
    PMPI_Comm_get_parent(&parentsComm);
    if (parentsComm == MPI_COMM_NULL) return joined;
    int rank = 0, size = 0;
    PMPI_Comm_rank(own, &rank);
    PMPI_Comm_size(own, &size);
    struct answer answer = {.parents = 0};
    if (rank == 0) answer = greet(size);
    PMPI_Bcast(&answer, sizeof answer, MPI_BYTE, 0, own);
    if (answer.parents == 0) return joined;
    parents = calloc((size_t)answer.parents, sizeof *parents);
    if (!parents) abort();
    if (rank == 0) {
        PMPI_Recv(parents, answer.parents, MPI_INT, 0, TAG, parentsComm, MPI_STATUS_IGNORE);
        joined.clock = lp_clock_ask_starter(parentsComm);
    }
    PMPI_Bcast(parents, answer.parents, MPI_INT, 0, own);
    PMPI_Bcast(&joined.clock, sizeof joined.clock, MPI_BYTE, 0, own);
    lp_clock_follow(joined.clock);
    joined.run = answer.run;
    joined.folder = answer.folder;
    joined.first = answer.first;
    joined.comm = answer.comm;
    return joined;
}

struct lp_joined lp_join_nobody(void)
{
    lp_withdraw_answers();
    return (struct lp_joined){.run = 0};
}

struct lp_joined lp_join_parents(MPI_Comm own)
{
    const struct lp_joined joined = joinParents(own);
    lp_withdraw_answers();
    return joined;
}

// The intercommunicator between the programs, whose other side has these ranks.
static void knowOthers(MPI_Comm between, int32_t *ranks, struct lp_comm_id id)
{
    MPI_Group group;
    PMPI_Comm_remote_group(between, &group);  // kept, as long as the program runs
    lp_know_ranks(group, ranks);
    lp_made_comm_of(between, id, true);
}

uint32_t lp_know_parents(const struct lp_joined *joined)
{
    knowOthers(parentsComm, parents, joined->comm);
    return lp_comm(parentsComm)->number;
}

void lp_before_spawn(MPI_Comm local)
{
    const struct lp_communicator *known = lp_comm(local);
    if (!known->isForeign && !known->isInter && known->place == 0) lp_open_spawn();
}

// Rank 0 of those who have started a program. Without a greeting that program is a run of its own.
static struct allotted welcome(MPI_Comm made, const struct lp_communicator *local)
{
    struct allotted all = {.first = -1};
    struct greeting greeting = {.mark = 0};
    MPI_Request received;
    if (!lp_is_spawn_answered()) return all;
    PMPI_Irecv(&greeting, sizeof greeting, MPI_BYTE, 0, TAG, made, &received);
    if (!arrives(&received, lp_is_spawn_answered, 0) || greeting.mark != MARK) return all;
    all = (struct allotted){lp_allot_ranks(lp_rank_behind(), greeting.size), greeting.size, lp_new_comm_id()};
    const struct answer answer = {.mark = MARK,
                                  .parents = all.first < 0 ? 0 : local->size,
                                  .run = lp_run(),
                                  .folder = lp_folder(),
                                  .first = all.first,
                                  .comm = all.comm};
    PMPI_Send(&answer, sizeof answer, MPI_BYTE, 0, TAG, made);
    if (all.first < 0) return all;
    PMPI_Send(local->world, local->size, MPI_INT, 0, TAG, made);
    lp_clock_answer_started(made);
    return all;
}

void lp_made_spawned(MPI_Comm made, MPI_Comm local)
{
    const struct lp_communicator *known = lp_comm(local);
    struct allotted all = {.first = -1};
    if (made == MPI_COMM_NULL) return;
    if (!known->isForeign && !known->isInter) {
        if (known->place == 0) all = welcome(made, known);
        lp_close_spawn();
        PMPI_Bcast(&all, sizeof all, MPI_BYTE, 0, local);
    }
    if (all.first < 0) {
        lp_made_foreign_comm(made, local);
        return;
    }
    int32_t *ranks = calloc((size_t)all.count + 1, sizeof *ranks);
    if (!ranks) abort();
    for (int32_t rank = 0; rank < all.count; ++rank) ranks[rank] = all.first + rank;
    knowOthers(made, ranks, all.comm);
}
