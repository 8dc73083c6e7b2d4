// SPDX-License-Identifier: GPL-3.0-or-later
// An area's records in columns, and zstd over them (chunkrecords.h): what an LP_CHUNK holds.
#ifndef LONGPOLE_RECORDER_COLUMNS_H
#define LONGPOLE_RECORDER_COLUMNS_H

#include "recorder/format/chunkrecords.h"

#include <stdbool.h>
#include <stddef.h>

struct lp_packer;

// For areas of up to `room` bytes of records; its memory is used only as far as needed. Null: no memory.
struct lp_packer *lp_packer_new(size_t room, int compression);

struct lp_packed {
    const void *bytes;  // the packer's until the next call, or the records themselves
    size_t length;
    uint32_t records;
    uint32_t coding;  // enum lp_coding
};
// Whole records, as recorded; about 20 ns a call.
struct lp_packed lp_pack(struct lp_packer *packer, const void *records, size_t used);

#endif
