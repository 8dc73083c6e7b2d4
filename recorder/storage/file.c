// SPDX-License-Identifier: GPL-3.0-or-later
// Writing a recording's file: frames by pwrite, the header page and the areas through mappings of preallocated space.
#define _GNU_SOURCE
#include "recorder/storage/file.h"

#include "recorder/storage/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(struct lp_file *file, int error)
{
    if (file->error != 0) return false;
    file->error = error != 0 ? error : EIO;
    // Gives the space of an unfinished write back.
    if (file->end == 0 || error == ESTALE || !lp_is_own(&file->own)) return false;
    if (ftruncate(file->own.fd, (off_t)file->end) != 0) return false;
    return false;
}

static bool is_allowed(struct lp_file *file, uint64_t end) { return lp_may_reach(end) || fail(file, errno); }

// Makes sure that the descriptor is that of our file, which is opened again if not, and that nobody has cut the file.
// False after an error.
static bool check_descriptor(struct lp_file *file)
{
    if (file->error != 0) return false;
    if (!lp_is_own_again(&file->own, file->path)) return fail(file, errno);
    struct stat status;
    return (fstat(file->own.fd, &status) == 0 && status.st_nlink > 0 && (uint64_t)status.st_size >= file->end)
           || fail(file, ESTALE);
}

static bool write_all(struct lp_file *file, const void *bytes, size_t length, uint64_t offset)
{
    const char *from = bytes;
    while (length > 0) {
        const ssize_t written = pwrite(file->own.fd, from, length, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail(file, written < 0 ? errno : ENOSPC);
        from += written;
        offset += (uint64_t)written;
        length -= (size_t)written;
    }
    return true;
}

// Space that exists on disk, so that writing into the mapping cannot raise SIGBUS.
static void *map(struct lp_file *file, uint64_t offset, uint64_t length)
{
    if (!is_allowed(file, offset + length)) return NULL;
    int error;
    do error = posix_fallocate(file->own.fd, (off_t)offset, (off_t)length);
    while (error == EINTR);
    if (error != 0) {
        fail(file, error);
        return NULL;
    }
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file->own.fd, (off_t)offset);
    if (memory == MAP_FAILED) {
        fail(file, errno);
        return NULL;
    }
    lp_guard(memory, length);
    return memory;
}

bool lp_file_open(struct lp_file *file, const char *path, const char *magic)
{
    memset(file, 0, sizeof *file);
    file->own.fd = -1;
    if (strlen(path) >= sizeof file->path) return fail(file, ENAMETOOLONG);
    strcpy(file->path, path);
    file->own = lp_own(lp_open_within(path, O_RDWR | O_CREAT | O_EXCL));
    if (file->own.fd < 0) return fail(file, errno);
    file->header = map(file, 0, LP_FIRST_FRAME);
    if (!file->header) {
        unlink(path);  // on a full disk: who sees a file takes it for a rank's recording
        return false;
    }
    file->end = LP_FIRST_FRAME;
    file->header->endian = LP_ENDIAN_MARK;
    file->header->version = LP_FORMAT_VERSION;
    memcpy(file->header->magic, magic, sizeof file->header->magic);
    return true;
}

static bool remember(struct lp_place **places, size_t *count, size_t *room, struct lp_place place)
{
    if (*count == *room) {
        const size_t larger = *room == 0 ? 64 : 2 * *room;
        struct lp_place *grown = realloc(*places, larger * sizeof *grown);
        if (!grown) return false;
        *places = grown;
        *room = larger;
    }
    (*places)[(*count)++] = place;
    return true;
}

// The header of a frame of `size` bytes without content.
static struct lp_frame padding_of(uint64_t size)
{
    struct lp_frame frame = {.magic = LP_FRAME_MAGIC, .kind = LP_PADDING, .length = size - sizeof frame};
    frame.checksum = lp_head_checksum(frame);
    return frame;
}

// How much padding belongs behind a chunk of `size` bytes, so that whoever reads the file can hold more records than it
// has bytes for for damage.
static uint64_t padding_behind(uint64_t size, uint64_t raw_length)
{
    const uint64_t least = raw_length / LP_MOST_PACKED;
    return size < least ? lp_frame_size(least - size) - sizeof(struct lp_frame) : 0;
}

