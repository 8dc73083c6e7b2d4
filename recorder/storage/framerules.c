// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE
#include "recorder/storage/framerules.h"

#ifdef __x86_64__

#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Of libgcc, which knows where the tables of all that is loaded are; no header of its declares it.
struct dwarf_eh_bases {
    void *tbase, *dbase, *func;
};
extern const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);  // NOLINT(bugprone-reserved-identifier)

enum { rule_count = 4096, deepest_state = 16, rbp = 6, rsp = 7, return_column = 16 };

enum cfa_kind { CFA_UNKNOWN, CFA_RSP, CFA_RBP, CFA_AT_RBP };  // AT: it stands in memory there
enum rbp_kind { RBP_SAME, RBP_SAVED, RBP_AT_RBP, RBP_UNKNOWN };
enum rule_kind { RULE_NONE, RULE_STEP, RULE_END, RULE_UNKNOWN };  // END: nothing is known of the function

// CFA: what the stack pointer was before the function was called.
struct rule {
    uintptr_t address;
    int32_t cfa_offset, rbp_offset;  // of a saved one from the CFA
    uint8_t kind, cfa, rbp;
};

struct lp_frame_rules {
    uintptr_t stack_begin, stack_end;
    unsigned long long unloads;
    struct rule rules[rule_count];
};

struct reader {
    const uint8_t *at, *end;
    bool is_sound;
};

static uint64_t read_bytes(struct reader *reader, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < size) {
        reader->is_sound = false;
        reader->at = reader->end;
        return 0;
    }
    memcpy(&value, reader->at, size);
    reader->at += size;
    return value;
}

static uint64_t read_uleb(struct reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint64_t byte = read_bytes(reader, 1);
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    reader->is_sound = false;
    return 0;
}

static int64_t read_sleb(struct reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
        const uint64_t byte = read_bytes(reader, 1);
        value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80) continue;
        if ((byte & 0x40) && shift < 64) value |= ~UINT64_C(0) << shift;
        return (int64_t)value;
    }
    reader->is_sound = false;
    return 0;
}

static void skip(struct reader *reader, uint64_t size)
{
    if (size > (uint64_t)(reader->end - reader->at)) reader->is_sound = false;
    else reader->at += size;
}

// Bytes of a pointer in an encoding of DW_EH_PE_...; 0: not of a fixed size.
static size_t encoded_size(uint8_t encoding)
{
    if ((encoding & 0x70) == 0x50) return 0;  // aligned
    switch (encoding & 0x07) {
    case 0: return sizeof(void *);
    case 2: return 2;
    case 3: return 4;
    case 4: return 8;
    default: return 0;
    }
}

struct common {
    struct reader program;
    uint64_t code_alignment;
    int64_t data_alignment;
    uint8_t pointer_encoding;
    bool has_augmentation;
};

static struct reader entry_at(const uint8_t *entry)
{
    uint32_t length;
    memcpy(&length, entry, sizeof length);
    const bool is_plain = length > 0 && length < 0xfffffff0u;
    return (struct reader){entry + 4, entry + 4 + (is_plain ? length : 0), is_plain};
}

// What a CIE says of its FDEs.
static bool read_common(const uint8_t *entry, struct common *common)
{
    struct reader reader = entry_at(entry);
    if (read_bytes(&reader, 4) != 0) return false;
    const uint64_t version = read_bytes(&reader, 1);
    const char *augmentation = (const char *)reader.at;
    const size_t length = strnlen(augmentation, (size_t)(reader.end - reader.at));
    skip(&reader, length + 1);
    if (!reader.is_sound || (version != 1 && version != 3)) return false;
    common->code_alignment = read_uleb(&reader);
    common->data_alignment = read_sleb(&reader);
    if ((version == 1 ? read_bytes(&reader, 1) : read_uleb(&reader)) != return_column) return false;
    common->pointer_encoding = 0;
    common->has_augmentation = augmentation[0] == 'z';
    if (length > 0 && !common->has_augmentation) return false;
    if (common->has_augmentation) {
        const uint64_t size = read_uleb(&reader);
        const uint8_t *const after = reader.at + size;
        if (!reader.is_sound || size > (uint64_t)(reader.end - reader.at)) return false;
        for (const char *kind = augmentation + 1; *kind; ++kind) {
            if (*kind == 'R') common->pointer_encoding = (uint8_t)read_bytes(&reader, 1);
            else if (*kind == 'L') skip(&reader, 1);
            else if (*kind == 'P') {
                const size_t pointer = encoded_size((uint8_t)read_bytes(&reader, 1));
                if (pointer == 0) return false;
                skip(&reader, pointer);
            } else return false;  // 'S': a signal's frame
        }
        reader.at = after;
    }
    common->program = reader;
    return reader.is_sound;
}

