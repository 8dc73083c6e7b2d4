// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE
#include "recorder/online/sample.h"

#include "recorder/format/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LISTED = 40, MOST_RANKS = 16, MOST_PRINTED = 20 };

// --- procedures of all ranks ---

bool lp_sample_add(struct lp_bytes *to, const char *name, int64_t path, int64_t all)
{
    const size_t length = 2 * sizeof path + strlen(name) + 1;
    if (to->length + length > to->room) {
        const size_t room = 2 * (to->length + length) + 1024;
        char *grown = realloc(to->bytes, room);
        if (!grown) return false;
        to->bytes = grown;
        to->room = room;
    }
    char *at = to->bytes + to->length;
    memcpy(at, &path, sizeof path);
    memcpy(at + sizeof path, &all, sizeof all);
    memcpy(at + 2 * sizeof path, name, length - 2 * sizeof path);
    to->length += length;
    return true;
}

static int by_path(const void *a, const void *b)
{
    const struct lp_sample_row *x = a, *y = b;
    if (x->path != y->path) return x->path > y->path ? -1 : 1;
    if (x->all != y->all) return x->all > y->all ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct lp_sample_row *)a)->name, ((const struct lp_sample_row *)b)->name);
}

static struct lp_sample_row *read_rows(const char *bytes, size_t length, int *count)
{
    struct lp_sample_row *rows = NULL;
    const char *const end = bytes + length;
    int room = 0;
    for (const char *at = bytes; end - at > (ptrdiff_t)(2 * sizeof(int64_t));) {
        const char *name = at + 2 * sizeof(int64_t), *close = memchr(name, 0, (size_t)(end - name));
        if (!close) break;
        if (*count == room) {
            room = 2 * room + 64;
            struct lp_sample_row *larger = realloc(rows, (size_t)room * sizeof *rows);
            if (!larger) break;
            rows = larger;
        }
        struct lp_sample_row row = {.name = strdup(name), .inclusive = -1, .net = -1};
        if (!row.name) break;
        memcpy(&row.path, at, sizeof row.path);
        memcpy(&row.all, at + sizeof row.path, sizeof row.all);
        rows[(*count)++] = row;
        at = close + 1;
    }
    return rows;
}

struct lp_sample_row *lp_sample_rows(const char *bytes, size_t length, int *count)
{
    *count = 0;
    struct lp_sample_row *rows = read_rows(bytes, length, count);
    if (*count == 0) return rows;
    qsort(rows, (size_t)*count, sizeof *rows, by_name);
    int kept = 0;
    for (int at = 0; at < *count; ++at) {
        if (kept > 0 && strcmp(rows[kept - 1].name, rows[at].name) == 0) {
            rows[kept - 1].path += rows[at].path;
            rows[kept - 1].all += rows[at].all;
            free(rows[at].name);
        } else {
            rows[kept++] = rows[at];
        }
    }
    *count = kept;
    qsort(rows, (size_t)kept, sizeof *rows, by_path);
    return rows;
}

void lp_sample_free(struct lp_sample_row *rows, int count)
{
    for (int at = 0; at < count; ++at) free(rows[at].name);
    free(rows);
}

// --- a line of online.jsonl ---

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    unsigned length;
    for (const unsigned char *at = (const unsigned char *)text; *at; at += length) {
        const unsigned character = lp_character_at(at, &length);
        if (character == 0) length = 1;  // of a name that was cut, or is none
        if (character == '"' || character == '\\') fputc('\\', out);
        if (character == 0) fputc('?', out);
        else if (character < 0x20) fprintf(out, "\\u%04x", character);
        else fwrite(at, 1, length, out);
    }
    fputc('"', out);
}

struct rank_share {
    int rank;
    int64_t share;
};

