// SPDX-License-Identifier: GPL-3.0-or-later
// Call stacks of MPI calls, each distinct one with a number. A stack that was unwound once is known by where its return
// addresses stand: it is the same as long as each of them still stands there. Others are unwound: those of functions
// with arrays of no fixed size on the stack lie elsewhere each time, and a stack that the program itself made may be
// gone when one looks at where they stood.
#define _GNU_SOURCE
#include "recorder/storage/framerules.h"
#include "recorder/storage/process.h"
#include "recorder/storage/python.h"

#include <stdlib.h>
#include <string.h>

#include <unwind.h>

enum {
    most_tries = 32,
    bucket_count = 512,
    block_bytes = 64 << 10,
    most_blocks = 64,
    most_stacks = 1 << 18,
    deepest = 128
};

// Of all functions below the same caller, which is at the same place with the same frame pointer, the next is the same.
// Most code has no frame pointer, but a variable in its register: when a stack was found alike with two values, no
// function of it is found by that register.
struct known_stack {
    struct known_stack *next;
    uintptr_t caller, frame_pointer;
    bool has_frame_pointer;
    const uintptr_t *at;
    uint32_t number, count;
    struct lp_return places[];  // of the callers' return addresses, the next one first
};

// Stacks that end in lines of Python, by all that they consist of.
enum { python_stack_count = 512 };
struct python_stack {
    uint64_t hash;
    uint32_t number;
};

struct lp_known_stacks {
    bool is_busy, has_no_rules;
    struct python_stack python[python_stack_count];
    struct lp_frame_rules *rules;
    struct known_stack *buckets[bucket_count];
    char *blocks[most_blocks];
    size_t block_count, current, used;  // used: of the block `current`
};

// The numbers of all threads' stacks, by hash; under the recording's lock.
static struct {
    struct numbered {
        uint64_t hash;
        uint32_t number;  // 0: the slot is free
    } * slots;
    size_t room, count;
    unsigned module_lists;
} numbers;

// What a function's frame begins with.
struct frame {
    uintptr_t frame_pointer;  // the caller's
    uintptr_t caller;         // where the function returns to
};

static struct lp_known_stacks *own_stacks(void)
{
    struct lp_thread *thread = lp_this_thread();
    if (!thread) return NULL;
    if (!thread->stacks) thread->stacks = calloc(1, sizeof *thread->stacks);
    return thread->stacks;
}

void lp_free_stacks(struct lp_known_stacks *stacks)
{
    if (!stacks) return;
    for (size_t i = 0; i < stacks->block_count; ++i) free(stacks->blocks[i]);
    lp_frame_rules_free(stacks->rules);
    free(stacks);
}

