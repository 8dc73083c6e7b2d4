// SPDX-License-Identifier: GPL-3.0-or-later
// Calls MPI again and again from one place, each time with another value in the register that older code has its frame
// pointer in, as loops of optimized programs do. Prints how long all calls took, in ns.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

void meet(void) { MPI_Barrier(MPI_COMM_SELF); }

void meet_with(long value);
__asm__(
    ".globl meet_with\n"
    "meet_with:\n"
    "    .cfi_startproc\n"
    "    push %rbp\n"
    "    .cfi_def_cfa_offset 16\n"
    "    .cfi_offset rbp, -16\n"
    "    mov %rdi, %rbp\n"
    "    call meet\n"
    "    pop %rbp\n"
    "    .cfi_def_cfa_offset 8\n"
    "    ret\n"
    "    .cfi_endproc\n");

int main(int argc, char **argv)
{
    const long calls = argc > 1 ? atol(argv[1]) : 50000;
    MPI_Init(&argc, &argv);
    const double begin = MPI_Wtime();
    for (long call = 0; call < calls; ++call) meet_with(call * 24 + 1);
    printf("%.0f\n", (MPI_Wtime() - begin) * 1e9);
    MPI_Finalize();
    return 0;
}
