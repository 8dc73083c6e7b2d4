// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics and table of calls at the end of a run; only PMPI calls.
#include "recorder/storage/summary.h"

#include "recorder/format/callkinds.h"
#include "recorder/storage/clock.h"
#include "recorder/storage/config.h"
#include "recorder/storage/folder.h"
#include "recorder/storage/process.h"
#include "recorder/storage/ratios.h"
#include "recorder/storage/waits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 65536, LONGEST_ROW = 1024, LONGEST_LIST = 400, TAG = 17 };

static const char *const names[] = {
#define LP_ROW(name, class, kind) #name,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};

enum lp_call_class lp_class_of(uint16_t call)
{
    return call < LP_CALL_COUNT ? (enum lp_call_class)lp_call_classes[call] : LP_CLASS_OTHER;
}

enum lp_collective_kind lp_kind_of(uint16_t call)
{
    return call < LP_CALL_COUNT ? (enum lp_collective_kind)lp_call_kinds[call] : LP_KIND_NONE;
}

// Without MPI_.
static const char *call_name(uint16_t call) { return call < LP_CALL_COUNT ? names[call] : "?"; }

bool lp_is_test(uint16_t call)
{
    return call == LP_Test || call == LP_Testall || call == LP_Testany || call == LP_Testsome
           || call == LP_Request_get_status;
}

void lp_wait_before(struct lp_kept_call *call, int64_t before)
{
    if (before > call->before) call->before = before;
}

bool lp_all_ranks(MPI_Comm world, bool mine)
{
    int one = mine, all = 0;
    PMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_LAND, world);
    return all;
}

static void align_calls(void)
{
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at))) {
        struct lp_kept_call *call = lp_kept_at(at);
        const int64_t begin = lp_clock_align(call->begin), end = lp_clock_align(call->end);
        if (begin != call->begin) call->begin = begin;  // a page that stays as it is need not be written again
        if (end != call->end) call->end = end;
    }
}

static struct lp_parts parts_of(const struct lp_kept_call *call)
{
    const struct lp_parts parts = {call->before, call->end - call->begin - call->before - call->after, call->after};
    return parts;
}

static bool is_init(const struct lp_kept_call *call) { return call->call == LP_Init || call->call == LP_Init_thread; }

// Counts the graph of Korkhov et al., section 5.2. It has two nodes per call; edges from call to call, from the source
// to the first and from the last to the sink; edges to the end of a call that synchronizes from the begins of all its
// members, to the end of another call from its own begin; and one for each received message. MPI_Init is before the
// program, MPI_Finalize is its last call, of no length.
static struct lp_statistics statistics_of(int rank, int64_t begin)
{
    struct lp_statistics own = {0};
    int64_t last_end = -1, start = begin;
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at))) {
        const struct lp_kept_call *call = lp_kept_at(at);
        if (call->call == LP_Finalize) continue;
        if (last_end >= 0 && call->begin > last_end) own.program_edges += call->begin - last_end;
        if (last_end < 0) start = is_init(call) ? call->end : call->begin;
        if (call->end > last_end) last_end = call->end;
        if (is_init(call)) continue;
        lp_add_call(&own, parts_of(call));
        own.edges += (call->members > 0 ? call->members : 1) + call->received;
    }
    if (last_end >= 0 && begin > last_end) own.program_edges += begin - last_end;
    lp_add_call(&own, (struct lp_parts){0, 0, 0});
    own.edges += 1 + (own.calls - 1) + 2;
    own.nodes = 2 * own.calls + (rank == 0 ? 2 : 0);
    own.program_time = begin - start;
    return own;
}

static void print_statistics(MPI_Comm world, const struct lp_statistics *own)
{
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_size(world, &ranks);
    struct lp_statistics *all = rank == 0 ? malloc((size_t)ranks * sizeof *all) : NULL;
    int ok = rank != 0 || all;
    PMPI_Bcast(&ok, 1, MPI_INT, 0, world);
    if (ok) PMPI_Gather(own, (int)sizeof *own, MPI_BYTE, all, (int)sizeof *own, MPI_BYTE, 0, world);
    if (ok && rank == 0) {
        lp_print_statistics(stderr, all, ranks);
        fflush(stderr);
    }
    free(all);
}

// Text on its way into the table, which rank 0 writes.
struct table {
    MPI_Comm world;
    FILE *file;      // on rank 0
    uint64_t bytes;  // of the file
    int error;       // why it does not get more
    char text[TEXT];
    int used;
};

