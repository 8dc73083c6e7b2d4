// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers region names and function addresses, and names those functions at the end.
#define _GNU_SOURCE
#include "recorder/format/symbols.h"
#include "recorder/storage/keptcalls.h"
#include "recorder/storage/process.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_functions = 1 << 16, most_regions = 1 << 16, region_slots = 1 << 17, longest_name = 1024 };

struct function_slot {
    _Atomic uintptr_t address;
    _Atomic uint32_t region;
};
static struct function_slot functions[most_functions];  // open addressing
struct region_slot {
    char *name;
    uint32_t region;
};
static struct region_slot *regions;  // open addressing with region_slots slots; under the lock
static atomic_uint region_count;

static inline size_t function_hash(uintptr_t address) { return (address * 0x9e3779b97f4a7c15ull) >> 48; }

static inline int state(void) { return atomic_load_explicit(&lp_recording.state, memory_order_relaxed); }

// Bytes that grow; a failure leaves them as they are.
struct text {
    char *bytes;
    size_t length, room;
};

static void add(struct text *text, const void *bytes, size_t length)
{
    if (text->length + length > text->room) {
        const size_t larger = 2 * (text->length + length) + 4096;
        char *grown = realloc(text->bytes, larger);
        if (!grown) return;
        text->bytes = grown;
        text->room = larger;
    }
    if (length > 0) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void add_padded(struct text *text, const void *bytes, size_t length)
{
    static const char zeros[8];
    add(text, bytes, length);
    add(text, zeros, -length % 8);
}

// With the lock held.
static void append_text(uint32_t kind, struct text *text)
{
    if (text->length > 0) lp_append(kind, text->bytes, text->length);
    free(text->bytes);
}

static void put_function(uint32_t region, uintptr_t address)
{
    const struct lp_known_function entry = {.region = region, .address = address};
    pthread_mutex_lock(&lp_recording.lock);
    lp_append(LP_FUNCTIONS, &entry, sizeof entry);
    pthread_mutex_unlock(&lp_recording.lock);
}

uint32_t lp_function(const void *address)
{
    const uintptr_t key = (uintptr_t)address;
    if (key == 0) return 0;
    for (size_t probe = 0, at = function_hash(key); probe < 64; ++probe, at = (at + 1) % most_functions) {
        struct function_slot *slot = &functions[at];
        uintptr_t found = atomic_load_explicit(&slot->address, memory_order_relaxed);
        if (found == 0) {
            if (state() < LP_STATE_MUTED) return 0;
            if (atomic_compare_exchange_strong(&slot->address, &found, key)) {
                const uint32_t region = 1 + atomic_fetch_add(&region_count, 1);
                put_function(region, key);
                atomic_store_explicit(&slot->region, region, memory_order_release);
                return region;
            }
        }
        if (found != key) continue;
        // 0 while another thread, or the code that this signal handler interrupted, is about to number it.
        return atomic_load_explicit(&slot->region, memory_order_acquire);
    }
    return 0;
}

static uint64_t name_hash(const char *name) { return lp_checksum(name, strlen(name), 0); }

static uint32_t new_region(struct region_slot *slot, const char *name)
{
    if (atomic_load(&region_count) >= most_regions) return 0;
    slot->name = strndup(name, longest_name);
    if (!slot->name) return 0;
    slot->region = 1 + atomic_fetch_add(&region_count, 1);
    struct text text = {0};
    add(&text, &slot->region, sizeof slot->region);
    add(&text, slot->name, strlen(slot->name));
    append_text(LP_REGION, &text);
    return slot->region;
}

uint32_t lp_region(const char *name)
{
    if (state() < LP_STATE_MUTED) return 0;
    char cut[longest_name + 1];
    strncpy(cut, name, longest_name);
    cut[longest_name] = 0;
    pthread_mutex_lock(&lp_recording.lock);
    if (!regions) regions = calloc(region_slots, sizeof *regions);
    uint32_t region = 0;
    for (size_t at = name_hash(cut) % region_slots; regions; at = (at + 1) % region_slots) {
        if (!regions[at].name) {
            region = new_region(&regions[at], cut);
            break;
        }
        if (strcmp(regions[at].name, cut) == 0) {
            region = regions[at].region;
            break;
        }
    }
    pthread_mutex_unlock(&lp_recording.lock);
    return region;
}

// The symbols of a module, which stay open for the next name.
static const char *symbol_of(uintptr_t address)
{
    static struct module {
        char *path;
        struct lp_symbols *symbols;
    } * modules;
    static size_t count;
    Dl_info found;
    if (!dladdr((const void *)address, &found)) return NULL;  // NOLINT(performance-no-int-to-ptr): it was one
    size_t at = 0;
    while (at < count && strcmp(modules[at].path, found.dli_fname) != 0) ++at;
    if (at == count) {
        struct module *grown = realloc(modules, (count + 1) * sizeof *modules);
        if (!grown) return NULL;
        modules = grown;
        char *path = strdup(found.dli_fname);
        if (!path) return NULL;
        modules[count++] = (struct module){path, lp_symbols_open(path)};
    }
    if (!modules[at].symbols) return NULL;
    return lp_symbols_find(modules[at].symbols, address - (uintptr_t)found.dli_fbase);
}

// Names by number; null where nobody has looked yet.
static struct {
    pthread_mutex_t lock;
    char **names;
    uint32_t room;
} named = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void keep_name(uint32_t region, const char *name)
{
    if (region == 0 || region >= named.room || named.names[region] || !name) return;
    named.names[region] = strndup(name, longest_name);
}

// Finds the names of all regions and functions that have none yet: one pass for many, and each function once.
static void find_names(void)
{
    const uint32_t room = atomic_load(&region_count) + 1;
    if (room > named.room) {
        char **grown = realloc(named.names, room * sizeof *grown);
        if (!grown) return;
        memset(grown + named.room, 0, (room - named.room) * sizeof *grown);
        named.names = grown;
        named.room = room;
    }
    pthread_mutex_lock(&lp_recording.lock);
    for (size_t at = 0; regions && at < region_slots; ++at)
        if (regions[at].name) keep_name(regions[at].region, regions[at].name);
    pthread_mutex_unlock(&lp_recording.lock);
    for (size_t at = 0; at < most_functions; ++at) {
        const uint32_t region = atomic_load_explicit(&functions[at].region, memory_order_acquire);
        if (region == 0 || region >= named.room || named.names[region]) continue;
        char number[32];
        snprintf(number, sizeof number, "region %u", region);
        const char *known = symbol_of(atomic_load_explicit(&functions[at].address, memory_order_relaxed));
        keep_name(region, known ? known : number);
    }
}

void lp_region_name(uint32_t region, char *name, size_t room)
{
    pthread_mutex_lock(&named.lock);
    if (region >= named.room || !named.names[region]) find_names();
    const char *known = region < named.room ? named.names[region] : NULL;
    if (known) snprintf(name, room, "%s", known);
    else snprintf(name, room, "region %u", region);
    pthread_mutex_unlock(&named.lock);
}

void lp_put_comm(uint32_t comm, int32_t origin, uint32_t serial, const char *name, int size, const int32_t *members)
{
    if (state() < LP_STATE_PAUSED || size < 0) return;
    struct lp_comm head = {.comm = comm,
                           .serial = serial,
                           .origin = origin,
                           .size = size,
                           .first = size > 0 ? members[0] : 0,
                           .stride = size > 1 ? members[1] - members[0] : 1};
    for (int i = 1; i < size && head.stride != 0; ++i)
        if (members[i] - members[i - 1] != head.stride) head.stride = 0;
    head.name_length = name ? (uint32_t)strnlen(name, longest_name) : 0;
    struct text text = {0};
    add(&text, &head, sizeof head);
    if (head.stride == 0) add(&text, members, (size_t)size * sizeof *members);
    add(&text, name, head.name_length);
    pthread_mutex_lock(&lp_recording.lock);
    append_text(LP_COMM, &text);
    pthread_mutex_unlock(&lp_recording.lock);
    if (lp_recording.keeps) lp_keep_comm(comm, origin, serial, name, size, members);
}

void lp_put_neighbours(uint32_t comm, int sources, int targets, const int32_t *ranks)
{
    if (state() < LP_STATE_PAUSED || sources < 0 || targets < 0) return;
    const struct lp_neighbours_head head = {.comm = comm, .sources = sources, .targets = targets};
    struct text text = {0};
    add(&text, &head, sizeof head);
    add(&text, ranks, ((size_t)sources + (size_t)targets) * sizeof *ranks);
    pthread_mutex_lock(&lp_recording.lock);
    append_text(LP_NEIGHBOURS, &text);
    pthread_mutex_unlock(&lp_recording.lock);
}

static const char *path_of(const struct dl_phdr_info *info, char *own, size_t room)
{
    if (info->dlpi_name && info->dlpi_name[0] != 0) return info->dlpi_name;
    const ssize_t length = readlink("/proc/self/exe", own, room - 1);
    own[length > 0 ? length : 0] = 0;
    return own;
}

static bool is_mapped(const struct dl_phdr_info *info, const ElfW(Phdr) * part)
{
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && part->p_vaddr >= segment->p_vaddr
            && part->p_vaddr + part->p_memsz <= segment->p_vaddr + segment->p_filesz)
            return true;
    }
    return false;
}

