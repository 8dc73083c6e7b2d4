// SPDX-License-Identifier: GPL-3.0-or-later
// Finds other tools that own MPI's names, so that both see the calls.
#define _GNU_SOURCE
#include "recorder/wrappers/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LP_ROW(name, class, kind) [LP_##name] = (lp_function_t *)PMPI_##name,
#ifdef LP_HAS_MPI4
#define LP_ROW4 LP_ROW
#else
#define LP_ROW4(name, class, kind) [LP_##name] = 0,
#endif
#ifdef LP_HAS_COLLECTIVES_TO_START
#define LP_ROW_TO_START(name, class, kind) [LP_##name] = (lp_function_t *)LP_NEXT_TO_START(name),
#else
#define LP_ROW_TO_START(name, class, kind) [LP_##name] = 0,
#endif
lp_function_t *lp_next[LP_CALL_COUNT] = {LP_MPI3_CALLS(LP_ROW) LP_COLLECTIVES_TO_START(LP_ROW_TO_START)
                                             LP_MPI4_CALLS(LP_ROW4)};
#undef LP_ROW
#undef LP_ROW_TO_START

#define LP_ROW(name, class, kind) "MPI_" #name,
#define LP_ROW_TO_START(name, class, kind) LP_PREFIX_TO_START #name,
static const char *const names[LP_CALL_COUNT] = {LP_MPI3_CALLS(LP_ROW) LP_COLLECTIVES_TO_START(LP_ROW_TO_START)
                                                     LP_MPI4_CALLS(LP_ROW)};
#undef LP_ROW

static char remark[512];

// Where the loaded libraries lie. dladdr() would look through all symbols of a library for each address.
struct segment {
    uintptr_t begin, end;
    const char *file;
};
struct segments {
    struct segment *all;
    size_t count, room;
};
static struct segments loaded;

static int addLibrary(struct dl_phdr_info *library, size_t size, void *to)
{
    (void)size;
    struct segments *segments = to;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        if (library->dlpi_phdr[i].p_type != PT_LOAD) continue;
        if (segments->count == segments->room) {
            const size_t room = 2 * segments->room + 128;
            struct segment *more = realloc(segments->all, room * sizeof *more);
            if (!more) return 1;
            segments->all = more;
            segments->room = room;
        }
        const uintptr_t begin = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
        const char *name = library->dlpi_name;
        segments->all[segments->count++] = (struct segment){begin, begin + library->dlpi_phdr[i].p_memsz,
                                                            name && *name ? name : program_invocation_name};
    }
    return 0;
}

static const char *fileOf(const void *function)
{
    const uintptr_t address = (uintptr_t)function;
    for (size_t i = 0; i < loaded.count; ++i)
        if (address - loaded.all[i].begin < loaded.all[i].end - loaded.all[i].begin) return loaded.all[i].file;
    return "";
}

// MPI's own libraries define MPI_X beside PMPI_X; their Fortran parts may define some themselves.
static bool isMpi(void *function, const char *mpi)
{
    const char *file = fileOf(function);
    return !*file || strcmp(file, mpi) == 0 || strstr(file, "libmpi") || strstr(file, "libpmpi");
}

static void lookForTools(void)
{
    const char *mpi = fileOf((void *)lp_next[LP_Init]);
    const char *ours = fileOf((void *)lp_find_tools);
    const char *behind = 0;
    const char *before = 0;
    for (int call = 0; call < LP_CALL_COUNT; ++call) {
        void *first = dlsym(RTLD_DEFAULT, names[call]);
        if (first && !isMpi(first, mpi) && strcmp(fileOf(first), ours) != 0) before = fileOf(first);
        void *next = dlsym(RTLD_NEXT, names[call]);
        if (next && !isMpi(next, mpi)) {
            behind = fileOf(next);
            lp_next[call] = (lp_function_t *)next;
        }
    }
    if (before)
        snprintf(remark, sizeof remark, "Another tool takes MPI's calls before Longpole, which may miss some: %s",
                 before);
    else if (behind)
        snprintf(remark, sizeof remark, "Another tool takes MPI's calls after Longpole; its time counts as MPI's: %s",
                 behind);
}

const char *lp_find_tools(void)
{
    static bool isDone;
    if (!isDone) {
        dl_iterate_phdr(addLibrary, &loaded);
        lookForTools();
        free(loaded.all);
        loaded = (struct segments){.count = 0};
        isDone = true;
    }
    return *remark ? remark : 0;
}
