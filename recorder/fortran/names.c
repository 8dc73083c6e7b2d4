// SPDX-License-Identifier: GPL-3.0-or-later
// Finds out whose function a caller of mpi_x_, mpi_x, mpi_x__ or MPI_X means: MPI's, which is wrapped, or one that has
// nothing to do with MPI, which is called instead, with the registers as they are.
#define _GNU_SOURCE
#include "recorder/fortran/names.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#ifdef LP_FORTRAN_JUMP

const void *lp_fortran_way(struct lp_fortran_name *name, const void *caller) __attribute__((visibility("hidden")));

// The library of an address, and what it says of a name; null if it is not in a library.
static void *inLibraryOf(const void *address, const char *name)
{
    Dl_info library;
    void *handle = dladdr(address, &library) ? dlopen(library.dli_fname, RTLD_NOLOAD | RTLD_LAZY) : 0;
    if (!handle) return 0;
    void *found = dlsym(handle, name);
    dlclose(handle);
    return found;
}

static bool areInOneLibrary(const void *left, const void *right)
{
    Dl_info one, other;
    return left && right && dladdr(left, &one) && dladdr(right, &other) && one.dli_fbase == other.dli_fbase;
}

// Another tool of MPI's has Fortran's usual name, too.
static bool isOfMpi(const void *function, const struct lp_fortran_name *name)
{
    if (areInOneLibrary(function, inLibraryOf(function, name->own))) return true;
    if (!dlsym(RTLD_DEFAULT, name->own)) return false;
    return strcmp(name->spelling, name->usual) == 0 || areInOneLibrary(function, inLibraryOf(function, name->usual));
}

const void *lp_fortran_way(struct lp_fortran_name *name, const void *caller)
{
    const void *next = dlsym(RTLD_NEXT, name->spelling);
    if (!next) next = inLibraryOf(caller, name->spelling);  // of a library that was loaded for itself alone
    if (!next || areInOneLibrary(next, (const void *)lp_fortran_way)) return name->wrapper;
    const void *way = isOfMpi(next, name) ? name->wrapper : next;
    __atomic_store_n(&name->way, way, __ATOMIC_RELAXED);
    return way;
}

#if defined __x86_64__
__asm__(
    ".text\n.type lp_fortran_first_call, %function\n.globl lp_fortran_first_call\n.hidden lp_fortran_first_call\n"
    "lp_fortran_first_call:\n"
    "push %rax\npush %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\n"
    "sub $128, %rsp\n"
    "movups %xmm0, (%rsp)\nmovups %xmm1, 16(%rsp)\nmovups %xmm2, 32(%rsp)\nmovups %xmm3, 48(%rsp)\n"
    "movups %xmm4, 64(%rsp)\nmovups %xmm5, 80(%rsp)\nmovups %xmm6, 96(%rsp)\nmovups %xmm7, 112(%rsp)\n"
    "mov %r11, %rdi\nmov 184(%rsp), %rsi\n"
    "call lp_fortran_way\n"
    "mov %rax, %r11\n"
    "movups (%rsp), %xmm0\nmovups 16(%rsp), %xmm1\nmovups 32(%rsp), %xmm2\nmovups 48(%rsp), %xmm3\n"
    "movups 64(%rsp), %xmm4\nmovups 80(%rsp), %xmm5\nmovups 96(%rsp), %xmm6\nmovups 112(%rsp), %xmm7\n"
    "add $128, %rsp\n"
    "pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\npop %rax\n"
    "jmp *%r11\n"
    ".size lp_fortran_first_call, . - lp_fortran_first_call\n");
#else
__asm__(
    ".text\n.type lp_fortran_first_call, %function\n.globl lp_fortran_first_call\n.hidden lp_fortran_first_call\n"
    "lp_fortran_first_call:\n"
    "stp x29, x30, [sp, #-224]!\nmov x29, sp\n"
    "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\n"
    "str x8, [sp, #80]\n"
    "stp q0, q1, [sp, #96]\nstp q2, q3, [sp, #128]\nstp q4, q5, [sp, #160]\nstp q6, q7, [sp, #192]\n"
    "mov x0, x16\nmov x1, x30\n"
    "bl lp_fortran_way\n"
    "mov x17, x0\n"
    "ldp q0, q1, [sp, #96]\nldp q2, q3, [sp, #128]\nldp q4, q5, [sp, #160]\nldp q6, q7, [sp, #192]\n"
    "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n"
    "ldr x8, [sp, #80]\n"
    "ldp x29, x30, [sp], #224\n"
    "br x17\n"
    ".size lp_fortran_first_call, . - lp_fortran_first_call\n");
#endif

#endif
