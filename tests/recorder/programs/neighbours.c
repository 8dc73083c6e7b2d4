// SPDX-License-Identifier: GPL-3.0-or-later
// Four ranks in a ring, of which one comes late to neighbourhood calls: only its neighbours wait. Then collective calls
// that move nothing, or nothing to some, to which rank 1 comes late.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { LATE = 40000 };  // us

static int rank, out[4] = {1, 2, 3, 4}, in[4];

static void check(const char *what, MPI_Comm ring, int late, int expected)
{
    MPI_Barrier(ring);
    if (rank == late) usleep(LATE);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring);
    if (in[0] != expected) printf("%s: rank %d got %d\n", what, rank, in[0]);
}

int main(int argc, char **argv)
{
    MPI_Comm cart, graph, dist, copy;
    MPI_Request request;
    const int size = 4, periodic = 1, degrees[] = {2, 4, 6, 8}, edges[] = {1, 3, 2, 0, 3, 1, 0, 2};
    const int none[4] = {0}, places[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int before = (rank + 3) % 4, after = (rank + 1) % 4;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &cart);
    MPI_Graph_create(MPI_COMM_WORLD, 4, degrees, edges, 0, &graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &dist);
    MPI_Comm_dup(dist, &copy);
    check("cart", cart, 3, before);
    check("graph", graph, 3, after);
    check("dist graph", dist, 3, before);
    MPI_Barrier(copy);
    if (rank == 3) usleep(LATE);
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);

    if (rank == 1) usleep(LATE);
    MPI_Allreduce(out, in, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(out, 0, MPI_INT, in, 0, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(out, none, places, MPI_INT, in, none, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(out, 0, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Reduce(out, in, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Scan(out, in, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);

    const int counts[] = {1, 0, 1, 1};
    if (rank == 1) usleep(LATE);
    MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
