// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder/wrappers/topology.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct lp_neighbours ofCart(MPI_Comm comm)
{
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    struct lp_neighbours found = {2 * dimensions, 2 * dimensions, calloc(4 * (size_t)dimensions + 1, sizeof(int))};
    for (int at = 0; at < dimensions; ++at)
        PMPI_Cart_shift(comm, at, 1, found.ranks + 2 * (ptrdiff_t)at, found.ranks + 2 * (ptrdiff_t)at + 1);
    memcpy(found.ranks + found.sources, found.ranks, (size_t)found.sources * sizeof(int));
    return found;
}

static struct lp_neighbours ofGraph(MPI_Comm comm)
{
    int count = 0, rank = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &count);
    struct lp_neighbours found = {count, count, calloc(2 * (size_t)count + 1, sizeof(int))};
    PMPI_Graph_neighbors(comm, rank, count, found.ranks);
    memcpy(found.ranks + count, found.ranks, (size_t)count * sizeof(int));
    return found;
}

static struct lp_neighbours ofDistGraph(MPI_Comm comm)
{
    struct lp_neighbours found = {0};
    int isWeighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &found.sources, &found.targets, &isWeighted);
    const size_t all = (size_t)found.sources + (size_t)found.targets;
    int *weights = calloc(all + 1, sizeof(int));
    found.ranks = calloc(all + 1, sizeof(int));
    PMPI_Dist_graph_neighbors(comm, found.sources, found.ranks, weights, found.targets, found.ranks + found.sources,
                              weights + found.sources);
    free(weights);
    return found;
}

struct lp_neighbours lp_find_neighbours(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) return ofCart(comm);
    if (topology == MPI_GRAPH) return ofGraph(comm);
    if (topology == MPI_DIST_GRAPH) return ofDistGraph(comm);
    return (struct lp_neighbours){0};
}