static void write_text(struct table *table, const char *text, size_t length)
{
    if (table->error == 0 && !lp_may_reach(table->bytes + length)) table->error = errno;
    if (table->error != 0) return;
    fwrite(text, 1, length, table->file);
    table->bytes += length;
}

static void flush_table(struct table *table)
{
    if (table->file) write_text(table, table->text, (size_t)table->used);
    else PMPI_Send(table->text, table->used, MPI_CHAR, 0, TAG, table->world);
    table->used = 0;
}

static void comm_text(uint32_t number, char text[64])
{
    const struct lp_kept_comm *comm = lp_kept_comm_of(number);
    if (!comm) snprintf(text, 64, "-");
    else if (strcmp(comm->name, "MPI_COMM_WORLD") == 0 || strcmp(comm->name, "MPI_COMM_SELF") == 0)
        snprintf(text, 64, "%s", comm->name);
    else snprintf(text, 64, "%d:%u", comm->origin, comm->serial);
}

// The text of a peer, or of its tag; "-" if there is no peer.
static void peer_text(int32_t peer, int32_t value, char text[32])
{
    if (peer < 0) snprintf(text, 32, "-");
    else snprintf(text, 32, "%d", value);
}

// The partners and tags of the requests that a Wait completed: ">to" for sends, "-" for collective calls, ";" between
// them. "-" for none, or more than fit.
static void completed_text(struct lp_kept_call *call, char peers[LONGEST_LIST], char tags[LONGEST_LIST])
{
    size_t used = 0, used_tags = 0;
    const struct lp_kept_completion *done = lp_kept_completions(call);
    const size_t room = LONGEST_LIST - 32;
    for (uint32_t i = 0; i < call->completions && used < room && used_tags < room; ++i, ++done) {
        char peer[32], tag[32];
        if (done->kind == LP_CANCELLED || done->kind == LP_FREED || done->kind == LP_FREED_ANY) continue;
        peer_text(done->peer, done->peer, peer);
        peer_text(done->peer, done->tag, tag);
        const char *between = used > 0 ? ";" : "", *is_send = done->kind == LP_SEND_DONE && done->peer >= 0 ? ">" : "";
        used += (size_t)snprintf(peers + used, LONGEST_LIST - used, "%s%s%s", between, is_send, peer);
        used_tags += (size_t)snprintf(tags + used_tags, LONGEST_LIST - used_tags, "%s%s", between, tag);
    }
    if (used == 0 || used >= room || used_tags >= room) {
        strcpy(peers, "-");
        strcpy(tags, "-");
    }
}

// The peers and tags of a call; a Sendrecv has two, "to;from".
static void peers_text(struct lp_kept_call *call, char peers[LONGEST_LIST], char tags[LONGEST_LIST])
{
    char a[32], b[32];
    if (lp_class_of(call->call) == LP_CLASS_COMPLETION) {
        completed_text(call, peers, tags);
        return;
    }
    peer_text(call->peer, call->peer, peers);
    peer_text(lp_kind_of(call->call) == LP_KIND_NONE ? call->peer : LP_NO_RANK, call->tag, tags);
    if (lp_class_of(call->call) != LP_CLASS_SENDRECEIVE) return;
    peer_text(call->peer, call->peer, a);
    peer_text(call->peer2, call->peer2, b);
    snprintf(peers, LONGEST_LIST, "%s;%s", a, b);
    peer_text(call->peer, call->tag, a);
    peer_text(call->peer2, call->tag2, b);
    snprintf(tags, LONGEST_LIST, "%s;%s", a, b);
}

static void put_row(struct table *table, int rank, int64_t seq, struct lp_kept_call *call)
{
    char comm[64], peers[LONGEST_LIST], tags[LONGEST_LIST], ratio[32] = "-";
    const struct lp_parts parts = parts_of(call);
    double imbalance = 0;
    comm_text(call->comm, comm);
    peers_text(call, peers, tags);
    if (lp_imbalance(parts.before + parts.after, parts.execution, &imbalance))
        snprintf(ratio, sizeof ratio, "%.9f", imbalance);
    if (table->used + LONGEST_ROW > TEXT) flush_table(table);
    table->used += snprintf(table->text + table->used, LONGEST_ROW,
                            "%d,%" PRId64 ",MPI_%s,%" PRId64 ",%" PRId64 ",%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64
                            ",%s\n",
                            rank, seq, call_name(call->call), call->begin, call->end, comm, peers, tags, parts.before,
                            parts.execution, parts.after, ratio);
}

