// SPDX-License-Identifier: GPL-3.0-or-later
// Logs are replayed in rounds: in each, a rank goes on as far as it can and sends what others wait for. When nobody has
// sent anything in a round, all ranks are done or wait for something that never comes, and the replay ends. So nobody
// hangs, even if a program does what the recorder does not follow.
#define _GNU_SOURCE
#include "recorder/online/meet.h"

#include "recorder/format/calls.h"
#include "recorder/online/carry.h"
#include "recorder/online/control.h"
#include "recorder/online/pathcalls.h"
#include "recorder/online/pathclock.h"
#include "recorder/online/pathreplay.h"
#include "recorder/online/sample.h"
#include "recorder/online/told.h"
#include "recorder/storage/config.h"
#include "recorder/storage/process.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BATCH = 64, TAG = 17, PIECE = 8192 };
#define UNKNOWN_LANES (~(lp_lane_set)0)
static const int64_t least_between = 20 * INT64_C(1000000);  // ns between batches
static const int64_t batch_share = 100;      // batches take at most one part in so many of the run's time
static const size_t most_values = 4 << 20;   // bytes of all values between the meetings of a batch
static const int64_t least_batch = 1 << 14;  // a log of so many steps and its replay fit into a core's cache

static struct {
    bool is_on;
    MPI_Comm world;
    int rank, size;
    struct lp_lanes lanes;
    char *lane_names[LP_MOST_LANES];
    int64_t lane_since[LP_MOST_LANES];  // ns since the run began
    lp_lane_set *lanes_of;              // by procedure
    uint32_t lanes_of_count;
    int64_t lane_changes;
    int64_t *total;    // value of the run so far
    int64_t *profile;  // this rank's work on the path by procedure
    uint32_t profile_count;
    int64_t on_path;  // this rank's work on the path
    uint64_t meetings, next;
    int64_t last_batch, last_begin, last_sample, began;
    int64_t own, paused, lost;
    int64_t worked;       // ns of the last batch, without waiting for other ranks
    int64_t batch_steps;  // on rank 0: as many steps as a batch should have at most
    bool is_stopped;
    bool is_from_over, is_until_over;  // on rank 0: whether the times are over at which following begins and ends
    struct lp_control_file control;    // on rank 0
    // on rank 0: names of the procedures with most of the path, one a line; null: those that are followed stay
    char *leaders;
    uint64_t messages, ahead, ambiguous, stuck;
    int64_t mistraced;  // batches in which the ranks' parts of the path did not add up to it; on rank 0
    int64_t unkept;     // batches of which this rank has not kept its part
    enum lp_online how;
    int64_t differences;  // batches after which the logs and the values sent along gave different paths
    int64_t compared, compared_shares, not_compared;  // batches after which they were compared, and were not
    MPI_Op merge;
    MPI_Datatype value;
    bool has_value;
    struct lp_sample_file samples;
    bool has_said;
} meet;

static size_t value_words(void) { return lp_value_words(meet.lanes); }

// --- names of procedures ---

