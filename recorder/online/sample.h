// SPDX-License-Identifier: GPL-3.0-or-later
// A sample of the critical path so far: a line of online.jsonl, and the table at the end. No MPI in here.
#ifndef LONGPOLE_RECORDER_SAMPLE_H
#define LONGPOLE_RECORDER_SAMPLE_H

#include "recorder/replay/pathvalue.h"
#include "recorder/storage/ownfile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lp_sample_row {
    char *name;         // of a procedure
    int64_t path;       // ns on the path
    int64_t all;        // ns of all ranks
    int64_t inclusive;  // ns on the path, with what it calls; -1: not followed so
    int64_t net;        // length of the path without it; -1: not followed
    int64_t since;      // the time from which on its net was followed
};

struct lp_sample {
    int64_t time, length, covered, paused, lost;  // ns
    uint64_t meetings;
    struct lp_sample_row *rows;  // most of the path first
    int count;
    const int64_t *shares;  // of the path, by rank
    int ranks;
    int64_t own, messages, ambiguous, ahead, late;
    int64_t mistraced;    // batches whose parts by procedure and rank do not add up to their length
    int64_t rest_of_all;  // ns of all ranks in code that has no row
    bool is_compared;     // by both carriers
    int64_t differences, compared, compared_shares, not_compared;
    bool is_stopped, is_last;
    struct lp_factor factor;  // of the nets
    bool is_of_cpu;           // lengths are processor time
    bool is_between;          // meetings: of values that ranks have told one after the other
};

// Appends a procedure to what lp_sample_rows reads. False: no memory.
struct lp_bytes {
    char *bytes;
    size_t length, room;
};
bool lp_sample_add(struct lp_bytes *to, const char *name, int64_t path, int64_t all);
// The procedures in there, those of equal names together, most of the path first. To be freed with lp_sample_free.
struct lp_sample_row *lp_sample_rows(const char *bytes, size_t length, int *count);
void lp_sample_free(struct lp_sample_row *rows, int count);

void lp_sample_write(FILE *out, const struct lp_sample *sample);
void lp_sample_print(FILE *out, const struct lp_sample *sample);

// The file with the samples of a run. It holds whole lines whatever happens: one that cannot be written whole, as on a
// full disk, is taken back.
struct lp_sample_file {
    struct lp_own_file own;
    char path[1300];
    int64_t size;
    uint64_t left_out;  // samples
};
// A new file, or errno.
struct lp_sample_file lp_sample_create(const char *path);
// False: the sample is left out, for the reason in errno.
bool lp_sample_append(struct lp_sample_file *file, const struct lp_sample *sample);
void lp_sample_close(struct lp_sample_file *file);

#ifdef __cplusplus
}
#endif

#endif