static int by_share(const void *a, const void *b)
{
    const struct rank_share *x = a, *y = b;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

static void write_ranks(FILE *out, const struct lp_sample *sample)
{
    struct rank_share *sorted = calloc((size_t)sample->ranks + 1, sizeof *sorted);
    if (!sorted) return;
    for (int at = 0; at < sample->ranks; ++at) sorted[at] = (struct rank_share){at, sample->shares[at]};
    qsort(sorted, (size_t)sample->ranks, sizeof *sorted, by_share);
    for (int at = 0; at < sample->ranks && at < MOST_RANKS; ++at)
        fprintf(out, "%s{\"rank\":%d,\"share_ns\":%" PRId64 "}", at > 0 ? "," : "", sorted[at].rank, sorted[at].share);
    free(sorted);
}

static bool has_factor(const struct lp_sample *sample) { return sample->factor.numerator > 0; }

void lp_sample_write(FILE *out, const struct lp_sample *sample)
{
    int64_t rest = sample->length, rest_of_all = sample->rest_of_all;
    fprintf(out,
            "{\"version\":1,\"time_ns\":%" PRId64 ",\"meetings\":%" PRIu64 ",\"length_ns\":%" PRId64
            ",\"covered_ns\":%" PRId64 ",\"procedures\":[",
            sample->time, sample->meetings, sample->length, sample->covered);
    for (int at = 0; at < sample->count && at < MOST_LISTED; ++at) {
        const struct lp_sample_row *row = &sample->rows[at];
        rest -= row->path;
        fputs(at > 0 ? ",{\"name\":" : "{\"name\":", out);
        write_string(out, row->name);
        fprintf(out, ",\"share_ns\":%" PRId64 ",\"net_ns\":", row->path);
        if (row->net < 0) fputs("null", out);
        else fprintf(out, "%" PRId64, row->net);
        if (row->net >= 0 && row->since > 0) fprintf(out, ",\"net_since_ns\":%" PRId64, row->since);
        if (row->inclusive >= 0) fprintf(out, ",\"inclusive_ns\":%" PRId64, row->inclusive);
        fprintf(out, ",\"cpu_ns\":%" PRId64 "}", row->all);
    }
    for (int at = MOST_LISTED; at < sample->count; ++at) rest_of_all += sample->rows[at].all;
    fprintf(out, "],\"rest_ns\":%" PRId64 ",\"rest_cpu_ns\":%" PRId64 ",\"ranks\":[", rest, rest_of_all);
    write_ranks(out, sample);
    fprintf(out,
            "],\"own_ns\":%" PRId64 ",\"messages\":%" PRId64 ",\"late\":%" PRId64 ",\"ambiguous\":%" PRId64
            ",\"ahead\":%" PRId64 ",\"paused_ns\":%" PRId64 ",\"lost_ns\":%" PRId64 "%s",
            sample->own, sample->messages, sample->late, sample->ambiguous, sample->ahead, sample->paused, sample->lost,
            sample->is_stopped ? ",\"stopped\":true" : "");
    if (has_factor(sample))
        fprintf(out, ",\"factor\":\"%" PRIu32 "/%" PRIu32 "\"", sample->factor.numerator, sample->factor.denominator);
    if (sample->is_of_cpu) fputs(",\"clock\":\"cpu\"", out);
    if (sample->mistraced > 0) fprintf(out, ",\"mistraced\":%" PRId64, sample->mistraced);
    if (sample->is_between) fputs(",\"between\":true", out);
    if (sample->is_compared)
        fprintf(out,
                ",\"differences\":%" PRId64 ",\"compared\":%" PRId64 ",\"compared_shares\":%" PRId64
                ",\"not_compared\":%" PRId64,
                sample->differences, sample->compared, sample->compared_shares, sample->not_compared);
    fputs(sample->is_last ? ",\"final\":true}\n" : "}\n", out);
    fflush(out);
}

// --- online.jsonl ---

struct lp_sample_file lp_sample_create(const char *path)
{
    struct lp_sample_file file = {.own = {.fd = -1}};
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof file.path) return file;
    strcpy(file.path, path);
    file.own = lp_own(lp_open_within(path, O_RDWR | O_CREAT | O_EXCL));
    return file;
}