static const char *const call_names[] = {
#define LP_ROW(name, class, kind) "MPI_" #name,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};

static void name_procedure(uint32_t procedure, char *name, size_t room)
{
    if (procedure >= LP_PAIR_PROCEDURES) {
        static const char *const parts[LP_REGION_PARTS] = {"", "before ", "after "};
        const uint32_t region = procedure - LP_PAIR_PROCEDURES;
        const int length = snprintf(name, room, "%s", parts[region % LP_REGION_PARTS]);
        lp_region_name(region / LP_REGION_PARTS, name + length, room - (size_t)length);
        return;
    }
    const uint32_t before = (procedure - 1) / 512, after = (procedure - 1) % 512;
    snprintf(name, room, "%s to %s", before < LP_CALL_COUNT ? call_names[before] : "?",
             after < LP_CALL_COUNT ? call_names[after] : "?");
}

// --- lanes ---

// Follows these procedures from now on. What was counted for one that was followed before is kept. All ranks call it
// with the same names.
static void follow(const char *names, char separator, bool has_nets, int64_t now)
{
    char *text = strdup(names), *rest = text, *lane_names[LP_MOST_LANES];
    struct lp_lanes lanes = {.has_nets = has_nets, .factor = lp_config()->factor};
    const char separators[] = {separator, 0};
    for (char *name; text && (name = strsep(&rest, separators));) {
        while (*name == ' ') ++name;
        if (*name && lanes.count < LP_MOST_LANES && (lane_names[lanes.count] = strdup(name)) != NULL) ++lanes.count;
    }
    free(text);
    int64_t *total = calloc(lp_value_words(lanes), sizeof *total);
    // All ranks must have the same lanes, or none any: the length of a value depends on it.
    int64_t agreed[3] = {total != NULL, lanes.count, -(int64_t)lanes.count};
    PMPI_Allreduce(MPI_IN_PLACE, agreed, 3, MPI_INT64_T, MPI_MIN, meet.world);
    if (agreed[0] == 0 || agreed[1] != -agreed[2]) {
        for (uint32_t lane = 0; lane < lanes.count; ++lane) free(lane_names[lane]);
        free(total);
        return;
    }
    int64_t since[LP_MOST_LANES];
    if (meet.total) total[0] = meet.total[0];
    else meet.lanes.count = 0;
    for (uint32_t lane = 0; lane < lanes.count; ++lane) {
        since[lane] = now;
        int64_t net = total[0] * lanes.factor.denominator;
        for (uint32_t old = 0; old < meet.lanes.count; ++old) {
            if (strcmp(meet.lane_names[old], lane_names[lane]) != 0) continue;
            total[1 + lane] = meet.total[1 + old];
            if (!meet.lanes.has_nets) continue;
            since[lane] = meet.lane_since[old];
            net = meet.total[1 + meet.lanes.count + old];
        }
        if (has_nets) total[1 + lanes.count + lane] = net;
    }
    for (uint32_t lane = 0; lane < meet.lanes.count; ++lane) free(meet.lane_names[lane]);
    memcpy(meet.lane_names, lane_names, lanes.count * sizeof *lane_names);
    memcpy(meet.lane_since, since, lanes.count * sizeof *since);
    if (meet.lanes_of) memset(meet.lanes_of, 0xff, meet.lanes_of_count * sizeof *meet.lanes_of);
    free(meet.total);
    meet.total = total;
    meet.lanes = lanes;
    ++meet.lane_changes;
    if (meet.has_value) PMPI_Type_free(&meet.value);
    meet.has_value = true;
    PMPI_Type_contiguous((int)value_words() + 1, MPI_INT64_T, &meet.value);
    PMPI_Type_commit(&meet.value);
    if (lp_path_carries()) lp_carry_follow(lanes, total);
    lp_path_lanes_changed();
}

static bool make_lanes(uint32_t most)
{
    if (most <= meet.lanes_of_count) return true;
    lp_lane_set *lanes = realloc(meet.lanes_of, most * sizeof *lanes);
    if (!lanes) return false;
    memset(lanes + meet.lanes_of_count, 0xff, (most - meet.lanes_of_count) * sizeof *lanes);
    meet.lanes_of = lanes;
    meet.lanes_of_count = most;
    return true;
}

static lp_lane_set find_lanes_of(uint32_t procedure)
{
    if (meet.lanes_of[procedure] != UNKNOWN_LANES) return meet.lanes_of[procedure];
    char name[1100];
    name_procedure(procedure, name, sizeof name);
    lp_lane_set lanes = 0;
    for (uint32_t lane = 1; lane <= meet.lanes.count; ++lane)
        if (strcmp(meet.lane_names[lane - 1], name) == 0) lanes = lp_set_of_lane(lane);
    return meet.lanes_of[procedure] = lanes;
}

// Looks up the lanes of procedures that are new on this rank since the last time.
static bool find_lanes(void)
{
    uint32_t most = 0;
    for (uint32_t at = 0; at < lp_path.all_slots; ++at)
        if (lp_path.all[at].procedure >= most) most = lp_path.all[at].procedure + 1;
    if (!make_lanes(most)) return false;
    for (uint32_t at = 0; at < lp_path.all_slots; ++at)
        if (lp_path.all[at].procedure) find_lanes_of(lp_path.all[at].procedure);
    return true;
}

// The lanes of a procedure, which may be new.
static lp_lane_set lanes_of(uint32_t procedure)
{
    const uint32_t room = 2 * procedure;  // so that it grows seldom
    return make_lanes(procedure < meet.lanes_of_count ? 0 : room) ? find_lanes_of(procedure) : 0;
}

// Of procedures that do not include others, and have no more than one. 0: none.
static uint32_t lane_of(uint32_t procedure)
{
    const lp_lane_set lanes = lanes_of(procedure);
    return lanes ? 1 + (uint32_t)__builtin_ctzll(lanes) : 0;
}

// --- buffers between ranks ---

struct sent {
    MPI_Request *requests;
    void **buffers;
    int count, room;
};

static bool send_all(struct lp_replay *replay, struct sent *sent)
{
    int to = 0;
    const void *bytes = NULL;
    size_t size = 0;
    while (lp_replay_output(replay, &to, &bytes, &size)) {
        if (sent->count == sent->room) {
            const int room = 2 * sent->room + 16;
            MPI_Request *requests = realloc(sent->requests, (size_t)room * sizeof *requests);
            if (requests) sent->requests = requests;
            void **buffers = requests ? realloc(sent->buffers, (size_t)room * sizeof *buffers) : NULL;
            if (!buffers) return false;
            sent->buffers = buffers;
            sent->room = room;
        }
        void *copy = malloc(size);
        if (!copy) return false;
        memcpy(copy, bytes, size);
        sent->buffers[sent->count] = copy;
        PMPI_Issend(copy, (int)(size / sizeof(int64_t)), MPI_INT64_T, to, TAG, meet.world,
                    &sent->requests[sent->count++]);
    }
    return true;
}

static bool receive_one(struct lp_replay *replay)
{
    int is_there = 0, words = 0;
    MPI_Status status;
    PMPI_Iprobe(MPI_ANY_SOURCE, TAG, meet.world, &is_there, &status);
    if (!is_there) return false;
    PMPI_Get_count(&status, MPI_INT64_T, &words);
    int64_t *buffer = malloc((size_t)words * sizeof *buffer + 8);
    if (!buffer) {  // no memory: it is still received, cut short, since its sender waits for that
        int64_t begin;
        PMPI_Comm_set_errhandler(meet.world, MPI_ERRORS_RETURN);
        PMPI_Recv(&begin, 1, MPI_INT64_T, status.MPI_SOURCE, TAG, meet.world, MPI_STATUS_IGNORE);
        PMPI_Comm_set_errhandler(meet.world, MPI_ERRORS_ARE_FATAL);
        lp_replay_fail(replay);
        return true;
    }
    PMPI_Recv(buffer, words, MPI_INT64_T, status.MPI_SOURCE, TAG, meet.world, MPI_STATUS_IGNORE);
    const int64_t begin = lp_now();
    lp_replay_input(replay, status.MPI_SOURCE, buffer, (size_t)words * sizeof *buffer);
    meet.worked += lp_now() - begin;
    free(buffer);
    return true;
}

// Sends what there is and receives what others send, until all of this round has arrived (Hoefler, Siebert, Lumsdaine
// 2010: a barrier that a rank enters when its synchronous sends were received).
static void exchange(struct lp_replay *replay, struct sent *sent)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    int received = 0;  // how many of the sent buffers are received
    for (int is_done = 0; !is_done;) {
        while (receive_one(replay)) {}
        if (received < sent->count) {
            int is_received = 0;
            PMPI_Test(&sent->requests[received], &is_received, MPI_STATUS_IGNORE);
            received += is_received;
            continue;
        }
        if (barrier == MPI_REQUEST_NULL) PMPI_Ibarrier(meet.world, &barrier);
        PMPI_Test(&barrier, &is_done, MPI_STATUS_IGNORE);
    }
    for (int at = 0; at < sent->count; ++at) free(sent->buffers[at]);
}

