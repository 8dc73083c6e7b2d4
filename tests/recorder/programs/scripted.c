// SPDX-License-Identifier: GPL-3.0-or-later
// Programs whose clock is scripted: for the recorder time passes only in work(), in a receive until the message is
// sent, and where all meet until the last one comes, so that each path has a length known beforehand. Every message
// carries the longest path to its sender, too; rank 0 prints the longest of all, in ns. Arguments: which program; how
// often (cancelled, channels, communicators, crossing, freed, meetings, nested, paused, seen, slow, taken, unfinished,
// unreceived).
// Ranks: two, h1 three, alone any number.
#define _GNU_SOURCE
#include "scripted/clock.h"
#include "scripted/lostmessages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