struct state {
    int64_t cfa_offset, rbp_offset;
    uint8_t cfa, rbp;
    bool has_caller;       // the return address is not undefined
    bool is_return_plain;  // it stands below the CFA
};

// DW_OP_breg6 N, and whether DW_OP_deref follows; nothing else.
static bool is_at_rbp(struct reader block, int64_t *offset, bool is_deref)
{
    if (read_bytes(&block, 1) != 0x76) return false;
    *offset = read_sleb(&block);
    if (is_deref && read_bytes(&block, 1) != 0x06) return false;
    return block.is_sound && block.at == block.end;
}

static struct reader read_block(struct reader *reader)
{
    const uint64_t size = read_uleb(reader);
    const struct reader block = {reader->at, reader->at + size, true};
    skip(reader, size);
    return reader->is_sound ? block : (struct reader){reader->end, reader->end, false};
}

static void set_cfa(struct state *state, uint64_t column)
{
    state->cfa = column == rsp ? CFA_RSP : column == rbp ? CFA_RBP : CFA_UNKNOWN;
}

static void set_register(struct state *state, uint64_t column, uint8_t kind, int64_t offset)
{
    if (column == rbp) {
        state->rbp = kind;
        state->rbp_offset = offset;
    } else if (column == return_column) {
        state->is_return_plain = kind == RBP_SAVED && offset == -(int64_t)sizeof(void *);
    }
}

