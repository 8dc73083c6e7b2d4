// SPDX-License-Identifier: GPL-3.0-or-later
// What wrap_c.c and wrap_c4.c have in common: what a kind of argument is in C, and how a call is wrapped. Where
// LP_LARGE_COUNTS is defined, counts are those of MPI_X_c.
#ifndef LONGPOLE_RECORDER_WRAP_C_H
#define LONGPOLE_RECORDER_WRAP_C_H

#include "recorder/wrappers/kinds.h"
#include "recorder/wrappers/next.h"
#include "recorder/wrappers/notes.h"
#include "recorder/wrappers/requests.h"
#include "recorder/wrappers/spawned.h"

// What a kind of argument is in C: its declaration, what is done before the call, and what the note gets.
#define DECLARE(kind, ...) DECLARE_##kind(__VA_ARGS__)
#define DECLARE_UNUSED(kind, name) DECLARE_##kind(name)
#define DECLARE_INT(name) int name
#define DECLARE_INTS(name) const int name[]
#define DECLARE_INTS_OUT(name) int name[]
#ifdef LP_LARGE_COUNTS
#define DECLARE_COUNT(name) MPI_Count name
#define DECLARE_COUNTS(name) const MPI_Count name[]
#define DECLARE_PLACES(name) const MPI_Aint name[]
#define DECLARE_UNIT(name) MPI_Aint name
#define VALUE_COUNTS(name) \
    , (struct lp_counts) { .large = name }
#else
#define DECLARE_COUNT(name) int name
#define DECLARE_COUNTS(name) const int name[]
#define DECLARE_PLACES(name) const int name[]
#define DECLARE_UNIT(name) int name
#define VALUE_COUNTS(name) \
    , (struct lp_counts) { .few = name }
#endif
#define DECLARE_LARGE(name) MPI_Count name
#define DECLARE_SENT(name) const void *name
#define DECLARE_INT_OUT(name) int *name
#define DECLARE_FLAG(name) int *name
#define DECLARE_TYPE(name) MPI_Datatype name
#define DECLARE_TYPES(name) const MPI_Datatype name[]
#define DECLARE_OP(name) MPI_Op name
#define DECLARE_COMM(name) MPI_Comm name
#define DECLARE_PARENTS(name) MPI_Comm name
#define DECLARE_NEW_COMM(name) MPI_Comm *name
#define DECLARE_OLD_COMM(name) MPI_Comm *name
#define DECLARE_REQUEST(name) MPI_Request *name
#define DECLARE_NEW_MESSAGE(name) MPI_Message *name
#define DECLARE_OLD_MESSAGE(name) MPI_Message *name
#define DECLARE_STATUS(name) MPI_Status *name
#define DECLARE_WIN(name) MPI_Win name
#define DECLARE_NEW_WIN(name) MPI_Win *name
#define DECLARE_OLD_WIN(name) MPI_Win *name
#define DECLARE_IN(name) const void *name
#define DECLARE_OUT(name) void *name
#define DECLARE_AINT(name) MPI_Aint name
#define DECLARE_AINTS(name) const MPI_Aint name[]
#define DECLARE_OFFSET(name) MPI_Offset name
#define DECLARE_GROUP(name) MPI_Group name
#define DECLARE_INFO(name) MPI_Info name
#define DECLARE_ERRHANDLER(name) MPI_Errhandler name
#define DECLARE_INFOS(name) const MPI_Info name[]
#define DECLARE_FILE(name) MPI_File name
#define DECLARE_FILE_OUT(name) MPI_File *name
#define DECLARE_TEXT(name) const char *name
#define DECLARE_TEXTS(name) char *name[]
#define DECLARE_TEXTSS(name) char **name[]

#define BEFORE_STATUS(name) \
    MPI_Status own_##name; \
    if (name == MPI_STATUS_IGNORE) name = &own_##name;
// Within another call, too (an attribute may free one): MPI gives the same handle to others.
#define BEFORE_OLD_COMM(name) const struct lp_communicator *old_##name = lp_forget_comm(*name);
// Who starts a program.
#define BEFORE_PARENTS(name) \
    if (begin >= 0) lp_before_spawn(name);
#define BEFORE_OLD_MESSAGE(name) const struct lp_communicator *old_##name = begin < 0 ? 0 : lp_take_message(*name);
#define BEFORE_OLD_WIN(name) const struct lp_window old_##name = lp_forget_window(*name);

#define VALUE_INT(name) , name
#define VALUE_LARGE(name) , name
#define VALUE_COUNT(name) , name
#define VALUE_SENT(name) , name == MPI_IN_PLACE
#define VALUE_FLAG(name) , *name
#define VALUE_TYPE(name) , name
#define VALUE_TYPES(name) \
    , (struct lp_types) { .c = name }
#define VALUE_COMM(name) , name
#define VALUE_PARENTS(name) , name
#define VALUE_NEW_COMM(name) , *name
#define VALUE_OLD_COMM(name) , old_##name
#define VALUE_REQUEST(name) , *name
#define VALUE_NEW_MESSAGE(name) , *name
#define VALUE_OLD_MESSAGE(name) , old_##name
#define VALUE_STATUS(name) , name
#define VALUE_WIN(name) , lp_window(name)
#define VALUE_GROUP(name) , name
#define VALUE_NEW_WIN(name) , *name
#define VALUE_OLD_WIN(name) , old_##name

// `more`, a macro without arguments: what the note gets after the arguments.
#define WRAP(Name, note, more, ...) WRAP_AS(MPI_##Name, LP_NEXT(Name), Name, note, more, __VA_ARGS__)
#define WRAP_AS(symbol, next, Name, note, more, ...) \
    LP_EXPORT int symbol(LP_LIST(DECLARE, __VA_ARGS__)) \
    { \
        const int64_t begin = lp_begin_call(LP_##Name, LP_MAY_BLOCK(LP_##Name)); \
        LP_EACH(BEFORE, __VA_ARGS__) \
        LP_FORETELL(Name, note, LP_EACH(VALUE, __VA_ARGS__) more()) \
        const int result = next(LP_LIST(PASS, __VA_ARGS__)); \
        if (begin >= 0) { \
            struct lp_call call = lp_ended(LP_##Name, begin); \
            if (result == MPI_SUCCESS) note(&call LP_EACH(VALUE, __VA_ARGS__) more()); \
            else lp_note_plain(&call); \
        } \
        lp_end_call(); \
        return result; \
    }

#endif
