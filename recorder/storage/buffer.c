// SPDX-License-Identifier: GPL-3.0-or-later
// The hot path: each thread appends its records to its own area of the mapped file, without locks. A full area is
// packed into a chunk by the thread that filled it; the time this takes is recorded as the recorder's own.
#define _GNU_SOURCE
#include "recorder/format/calls.h"
#include "recorder/storage/keptcalls.h"
#include "recorder/storage/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct lp_recording lp_recording = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define LP_THREAD_LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))
LP_THREAD_LOCAL struct lp_thread *own_thread;
static pthread_key_t thread_key;

// Calls with a second peer or a second number of bytes.
#define IS_WIDE(class) \
    (LP_CLASS_##class == LP_CLASS_SENDRECEIVE || LP_CLASS_##class == LP_CLASS_START_SENDRECEIVE \
     || LP_CLASS_##class == LP_CLASS_COLLECTIVE || LP_CLASS_##class == LP_CLASS_START_COLLECTIVE \
     || LP_CLASS_##class == LP_CLASS_PREPARE)
#define LP_ROW(name, class, kind) IS_WIDE(class),
static const bool has_second[LP_CALL_COUNT] = {LP_CALLS(LP_ROW)};
#undef LP_ROW

static inline int state(void) { return atomic_load_explicit(&lp_recording.state, memory_order_relaxed); }

// Weak, so that programs of the tests can have a clock of their own.
__attribute__((weak)) int64_t lp_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t lp_begin(uint16_t call)
{
    const int64_t now = lp_now();
    struct lp_thread *thread = own_thread;
    if (thread && state() >= LP_STATE_PAUSED) {
        thread->area->open_begin = now;
        thread->area->open_call = call + 1u;
    }
    return now;
}

static inline void commit(struct lp_thread *thread, uint64_t used)
{
    thread->used = used;
    __atomic_store_n(&thread->area->used, used, __ATOMIC_RELEASE);
}

bool lp_pack_area(struct lp_thread *thread)
{
    if (thread->used == 0) return true;
    struct lp_file *file = &lp_recording.file;
    if (file->error != 0) return false;
    const struct lp_packed packed = lp_pack(lp_recording.packer, thread->records, thread->used);
    const struct lp_frame frame = {.kind = LP_CHUNK,
                                   .thread = thread->number,
                                   .seq = thread->seq,
                                   .coding = packed.coding,
                                   .records = packed.records,
                                   .raw_length = thread->used};
    if (!lp_file_append(file, frame, packed.bytes, packed.length)) {
        lp_stop();
        return false;
    }
    thread->record_count += packed.records;
    commit(thread, 0);
    __atomic_store_n(&lp_frame_of(thread->area)->seq, ++thread->seq, __ATOMIC_RELEASE);
    return true;
}

static struct lp_area *take_area(uint32_t number)
{
    if (lp_recording.free_area_count > 0) {
        struct lp_area *area = lp_recording.free_areas[--lp_recording.free_area_count];
        lp_frame_of(area)->thread = number;
        lp_frame_of(area)->seq = 0;
        return area;
    }
    const uint64_t room = lp_config()->buffer - sizeof(struct lp_frame) - sizeof(struct lp_area);
    struct lp_area *area = lp_file_area(&lp_recording.file, room, number);
    if (!area) lp_stop();
    return area;
}

// Between two looks at the machine, unless a chunk ends before: a look takes some microseconds.
enum { sample_every = 10000000, most_files = 64 };

void lp_put_sample(struct lp_thread *thread)
{
    struct lp_machine_record *record = (void *)(thread->records + thread->used);
    const int64_t time = thread->last_end;
    thread->next_sample = time + sample_every;
    if (thread->used + sizeof *record > thread->capacity) return;
    const struct lp_machine now = thread->is_measured ? thread->last : lp_read_machine(&thread->waits),
                            before = thread->machine;
    const bool is_known = now.without >= before.without && before.without >= 0;
    *record = (struct lp_machine_record){.type = LP_MACHINE_RECORD,
                                         .core = (uint16_t)now.core,
                                         .taken = (uint32_t)(now.taken - before.taken),
                                         .time = time,
                                         .cpu = now.cpu - before.cpu,
                                         .without = is_known ? now.without - before.without : 0,
                                         .given = (uint32_t)(now.given - before.given)};
    struct lp_header *header = lp_recording.file.header;
    if (is_known && thread->number == 0) {
        header->flags |= LP_KNOWS_WAITS_FOR_CORES;
        header->without_core += (uint64_t)record->without;
    }
    thread->machine = now;
    commit(thread, thread->used + sizeof *record);
}

void lp_begin_samples(struct lp_thread *thread)
{
    thread->machine = lp_read_machine(&thread->waits);
    thread->next_sample = lp_now() + sample_every;
}

void lp_end_samples(struct lp_thread *thread)
{
    thread->last = lp_read_machine(&thread->waits);
    thread->is_measured = true;
}

static void put_thread_start(const struct lp_thread *thread, int64_t time)
{
    struct lp_thread_start start = {.thread = thread->number, .time = time};
    start.tid = (uint32_t)syscall(SYS_gettid);
    prctl(PR_GET_NAME, start.name, 0, 0, 0);
    lp_append(LP_THREAD, &start, sizeof start);
}

static struct lp_thread *make_thread(void)
{
    struct lp_thread *thread = lp_is_child() ? NULL : calloc(1, sizeof *thread);
    if (!thread) return NULL;
    const int64_t begin = lp_now();
    pthread_mutex_lock(&lp_recording.lock);
    thread->number = lp_recording.thread_count;
    thread->area = take_area(thread->number);
    if (!thread->area) {
        pthread_mutex_unlock(&lp_recording.lock);
        free(thread);
        return NULL;
    }
    ++lp_recording.thread_count;
    thread->records = (unsigned char *)(thread->area + 1);
    thread->capacity = lp_frame_of(thread->area)->length - sizeof(struct lp_area);
    thread->next = lp_recording.threads;
    lp_recording.threads = thread;
    put_thread_start(thread, begin);
    lp_recording.file.header->threads = lp_recording.thread_count;
    pthread_mutex_unlock(&lp_recording.lock);
    thread->waits = thread->number < most_files ? lp_open_machine() : (struct lp_own_file){.fd = -1};
    thread->machine = lp_read_machine(&thread->waits);
    thread->next_sample = begin + sample_every;
    own_thread = thread;
    pthread_setspecific(thread_key, thread);
    return thread;
}

struct lp_thread *lp_this_thread(void)
{
    if (own_thread || state() < LP_STATE_PAUSED) return own_thread;
    return make_thread();
}

// When a thread ends, what it recorded becomes a chunk, and its area is free for the next thread.
static void end_thread(void *ended)
{
    struct lp_thread *thread = ended;
    own_thread = NULL;
    atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (state() < LP_STATE_PAUSED || lp_is_child()) {
        atomic_store_explicit(&thread->busy, 0, memory_order_release);
        return;  // recording is over: lp_close packs it
    }
    pthread_mutex_lock(&lp_recording.lock);
    lp_put_sample(thread);
    lp_disown(&thread->waits);
    const bool packed = lp_pack_area(thread);
    atomic_store_explicit(&thread->busy, 0, memory_order_release);
    if (packed && lp_recording.free_area_count < 64) {
        lp_recording.free_areas[lp_recording.free_area_count++] = thread->area;
        lp_recording.record_count += thread->record_count;
        lp_recording.call_count += thread->call_count;
        struct lp_thread **link = &lp_recording.threads;
        while (*link != thread) link = &(*link)->next;
        *link = thread->next;
        lp_free_stacks(thread->stacks);
        free(thread);
    }
    pthread_mutex_unlock(&lp_recording.lock);
}

void lp_prepare_threads(void) { pthread_key_create(&thread_key, end_thread); }

// False if recording is off, or if this is a signal handler that interrupted the thread while it put a record.
static inline bool begin_put(struct lp_thread *thread)
{
    if (!thread) return false;
    if (atomic_load_explicit(&thread->busy, memory_order_relaxed) != 0) return false;
    atomic_store_explicit(&thread->busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);  // lp_close makes it a full one (membarrier)
    if (state() >= LP_STATE_PAUSED) return true;
    if (state() == LP_STATE_STOPPED) __atomic_fetch_add(&lp_recording.file.header->lost, 1, __ATOMIC_RELAXED);
    atomic_store_explicit(&thread->busy, 0, memory_order_release);
    return false;
}

static inline void end_put(struct lp_thread *thread) { atomic_store_explicit(&thread->busy, 0, memory_order_release); }

static inline struct lp_thread *self(void) { return own_thread ? own_thread : lp_this_thread(); }

static __attribute__((noinline)) bool flush(struct lp_thread *thread)
{
    if (lp_is_child()) return false;
    const int64_t begin = lp_now();
    pthread_mutex_lock(&lp_recording.lock);
    const bool packed = lp_pack_area(thread);
    pthread_mutex_unlock(&lp_recording.lock);
    thread->can_join = false;
    thread->next_sample = 0;
    if (thread->own_begin == 0) thread->own_begin = begin;
    thread->own_end = lp_now();
    return packed;
}

// Makes room for `bytes` and a record of the recorder's own work after them; null if recording stopped.
static inline void *room_for(struct lp_thread *thread, uint64_t bytes)
{
    if (thread->used + bytes + sizeof(struct lp_own_record) > thread->capacity && !flush(thread)) return NULL;
    return thread->records + thread->used;
}

// Records the flush that made room.
static __attribute__((noinline)) void put_flush(struct lp_thread *thread)
{
    struct lp_own_record *own = (void *)(thread->records + thread->used);
    *own = (struct lp_own_record){.type = LP_OWN_RECORD,
                                  .work = LP_OWN_FLUSH,
                                  .begin = thread->own_begin,
                                  .end = thread->own_end};
    if (lp_recording.own_work) lp_recording.own_work(thread->own_end - thread->own_begin);
    thread->own_begin = 0;
    commit(thread, thread->used + sizeof *own);
    thread->can_join = false;
}

// A flush that lies before what happened at `time`. Room for its record is kept (room_for).
static inline void put_flush_before(struct lp_thread *thread, int64_t time)
{
    if (thread->own_begin != 0 && thread->own_end <= time) put_flush(thread);
}

// A flush after what ended at `time`: polls are put when the call after them has ended, and what of their flush lies
// within that call is the call's.
static inline void put_flush_after(struct lp_thread *thread, int64_t time)
{
    if (thread->own_begin == 0) return;
    if (thread->own_begin < time) thread->own_begin = time;
    if (thread->own_begin <= thread->own_end) put_flush(thread);
    else thread->own_begin = 0;
}

static void note_call(struct lp_thread *thread, uint16_t call)
{
    thread->seen[call % 512] = true;
    __atomic_fetch_or(&lp_recording.file.header->used_calls[call / 64 % 8], 1ull << call % 64, __ATOMIC_RELAXED);
}

static void put_completion(struct lp_completion_record *record, const struct lp_completion *done)
{
    *record = (struct lp_completion_record){.type = (uint8_t)(LP_FIRST_COMPLETION + done->kind),
                                            .request = done->request,
                                            .comm = done->comm,
                                            .peer = done->peer,
                                            .tag = done->tag,
                                            .bytes = done->bytes};
}

// Puts more completions than an area has room for.
static __attribute__((noinline)) void put_many(struct lp_thread *thread, const struct lp_completion *completions,
                                               int count)
{
    for (int i = 0; i < count; ++i) {
        struct lp_completion_record *record = room_for(thread, sizeof *record);
        if (!record) return;
        put_completion(record, &completions[i]);
        commit(thread, thread->used + sizeof *record);
    }
}

void lp_put_call(const struct lp_call *call, const struct lp_completion *completions, int count)
{
    struct lp_thread *thread = self();
    if (!begin_put(thread)) return;
    const int64_t threshold = lp_recording.threshold;
    const bool second = has_second[call->call % LP_CALL_COUNT];
    const uint64_t size = second ? sizeof(struct lp_call2_record) : sizeof(struct lp_call_record);
    const uint64_t all = size + (uint64_t)count * sizeof(struct lp_completion_record);
    const bool many = all > thread->capacity / 2;
    put_flush_before(thread, call->begin);
    struct lp_call_record *record = room_for(thread, many ? size : all);
    if (!record) {
        end_put(thread);
        return;
    }
    const bool join = thread->can_join && call->begin - thread->last_end < threshold;
    *record = (struct lp_call_record){.type = (uint8_t)((second ? LP_CALL2_RECORD : LP_CALL_RECORD) + (join ? 2 : 0)),
                                      .call = call->call,
                                      .comm = call->comm,
                                      .begin = call->begin,
                                      .end = call->end,
                                      .peer = call->peer,
                                      .tag = call->tag,
                                      .bytes = call->bytes,
                                      .request = call->request,
                                      .stack = call->stack};
    if (second) {
        struct lp_call2_record *wide = (void *)record;
        wide->peer2 = call->peer2;
        wide->tag2 = call->tag2;
        wide->bytes2 = call->bytes2;
    }
    if (!many) {
        struct lp_completion_record *behind = (void *)((unsigned char *)record + size);
        for (int i = 0; i < count; ++i) put_completion(behind + i, &completions[i]);
    }
    thread->last_end = call->end;
    thread->can_join = threshold > 0;
    ++thread->call_count;
    if (!thread->seen[call->call % 512]) note_call(thread, call->call);
    commit(thread, thread->used + (many ? size : all));
    thread->area->open_call = 0;
    if (many) put_many(thread, completions, count);
    put_flush_after(thread, call->end);
    if (call->end >= thread->next_sample) lp_put_sample(thread);
    end_put(thread);
    if (lp_recording.keeps) lp_keep_call(call, completions, count);
}

void lp_put_region(bool enter, uint32_t region, int64_t time)
{
    struct lp_thread *thread = self();
    if (state() == LP_STATE_PAUSED || !begin_put(thread)) return;
    put_flush_before(thread, time);
    struct lp_region_record *record = room_for(thread, sizeof *record);
    if (record) {
        *record = (struct lp_region_record){.type = enter ? LP_ENTER_RECORD : LP_LEAVE_RECORD,
                                            .region = region,
                                            .time = time};
        commit(thread, thread->used + sizeof *record);
        thread->can_join = false;
        put_flush_after(thread, time);
    }
    end_put(thread);
}

void lp_put_own_work(int64_t begin, int64_t end)
{
    struct lp_thread *thread = self();
    if (!begin_put(thread)) return;
    put_flush_before(thread, begin);
    if (room_for(thread, sizeof(struct lp_own_record))) {
        if (thread->own_begin == 0 || begin < thread->own_begin) thread->own_begin = begin;
        thread->own_end = end;
        put_flush(thread);
    }
    end_put(thread);
}

void lp_put_failed_polls(uint16_t call, int64_t count, int64_t time)
{
    struct lp_thread *thread = self();
    if (!begin_put(thread)) return;
    put_flush_before(thread, time);
    struct lp_polls_record *record = room_for(thread, sizeof *record);
    if (record) {
        *record = (struct lp_polls_record){.type = LP_POLLS_RECORD, .call = call, .time = time, .count = count};
        commit(thread, thread->used + sizeof *record);
        if (!thread->seen[call % 512]) note_call(thread, call);
        __atomic_fetch_add(&lp_recording.file.header->polls, (uint64_t)count, __ATOMIC_RELAXED);
        thread->can_join = false;  // a flush waits for what comes next, which may have begun before
    }
    end_put(thread);
}

void lp_put_polling(const struct lp_polling_loop *loop)
{
    struct lp_thread *thread = self();
    if (!begin_put(thread)) return;
    put_flush_before(thread, loop->begin);
    struct lp_polling_record *record = room_for(thread, sizeof *record);
    if (record) {
        *record = (struct lp_polling_record){.type = LP_POLLING_RECORD,
                                             .is_ended = loop->is_ended,
                                             .call = loop->call,
                                             .count = loop->count,
                                             .begin = loop->begin,
                                             .end = loop->end,
                                             .stack = loop->stack};
        commit(thread, thread->used + sizeof *record);
        if (!thread->seen[loop->call % 512]) note_call(thread, loop->call);
        thread->can_join = false;
    }
    end_put(thread);
}

void lp_switch(bool on, int64_t time)
{
    int was = on ? LP_STATE_PAUSED : LP_STATE_ON;
    if (!atomic_compare_exchange_strong(&lp_recording.state, &was, on ? LP_STATE_ON : LP_STATE_PAUSED)) return;
    struct lp_thread *thread = self();
    if (!begin_put(thread)) return;
    put_flush_before(thread, time);
    struct lp_region_record *record = room_for(thread, sizeof *record);
    if (record) {
        *record = (struct lp_region_record){.type = LP_SWITCH_RECORD, .region = on, .time = time};
        commit(thread, thread->used + sizeof *record);
        thread->can_join = false;
        put_flush_after(thread, time);
    }
    end_put(thread);
}
