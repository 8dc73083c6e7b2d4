// SPDX-License-Identifier: GPL-3.0-or-later
// User-level threads after each other, which call MPI from the same place of the program and of the stack. The last one
// has a smaller stack, where the others had the lower part of theirs; the upper part is gone by then.
#include <mpi.h>

#include <alloca.h>
#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { LARGE = 512 << 10, SMALL = 128 << 10, DEPTH = 32 << 10, THREADS = 3 };

static ucontext_t home, thread;
static char *stack;

void meet(void) { MPI_Barrier(MPI_COMM_SELF); }

#ifdef __x86_64__
// With the same value in the register that may be a frame pointer.
void meet_here(void);
__asm__(
    ".globl meet_here\n"
    "meet_here:\n"
    "    .cfi_startproc\n"
    "    push %rbp\n"
    "    .cfi_def_cfa_offset 16\n"
    "    .cfi_offset rbp, -16\n"
    "    mov $1, %ebp\n"
    "    call meet\n"
    "    pop %rbp\n"
    "    .cfi_def_cfa_offset 8\n"
    "    ret\n"
    "    .cfi_endproc\n");
#else
static void meet_here(void) { meet(); }
#endif

static void work(void)
{
    char here;
    volatile char *between = alloca(&here - (stack + SMALL - DEPTH));
    between[0] = 1;
    meet_here();
}

static void run(size_t size)
{
    getcontext(&thread);
    thread.uc_stack.ss_sp = stack;
    thread.uc_stack.ss_size = size;
    thread.uc_link = &home;
    makecontext(&thread, work, 0);
    swapcontext(&home, &thread);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    stack = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 7);
    for (int i = 1; i < THREADS; ++i) run(LARGE);
    munmap(stack + SMALL, LARGE - SMALL);
    run(SMALL);
    MPI_Finalize();
    return 0;
}
