// SPDX-License-Identifier: GPL-3.0-or-later
// To be preloaded: the n-th call of a kind fails, or the process dies in it. LONGPOLE_FAULT is "KIND N" or, to count
// calls, "KIND 0": how many there were then stands in the file LONGPOLE_FAULT_COUNT. Kinds: write, open, rename, sync,
// truncate, memory (of a kilobyte and more), and crash, which dies in the middle of the n-th write. With "unnamed 1"
// the file system has no files without a name, as NFS. Before the n-th file is opened or removed "exchange" gives the
// folder's name to the one of its name with ".other" behind it. Only what is done in the folder LONGPOLE_FAULT_FOLDER
// counts, except for memory.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { KB = 1024 };

static char kind[16];
static long wanted;
static const char* folder = "/";
static atomic_long calls;
static atomic_bool is_ready;

// Both run where the program has no other thread: NOLINTBEGIN(concurrency-mt-unsafe)
__attribute__((constructor)) static void begin(void)
{
    const char* fault = getenv("LONGPOLE_FAULT");
    if (!fault || sscanf(fault, "%15s %ld", kind, &wanted) != 2) return;
    if (getenv("LONGPOLE_FAULT_FOLDER")) folder = getenv("LONGPOLE_FAULT_FOLDER");
    unsetenv("LD_PRELOAD");
    is_ready = true;
}

__attribute__((destructor)) static void end(void)
{
    is_ready = false;
    const char* path = getenv("LONGPOLE_FAULT_COUNT");
    FILE* file = path && wanted == 0 ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&calls));
    fclose(file);
}
// NOLINTEND(concurrency-mt-unsafe)

static bool is_now(const char* which)
{
    return is_ready && strcmp(kind, which) == 0 && atomic_fetch_add(&calls, 1) + 1 == wanted;
}

static bool begins_in_folder(const char* path) { return strncmp(path, folder, strlen(folder)) == 0; }

// Whether what is open lies there.
static bool is_open_there(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return begins_in_folder(path);
}

// A path, also one that begins with a folder that is open.
static bool is_in_folder(const char* path)
{
    int fd = -1;
    if (path && sscanf(path, "/proc/self/fd/%d/", &fd) == 1) return is_open_there(fd);
    return path && begins_in_folder(path);
}

static bool is_at_folder(int at, const char* path)
{
    return path && path[0] != '/' && at >= 0 ? is_open_there(at) : is_in_folder(path);
}

static bool is_ours(int fd) { return is_ready && fd > STDERR_FILENO && is_open_there(fd); }

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

// As somebody does who may write in the folder around it. The folder itself has been opened then.
static void exchange(const char* path)
{
    if (strcmp(path, folder) == 0 || !is_now("exchange")) return;
    char away[4096], other[4096];
    snprintf(away, sizeof away, "%s.away", folder);
    snprintf(other, sizeof other, "%s.other", folder);
    if (NEXT(rename)(folder, away) != 0 || NEXT(rename)(other, folder) != 0) abort();
}

static ssize_t fail(int error)
{
    errno = error;
    return -1;
}

// Half of the bytes are there when the process dies.
#define WRITE(call, half) \
    if (is_ours(fd)) { \
        if (is_now("write")) return fail(ENOSPC); \
        if (is_now("crash")) { \
            (void)!(half); \
            kill(getpid(), SIGKILL); \
        } \
    } \
    return call

ssize_t write(int fd, const void* bytes, size_t size)
{
    WRITE(NEXT(write)(fd, bytes, size), NEXT(write)(fd, bytes, size / 2));
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset)
{
    WRITE(NEXT(pwrite)(fd, bytes, size, offset), NEXT(pwrite)(fd, bytes, size / 2, offset));
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset)
{
    WRITE(NEXT(pwrite64)(fd, bytes, size, offset), NEXT(pwrite64)(fd, bytes, size / 2, offset));
}

#define OPEN(function) \
    int function(const char* path, int flags, ...) \
    { \
        va_list arguments; \
        va_start(arguments, flags); \
        const mode_t mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
        if (is_in_folder(path)) exchange(path); \
        if (is_in_folder(path) && is_now("open")) return (int)fail(EMFILE); \
        if ((flags & O_TMPFILE) == O_TMPFILE && is_in_folder(path) && is_ready && strcmp(kind, "unnamed") == 0) \
            return (int)fail(EOPNOTSUPP); \
        return NEXT(function)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPEN_AT(function) \
    int function(int at, const char* path, int flags, ...) \
    { \
        va_list arguments; \
        va_start(arguments, flags); \
        const mode_t mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
        if (is_at_folder(at, path)) exchange(path); \
        if (is_at_folder(at, path) && is_now("open")) return (int)fail(EMFILE); \
        return NEXT(function)(at, path, flags, mode); \
    }
OPEN_AT(openat)
OPEN_AT(openat64)

static bool may_rename(int at, const char* to) { return !(is_at_folder(at, to) && is_now("rename")); }

int rename(const char* from, const char* to)
{
    return may_rename(AT_FDCWD, to) ? NEXT(rename)(from, to) : (int)fail(EIO);
}

int renameat2(int fd, const char* from, int to_fd, const char* to, unsigned flags)
{
    return may_rename(to_fd, to) ? NEXT(renameat2)(fd, from, to_fd, to, flags) : (int)fail(EIO);
}

int unlink(const char* path)
{
    if (is_in_folder(path)) exchange(path);
    return NEXT(unlink)(path);
}

int unlinkat(int at, const char* path, int flags)
{
    if (is_at_folder(at, path)) exchange(path);
    return NEXT(unlinkat)(at, path, flags);
}

int fsync(int fd) { return is_ours(fd) && is_now("sync") ? (int)fail(EIO) : NEXT(fsync)(fd); }
int fdatasync(int fd) { return is_ours(fd) && is_now("sync") ? (int)fail(EIO) : NEXT(fdatasync)(fd); }

int ftruncate(int fd, off_t size)
{
    return is_ours(fd) && is_now("truncate") ? (int)fail(EIO) : NEXT(ftruncate)(fd, size);
}
int ftruncate64(int fd, off64_t size)
{
    return is_ours(fd) && is_now("truncate") ? (int)fail(EIO) : NEXT(ftruncate64)(fd, size);
}

// The C library's own names: NOLINTBEGIN(bugprone-reserved-identifier)
extern void* __libc_malloc(size_t size);
extern void* __libc_realloc(void* old, size_t size);
extern void* __libc_calloc(size_t count, size_t size);
// NOLINTEND(bugprone-reserved-identifier)

static bool is_refused(size_t size)
{
    if (size < KB || !is_now("memory")) return false;
    errno = ENOMEM;
    return true;
}

void* malloc(size_t size) { return is_refused(size) ? NULL : __libc_malloc(size); }
void* realloc(void* old, size_t size) { return is_refused(size) ? NULL : __libc_realloc(old, size); }
void* calloc(size_t count, size_t size) { return is_refused(count * size) ? NULL : __libc_calloc(count, size); }
