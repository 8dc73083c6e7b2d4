// SPDX-License-Identifier: GPL-3.0-or-later
// Logs are replayed in rounds: in each, a rank goes on as far as it can and sends what others wait for. When nobody has
// sent anything in a round, all ranks are done or wait for something that never comes, and the replay ends. So nobody
// hangs, even if a program does what the recorder does not follow.
#define _GNU_SOURCE
#include "recorder/online/meetstate.h"

#include "recorder/storage/process.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 17 };

struct sent {
    MPI_Request *requests;
    void **buffers;
    int count, room;
};

static bool send_all(struct lp_replay *replay, struct sent *sent)
{
    int to = 0;
    const void *bytes = NULL;
    size_t size = 0;
    while (lp_replay_output(replay, &to, &bytes, &size)) {
        if (sent->count == sent->room) {
            const int room = 2 * sent->room + 16;
            MPI_Request *requests = realloc(sent->requests, (size_t)room * sizeof *requests);
            if (requests) sent->requests = requests;
            void **buffers = requests ? realloc(sent->buffers, (size_t)room * sizeof *buffers) : NULL;
            if (!buffers) return false;
            sent->buffers = buffers;
            sent->room = room;
        }
        void *copy = malloc(size);
        if (!copy) return false;
        memcpy(copy, bytes, size);
        sent->buffers[sent->count] = copy;
        PMPI_Issend(copy, (int)(size / sizeof(int64_t)), MPI_INT64_T, to, TAG, lp_meet.world,
                    &sent->requests[sent->count++]);
    }
    return true;
}

static bool receive_one(struct lp_replay *replay)
{
    int is_there = 0, words = 0;
    MPI_Status status;
    PMPI_Iprobe(MPI_ANY_SOURCE, TAG, lp_meet.world, &is_there, &status);
    if (!is_there) return false;
    PMPI_Get_count(&status, MPI_INT64_T, &words);
    int64_t *buffer = malloc((size_t)words * sizeof *buffer + 8);
    if (!buffer) {  // no memory: it is still received, cut short, since its sender waits for that
        int64_t begin;
        PMPI_Comm_set_errhandler(lp_meet.world, MPI_ERRORS_RETURN);
        PMPI_Recv(&begin, 1, MPI_INT64_T, status.MPI_SOURCE, TAG, lp_meet.world, MPI_STATUS_IGNORE);
        PMPI_Comm_set_errhandler(lp_meet.world, MPI_ERRORS_ARE_FATAL);
        lp_replay_fail(replay);
        return true;
    }
    PMPI_Recv(buffer, words, MPI_INT64_T, status.MPI_SOURCE, TAG, lp_meet.world, MPI_STATUS_IGNORE);
    const int64_t begin = lp_now();
    lp_replay_input(replay, status.MPI_SOURCE, buffer, (size_t)words * sizeof *buffer);
    lp_meet.worked += lp_now() - begin;
    free(buffer);
    return true;
}

// Sends what there is and receives what others send, until all of this round has arrived (Hoefler, Siebert, Lumsdaine
// 2010: a barrier that a rank enters when its synchronous sends were received).
static void exchange(struct lp_replay *replay, struct sent *sent)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    int received = 0;  // how many of the sent buffers are received
    for (int is_done = 0; !is_done;) {
        while (receive_one(replay)) {}
        if (received < sent->count) {
            int is_received = 0;
            PMPI_Test(&sent->requests[received], &is_received, MPI_STATUS_IGNORE);
            received += is_received;
            continue;
        }
        if (barrier == MPI_REQUEST_NULL) PMPI_Ibarrier(lp_meet.world, &barrier);
        PMPI_Test(&barrier, &is_done, MPI_STATUS_IGNORE);
    }
    for (int at = 0; at < sent->count; ++at) free(sent->buffers[at]);
}

int64_t lp_meet_run_rounds(struct lp_replay *replay)
{
    struct sent sent = {0};
    for (;;) {
        const int64_t begin = lp_now();
        const bool is_done = lp_replay_run(replay);
        lp_meet.worked += lp_now() - begin;
        sent.count = 0;
        const bool has_room = send_all(replay, &sent);
        if (!has_room) lp_replay_fail(replay);
        int64_t both[2] = {sent.count + !has_room, !is_done};
        lp_meet.messages += (uint64_t)sent.count;
        exchange(replay, &sent);
        PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT64_T, MPI_SUM, lp_meet.world);
        if (both[0] > 0) continue;
        free(sent.requests);
        free(sent.buffers);
        return both[1];
    }
}
