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

static inline void put_call(struct lp_packer *p, const struct lp_call_record *call)
{
    put_time(p, call->begin);
    put(p, LP_DURATION, zigzag(less(call->end, p->time)));
    p->time = call->end;
    put(p, LP_CALL_ID, call->call);
    put(p, LP_COMM_OF, (uint32_t)(call->comm + 1));
    put(p, LP_PEER, (uint32_t)((uint32_t)call->peer + 1));
    put(p, LP_TAG, zigzag32((uint32_t)call->tag));
    put(p, LP_BYTES, zigzag(call->bytes));
    put(p, LP_STACK_OF, call->stack);
    if (call->request == 0) {
        put(p, LP_REQUEST, 0);
    } else {
        put(p, LP_REQUEST, 1 + zigzag32(call->request - p->started));
        p->started = call->request;
    }
}

static void put_second(struct lp_packer *p, const struct lp_call2_record *call)
{
    put(p, LP_PEER2, (uint32_t)((uint32_t)call->peer2 + 1));
    put(p, LP_TAG2, zigzag32((uint32_t)call->tag2));
    put(p, LP_BYTES2, zigzag(call->bytes2));
}

static inline void put_completion(struct lp_packer *p, const struct lp_completion_record *done)
{
    put_delta(p, LP_DONE_REQUEST, done->request);
    if (!lp_carries_message(done->type)) return;
    put(p, LP_DONE_COMM, (uint32_t)(done->comm + 1));
    put(p, LP_DONE_PEER, (uint32_t)((uint32_t)done->peer + 1));
    put(p, LP_DONE_TAG, zigzag32((uint32_t)done->tag));
    put(p, LP_DONE_BYTES, zigzag(done->bytes));
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

// Writes the records' types to packer->columns, and their values to the arrays of the columns.
static uint32_t split(struct lp_packer *p, const unsigned char *records, size_t used)
{
    memset(p->counts, 0, sizeof p->counts);
    memset(p->last, 0, sizeof p->last);
    p->time = 0;
    p->started = 0;
    uint32_t count = 0;
    for (size_t at = 0; at < used; ++count) {
        const unsigned type = records[at];
        if (lp_record_size(type) == 0) break;  // the file was cut, and its memory with it (guard.h)
        p->columns[count] = (unsigned char)type;
        if (type >= LP_FIRST_COMPLETION) {
            put_completion(p, (const void *)(records + at));
        } else if (type == LP_CALL_RECORD || type == LP_JOINED_RECORD) {
            put_call(p, (const void *)(records + at));
        } else if (type == LP_CALL2_RECORD || type == LP_JOINED2_RECORD) {
            put_call(p, (const void *)(records + at));
            put_second(p, (const void *)(records + at));
        } else {
            put_rare(p, records + at);
        }
        at += lp_record_size(type);
    }
    return count;
}

static unsigned char *put_planes(unsigned char *out, const uint64_t *values, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= values[i];
    const unsigned width = bits == 0 ? 0 : (unsigned)(71 - __builtin_clzll(bits)) / 8;
    *out++ = (unsigned char)width;
    for (unsigned plane = 0; plane < width; ++plane) {
        for (size_t i = 0; i < count; ++i) out[i] = (unsigned char)(values[i] >> (8 * plane));
        out += count;
    }
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
    for (int c = 0; c < LP_COLUMNS; ++c) end = put_planes(end, packer->values[c], packer->counts[c]);
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
