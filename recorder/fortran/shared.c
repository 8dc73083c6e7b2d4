// SPDX-License-Identifier: GPL-3.0-or-later
// Fortran's statuses, and its calls that are not recorded as such but change what handles mean.
#include "recorder/fortran/shared.h"

#include "recorder/wrappers/comms.h"
#include "recorder/wrappers/scratch.h"

#include <string.h>

#ifdef OPEN_MPI
bool lp_is_ignored(const void *status) { return status == MPI_F_STATUS_IGNORE || status == lp_fortran_status_ignore; }

bool lp_are_ignored(const void *statuses)
{
    return statuses == MPI_F_STATUSES_IGNORE || statuses == lp_fortran_statuses_ignore;
}
#else
bool lp_is_ignored(const void *status) { return status == MPI_F_STATUS_IGNORE || status == MPI_F08_STATUS_IGNORE; }

bool lp_are_ignored(const void *statuses)
{
    return statuses == MPI_F_STATUSES_IGNORE || statuses == MPI_F08_STATUSES_IGNORE;
}
#endif

bool lp_is_in_place(const void *buffer, bool isDescribed)
{
    const void *address = isDescribed ? *(const void *const *)buffer : buffer;
    return address && (address == lp_fortran_in_place || (lp_mpich_in_place && address == *lp_mpich_in_place));
}

const MPI_Status *lp_status_of(const void *status, MPI_Status *converted)
{
    PMPI_Status_f2c(status, converted);
    return converted;
}

#define TYPE_FREE(symbol, next) \
    LP_FORTRAN_NEXT void next(void *type, MPI_Fint *error); \
    LP_EXPORT void symbol(void *type, MPI_Fint *error); \
    void symbol(void *type, MPI_Fint *error) \
    { \
        lp_forget_types(); \
        LP_BEHIND(next)(type, error); \
    }
TYPE_FREE(LP_FORTRAN(type_free), pmpi_type_free_)
LP_FORTRAN_SPELLINGS(type_free, TYPE_FREE)
TYPE_FREE(LP_F08(type_free), LP_NEXT_F08(type_free))

// Fortran pads a name with blanks.
static void nameComm(MPI_Fint comm, const char *name, size_t length)
{
    char text[MPI_MAX_OBJECT_NAME];
    while (length > 0 && name[length - 1] == ' ') --length;
    length = length < sizeof text ? length : sizeof text - 1;
    memcpy(text, name, length);
    text[length] = 0;
    lp_named_comm(PMPI_Comm_f2c(comm), text);
}

#define COMM_SET_NAME(symbol, next) \
    LP_FORTRAN_NEXT void next(MPI_Fint *comm, const char *name, MPI_Fint *error, size_t length); \
    LP_EXPORT void symbol(MPI_Fint *comm, const char *name, MPI_Fint *error, size_t length); \
    void symbol(MPI_Fint *comm, const char *name, MPI_Fint *error, size_t length) \
    { \
        const int64_t begin = lp_begin_call(LP_CALL_COUNT, false); \
        MPI_Fint own_error = MPI_SUCCESS; \
        if (!error) error = &own_error; \
        LP_BEHIND(next)(comm, name, error, length); \
        if (begin >= 0 && *error == MPI_SUCCESS) nameComm(*comm, name, length); \
        lp_end_call(); \
    }
COMM_SET_NAME(LP_FORTRAN(comm_set_name), pmpi_comm_set_name_)
LP_FORTRAN_SPELLINGS(comm_set_name, COMM_SET_NAME)
COMM_SET_NAME(LP_F08(comm_set_name), LP_NEXT_F08(comm_set_name))