static bool write_all(int fd, const char *bytes, size_t length, int64_t at)
{
    if (!lp_may_reach((uint64_t)at + length)) return false;
    while (length > 0) {
        const ssize_t written = pwrite(fd, bytes, length, at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        length -= (size_t)written;
        at += written;
    }
    return true;
}

bool lp_sample_append(struct lp_sample_file *file, const struct lp_sample *sample)
{
    char *line = NULL;
    size_t length = 0;
    FILE *memory = file->own.fd >= 0 ? open_memstream(&line, &length) : NULL;
    if (memory) lp_sample_write(memory, sample);
    const bool is_whole = memory && fclose(memory) == 0;
    const bool is_there = is_whole && lp_is_own_again(&file->own, file->path);
    const bool is_written = is_there && write_all(file->own.fd, line, length, file->size);
    const int reason = errno;
    if (is_written) file->size += (int64_t)length;
    else ++file->left_out;
    if (is_there && !is_written && ftruncate(file->own.fd, file->size) != 0) lp_sample_close(file);
    free(line);
    errno = reason;
    return is_written;
}

void lp_sample_close(struct lp_sample_file *file) { lp_disown(&file->own); }

// --- the table at the end ---

static double seconds(int64_t ns) { return (double)ns / 1e9; }

static double percent(int64_t part, int64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0.0; }

void lp_sample_print(FILE *out, const struct lp_sample *sample)
{
    int64_t all = 0;
    bool has_inclusive = false;
    for (int at = 0; at < sample->count; ++at) {
        all += sample->rows[at].all;
        has_inclusive |= at < MOST_PRINTED && sample->rows[at].inclusive >= 0;
    }
    fprintf(out, "longpole: the critical path is %.6f s long\n", seconds(sample->length));
    fprintf(out, "%12s %7s %12s %12s %12s %7s  %s\n", "CP [s]", "% CP", "net [s]", "gain [s]",
            sample->is_of_cpu ? "CPU [s]" : "all [s]", sample->is_of_cpu ? "% CPU" : "% all", "procedure");
    for (int at = 0; at < sample->count && at < MOST_PRINTED; ++at) {
        const struct lp_sample_row *row = &sample->rows[at];
        char net[32] = "-", gain[32] = "-", with_callees[32] = "";
        if (row->net >= 0) {
            snprintf(net, sizeof net, "%.6f", seconds(row->net));
            snprintf(gain, sizeof gain, "%.6f", seconds(sample->length - row->net));
        }
        if (row->inclusive >= 0) snprintf(with_callees, sizeof with_callees, " (%.6f)", seconds(row->inclusive));
        fprintf(out, "%12.6f %7.1f %12s %12s %12.6f %7.1f  %s%s\n", seconds(row->path),
                percent(row->path, sample->length), net, gain, seconds(row->all), percent(row->all, all), row->name,
                with_callees);
    }
    if (has_inclusive) fputs("longpole: in parentheses: of the path, with what is called there\n", out);
    if (has_factor(sample))
        fprintf(out, "longpole: net: how long the path were if a procedure took %" PRIu32 "/%" PRIu32 " of its time\n",
                sample->factor.numerator, sample->factor.denominator);
    if (sample->is_of_cpu) fputs("longpole: all of it is CPU time\n", out);
    fprintf(out,
            "longpole: following it took %.6f s on all ranks together, with waiting for each other; messages %" PRId64
            ", late %" PRId64 ", ambiguous %" PRId64 ", ahead %" PRId64 ", lost %.6f s\n",
            seconds(sample->own), sample->messages, sample->late, sample->ambiguous, sample->ahead,
            seconds(sample->lost));
    if (sample->is_compared)
        fprintf(out,
                "longpole: both ways to find it: compared %" PRId64 " times (parts of procedures %" PRId64
                "), not compared %" PRId64 ", different %" PRId64 "\n",
                sample->compared, sample->compared_shares, sample->not_compared, sample->differences);
    if (sample->mistraced > 0)
        fprintf(out,
                "longpole: %" PRId64
                " times the parts of the path did not add up to it: those of procedures and ranks are wrong\n",
                sample->mistraced);
    if (sample->paused > 0)
        fprintf(out, "longpole: %.6f s of the run are not in the path: it was stopped then\n", seconds(sample->paused));
    if (sample->lost > 0)
        fprintf(out, "longpole: %.6f s of the run are not in the path: there was no room for them\n",
                seconds(sample->lost));
}
