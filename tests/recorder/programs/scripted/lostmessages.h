// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts in which nobody hears of a message, or hears of it late: of receives that are freed, cancelled, never
// completed, or asked for before they are, and of messages that nobody receives.
#pragma once

#include "clock.h"

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
