// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the MPI calls of this rank into its path log, as the storage is handed them, and says when all ranks have met.
// The rank's work is that of the thread that called MPI_Init; what other threads send and receive hangs on it. No MPI
// in here.
#ifndef LONGPOLE_RECORDER_PATHCALLS_H
#define LONGPOLE_RECORDER_PATHCALLS_H

#include "recorder/format/recording.h"
#include "recorder/online/pathlog.h"

#ifdef __cplusplus
extern "C" {
#endif

// Code that runs between two calls, or in a region: a number of this rank's.
#define LP_PAIR_PROCEDURES (1u << 17)
static inline uint32_t lp_procedure_between(uint16_t before, uint16_t after)
{
    return 1 + (uint32_t)before * 512 + after;
}
static inline uint32_t lp_procedure_of_region(uint32_t region) { return LP_PAIR_PROCEDURES + region; }

struct lp_path_work {
    uint32_t procedure;  // from 1; 0: an empty slot
    int64_t work;        // ns, on and off the path
};

struct lp_path {
    struct lp_path_log log;
    int rank;
    int64_t begun;    // when this rank's path began
    int64_t carried;  // ns that its carrier took, most of it within calls
    bool is_stopped;  // work counts for nothing now, though its code is listed
    // All work so far by procedure, in hash order.
    struct lp_path_work *all;
    uint32_t all_count, all_slots;
};
extern struct lp_path lp_path;

// A collective call of some ranks.
struct lp_joint {
    uint32_t comm, call;  // of the log: lp_log_comm, lp_log_give; a carrier has its own numbers of calls
    int32_t origin;
    uint32_t serial;  // with origin the communicator's id
    const int32_t *members;
    int size;
    enum lp_joining joining;
    int root;
    bool gives;      // something; else nobody needs to wait for this rank
    bool waits;      // no member goes on before all have begun
    int64_t *value;  // of the carrier, from give to take
};

// Who takes a rank's path to other ranks: what is sent leaves before the program's own message, what is received has
// come with it. `settle` ends each call, `meet` is a call of all ranks that is none of the program's.
struct lp_path_carrier {
    void (*work)(uint32_t procedure, int64_t ns);
    void (*send)(struct lp_channel_id to);
    uint32_t (*post)(struct lp_channel_id from);  // as lp_log_post, and so on
    void (*receive)(uint32_t order, int32_t peer, int32_t tag);
    void (*cancel)(uint32_t order);
    void (*peek)(struct lp_channel_id from);
    void (*give)(struct lp_joint *joint);
    void (*take)(struct lp_joint *joint);
    void (*settle)(void);
    void (*meet)(void);
};

// From now on calls are followed. `met` is called at the end of a call in which all ranks met; `is_last`:
// it is MPI_Finalize; it returns when it ended if it took time, which is not the program's, else 0. False: no memory.
bool lp_path_open(int rank, int ranks, uint32_t most_steps, int64_t (*met)(int64_t at, bool is_last));
void lp_path_close(void);
bool lp_path_is_open(void);

// Calls are told to a carrier, too, or with_log = false to it alone.
void lp_path_carry_by(const struct lp_path_carrier *carrier, bool with_log);
bool lp_path_carries(void);
// For a carrier: before a call is made, with what is known then; before persistent requests are started (sends alone);
// and after it, before it is recorded: its end becomes now.
void lp_path_foretell(const struct lp_call *call);
void lp_path_foretell_start(const struct lp_call *call, const struct lp_completion *started, int count);
void lp_path_carry(struct lp_call *call, const struct lp_completion *completions, int count);

void lp_path_call(const struct lp_call *call, const struct lp_completion *completions, int count);
// is_inter: of two groups, whose members follow each other.
void lp_path_comm(uint32_t comm, int32_t origin, uint32_t serial, bool is_inter, int size, const int32_t *members);
void lp_path_neighbours(uint32_t comm, int sources, int targets, const int32_t *ranks);
void lp_path_region(bool enter, uint32_t region, int64_t time);
void lp_path_polling(const struct lp_polling_loop *loop);
// The recorder itself worked so long behind what it was handed last.
void lp_path_own(int64_t ns);

#ifdef __cplusplus
}
#endif

#endif
