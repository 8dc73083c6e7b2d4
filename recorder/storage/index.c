// SPDX-License-Identifier: GPL-3.0-or-later
// The index that rank 0 writes at MPI_Finalize: one row per rank with what only all ranks together know.
#define _GNU_SOURCE
#include "recorder/storage/process.h"

#include <stdio.h>
#include <string.h>

void lp_index_row(struct lp_index_rank *row)
{
    memset(row, 0, sizeof *row);
    row->rank = lp_recording.rank;
    const struct lp_header *header = lp_recording.file.header;
    if (!header) return;
    row->pid = header->pid;
    row->threads = header->threads;
    row->records = header->records;
    row->calls = header->calls;
    row->bytes = lp_recording.file.end;
    memcpy(row->clock, header->clock, sizeof row->clock);
    memcpy(row->host, header->host, sizeof row->host);
    memcpy(row->boot_id, header->boot_id, sizeof row->boot_id);
}

void lp_write_index(const struct lp_index_rank *ranks, int size)
{
    const struct lp_header *own = lp_recording.file.header;
    if (!own || size <= 0) return;
    char path[1300];
    snprintf(path, sizeof path, "%s/index.lpindex", lp_recording.folder);
    struct lp_file file;
    if (!lp_file_open(&file, path, LP_INDEX_MAGIC)) goto failed;
    struct lp_header head = *own;
    memcpy(head.magic, LP_INDEX_MAGIC, sizeof head.magic);
    *file.header = head;
    const struct lp_frame frame = {.kind = LP_RANKS, .records = (uint32_t)size};
    if (!lp_file_append(&file, frame, ranks, (size_t)size * sizeof *ranks)) goto failed;
    lp_file_close(&file);
    return;
failed:
    fprintf(stderr, "longpole: %s: %s; the recording has no index\n", path, strerror(file.error));
    lp_file_close(&file);
}
