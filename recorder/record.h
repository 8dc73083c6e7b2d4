// What a wrapped MPI call hands to the recording: the interface between the wrappers (wrap_*.c, fortran_*.c, hooks.c)
// and the mapped file (buffer.c, chunk.c). Everything here is hidden; the library exports MPI's names only.
#ifndef LONGPOLE_RECORDER_RECORD_H
#define LONGPOLE_RECORDER_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define LP_NO_REQUEST 0u      // serials begin at 1
#define LP_NO_RANK (-1)       // PROC_NULL, no peer, no root
#define LP_NO_COMM 0xffffffffu

// One call. Ranks are world ranks; bytes < 0: unknown.
struct lp_call {
    int64_t begin, end;       // ns, lp_now()
    uint16_t call;            // enum lp_call_id (calls.h)
    uint32_t comm;            // recorder's number of the communicator on this rank (lp_comm), or LP_NO_COMM
    int32_t peer, tag;        // destination, source or root
    int64_t bytes;
    uint32_t request;         // that the call started; LP_NO_REQUEST
    int32_t peer2, tag2;      // the receive of a Sendrecv
    int64_t bytes2;
};

// What happened to a request in a call: completed, or (Start, Startall) started.
enum lp_completion_kind {
    LP_SEND_DONE, LP_RECV_DONE, LP_COLLECTIVE_DONE, LP_CANCELLED, LP_FREED, LP_COMM_DONE,
    LP_SEND_STARTED, LP_SYNCHRONOUS_SEND_STARTED, LP_RECV_STARTED, LP_COLLECTIVE_STARTED
};

// What a completing call found; follows its call.
struct lp_completion {
    enum lp_completion_kind kind;
    uint32_t request;
    uint32_t comm;
    int32_t peer, tag;
    int64_t bytes;
};

// Per thread: true for the outermost call while recording is on; every lp_enter is followed by lp_leave.
bool lp_enter(void);
void lp_leave(void);
int64_t lp_now(void);

void lp_put_call(const struct lp_call *call, const struct lp_completion *completions, int count);
// A communicator and its members' world ranks; `origin`, `serial`: the id that all members agree on.
void lp_put_comm(uint32_t comm, int32_t origin, uint32_t serial, const char *name, int size, const int32_t *members);
uint32_t lp_region(const char *name);                 // number of a name, the same for the same text
uint32_t lp_function(const void *address);            // of -finstrument-functions; named at import or at the end
void lp_put_region(bool enter, uint32_t region, int64_t time);
void lp_put_failed_polls(uint16_t call, int64_t count, int64_t time);  // Test calls that found nothing

// Lifetime; MPI is up in the first and still up in the second. `abort`: no communication is possible.
void lp_open(int rank, int size);
void lp_close(bool abort);

#endif
