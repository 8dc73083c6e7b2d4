// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder's storage as text, one line for each record, for the tests of the wrappers: rank R writes
// $LONGPOLE_TEXT.R. Times are left out, so that runs of different languages and MPIs can be compared.
#include "recorder/format/calls.h"
#include "recorder/format/recording.h"
#include "recorder/online/meet.h"
#include "recorder/online/pathcalls.h"
#include "recorder/storage/clock.h"
#include "recorder/storage/spawnfiles.h"
#include "recorder/storage/summary.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static FILE* file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char regions[64][64];

static const char* const names[] = {
#define LP_ROW(name, class, kind) "MPI_" #name,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};

int64_t lp_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t lp_begin(uint16_t call)
{
    (void)call;
    return lp_now();
}

uint32_t lp_stack(const void* frame)
{
    (void)frame;
    return 0;
}

bool lp_is_traced(void) { return true; }
void lp_mute(bool on) { (void)on; }
bool lp_path_is_open(void) { return false; }
bool lp_path_carries(void) { return false; }
bool lp_path_learn(uint32_t request, int32_t peer, int32_t tag)
{
    (void)request, (void)peer, (void)tag;
    return true;
}
void lp_path_ask_by(void (*ask)(void)) { (void)ask; }
void lp_path_foretell(const struct lp_call* call) { (void)call; }
void lp_path_foretell_start(const struct lp_call* call, const struct lp_completion* started, int count)
{
    (void)call, (void)started, (void)count;
}
void lp_path_carry(struct lp_call* call, const struct lp_completion* completions, int count)
{
    (void)call, (void)completions, (void)count;
}

int lp_open(int rank, int size, int number)
{
    char path[1024];
    const char* prefix = getenv("LONGPOLE_TEXT");
    snprintf(path, sizeof path, "%s.%d", prefix ? prefix : "/tmp/longpole-text", rank);
    file = fopen(path, "w");
    setvbuf(file, 0, _IOLBF, 0);
    fprintf(file, "open %d of %d\n", rank, size);
    return number != 0 ? number : 1;
}

void lp_measure_begin(void) {}
void lp_measure_end(void) {}

void lp_close(bool abort)
{
    pthread_mutex_lock(&lock);
    fprintf(file, "close%s\n", abort ? " early" : "");
    fclose(file);
    file = 0;
    pthread_mutex_unlock(&lock);
}

static void putCompletion(const struct lp_completion* completion)
{
    static const char* const kinds[] = {"send done",       "receive done",
                                        "collective done", "cancelled",
                                        "freed",           "communicator done",
                                        "send started",    "synchronous send started",
                                        "receive started", "collective started",
                                        "epoch peer"};
    fprintf(file, "  %s %u", kinds[completion->kind], completion->request);
    switch (completion->kind) {
    case LP_RECV_DONE:
    case LP_SEND_STARTED:
    case LP_SSEND_STARTED:
    case LP_RECV_STARTED:
    case LP_EPOCH_PEER:
        fprintf(file, " comm %d peer %d tag %d bytes %lld", (int)completion->comm, completion->peer, completion->tag,
                (long long)completion->bytes);
        break;
    case LP_COMM_DONE: fprintf(file, " comm %d", (int)completion->comm); break;
    default: break;
    }
    fputc('\n', file);
}

void lp_put_call(const struct lp_call* call, const struct lp_completion* completions, int count)
{
    pthread_mutex_lock(&lock);
    if (file) {
        fprintf(file, "%s comm %d peer %d tag %d bytes %lld", names[call->call], (int)call->comm, call->peer, call->tag,
                (long long)call->bytes);
        if (call->request) fprintf(file, " request %u", call->request);
        if (call->call == LP_Sendrecv || call->call == LP_Sendrecv_replace)
            fprintf(file, " peer2 %d tag2 %d bytes2 %lld", call->peer2, call->tag2, (long long)call->bytes2);
        else if (call->bytes2) fprintf(file, " received %lld", (long long)call->bytes2);
        fputs(call->end < call->begin ? " BACKWARDS\n" : "\n", file);
        for (int at = 0; at < count; ++at) putCompletion(&completions[at]);
    }
    pthread_mutex_unlock(&lock);
}

void lp_put_comm(uint32_t comm, int32_t origin, uint32_t serial, const char* name, int size, const int32_t* members)
{
    pthread_mutex_lock(&lock);
    fprintf(file, "communicator %u id %d.%u '%s' members", comm, origin, serial, name);
    for (int at = 0; at < size; ++at) fprintf(file, " %d", members[at]);
    fputc('\n', file);
    pthread_mutex_unlock(&lock);
}

// The path while the program runs is not what this library is for.
void lp_meet_begin(MPI_Comm world) { (void)world; }
void lp_meet_end(void) {}
void lp_path_end(void) {}
void lp_path_call(const struct lp_call* call, const struct lp_completion* completions, int count)
{
    (void)call, (void)completions, (void)count;
}
void lp_path_comm(uint32_t comm, int32_t origin, uint32_t serial, bool is_inter, int size, const int32_t* members)
{
    (void)comm, (void)origin, (void)serial, (void)is_inter, (void)size, (void)members;
}
void lp_path_neighbours(uint32_t comm, int sources, int targets, const int32_t* ranks)
{
    (void)comm, (void)sources, (void)targets, (void)ranks;
}
void lp_path_region(bool enter, uint32_t region, int64_t time) { (void)enter, (void)region, (void)time; }
void lp_path_polling(const struct lp_polling_loop* loop) { (void)loop; }

void lp_put_neighbours(uint32_t comm, int sources, int targets, const int32_t* ranks)
{
    pthread_mutex_lock(&lock);
    fprintf(file, "neighbours in communicator %u: from", comm);
    for (int at = 0; at < sources + targets; ++at) fprintf(file, at == sources ? " to %d" : " %d", ranks[at]);
    fputc('\n', file);
    pthread_mutex_unlock(&lock);
}

uint32_t lp_region(const char* name)
{
    uint32_t region = 0;
    while (regions[region][0] && strcmp(regions[region], name) != 0) ++region;
    snprintf(regions[region], sizeof regions[region], "%s", name);
    return region;
}

uint32_t lp_function(const void* address)
{
    (void)address;
    return lp_region("function");
}

void lp_put_region(bool enter, uint32_t region, int64_t time)
{
    (void)time;
    pthread_mutex_lock(&lock);
    if (file) fprintf(file, "%s %s\n", enter ? "enter" : "leave", regions[region]);
    pthread_mutex_unlock(&lock);
}

void lp_put_failed_polls(uint16_t call, int64_t count, int64_t time)
{
    (void)time;
    pthread_mutex_lock(&lock);
    if (file) fprintf(file, "polls %s%s\n", names[call], count > 0 ? "" : " NONE");
    pthread_mutex_unlock(&lock);
}

void lp_put_polling(const struct lp_polling_loop* loop)
{
    pthread_mutex_lock(&lock);
    if (file) fprintf(file, "polling loop of %s\n", names[loop->call]);
    pthread_mutex_unlock(&lock);
}

void lp_switch(bool on, int64_t time)
{
    (void)time;
    fprintf(file, "recording %s\n", on ? "on" : "off");
}

void lp_set_mpi(const char* library, int thread_level)
{
    fprintf(file, "thread level %d%s\n", thread_level, strstr(library, "nother tool") ? ", another tool" : "");
}

void lp_set_run(uint64_t run) { (void)run; }
void lp_index_row(struct lp_index_rank* row) { (void)row; }
void lp_write_index(const struct lp_index_rank* ranks, int size) { (void)ranks, (void)size; }
void lp_clock_begin(MPI_Comm world) { (void)world; }
void lp_clock_end(MPI_Comm world) { (void)world; }
void lp_summarize(MPI_Comm world, int64_t begin) { (void)world, (void)begin; }
uint64_t lp_run(void) { return 1; }
int lp_folder(void) { return 1; }
void lp_set_first(int32_t first) { (void)first; }

// Programs that others start are runs of their own here.
bool lp_open_spawn(void) { return false; }
bool lp_is_spawn_answered(void) { return false; }
void lp_close_spawn(void) {}
int lp_answer_spawns(void) { return 0; }
void lp_withdraw_answers(void) {}
bool lp_is_spawn_open(void) { return false; }
int lp_allot_ranks(int first, int count)
{
    (void)first, (void)count;
    return -1;
}
struct lp_clock_difference lp_clock_ask_starter(MPI_Comm between)
{
    (void)between;
    return (struct lp_clock_difference){0, 0};
}
void lp_clock_answer_started(MPI_Comm between) { (void)between; }
void lp_clock_follow(struct lp_clock_difference difference) { (void)difference; }
