// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the recording when MPI is up, by MPI_Init or a first session, and closes it before MPI goes, at MPI_Abort or
// when the program exits without MPI_Finalize. The recorder's own messages travel on a duplicate of MPI_COMM_WORLD, or
// on a communicator of a session of its own.
#define _GNU_SOURCE
#include "recorder/wrappers/lifetime.h"

#include "recorder/format/format.h"
#include "recorder/mpi4/sessions.h"
#include "recorder/online/meet.h"
#include "recorder/online/pathcalls.h"
#include "recorder/online/pathclock.h"
#include "recorder/storage/clock.h"
#include "recorder/storage/spawnfiles.h"
#include "recorder/storage/summary.h"
#include "recorder/wrappers/comms.h"
#include "recorder/wrappers/completions.h"
#include "recorder/wrappers/next.h"
#include "recorder/wrappers/requests.h"
#include "recorder/wrappers/scratch.h"
#include "recorder/wrappers/spawned.h"
#include "recorder/wrappers/ticks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static MPI_Comm own;
static pid_t process;
static bool wasOpen;
static bool isOfSession;  // own is
static bool hasWorld;     // between MPI_Init and MPI_Finalize
static int sessions;      // that the program has

static struct lp_call lifetimeCall(enum lp_call_id call, int64_t begin)
{
    return (struct lp_call){.begin = begin,
                            .end = lp_now(),
                            .call = call,
                            .comm = lp_world_number(),
                            .peer = LP_NO_RANK,
                            .peer2 = LP_NO_RANK,
                            .stack = lp_stack(lp_frame)};
}

// For exit() without MPI_Finalize; does nothing in forked processes. The storage closes its file by itself.
static void stopAtExit(void)
{
    if (getpid() == process && atomic_exchange(&lp_gate, LP_CLOSED) != LP_CLOSED) lp_put_all_polls();
}

static void describeRun(int rank, const char *tools)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 600] = "";
    int length = 0, level = MPI_THREAD_SINGLE;
    PMPI_Get_library_version(library, &length);
    if (tools) snprintf(library + strlen(library), sizeof library - strlen(library), "; %s", tools);
    if (tools && rank == 0) fprintf(stderr, "longpole: %s\n", tools);
    PMPI_Query_thread(&level);
    lp_use_threads(level == MPI_THREAD_MULTIPLE);
    lp_set_mpi(library, level == MPI_THREAD_MULTIPLE     ? 3
                        : level == MPI_THREAD_SERIALIZED ? 2
                        : level == MPI_THREAD_FUNNELED   ? 1
                                                         : 0);
}

static uint64_t newRun(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t time = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
    return (time * 0x9e3779b97f4a7c15ull ^ (uint64_t)getpid()) | 1;
}

// A run of its own: rank 0 chooses a folder. Returns the run's number.
static uint64_t openOwn(int rank, int size)
{
    struct {
        uint64_t run;
        int folder;
    } shared = {newRun(), rank == 0 ? lp_open(rank, size, 0) : 0};
    PMPI_Bcast(&shared, sizeof shared, MPI_BYTE, 0, own);
    if (rank != 0) lp_open(rank, size, shared.folder);
    return shared.run;
}

// `world`: all ranks.
static void openRecording(enum lp_call_id call, int64_t begin, MPI_Comm world)
{
    int rank = 0, size = 0;
    PMPI_Comm_rank(own, &rank);
    PMPI_Comm_size(own, &size);
    const char *tools = lp_find_tools();
    const struct lp_joined joined = isOfSession ? lp_join_nobody() : lp_join_parents(own);
    if (joined.run) lp_open(joined.first + rank, size, joined.folder);
    lp_set_run(joined.run ? joined.run : openOwn(rank, size));
    lp_set_first(joined.first);
    lp_meet_begin(own);
    lp_open_comms(world, joined.first);
    const uint32_t meeting = joined.run ? lp_know_parents(&joined) : lp_world_number();
    describeRun(rank, tools);
    lp_clock_begin(own);
    lp_find_ticks();
    process = getpid();
    atexit(stopAtExit);
    struct lp_call init = lifetimeCall(call, begin);
    init.comm = meeting;  // of all who started this program and of its ranks, if others did
    lp_measure_begin();
    lp_put_call(&init, 0, 0);
    lp_path_call(&init, 0, 0);
    const bool isFollowed = lp_path_is_open();
    lp_follow_requests(isFollowed);
    // Another thread could complete a request while it is asked for.
    if (isFollowed && !lp_uses_threads()) lp_path_ask_by(lp_learn_open);
    if (!lp_is_traced() && isFollowed) lp_mute(true);
    atomic_store(&lp_gate, lp_is_traced() || isFollowed ? LP_OPEN : LP_TIMED);
}