// The note that names the very build of a file, by which its debug information is found; its length, 0 without one.
static uint32_t find_build_id(const struct dl_phdr_info *info, const unsigned char **id)
{
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_NOTE || !is_mapped(info, part)) continue;
        const unsigned char *at = (const unsigned char *)(info->dlpi_addr + part->p_vaddr);
        for (size_t left = part->p_memsz; left >= sizeof(ElfW(Nhdr));) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3,
                         text = ((size_t)note.n_descsz + 3) & ~(size_t)3;
            if (name > left || text > left || sizeof note + name + text > left) break;
            const bool is_gnu = note.n_namesz == 4 && memcmp(at + sizeof note, "GNU", 4) == 0;
            if (is_gnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= 64) {
                *id = at + sizeof note + name;
                return note.n_descsz;
            }
            at += sizeof note + name + text;
            left -= sizeof note + name + text;
        }
    }
    return 0;
}

struct module_visit {
    void (*visit)(void *context, const struct lp_module *module, const char *path, const unsigned char *build_id);
    void *context;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    const struct module_visit *visit = context;
    char own[1024];
    const char *path = path_of(info, own, sizeof own);
    const unsigned char *build_id = NULL;
    const uint32_t build_id_length = find_build_id(info, &build_id);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
        const struct lp_module module = {.base = info->dlpi_addr,
                                         .begin = info->dlpi_addr + segment->p_vaddr,
                                         .end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz,
                                         .path_length = (uint32_t)strlen(path),
                                         .build_id_length = build_id_length};
        visit->visit(visit->context, &module, path, build_id);
    }
    return 0;
}

