// SPDX-License-Identifier: GPL-3.0-or-later
// By the functions that Python (3.9 and later) has for frames, which are looked up: no Python is needed to build this
// or to load it. What a place stands for is written down once.
#define _GNU_SOURCE
#include "recorder/storage/python.h"

#include "recorder/storage/process.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { slots = 1 << 13, most_places = 1 << 12, longest_text = 1024 };

typedef struct object object;  // PyObject and all that is one

// Of Python. Those behind PyFrame_GetLasti must be there.
// clang-format off
#define LP_PYTHON(LP_ROW) \
    LP_ROW(int, PyFrame_GetLasti, (object *)) \
    LP_ROW(object *, PyEval_GetFrame, (void)) \
    LP_ROW(object *, PyFrame_GetBack, (object *)) \
    LP_ROW(object *, PyFrame_GetCode, (object *)) \
    LP_ROW(int, PyFrame_GetLineNumber, (object *)) \
    LP_ROW(int, PyGILState_Check, (void)) \
    LP_ROW(int, PyGILState_Ensure, (void)) \
    LP_ROW(void *, PyGILState_GetThisThreadState, (void)) \
    LP_ROW(void, PyGILState_Release, (int)) \
    LP_ROW(void *, PyInterpreterState_Get, (void)) \
    LP_ROW(void *, PyInterpreterState_ThreadHead, (void *)) \
    LP_ROW(void *, PyThreadState_Next, (void *)) \
    LP_ROW(object *, PyObject_GetAttrString, (object *, const char *)) \
    LP_ROW(void, PyErr_Clear, (void)) \
    LP_ROW(void, PyErr_Fetch, (object **, object **, object **)) \
    LP_ROW(void, PyErr_Restore, (object *, object *, object *)) \
    LP_ROW(const char *, PyUnicode_AsUTF8, (object *)) \
    LP_ROW(void, Py_DecRef, (object *)) \
    LP_ROW(int, Py_IsInitialized, (void))
// clang-format on
static struct {
#define LP_ROW(result, name, arguments) result(*name) arguments;
    LP_PYTHON(LP_ROW)
#undef LP_ROW
} python;

// Where code lies: the interpreter, mpi4py, once it has called, and who else has called last.
struct range {
    uintptr_t begin, end;
};
static struct range interpreter, binding, stranger;

// What was met, by code and place in it; under Python's lock. The code is kept.
static struct place {
    object *code;
    int at, line;
    uint64_t address;
} * places;
static unsigned place_count;

static bool isIn(struct range range, uintptr_t address) { return address - range.begin < range.end - range.begin; }

struct search {
    uintptr_t address;
    struct range found;
};

static int find_range(struct dl_phdr_info *library, size_t size, void *searched)
{
    (void)size;
    struct search *search = searched;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        if (library->dlpi_phdr[i].p_type != PT_LOAD) continue;
        const uintptr_t begin = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
        search->found = (struct range){begin, begin + library->dlpi_phdr[i].p_memsz};
        if (isIn(search->found, search->address)) return 1;
    }
    search->found = (struct range){0, 0};
    return 0;
}