// Runs the instructions up to `address`, from `location` on; false: one of them is not known.
static bool run(struct reader program, const struct common *common, uintptr_t location, uintptr_t address,
                const struct state *initial, struct state *state)
{
    struct state kept[deepest_state];
    int depth = 0;
    while (program.is_sound && program.at < program.end && location < address) {
        const uint8_t instruction = (uint8_t)read_bytes(&program, 1);
        const uint8_t operand = instruction & 0x3f;
        uint64_t column;
        switch (instruction & 0xc0) {
        case 0x40: location += operand * common->code_alignment; continue;
        case 0x80:
            set_register(state, operand, RBP_SAVED, (int64_t)read_uleb(&program) * common->data_alignment);
            continue;
        case 0xc0:
            if (operand == rbp) {
                state->rbp = initial->rbp;
                state->rbp_offset = initial->rbp_offset;
            } else if (operand == return_column) state->is_return_plain = initial->is_return_plain;
            continue;
        default: break;
        }
        switch (instruction) {
        case 0x00: break;                                                                // nop
        case 0x02: location += read_bytes(&program, 1) * common->code_alignment; break;  // advance_loc1, 2, 4
        case 0x03: location += read_bytes(&program, 2) * common->code_alignment; break;
        case 0x04: location += read_bytes(&program, 4) * common->code_alignment; break;
        case 0x05:  // offset_extended
            column = read_uleb(&program);
            set_register(state, column, RBP_SAVED, (int64_t)read_uleb(&program) * common->data_alignment);
            break;
        case 0x06:  // restore_extended
            column = read_uleb(&program);
            if (column == rbp || column == return_column) return false;
            break;
        case 0x07:  // undefined
            column = read_uleb(&program);
            if (column == return_column) state->has_caller = false;
            else set_register(state, column, RBP_UNKNOWN, 0);
            break;
        case 0x08: set_register(state, read_uleb(&program), RBP_SAME, 0); break;  // same_value
        case 0x09:                                                                // register
            set_register(state, read_uleb(&program), RBP_UNKNOWN, 0);
            read_uleb(&program);
            break;
        case 0x0a:  // remember_state
            if (depth == deepest_state) return false;
            kept[depth++] = *state;
            break;
        case 0x0b:  // restore_state
            if (depth == 0) return false;
            *state = kept[--depth];
            break;
        case 0x0c:  // def_cfa
            set_cfa(state, read_uleb(&program));
            state->cfa_offset = (int64_t)read_uleb(&program);
            break;
        case 0x0d: set_cfa(state, read_uleb(&program)); break;               // def_cfa_register
        case 0x0e: state->cfa_offset = (int64_t)read_uleb(&program); break;  // def_cfa_offset
        case 0x0f:                                                           // def_cfa_expression
            state->cfa = is_at_rbp(read_block(&program), &state->cfa_offset, true) ? CFA_AT_RBP : CFA_UNKNOWN;
            break;
        case 0x10:    // expression
        case 0x16: {  // val_expression
            int64_t offset = 0;
            column = read_uleb(&program);
            const bool is_known = is_at_rbp(read_block(&program), &offset, false) && instruction == 0x10;
            set_register(state, column, is_known ? RBP_AT_RBP : RBP_UNKNOWN, offset);
            break;
        }
        case 0x11:  // offset_extended_sf
            column = read_uleb(&program);
            set_register(state, column, RBP_SAVED, read_sleb(&program) * common->data_alignment);
            break;
        case 0x12:  // def_cfa_sf
            set_cfa(state, read_uleb(&program));
            state->cfa_offset = read_sleb(&program) * common->data_alignment;
            break;
        case 0x13: state->cfa_offset = read_sleb(&program) * common->data_alignment; break;  // def_cfa_offset_sf
        case 0x14:                                                                           // val_offset
        case 0x15:                                                                           // val_offset_sf
            set_register(state, read_uleb(&program), RBP_UNKNOWN, 0);
            read_uleb(&program);
            break;
        case 0x2e: read_uleb(&program); break;  // GNU_args_size
        default: return false;
        }
    }
    return program.is_sound;
}

static bool fits(int64_t offset) { return offset >= -(1 << 30) && offset <= 1 << 30; }

static struct rule rule_of(uintptr_t address)
{
    struct rule rule = {.address = address, .kind = RULE_UNKNOWN};
    struct dwarf_eh_bases bases;
    const uint8_t *const entry = _Unwind_Find_FDE((void *)(address - 1), &bases);
    if (!entry) {
        rule.kind = RULE_END;
        return rule;
    }
    struct reader reader = entry_at(entry);
    const uint8_t *const common_field = reader.at;
    const uint64_t distance = read_bytes(&reader, 4);
    struct common common;
    if (!reader.is_sound || !read_common(common_field - distance, &common)) return rule;
    const size_t pointer = encoded_size(common.pointer_encoding);
    if (pointer == 0) return rule;
    skip(&reader, 2 * pointer);
    if (common.has_augmentation) skip(&reader, read_uleb(&reader));
    const struct state first = {.cfa = CFA_UNKNOWN, .rbp = RBP_SAME, .has_caller = true};
    struct state initial = first;
    const uintptr_t begin = (uintptr_t)bases.func;
    if (!reader.is_sound || !run(common.program, &common, 0, 1, &first, &initial)) return rule;
    struct state state = initial;
    if (!run(reader, &common, begin, address, &initial, &state)) return rule;
    if (!state.has_caller) {
        rule.kind = RULE_END;
        return rule;
    }
    if (state.cfa == CFA_UNKNOWN || !state.is_return_plain || !fits(state.cfa_offset) || !fits(state.rbp_offset))
        return rule;
    rule.kind = RULE_STEP;
    rule.cfa = state.cfa;
    rule.rbp = state.rbp;
    rule.cfa_offset = (int32_t)state.cfa_offset;
    rule.rbp_offset = (int32_t)state.rbp_offset;
    return rule;
}

