// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of MPI that the recorder calls itself.
#ifndef LONGPOLE_RECORDER_DIRECT_H
#define LONGPOLE_RECORDER_DIRECT_H

#include <stdbool.h>

// Looks them up anew. False if one of them is missing: MPI is not there, or it is not the one of this library.
bool lp_find_direct(void);

#endif
