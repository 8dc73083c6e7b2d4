// SPDX-License-Identifier: GPL-3.0-or-later
// How a program and those that it starts (MPI_Comm_spawn) find each other in the recording's folder, before they can
// send each other anything: whoever starts one leaves a file there, and who is started lays another one beside it. So
// each knows that the other is recorded, and nobody waits for one that is not.
#ifndef LONGPOLE_RECORDER_SPAWNFILES_H
#define LONGPOLE_RECORDER_SPAWNFILES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether this recording can have ranks of several programs: what is summed up at the end is of one alone.
bool lp_may_join(void);

// Before a program is started, and when its ranks are known. The calling thread has one such file at a time. It is
// answered by the program that was started, and for a while by others that begin just then.
bool lp_open_spawn(void);
bool lp_is_spawn_answered(void);
void lp_close_spawn(void);

// Before MPI_Init does its work: answers all that wait in the folders that this recording may go to. Returns how many
// did.
int lp_answer_spawns(void);
// Once it is known who has started this program, if anybody has: takes all answers back.
void lp_withdraw_answers(void);
// Whether one of those that were answered still waits.
bool lp_is_spawn_open(void);

// The first number of `count` ranks that no other program in the folder has, at least `first`; -1: it cannot be found.
int lp_allot_ranks(int first, int count);

#ifdef __cplusplus
}
#endif

#endif
