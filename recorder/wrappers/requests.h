// SPDX-License-Identifier: GPL-3.0-or-later
// The requests that are under way, by MPI's handle.
#ifndef LONGPOLE_RECORDER_REQUESTS_H
#define LONGPOLE_RECORDER_REQUESTS_H

#include "recorder/wrappers/comms.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

enum lp_request_kind {
    LP_SEND_REQUEST,
    LP_SYNCHRONOUS_SEND_REQUEST,
    LP_RECEIVE_REQUEST,
    LP_COLLECTIVE_REQUEST,
    LP_COMM_REQUEST,
    LP_NULL_REQUEST
};  // the last: a receive from MPI_PROC_NULL

struct lp_request {
    uint32_t serial;    // of its last start; 0: nobody follows it
    bool isUnrecorded;  // it was started while recording was off
    uint8_t kind;
    bool isPersistent;
    bool isActive;          // a persistent one that is started and not completed
    bool isAsAsked;         // what comes is taken for what was asked for: its status does not say it
    bool isCancelled;       // it was found to be, when it was freed
    bool isLearned;         // it was posted for several channels; peer and tag are those of the message that it took
    int partitions, ready;  // of a partitioned send or receive, else 0; how many the program has said to be ready
    const struct lp_communicator *comm;
    int32_t peer, tag;  // world rank
    int64_t bytes;
    struct lp_comm_made *made;  // LP_COMM_REQUEST
};

// A communicator on whose id its members agree, if they can, while MPI_Comm_idup makes it.
struct lp_comm_made {
    MPI_Comm handle;
    MPI_Request agreement;
    struct lp_comm_id id;
    bool isAgreed;
};

// A handle may stand for several requests at once (both MPIs give one handle to all sends that were done at once); they
// leave in the order in which they came. Serials are this rank's, from 1.
// Requests that start while recording is off have serials only if somebody follows them all the same.
void lp_follow_requests(bool followed);
uint32_t lp_add_request(MPI_Request handle, struct lp_request request);
// Takes a request out that completes (of a persistent one: makes it inactive). False for one that is not known or
// inactive.
bool lp_take_request(MPI_Request handle, struct lp_request *taken);
// Puts back what was taken: the request was not complete.
void lp_return_request(MPI_Request handle, const struct lp_request *taken);
bool lp_find_prepared(MPI_Request handle, struct lp_request *found);  // a persistent one
bool lp_find_request(MPI_Request handle, struct lp_request *found);   // one that somebody follows
// The program has asked and knows that the request is complete: nobody follows it any more, until it is started again.
// False for one that nobody follows, or whose end does something else.
bool lp_see_request(MPI_Request handle, struct lp_request *seen);
// Calls `of` for each active receive that takes messages of several channels; it may set whose it takes.
void lp_each_open_receive(void (*of)(MPI_Request handle, struct lp_request *request));
// Starts a persistent request: gives it its serial.
bool lp_start_request(MPI_Request handle, struct lp_request *started);
// Counts partitions of a send that are ready. True when all are: the message is on its way.
bool lp_count_ready(MPI_Request handle, int partitions, struct lp_request *sent);
// Takes a freed request out, persistent or not.
bool lp_forget_request(MPI_Request handle, struct lp_request *forgotten);

// The communicators of messages that Mprobe found, by their handles.
void lp_add_message(MPI_Message handle, const struct lp_communicator *comm);
const struct lp_communicator *lp_take_message(MPI_Message handle);  // may be null

// With MPI_THREAD_MULTIPLE another thread may get a handle back as soon as MPI has completed it: requests must then be
// taken before MPI is asked to complete them.
void lp_use_threads(bool several);
bool lp_uses_threads(void);

#endif
