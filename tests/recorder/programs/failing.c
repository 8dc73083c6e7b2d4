// SPDX-License-Identifier: GPL-3.0-or-later
// Linked into a program: the recorder gets no memory in the moments that FAILING_FROM and FAILING_COUNT say, counted by
// what it asks for of FAILING_LEAST to FAILING_MOST bytes, and no room for files beyond FAILING_BYTES; everybody else
// does. FAILING_RANK: on this rank alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long asked;
static atomic_int is_known;
static long from, count, least, most, bytes;

static void learn(void)
{
    const char *first = getenv("FAILING_FROM"), *many = getenv("FAILING_COUNT"), *only = getenv("FAILING_RANK");
    const char *own = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    const int is_here = !only || (own && strcmp(only, own) == 0);
    count = first && is_here ? (many ? atol(many) : 1) : 0;
    from = first ? atol(first) : 0;
    least = getenv("FAILING_LEAST") ? atol(getenv("FAILING_LEAST")) : 0;
    bytes = is_here && getenv("FAILING_BYTES") ? atol(getenv("FAILING_BYTES")) : 0;
    most = getenv("FAILING_MOST") ? atol(getenv("FAILING_MOST")) : LONG_MAX;
    is_known = 1;
}

static int is_recorder(const void *caller)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "liblongpole-")) return 0;
    if (!is_known) learn();
    return 1;
}

static int fails(const void *caller, size_t size)
{
    if (!is_recorder(caller) || (long)size < least || (long)size > most) return 0;
    const long number = ++asked;
    if (number < from || number >= from + count) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails(__builtin_return_address(0), size) ? NULL : __libc_malloc(size); }

void *calloc(size_t items, size_t size)
{
    return fails(__builtin_return_address(0), items * size) ? NULL : __libc_calloc(items, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0), size) ? NULL : __libc_realloc(old, size);
}

ssize_t pwrite(int file, const void *from_here, size_t length, off_t at)
{
    if (is_recorder(__builtin_return_address(0)) && bytes > 0 && at + (off_t)length > bytes) {
        if (at >= bytes) {
            errno = ENOSPC;
            return -1;
        }
        length = (size_t)(bytes - at);
    }
    return syscall(SYS_pwrite64, file, from_here, length, at);
}
