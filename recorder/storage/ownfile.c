// SPDX-License-Identifier: GPL-3.0-or-later
// A file is known by its device and inode. Where it has no name, the inode's number would be free when the program
// closes it, and the next file often gets it: a mapping holds it.
#define _GNU_SOURCE
#include "recorder/storage/ownfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    char path[1200];  // empty: none is known
    dev_t device;
    ino_t inode;
} known;

int lp_know_folder(const char *folder, int fd)
{
    struct stat status;
    if (strlen(folder) >= sizeof known.path) return ENAMETOOLONG;
    if (fstat(fd, &status) != 0) return errno;
    strcpy(known.path, folder);
    known.device = status.st_dev;
    known.inode = status.st_ino;
    return 0;
}

int lp_open_within(const char *path, int flags)
{
    char folder[sizeof known.path];
    const char *name = strrchr(path, '/');
    const size_t length = name ? (size_t)(name - path) : 0;
    const bool is_within = length > 0 && length < sizeof folder && strlen(known.path) == length
                           && memcmp(path, known.path, length) == 0;
    if (!is_within) return open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0666);
    memcpy(folder, path, length);
    folder[length] = 0;
    const int in = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (in < 0) return -1;
    struct stat status;
    const bool is_same = fstat(in, &status) == 0 && status.st_dev == known.device && status.st_ino == known.inode;
    const int fd = is_same ? openat(in, name + 1, flags | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;
    const int error = is_same ? errno : ESTALE;
    close(in);
    errno = error;
    return fd;
}

// A number that the program is unlikely to meet when it closes or reuses all of its own.
static int out_of_the_way(int fd)
{
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 500);
    if (high < 0) return fd;
    close(fd);
    return high;
}

struct lp_own_file lp_own(int fd)
{
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        const int error = errno;
        if (fd >= 0) close(fd);
        errno = error;
        return (struct lp_own_file){.fd = -1};
    }
    void *held = mmap(NULL, 1, PROT_NONE, MAP_SHARED, fd, 0);
    return (struct lp_own_file){.fd = out_of_the_way(fd),
                                .device = status.st_dev,
                                .inode = status.st_ino,
                                .held = held == MAP_FAILED ? NULL : held};
}

bool lp_is_own(const struct lp_own_file *file)
{
    struct stat status;
    return file->fd >= 0 && fstat(file->fd, &status) == 0 && status.st_dev == file->device
           && status.st_ino == file->inode;
}

bool lp_is_own_again(struct lp_own_file *file, const char *path)
{
    if (lp_is_own(file)) return true;
    struct lp_own_file found = lp_own(lp_open_within(path, O_RDWR | O_NONBLOCK));
    if (found.fd < 0) return false;
    const bool is_same = found.device == file->device && found.inode == file->inode;
    if (is_same) file->fd = found.fd;
    else close(found.fd);
    if (found.held) munmap(found.held, 1);
    if (!is_same) errno = ESTALE;
    return is_same;
}

void lp_disown(struct lp_own_file *file)
{
    if (lp_is_own(file)) close(file->fd);
    if (file->held) munmap(file->held, 1);
    *file = (struct lp_own_file){.fd = -1};
}

bool lp_may_reach(uint64_t end)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur) return true;
    errno = EFBIG;
    return false;
}
