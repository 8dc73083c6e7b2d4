// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the program alive when somebody cuts a file that is mapped: touching what is gone would raise SIGBUS.
#ifndef LONGPOLE_RECORDER_GUARD_H
#define LONGPOLE_RECORDER_GUARD_H

#include <stdint.h>

// From now on a page of this mapping that has lost its file becomes one of zeros, and the program goes on. A handler of
// SIGBUS that was there before gets all other faults; one that the program sets later stands alone.
void lp_guard(void *memory, uint64_t length);

#endif
