// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of Fortran's calls: mpi_x_ (mpif.h, `use mpi`) with its other spellings, and the names of `use mpi_f08`.
// Arguments go on untouched, but for statuses that the program ignores, and f08's error code that it may leave out.
#include "recorder/fortran/shared.h"
#include "recorder/wrappers/kinds.h"
#include "recorder/wrappers/notes.h"
#include "recorder/wrappers/requests.h"

#define DECLARE(...) void *PASS(__VA_ARGS__)

#define FINT(name) (*(const MPI_Fint *)(name))

#define BEFORE_STATUS(name) \
    MPI_Status own_##name; \
    if (lp_is_ignored(name)) name = &own_##name;
#define BEFORE_OLD_COMM(name) const struct lp_communicator *old_##name = lp_forget_comm(PMPI_Comm_f2c(FINT(name)));
#define BEFORE_OLD_MESSAGE(name) \
    const struct lp_communicator *old_##name = begin < 0 ? 0 : lp_take_message(PMPI_Message_f2c(FINT(name)));
#define BEFORE_OLD_WIN(name) const struct lp_window old_##name = lp_forget_window(PMPI_Win_f2c(FINT(name)));

#define VALUE_INT(name) , FINT(name)
#define VALUE_COUNT(name) , FINT(name)
#define VALUE_COUNTS(name) \
    , (struct lp_counts) { .few = name }
#define VALUE_SENT(name) , lp_is_in_place(name, isDescribed)
#define VALUE_FLAG(name) , FINT(name) != 0
#define VALUE_TYPE(name) , PMPI_Type_f2c(FINT(name))
#define VALUE_TYPES(name) \
    , (struct lp_types) { .fortran = name }
#define VALUE_COMM(name) , PMPI_Comm_f2c(FINT(name))
#define VALUE_NEW_COMM(name) , PMPI_Comm_f2c(FINT(name))
#define VALUE_OLD_COMM(name) , old_##name
#define VALUE_REQUEST(name) , PMPI_Request_f2c(FINT(name))
#define VALUE_NEW_MESSAGE(name) , PMPI_Message_f2c(FINT(name))
#define VALUE_OLD_MESSAGE(name) , old_##name
#define VALUE_STATUS(name) , lp_status_of(name, &(MPI_Status){.MPI_SOURCE = 0})
#define VALUE_WIN(name) , lp_window(PMPI_Win_f2c(FINT(name)))
#define VALUE_GROUP(name) , PMPI_Group_f2c(FINT(name))
#define VALUE_NEW_WIN(name) , PMPI_Win_f2c(FINT(name))
#define VALUE_OLD_WIN(name) , old_##name

// Macros without arguments: `more`: what the note gets after the arguments; `lengths`: of texts, behind the error code.
#define WRAP(...) WRAP_WITH(false, __VA_ARGS__)
#define WRAP_WITH(described, symbol, next, Name, note, more, declare_lengths, lengths, ...) \
    LP_FORTRAN_NEXT void next(LP_LIST(DECLARE, __VA_ARGS__), MPI_Fint *error declare_lengths()); \
    LP_EXPORT void symbol(LP_LIST(DECLARE, __VA_ARGS__), MPI_Fint *error declare_lengths()); \
    void symbol(LP_LIST(DECLARE, __VA_ARGS__), MPI_Fint *error declare_lengths()) \
    { \
        const int64_t begin = lp_begin_call(LP_##Name, LP_MAY_BLOCK(LP_##Name)); \
        LP_EACH(BEFORE, __VA_ARGS__) \
        MPI_Fint own_error = MPI_SUCCESS; \
        if (!error) error = &own_error; \
        const bool isDescribed = described; \
        (void)isDescribed; \
        LP_FORETELL(Name, note, LP_EACH(VALUE, __VA_ARGS__) more()) \
        LP_BEHIND(next)(LP_LIST(PASS, __VA_ARGS__), error lengths()); \
        if (begin >= 0) { \
            struct lp_call call = lp_ended(LP_##Name, begin); \
            if (*error == MPI_SUCCESS) note(&call LP_EACH(VALUE, __VA_ARGS__) more()); \
            else lp_note_plain(&call); \
        } \
        lp_end_call(); \
    }

#define DECLARE_LENGTHS_1() , size_t length
#define DECLARE_LENGTHS_2() , size_t length, size_t length2
#define LENGTHS_1() , length
#define LENGTHS_2() , length, length2

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
