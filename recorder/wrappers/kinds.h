// SPDX-License-Identifier: GPL-3.0-or-later
// What wrap_c.c and fortran/wrap.c have in common about the arguments in wrappers.def. An argument is (kind, name), or
// (UNUSED, kind, name) if the note does not get it.
#ifndef LONGPOLE_RECORDER_KINDS_H
#define LONGPOLE_RECORDER_KINDS_H

#include "recorder/wrappers/each.h"

#define NAME_OF_2(kind, name) name
#define NAME_OF_3(unused, kind, name) name
#define PICK_NAME(_1, _2, _3, name_of, ...) name_of
#define PASS(...) PICK_NAME(__VA_ARGS__, NAME_OF_3, NAME_OF_2, )(__VA_ARGS__)

// What is done before the call: for most kinds nothing.
#define BEFORE(kind, ...) BEFORE_##kind(__VA_ARGS__)
#define BEFORE_UNUSED(kind, name)
#define BEFORE_INT(name)
#define BEFORE_LARGE(name)
#define BEFORE_COUNT(name)
#define BEFORE_COUNTS(name)
#define BEFORE_SENT(name)
#define BEFORE_FLAG(name)
#define BEFORE_TYPE(name)
#define BEFORE_TYPES(name)
#define BEFORE_COMM(name)
#define BEFORE_NEW_COMM(name)
#define BEFORE_REQUEST(name)
#define BEFORE_NEW_MESSAGE(name)
#define BEFORE_WIN(name)
#define BEFORE_GROUP(name)
#define BEFORE_NEW_WIN(name)

// What the note gets.
#define VALUE(kind, ...) VALUE_##kind(__VA_ARGS__)
#define VALUE_UNUSED(kind, name)

// Macros without arguments, for the end of a list.
#define NOTHING()
#define NO_REQUEST() , MPI_REQUEST_NULL

#endif