// Goes on until nobody sends any more. Returns how many ranks are not done then.
static int64_t carry(struct lp_replay *replay)
{
    struct sent sent = {0};
    for (;;) {
        const int64_t begin = lp_now();
        const bool is_done = lp_replay_run(replay);
        meet.worked += lp_now() - begin;
        sent.count = 0;
        const bool has_room = send_all(replay, &sent);
        if (!has_room) lp_replay_fail(replay);
        int64_t both[2] = {sent.count + !has_room, !is_done};
        meet.messages += (uint64_t)sent.count;
        exchange(replay, &sent);
        PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT64_T, MPI_SUM, meet.world);
        if (both[0] > 0) continue;
        free(sent.requests);
        free(sent.buffers);
        return both[1];
    }
}

// --- the longest of all ranks ---

// A value, and behind it the rank whose length and shares it has.
static void merge_values(void *in, void *in_out, int *count, MPI_Datatype *type)
{
    (void)type;
    const size_t words = value_words() + 1;
    for (int at = 0; at < *count; ++at) {
        const int64_t *other = (const int64_t *)in + (size_t)at * words;
        int64_t *value = (int64_t *)in_out + (size_t)at * words;
        const bool is_first = other[0] == value[0] && other[words - 1] < value[words - 1];
        if (is_first) memcpy(value, other, (1 + meet.lanes.count) * sizeof *value);
        if (lp_value_merge(meet.lanes, value, other) || is_first) value[words - 1] = other[words - 1];
    }
}

// Whether the work that was found on the way back is as long as the path is, and its parts are those of the lanes.
// `whole`: length and shares of the batch.
static bool is_traced_whole(const struct lp_replay *replay, const int64_t *whole)
{
    int64_t parts[1 + LP_MOST_LANES] = {0};
    uint32_t count = 0;
    const int64_t *profile = lp_replay_profile(replay, &count);
    for (uint32_t procedure = 0; procedure < count; ++procedure) parts[0] += profile[procedure];
    memcpy(parts + 1, lp_replay_parts(replay), meet.lanes.count * sizeof *parts);
    const int of_lanes = 1 + (int)meet.lanes.count;
    PMPI_Allreduce(MPI_IN_PLACE, parts, of_lanes, MPI_INT64_T, MPI_SUM, meet.world);
    return memcmp(parts, whole, (size_t)of_lanes * sizeof *parts) == 0;
}

static bool find_longest(struct lp_replay *replay)
{
    const uint32_t segments = lp_replay_segments(replay);
    const size_t words = value_words() + 1;
    int64_t *values = malloc((size_t)segments * words * sizeof *values + 8);
    int32_t *winners = malloc((size_t)segments * sizeof *winners + 8);
    int64_t has_room = values && winners;
    PMPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT64_T, MPI_MIN, meet.world);
    if (has_room) {
        for (uint32_t at = 0; at < segments; ++at) {
            memcpy(values + at * words, lp_replay_values(replay) + at * (words - 1), (words - 1) * sizeof *values);
            values[at * words + words - 1] = meet.rank;
        }
        const uint32_t piece = (uint32_t)(PIECE / words) + 1;
        for (uint32_t at = 0; at < segments; at += piece) {
            const uint32_t count = segments - at < piece ? segments - at : piece;
            PMPI_Allreduce(MPI_IN_PLACE, values + at * words, (int)count, meet.value, meet.merge, meet.world);
        }
        int64_t whole[1 + LP_MOST_LANES] = {0};
        for (uint32_t at = 0; at < segments; ++at) {
            winners[at] = (int32_t)values[at * words + words - 1];
            for (size_t word = 0; word + 1 < words; ++word) meet.total[word] += values[at * words + word];
            for (size_t word = 0; word <= meet.lanes.count; ++word) whole[word] += values[at * words + word];
        }
        lp_replay_trace(replay, winners);
        carry(replay);
        meet.mistraced += !is_traced_whole(replay, whole);
    }
    free(values);
    free(winners);
    return has_room != 0;
}

