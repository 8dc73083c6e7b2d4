// SPDX-License-Identifier: GPL-3.0-or-later
// Fortran's names of MPI as programs see them. In a C program such a name may be the program's own (mpi_init of a
// library of multi-precision integers), with arguments of any kind: each name is a jump, which the first call directs.
#ifndef LONGPOLE_RECORDER_FORTRAN_NAMES_H
#define LONGPOLE_RECORDER_FORTRAN_NAMES_H

struct lp_fortran_name {
    const void *way;  // null before the first call. The jumps know that it comes first
    const void *wrapper;
    const char *spelling, *usual, *own;  // mpi_x__, mpi_x_, pmpi_x_
};

#if defined __x86_64__
#define LP_FORTRAN_JUMP(name) \
    "mov lp_name_" name \
    "(%rip), %r11\n" \
    "test %r11, %r11\n" \
    "je 1f\n" \
    "jmp *%r11\n" \
    "1: lea lp_name_" name \
    "(%rip), %r11\n" \
    "jmp lp_fortran_first_call\n"
#elif defined __aarch64__
#define LP_FORTRAN_JUMP(name) \
    "adrp x16, lp_name_" name \
    "\n" \
    "add x16, x16, :lo12:lp_name_" name \
    "\n" \
    "ldr x17, [x16]\n" \
    "cbz x17, 1f\n" \
    "br x17\n" \
    "1: b lp_fortran_first_call\n"
#endif

#ifdef LP_FORTRAN_JUMP
#define LP_FORTRAN_NAME(spelled, lower) \
    struct lp_fortran_name lp_name_##spelled = {0, (const void *)lp_fortran_##lower, #spelled, "mpi_" #lower "_", \
                                                "pmpi_" #lower "_"}; \
    __asm__(".text\n.p2align 4\n.globl " #spelled "\n.type " #spelled ", %function\n" #spelled \
            ":\n" LP_FORTRAN_JUMP(#spelled) ".size " #spelled ", . - " #spelled "\n");
#else  // elsewhere every such name is taken for MPI's
#define LP_FORTRAN_NAME(spelled, lower) \
    extern __typeof__(lp_fortran_##lower) spelled __attribute__((alias("lp_fortran_" #lower), visibility("default")));
#endif

#endif
