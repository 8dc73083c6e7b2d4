// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of Fortran's calls: mpi_x_ (mpif.h, `use mpi`) with its other spellings, and the names of `use mpi_f08`.
#include "recorder/fortran/wrap.h"

#define SPELLED(lower, UPPER, Name, note, more, declare_lengths, lengths, ...) \
    WRAP(LP_FORTRAN(lower), pmpi_##lower##_, Name, note, more, declare_lengths, lengths, __VA_ARGS__) \
    LP_FORTRAN_SPELLINGS(lower, UPPER)
#define CALL(Name, lower, UPPER, note, ...) \
    SPELLED(lower, UPPER, Name, note, NOTHING, NOTHING, NOTHING, __VA_ARGS__) \
    WRAP(LP_F08(lower), LP_NEXT_F08(lower), Name, note, NOTHING, NOTHING, NOTHING, __VA_ARGS__)
#define BUFFERS(Name, lower, UPPER, note, ...) \
    SPELLED(lower, UPPER, Name, note, NOTHING, NOTHING, NOTHING, __VA_ARGS__) \
    WRAP_WITH(LP_IS_DESCRIBED, LP_F08_BUFFER(lower), LP_NEXT_F08_BUFFER(lower), Name, note, NOTHING, NOTHING, NOTHING, \
              __VA_ARGS__)
#define TEXT(n, Name, lower, UPPER, note, ...) \
    SPELLED(lower, UPPER, Name, note, NOTHING, DECLARE_LENGTHS_##n, LENGTHS_##n, __VA_ARGS__) \
    WRAP(LP_F08(lower), LP_NEXT_F08(lower), Name, note, NOTHING, DECLARE_LENGTHS_##n, LENGTHS_##n, __VA_ARGS__)
#define COLLECTIVE(Name, lower, UPPER, note, ...) \
    SPELLED(lower, UPPER, Name, note, NO_REQUEST, NOTHING, NOTHING, __VA_ARGS__) \
    WRAP_WITH(LP_IS_DESCRIBED, LP_F08_BUFFER(lower), LP_NEXT_F08_BUFFER(lower), Name, note, NO_REQUEST, NOTHING, \
              NOTHING, __VA_ARGS__) \
    BUFFERS(I##lower, i##lower, I##UPPER, note, __VA_ARGS__, (REQUEST, request))
#define COUNTED CALL
#define FIXED BUFFERS
#define BARRIER(Name, lower, UPPER, note, ...) \
    SPELLED(lower, UPPER, Name, note, NO_REQUEST, NOTHING, NOTHING, __VA_ARGS__) \
    WRAP(LP_F08(lower), LP_NEXT_F08(lower), Name, note, NO_REQUEST, NOTHING, NOTHING, __VA_ARGS__) \
    CALL(I##lower, i##lower, I##UPPER, note, __VA_ARGS__, (REQUEST, request))

#include "recorder/wrappers/wrappers.def"

#ifdef OPEN_MPI  // of `use mpi`, where the memory is a type(C_PTR)
#define SHARED_OR_NOT(lower, UPPER, Name) \
    SPELLED(lower, UPPER, Name, lp_note_new_window, NOTHING, NOTHING, NOTHING, (UNUSED, AINT, size), \
            (UNUSED, UNIT, unit), (UNUSED, INFO, info), (COMM, comm), (UNUSED, OUT, base), (NEW_WIN, win))
SHARED_OR_NOT(win_allocate_cptr, WIN_ALLOCATE_CPTR, Win_allocate)
SHARED_OR_NOT(win_allocate_shared_cptr, WIN_ALLOCATE_SHARED_CPTR, Win_allocate_shared)
#endif
