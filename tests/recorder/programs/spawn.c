// SPDX-License-Identifier: GPL-3.0-or-later
// Two ranks start two more of the same program and exchange a number with them. With "without", these run without what
// LD_PRELOAD says; with "beside", other programs that are recorded begin and end before, which nobody started.
#include <mpi.h>

#include <string.h>

// With this environment and nothing that its launcher says.
#define BESIDE \
    "env -i PATH=\"$PATH\" HOME=/tmp TMPDIR=/tmp LD_PRELOAD=\"$LD_PRELOAD\" LONGPOLE_OUTPUT=\"$LONGPOLE_OUTPUT\" " \
    "OMPI_MCA_btl_vader_single_copy_mechanism=none \"$0\" alone && exec env -u LD_PRELOAD \"$0\""

int main(int argc, char **argv)
{
    MPI_Comm parent, child;
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "alone") == 0) {
        number = 42;
    } else if (parent == MPI_COMM_NULL) {
        char *without[] = {"-u", "LD_PRELOAD", argv[0], 0}, *beside[] = {"-c", BESIDE, argv[0], 0};
        const int is_beside = strcmp(how, "beside") == 0;
        MPI_Comm_spawn(is_beside  ? "/bin/sh"
                       : argc > 1 ? "/usr/bin/env"
                                  : argv[0],
                       is_beside  ? beside
                       : argc > 1 ? without
                                  : MPI_ARGV_NULL,
                       2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
        number = 42;
        if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 5, child);
        MPI_Bcast(&number, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, child);
        MPI_Comm_disconnect(&child);
    } else {
        if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 5, parent, MPI_STATUS_IGNORE);
        MPI_Bcast(&number, 1, MPI_INT, 0, parent);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return number == 42 ? 0 : 1;
}
