// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of Python that a thread is in, for programs that call MPI through mpi4py: as addresses of which the
// recording says what they stand for (LP_PLACES), innermost first.
#ifndef LONGPOLE_RECORDER_PYTHON_H
#define LONGPOLE_RECORDER_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

// Whether this process has an interpreter that can be asked.
bool lp_python_is_there(void);
// Whether an address is code of the interpreter, or of mpi4py.
bool lp_is_interpreter(uint64_t address);
bool lp_is_binding(uint64_t address);
// Fills in `found`, at most `most` of them, and returns how many; 0: none is known. `caller`: the code that called MPI.
//
// mpi4py calls MPI without Python's lock and takes the lock next, so it is taken here before, for as long as it takes
// to look. Others may keep on without it: of them nothing is known unless they have the lock. Nor is anything in a
// program with several threads of Python, which would wait for each other twice.
unsigned lp_python_places(uint64_t *found, unsigned most, uintptr_t caller);

#endif
