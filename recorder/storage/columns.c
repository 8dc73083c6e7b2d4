// SPDX-License-Identifier: GPL-3.0-or-later
// Turns records into columns: each field's values in one array, coded as small numbers, in planes of bytes, which zstd
// then compresses.
#include "recorder/storage/columns.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

struct lp_packer {
    size_t room;
    int compression;
    ZSTD_CCtx *zstd;
    uint64_t *values[LP_COLUMNS];
    size_t counts[LP_COLUMNS];
    uint64_t bits[LP_COLUMNS];  // that are set in any of its values
    uint64_t last[LP_COLUMNS];  // of the d columns
    unsigned char *columns;     // types, then the planes
    unsigned char *stored;
    size_t stored_room;
    int64_t time;      // end of the record before
    uint32_t started;  // the last request
};

enum { most_per_record = 16 };  // a column has no more values than the smallest records would need

static const int levels[] = {0, 1, 9};  // of zstd, by enum lp_compression

static bool allocate(struct lp_packer *packer)
{
    const size_t most = packer->room / most_per_record + 1;
    for (int c = 0; c < LP_COLUMNS; ++c) {
        packer->values[c] = malloc(most * sizeof(uint64_t));
        if (!packer->values[c]) return false;
    }
    const size_t bound = packer->room + LP_COLUMNS + most;
    packer->columns = malloc(bound);
    packer->stored_room = ZSTD_compressBound(bound);
    packer->stored = malloc(packer->stored_room);
    packer->zstd = ZSTD_createCCtx();
    if (!packer->columns || !packer->stored || !packer->zstd) return false;
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, levels[packer->compression]);
    return true;
}

static void release(struct lp_packer *packer)
{
    for (int c = 0; c < LP_COLUMNS; ++c) free(packer->values[c]);
    free(packer->columns);
    free(packer->stored);
    ZSTD_freeCCtx(packer->zstd);
    free(packer);
}

struct lp_packer *lp_packer_new(size_t room, int compression)
{
    struct lp_packer *packer = calloc(1, sizeof *packer);
    if (!packer) return NULL;
    packer->room = room;
    packer->compression = compression;
    if (compression == LP_COMPRESSION_OFF || allocate(packer)) return packer;
    release(packer);
    return NULL;
}