static void add_profile(struct lp_replay *replay)
{
    uint32_t count = 0;
    const int64_t *profile = lp_replay_profile(replay, &count);
    if (count > meet.profile_count) {
        int64_t *larger = realloc(meet.profile, count * sizeof *larger);
        if (!larger) {
            ++meet.unkept;
            return;
        }
        memset(larger + meet.profile_count, 0, (count - meet.profile_count) * sizeof *larger);
        meet.profile = larger;
        meet.profile_count = count;
    }
    for (uint32_t at = 0; at < count; ++at) {
        meet.profile[at] += profile[at];
        meet.on_path += profile[at];
    }
}

// --- samples ---

// How much of the path is work of a procedure on this rank.
static int64_t path_of(uint32_t procedure)
{
    if (meet.how != LP_ONLINE_CARRY) return procedure < meet.profile_count ? meet.profile[procedure] : 0;
    const uint32_t lane = lane_of(procedure);
    return meet.rank == 0 && lane > 0 ? meet.total[lane] : 0;
}

// Rounded, half to even.
static int64_t quotient(int64_t number, int64_t divisor)
{
    const int64_t whole = number / divisor, twice = 2 * (number % divisor);
    return whole + (twice > divisor || (twice == divisor && whole % 2 != 0));
}

static void set_lanes(struct lp_sample_row *rows, int count, const int64_t *value)
{
    for (int at = 0; at < count; ++at)
        for (uint32_t lane = 0; lane < meet.lanes.count; ++lane) {
            if (strcmp(rows[at].name, meet.lane_names[lane]) != 0) continue;
            if (lp_config()->inclusive && meet.how != LP_ONLINE_CARRY) rows[at].inclusive = value[1 + lane];
            if (!meet.lanes.has_nets) continue;
            rows[at].net = quotient(value[1 + meet.lanes.count + lane], meet.lanes.factor.denominator);
            rows[at].since = meet.lane_since[lane];
        }
}

// Gathers the procedures of all ranks on rank 0, those of equal names as one; elsewhere the result is empty. If rank 0
// has no memory for them, or had `has_room` false before, nothing is gathered and `has_room` becomes false on all
// ranks.
static struct lp_sample_row *gather_rows(int *row_count, bool *has_room)
{
    struct lp_bytes mine = {0};
    for (uint32_t at = 0; at < lp_path.all_slots; ++at) {
        const uint32_t procedure = lp_path.all[at].procedure;
        if (!procedure || lp_path.all[at].work == 0) continue;
        char name[1100];
        name_procedure(procedure, name, sizeof name);
        lp_sample_add(&mine, name, path_of(procedure), lp_path.all[at].work);
    }
    int64_t own = (int64_t)mine.length, sum = 0;
    PMPI_Reduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, 0, meet.world);
    int *lengths = NULL, *begins = NULL;
    char *all = NULL;
    if (meet.rank == 0 && *has_room && sum < INT_MAX) {  // MPI counts in int
        lengths = calloc((size_t)meet.size, sizeof *lengths);
        begins = calloc((size_t)meet.size, sizeof *begins);
        all = malloc((size_t)sum + 1);
    }
    int is_agreed = lengths && begins && all;
    PMPI_Bcast(&is_agreed, 1, MPI_INT, 0, meet.world);
    *has_room = is_agreed != 0;
    if (*has_room) {
        const int length = (int)own;
        PMPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, meet.world);
        for (int at = 1; meet.rank == 0 && at < meet.size; ++at) begins[at] = begins[at - 1] + lengths[at - 1];
        PMPI_Gatherv(mine.bytes, length, MPI_CHAR, all, lengths, begins, MPI_CHAR, 0, meet.world);
    }
    free(mine.bytes);
    free(lengths);
    free(begins);
    struct lp_sample_row *rows = all && *has_room ? lp_sample_rows(all, (size_t)sum, row_count) : NULL;
    free(all);
    set_lanes(rows, *row_count, meet.total);
    return rows;
}

// With --top-share: chooses the procedures with more than that share of the path, if at least one of them is not
// followed yet.
static void choose_leaders(const struct lp_sample_row *rows, int count)
{
    const unsigned most = lp_config()->top_share;
    size_t length = 1;
    bool is_new = false;
    for (int at = 0; at < count && rows[at].path * (int64_t)most > meet.total[0]; ++at) {
        length += strlen(rows[at].name) + 1;
        is_new |= rows[at].net < 0;
    }
    char *names = is_new ? calloc(length, 1) : NULL;
    if (!names) return;
    for (int at = 0; at < count && rows[at].path * (int64_t)most > meet.total[0]; ++at)
        strcat(strcat(names, rows[at].name), "\n");
    free(meet.leaders);
    meet.leaders = names;
}

static void append(const struct lp_sample *sample)
{
    if (meet.samples.own.fd >= 0 && !lp_sample_append(&meet.samples, sample) && meet.samples.left_out == 1)
        fprintf(stderr, "longpole: online.jsonl: a sample of the path could not be written: %s\n",
                errno == ESTALE ? "the file was replaced" : strerror(errno));
}