static bool mayOpen(void)
{
    if (wasOpen) return false;
    wasOpen = true;
    if (lp_can_record()) return true;
    fputs("longpole: MPI's PMPI functions were not found; nothing is recorded\n", stderr);
    return false;
}

void lp_after_init(enum lp_call_id call, int64_t begin)
{
    if (hasWorld) return;
    hasWorld = true;
    if (isOfSession && atomic_load(&lp_gate) != LP_CLOSED) lp_call_world(MPI_COMM_WORLD);
    if (!mayOpen()) return;
    PMPI_Comm_dup(MPI_COMM_WORLD, &own);
    openRecording(call, begin, MPI_COMM_WORLD);
}

void lp_after_session_init(enum lp_call_id call, int64_t begin)
{
    ++sessions;
    if (isOfSession && atomic_load(&lp_gate) == LP_CLOSED) {
        static bool isSaid;
        if (!isSaid && lp_rank() == 0)
            fputs("longpole: the recording ended with the last session; what comes now is not recorded\n", stderr);
        isSaid = true;
    }
    if (!mayOpen()) return;
    own = lp_open_session();
    isOfSession = own != MPI_COMM_NULL;
    if (isOfSession) openRecording(call, begin, own);
    else fputs("longpole: MPI's sessions have no process set mpi://WORLD; nothing is recorded\n", stderr);
}

// Rank 0 writes down what the ranks' files hold; but of programs that another one started.
static void writeIndex(void)
{
    int rank = 0, size = 0;
    PMPI_Comm_rank(own, &rank);
    if (lp_rank() != rank) return;
    PMPI_Comm_size(own, &size);
    struct lp_index_rank row = {.rank = rank};
    lp_index_row(&row);
    struct lp_index_rank *rows = rank == 0 ? calloc((size_t)size, sizeof *rows) : 0;
    int hasRoom = rows != 0;
    PMPI_Bcast(&hasRoom, 1, MPI_INT, 0, own);
    if (!hasRoom) {
        if (rank == 0) fputs("longpole: no memory left for the recording's index; it is left out\n", stderr);
        return;
    }
    PMPI_Gather(&row, sizeof row, MPI_BYTE, rows, sizeof row, MPI_BYTE, 0, own);
    if (rows) lp_write_index(rows, size);
    free(rows);
}

static void closeRecording(enum lp_call_id last)
{
    if (atomic_load(&lp_gate) == LP_CLOSED) return;
    lp_cpu_leaves();
    lp_close_spawn();
    lp_put_all_polls();
    lp_mute(false);
    const int64_t begin = lp_begin((uint16_t)last);
    atomic_store(&lp_gate, LP_CLOSED);
    lp_clock_end(own);
    PMPI_Barrier(own);
    struct lp_call call = lifetimeCall(last, begin);
    lp_measure_end();
    lp_path_end();
    lp_path_carry(&call, 0, 0);
    lp_put_call(&call, 0, 0);
    lp_path_call(&call, 0, 0);
    lp_meet_end();
    lp_close(false);
    writeIndex();
    lp_summarize(own, begin);
    lp_close_comms();
    PMPI_Comm_free(&own);
    if (isOfSession) lp_close_session();
}

void lp_before_finalize(void)
{
    hasWorld = false;
    if (!isOfSession || sessions == 0) closeRecording(LP_Finalize);
}

void lp_before_session_finalize(enum lp_call_id call)
{
    if (--sessions == 0 && isOfSession && !hasWorld) closeRecording(call);
}

void lp_before_abort(MPI_Comm comm)
{
    if (atomic_load(&lp_gate) == LP_CLOSED) return;
    lp_mute(false);
    struct lp_call call = lifetimeCall(LP_Abort, lp_begin(LP_Abort));
    call.comm = lp_comm(comm)->number;
    lp_put_call(&call, 0, 0);
    atomic_store(&lp_gate, LP_CLOSED);
    lp_close(true);
}