static void put_rows(struct table *table, int rank)
{
    int64_t seq = 0;
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at)))
        put_row(table, rank, seq++, lp_kept_at(at));
    if (table->used > 0) flush_table(table);
}

// Receives and writes the other ranks' rows, one rank after another; an empty piece ends those of each.
static void take_rows(struct table *table, int ranks)
{
    for (int rank = 1; rank < ranks; ++rank) {
        do {
            MPI_Status status;
            PMPI_Recv(table->text, TEXT, MPI_CHAR, rank, TAG, table->world, &status);
            PMPI_Get_count(&status, MPI_CHAR, &table->used);
            write_text(table, table->text, (size_t)table->used);
        } while (table->used > 0);
    }
}

// A new file beside the table, which gets the table's name when it is whole: no link is followed.
static FILE *open_beside(const char *path, char *beside, size_t room)
{
    const int length = snprintf(beside, room, "%s.part-%d", path, (int)getpid());
    if (length < 0 || (size_t)length >= room) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    const int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return fd >= 0 ? fdopen(fd, "w") : NULL;
}

static const char head[] = "rank,seq,call,start_ns,end_ns,comm,peer,tag,wait_before,execution,wait_after,imbalance\n";

// Whether nothing is lost if the table gets this name: there is no file, an empty one, an earlier table, or a link,
// which the table replaces and does not follow.
static bool may_replace(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT || errno == ELOOP;
    char begin[14];
    struct stat found;
    const bool is_file = fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
    const ssize_t got = is_file ? read(fd, begin, sizeof begin) : -1;
    close(fd);
    errno = EEXIST;
    return got == 0 || (got == (ssize_t)sizeof begin && memcmp(begin, head, sizeof begin) == 0);
}

// `error`: why it is not whole, or 0.
static void close_table(FILE *file, const char *beside, const char *path, int error)
{
    if ((fflush(file) != 0 || ferror(file) != 0) && error == 0) error = errno != 0 ? errno : EIO;
    if (fclose(file) != 0 && error == 0) error = errno;
    if (error == 0 && may_replace(path) && rename(beside, path) == 0) return;
    if (error == 0) error = errno;
    unlink(beside);
    fprintf(stderr, "longpole: no table of calls: %s: %s\n", path, strerror(error));
}

static void write_table(MPI_Comm world, const char *path)
{
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_size(world, &ranks);
    struct table *table = malloc(sizeof *table);
    char beside[1400];
    FILE *file = rank == 0 ? open_beside(path, beside, sizeof beside) : NULL;
    if (rank == 0 && !file) fprintf(stderr, "longpole: no table of calls: %s: %s\n", path, strerror(errno));
    const bool can = lp_all_ranks(world, table && (rank != 0 || file));
    if (can) {
        table->world = world;
        table->file = file;
        table->used = 0;
        table->bytes = 0;
        table->error = 0;
        if (file) write_text(table, head, strlen(head));
        put_rows(table, rank);
        if (rank == 0) take_rows(table, ranks);
        else flush_table(table);
    }
    if (file) close_table(file, beside, path, can ? table->error : ENOMEM);
    free(table);
}

void lp_summarize(MPI_Comm world, int64_t begin)
{
    if (!lp_keeps()) return;
    int rank = 0;
    PMPI_Comm_rank(world, &rank);
    lp_keep_stop();
    const char *error = lp_keep_error();
    if (error) fprintf(stderr, "longpole: rank %d could not keep its calls for the summary: %s\n", rank, error);
    align_calls();
    const int64_t start = lp_clock_align(begin);
    const bool all_kept = lp_all_ranks(world, !error);  // from here on nobody waits for a rank that is still computing
    const int64_t together = lp_now();
    if (all_kept && lp_collective_waits(world) && lp_message_waits(world)) {
        struct lp_statistics own = statistics_of(rank, start);
        own.graph_time = lp_now() - together;
        if (lp_config()->summary) print_statistics(world, &own);
        char table[1200];
        if (lp_config()->calls[0] && lp_numbered(table, sizeof table, lp_config()->calls, lp_recording.number))
            write_table(world, table);
    } else if (rank == 0) {
        fprintf(stderr, "longpole: no summary: a rank %s\n",
                all_kept ? "had no room for it" : "has not all of its calls");
    }
    lp_keep_end();
}
