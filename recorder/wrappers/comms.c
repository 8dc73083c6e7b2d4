// SPDX-License-Identifier: GPL-3.0-or-later
// Communicators: each gets a number on this rank, an id that all its members agree on, and its members' world ranks.
#include "recorder/wrappers/comms.h"

#include "recorder/format/recording.h"
#include "recorder/online/pathcalls.h"
#include "recorder/wrappers/handles.h"
#include "recorder/wrappers/topology.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lp_handles comms = LP_HANDLES;
static struct lp_handles windows = LP_HANDLES;
static MPI_Group worldGroup;
static int worldRank, firstRank, worldSize;  // worldRank: as the recording counts
static struct lp_communicator *worldComm;
// Of other programs that this recording has ranks of; under `unseen`'s lock, and never removed.
static struct known_ranks {
    struct known_ranks *next;
    MPI_Group group;
    int size;
    int32_t *ranks;
} * _Atomic otherRanks;
static atomic_uint numbers;     // the next communicator's number
static atomic_int serials = 2;  // the next id's serial; 0 is that of WORLD, 1 that of SELF
static pthread_mutex_t unseen = PTHREAD_MUTEX_INITIALIZER;

// How a part's id is made (lp_prepared_comm).
enum { partBits = 16, parts = 1 << partBits, mostSerialsWithParts = (1 << 15) - 1 };

static struct lp_communicator none = {.number = LP_NO_COMM};

// Of what a call cannot be recorded without.
static void *allocated(void *memory)
{
    if (memory) return memory;
    fputs("longpole: no memory left to record MPI communicators.\n", stderr);
    abort();
}

// Sets those ranks of a group that belong to others, if they are known.
static void findOtherRanks(MPI_Group group, int size, const int *all, int32_t *result)
{
    int *there = allocated(calloc((size_t)size + 1, sizeof *there));
    for (const struct known_ranks *known = atomic_load(&otherRanks); known; known = known->next) {
        PMPI_Group_translate_ranks(group, size, all, known->group, there);
        for (int rank = 0; rank < size; ++rank)
            if (result[rank] == LP_FOREIGN_RANK && there[rank] >= 0 && there[rank] < known->size)
                result[rank] = known->ranks[there[rank]];
    }
    free(there);
}

static int32_t *worldRanks(MPI_Group group, int size)
{
    int *ranks = allocated(calloc((size_t)size + 1, sizeof *ranks));
    int32_t *result = allocated(calloc((size_t)size + 1, sizeof *result));
    for (int rank = 0; rank < size; ++rank) ranks[rank] = rank;
    PMPI_Group_translate_ranks(group, size, ranks, worldGroup, result);
    bool hasOthers = false;
    for (int rank = 0; rank < size; ++rank) {
        const bool isOther = result[rank] == MPI_UNDEFINED;
        hasOthers |= isOther;
        result[rank] = isOther ? LP_FOREIGN_RANK : firstRank + result[rank];
    }
    if (hasOthers) findOtherRanks(group, size, ranks, result);
    free(ranks);
    return result;
}

// A duplicate of MPI_COMM_WORLD shares its list of members.
static void shareMembers(struct lp_communicator *comm)
{
    const struct lp_communicator *world = worldComm;
    if (!world || comm->size != world->size
        || memcmp(comm->world, world->world, (size_t)comm->size * sizeof *comm->world) != 0)
        return;
    free(comm->world);
    comm->world = world->world;
}

// A freed communicator's requests may still be under way, but not when this many more were freed: some programs make
// and free one for each step.
static void forgetMembers(struct lp_communicator *comm)
{
    static struct lp_communicator *freed[256];
    static unsigned count;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct lp_communicator *world = worldComm;
    pthread_mutex_lock(&lock);
    struct lp_communicator *oldest = freed[count % 256];
    freed[count++ % 256] = comm;
    pthread_mutex_unlock(&lock);
    if (!oldest) return;
    oldest->size = oldest->peers = 0;
    if (oldest->remote != oldest->world) free(oldest->remote);
    if (!world || oldest->world != world->world) free(oldest->world);
    free(oldest->neighbours);
    oldest->world = oldest->remote = oldest->neighbours = 0;
    oldest->sources = oldest->targets = 0;
}