static void take_sample(int64_t now, bool is_last)
{
    int count = 0;
    int64_t *shares = meet.rank == 0 ? calloc((size_t)meet.size, sizeof *shares) : NULL;
    bool has_room = shares != NULL;  // on rank 0
    struct lp_sample_row *rows = gather_rows(&count, &has_room);
    meet.last_sample = now;
    if (!has_room) {
        free(shares);
        if (meet.rank == 0 && ++meet.samples.left_out == 1)
            fprintf(stderr, "longpole: there is no memory for a sample of the path; it is left out\n");
        return;
    }
    PMPI_Gather(&meet.on_path, 1, MPI_INT64_T, shares, 1, MPI_INT64_T, 0, meet.world);
    const struct lp_carry_counts carried = lp_carry_counts();
    int64_t counters[6] = {meet.own + lp_path.carried,
                           (int64_t)(meet.messages + carried.messages),
                           (int64_t)(meet.ambiguous + carried.ambiguous),
                           (int64_t)meet.ahead,
                           (int64_t)(meet.stuck + carried.late),
                           meet.unkept};
    int64_t sums[6] = {0};
    PMPI_Reduce(counters, sums, 6, MPI_INT64_T, MPI_SUM, 0, meet.world);
    const struct lp_sample sample = {.time = now - meet.began,
                                     .length = meet.total[0],
                                     .covered = now - meet.began - meet.paused - meet.lost,
                                     .paused = meet.paused,
                                     .lost = meet.lost,
                                     .meetings = meet.meetings,
                                     .rows = rows,
                                     .count = count,
                                     .shares = shares,
                                     .ranks = meet.how == LP_ONLINE_CARRY ? 0 : meet.size,
                                     .own = sums[0],
                                     .messages = sums[1],
                                     .ambiguous = sums[2],
                                     .ahead = sums[3],
                                     .late = sums[4],
                                     .mistraced = meet.mistraced + sums[5],
                                     .is_compared = meet.how == LP_ONLINE_BOTH,
                                     .differences = meet.differences,
                                     .compared = meet.compared,
                                     .compared_shares = meet.compared_shares,
                                     .not_compared = meet.not_compared,
                                     .is_stopped = meet.is_stopped,
                                     .is_last = is_last,
                                     .factor = meet.lanes.factor,
                                     .is_of_cpu = lp_is_cpu_read()};
    if (meet.rank == 0) append(&sample);
    if (meet.rank == 0 && is_last) lp_sample_print(stderr, &sample);
    if (meet.rank == 0 && !is_last) choose_leaders(rows, count);
    lp_sample_free(rows, count);
    free(shares);
}

// --- between meetings ---

// A rank's word on its path: these numbers, its value, and its work: all of it, and of each lane.
enum { LANE_CHANGES, OWN, MESSAGES, AMBIGUOUS, LATE, HEAD };

static size_t told_words(void) { return HEAD + value_words() + 1 + meet.lanes.count; }

static void say_own(int64_t *word)
{
    const struct lp_carry_counts counts = lp_carry_counts();
    memset(word, 0, told_words() * sizeof *word);
    word[LANE_CHANGES] = meet.lane_changes;
    word[OWN] = meet.own + lp_path.carried;
    word[MESSAGES] = (int64_t)counts.messages;
    word[AMBIGUOUS] = (int64_t)counts.ambiguous;
    word[LATE] = (int64_t)counts.late;
    memcpy(word + HEAD, lp_carried(), value_words() * sizeof *word);
    int64_t *all = word + HEAD + value_words();
    for (uint32_t at = 0; at < lp_path.all_slots; ++at) {
        const struct lp_path_work *work = &lp_path.all[at];
        if (!work->procedure) continue;
        const uint32_t lane = lane_of(work->procedure);
        all[0] += work->work;
        if (lane > 0) all[lane] += work->work;
    }
}

// The longest path that any rank has told of, and its value. `sums`: of all ranks' numbers and work.
static void join_told(const int64_t *own, int64_t *value, int64_t *sums)
{
    memcpy(value, meet.total, value_words() * sizeof *value);
    memset(sums, 0, told_words() * sizeof *sums);
    for (int rank = 0; rank < meet.size; ++rank) {
        size_t count = told_words();
        const int64_t *word = rank == 0 ? own : lp_told_of(rank, &count);
        if (!word || count != told_words() || word[LANE_CHANGES] != meet.lane_changes) continue;  // of other procedures
        lp_value_merge(meet.lanes, value, word + HEAD);
        for (size_t at = 0; at < told_words(); ++at) sums[at] += word[at];
    }
}

static void write_told(int64_t now, const int64_t *own)
{
    int64_t value[LP_MOST_TOLD], sums[LP_MOST_TOLD];
    join_told(own, value, sums);
    const int64_t *all = sums + HEAD + value_words();
    struct lp_bytes bytes = {0};
    int count = 0;
    int64_t rest = all[0];
    for (uint32_t lane = 1; lane <= meet.lanes.count; ++lane) {
        if (all[lane] > 0) lp_sample_add(&bytes, meet.lane_names[lane - 1], value[lane], all[lane]);
        rest -= all[lane];
    }
    struct lp_sample_row *rows = lp_sample_rows(bytes.bytes, bytes.length, &count);
    free(bytes.bytes);
    set_lanes(rows, count, value);
    const struct lp_sample sample = {.time = now - meet.began,
                                     .length = value[0],
                                     .covered = now - meet.began - meet.paused - meet.lost,
                                     .paused = meet.paused,
                                     .lost = meet.lost,
                                     .meetings = meet.meetings,
                                     .rows = rows,
                                     .count = count,
                                     .rest_of_all = rest,
                                     .own = sums[OWN],
                                     .messages = sums[MESSAGES],
                                     .ambiguous = sums[AMBIGUOUS],
                                     .late = sums[LATE],
                                     .is_between = true,
                                     .factor = meet.lanes.factor,
                                     .is_of_cpu = lp_is_cpu_read()};
    append(&sample);
    lp_sample_free(rows, count);
}

