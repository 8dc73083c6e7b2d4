// SPDX-License-Identifier: GPL-3.0-or-later
// The path from a meeting back to the one before, once all values are known: each rank follows its part, and says with
// a token on which rank, and from which message or collective call, the path comes.
#include "recorder/replay/pathreplaystate.h"

static void add_to_profile(struct lp_replay *replay, struct lp_path_context of, int64_t work)
{
    const uint32_t procedure = of.procedure;
    const uint32_t before = replay->profile_count;
    while (replay->profile_count <= procedure) {
        if (!lp_make_room(&replay->profile, &replay->profile_count, replay->profile_count, sizeof *replay->profile,
                          1u << 28)) {
            replay->has_failed = true;
            return;
        }
    }
    for (uint32_t at = before; at < replay->profile_count; ++at) replay->profile[at] = 0;
    replay->profile[procedure] += work;
    for (lp_lane_set left = of.lanes; left != 0; left &= left - 1) replay->parts[__builtin_ctzll(left)] += work;
}

// Follows the path back from a step of a segment: to the segment's begin, or to a step from which on another rank's
// path was the longer one.
static void go_back(struct lp_replay *replay, uint32_t segment, uint32_t before)
{
    const struct lp_path_log *log = replay->log;
    const uint32_t begin = replay->segments[segment - log->segment].begin;
    for (uint32_t at = before; at > begin; --at) {
        const struct lp_step *step = &log->steps[at - 1];
        const uint32_t of = step->what >> 4, kind = step->what & 15;
        if (kind == LP_STEP_WORK) add_to_profile(replay, lp_replay_context_of(replay, of), step->work);
        if ((kind != LP_STEP_RECEIVE && kind != LP_STEP_TAKE) || step->work == 0) continue;
        const int to = (int)(step->work - 1);
        int64_t *token = lp_replay_append(replay, to, kind == LP_STEP_RECEIVE ? 2 : 3);
        if (!token) return;
        if (kind == LP_STEP_RECEIVE) {
            token[0] = LP_SENT_TOKEN | ((int64_t)log->receives.all[of].remote << 8);
            token[1] = lp_two(lp_log_post_of(log, step->number)->number - 1, segment);
        } else {
            token[0] = LP_GIVEN_TOKEN;
            token[1] = lp_two((uint32_t)log->comms[of].origin, log->comms[of].serial);
            token[2] = lp_two(step->number, segment);
        }
        return;
    }
}

void lp_replay_take_token(struct lp_replay *replay, const int64_t *words)
{
    uint32_t step = 0;
    if ((words[0] & 0xff) == LP_SENT_TOKEN) {
        if (lp_replay_step_of_send(replay, (uint32_t)(words[0] >> 8), lp_high_of(words[1]), &step))
            go_back(replay, lp_low_of(words[1]), step);
        return;
    }
    struct lp_joint_call id = {0, lp_high_of(words[2])};
    if (lp_log_comm_of(replay->log, (int32_t)lp_high_of(words[1]), lp_low_of(words[1]), &id.comm)
        && lp_replay_step_of_give(replay, id, &step))
        go_back(replay, lp_low_of(words[2]), step);
}

void lp_replay_trace(struct lp_replay *replay, const int32_t *winners)
{
    for (uint32_t at = 0; at < replay->segment_count; ++at)
        if (winners[at] == replay->rank) go_back(replay, replay->log->segment + at, replay->segments[at].end);
}

const int64_t *lp_replay_profile(const struct lp_replay *replay, uint32_t *procedures)
{
    *procedures = replay->profile_count;
    return replay->profile;
}
const int64_t *lp_replay_parts(const struct lp_replay *replay) { return replay->parts; }
