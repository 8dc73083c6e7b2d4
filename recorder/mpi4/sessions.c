// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder's session, and the wrappers of MPI_Session_init and MPI_Session_finalize in C and in Fortran 2008.
// MPICH's mpif.h calls those of C.
#define _GNU_SOURCE
#include "recorder/mpi4/sessions.h"

#include "recorder/fortran/shared.h"
#include "recorder/wrappers/lifetime.h"
#include "recorder/wrappers/next.h"
#include "recorder/wrappers/scratch.h"
#include "recorder/wrappers/spawned.h"

#include <dlfcn.h>

#ifdef LP_HAS_MPI4

static MPI_Session session = MPI_SESSION_NULL;

// MPI's own function, whatever other tools there are.
#define OWN(name) ((__typeof__(&PMPI_##name))dlsym(RTLD_DEFAULT, "PMPI_" #name))

MPI_Comm lp_open_session(void)
{
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Group group;
    if (OWN(Session_init)(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS) return all;
    if (OWN(Group_from_session_pset)(session, "mpi://WORLD", &group) != MPI_SUCCESS) return all;
    if (OWN(Comm_create_from_group)(group, "longpole", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all) != MPI_SUCCESS)
        all = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    return all;
}

void lp_close_session(void) { OWN(Session_finalize)(&session); }

// In each of the wrappers: before and after MPI begins a session, and before one ends.
static int64_t beforeSession(void)
{
    const int64_t begin = lp_now();
    lp_bind_late();
    lp_find_tools();
    return begin;
}

LP_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *made)
{
    const int64_t begin = beforeSession();
    const int result = LP_NEXT(Session_init)(info, handler, made);
    LP_REMEMBER_FRAME();
    if (result == MPI_SUCCESS) lp_after_session_init(LP_Session_init, begin);
    return result;
}

LP_EXPORT int MPI_Session_finalize(MPI_Session *ended)
{
    LP_REMEMBER_FRAME();
    lp_before_session_finalize(LP_Session_finalize);
    return LP_NEXT(Session_finalize)(ended);
}

LP_FORTRAN_NEXT void LP_NEXT_F08(session_init)(void *info, void *handler, void *made, MPI_Fint *error);
LP_EXPORT void LP_F08(session_init)(void *info, void *handler, void *made, MPI_Fint *error);
void LP_F08(session_init)(void *info, void *handler, void *made, MPI_Fint *error)
{
    const int64_t begin = beforeSession();
    MPI_Fint own_error = MPI_SUCCESS;
    error = error ? error : &own_error;
    LP_BEHIND_F08(session_init)(info, handler, made, error);
    LP_REMEMBER_FRAME();
    if (*error == MPI_SUCCESS) lp_after_session_init(LP_Session_init, begin);
}

LP_FORTRAN_NEXT void LP_NEXT_F08(session_finalize)(void *ended, MPI_Fint *error);
LP_EXPORT void LP_F08(session_finalize)(void *ended, MPI_Fint *error);
void LP_F08(session_finalize)(void *ended, MPI_Fint *error)
{
    LP_REMEMBER_FRAME();
    lp_before_session_finalize(LP_Session_finalize);
    LP_BEHIND_F08(session_finalize)(ended, error);
}

#else

MPI_Comm lp_open_session(void) { return MPI_COMM_NULL; }
void lp_close_session(void) {}

#endif