// Each rank tells rank 0 of its path once in the time between samples, at its first call after that; rank 0 writes down
// the longest that it knows by then.
static int64_t between(int64_t at)
{
    if (meet.began == 0) meet.began = meet.last_sample = lp_path.begun;
    if (at - meet.last_sample < lp_config()->sample || meet.is_stopped) return 0;
    meet.last_sample = at;
    int64_t word[LP_MOST_TOLD];
    say_own(word);
    if (meet.rank != 0) {
        lp_told_tell(word, told_words());
    } else {
        lp_told_hear();
        write_told(at, word);
    }
    const int64_t end = lp_now();
    meet.own += end - at;
    lp_put_own_work(at, end);
    return end;
}

// --- a batch ---

static void lose(int64_t from, int64_t now)
{
    meet.lost += now - from;
    if (meet.rank == 0 && !meet.has_said)
        fprintf(stderr,
                "longpole: there is no memory for the path, nor room beside the recording: parts of the run will be "
                "missing in it\n");
    meet.has_said = true;
}

// Fits the size of the next batch. A batch that stays in the cache costs least; but if ranks mostly waited for each
// other in it, a larger one is cheaper.
static void fit_batch(int64_t took, int64_t steps)
{
    const int64_t waited = took - meet.worked, most = lp_path.log.most / 2;
    if (2 * steps < meet.batch_steps) return;  // something else than its size ended the batch
    if (waited > meet.worked / 2) meet.batch_steps *= 2;
    else if (waited < meet.worked / 8) meet.batch_steps /= 2;
    if (meet.batch_steps < least_batch) meet.batch_steps = least_batch;
    if (meet.batch_steps > most) meet.batch_steps = most > 0 ? most : 1;
}

// Estimates after how many meetings the next batch is due. `steps`: of the longest log in the batch that has just
// ended.
static uint64_t meetings_to_next(int64_t from, int64_t begin, uint64_t meetings, int64_t steps)
{
    const int64_t now = lp_now(), took = now - begin, between = begin - from;
    fit_batch(took, steps);
    if (meetings == 0 || between <= 0) return FIRST_BATCH;
    const double each = (double)between / (double)meetings;
    int64_t wanted = batch_share * took;
    // Not later than a time that the user asked for.
    const struct lp_config *config = lp_config();
    const int64_t moments[] = {config->sample - (now - meet.last_sample), config->online_from - (now - meet.began),
                               config->online_until - (now - meet.began)};
    for (size_t at = 0; at < sizeof moments / sizeof *moments; ++at)
        if (moments[at] > 0 && moments[at] < wanted) wanted = moments[at];
    if (wanted < least_between) wanted = least_between;
    const uint64_t after = (uint64_t)((double)wanted / each) + 1;
    const double room = steps > 0 ? (double)meet.batch_steps / (double)steps * (double)meetings : (double)after;
    return (double)after > room ? (uint64_t)room + 1 : after;
}

struct plan {
    uint64_t next;  // the number of the next batch's meeting
    int64_t is_stopped;
    int64_t names;  // bytes of the names of procedures to follow from now on; -1: as they are
};

// Makes rank 0's plan: what begins or ends at this time, what the user's file asks for, and which procedures have most
// of the path.
static struct plan decide(int64_t time, char **names)
{
    const struct lp_config *config = lp_config();
    struct plan plan = {.is_stopped = meet.is_stopped, .names = -1};
    if (!meet.is_from_over && time >= config->online_from) {
        meet.is_from_over = true;
        plan.is_stopped = false;
    }
    if (config->online_until > 0 && !meet.is_until_over && time >= config->online_until) {
        meet.is_until_over = true;
        plan.is_stopped = true;
    }
    struct lp_control control;
    *names = NULL;
    if (lp_control_look(&meet.control, lp_now(), &control)) {
        if (control.run != LP_CONTROL_AS_IT_IS) plan.is_stopped = control.run == LP_CONTROL_STOP;
        if (control.has_procedures) *names = strdup(control.procedures);
        if (control.wrong[0] != 0)
            fprintf(stderr, "longpole: %s: not understood: %s\n", meet.control.path, control.wrong);
    }
    if (!*names) {
        *names = meet.leaders;
        meet.leaders = NULL;
    }
    if (*names) plan.names = (int64_t)strlen(*names);
    return plan;
}

