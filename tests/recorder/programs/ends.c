// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that end in other ways: `abort`, `exit` (without MPI_Finalize), `fork` and `clone` (a child that exits on
// the way, which pthread_atfork() hears of or not), `limit` (many calls, with a limit of 600,000 bytes for each file),
// and `errors` (calls that MPI refuses).
#define _GNU_SOURCE
#include <mpi.h>

#include <signal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, word = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(argv[1], "abort") == 0) MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(argv[1], "exit") == 0) exit(0);
    if (strcmp(argv[1], "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) exit(0);
        waitpid(child, 0, 0);
    }
    if (strcmp(argv[1], "clone") == 0) {
        const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0) exit(0);
        waitpid(child, 0, 0);
        for (int i = 0; i < 40; ++i) MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(argv[1], "limit") == 0) {
        struct rlimit limit;
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = 600000;
        setrlimit(RLIMIT_FSIZE, &limit);
        for (int i = 0, got; i < 40000; ++i)
            MPI_Sendrecv(&i, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (strcmp(argv[1], "errors") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int refused = MPI_Send(&word, 1, MPI_INT, 99, 1, MPI_COMM_WORLD) != MPI_SUCCESS;
        refused += MPI_Isend(&word, -1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request) != MPI_SUCCESS;
        refused += MPI_Bcast(&word, 1, MPI_INT, 99, MPI_COMM_WORLD) != MPI_SUCCESS;
        if (rank == 0) printf("refused %d\n", refused);
    }
    MPI_Finalize();
    return 0;
}