static const struct rule *find_rule(struct lp_frame_rules *rules, uintptr_t address)
{
    struct rule *rule = &rules->rules[(address * 0x9e3779b97f4a7c15ull) >> 52];
    if (rule->address != address) *rule = rule_of(address);
    return rule;
}

static int count_unloads(struct dl_phdr_info *info, size_t size, void *counted)
{
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        *(unsigned long long *)counted = info->dlpi_subs;
    return 1;
}

// Where a library was unloaded another one may lie now.
static void forget_unloaded(struct lp_frame_rules *rules)
{
    unsigned long long unloads = 0;
    dl_iterate_phdr(count_unloads, &unloads);
    if (unloads == rules->unloads) return;
    rules->unloads = unloads;
    memset(rules->rules, 0, sizeof rules->rules);
}

struct lp_frame_rules *lp_frame_rules_new(void)
{
    pthread_attr_t attributes;
    void *begin = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return NULL;
    const bool is_known = pthread_attr_getstack(&attributes, &begin, &size) == 0;
    pthread_attr_destroy(&attributes);
    struct lp_frame_rules *rules = is_known ? calloc(1, sizeof *rules) : NULL;
    if (!rules) return NULL;
    rules->stack_begin = (uintptr_t)begin;
    rules->stack_end = (uintptr_t)begin + size;
    return rules;
}

void lp_frame_rules_free(struct lp_frame_rules *rules) { free(rules); }

// Whether a word there may be read: on the stack, beyond what was read before.
static bool is_above(const struct lp_frame_rules *rules, uintptr_t at, uintptr_t before)
{
    return at > before && at <= rules->stack_end - sizeof(uintptr_t) && at % sizeof(uintptr_t) == 0;
}

bool lp_is_on_own_stack(const struct lp_frame_rules *rules, const uintptr_t *at)
{
    return rules && is_above(rules, (uintptr_t)at, rules->stack_begin);
}

unsigned lp_walk_frames(struct lp_frame_rules *rules, const uintptr_t *at, uintptr_t frame_pointer,
                        struct lp_return *places, unsigned most)
{
    if (!lp_is_on_own_stack(rules, at)) return 0;
    forget_unloaded(rules);
    unsigned count = 0;
    while (count < most && *at != 0) {
        places[count++] = (struct lp_return){at, *at};
        const struct rule *const rule = find_rule(rules, *at);
        if (rule->kind == RULE_END) break;
        if (rule->kind != RULE_STEP) return 0;
        const uintptr_t stack_pointer = (uintptr_t)(at + 1);
        uintptr_t frame = (rule->cfa == CFA_RSP ? stack_pointer : frame_pointer)
                          + (uintptr_t)(intptr_t)rule->cfa_offset;
        if (rule->cfa == CFA_AT_RBP) {
            if (!is_above(rules, frame, (uintptr_t)at)) return 0;
            frame = *(const uintptr_t *)frame;
        }
        const uintptr_t next = frame - sizeof(uintptr_t);
        if (!is_above(rules, next, (uintptr_t)at)) return 0;
        if (rule->rbp == RBP_UNKNOWN) return 0;
        if (rule->rbp != RBP_SAME) {
            const uintptr_t base = rule->rbp == RBP_SAVED ? frame : frame_pointer;
            const uintptr_t saved = base + (uintptr_t)(intptr_t)rule->rbp_offset;
            if (!is_above(rules, saved, (uintptr_t)at)) return 0;
            frame_pointer = *(const uintptr_t *)saved;
        }
        at = (const uintptr_t *)next;
    }
    return count;
}

#else

struct lp_frame_rules *lp_frame_rules_new(void) { return NULL; }
void lp_frame_rules_free(struct lp_frame_rules *rules) { (void)rules; }
bool lp_is_on_own_stack(const struct lp_frame_rules *rules, const uintptr_t *at)
{
    (void)rules, (void)at;
    return false;
}
unsigned lp_walk_frames(struct lp_frame_rules *rules, const uintptr_t *at, uintptr_t frame_pointer,
                        struct lp_return *places, unsigned most)
{
    (void)rules, (void)at, (void)frame_pointer, (void)places, (void)most;
    return 0;
}

#endif
