// SPDX-License-Identifier: GPL-3.0-or-later
// Names of functions from the symbol tables of an ELF file, static ones too. Used by the recorder and by the importer.
#ifndef LONGPOLE_RECORDER_SYMBOLS_H
#define LONGPOLE_RECORDER_SYMBOLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lp_symbols;

// Null if there is no such file, or it is no 64-bit ELF file of this machine's byte order. O(n log n) for n functions.
struct lp_symbols *lp_symbols_open(const char *path);
void lp_symbols_close(struct lp_symbols *symbols);
// The name of the function in which `value` (an address less the module's base) lies; null if there is none. Valid as
// long as `symbols`.
const char *lp_symbols_find(const struct lp_symbols *symbols, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
