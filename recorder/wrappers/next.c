// SPDX-License-Identifier: GPL-3.0-or-later
// Finds other tools that own MPI's names, so that both see the calls.
#define _GNU_SOURCE
#include "recorder/wrappers/next.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lp_function_t *lp_next[LP_CALL_COUNT];

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

// MPI's own libraries define MPI_X beside PMPI_X; their Fortran parts may define some themselves. mpiP is a tool.
static bool isMpi(const char *file, const char *mpi)
{
    return !*file || strcmp(file, mpi) == 0 || (strstr(file, "libmpi") && !strstr(file, "libmpiP"))
           || strstr(file, "libpmpi");
}

// The tool that owns MPI's names before us and the one behind us, if any.
struct tools {
    const char *mpi, *ours, *before, *behind;
};

// Returns the function behind ours if it is a tool's.
static void *toolBehind(struct tools *tools, const char *name)
{
    const char *first = fileOf(dlsym(RTLD_DEFAULT, name));
    if (!isMpi(first, tools->mpi) && strcmp(first, tools->ours) != 0) tools->before = first;
    void *next = dlsym(RTLD_NEXT, name);
    const char *file = fileOf(next);
    if (isMpi(file, tools->mpi)) return 0;
    tools->behind = file;
    return next;
}

// Fortran's names of a tool, which lp_behind() finds when they are called.
static void lookForFortransTools(struct tools *tools)
{
    if (!dlsym(RTLD_DEFAULT, "pmpi_init_")) return;
    for (int call = 0; call < LP_CALL_COUNT; ++call) {
        char name[64];
        size_t length = 0;
        for (; names[call][length] && length < sizeof name - 2; ++length)
            name[length] = (char)tolower((unsigned char)names[call][length]);
        strcpy(name + length, "_");
        toolBehind(tools, name);
    }
}

static void lookForTools(void)
{
    struct tools tools = {.mpi = fileOf((void *)lp_next[LP_Init]), .ours = fileOf((void *)lp_find_tools)};
    for (int call = 0; call < LP_CALL_COUNT; ++call) {
        void *next = toolBehind(&tools, names[call]);
        if (next) lp_next[call] = (lp_function_t *)next;
    }
    lookForFortransTools(&tools);
    if (tools.before)
        snprintf(remark, sizeof remark, "Another tool takes MPI's calls before Longpole, which may miss some: %s",
                 tools.before);
    else if (tools.behind)
        snprintf(remark, sizeof remark, "Another tool takes MPI's calls after Longpole; its time counts as MPI's: %s",
                 tools.behind);
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

static const char *fileByLoader(const void *function)
{
    Dl_info found;
    return function && dladdr(function, &found) && found.dli_fname ? found.dli_fname : "";
}

lp_function_t *lp_behind(const char *own)
{
    char name[96];
    // MPICH's pmpir_x_f08_ is its own of mpi_x_f08_.
    if (strncmp(own, "pmpir_", 6) == 0) snprintf(name, sizeof name, "mpi_%s", own + 6);
    else snprintf(name, sizeof name, "%s", own + 1);
    void *next = dlsym(RTLD_NEXT, name);
    void *mpis = dlsym(RTLD_DEFAULT, own);
    return (lp_function_t *)(isMpi(fileByLoader(next), fileByLoader(mpis)) ? mpis : next);
}
