// SPDX-License-Identifier: GPL-3.0-or-later
// Finds MPI's objects and functions: when the library is loaded, or in MPI_Init where the program loaded MPI later
// (Python loads it with a module, for the module alone).
#define _GNU_SOURCE
#include "recorder/fortran/shared.h"
#include "recorder/wrappers/direct.h"
#include "recorder/wrappers/next.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#ifdef OPEN_MPI
#define LP_OBJECT(name) __typeof__(lp_ompi_##name) lp_ompi_##name;
LP_OMPI_OBJECTS(LP_OBJECT)
#undef LP_OBJECT
#else
__typeof__(lp_MPI_F08_STATUS_IGNORE) lp_MPI_F08_STATUS_IGNORE;
__typeof__(lp_MPI_F08_STATUSES_IGNORE) lp_MPI_F08_STATUSES_IGNORE;
#endif
__typeof__(lp_MPI_F_STATUS_IGNORE) lp_MPI_F_STATUS_IGNORE;
__typeof__(lp_MPI_F_STATUSES_IGNORE) lp_MPI_F_STATUSES_IGNORE;
const void *lp_fortran_status_ignore, *lp_fortran_statuses_ignore, *lp_fortran_in_place;
const void *const *lp_mpich_in_place;

static bool areDirectThere;
static void *nothing;  // pointers to objects that are not there point to this null

static void *object(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    return found ? found : &nothing;
}

static void findObjects(void)
{
#ifdef OPEN_MPI
#define LP_OBJECT(name) lp_ompi_##name = object("ompi_" #name);
    LP_OMPI_OBJECTS(LP_OBJECT)
#undef LP_OBJECT
    lp_fortran_status_ignore = dlsym(RTLD_DEFAULT, "mpi_fortran_status_ignore_");
    lp_fortran_statuses_ignore = dlsym(RTLD_DEFAULT, "mpi_fortran_statuses_ignore_");
    lp_fortran_in_place = dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_");
#else
    lp_fortran_in_place = dlsym(RTLD_DEFAULT, "MPIR_F08_MPI_IN_PLACE");
    lp_mpich_in_place = dlsym(RTLD_DEFAULT, "MPIR_F_MPI_IN_PLACE");
    lp_MPI_F08_STATUS_IGNORE = object("MPI_F08_STATUS_IGNORE");
    lp_MPI_F08_STATUSES_IGNORE = object("MPI_F08_STATUSES_IGNORE");
#endif
    lp_MPI_F_STATUS_IGNORE = object("MPI_F_STATUS_IGNORE");
    lp_MPI_F_STATUSES_IGNORE = object("MPI_F_STATUSES_IGNORE");
}

static void findFunctions(void)
{
    static const char *const names[LP_CALL_COUNT] = {
#define LP_ROW(name, class, kind) "PMPI_" #name,
#define LP_ROW_TO_START(name, class, kind) "P" LP_PREFIX_TO_START #name,
        LP_MPI3_CALLS(LP_ROW) LP_COLLECTIVES_TO_START(LP_ROW_TO_START) LP_MPI4_CALLS(LP_ROW)
#undef LP_ROW
    };
    for (int call = 0; call < LP_CALL_COUNT; ++call) lp_next[call] = (lp_function_t *)dlsym(RTLD_DEFAULT, names[call]);
    areDirectThere = lp_find_direct();
}

static __attribute__((constructor)) void findAtLoad(void)
{
    findFunctions();
    findObjects();
}

// Makes MPI's libraries visible to all, so that their names are found.
static int showLibrary(struct dl_phdr_info *library, size_t size, void *found)
{
    (void)size, (void)found;
    const char *name = library->dlpi_name ? strrchr(library->dlpi_name, '/') : 0;
    if (name && strncmp(name, "/libmpi", 7) == 0) dlopen(library->dlpi_name, RTLD_NOLOAD | RTLD_GLOBAL | RTLD_LAZY);
    return 0;
}

void lp_bind_late(void)
{
    if (lp_next[LP_Init]) return;
    dl_iterate_phdr(showLibrary, 0);
    findFunctions();
    findObjects();
}

bool lp_can_record(void) { return areDirectThere; }
