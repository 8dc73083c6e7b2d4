// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of MPI_Init, MPI_Init_thread, MPI_Finalize, MPI_Abort and MPI_Pcontrol, in C and in Fortran. The thread
// level that a program asks for is never changed.
#include "recorder/fortran/shared.h"
#include "recorder/wrappers/lifetime.h"
#include "recorder/wrappers/scratch.h"
#include "recorder/wrappers/spawned.h"

#include <stdarg.h>

LP_EXPORT int MPI_Init(int *argc, char ***argv)
{
    const int64_t begin = lp_now();
    lp_bind_late();
    lp_find_tools();
    lp_before_start();
    const int result = LP_NEXT(Init)(argc, argv);
    LP_REMEMBER_FRAME();
    if (result == MPI_SUCCESS) lp_after_init(LP_Init, begin);
    return result;
}

LP_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int64_t begin = lp_now();
    lp_bind_late();
    lp_find_tools();
    lp_before_start();
    const int result = LP_NEXT(Init_thread)(argc, argv, required, provided);
    LP_REMEMBER_FRAME();
    if (result == MPI_SUCCESS) lp_after_init(LP_Init_thread, begin);
    return result;
}

LP_EXPORT int MPI_Finalize(void)
{
    LP_REMEMBER_FRAME();
    lp_before_finalize();
    return LP_NEXT(Finalize)();
}

LP_EXPORT int MPI_Abort(MPI_Comm comm, int code)
{
    LP_REMEMBER_FRAME();
    lp_before_abort(comm);
    return LP_NEXT(Abort)(comm, code);
}

LP_EXPORT int MPI_Pcontrol(const int level, ...)
{
    const void *more[5];  // what there may be is handed on as addresses, as are all arguments that are in use
    va_list arguments;
    va_start(arguments, level);
    for (int i = 0; i < 5; ++i) more[i] = va_arg(arguments, const void *);
    va_end(arguments);
    lp_control(level, more[0]);
    lp_function_t *next = LP_BEHIND_ONCE("PMPI_Pcontrol");
    return next ? ((int (*)(int, ...))next)(level, more[0], more[1], more[2], more[3], more[4]) : MPI_SUCCESS;
}

#define INIT(symbol, next) \
    LP_FORTRAN_NEXT void next(MPI_Fint *error); \
    LP_EXPORT void symbol(MPI_Fint *error); \
    void symbol(MPI_Fint *error) \
    { \
        const int64_t begin = lp_now(); \
        lp_bind_late(); \
        lp_before_start(); \
        MPI_Fint own_error = MPI_SUCCESS; \
        error = error ? error : &own_error; \
        LP_BEHIND(next)(error); \
        LP_REMEMBER_FRAME(); \
        if (*error == MPI_SUCCESS) lp_after_init(LP_Init, begin); \
    }
INIT(LP_FORTRAN(init), pmpi_init_)
LP_FORTRAN_SPELLINGS(init, INIT)
INIT(LP_F08(init), LP_NEXT_F08(init))

#define INIT_THREAD(symbol, next) \
    LP_FORTRAN_NEXT void next(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error); \
    LP_EXPORT void symbol(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error); \
    void symbol(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) \
    { \
        const int64_t begin = lp_now(); \
        lp_bind_late(); \
        lp_before_start(); \
        MPI_Fint own_error = MPI_SUCCESS; \
        error = error ? error : &own_error; \
        LP_BEHIND(next)(required, provided, error); \
        LP_REMEMBER_FRAME(); \
        if (*error == MPI_SUCCESS) lp_after_init(LP_Init_thread, begin); \
    }
INIT_THREAD(LP_FORTRAN(init_thread), pmpi_init_thread_)
LP_FORTRAN_SPELLINGS(init_thread, INIT_THREAD)
INIT_THREAD(LP_F08(init_thread), LP_NEXT_F08(init_thread))

#define FINALIZE(symbol, next) \
    LP_FORTRAN_NEXT void next(MPI_Fint *error); \
    LP_EXPORT void symbol(MPI_Fint *error); \
    void symbol(MPI_Fint *error) \
    { \
        LP_REMEMBER_FRAME(); \
        lp_before_finalize(); \
        LP_BEHIND(next)(error); \
    }
FINALIZE(LP_FORTRAN(finalize), pmpi_finalize_)
LP_FORTRAN_SPELLINGS(finalize, FINALIZE)
FINALIZE(LP_F08(finalize), LP_NEXT_F08(finalize))

#define ABORT(symbol, next) \
    LP_FORTRAN_NEXT void next(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error); \
    LP_EXPORT void symbol(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error); \
    void symbol(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error) \
    { \
        LP_REMEMBER_FRAME(); \
        lp_before_abort(PMPI_Comm_f2c(*comm)); \
        LP_BEHIND(next)(comm, code, error); \
    }
ABORT(LP_FORTRAN(abort), pmpi_abort_)
LP_FORTRAN_SPELLINGS(abort, ABORT)
ABORT(LP_F08(abort), LP_NEXT_F08(abort))

// Fortran's has no name to tell. Only MPICH's f08 has an error code. MPI's own may call the one of C, which is ours.
#define PCONTROL(symbol, next) \
    LP_FORTRAN_NEXT void next(MPI_Fint *level, MPI_Fint *error); \
    LP_EXPORT void symbol(MPI_Fint *level, MPI_Fint *error); \
    void symbol(MPI_Fint *level, MPI_Fint *error) \
    { \
        lp_control(*level, 0); \
        ++lp_depth; \
        if (LP_BEHIND(next)) LP_BEHIND(next)(level, error); \
        --lp_depth; \
    }
PCONTROL(LP_FORTRAN(pcontrol), pmpi_pcontrol_)
LP_FORTRAN_SPELLINGS(pcontrol, PCONTROL)
PCONTROL(LP_F08(pcontrol), LP_NEXT_F08(pcontrol))
