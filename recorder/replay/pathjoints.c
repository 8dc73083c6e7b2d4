// SPDX-License-Identifier: GPL-3.0-or-later
// Collective calls of some ranks in a replay. Their members are a tree, counted from the root or from the first: each
// joins what it gave with what its branches gave and passes that on, whatever its own segments wait for. A member's
// branch is the members that follow it, so that a prefix needs nobody behind it. In small communicators the tree is a
// star: the root's branches are single members.
#include "recorder/replay/pathreplaystate.h"

#include <stdlib.h>
#include <string.h>

#define ABSENT 0xffffffffu

// A value with the meeting before which it was given, and the rank whose value it is.
struct joint_value {
    int64_t *value;
    uint32_t segment;
    int32_t winner;
};

// A call for which this rank has branches: what it gave, and behind that what each branch gave, in order. Each of them
// that is joined has the longest value of all up to it.
struct lp_hosted_call {
    struct lp_joint_call id;
    enum lp_joining joining;
    int root;
    int parts, joined;
    int told;            // of a prefix: how many branches know the longest value of all before them
    bool has_before;     // of a prefix: the longest value of all before this rank has come, or there is nobody
    int64_t *values;     // by part, and that of all before
    uint32_t *segments;  // likewise; ABSENT: has not come
    int32_t *winners;
    size_t words;  // of a value
    struct lp_hosted_call *next;
};

// --- the tree ---

static int counted_from(const struct lp_path_comm *comm, int root, int place)
{
    return (place - root + comm->size) % comm->size;
}

static int member(const struct lp_path_comm *comm, int root, int count)
{
    return comm->members[(count + root) % comm->size];
}

static bool is_star(const struct lp_replay *replay, const struct lp_path_comm *comm)
{
    return comm->size <= replay->log->most_direct;
}

// How many members the branch of one has, itself among them, if there were members enough.
static int reach(const struct lp_path_comm *comm, int at) { return at == 0 ? comm->size : at & -at; }

static int branches_of(const struct lp_replay *replay, const struct lp_path_comm *comm, int at)
{
    if (is_star(replay, comm)) return at == 0 ? comm->size - 1 : 0;
    int count = 0;
    while ((1 << count) < reach(comm, at) && at + (1 << count) < comm->size) ++count;
    return count;
}

static int branch(const struct lp_replay *replay, const struct lp_path_comm *comm, int at, int number)
{
    return at + (is_star(replay, comm) ? 1 + number : 1 << number);
}

// Not of the first.
static int stem_of(const struct lp_replay *replay, const struct lp_path_comm *comm, int at)
{
    return is_star(replay, comm) ? 0 : at & (at - 1);
}

static int number_of_branch(const struct lp_replay *replay, const struct lp_path_comm *comm, int at)
{
    return is_star(replay, comm) ? at - 1 : __builtin_ctz((unsigned)at);
}

// --- what goes between members ---

// To the member at that place. `what`: LP_GIVEN with the giver's place, or LP_RESULT.
static void send_value(struct lp_replay *replay, const struct lp_path_comm *comm, struct lp_joint_call id,
                       enum lp_joining joining, int root, int to_place, int64_t what, struct joint_value value)
{
    int64_t *to = lp_replay_append(replay, member(comm, root, to_place), 5 + replay->value_words);
    if (!to) return;
    to[0] = what;
    to[1] = lp_two((uint32_t)comm->origin, comm->serial);
    to[2] = lp_two(id.call, value.segment);
    to[3] = lp_two((uint32_t)root, joining);
    to[4] = value.winner;
    memcpy(to + 5, value.value, replay->value_words * sizeof *to);
}

static void send_given(struct lp_replay *replay, const struct lp_path_comm *comm, struct lp_joint_call id,
                       enum lp_joining joining, int root, int at, struct joint_value given)
{
    send_value(replay, comm, id, joining, root, stem_of(replay, comm, at), LP_GIVEN | ((int64_t)at << 8), given);
}

static void send_result(struct lp_replay *replay, const struct lp_path_comm *comm, struct lp_joint_call id,
                        enum lp_joining joining, int root, int at, struct joint_value result)
{
    send_value(replay, comm, id, joining, root, at, LP_RESULT, result);
}

static void result_to_branches(struct lp_replay *replay, const struct lp_path_comm *comm, struct lp_joint_call id,
                               enum lp_joining joining, int root, int at, struct joint_value result)
{
    const int count = branches_of(replay, comm, at);
    for (int number = 0; number < count; ++number)
        send_result(replay, comm, id, joining, root, branch(replay, comm, at, number), result);
}

