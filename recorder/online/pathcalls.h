// SPDX-License-Identifier: GPL-3.0-or-later
// Turns this rank's MPI calls into its path log, in the order in which the storage is handed them, and tells when all
// ranks have met. The work of the rank is that of the thread that called MPI_Init; what other threads send and receive
// is treated as if that thread did. No MPI in here.
#ifndef LONGPOLE_RECORDER_PATHCALLS_H
#define LONGPOLE_RECORDER_PATHCALLS_H

#include "recorder/format/recording.h"
#include "recorder/replay/pathlog.h"

#ifdef __cplusplus
extern "C" {
#endif

// A procedure: the code of a region; other code between two calls, or next to a region. Each rank has its own numbers.
#define LP_PAIR_PROCEDURES (1u << 18)
static inline uint32_t lp_procedure_between(uint16_t before, uint16_t after)
{
    return 1 + (uint32_t)before * 512 + after;
}
enum lp_region_part { LP_IN_REGION, LP_BEFORE_REGION, LP_AFTER_REGION, LP_REGION_PARTS };
static inline uint32_t lp_procedure_of_region(uint32_t region, enum lp_region_part part)
{
    return LP_PAIR_PROCEDURES + LP_REGION_PARTS * region + part;
}

struct lp_path_work {
    uint32_t procedure;  // from 1; 0: an empty slot
    int64_t work;        // ns, on and off the path
};

struct lp_path {
    struct lp_path_log log;
    int rank;
    int64_t begun;    // when this rank's path began
    int64_t carried;  // ns that sending values along took, most of it within calls
    bool is_stopped;  // work is not counted now, but its code is still listed
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
    bool gives;      // this rank gives something; else nobody needs to wait for it
    bool waits;      // no member goes on before all have begun
    int64_t *value;  // the carrier's value, from give to take
};

// How a rank's path gets to other ranks: a value is sent before the program's own message, and is there when that is
// received. `settle` ends each call; `meet` is a call of all ranks that the program knows nothing of.
struct lp_path_carrier {
    void (*work)(uint32_t procedure, lp_lane_set callers, int64_t ns);  // callers: as in lp_path_include_callees
    void (*send)(struct lp_channel_id to);
    uint32_t (*post)(struct lp_channel_id from);  // as lp_log_post, and so on
    void (*receive)(uint32_t order, int32_t peer, int32_t tag);
    void (*cancel)(uint32_t order);
    // peer, tag: of its message; negative: nobody knows.
    void (*release)(uint32_t order, int32_t peer, int32_t tag);
    // An open receive that takes messages of several channels has taken this one, and is not completed.
    void (*learn)(uint32_t order, int32_t peer, int32_t tag);
    void (*peek)(struct lp_channel_id from);
    void (*give)(struct lp_joint *joint);
    void (*take)(struct lp_joint *joint);
    void (*settle)(void);
    void (*meet)(void);
};
extern const struct lp_path_carrier lp_log_carrier;  // notes all in the log

// From now on calls are followed. `met` is called at the end of each call in which all ranks met; `is_last`: in
// the last one. It returns the time at which it ended, so that its own time is not counted as the program's, or 0 if it
// took none. False: no memory.
bool lp_path_open(int rank, int ranks, uint32_t most_steps, int64_t (*met)(int64_t at, bool is_last));
void lp_path_close(void);
bool lp_path_is_open(void);
// From now on the work of a region is also that of the regions around it. `lanes`: of a procedure.
void lp_path_include_callees(lp_lane_set (*lanes)(uint32_t procedure));
// In `met`: procedures have other lanes from now on.
void lp_path_lanes_changed(void);
// Calls `between` at the end of each call of the thread that is followed in which not all ranks met; it returns as
// `met` does.
void lp_path_look_between(int64_t (*between)(int64_t at));

// Calls are told to this carrier, too; with_log = false: to it alone, and no log is kept.
void lp_path_carry_by(const struct lp_path_carrier *carrier, bool with_log);
bool lp_path_carries(void);
// Only with a carrier. Tells of a call before it is made, with what is known then; of persistent requests before they
// are started (sends only); and of the call after it was made, before it is recorded, which sets its end to now.
void lp_path_foretell(const struct lp_call *call);
void lp_path_foretell_start(const struct lp_call *call, const struct lp_completion *started, int count);
void lp_path_carry(struct lp_call *call, const struct lp_completion *completions, int count);

void lp_path_call(const struct lp_call *call, const struct lp_completion *completions, int count);
void lp_path_end(void);  // the next call is the last one: MPI_Finalize, or that of the last session; all ranks meet
// `ask` calls lp_path_learn for each receive of which MPI knows its message before the program does. It is called where
// that settles which receive took which message.
void lp_path_ask_by(void (*ask)(void));
bool lp_path_learn(uint32_t request, int32_t peer, int32_t tag);  // false: it has to be told again
void lp_path_ask(void);
// is_inter: of two groups, whose members follow each other.
void lp_path_comm(uint32_t comm, int32_t origin, uint32_t serial, bool is_inter, int size, const int32_t *members);
void lp_path_neighbours(uint32_t comm, int sources, int targets, const int32_t *ranks);
void lp_path_region(bool enter, uint32_t region, int64_t time);
void lp_path_polling(const struct lp_polling_loop *loop);
// The recorder itself has worked for so long since it was handed the last call.
void lp_path_own(int64_t ns);

#ifdef __cplusplus
}
#endif

#endif
