// SPDX-License-Identifier: GPL-3.0-or-later
// Programs whose clock is scripted: for the recorder time passes only in work(), in a receive until the message is
// sent, and where all meet until the last one comes, so that each path has a length known beforehand. Every message
// carries the longest path to its sender, too; rank 0 prints the longest of all, in ns. Arguments: which program; how
// often (cancelled, channels, communicators, crossing, freed, meetings, nested, paused, seen, slow, taken, unfinished,
// unreceived).
// Ranks: two, h1 three, alone any number.
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

// Three ranks in the manner of Hollingsworth's paper: the longest path is 12 units long, 6 of f and 6 of g; without f
// it is 9, without g 11, without h 12.
static void h1(void)
{
    if (rank == 0) {
        work_in("f", 5);
        send(1, 1, MPI_COMM_WORLD);
        work_in("g", 6);
        send(2, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        work_in("g", 4);
        receive(0, 1, MPI_COMM_WORLD);
        work_in("f", 3);
        send(2, 1, MPI_COMM_WORLD);
    } else {
        work_in("h", 7);
        receive(1, 1, MPI_COMM_WORLD);
        work_in("h", 2);
        receive(0, 2, MPI_COMM_WORLD);
        work_in("f", 1);
    }
}

// Two messages of one channel, the first receive from any source or not, waited for in order or in reverse.
static void swapped(int is_any, int is_reverse)
{
    if (rank == 0) {
        work(1);
        send(1, 5, MPI_COMM_WORLD);
        work(10);
        send(1, 5, MPI_COMM_WORLD);
    } else {
        Message sent[2];
        MPI_Request requests[2];
        MPI_Irecv(&sent[0], 2, MPI_INT64_T, is_any ? MPI_ANY_SOURCE : 0, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&sent[1], 2, MPI_INT64_T, 0, 5, MPI_COMM_WORLD, &requests[1]);
        for (int i = 0; i < 2; ++i) {
            const int at = is_reverse ? 1 - i : i;
            await(&requests[at], &sent[at]);
            work(100);
        }
    }
}

// Messages that are received one, two and many meetings later than they were sent, in receives posted before and after.
static void crossing(int meetings)
{
    for (int behind = 1; behind < 200; behind = 3 * behind + 1) {
        Message sent;
        MPI_Request request;
        if (rank == 1) MPI_Irecv(&sent, 2, MPI_INT64_T, 0, behind, MPI_COMM_WORLD, &request);
        work(1 + rank);
        if (rank == 0) {
            send(1, behind, MPI_COMM_WORLD);
            work(3);
            send(1, behind, MPI_COMM_WORLD);
        }
        for (int i = 0; i < behind && i < meetings; ++i) {
            work((i * 7 + rank * 3) % 5);
            meet();
        }
        work(2);
        if (rank == 1) {
            await(&request, &sent);
            receive(0, behind, MPI_COMM_WORLD);
        }
    }
}

// A receive that nothing ever comes for is open all the time.
static void open_all_run(void)
{
    Message sent;
    MPI_Request request;
    MPI_Irecv(&sent, 2, MPI_INT64_T, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 150; ++i) {
        work(1 + (i + rank) % 3);
        if (rank == i % 2) send(1 - rank, 5, MPI_COMM_WORLD);
        else receive(1 - rank, 5, MPI_COMM_WORLD);
        if (i % 2 == 0) meet();
    }
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The first of two messages goes to a receive that is freed while it is open, at once or some meetings later: nobody
// hears of it, and the next receive gets the second one.
static void freed(int count)
{
    static Message lost;
    for (int i = 0; i < count; ++i) {
        MPI_Request request;
        if (rank == 1) MPI_Irecv(&lost, 2, MPI_INT64_T, 0, 5, MPI_COMM_WORLD, &request);
        if (rank == 1 && i % 2 == 0) MPI_Request_free(&request);
        for (int meetings = 0; meetings < i % 3; ++meetings) meet();
        if (rank == 1 && i % 2 == 1) MPI_Request_free(&request);
        work(1 + rank);
        if (rank == 0) {
            send(1, 5, MPI_COMM_WORLD);
            work(100);
            send(1, 5, MPI_COMM_WORLD);
        } else {
            receive(0, 5, MPI_COMM_WORLD);
            work(100);
        }
    }
}

// A receive of the same channel is cancelled before its message is sent, which goes to the next one; it is waited for
// or freed then, at once or some meetings later.
static void cancelled(int count)
{
    Message sent;
    for (int i = 0; i < count; ++i) {
        MPI_Request request;
        if (rank == 1) MPI_Irecv(&sent, 2, MPI_INT64_T, i % 5 ? 0 : MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
        for (int meetings = 0; meetings < i % 3; ++meetings) meet();
        if (rank == 1) MPI_Cancel(&request);
        if (rank == 1 && i % 4 == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1 && i % 4 == 1) MPI_Request_free(&request);
        meet();
        work(1 + rank);
        if (rank == 0) {
            send(1, 5, MPI_COMM_WORLD);
            work(100);
            send(1, 5, MPI_COMM_WORLD);
        } else {
            receive(0, 5, MPI_COMM_WORLD);
            work(50);
            if (i % 4 == 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (i % 4 == 3) MPI_Request_free(&request);
            receive(0, 5, MPI_COMM_WORLD);
            work(10);
        }
    }
}

// A receive takes the first of two messages, and its program never asks for it again.
static void unfinished(int count)
{
    static Message lost;
    for (int i = 0; i < count; ++i) {
        MPI_Request request;
        if (rank == 1) MPI_Irecv(&lost, 2, MPI_INT64_T, 0, i % 7, MPI_COMM_WORLD, &request);
        if (i % 3 == 0) meet();
        work(1 + rank);
        if (rank == 0) {
            send(1, i % 7, MPI_COMM_WORLD);
            work(100);
            send(1, i % 7, MPI_COMM_WORLD);
        } else {
            receive(0, i % 7, MPI_COMM_WORLD);
            work(100);
        }
    }
}

// The receiver knows by MPI_Request_get_status that a message is there, works with it, and completes the receive later,
// or frees it; meanwhile a second one of the channel is received.
static void seen(int count)
{
    Message sent, again;
    MPI_Request persistent;
    MPI_Recv_init(&again, 2, MPI_INT64_T, 0, 6, MPI_COMM_WORLD, &persistent);
    for (int i = 0; i < count; ++i) {
        work(1 + rank);
        if (rank == 0) {
            send(1, 5, MPI_COMM_WORLD);
            work(40 * (i % 3));
            send(1, 6, MPI_COMM_WORLD);
            work(100);
            send(1, 5, MPI_COMM_WORLD);
        } else {
            MPI_Request request;
            MPI_Irecv(&sent, 2, MPI_INT64_T, i % 2 ? 0 : MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
            MPI_Start(&persistent);
            ask(request, &sent);
            work(20);
            ask(persistent, &again);
            work(30);
            receive(0, 5, MPI_COMM_WORLD);
            work(10);
            if (i % 4 < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
            else MPI_Request_free(&request);
            MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        }
        if (i % 5 == 0) meet();
    }
    MPI_Request_free(&persistent);
}

// Of one from any source that is freed MPI knows the message already, as its sender has met the receiver since.
static void freed_known(void)
{
    static Message lost;
    MPI_Request request;
    if (rank == 1) MPI_Irecv(&lost, 2, MPI_INT64_T, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
    if (rank == 0) {
        work(1);
        send(1, 5, MPI_COMM_WORLD);
    }
    meet();
    if (rank == 1) MPI_Request_free(&request);
    if (rank == 0) {
        work(1);
        send(1, 5, MPI_COMM_WORLD);
        work(1000);
        send(1, 5, MPI_COMM_WORLD);
    } else {
        receive(0, 5, MPI_COMM_WORLD);
        work(1000);
    }
}

// One from any source is freed: it takes a message, but nobody knows from whom. Here nothing depends on which.
static void freed_any(void)
{
    static Message lost;
    if (rank == 0) {
        PMPI_Barrier(MPI_COMM_WORLD);
        work(1);
        send(1, 5, MPI_COMM_WORLD);
        work(1);
        send(1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Irecv(&lost, 2, MPI_INT64_T, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        PMPI_Barrier(MPI_COMM_WORLD);
        work(1000);
        receive(0, 5, MPI_COMM_WORLD);
        work(10);
    }
}

// The freed one has its place behind one from any source, which is waited for last.
static void freed_behind(void)
{
    static Message first, lost;
    if (rank == 0) {
        for (int i = 0; i < 3; ++i) {
            work(100);
            send(1, 5, MPI_COMM_WORLD);
        }
    } else {
        MPI_Request any, request;
        MPI_Irecv(&first, 2, MPI_INT64_T, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &any);
        MPI_Irecv(&lost, 2, MPI_INT64_T, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        receive(0, 5, MPI_COMM_WORLD);
        await(&any, &first);
        work(10);
    }
}

// Nobody receives every third message; the recorder has one of its own for each.
static void unreceived(int count)
{
    for (int i = 0; i < count; ++i) {
        work(1 + rank);
        if (rank == 0) send(1, i % 3 ? 5 : 6, MPI_COMM_WORLD);
        else if (i % 3) receive(0, 5, MPI_COMM_WORLD);
        if (i % 10 == 0) meet();
    }
}

// Each rank pauses the recording for a while, not at once, with requests under way: its path goes on.
static void paused(int count)
{
    Message out, in[2];
    MPI_Request sent, received_one, again;
    MPI_Recv_init(&in[1], 2, MPI_INT64_T, 1 - rank, 6, MPI_COMM_WORLD, &again);
    for (int i = 0; i < count; ++i) {
        int done = 0;
        MPI_Irecv(&in[0], 2, MPI_INT64_T, i % 3 ? 1 - rank : MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &received_one);
        MPI_Start(&again);
        if (i == 5 + 10 * rank) MPI_Pcontrol(0);
        work(1 + 10 * ((i + rank) % 2));
        out = (Message){.path = path, .sent = now};
        MPI_Isend(&out, 2, MPI_INT64_T, 1 - rank, 5, MPI_COMM_WORLD, &sent);
        if (i == count - 20 + 10 * rank) MPI_Pcontrol(1);
        MPI_Wait(&received_one, MPI_STATUS_IGNORE);
        merge(in[0].path);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        work_in("f", 1 + rank);
        out.path = path;
        MPI_Isend(&out, 2, MPI_INT64_T, 1 - rank, 6, MPI_COMM_WORLD, &sent);
        while (!done) MPI_Test(&again, &done, MPI_STATUS_IGNORE);
        merge(in[1].path);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&again);
}

// All meet all the time, and do nothing else.
static void meetings(int count)
{
    for (int i = 0; i < count; ++i) {
        work(1);
        meet();
    }
}

static void channels(int count)
{
    for (int tag = 0; tag < count; ++tag) {
        work(1);
        if (rank == 0) send(1, tag, MPI_COMM_WORLD);
        else receive(0, tag, MPI_COMM_WORLD);
        if (tag % 1000 == 999) meet();
    }
}

static void largest_tag(void)
{
    int *largest, is_there;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &is_there);
    for (int i = 0; i < 100; ++i) {
        work(1 + rank);
        if (rank == 0) send(1, *largest - i % 2, MPI_COMM_WORLD);
        else receive(0, i % 3 ? *largest - i % 2 : MPI_ANY_TAG, MPI_COMM_WORLD);
        if (i % 10 == 9) meet();
    }
}

// What makes a communicator joins the paths of all its members.
static void communicators(int count)
{
    for (int i = 0; i < count; ++i) {
        MPI_Comm comm;
        work(1 + (i + rank) % 2);
        const int64_t longest = agree();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        path = longest;
        work(1 + rank * 2);
        if (rank == 1) send(0, 1, comm);
        else receive(1, 1, comm);
        MPI_Comm_free(&comm);
    }
}

// Nobody meets before MPI_Finalize.
static void alone(void)
{
    for (int i = 0; i < 500; ++i) {
        work(1 + (i * 5 + rank) % 7);
        if (rank + 1 < size) send(rank + 1, i % 3, MPI_COMM_WORLD);
        if (rank > 0) receive(rank - 1, i % 3, MPI_COMM_WORLD);
    }
}

// One rank works for so many seconds of everybody's clock, and of the script's for a moment, while the other one waits.
static void slow(int seconds)
{
    for (int i = 0; i < seconds; ++i) {
        work(1 + rank);
        if (rank == i % 2) sleep(1);
        meet();
    }
}

// Works for so many ns of processor time, in which the path grows or not.
static void run(int64_t ns, int counts)
{
    processor += ns;
    if (counts) path += ns;
}

// The other rank has this one's core half of the time, and calls keep it busy: the path is that of processor time.
// Loops of polls are none of the program's work; two polls are no loop.
static void taken(int count)
{
    static Message last;
    MPI_Request request;
    spins = is_taken = 1;
    MPI_Irecv(&last, 2, MPI_INT64_T, 1 - rank, 9, MPI_COMM_WORLD, &request);
    for (int i = 0; i < count; ++i) {
        const int polls = i % 3 == 0 ? 2 : 6, is_sender = rank == i % 2;
        now += UNIT * (is_sender ? 50 : 3);
        run(UNIT * (1 + (i * 5 + rank) % 7), 1);
        for (int poll = 0; poll < polls; ++poll) {
            int done = 0;
            run(5, poll == 0 || polls == 2);
            spins = 1;
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        run(2, 1);
        spins = 1;
        if (is_sender) send(1 - rank, 5, MPI_COMM_WORLD);
        else receive(1 - rank, 5, MPI_COMM_WORLD);
        run(100, 1);
        spins = i % 4 == 3;
        if (spins) meet();
    }
    send(1 - rank, 9, MPI_COMM_WORLD);
    await(&request, &last);
}

// "a" calls "b", which calls "a" now and then; nobody else calls "b".
static void nested(int count)
{
    for (int i = 0; i < count; ++i) {
        work(1);
        MPI_Pcontrol(1, "a");
        work(1 + (i + rank) % 3);
        MPI_Pcontrol(1, "b");
        work(2 + (i * 3 + rank) % 4);
        if (rank == i % 2) send(1 - rank, 5, MPI_COMM_WORLD);
        if (i % 3 == 0) work_in("a", 2);
        MPI_Pcontrol(-1, "b");
        work(1 + rank);
        MPI_Pcontrol(-1, "a");
        work_in("c", 3 + (i + rank) % 2);
        if (rank != i % 2) receive(1 - rank, 5, MPI_COMM_WORLD);
        if (i % 7 == 6) meet();
    }
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? atoi(argv[2]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(which, "h1") == 0) h1();
    for (int i = 0; i < 4; ++i) {
        const char *const names[] = {"given", "any", "given-reverse", "any-reverse"};
        if (strcmp(which, names[i]) == 0) swapped(i % 2, i / 2);
    }
    if (strcmp(which, "crossing") == 0) crossing(count);
    if (strcmp(which, "open") == 0) open_all_run();
    if (strcmp(which, "freed") == 0) freed(count);
    if (strcmp(which, "freed-any") == 0) freed_any();
    if (strcmp(which, "freed-known") == 0) freed_known();
    if (strcmp(which, "cancelled") == 0) cancelled(count);
    if (strcmp(which, "unfinished") == 0) unfinished(count);
    if (strcmp(which, "seen") == 0) seen(count);
    if (strcmp(which, "unreceived") == 0) unreceived(count);
    if (strcmp(which, "freed-behind") == 0) freed_behind();
    if (strcmp(which, "paused") == 0) paused(count);
    if (strcmp(which, "meetings") == 0) meetings(count);
    if (strcmp(which, "channels") == 0) channels(count);
    if (strcmp(which, "largest-tag") == 0) largest_tag();
    if (strcmp(which, "communicators") == 0) communicators(count);
    if (strcmp(which, "alone") == 0) alone();
    if (strcmp(which, "slow") == 0) slow(count);
    if (strcmp(which, "taken") == 0) taken(count);
    if (strcmp(which, "nested") == 0) nested(count);
    int64_t longest;
    PMPI_Reduce(&path, &longest, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("path %lld\n", (long long)longest);
    MPI_Finalize();
    return 0;
}
