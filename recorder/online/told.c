// SPDX-License-Identifier: GPL-3.0-or-later
// A synchronous send is complete when it was received, so that at the end nothing is left.
#include "recorder/online/told.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 19 };

struct word_of_rank {
    size_t count;
    int64_t words[LP_MOST_TOLD];
};

static struct {
    MPI_Comm world;
    int rank, size;
    bool is_open;
    struct word_of_rank **last;  // on rank 0, by rank; null: has told nothing
    int64_t *buffer;             // elsewhere: is under way
    MPI_Request request;
} told;

bool lp_told_open(MPI_Comm world)
{
    told.world = world;
    told.request = MPI_REQUEST_NULL;
    PMPI_Comm_rank(world, &told.rank);
    PMPI_Comm_size(world, &told.size);
    if (told.rank == 0) told.last = calloc((size_t)told.size, sizeof *told.last);
    told.buffer = malloc(LP_MOST_TOLD * sizeof *told.buffer);
    told.is_open = true;
    return told.buffer && (told.rank != 0 || told.last);
}

void lp_told_tell(const int64_t *words, size_t count)
{
    int is_received = 0;
    if (!told.buffer || count > LP_MOST_TOLD) return;
    PMPI_Test(&told.request, &is_received, MPI_STATUS_IGNORE);
    if (!is_received) return;
    memcpy(told.buffer, words, count * sizeof *words);
    PMPI_Issend(told.buffer, (int)count, MPI_INT64_T, 0, TAG, told.world, &told.request);
}

// Without memory it is still received, since its sender is to end.
void lp_told_hear(void)
{
    struct word_of_rank lost, *to;
    MPI_Status status;
    for (int is_there = 1; is_there;) {
        PMPI_Iprobe(MPI_ANY_SOURCE, TAG, told.world, &is_there, &status);
        if (!is_there) return;
        struct word_of_rank **last = told.last ? &told.last[status.MPI_SOURCE] : NULL;
        if (last && !*last) *last = calloc(1, sizeof **last);
        to = last && *last ? *last : &lost;
        int count = 0;
        PMPI_Recv(to->words, LP_MOST_TOLD, MPI_INT64_T, status.MPI_SOURCE, TAG, told.world, &status);
        PMPI_Get_count(&status, MPI_INT64_T, &count);
        to->count = count > 0 ? (size_t)count : 0;
    }
}

const int64_t *lp_told_of(int rank, size_t *count)
{
    const struct word_of_rank *last = told.last ? told.last[rank] : NULL;
    if (!last) return NULL;
    *count = last->count;
    return last->words;
}

void lp_told_close(void)
{
    if (!told.is_open) return;
    MPI_Request barrier = MPI_REQUEST_NULL;
    for (int is_done = 0; !is_done;) {
        if (told.rank == 0) lp_told_hear();
        int is_received = 1;
        if (barrier == MPI_REQUEST_NULL) {
            PMPI_Test(&told.request, &is_received, MPI_STATUS_IGNORE);
            if (is_received) PMPI_Ibarrier(told.world, &barrier);
        } else {
            PMPI_Test(&barrier, &is_done, MPI_STATUS_IGNORE);
        }
    }
    for (int rank = 0; told.last && rank < told.size; ++rank) free(told.last[rank]);
    free(told.last);
    free(told.buffer);
    told.last = NULL;
    told.buffer = NULL;
    told.is_open = false;
}
