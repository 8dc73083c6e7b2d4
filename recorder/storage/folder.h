// SPDX-License-Identifier: GPL-3.0-or-later
// Where a recording goes: a folder that has none yet, so that none is overwritten.
#ifndef LONGPOLE_RECORDER_FOLDER_H
#define LONGPOLE_RECORDER_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

// "run.lprec" for 1, else "run-2.lprec": the name of the recording or of its table of calls. False: it has no room.
bool lp_numbered(char *name, size_t room, const char *wanted, int number);

// The same with the working directory before it.
bool lp_folder_of(char *folder, size_t room, const char *wanted, int number);

// Makes the folder, for the user alone, or takes one that is there; not through a link, and not somebody else's. 0 or
// an errno.
int lp_make_folder(const char *folder);

// Whether a recording lies in the folder, or a part of one.
bool lp_has_recording(const char *folder);

#endif
