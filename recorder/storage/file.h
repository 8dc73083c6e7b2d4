// SPDX-License-Identifier: GPL-3.0-or-later
// One file of a recording: a header page, and frames that are appended whole (format.h). No call raises a signal: a
// write that fails stops the recording, and the program goes on.
#ifndef LONGPOLE_RECORDER_FILE_H
#define LONGPOLE_RECORDER_FILE_H

#include "recorder/format/chunkrecords.h"
#include "recorder/storage/ownfile.h"

#include <stdbool.h>
#include <stddef.h>

struct lp_place {
    uint64_t offset, size;
};  // of a frame, with its header

// Not thread-safe: the caller holds a lock, except for `header`, whose fields have one writer each.
struct lp_file {
    struct lp_own_file own;
    char path[1400];
    struct lp_header *header;  // mapped
    uint64_t end;              // end of the last frame
    struct lp_place *frames;   // places of the written frames, in order; areas are in `areas`
    struct lp_place *areas;
    size_t frame_count, frame_room, area_count, area_room;
    int error;  // errno of the first failure, 0 if none; after it nothing is written. ESTALE: it was cut or replaced
};

// Creates the file at `path` (absolute), which must not be there. False: file->error says why.
bool lp_file_open(struct lp_file *file, const char *path, const char *magic);

// Appends a frame of kind, thread, seq, coding, records and raw_length as given; the rest is filled in.
bool lp_file_append(struct lp_file *file, struct lp_frame frame, const void *bytes, size_t length);

// A new area for `room` bytes of records, mapped, with the header of its frame before it. Null if the disk is full.
struct lp_area *lp_file_area(struct lp_file *file, uint64_t room, uint32_t thread);
static inline struct lp_frame *lp_frame_of(struct lp_area *area) { return (struct lp_frame *)area - 1; }

// Detaches the area's memory from the file, so that a thread that still writes there does no harm.
void lp_file_forget_area(struct lp_area *area);
// Moves frames from the end of the file into the places of its areas, and cuts the file. The areas' records must be in
// chunks, and the areas forgotten.
void lp_file_compact(struct lp_file *file);
void lp_file_close(struct lp_file *file);

#endif