static void plan_next(int64_t from, int64_t begin, uint64_t meetings, int64_t steps)
{
    char *names = NULL;
    struct plan plan = {0};
    if (meet.rank == 0) {
        plan = decide(lp_now() - meet.began, &names);
        plan.next = meet.meetings + meetings_to_next(from, begin, meetings, steps);
    }
    PMPI_Bcast(&plan, sizeof plan, MPI_BYTE, 0, meet.world);
    meet.is_stopped = plan.is_stopped != 0;
    lp_path.is_stopped = meet.is_stopped;
    if (plan.names >= 0) {
        if (meet.rank != 0) names = calloc((size_t)plan.names + 1, 1);
        int64_t has_room = names != NULL;
        PMPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT64_T, MPI_MIN, meet.world);
        if (has_room) {
            PMPI_Bcast(names, (int)plan.names, MPI_CHAR, 0, meet.world);
            follow(names, '\n', true, begin - meet.began);
        }
        free(names);
    }
    // Of as many procedures as are followed from now on; all ranks know how many these are.
    const uint64_t most = most_values / ((value_words() + 1) * sizeof *meet.total);
    meet.next = plan.next - meet.meetings > most ? meet.meetings + most : plan.next;
}

// False: a rank had no memory, and no figure counts anything of the batch.
static bool replay_batch(void)
{
    const int64_t begin = lp_now();
    struct lp_replay *replay = find_lanes() ? lp_replay_begin(&lp_path.log, meet.rank, meet.lanes, meet.lanes_of,
                                                              meet.lanes_of_count)
                                            : NULL;
    meet.worked = lp_now() - begin;
    int64_t has_room = replay != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT64_T, MPI_MIN, meet.world);
    bool is_whole = has_room != 0;
    if (is_whole) {
        for (int64_t given_up = 1; carry(replay) > 0 && given_up > 0;) {
            given_up = lp_replay_give_up(replay);
            meet.stuck += (uint64_t)given_up;
            PMPI_Allreduce(MPI_IN_PLACE, &given_up, 1, MPI_INT64_T, MPI_SUM, meet.world);
        }
        int64_t has_failed = lp_replay_has_failed(replay);
        PMPI_Allreduce(MPI_IN_PLACE, &has_failed, 1, MPI_INT64_T, MPI_MAX, meet.world);
        is_whole = has_failed == 0 && (meet.is_stopped || find_longest(replay));
        if (is_whole && !meet.is_stopped) add_profile(replay);
        meet.ahead += lp_replay_ahead(replay);
        meet.ambiguous = lp_path.log.ambiguous;
    }
    if (replay) lp_replay_end(replay);
    else lp_log_empty(&lp_path.log);
    return is_whole;
}

// Compares the path from the logs with the one from values sent along. They must be equal, unless one of them knows
// that it may be wrong. Of equally long paths that meet each keeps one: from the first of which the parts differ on,
// parts may.
static void compare(void)
{
    const struct lp_carry_counts counts = lp_carry_counts();
    int64_t doubts[2] = {counts.is_broken || counts.late > 0 || counts.ambiguous > 0 || meet.stuck > 0 || meet.ahead > 0
                             || meet.ambiguous > 0 || meet.lost > 0,
                         counts.ties > 0};
    PMPI_Allreduce(MPI_IN_PLACE, doubts, 2, MPI_INT64_T, MPI_MAX, meet.world);
    const bool is_in_doubt = doubts[0] > 0, has_shares = doubts[1] == 0 && meet.lanes.count > 0;
    meet.not_compared += is_in_doubt;
    meet.compared += !is_in_doubt;
    meet.compared_shares += !is_in_doubt && has_shares;
    if (is_in_doubt) return;
    const int64_t *carried = lp_carried();
    size_t differs = value_words();  // the first word that does
    for (size_t word = value_words(); word-- > 0;)
        if (carried[word] != meet.total[word] && (word == 0 || word > meet.lanes.count || has_shares)) differs = word;
    if (differs == value_words()) return;
    if (meet.rank == 0 && meet.differences == 0)
        fprintf(stderr,
                "longpole: the path is %" PRId64 " ns long where all ranks replayed it and %" PRId64
                " ns where messages carried it, %s%s %" PRId64 " and %" PRId64 " ns, at meeting %" PRIu64 "\n",
                meet.total[0], carried[0], differs > meet.lanes.count ? "without " : "of it ",
                differs == 0 ? "all" : meet.lane_names[(differs - 1) % meet.lanes.count], meet.total[differs],
                carried[differs], meet.meetings);
    ++meet.differences;
}

static void handle_batch(int64_t from, int64_t begin, bool is_full)
{
    if (meet.how == LP_ONLINE_CARRY) {
        memcpy(meet.total, lp_carried(), value_words() * sizeof *meet.total);
        return;
    }
    if (lp_log_has_open_any(&lp_path.log)) lp_path_ask();
    if (is_full) {
        lp_log_number(&lp_path.log);  // later receives are numbered on from these
        lp_log_empty(&lp_path.log);
    }
    if (is_full || !replay_batch()) lose(from, begin);
    if (meet.how == LP_ONLINE_BOTH) compare();
}