static inline struct known_stack **bucket_of(struct lp_known_stacks *stacks, const struct frame *frame)
{
    const uint64_t mixed = ((uintptr_t)frame ^ frame->caller * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
    return &stacks->buckets[mixed >> 55];
}

static inline bool stands(const struct known_stack *stack)
{
    for (const struct lp_return *place = stack->places, *end = place + stack->count; place < end; ++place)
        if (*place->at != place->address) return false;
    return true;
}

// The known stack at that frame, which comes to the front of its bucket; null if there is none.
static inline const struct known_stack *find(struct lp_known_stacks *stacks, const struct frame *frame)
{
    struct known_stack **bucket = bucket_of(stacks, frame);
    int tries = 0;  // those that are never at the front are not worth a look
    for (struct known_stack **link = bucket; *link && tries < most_tries; link = &(*link)->next, ++tries) {
        struct known_stack *stack = *link;
        if (stack->at != &frame->caller || stack->caller != frame->caller) continue;
        if (stack->has_frame_pointer && stack->frame_pointer != frame->frame_pointer) continue;
        if (!stands(stack)) continue;
        *link = stack->next;
        stack->next = *bucket;
        return *bucket = stack;
    }
    return NULL;
}

struct unwinding {
    const struct lp_frame_rules *rules;
    const uintptr_t *first;  // where the first return address stands
    struct lp_return places[deepest];
    unsigned count, most;
    bool can_be_known;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *taken)
{
    struct unwinding *unwinding = taken;
    // A return address stands below what its function's caller has on the stack.
    const uintptr_t *at = (const uintptr_t *)_Unwind_GetCFA(context) - 1;
    const uintptr_t address = _Unwind_GetIP(context);
    if (address == 0) return _URC_END_OF_STACK;
    if (unwinding->count == 0 && at != unwinding->first) return _URC_NO_REASON;
    if (unwinding->count == unwinding->most) return _URC_END_OF_STACK;
    unwinding->can_be_known = unwinding->can_be_known && lp_is_on_own_stack(unwinding->rules, at)
                              && *at == address;  // it is not where a signal came in between
    unwinding->places[unwinding->count++] = (struct lp_return){at, address};
    return _URC_NO_REASON;
}

static unsigned walk(struct lp_known_stacks *stacks, struct unwinding *unwinding, const struct frame *frame)
{
    if (!stacks->rules && !stacks->has_no_rules) {
        stacks->rules = lp_frame_rules_new();
        stacks->has_no_rules = !stacks->rules;
    }
    if (!stacks->rules) return 0;
    return lp_walk_frames(stacks->rules, &frame->caller, frame->frame_pointer, unwinding->places, unwinding->most);
}

static void unwind(struct lp_known_stacks *stacks, struct unwinding *unwinding, const struct frame *frame)
{
    unwinding->first = &frame->caller;
    unwinding->most = lp_recording.stack_depth < deepest ? lp_recording.stack_depth : deepest;
    unwinding->can_be_known = true;
    if ((unwinding->count = walk(stacks, unwinding, frame)) > 0) return;
    unwinding->rules = stacks->rules;  // none but on x86-64: return addresses stand elsewhere
    _Unwind_Backtrace(take_frame, unwinding);
    if (unwinding->count > 0) return;
    unwinding->can_be_known = false;
    unwinding->places[unwinding->count++] = (struct lp_return){&frame->caller, frame->caller};
}

static bool grow_numbers(void)
{
    const size_t room = numbers.room == 0 ? 1024 : 2 * numbers.room;
    struct numbered *slots = calloc(room, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < numbers.room; ++i) {
        if (numbers.slots[i].number == 0) continue;
        size_t at = numbers.slots[i].hash % room;
        while (slots[at].number != 0) at = (at + 1) % room;
        slots[at] = numbers.slots[i];
    }
    free(numbers.slots);
    numbers.slots = slots;
    numbers.room = room;
    return true;
}

static void append_stack(uint32_t number, const uint64_t *addresses, uint32_t count)
{
    struct {
        struct lp_stack_head head;
        uint64_t addresses[deepest];
    } frame = {.head = {.stack = number, .count = count}};
    memcpy(frame.addresses, addresses, count * sizeof *addresses);
    lp_append(LP_STACKS, &frame, sizeof frame.head + count * sizeof *addresses);
    if (numbers.module_lists >= 1000 || !lp_has_new_modules()) return;
    ++numbers.module_lists;
    lp_put_modules();
}

// The number of the stack, which is written down if it is a new one; 0 if there are too many.
static uint32_t number_of_addresses(const uint64_t *addresses, unsigned count)
{
    const uint64_t hash = lp_checksum(addresses, count * sizeof *addresses, 0);
    uint32_t number = 0;
    pthread_mutex_lock(&lp_recording.lock);
    if (2 * numbers.count < numbers.room || grow_numbers()) {
        size_t at = hash % numbers.room;
        while (numbers.slots[at].number != 0 && numbers.slots[at].hash != hash) at = (at + 1) % numbers.room;
        number = numbers.slots[at].number;
        if (number == 0 && numbers.count < most_stacks) {
            number = (uint32_t)++numbers.count;
            numbers.slots[at] = (struct numbered){hash, number};
            append_stack(number, addresses, count);
        }
    }
    pthread_mutex_unlock(&lp_recording.lock);
    return number;
}

static uint32_t number_of(const struct unwinding *unwinding)
{
    uint64_t addresses[deepest];
    for (unsigned i = 0; i < unwinding->count; ++i) addresses[i] = unwinding->places[i].address;
    return number_of_addresses(addresses, unwinding->count);
}

// Memory for a known stack. When all is used, everything known is forgotten.
static struct known_stack *room_for(struct lp_known_stacks *stacks, unsigned count)
{
    const size_t bytes = sizeof(struct known_stack) + count * sizeof(struct lp_return);
    if (stacks->block_count == 0 || stacks->used + bytes > block_bytes) {
        if (stacks->block_count > 0) ++stacks->current;
        stacks->used = 0;
        if (stacks->current == most_blocks) {
            memset(stacks->buckets, 0, sizeof stacks->buckets);
            stacks->current = 0;
        }
        if (stacks->current == stacks->block_count) {
            char *block = malloc(block_bytes);
            if (!block) {
                if (stacks->current > 0) --stacks->current;
                stacks->used = block_bytes;
                return NULL;
            }
            stacks->blocks[stacks->block_count++] = block;
        }
    }
    struct known_stack *stack = (void *)(stacks->blocks[stacks->current] + stacks->used);
    stacks->used += bytes;
    return stack;
}

// The known one that is the same but for the frame pointer.
static struct known_stack *find_alike(struct lp_known_stacks *stacks, const struct frame *frame,
                                      const struct unwinding *unwinding, uint32_t number)
{
    int tries = 0;
    struct known_stack *stack = *bucket_of(stacks, frame);
    for (; stack && tries < most_tries; stack = stack->next, ++tries)
        if (stack->number == number && stack->at == &frame->caller && stack->count == unwinding->count - 1
            && memcmp(stack->places, unwinding->places + 1, stack->count * sizeof *stack->places) == 0)
            return stack;
    return NULL;
}

static void remember(struct lp_known_stacks *stacks, const struct frame *frame, const struct unwinding *unwinding,
                     uint32_t number)
{
    struct known_stack *alike = find_alike(stacks, frame, unwinding, number);
    if (alike) {
        alike->has_frame_pointer = false;
        return;
    }
    struct known_stack *stack = room_for(stacks, unwinding->count - 1);
    if (!stack) return;
    struct known_stack **bucket = bucket_of(stacks, frame);
    *stack = (struct known_stack){.next = *bucket,
                                  .caller = frame->caller,
                                  .frame_pointer = frame->frame_pointer,
                                  .has_frame_pointer = true,
                                  .at = &frame->caller,
                                  .number = number,
                                  .count = unwinding->count - 1};
    memcpy(stack->places, unwinding->places + 1, stack->count * sizeof *stack->places);
    *bucket = stack;
}

static __attribute__((noinline)) uint32_t new_stack(struct lp_known_stacks *stacks, const struct frame *frame)
{
    struct unwinding unwinding;
    unwind(stacks, &unwinding, frame);
    const uint32_t number = number_of(&unwinding);
    if (number != 0 && unwinding.can_be_known) remember(stacks, frame, &unwinding, number);
    return number;
}

// The stack with the lines of Python in the place of mpi4py and of the interpreter that runs them; as it is where these
// are not known.
static uint32_t with_python(struct lp_known_stacks *stacks, const struct frame *frame, uint32_t number)
{
    uint64_t addresses[2 * deepest];
    uint64_t *places = addresses + deepest;
    const unsigned found = lp_python_places(places, deepest, frame->caller);
    if (found == 0 || number == 0) return number;
    const uint64_t hash = lp_checksum(places, found * sizeof *places, number);
    struct python_stack *known = &stacks->python[hash % python_stack_count];
    if (known->hash == hash && known->number != 0) return known->number;
    struct unwinding unwinding;
    unwind(stacks, &unwinding, frame);
    unsigned count = 0;
    for (unsigned i = 0; i < unwinding.count && !lp_is_interpreter(unwinding.places[i].address); ++i)
        if (!lp_is_binding(unwinding.places[i].address)) addresses[count++] = unwinding.places[i].address;
    for (unsigned i = 0; i < found && count < unwinding.most; ++i) addresses[count++] = places[i];
    const uint32_t all = number_of_addresses(addresses, count);
    *known = (struct python_stack){hash, all};
    return all;
}

uint32_t lp_stack(const void *frame)
{
    if (lp_recording.stack_depth == 0 || !frame) return 0;
    struct lp_known_stacks *stacks = own_stacks();
    if (!stacks || stacks->is_busy) return 0;  // busy: in a signal handler
    stacks->is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    const struct known_stack *known = find(stacks, frame);
    uint32_t number = known ? known->number : new_stack(stacks, frame);
    if (lp_python_is_there()) number = with_python(stacks, frame, number);
    atomic_signal_fence(memory_order_seq_cst);
    stacks->is_busy = false;
    return number;
}