// --- a call that is hosted ---

static void free_hosted(struct lp_hosted_call *call)
{
    free(call->values);
    free(call->segments);
    free(call->winners);
    free(call);
}

static void drop_hosted(struct lp_path_log *log, struct lp_hosted_call *call)
{
    struct lp_hosted_call **at = &log->hosted;
    while (*at != call) at = &(*at)->next;
    *at = call->next;
    free_hosted(call);
}

static struct lp_hosted_call *hosted_call(struct lp_replay *replay, const struct lp_path_comm *comm,
                                          struct lp_joint_call id, enum lp_joining joining, int root)
{
    for (struct lp_hosted_call *call = replay->log->hosted; call; call = call->next)
        if (lp_compare_ids(call->id, id) == 0) return call;
    const int at = counted_from(comm, root, comm->place);
    const size_t parts = 1 + (size_t)branches_of(replay, comm, at);
    struct lp_hosted_call *call = calloc(1, sizeof *call);
    if (call) {
        call->values = calloc((parts + 1) * replay->value_words, sizeof *call->values);
        call->segments = malloc((parts + 1) * sizeof *call->segments);
        call->winners = malloc((parts + 1) * sizeof *call->winners);
    }
    if (!call || !call->values || !call->segments || !call->winners) {
        if (call) free_hosted(call);
        replay->has_failed = true;
        return NULL;
    }
    memset(call->segments, 0xff, (parts + 1) * sizeof *call->segments);
    call->id = id;
    call->joining = joining;
    call->root = root;
    call->parts = (int)parts;
    call->has_before = at == 0;
    call->words = replay->value_words;
    call->next = replay->log->hosted;
    return replay->log->hosted = call;
}

static struct joint_value part_of(const struct lp_hosted_call *call, int part)
{
    return (struct joint_value){call->values + (size_t)part * call->words, call->segments[part], call->winners[part]};
}

// Makes `value` the longest of it and of what stands before it; of equal ones that one. What was given before an
// earlier meeting counts for nothing.
static void join(struct lp_replay *replay, struct joint_value *value, struct joint_value before)
{
    if (value->segment > before.segment) return;
    int64_t *joined = replay->joined;
    memcpy(joined, before.value, replay->value_words * sizeof *joined);
    const bool is_longer = value->segment == before.segment && lp_value_merge(replay->lanes, joined, value->value);
    memcpy(value->value, joined, replay->value_words * sizeof *joined);
    value->segment = before.segment;
    if (!is_longer) value->winner = before.winner;
}

static void keep(struct lp_replay *replay, struct lp_hosted_call *call, int part, struct joint_value value)
{
    memcpy(call->values + (size_t)part * call->words, value.value, replay->value_words * sizeof *value.value);
    call->segments[part] = value.segment;
    call->winners[part] = value.winner;
}

// A branch of a prefix needs what its stem gave, the branches before it, and all before the stem.
static void tell_branches(struct lp_replay *replay, const struct lp_path_comm *comm, struct lp_hosted_call *call,
                          int at)
{
    for (; call->has_before && call->told + 1 < call->parts && call->told < call->joined; ++call->told) {
        struct joint_value result = part_of(call, call->told);
        if (at > 0) {
            memcpy(replay->told, result.value, replay->value_words * sizeof *result.value);
            result.value = replay->told;
            join(replay, &result, part_of(call, call->parts));
        }
        send_result(replay, comm, call->id, call->joining, call->root, branch(replay, comm, at, call->told), result);
    }
}

static void go_on(struct lp_replay *replay, const struct lp_path_comm *comm, struct lp_hosted_call *call)
{
    const int at = counted_from(comm, call->root, comm->place), before = call->joined;
    for (; call->joined < call->parts && call->segments[call->joined] != ABSENT; ++call->joined) {
        if (call->joined == 0) continue;
        struct joint_value joined = part_of(call, call->joined);  // where it stands
        join(replay, &joined, part_of(call, call->joined - 1));
        call->segments[call->joined] = joined.segment;
        call->winners[call->joined] = joined.winner;
    }
    if (call->joining == LP_PREFIX) tell_branches(replay, comm, call, at);
    if (call->joined < call->parts) return;
    const struct joint_value whole = part_of(call, call->parts - 1);
    if (at > 0 && before < call->parts) send_given(replay, comm, call->id, call->joining, call->root, at, whole);
    if (at == 0 && call->joining != LP_PREFIX)
        lp_join_arrives(replay, call->id, whole.value, whole.segment, whole.winner);
    if (at == 0 && call->joining == LP_ALL_TO_ALL)
        result_to_branches(replay, comm, call->id, call->joining, call->root, at, whole);
    if (call->joining != LP_PREFIX || call->told + 1 == call->parts) drop_hosted(replay->log, call);
}