bool lp_file_append(struct lp_file *file, struct lp_frame frame, const void *bytes, size_t length)
{
    if (!check_descriptor(file)) return false;
    frame.magic = LP_FRAME_MAGIC;
    frame.reserved = 0;
    frame.reserved2 = 0;
    frame.length = length;
    frame.checksum = lp_checksum(bytes, length, lp_head_checksum(frame));
    const uint64_t framed = lp_frame_size(length), padded = padding_behind(framed, frame.raw_length);
    const uint64_t size = framed + padded;
    static const char zeros[LP_ALIGNMENT * 16];
    if (!is_allowed(file, file->end + size)) return false;
    if (!write_all(file, bytes, length, file->end + sizeof frame)) return false;
    for (uint64_t behind = sizeof frame + length; behind < size;) {
        const uint64_t rest = size - behind, block = rest < sizeof zeros ? rest : sizeof zeros;
        if (!write_all(file, zeros, (size_t)block, file->end + behind)) return false;
        behind += block;
    }
    if (padded > 0) {
        const struct lp_frame padding = padding_of(padded);
        if (!write_all(file, &padding, sizeof padding, file->end + framed)) return false;
    }
    if (!write_all(file, &frame, sizeof frame, file->end)) return false;
    remember(&file->frames, &file->frame_count, &file->frame_room, (struct lp_place){file->end, size});
    file->end += size;
    return true;
}

struct lp_area *lp_file_area(struct lp_file *file, uint64_t room, uint32_t thread)
{
    if (!check_descriptor(file)) return NULL;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t begin = (file->end + page - 1) / page * page;
    if (begin != file->end && begin - file->end < sizeof(struct lp_frame)) begin += page;
    const uint64_t length = (sizeof(struct lp_frame) + sizeof(struct lp_area) + room + page - 1) / page * page;
    struct lp_frame *frame = map(file, begin, length);
    if (!frame) return NULL;
    memset(frame, 0, sizeof *frame + sizeof(struct lp_area));
    frame->kind = LP_AREA;
    frame->length = length - sizeof *frame;
    frame->thread = thread;
    frame->checksum = lp_head_checksum((struct lp_frame){.magic = LP_FRAME_MAGIC,
                                                         .kind = LP_AREA,
                                                         .length = frame->length});
    frame->magic = LP_FRAME_MAGIC;
    if (begin != file->end) {
        const struct lp_frame padding = padding_of(begin - file->end);
        if (!write_all(file, &padding, sizeof padding, file->end)) return NULL;
    }
    file->end = begin + length;
    if (!remember(&file->areas, &file->area_count, &file->area_room, (struct lp_place){begin, length})) return NULL;
    return (struct lp_area *)(frame + 1);
}

// Fills an area's place with the last frames of the file, as far as they lie after it; the rest becomes padding. The
// area's head is overwritten last, so that until then the area is whole. Returns the end of the frames in its place.
static uint64_t fill(struct lp_file *file, struct lp_place hole, char *buffer)
{
    uint64_t filled = 0;
    while (file->frame_count > 0) {
        const struct lp_place from = file->frames[file->frame_count - 1];
        const uint64_t rest = hole.size - filled;
        if (from.offset < hole.offset || from.size > rest) break;
        if (rest != from.size && rest - from.size < sizeof(struct lp_frame)) break;
        if (pread(file->own.fd, buffer + filled, from.size, (off_t)from.offset) != (ssize_t)from.size) break;
        filled += from.size;
        --file->frame_count;
    }
    uint64_t written = filled;
    if (filled < hole.size) {
        const struct lp_frame padding = padding_of(hole.size - filled);
        memcpy(buffer + filled, &padding, sizeof padding);
        written += sizeof padding;
    }
    const uint64_t head = sizeof(struct lp_frame);
    if (write_all(file, buffer + head, written - head, hole.offset + head)) write_all(file, buffer, head, hole.offset);
    return hole.offset + filled;
}

void lp_file_forget_area(struct lp_area *area)
{
    struct lp_frame *frame = lp_frame_of(area);
    (void)mmap(frame, sizeof *frame + frame->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
               -1, 0);
}

void lp_file_compact(struct lp_file *file)
{
    if (!check_descriptor(file)) return;
    uint64_t largest = 0;
    for (size_t i = 0; i < file->area_count; ++i)
        if (file->areas[i].size > largest) largest = file->areas[i].size;
    char *buffer = malloc(largest + sizeof(struct lp_frame));
    if (!buffer) return;
    for (size_t i = 0; i < file->area_count && file->error == 0; ++i) {
        const struct lp_place hole = file->areas[i];
        const uint64_t end = fill(file, hole, buffer);
        if (file->error != 0) break;
        const struct lp_place *last = file->frame_count > 0 ? &file->frames[file->frame_count - 1] : NULL;
        if (!last || last->offset < hole.offset) {
            file->end = end;
            break;
        }
        file->end = last->offset + last->size;
    }
    free(buffer);
    if (file->error == 0 && ftruncate(file->own.fd, (off_t)file->end) != 0) fail(file, errno);
    file->area_count = 0;
}

void lp_file_close(struct lp_file *file)
{
    lp_disown(&file->own);
    if (file->error == 0) file->error = EBADF;
}