static void add_module(void *context, const struct lp_module *module, const char *path, const unsigned char *build_id)
{
    add(context, module, sizeof *module);
    add_padded(context, path, module->path_length);
    add_padded(context, build_id, module->build_id_length);
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;  // all say the same
}

static unsigned long long known_loads;

bool lp_has_new_modules(void)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(count_loads, &loads);
    return loads != known_loads;
}

void lp_put_modules(void)
{
    struct text text = {0};
    dl_iterate_phdr(count_loads, &known_loads);
    dl_iterate_phdr(visit_module, &(struct module_visit){add_module, &text});
    append_text(LP_MODULES, &text);
}

static void add_names(void *context, const struct lp_module *module, const char *path, const unsigned char *build_id)
{
    (void)build_id;
    struct lp_symbols *symbols = NULL;
    for (size_t at = 0; at < most_functions; ++at) {
        const uint64_t address = atomic_load_explicit(&functions[at].address, memory_order_relaxed);
        if (address < module->begin || address >= module->end) continue;
        if (!symbols) symbols = lp_symbols_open(path);
        if (!symbols) return;
        const char *name = lp_symbols_find(symbols, address - module->base);
        if (!name) continue;
        const struct lp_known_function entry = {.region = atomic_load_explicit(&functions[at].region,
                                                                               memory_order_acquire),
                                                .name_length = (uint32_t)strnlen(name, longest_name),
                                                .address = address};
        if (entry.region == 0) continue;
        add(context, &entry, sizeof entry);
        add_padded(context, name, entry.name_length);
    }
    lp_symbols_close(symbols);
}

void lp_name_functions(void)
{
    if (atomic_load(&region_count) == 0) return;
    struct text text = {0};
    dl_iterate_phdr(visit_module, &(struct module_visit){add_names, &text});
    append_text(LP_FUNCTIONS, &text);
}
