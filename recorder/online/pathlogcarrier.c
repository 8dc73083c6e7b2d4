// SPDX-License-Identifier: GPL-3.0-or-later
// The log as a carrier: what the calls mean is noted, and replayed when all ranks meet.
#include "recorder/online/pathcalls.h"

static void log_send(struct lp_channel_id to) { lp_log_send(&lp_path.log, to); }
static uint32_t log_post(struct lp_channel_id from) { return lp_log_post(&lp_path.log, from); }
static void log_receive(uint32_t order, int32_t peer, int32_t tag) { lp_log_receive(&lp_path.log, order, peer, tag); }
static void log_cancel(uint32_t order) { lp_log_cancel(&lp_path.log, order); }
static void log_release(uint32_t order, int32_t peer, int32_t tag) { lp_log_release(&lp_path.log, order, peer, tag); }
static void log_learn(uint32_t order, int32_t peer, int32_t tag) { lp_log_learn(&lp_path.log, order, peer, tag); }
static void log_peek(struct lp_channel_id from) { lp_log_peek(&lp_path.log, from); }
static void log_give(struct lp_joint *joint)
{
    joint->call = lp_log_give(&lp_path.log, joint->comm, joint->joining, joint->root, joint->gives);
}
static void log_take(struct lp_joint *joint)
{
    lp_log_take(&lp_path.log, joint->comm, joint->call, joint->joining, joint->root);
}
const struct lp_path_carrier lp_log_carrier = {.send = log_send,
                                               .post = log_post,
                                               .receive = log_receive,
                                               .cancel = log_cancel,
                                               .release = log_release,
                                               .learn = log_learn,
                                               .peek = log_peek,
                                               .give = log_give,
                                               .take = log_take};
