// SPDX-License-Identifier: GPL-3.0-or-later
// Communicators, windows and the sizes of datatypes: what a handle stands for.
#ifndef LONGPOLE_RECORDER_COMMS_H
#define LONGPOLE_RECORDER_COMMS_H

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

// Lives until the program ends, even when the communicator has been freed: requests point to it. Only the members are
// forgotten, once 256 more communicators have been freed.
struct lp_communicator {
    uint32_t number;  // of this rank's recording
    int32_t origin;   // with serial the id that all members agree on
    uint32_t serial;
    int size, peers;          // of the local group, and of the one that messages go to (another in intercommunicators)
    int32_t *world, *remote;  // the recording's ranks of these groups; LP_FOREIGN_RANK for those that it has not
    bool isInter;
    bool isForeign;                             // no agreement is possible: some member may not know all others
    bool isAgreed;                              // all members know its id, not this rank alone
    int place;                                  // of this rank in the local group, or -1
    int sources, targets;                       // neighbours in the communicator's topology
    int32_t *neighbours;                        // their world ranks, sources first; LP_NO_RANK: none
    unsigned prepared;                          // how many persistent collective requests were made on it
    unsigned windows;                           // how many windows were made on it
    const struct lp_communicator *partitioned;  // lp_partitioned_comm
    MPI_Comm handle;
};

// An id: the rank that gave it, and its serial there.
struct lp_comm_id {
    int origin, serial;
};

// A communicator of all of the program's ranks, which stands for MPI_COMM_WORLD, and MPI_COMM_SELF; after PMPI_Init.
// `first`: what the recording calls its rank 0.
void lp_open_comms(MPI_Comm world, int first);
void lp_call_world(MPI_Comm world);  // by this handle, too
void lp_close_comms(void);           // before PMPI_Finalize
int lp_rank(void);                   // the recording's number of this rank
int lp_rank_behind(void);            // and the one behind the last of this program
uint32_t lp_world_number(void);      // lp_comm's number of the communicator of all
// Ranks of another program, which the recording has, too; `ranks`, their numbers, is kept.
void lp_know_ranks(MPI_Group group, int32_t *ranks);

// Never null, not even for a handle whose making was not seen.
const struct lp_communicator *lp_comm(MPI_Comm handle);
// A new communicator: all its members call this at once and agree on its id, if each knows all others. Whether that is
// so each member must decide alike: they are of one MPI_COMM_WORLD, or all are of a communicator on which members
// agreed
// (`from`; null: there is none).
void lp_made_comm(MPI_Comm made, const struct lp_communicator *from);
// One that reaches another MPI_COMM_WORLD: only the members of `local`, the group on this side, agree on its id.
void lp_made_foreign_comm(MPI_Comm made, MPI_Comm local);
// One whose id the members agreed on, if they did, while it was being made (MPI_Comm_idup).
void lp_made_comm_of(MPI_Comm made, struct lp_comm_id id, bool isAgreed);
struct lp_comm_id lp_new_comm_id(void);
const struct lp_communicator *lp_forget_comm(MPI_Comm handle);  // before it is freed; null for an unknown one
void lp_named_comm(MPI_Comm handle, const char *name);

// The recording's number of a rank of the group that messages go to; LP_NO_RANK for PROC_NULL, ANY_SOURCE, MPI_ROOT.
int32_t lp_peer(const struct lp_communicator *comm, int rank);
// How many others a rank gives to, or gets from, where all do that with all: the whole other group of an
// intercommunicator.
int lp_others(const struct lp_communicator *comm);

// What a persistent collective request moves matches what the others' same request moves, in whatever order requests
// are started: each has a communicator of its own in the recording, whose id follows from the order in which they are
// made.
const struct lp_communicator *lp_prepared_comm(MPI_Comm handle);
// Likewise partitioned messages, which match no others.
const struct lp_communicator *lp_partitioned_comm(MPI_Comm handle);

// A window: which one on its communicator, from 1, the same on all members, since all make their windows in one order.
struct lp_window {
    const struct lp_communicator *comm;  // null for a window whose making was not seen
    int32_t number;                      // 0: unknown
};
void lp_made_window(MPI_Win window, MPI_Comm comm);
struct lp_window lp_window(MPI_Win window);
struct lp_window lp_forget_window(MPI_Win window);  // before it is freed

// The recording's ranks of a group's members, LP_FOREIGN_RANK for those that it has not; to be freed.
int32_t *lp_group_ranks(MPI_Group group, int *size);

int64_t lp_bytes(int64_t count, MPI_Datatype type);
void lp_forget_types(void);  // a datatype is freed: its handle may come back with another size

#endif
