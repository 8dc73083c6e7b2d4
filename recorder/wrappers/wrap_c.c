// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of MPI's C calls.
#include "recorder/wrappers/kinds.h"
#include "recorder/wrappers/next.h"
#include "recorder/wrappers/notes.h"
#include "recorder/wrappers/requests.h"

// What a kind of argument is in C: its declaration, what is done before the call, and what the note gets.
#define DECLARE(kind, ...) DECLARE_##kind(__VA_ARGS__)
#define DECLARE_UNUSED(kind, name) DECLARE_##kind(name)
#define DECLARE_INT(name) int name
#define DECLARE_INTS(name) const int name[]
#define DECLARE_INTS_OUT(name) int name[]
#define DECLARE_INT_OUT(name) int *name
#define DECLARE_FLAG(name) int *name
#define DECLARE_TYPE(name) MPI_Datatype name
#define DECLARE_TYPES(name) const MPI_Datatype name[]
#define DECLARE_OP(name) MPI_Op name
#define DECLARE_COMM(name) MPI_Comm name
#define DECLARE_NEW_COMM(name) MPI_Comm *name
#define DECLARE_OLD_COMM(name) MPI_Comm *name
#define DECLARE_REQUEST(name) MPI_Request *name
#define DECLARE_NEW_MESSAGE(name) MPI_Message *name
#define DECLARE_OLD_MESSAGE(name) MPI_Message *name
#define DECLARE_STATUS(name) MPI_Status *name
#define DECLARE_WIN(name) MPI_Win name
#define DECLARE_WIN_HANDLE(name) MPI_Win name
#define DECLARE_NEW_WIN(name) MPI_Win *name
#define DECLARE_OLD_WIN(name) MPI_Win *name
#define DECLARE_IN(name) const void *name
#define DECLARE_OUT(name) void *name
#define DECLARE_AINT(name) MPI_Aint name
#define DECLARE_AINTS(name) const MPI_Aint name[]
#define DECLARE_OFFSET(name) MPI_Offset name
#define DECLARE_GROUP(name) MPI_Group name
#define DECLARE_INFO(name) MPI_Info name
#define DECLARE_INFOS(name) const MPI_Info name[]
#define DECLARE_FILE(name) MPI_File name
#define DECLARE_FILE_OUT(name) MPI_File *name
#define DECLARE_TEXT(name) const char *name
#define DECLARE_TEXTS(name) char *name[]
#define DECLARE_TEXTSS(name) char **name[]

#define BEFORE_STATUS(name) \
    MPI_Status own_##name; \
    if (name == MPI_STATUS_IGNORE) name = &own_##name;
#define BEFORE_OLD_COMM(name) const struct lp_communicator *old_##name = begin < 0 ? 0 : lp_forget_comm(*name);
#define BEFORE_OLD_MESSAGE(name) const struct lp_communicator *old_##name = begin < 0 ? 0 : lp_take_message(*name);
#define BEFORE_OLD_WIN(name) \
    const uint32_t old_##name = lp_window_comm(*name); \
    if (begin >= 0) lp_forget_window(*name);

#define VALUE_INT(name) , name
#define VALUE_INTS(name) , name
#define VALUE_FLAG(name) , *name
#define VALUE_TYPE(name) , name
#define VALUE_TYPES(name) \
    , (struct lp_types) { .c = name }
#define VALUE_COMM(name) , name
#define VALUE_NEW_COMM(name) , *name
#define VALUE_OLD_COMM(name) , old_##name
#define VALUE_REQUEST(name) , *name
#define VALUE_NEW_MESSAGE(name) , *name
#define VALUE_OLD_MESSAGE(name) , old_##name
#define VALUE_STATUS(name) , name
#define VALUE_WIN(name) , lp_window_comm(name)
#define VALUE_WIN_HANDLE(name) , name
#define VALUE_NEW_WIN(name) , *name
#define VALUE_OLD_WIN(name) , old_##name

// `more`, a macro without arguments: what the note gets after the arguments.
#define WRAP(Name, note, more, ...) \
    LP_EXPORT int MPI_##Name(LP_LIST(DECLARE, __VA_ARGS__)) \
    { \
        const int64_t begin = lp_begin_call(LP_##Name, LP_MAY_BLOCK(LP_##Name)); \
        LP_EACH(BEFORE, __VA_ARGS__) \
        const int result = LP_NEXT(Name)(LP_LIST(PASS, __VA_ARGS__)); \
        if (begin >= 0) { \
            struct lp_call call = lp_ended(LP_##Name, begin); \
            if (result == MPI_SUCCESS) note(&call LP_EACH(VALUE, __VA_ARGS__) more()); \
            else lp_note_plain(&call); \
        } \
        lp_end_call(); \
        return result; \
    }

#define CALL(Name, lower, UPPER, note, ...) WRAP(Name, note, NOTHING, __VA_ARGS__)
#define BUFFERS(Name, lower, UPPER, note, ...) WRAP(Name, note, NOTHING, __VA_ARGS__)
#define TEXT(n, Name, lower, UPPER, note, ...) WRAP(Name, note, NOTHING, __VA_ARGS__)
#define COLLECTIVE(Name, lower, UPPER, note, ...) \
    WRAP(Name, note, NO_REQUEST, __VA_ARGS__) \
    WRAP(I##lower, note, NOTHING, __VA_ARGS__, (REQUEST, request))
#define BARRIER COLLECTIVE

#include "recorder/wrappers/wrappers.def"

LP_EXPORT int MPI_Type_free(MPI_Datatype *type)
{
    lp_forget_types();
    return PMPI_Type_free(type);
}

LP_EXPORT int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    const int64_t begin = lp_begin_call(LP_CALL_COUNT, false);
    const int result = PMPI_Comm_set_name(comm, name);
    if (begin >= 0 && result == MPI_SUCCESS) lp_named_comm(comm, name);
    lp_end_call();
    return result;
}
