// SPDX-License-Identifier: GPL-3.0-or-later
// A note for each shape of MPI call, which fills in what the call's record says. The wrappers of C and of Fortran pass
// the call's arguments, as C's types, after the call has returned without error.
#ifndef LONGPOLE_RECORDER_NOTES_H
#define LONGPOLE_RECORDER_NOTES_H

#include "recorder/format/calls.h"
#include "recorder/online/pathcalls.h"
#include "recorder/wrappers/comms.h"
#include "recorder/wrappers/scratch.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

// Handles of datatypes of C or of Fortran; the other pointer is null.
struct lp_types {
    const MPI_Datatype *c;
    const MPI_Fint *fortran;
};

// Counts of MPI_X or of MPI_X_c; the other pointer is null.
struct lp_counts {
    const int *few;
    const MPI_Count *large;
};

static inline struct lp_call lp_ended(enum lp_call_id id, int64_t begin)
{
    const int64_t end = LP_MAY_BLOCK(id) ? lp_now() : lp_end_poll(begin);
    return (struct lp_call){
        .begin = begin, .end = end, .call = id, .comm = LP_NO_COMM, .peer = LP_NO_RANK, .peer2 = LP_NO_RANK};
}

// What begins with the call, and leaves this rank, is told to who carries its path, before the call is made.
enum lp_class_of {
#define LP_ROW(name, class, kind) LP_CLASS_OF_##name = LP_CLASS_##class,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};
#define LP_IS_TOLD_BEFORE(class) \
    ((class) == LP_CLASS_SEND || (class) == LP_CLASS_START_SEND || (class) == LP_CLASS_SENDRECEIVE \
     || (class) == LP_CLASS_START_SENDRECEIVE || (class) == LP_CLASS_COLLECTIVE \
     || (class) == LP_CLASS_START_COLLECTIVE)
// In a wrapper: `...`: the note's arguments after the call.
#define LP_FORETELL(Name, note, ...) \
    if (LP_IS_TOLD_BEFORE((int)LP_CLASS_OF_##Name) && begin >= 0 && lp_path_carries()) { \
        struct lp_call asked = lp_asked(LP_##Name, begin); \
        lp_is_asked = true; \
        note(&asked __VA_ARGS__); \
        lp_is_asked = false; \
    }

static inline struct lp_call lp_asked(enum lp_call_id id, int64_t begin)
{
    return (struct lp_call){
        .begin = begin, .end = begin, .call = id, .comm = LP_NO_COMM, .peer = LP_NO_RANK, .peer2 = LP_NO_RANK};
}

void lp_note_plain(struct lp_call *call);  // also for a call that failed

void lp_note_send(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
// Also for the message that a probe found.
void lp_note_receive(struct lp_call *call, MPI_Comm comm, const MPI_Status *status);
void lp_note_mreceive(struct lp_call *call, const struct lp_communicator *comm, const MPI_Status *status);
void lp_note_sendrecv(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      const MPI_Status *status);
void lp_note_mprobe(struct lp_call *call, MPI_Comm comm, MPI_Message message, const MPI_Status *status);
void lp_note_iprobe(struct lp_call *call, MPI_Comm comm, int flag, const MPI_Status *status);
void lp_note_improbe(struct lp_call *call, MPI_Comm comm, int flag, MPI_Message message, const MPI_Status *status);
void lp_note_isend(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request request);
void lp_note_irecv(struct lp_call *call, int64_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Request request);
void lp_note_imrecv(struct lp_call *call, int64_t count, MPI_Datatype type, const struct lp_communicator *comm,
                    MPI_Request request);
void lp_note_send_init(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                       MPI_Request request);
void lp_note_recv_init(struct lp_call *call, int64_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                       MPI_Request request);
void lp_note_isendrecv(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, int64_t count2,
                       MPI_Datatype type2, int from, int tag2, MPI_Comm comm, MPI_Request handle);
void lp_note_isendrecv_replace(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, int from,
                               int tag2, MPI_Comm comm, MPI_Request request);
void lp_note_psend_init(struct lp_call *call, int partitions, int64_t count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm, MPI_Request request);
void lp_note_precv_init(struct lp_call *call, int partitions, int64_t count, MPI_Datatype type, int from, int tag,
                        MPI_Comm comm, MPI_Request request);

// Collectives; `request` is MPI_REQUEST_NULL for a blocking call.
void lp_note_barrier(struct lp_call *call, MPI_Comm comm, MPI_Request request);
void lp_note_bcast(struct lp_call *call, int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
                   MPI_Request request);
void lp_note_reduce(struct lp_call *call, int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
                    MPI_Request request);
void lp_note_allreduce(struct lp_call *call, int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request request);
void lp_note_scan(struct lp_call *call, int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request request);
void lp_note_gather(struct lp_call *call, int64_t sends, MPI_Datatype sent, int64_t receives, MPI_Datatype received,
                    int root, MPI_Comm comm, MPI_Request request);
void lp_note_gatherv(struct lp_call *call, int64_t sends, MPI_Datatype sent, struct lp_counts receives,
                     MPI_Datatype received, int root, MPI_Comm comm, MPI_Request request);
void lp_note_scatter(struct lp_call *call, int64_t sends, MPI_Datatype sent, int64_t receives, MPI_Datatype received,
                     int root, MPI_Comm comm, MPI_Request request);
void lp_note_scatterv(struct lp_call *call, struct lp_counts sends, MPI_Datatype sent, int64_t receives,
                      MPI_Datatype received, int root, MPI_Comm comm, MPI_Request request);
// `inPlace`: the arguments of what is sent say nothing.
void lp_note_allgather(struct lp_call *call, bool inPlace, int64_t sends, MPI_Datatype sent, int64_t receives,
                       MPI_Datatype received, MPI_Comm comm, MPI_Request request);
void lp_note_allgatherv(struct lp_call *call, bool inPlace, int64_t sends, MPI_Datatype sent, struct lp_counts receives,
                        MPI_Datatype received, MPI_Comm comm, MPI_Request request);
void lp_note_alltoallv(struct lp_call *call, bool inPlace, struct lp_counts sends, MPI_Datatype sent,
                       struct lp_counts receives, MPI_Datatype received, MPI_Comm comm, MPI_Request request);
void lp_note_alltoallw(struct lp_call *call, bool inPlace, struct lp_counts sends, struct lp_types sent,
                       struct lp_counts receives, struct lp_types received, MPI_Comm comm, MPI_Request request);
void lp_note_reduce_scatter(struct lp_call *call, struct lp_counts receives, MPI_Datatype type, MPI_Comm comm,
                            MPI_Request request);
void lp_note_reduce_scatter_block(struct lp_call *call, int64_t receives, MPI_Datatype type, MPI_Comm comm,
                                  MPI_Request request);
// In a topology; an allgather sends the same to all neighbours.
void lp_note_neighbours(struct lp_call *call, int64_t sends, MPI_Datatype sent, int64_t receives, MPI_Datatype received,
                        MPI_Comm comm, MPI_Request request);
void lp_note_neighbours_gatherv(struct lp_call *call, int64_t sends, MPI_Datatype sent, struct lp_counts receives,
                                MPI_Datatype received, MPI_Comm comm, MPI_Request request);
void lp_note_neighboursv(struct lp_call *call, struct lp_counts sends, MPI_Datatype sent, struct lp_counts receives,
                         MPI_Datatype received, MPI_Comm comm, MPI_Request request);
void lp_note_neighboursw(struct lp_call *call, struct lp_counts sends, struct lp_types sent, struct lp_counts receives,
                         struct lp_types received, MPI_Comm comm, MPI_Request request);

void lp_note_new_comm(struct lp_call *call, MPI_Comm comm, MPI_Comm made);
// Without a communicator that it is made from: all of its members call it.
void lp_note_comm_of_groups(struct lp_call *call, MPI_Comm made);
void lp_note_spawned(struct lp_call *call, MPI_Comm comm, MPI_Comm made);
void lp_note_foreign_comm(struct lp_call *call, MPI_Comm comm, MPI_Comm made);
void lp_note_joined_comm(struct lp_call *call, MPI_Comm made);
void lp_note_freed_comm(struct lp_call *call, const struct lp_communicator *comm);
void lp_note_idup(struct lp_call *call, MPI_Comm comm, MPI_Comm made, MPI_Request handle);

void lp_note_new_window(struct lp_call *call, MPI_Comm comm, MPI_Win window);
void lp_note_window(struct lp_call *call, struct lp_window window);
void lp_note_tested_window(struct lp_call *call, struct lp_window window, int flag);
void lp_note_window_of(struct lp_call *call, MPI_Group group, struct lp_window window);
void lp_note_lock(struct lp_call *call, int type, int rank, struct lp_window window);
void lp_note_locked_window(struct lp_call *call, int rank, struct lp_window window);
void lp_note_access(struct lp_call *call, int64_t count, MPI_Datatype type, int rank, struct lp_window window);
void lp_note_fetch(struct lp_call *call, MPI_Datatype type, int rank, struct lp_window window);
void lp_note_io(struct lp_call *call, int64_t count, MPI_Datatype type);
void lp_note_opened_file(struct lp_call *call, MPI_Comm comm);

// The bytes of the message that a status describes; -1: unknown.
int64_t lp_status_bytes(const MPI_Status *status);

#endif