static void findMembers(struct lp_communicator *comm)
{
    int isInter = 0;
    MPI_Group group;
    PMPI_Comm_test_inter(comm->handle, &isInter);
    PMPI_Comm_group(comm->handle, &group);
    PMPI_Group_size(group, &comm->size);
    comm->world = worldRanks(group, comm->size);
    PMPI_Group_free(&group);
    shareMembers(comm);
    comm->place = -1;
    for (int rank = 0; rank < comm->size; ++rank) comm->place = comm->world[rank] == worldRank ? rank : comm->place;
    comm->isInter = isInter;
    comm->peers = comm->size;
    comm->remote = comm->world;
    if (!isInter) return;
    PMPI_Comm_remote_group(comm->handle, &group);
    PMPI_Group_size(group, &comm->peers);
    comm->remote = worldRanks(group, comm->peers);
    PMPI_Group_free(&group);
}

// Records a communicator; of an intercommunicator both groups, in the order of their first ranks, so that all members
// record the same.
static void put(const struct lp_communicator *comm, const char *name)
{
    if (!comm->isInter) {
        lp_put_comm(comm->number, comm->origin, comm->serial, name, comm->size, comm->world);
        if (comm->isAgreed) lp_path_comm(comm->number, comm->origin, comm->serial, false, comm->size, comm->world);
        return;
    }
    const bool isFirst = comm->peers == 0 || (comm->size > 0 && comm->world[0] < comm->remote[0]);
    int32_t *members = allocated(malloc((size_t)(comm->size + comm->peers + 1) * sizeof *members));
    memcpy(members + (isFirst ? 0 : comm->peers), comm->world, (size_t)comm->size * sizeof *members);
    memcpy(members + (isFirst ? comm->size : 0), comm->remote, (size_t)comm->peers * sizeof *members);
    lp_put_comm(comm->number, comm->origin, comm->serial, name, comm->size + comm->peers, members);
    if (comm->isAgreed) lp_path_comm(comm->number, comm->origin, comm->serial, true, comm->size + comm->peers, members);
    free(members);
}

static struct lp_communicator *newComm(MPI_Comm handle)
{
    struct lp_communicator *comm = allocated(calloc(1, sizeof *comm));
    comm->number = atomic_fetch_add(&numbers, 1);
    comm->handle = handle;
    findMembers(comm);
    for (int rank = 0; rank < comm->size; ++rank) comm->isForeign |= comm->world[rank] == LP_FOREIGN_RANK;
    for (int rank = 0; rank < comm->peers; ++rank) comm->isForeign |= comm->remote[rank] == LP_FOREIGN_RANK;
    return comm;
}

static bool isOwn(int32_t rank) { return rank >= firstRank && rank < firstRank + worldSize; }

// Whether some members are of another MPI_COMM_WORLD; then each member finds some.
static bool isOfSeveral(const struct lp_communicator *comm)
{
    bool areOwn = true;
    for (int rank = 0; rank < comm->size; ++rank) areOwn &= isOwn(comm->world[rank]);
    for (int rank = 0; rank < comm->peers; ++rank) areOwn &= isOwn(comm->remote[rank]);
    return !areOwn;
}

static void tellNeighbours(const struct lp_communicator *comm)
{
    lp_put_neighbours(comm->number, comm->sources, comm->targets, comm->neighbours);
    lp_path_neighbours(comm->number, comm->sources, comm->targets, comm->neighbours);
}

// Records the rank's neighbours, behind the communicator itself.
static void putNeighbours(struct lp_communicator *comm)
{
    if (comm->isInter) return;
    const struct lp_neighbours found = lp_find_neighbours(comm->handle);
    comm->sources = found.sources;
    comm->targets = found.targets;
    for (int at = 0; at < found.sources + found.targets; ++at) {
        const int rank = found.ranks[at];
        found.ranks[at] = rank >= 0 && rank < comm->size ? comm->world[rank] : LP_NO_RANK;
    }
    comm->neighbours = found.ranks;
    if (found.ranks) tellNeighbours(comm);
}

static void add(struct lp_communicator *comm, struct lp_comm_id id, bool isAgreed, const char *name)
{
    comm->isAgreed = isAgreed;
    comm->origin = id.origin;
    comm->serial = (uint32_t)id.serial;
    put(comm, name);
    putNeighbours(comm);
    lp_handle_set(&comms, LP_HANDLE(comm->handle), comm);
}