// --- for the replay ---

void lp_replay_give(struct lp_replay *replay, uint32_t number, const struct lp_step *step, uint32_t segment,
                    int64_t *value)
{
    const struct lp_path_comm *comm = &replay->log->comms[number];
    const struct lp_joint_call id = {number, step->number};
    const enum lp_joining joining = (enum lp_joining)(step->work & 0xff);
    const bool is_rooted = joining == LP_ONE_TO_ALL || joining == LP_ALL_TO_ONE;
    const int root = is_rooted ? (int)(step->work >> 8 & 0xffffffff) : 0, at = counted_from(comm, root, comm->place);
    const bool gives = !(step->work & LP_GIVES_NOTHING);
    const struct joint_value given = {gives ? value : replay->nothing, gives ? segment : 0, replay->rank};
    if (joining == LP_ONE_TO_ALL) {
        result_to_branches(replay, comm, id, joining, root, at, given);
    } else if (branches_of(replay, comm, at) == 0) {
        send_given(replay, comm, id, joining, root, at, given);
    } else {
        struct lp_hosted_call *call = hosted_call(replay, comm, id, joining, root);
        if (!call || call->segments[0] != ABSENT) return;
        keep(replay, call, 0, given);
        go_on(replay, comm, call);
    }
}

// The communicator that words of another rank name, and which call on it; null: it is not known.
static const struct lp_path_comm *call_of(const struct lp_replay *replay, const int64_t *words,
                                          struct lp_joint_call *id)
{
    id->call = lp_high_of(words[2]);
    return lp_log_comm_of(replay->log, (int32_t)lp_high_of(words[1]), lp_low_of(words[1]), &id->comm);
}

void lp_replay_take_given(struct lp_replay *replay, const int64_t *words)
{
    struct lp_joint_call id;
    const struct lp_path_comm *comm = call_of(replay, words, &id);
    const int from = (int)(words[0] >> 8);
    if (!comm || from <= 0) return;
    const enum lp_joining joining = (enum lp_joining)lp_low_of(words[3]);
    const int root = (int)lp_high_of(words[3]), part = 1 + number_of_branch(replay, comm, from);
    struct lp_hosted_call *call = hosted_call(replay, comm, id, joining, root);
    if (!call || part >= call->parts || call->segments[part] != ABSENT) return;
    keep(replay, call, part, (struct joint_value){(int64_t *)words + 5, lp_low_of(words[2]), (int32_t)words[4]});
    go_on(replay, comm, call);
}

void lp_replay_take_result(struct lp_replay *replay, const int64_t *words)
{
    struct lp_joint_call id;
    const struct lp_path_comm *comm = call_of(replay, words, &id);
    if (!comm) return;
    const enum lp_joining joining = (enum lp_joining)lp_low_of(words[3]);
    const int root = (int)lp_high_of(words[3]), at = counted_from(comm, root, comm->place);
    const struct joint_value result = {(int64_t *)words + 5, lp_low_of(words[2]), (int32_t)words[4]};
    lp_join_arrives(replay, id, result.value, result.segment, result.winner);
    if (joining != LP_PREFIX) {
        result_to_branches(replay, comm, id, joining, root, at, result);
    } else if (branches_of(replay, comm, at) > 0) {
        struct lp_hosted_call *call = hosted_call(replay, comm, id, joining, root);
        if (!call || call->has_before) return;
        keep(replay, call, call->parts, result);
        call->has_before = true;
        go_on(replay, comm, call);
    }
}

// A value with other lanes is from an earlier batch, and counts for nothing.
bool lp_replay_fit_hosted(struct lp_replay *replay)
{
    for (struct lp_hosted_call *call = replay->log->hosted; call; call = call->next) {
        if (call->words == replay->value_words) continue;
        int64_t *values = calloc(((size_t)call->parts + 1) * replay->value_words, sizeof *values);
        if (!values) return false;
        free(call->values);
        call->values = values;
        call->words = replay->value_words;
    }
    return true;
}

void lp_replay_forget_hosted(struct lp_path_log *log)
{
    while (log->hosted) drop_hosted(log, log->hosted);
}