// `at`: when the call ended. The time from then on is the recorder's work, not the program's.
static int64_t met(int64_t at, bool is_last)
{
    if (++meet.meetings < meet.next && !is_last) return 0;
    const int64_t begin = lp_now(), from = meet.last_batch ? meet.last_batch : lp_path.begun;
    if (meet.began == 0) meet.began = lp_path.begun;
    const uint64_t meetings = lp_path.log.meetings;
    int64_t longest[2] = {lp_path.log.count, lp_path.log.is_full};
    PMPI_Allreduce(MPI_IN_PLACE, longest, 2, MPI_INT64_T, MPI_MAX, meet.world);
    handle_batch(from, begin, longest[1] > 0);
    if (meet.is_stopped && longest[1] == 0) meet.paused += begin - (meet.last_begin ? meet.last_begin : meet.began);
    meet.last_begin = begin;
    const int64_t interval = lp_config()->sample;
    int is_due = is_last || begin - meet.last_sample >= interval;
    PMPI_Bcast(&is_due, 1, MPI_INT, 0, meet.world);
    if (is_due) take_sample(begin, is_last);
    if (!is_last) plan_next(from, begin, meetings, longest[0]);
    meet.last_batch = lp_now();
    meet.own += meet.last_batch - begin;
    if (!is_last) lp_put_own_work(at, meet.last_batch);
    return meet.last_batch;
}

// --- begin and end ---

static void begin_carrying(void)
{
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    // With several threads in MPI, one could wait for a value that another thread has to send first.
    int64_t agreed = level == MPI_THREAD_MULTIPLE;
    if (meet.how == LP_ONLINE_MEET) return;
    PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT64_T, MPI_MAX, meet.world);
    if (agreed > 0) {
        if (meet.rank == 0)
            fprintf(stderr, "longpole: several threads call MPI: nothing is carried, all ranks replay it instead\n");
        meet.how = LP_ONLINE_MEET;
        return;
    }
    agreed = lp_carry_open(meet.world, meet.lanes, lanes_of);
    PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT64_T, MPI_MIN, meet.world);
    if (agreed > 0) {
        lp_path_carry_by(lp_carrier(), meet.how == LP_ONLINE_BOTH);
        if (meet.how == LP_ONLINE_CARRY && lp_told_open(meet.world)) lp_path_look_between(between);
        return;
    }
    if (meet.rank == 0)
        fprintf(stderr, "longpole: there is no memory to carry the path; all ranks replay it instead\n");
    meet.how = LP_ONLINE_MEET;
}

void lp_meet_begin(MPI_Comm world)
{
    const struct lp_config *config = lp_config();
    if (config->online == LP_ONLINE_OFF) return;
    meet.how = config->online;
    meet.world = world;
    PMPI_Comm_rank(world, &meet.rank);
    PMPI_Comm_size(world, &meet.size);
    follow(config->procedures, ',', config->zeroing, 0);
    const uint32_t most = (uint32_t)(config->online_memory / sizeof(struct lp_step));
    int64_t has_room = meet.total && lp_path_open(meet.rank, meet.size, most, met);
    PMPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT64_T, MPI_MIN, world);
    if (!has_room) {
        if (meet.rank == 0) fprintf(stderr, "longpole: there is no memory for the path; the program goes on without\n");
        lp_path_close();
        return;
    }
    if (config->online_spill > 0) lp_log_spill_to(&lp_path.log, lp_recording.folder, config->online_spill);
    meet.next = FIRST_BATCH;
    meet.batch_steps = least_batch;
    meet.is_on = true;
    PMPI_Op_create(merge_values, 1, &meet.merge);
    begin_carrying();
    if (config->inclusive && meet.how != LP_ONLINE_CARRY) lp_path_include_callees(lanes_of);
    atomic_store(&lp_reads_cpu, config->online_clock == LP_PATH_OF_CPU);
    if (meet.rank == 0 && meet.how == LP_ONLINE_CARRY && config->top_share > 0)
        fprintf(stderr, "longpole: top_share is left out: what is carried knows only the parts of procedures\n");
    if (meet.rank == 0 && meet.how == LP_ONLINE_CARRY && config->inclusive)
        fprintf(stderr, "longpole: inclusive is left out: what is carried knows one part of each procedure\n");
    int is_stopped = config->online_from > 0;
    PMPI_Bcast(&is_stopped, 1, MPI_INT, 0, world);
    meet.is_stopped = lp_path.is_stopped = is_stopped != 0;
    if (meet.rank == 0) {
        snprintf(meet.control.path, sizeof meet.control.path, "%s/online.control", lp_recording.folder);
        char path[1300];
        snprintf(path, sizeof path, "%s/online.jsonl", lp_recording.folder);
        meet.samples = lp_sample_create(path);
        if (meet.samples.own.fd < 0) fprintf(stderr, "longpole: %s cannot be written: %s\n", path, strerror(errno));
    }
    lp_recording.own_work = lp_path_own;
}

void lp_meet_end(void)
{
    if (!meet.is_on) return;
    meet.is_on = false;
    lp_recording.own_work = NULL;
    PMPI_Op_free(&meet.merge);
    PMPI_Type_free(&meet.value);
    lp_told_close();
    if (lp_path_carries()) lp_carry_close();
    if (meet.rank == 0 && meet.samples.left_out > 1)
        fprintf(stderr, "longpole: online.jsonl: %" PRIu64 " samples of the path are left out\n",
                meet.samples.left_out);
    if (meet.rank == 0) lp_sample_close(&meet.samples);
    lp_replay_forget(&lp_path.log);
    lp_path_close();
    for (uint32_t lane = 0; lane < meet.lanes.count; ++lane) free(meet.lane_names[lane]);
    free(meet.lanes_of);
    free(meet.leaders);
    free(meet.total);
    free(meet.profile);
}