static inline uint64_t zigzag(int64_t value) { return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63); }
static inline uint64_t zigzag32(uint32_t value) { return (uint32_t)(value << 1) ^ (uint32_t)((int32_t)value >> 31); }
static inline int64_t less(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

static inline void put(struct lp_packer *p, enum lp_column column, uint64_t value)
{
    p->values[column][p->counts[column]++] = value;
    p->bits[column] |= value;
}

static inline void put_delta(struct lp_packer *p, enum lp_column column, uint64_t value)
{
    put(p, column, zigzag((int64_t)(value - p->last[column])));
    p->last[column] = value;
}

static inline void put_time(struct lp_packer *p, int64_t time)
{
    put(p, LP_TIME, zigzag(less(time, p->time)));
    p->time = time;
}

static void put_rare(struct lp_packer *p, const unsigned char *at)
{
    switch (at[0]) {
    case LP_ENTER_RECORD:
    case LP_LEAVE_RECORD:
    case LP_SWITCH_RECORD: {
        const struct lp_region_record *region = (const void *)at;
        put_time(p, region->time);
        put(p, LP_REGION_OF, region->region);
        break;
    }
    case LP_POLLS_RECORD: {
        const struct lp_polls_record *polls = (const void *)at;
        put_time(p, polls->time);
        put(p, LP_CALL_ID, polls->call);
        put_delta(p, LP_VALUE, (uint64_t)polls->count);
        break;
    }
    case LP_POLLING_RECORD: {
        const struct lp_polling_record *loop = (const void *)at;
        put_time(p, loop->begin);
        put(p, LP_DURATION, zigzag(less(loop->end, p->time)));
        p->time = loop->end;
        put(p, LP_CALL_ID, loop->call);
        put(p, LP_REGION_OF, loop->is_ended);
        put_delta(p, LP_VALUE, loop->count);
        put(p, LP_STACK_OF, loop->stack);
        break;
    }
    case LP_OWN_RECORD: {
        const struct lp_own_record *own = (const void *)at;
        put_time(p, own->begin);
        put(p, LP_DURATION, zigzag(less(own->end, p->time)));
        p->time = own->end;
        put(p, LP_CALL_ID, own->work);
        break;
    }
    case LP_MACHINE_RECORD: {
        const struct lp_machine_record *machine = (const void *)at;
        put_time(p, machine->time);
        put(p, LP_CALL_ID, machine->core);
        put(p, LP_CORE_TIMES, zigzag(machine->cpu));
        put(p, LP_CORE_TIMES, zigzag(machine->without));
        put(p, LP_CORE_SWITCHES, machine->taken);
        put(p, LP_CORE_SWITCHES, machine->given);
        break;
    }
    default: break;
    }
}

// Records between two rare ones, at most RUN of each kind: what a column takes of them is one loop over records that
// the first loop has brought into the cache.
enum { RUN = 128 };
struct run {
    int calls, seconds, done, messages;
    const struct lp_call_record *call[RUN];
    const struct lp_call2_record *second[RUN];
    const struct lp_completion_record *completion[RUN], *message[RUN];
};

static inline uint64_t call_of(const struct lp_call_record *call) { return call->call; }
static inline uint64_t comm_of(const struct lp_call_record *call) { return (uint32_t)(call->comm + 1); }
static inline uint64_t peer_of(const struct lp_call_record *call) { return (uint32_t)((uint32_t)call->peer + 1); }
static inline uint64_t tag_of(const struct lp_call_record *call) { return zigzag32((uint32_t)call->tag); }
static inline uint64_t bytes_of(const struct lp_call_record *call) { return zigzag(call->bytes); }
static inline uint64_t stack_of(const struct lp_call_record *call) { return call->stack; }

static inline uint64_t peer2_of(const struct lp_call2_record *call) { return (uint32_t)((uint32_t)call->peer2 + 1); }
static inline uint64_t tag2_of(const struct lp_call2_record *call) { return zigzag32((uint32_t)call->tag2); }
static inline uint64_t bytes2_of(const struct lp_call2_record *call) { return zigzag(call->bytes2); }

static inline uint64_t done_comm_of(const struct lp_completion_record *done) { return (uint32_t)(done->comm + 1); }
static inline uint64_t done_peer_of(const struct lp_completion_record *done)
{
    return (uint32_t)((uint32_t)done->peer + 1);
}
static inline uint64_t done_tag_of(const struct lp_completion_record *done) { return zigzag32((uint32_t)done->tag); }
static inline uint64_t done_bytes_of(const struct lp_completion_record *done) { return zigzag(done->bytes); }

#define PUT_ALL(column, records, count, value_of) \
    do { \
        uint64_t *const restrict values = p->values[column] + p->counts[column]; \
        uint64_t bits = 0; \
        for (int i = 0; i < (count); ++i) bits |= values[i] = value_of((records)[i]); \
        p->counts[column] += (size_t)(count); \
        p->bits[column] |= bits; \
    } while (0)

static void put_times(struct lp_packer *p, const struct run *run)
{
    uint64_t *const restrict times = p->values[LP_TIME] + p->counts[LP_TIME];
    uint64_t *const restrict durations = p->values[LP_DURATION] + p->counts[LP_DURATION];
    uint64_t *const restrict requests = p->values[LP_REQUEST] + p->counts[LP_REQUEST];
    uint64_t time_bits = 0, duration_bits = 0, request_bits = 0;
    int64_t time = p->time;
    uint32_t started = p->started;
    for (int i = 0; i < run->calls; ++i) {
        const struct lp_call_record *call = run->call[i];
        time_bits |= times[i] = zigzag(less(call->begin, time));
        duration_bits |= durations[i] = zigzag(less(call->end, call->begin));
        time = call->end;
        request_bits |= requests[i] = call->request == 0 ? 0 : 1 + zigzag32(call->request - started);
        if (call->request != 0) started = call->request;
    }
    p->time = time;
    p->started = started;
    p->bits[LP_TIME] |= time_bits;
    p->bits[LP_DURATION] |= duration_bits;
    p->bits[LP_REQUEST] |= request_bits;
    p->counts[LP_TIME] += (size_t)run->calls;
    p->counts[LP_DURATION] += (size_t)run->calls;
    p->counts[LP_REQUEST] += (size_t)run->calls;
}

static void put_run(struct lp_packer *p, const struct run *run)
{
    put_times(p, run);
    PUT_ALL(LP_CALL_ID, run->call, run->calls, call_of);
    PUT_ALL(LP_COMM_OF, run->call, run->calls, comm_of);
    PUT_ALL(LP_PEER, run->call, run->calls, peer_of);
    PUT_ALL(LP_TAG, run->call, run->calls, tag_of);
    PUT_ALL(LP_BYTES, run->call, run->calls, bytes_of);
    PUT_ALL(LP_STACK_OF, run->call, run->calls, stack_of);
    PUT_ALL(LP_PEER2, run->second, run->seconds, peer2_of);
    PUT_ALL(LP_TAG2, run->second, run->seconds, tag2_of);
    PUT_ALL(LP_BYTES2, run->second, run->seconds, bytes2_of);
    for (int i = 0; i < run->done; ++i) put_delta(p, LP_DONE_REQUEST, run->completion[i]->request);
    PUT_ALL(LP_DONE_COMM, run->message, run->messages, done_comm_of);
    PUT_ALL(LP_DONE_PEER, run->message, run->messages, done_peer_of);
    PUT_ALL(LP_DONE_TAG, run->message, run->messages, done_tag_of);
    PUT_ALL(LP_DONE_BYTES, run->message, run->messages, done_bytes_of);
}

// Takes records into the run until it is full or a rare one comes; where that is, or the end. Their types go to
// packer->columns.
static size_t take_run(struct lp_packer *p, struct run *run, const unsigned char *records, size_t at, size_t used,
                       uint32_t *count)
{
    run->calls = run->seconds = run->done = run->messages = 0;
    while (at < used && run->calls < RUN && run->done < RUN) {
        const unsigned char *record = records + at;
        const unsigned type = record[0];
        if (type >= LP_FIRST_COMPLETION && type < LP_RECORD_TYPES) {
            run->completion[run->done++] = (const void *)record;
            if (lp_carries_message(type)) run->message[run->messages++] = (const void *)record;
            at += sizeof(struct lp_completion_record);
        } else if (type == LP_CALL_RECORD || type == LP_JOINED_RECORD) {
            run->call[run->calls++] = (const void *)record;
            at += sizeof(struct lp_call_record);
        } else if (type == LP_CALL2_RECORD || type == LP_JOINED2_RECORD) {
            run->call[run->calls++] = (const void *)record;
            run->second[run->seconds++] = (const void *)record;
            at += sizeof(struct lp_call2_record);
        } else {
            break;
        }
        p->columns[(*count)++] = (unsigned char)type;
    }
    return at;
}

// Writes the records' types to packer->columns, and their values to the arrays of the columns.
static uint32_t split(struct lp_packer *p, const unsigned char *records, size_t used)
{
    memset(p->counts, 0, sizeof p->counts);
    memset(p->bits, 0, sizeof p->bits);
    memset(p->last, 0, sizeof p->last);
    p->time = 0;
    p->started = 0;
    uint32_t count = 0;
    struct run run;
    for (size_t at = 0; at < used;) {
        const size_t end = take_run(p, &run, records, at, used, &count);
        if (end > at) {
            put_run(p, &run);
            at = end;
            continue;
        }
        const unsigned type = records[at];
        const size_t size = lp_record_size(type);
        if (size == 0) break;  // the file was cut, and its memory with it (guard.h)
        p->columns[count++] = (unsigned char)type;
        put_rare(p, records + at);
        at += size;
    }
    return count;
}

// At O2 it would go value by value.
__attribute__((optimize("O3"))) static void put_plane(unsigned char *restrict out, const uint64_t *restrict values,
                                                      size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; ++i) out[i] = (unsigned char)(values[i] >> shift);
}

