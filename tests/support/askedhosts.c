// SPDX-License-Identifier: GPL-3.0-or-later
// To be preloaded: writes into the file LONGPOLE_ASKED each call that would ask another machine about a path, as it
// leads through a link whose target begins with //, /net/ or /afs/. Of a path only readlink() and calls that look at
// its last part alone may come as far as such a link. Calls that the C library makes by itself (in realpath()) are not
// seen, so that one counts as a call that follows the path.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static bool is_far(const char* target)
{
    return strncmp(target, "//", 2) == 0 || strncmp(target, "/net/", 5) == 0 || strncmp(target, "/afs/", 5) == 0;
}

// Walks the path as the kernel does. `folder`: what a relative path begins at.
static bool asks(int folder, const char* path, bool follows)
{
    enum { MOST_LINKS = 40 };
    char ahead[3 * PATH_MAX], at[PATH_MAX] = "", target[PATH_MAX], next[2 * PATH_MAX];
    if (!path || strlen(path) >= PATH_MAX) return false;
    snprintf(ahead, sizeof ahead, "%s", path);
    if (path[0] != '/') {
        char own[64] = "/proc/self/cwd";
        if (folder != AT_FDCWD) snprintf(own, sizeof own, "/proc/self/fd/%d", folder);
        const ssize_t length = NEXT(readlink)(own, at, sizeof at - 1);
        if (length <= 0) return false;
        at[length] = 0;
    }
    for (int links = 0; links < MOST_LINKS;) {
        const size_t slashes = strspn(ahead, "/");
        memmove(ahead, ahead + slashes, strlen(ahead + slashes) + 1);
        const size_t length = strcspn(ahead, "/");
        if (length == 0) return false;
        const bool is_last = ahead[length] == 0;
        if (strncmp(ahead, "..", length) == 0 && length == 2) {
            char* const end = strrchr(at, '/');
            if (end) *end = 0;
        } else if (strncmp(ahead, ".", length) != 0 || length != 1) {
            if (snprintf(next, sizeof next, "%s/%.*s", at, (int)length, ahead) >= PATH_MAX) return false;
            const ssize_t size = is_last && !follows ? -1 : NEXT(readlink)(next, target, sizeof target - 1);
            if (size > 0) {
                target[size] = 0;
                if (is_far(target)) return true;
                if (target[0] == '/') at[0] = 0;
                char rest[2 * PATH_MAX];
                snprintf(rest, sizeof rest, "%s", ahead + length);
                if (snprintf(ahead, sizeof ahead, "%s%s", target, rest) >= (int)sizeof ahead) return false;
                ++links;
                continue;
            }
            snprintf(at, sizeof at, "%s", next);
        }
        memmove(ahead, ahead + length, strlen(ahead + length) + 1);
    }
    return false;
}

static void look(const char* call, int folder, const char* path, bool follows)
{
    const char* const name = getenv("LONGPOLE_ASKED");  // NOLINT(concurrency-mt-unsafe): nothing sets it
    if (!name || !asks(folder, path, follows)) return;
    const int file = NEXT(open)(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    dprintf(file, "%s %s\n", call, path);
    close(file);
}

#define CALL(result, function, parameters, arguments, folder, path, follows) \
    result function parameters \
    { \
        look(#function, folder, path, follows); \
        return NEXT(function) arguments; \
    }

#define FOLLOW(flags) (((flags)&AT_SYMLINK_NOFOLLOW) == 0)

CALL(int, stat, (const char* path, struct stat* out), (path, out), AT_FDCWD, path, true)
CALL(int, stat64, (const char* path, struct stat64* out), (path, out), AT_FDCWD, path, true)
CALL(int, lstat, (const char* path, struct stat* out), (path, out), AT_FDCWD, path, false)
CALL(int, lstat64, (const char* path, struct stat64* out), (path, out), AT_FDCWD, path, false)
CALL(int, fstatat, (int at, const char* path, struct stat* out, int flags), (at, path, out, flags), at, path,
     FOLLOW(flags))
CALL(int, fstatat64, (int at, const char* path, struct stat64* out, int flags), (at, path, out, flags), at, path,
     FOLLOW(flags))
CALL(int, statx, (int at, const char* path, int flags, unsigned mask, struct statx* out), (at, path, flags, mask, out),
     at, path, FOLLOW(flags))
CALL(int, access, (const char* path, int mode), (path, mode), AT_FDCWD, path, true)
CALL(int, eaccess, (const char* path, int mode), (path, mode), AT_FDCWD, path, true)
CALL(int, euidaccess, (const char* path, int mode), (path, mode), AT_FDCWD, path, true)
CALL(int, faccessat, (int at, const char* path, int mode, int flags), (at, path, mode, flags), at, path, FOLLOW(flags))
CALL(int, statfs, (const char* path, struct statfs* out), (path, out), AT_FDCWD, path, true)
CALL(int, statfs64, (const char* path, struct statfs64* out), (path, out), AT_FDCWD, path, true)
CALL(int, statvfs, (const char* path, struct statvfs* out), (path, out), AT_FDCWD, path, true)
CALL(int, statvfs64, (const char* path, struct statvfs64* out), (path, out), AT_FDCWD, path, true)
CALL(int, chdir, (const char* path), (path), AT_FDCWD, path, true)
CALL(int, chmod, (const char* path, mode_t mode), (path, mode), AT_FDCWD, path, true)
CALL(int, truncate, (const char* path, off_t size), (path, size), AT_FDCWD, path, true)
CALL(int, inotify_add_watch, (int fd, const char* path, uint32_t mask), (fd, path, mask), AT_FDCWD, path, true)
CALL(ssize_t, getxattr, (const char* path, const char* name, void* out, size_t size), (path, name, out, size), AT_FDCWD,
     path, true)
CALL(ssize_t, readlink, (const char* path, char* out, size_t size), (path, out, size), AT_FDCWD, path, false)
CALL(ssize_t, readlinkat, (int at, const char* path, char* out, size_t size), (at, path, out, size), at, path, false)
CALL(char*, realpath, (const char* path, char* out), (path, out), AT_FDCWD, path, true)
CALL(char*, canonicalize_file_name, (const char* path), (path), AT_FDCWD, path, true)
CALL(DIR*, opendir, (const char* path), (path), AT_FDCWD, path, true)
CALL(FILE*, fopen, (const char* path, const char* mode), (path, mode), AT_FDCWD, path, true)
CALL(FILE*, fopen64, (const char* path, const char* mode), (path, mode), AT_FDCWD, path, true)

#define MODE(flags) \
    va_list more; \
    va_start(more, flags); \
    const mode_t mode = va_arg(more, mode_t); \
    va_end(more)

#define OPEN(function) \
    int function(const char* path, int flags, ...) \
    { \
        MODE(flags); \
        look(#function, AT_FDCWD, path, (flags & O_NOFOLLOW) == 0); \
        return NEXT(function)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(function) \
    int function(int at, const char* path, int flags, ...) \
    { \
        MODE(flags); \
        look(#function, at, path, (flags & O_NOFOLLOW) == 0); \
        return NEXT(function)(at, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)
