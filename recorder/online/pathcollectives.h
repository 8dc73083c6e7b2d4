// SPDX-License-Identifier: GPL-3.0-or-later
// What collective calls mean to who follows them: whom this rank gives its path to, and whose it takes.
#ifndef LONGPOLE_RECORDER_PATHCOLLECTIVES_H
#define LONGPOLE_RECORDER_PATHCOLLECTIVES_H

#include "recorder/online/pathrequests.h"

// Begins a collective call; `request` tells how it is completed. `waits`: no member goes on before all have begun it.
// False: the call joins nobody's path.
bool lp_give(const struct lp_follower *of, uint32_t number, uint16_t call, int32_t root_rank, bool gives, bool waits,
             struct lp_request *request);
void lp_take(const struct lp_follower *of, struct lp_request *request);

#endif