static unsigned char *put_planes(unsigned char *out, const uint64_t *values, size_t count, uint64_t bits)
{
    const unsigned width = bits == 0 ? 0 : (unsigned)(71 - __builtin_clzll(bits)) / 8;
    *out++ = (unsigned char)width;
    for (unsigned plane = 0; plane < width; ++plane, out += count) put_plane(out, values, count, 8 * plane);
    return out;
}

struct lp_packed lp_pack(struct lp_packer *packer, const void *records, size_t used)
{
    struct lp_packed packed = {records, used, 0, LP_CODING_RAW};
    if (packer->compression == LP_COMPRESSION_OFF) {
        for (size_t at = 0, size; at < used; at += size, ++packed.records)
            if ((size = lp_record_size(((const unsigned char *)records)[at])) == 0) break;
        return packed;
    }
    packed.records = split(packer, records, used);
    unsigned char *end = packer->columns + packed.records;
    for (int c = 0; c < LP_COLUMNS; ++c) end = put_planes(end, packer->values[c], packer->counts[c], packer->bits[c]);
    packed.bytes = packer->columns;
    packed.length = (size_t)(end - packer->columns);
    packed.coding = LP_CODING_COLUMNS;
    const size_t size = ZSTD_compress2(packer->zstd, packer->stored, packer->stored_room, packer->columns,
                                       packed.length);
    if (ZSTD_isError(size) || size >= packed.length) return packed;
    packed.bytes = packer->stored;
    packed.length = size;
    packed.coding = LP_CODING_ZSTD;
    return packed;
}