struct lp_comm_id lp_new_comm_id(void) { return (struct lp_comm_id){worldRank, atomic_fetch_add(&serials, 1)}; }

// MPI_COMM_SELF, of which a program that has sessions only may not ask MPI.
static struct lp_communicator *selfComm(void)
{
    struct lp_communicator *comm = allocated(calloc(1, sizeof *comm));
    comm->number = atomic_fetch_add(&numbers, 1);
    comm->handle = MPI_COMM_SELF;
    comm->size = comm->peers = 1;
    comm->world = comm->remote = allocated(calloc(1, sizeof *comm->world));
    comm->world[0] = worldRank;
    comm->isAgreed = true;
    comm->origin = worldRank;
    comm->serial = 1;
    return comm;
}

void lp_call_world(MPI_Comm world) { lp_handle_set(&comms, LP_HANDLE(world), worldComm); }

void lp_open_comms(MPI_Comm world, int first)
{
    firstRank = first;
    PMPI_Comm_rank(world, &worldRank);
    PMPI_Comm_size(world, &worldSize);
    worldRank += first;
    PMPI_Comm_group(world, &worldGroup);
    struct lp_communicator *all = newComm(world);
    add(all, (struct lp_comm_id){first, 0}, true, "MPI_COMM_WORLD");
    worldComm = all;
    struct lp_communicator *self = selfComm();
    put(self, "MPI_COMM_SELF");
    lp_handle_set(&comms, LP_HANDLE(MPI_COMM_SELF), self);
}

int lp_rank_behind(void) { return firstRank + worldSize; }

uint32_t lp_world_number(void) { return worldComm->number; }

void lp_know_ranks(MPI_Group group, int32_t *ranks)
{
    struct known_ranks *known = allocated(calloc(1, sizeof *known));
    known->group = group;
    known->ranks = ranks;
    PMPI_Group_size(group, &known->size);
    pthread_mutex_lock(&unseen);
    known->next = atomic_load(&otherRanks);
    atomic_store(&otherRanks, known);
    pthread_mutex_unlock(&unseen);
}

void lp_close_comms(void) { PMPI_Group_free(&worldGroup); }

int lp_rank(void) { return worldRank; }

// A communicator that was made by a call that is not wrapped, or by another tool: only this rank knows its id.
static const struct lp_communicator *findUnseen(MPI_Comm handle)
{
    if (handle == MPI_COMM_NULL) return &none;
    pthread_mutex_lock(&unseen);
    struct lp_communicator *comm = lp_handle_find(&comms, LP_HANDLE(handle));
    if (!comm) {
        comm = newComm(handle);
        comm->isForeign = true;
        add(comm, lp_new_comm_id(), false, "");
    }
    pthread_mutex_unlock(&unseen);
    return comm;
}

const struct lp_communicator *lp_comm(MPI_Comm handle)
{
    const struct lp_communicator *comm = lp_handle_find(&comms, LP_HANDLE(handle));
    return comm ? comm : findUnseen(handle);
}

// Agrees on an id between the groups of an intercommunicator. Both learn the ids of both leaders, since an Allreduce on
// it gives each group the other's result.
static struct lp_comm_id agreeBetween(const struct lp_communicator *comm)
{
    const struct lp_comm_id mine = lp_new_comm_id();
    const bool isLeader = comm->size > 0 && comm->world[0] == worldRank;
    long long own = isLeader ? (long long)mine.origin << 32 | mine.serial : -1;
    long long theirs = -1, ours = -1;
    PMPI_Allreduce(&own, &theirs, 1, MPI_LONG_LONG_INT, MPI_MAX, comm->handle);
    PMPI_Allreduce(&theirs, &ours, 1, MPI_LONG_LONG_INT, MPI_MAX, comm->handle);
    const long long id = ours < theirs ? ours : theirs;
    return (struct lp_comm_id){(int)(id >> 32), (int)(id & 0xffffffff)};
}

void lp_made_comm(MPI_Comm made, const struct lp_communicator *from)
{
    if (made == MPI_COMM_NULL) return;
    struct lp_communicator *comm = newComm(made);
    struct lp_comm_id id;
    comm->isForeign |= (!from || from->isForeign) && isOfSeveral(comm);
    if (comm->isInter && !comm->isForeign) {
        id = agreeBetween(comm);
    } else {
        id = lp_new_comm_id();
        if (!comm->isForeign) PMPI_Bcast(&id, 2, MPI_INT, 0, made);
    }
    add(comm, id, !comm->isForeign, "");
}

