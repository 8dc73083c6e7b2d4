// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE
#include "recorder/storage/folder.h"

#include "recorder/storage/ownfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool lp_numbered(char *name, size_t room, const char *wanted, int number)
{
    size_t length = strlen(wanted);
    while (length > 1 && wanted[length - 1] == '/') --length;
    size_t stem = length;
    while (stem > 0 && wanted[stem - 1] != '/' && wanted[stem - 1] != '.') --stem;
    // ".hidden" and "name" have no ending.
    const bool has_ending = stem > 1 && wanted[stem - 1] == '.' && wanted[stem - 2] != '/';
    stem = has_ending ? stem - 1 : length;
    char between[16] = "";
    if (number > 1) snprintf(between, sizeof between, "-%d", number);
    const int written = snprintf(name, room, "%.*s%s%.*s", (int)stem, wanted, between, (int)(length - stem),
                                 wanted + stem);
    return written > 0 && (size_t)written < room;
}

bool lp_folder_of(char *folder, size_t room, const char *wanted, int number)
{
    char name[1200] = "", here[1024] = "";
    if (wanted[0] != '/' && !getcwd(here, sizeof here)) here[0] = 0;
    const bool fits = lp_numbered(name, sizeof name, wanted, number);
    const int length = snprintf(folder, room, "%s%s%s", here, here[0] != 0 ? "/" : "", name);
    return fits && length > 0 && (size_t)length < room;
}

int lp_make_folder(const char *folder)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return errno;
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    struct stat status;
    int failed = fstat(fd, &status) != 0 ? errno : 0;
    // To root a folder of its own may look like somebody else's, over a network. Nobody else may write it then.
    const bool is_own = failed == 0 && (status.st_uid == geteuid() || (geteuid() == 0 && (status.st_mode & 022) == 0));
    if (failed == 0) failed = is_own ? lp_know_folder(folder, fd) : EPERM;
    close(fd);
    return failed;
}

bool lp_has_recording(const char *folder)
{
    DIR *entries = opendir(folder);
    if (!entries) return false;
    bool found = false;
    for (const struct dirent *entry; !found && (entry = readdir(entries));) {
        int rank, end = 0;
        found = strcmp(entry->d_name, "index.lpindex") == 0
                || (sscanf(entry->d_name, "rank-%d.lprank%n", &rank, &end) == 1 && end > 0 && entry->d_name[end] == 0);
    }
    closedir(entries);
    return found;
}
