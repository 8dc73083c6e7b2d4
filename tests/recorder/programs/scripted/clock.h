// SPDX-License-Identifier: GPL-3.0-or-later
// The clock of a scripted program: for the recorder time passes only where the script works, waits for a message or
// meets all; and messages that carry the longest path to their sender.
#pragma once

#include <mpi.h>

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { UNIT = 1000 };  // ns
static int64_t now = 1000000000, path;
static int rank, size;

typedef struct {
    int64_t path;  // the longest to its sender
    int64_t sent;  // at this time of the script
} Message;

static volatile Message received;
static const volatile Message *brought;  // by the call that the program is in
static int64_t latest;                   // all meet then
static int is_begin;                     // what comes is read at a call's begin, and another time at its end

// In "taken" the recorder's clock of processor time is the script's, too. In a call it goes on, as in one that polls.
static int64_t processor = 1000;
static int is_taken, spins;  // spins: until the next reading, which is the one at a call's begin

static void read_processor(struct timespec *at)
{
    at->tv_sec = processor / 1000000000;
    at->tv_nsec = processor % 1000000000;
    if (spins) processor += 7 * UNIT;
    spins = 0;
}

// The recorder's clock is the script's, everybody else's is the system's.
int clock_gettime(clockid_t clock, struct timespec *at)
{
    Dl_info info;
    const int is_scripted = clock == CLOCK_MONOTONIC || (is_taken && clock == CLOCK_THREAD_CPUTIME_ID);
    const int is_recorder = is_scripted && dladdr(__builtin_return_address(0), &info) != 0 && info.dli_fname != NULL
                            && strstr(info.dli_fname, "liblongpole-") != NULL;
    if (!is_recorder) return (int)syscall(SYS_clock_gettime, clock, at);
    if (clock == CLOCK_THREAD_CPUTIME_ID) {
        read_processor(at);
        return 0;
    }
    if (received.sent > now) now = received.sent;
    if (!is_begin && latest > now) now = latest;
    if (!is_begin && brought && brought->sent > now) now = brought->sent;
    is_begin = 0;
    at->tv_sec = now / 1000000000;
    at->tv_nsec = now % 1000000000;
    return 0;
}

static void work(int64_t units)
{
    now += units * UNIT;
    path += units * UNIT;
}

static void work_in(const char *region, int64_t units)
{
    MPI_Pcontrol(1, region);
    work(units);
    MPI_Pcontrol(-1, region);
}

static void merge(int64_t other) { path = other > path ? other : path; }

static void send(int to, int tag, MPI_Comm comm)
{
    const Message message = {.path = path, .sent = now};
    MPI_Send(&message, 2, MPI_INT64_T, to, tag, comm);
}

static void receive(int from, int tag, MPI_Comm comm)
{
    MPI_Recv((void *)&received, 2, MPI_INT64_T, from, tag, comm, MPI_STATUS_IGNORE);
    merge(received.path);
}

static void await(MPI_Request *request, const volatile Message *message)
{
    brought = message;
    is_begin = 1;
    MPI_Wait(request, MPI_STATUS_IGNORE);
    brought = NULL;
    merge(message->path);
}

// Waits until a message is there, and asks for it then.
static void ask(MPI_Request request, const volatile Message *message)
{
    int is_there = 0;
    while (!is_there) PMPI_Request_get_status(request, &is_there, MPI_STATUS_IGNORE);
    brought = message;
    is_begin = 1;
    MPI_Request_get_status(request, &is_there, MPI_STATUS_IGNORE);
    brought = NULL;
    merge(message->path);
}

// How long the path will be after the next call, in which all meet.
static int64_t agree(void)
{
    const int64_t own[2] = {path, now};
    int64_t both[2];
    PMPI_Allreduce(own, both, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    latest = both[1];
    is_begin = 1;
    return both[0];
}

static void meet(void)
{
    const int64_t longest = agree();
    MPI_Barrier(MPI_COMM_WORLD);
    path = longest;
}