void lp_made_foreign_comm(MPI_Comm made, MPI_Comm local)
{
    if (made == MPI_COMM_NULL) return;
    struct lp_communicator *comm = newComm(made);
    // Both sides are of this program, which each of them sees.
    if (comm->isInter && !comm->isForeign && !isOfSeveral(comm)) {
        add(comm, agreeBetween(comm), true, "");
        return;
    }
    struct lp_comm_id id = lp_new_comm_id();
    if (!lp_comm(local)->isForeign) PMPI_Bcast(&id, 2, MPI_INT, 0, local);
    comm->isForeign = true;
    add(comm, id, false, "");
}

void lp_made_comm_of(MPI_Comm made, struct lp_comm_id id, bool isAgreed)
{
    if (made != MPI_COMM_NULL) add(newComm(made), id, isAgreed, "");
}

const struct lp_communicator *lp_forget_comm(MPI_Comm handle)
{
    struct lp_communicator *comm = lp_handle_take(&comms, LP_HANDLE(handle));
    if (comm) forgetMembers(comm);
    return comm;
}

void lp_named_comm(MPI_Comm handle, const char *name) { put(lp_comm(handle), name); }

int32_t lp_peer(const struct lp_communicator *comm, int rank)
{
    return rank >= 0 && rank < comm->peers ? comm->remote[rank] : LP_NO_RANK;
}

int lp_others(const struct lp_communicator *comm) { return comm->isInter ? comm->peers : comm->size - 1; }

// Another communicator of the same members, whose id all of them know: `part` of that of the first.
static const struct lp_communicator *partOf(const struct lp_communicator *whole, unsigned part)
{
    struct lp_communicator *comm = allocated(calloc(1, sizeof *comm));
    *comm = *whole;
    comm->number = atomic_fetch_add(&numbers, 1);
    const bool hasId = whole->isAgreed && whole->serial <= mostSerialsWithParts && part < parts;
    const struct lp_comm_id own = hasId ? (struct lp_comm_id){0, 0} : lp_new_comm_id();
    comm->origin = hasId ? whole->origin : own.origin;
    comm->isAgreed = hasId;
    comm->serial = hasId ? 1u << 31 | whole->serial << partBits | part : (uint32_t)own.serial;
    put(comm, "");
    if (comm->neighbours) tellNeighbours(comm);
    return comm;
}

const struct lp_communicator *lp_prepared_comm(MPI_Comm handle)
{
    struct lp_communicator *comm = (struct lp_communicator *)lp_comm(handle);
    if (comm == &none) return comm;
    return partOf(comm, 1 + __atomic_fetch_add(&comm->prepared, 1, __ATOMIC_RELAXED));
}

const struct lp_communicator *lp_partitioned_comm(MPI_Comm handle)
{
    struct lp_communicator *comm = (struct lp_communicator *)lp_comm(handle);
    if (comm == &none) return comm;
    pthread_mutex_lock(&unseen);
    if (!comm->partitioned) comm->partitioned = partOf(comm, 0);
    pthread_mutex_unlock(&unseen);
    return comm->partitioned;
}

void lp_made_window(MPI_Win window, MPI_Comm comm)
{
    struct lp_communicator *known = (struct lp_communicator *)lp_comm(comm);
    struct lp_window *made = allocated(calloc(1, sizeof *made));
    made->comm = known;
    if (known != &none) made->number = 1 + (int32_t)__atomic_fetch_add(&known->windows, 1, __ATOMIC_RELAXED);
    lp_handle_set(&windows, LP_HANDLE(window), made);
}

struct lp_window lp_window(MPI_Win window)
{
    const struct lp_window *known = lp_handle_find(&windows, LP_HANDLE(window));
    return known ? *known : (struct lp_window){.number = 0};
}

struct lp_window lp_forget_window(MPI_Win window)
{
    struct lp_window *known = lp_handle_take(&windows, LP_HANDLE(window));
    const struct lp_window forgotten = known ? *known : (struct lp_window){.number = 0};
    free(known);
    return forgotten;
}

int32_t *lp_group_ranks(MPI_Group group, int *size)
{
    PMPI_Group_size(group, size);
    return worldRanks(group, *size);
}
