// SPDX-License-Identifier: GPL-3.0-or-later
// What wrap.c, recorder/mpi4/wrap_f4.c and wrap_f_large.c have in common: how a call is wrapped in Fortran. Arguments
// go on untouched, but for statuses that the program ignores, and f08's error code that it may leave out. Where
// LP_LARGE_COUNTS is defined, counts are of kind MPI_COUNT_KIND.
#ifndef LONGPOLE_RECORDER_FORTRAN_WRAP_H
#define LONGPOLE_RECORDER_FORTRAN_WRAP_H

#include "recorder/fortran/shared.h"
#include "recorder/wrappers/kinds.h"
#include "recorder/wrappers/notes.h"
#include "recorder/wrappers/requests.h"
#include "recorder/wrappers/spawned.h"

#define DECLARE(...) void *PASS(__VA_ARGS__)

#define FINT(name) (*(const MPI_Fint *)(name))

#define BEFORE_STATUS(name) \
    MPI_Status own_##name; \
    if (lp_is_ignored(name)) name = &own_##name;
#define BEFORE_OLD_COMM(name) const struct lp_communicator *old_##name = lp_forget_comm(PMPI_Comm_f2c(FINT(name)));
#define BEFORE_PARENTS(name) \
    if (begin >= 0) lp_before_spawn(PMPI_Comm_f2c(FINT(name)));
#define BEFORE_OLD_MESSAGE(name) \
    const struct lp_communicator *old_##name = begin < 0 ? 0 : lp_take_message(PMPI_Message_f2c(FINT(name)));
#define BEFORE_OLD_WIN(name) const struct lp_window old_##name = lp_forget_window(PMPI_Win_f2c(FINT(name)));

#define VALUE_INT(name) , FINT(name)
#ifdef LP_LARGE_COUNTS
#define VALUE_COUNT(name) , *(const MPI_Count *)(name)
#define VALUE_COUNTS(name) \
    , (struct lp_counts) { .large = name }
#else
#define VALUE_COUNT(name) , FINT(name)
#define VALUE_COUNTS(name) \
    , (struct lp_counts) { .few = name }
#endif
#define VALUE_LARGE(name) , *(const MPI_Count *)(name)
#define VALUE_SENT(name) , lp_is_in_place(name, isDescribed)
#define VALUE_FLAG(name) , FINT(name) != 0
#define VALUE_TYPE(name) , PMPI_Type_f2c(FINT(name))
#define VALUE_TYPES(name) \
    , (struct lp_types) { .fortran = name }
#define VALUE_COMM(name) , PMPI_Comm_f2c(FINT(name))
#define VALUE_PARENTS(name) , PMPI_Comm_f2c(FINT(name))
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

#endif
