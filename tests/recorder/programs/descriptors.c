// SPDX-License-Identifier: GPL-3.0-or-later
// Closes the files of its own recording, whose paths contain argument 1, as programs do that close every descriptor,
// and opens one of its own (argument 2 and the rank) under each of their numbers. Before and after come so many calls
// that the recorder writes. Prints how many it closed; ends with 1 if one of its descriptors was closed.
#define _GNU_SOURCE
#include <mpi.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 20000, MOST = 1024 };

static void call(void)
{
    for (int i = 0, got; i < CALLS; ++i)
        MPI_Sendrecv(&i, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static int closed[MOST];

static int close_all_below(const char *folder)
{
    int count = 0;
    for (int fd = 3; fd < MOST; ++fd) {
        char link[64], name[PATH_MAX] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, name, sizeof name - 1) < 0 || !strstr(name, folder)) continue;
        close(fd);
        closed[count++] = fd;
    }
    return count;
}

int main(int argc, char **argv)
{
    int rank, ok = 1;
    char name[PATH_MAX];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    call();
    const int count = close_all_below(argv[1]);
    snprintf(name, sizeof name, "%s%d", argv[2], rank);
    const int own = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    for (int i = 0; i < count; ++i) dup2(own, closed[i]);
    dprintf(own, "result of rank %d\n", rank);
    printf("rank %d closed %d\n", rank, count);
    fflush(stdout);
    call();
    for (int i = 0; i < 200; ++i) MPI_Barrier(MPI_COMM_WORLD);
    call();
    MPI_Finalize();
    for (int i = 0; i < count; ++i) ok = ok && fcntl(closed[i], F_GETFD) >= 0;
    return ok ? 0 : 1;
}