// The part of a library that an address lies in.
static struct range range_of(uintptr_t address)
{
    struct search search = {.address = address};
    dl_iterate_phdr(find_range, &search);
    return search.found;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_there;

static void look_for_python(void)
{
    void *found;
#define LP_ROW(result, name, arguments) found = dlsym(RTLD_DEFAULT, #name), memcpy(&python.name, &found, sizeof found);
    LP_PYTHON(LP_ROW)
#undef LP_ROW
    is_there = true;
    void *const *all = (void *const *)&python;
    for (size_t i = 1; i < sizeof python / sizeof *all; ++i) is_there = is_there && all[i];
    if (!is_there) return;
    interpreter = range_of((uintptr_t)python.PyEval_GetFrame);
    places = calloc(slots, sizeof *places);
    is_there = places != NULL;
}

bool lp_python_is_there(void)
{
    pthread_once(&once, look_for_python);
    return is_there;
}

bool lp_is_interpreter(uint64_t address) { return isIn(interpreter, (uintptr_t)address); }

bool lp_is_binding(uint64_t address) { return isIn(binding, (uintptr_t)address); }

// A text that belongs to an object, cut if it is too long.
static bool text_of(object *of, const char *name, char *text)
{
    object *value = python.PyObject_GetAttrString(of, name);
    const char *utf8 = value ? python.PyUnicode_AsUTF8(value) : NULL;
    if (utf8) snprintf(text, longest_text, "%s", utf8);
    else python.PyErr_Clear();
    if (value) python.Py_DecRef(value);
    return utf8 != NULL;
}

static size_t padded(size_t length) { return (length + 7) / 8 * 8; }

static void write_down(const struct place *place)
{
    char function[longest_text] = "", file[longest_text] = "";
    object *error, *value, *trace;  // an exception may be on its way while MPI is called, by what is cleaned up
    python.PyErr_Fetch(&error, &value, &trace);
    if (!text_of(place->code, "co_qualname", function)) text_of(place->code, "co_name", function);
    text_of(place->code, "co_filename", file);
    python.PyErr_Restore(error, value, trace);
    char path[2 * longest_text + 2] = "";
    if (file[0] != '/' && file[0] != '<' && getcwd(path, longest_text)) strcat(path, "/");
    strcat(path, file);
    struct {
        struct lp_place_head head;
        char text[4 * longest_text];
    } frame = {.head = {.address = place->address,
                        .line = (uint32_t)(place->line < 0 ? 0 : place->line),
                        .name_length = (uint32_t)strlen(function),
                        .file_length = (uint32_t)strlen(path)}};
    memcpy(frame.text, function, frame.head.name_length);
    memcpy(frame.text + padded(frame.head.name_length), path, frame.head.file_length);
    pthread_mutex_lock(&lp_recording.lock);
    lp_append(LP_PLACES, &frame, sizeof frame.head + padded(frame.head.name_length) + padded(frame.head.file_length));
    pthread_mutex_unlock(&lp_recording.lock);
}

// The same line of the same code is one place, wherever in it.
static uint64_t address_of(object *code, int line)
{
    static uint64_t next;
    for (unsigned slot = 0; slot < slots; ++slot)
        if (places[slot].code == code && places[slot].line == line) return places[slot].address;
    return LP_FIRST_PLACE + next++;
}

// 0: there are too many.
static uint64_t new_place(struct place *place, object *frame, object *code, int at)
{
    if (place_count == most_places) return 0;
    ++place_count;
    const int line = python.PyFrame_GetLineNumber(frame);
    const uint64_t address = address_of(code, line);
    bool isNew = true;
    for (unsigned slot = 0; isNew && slot < slots; ++slot) isNew = places[slot].address != address;
    *place = (struct place){code, at, line, address};
    if (isNew) write_down(place);
    return address;
}

static uint64_t place_of(object *frame)
{
    object *code = python.PyFrame_GetCode(frame);
    const int at = python.PyFrame_GetLasti ? python.PyFrame_GetLasti(frame) : python.PyFrame_GetLineNumber(frame);
    const uint64_t mixed = ((uint64_t)(uintptr_t)code ^ (uint64_t)(unsigned)at << 48) * 0x9e3779b97f4a7c15ull;
    struct place *place = &places[mixed >> 51];
    while (place->code && (place->code != code || place->at != at))
        place = place + 1 < places + slots ? place + 1 : places;
    const bool isKnown = place->code != NULL;
    const uint64_t address = isKnown ? place->address : new_place(place, frame, code, at);
    // A place keeps its code, so that no other code gets its address.
    if (isKnown || address == 0) python.Py_DecRef(code);
    return address;
}

static unsigned places_of_frames(uint64_t *found, unsigned most)
{
    unsigned count = 0;
    object *frame = python.PyEval_GetFrame(), *kept = NULL;
    while (frame && count < most) {
        const uint64_t address = place_of(frame);
        if (address) found[count++] = address;
        object *back = python.PyFrame_GetBack(frame);
        if (kept) python.Py_DecRef(kept);
        frame = kept = back;
    }
    if (kept) python.Py_DecRef(kept);
    return count;
}

static bool has_several_threads(void)
{
    void *first = python.PyInterpreterState_ThreadHead(python.PyInterpreterState_Get());
    return first && python.PyThreadState_Next(first);
}

// Whether it is mpi4py that has called.
static bool is_binding(uintptr_t caller)
{
    if (isIn(binding, caller)) return true;
    Dl_info library;
    if (binding.end != 0 || isIn(stranger, caller) || !dladdr((void *)caller, &library)) return false;
    const bool found = strstr(library.dli_fname, "/mpi4py/") != NULL;
    *(found ? &binding : &stranger) = range_of(caller);
    return found;
}

unsigned lp_python_places(uint64_t *found, unsigned most, uintptr_t caller)
{
    static bool has_several;
    if (!python.Py_IsInitialized() || !python.PyGILState_GetThisThreadState()) return 0;
    const bool is_next = is_binding(caller);  // to have the lock, if it does not yet
    if (python.PyGILState_Check()) return places_of_frames(found, most);
    if (__atomic_load_n(&has_several, __ATOMIC_RELAXED) || !is_next) return 0;
    const int before = python.PyGILState_Ensure();
    const unsigned count = places_of_frames(found, most);
    if (has_several_threads()) __atomic_store_n(&has_several, true, __ATOMIC_RELAXED);
    python.PyGILState_Release(before);
    return count;
}
