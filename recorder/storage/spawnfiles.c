// SPDX-License-Identifier: GPL-3.0-or-later
// The files: "spawn-PID-N.open" of who starts a program, "spawn-PID-N.here" of the program that was started, and
// "spawned-000004" with how many ranks follow from 4 on, which link() makes with its content at once.
#define _GNU_SOURCE
#include "recorder/storage/spawnfiles.h"

#include "recorder/storage/folder.h"
#include "recorder/storage/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_answers = 16, most_looked_at = 64, path_room = 1400 };

static _Thread_local char own[path_room];  // without its ending; empty: none
static char answered[most_answers][path_room];
static int answers;

bool lp_may_join(void)
{
    const struct lp_config *config = lp_config();
    return config->trace && config->online == LP_ONLINE_OFF && !config->summary && config->calls[0] == 0;
}

static bool make(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return false;
    close(fd);
    return true;
}

static bool with_ending(char *path, const char *stem, const char *ending)
{
    const int length = snprintf(path, path_room, "%s%s", stem, ending);
    return length > 0 && length < path_room;
}

static bool is_there(const char *stem, const char *ending)
{
    char path[path_room];
    struct stat status;
    return with_ending(path, stem, ending) && lstat(path, &status) == 0;
}

bool lp_open_spawn(void)
{
    static atomic_int serial;
    lp_close_spawn();
    if (!lp_may_join() || lp_recording.folder[0] == 0 || atomic_load(&lp_recording.state) < LP_STATE_PAUSED)
        return false;
    // Ranks of several hosts may have the same process number.
    snprintf(own, sizeof own, "%s/spawn-%d-%d-%d", lp_recording.folder, lp_recording.rank, (int)getpid(),
             atomic_fetch_add(&serial, 1));
    char path[path_room];
    if (with_ending(path, own, ".open") && make(path)) return true;
    own[0] = 0;
    return false;
}

bool lp_is_spawn_answered(void) { return own[0] != 0 && is_there(own, ".here"); }

void lp_close_spawn(void)
{
    if (own[0] == 0) return;
    static const char *const endings[] = {".open", ".here"};
    char path[path_room];
    for (int i = 0; i < 2; ++i)
        if (with_ending(path, own, endings[i])) unlink(path);
    own[0] = 0;
}

static void answer_in(const char *folder)
{
    DIR *entries = opendir(folder);
    if (!entries) return;
    for (const struct dirent *entry; answers < most_answers && (entry = readdir(entries));) {
        const size_t length = strlen(entry->d_name);
        const size_t stem = length < 5 ? 0 : length - 5;
        if (strncmp(entry->d_name, "spawn-", 6) != 0 || strcmp(entry->d_name + stem, ".open") != 0) continue;
        char *to = answered[answers];
        const int written = snprintf(to, path_room, "%s/%.*s", folder, (int)stem, entry->d_name);
        char path[path_room];
        if (written <= 0 || written >= path_room || !with_ending(path, to, ".here")) continue;
        if (make(path) || errno == EEXIST) ++answers;
    }
    closedir(entries);
}

int lp_answer_spawns(void)
{
    char folder[sizeof lp_recording.folder];
    answers = 0;
    if (!lp_may_join() || !lp_is_first_rank()) return 0;
    for (int number = 1; number <= most_looked_at; ++number) {
        struct stat status;
        if (!lp_folder_of(folder, sizeof folder, lp_config()->output, number) || lstat(folder, &status) != 0) break;
        if (S_ISDIR(status.st_mode)) answer_in(folder);
    }
    return answers;
}

bool lp_is_spawn_open(void)
{
    for (int i = 0; i < answers; ++i)
        if (is_there(answered[i], ".open")) return true;
    return false;
}

// How many ranks the file stands for; 0: it is not there, or says nothing.
static int allotted(const char *path)
{
    char text[16] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return 0;
    const ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    const long count = length > 0 ? strtol(text, NULL, 10) : 0;
    return count > 0 && count < INT_MAX ? (int)count : 0;
}

int lp_allot_ranks(int first, int count)
{
    char note[path_room], path[path_room];
    if (own[0] == 0 || count <= 0 || !with_ending(note, own, ".ranks")) return -1;
    const int fd = open(note, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return -1;
    const bool is_written = dprintf(fd, "%d\n", count) > 0;
    const bool is_closed = close(fd) == 0;
    int found = -1;
    while (is_written && is_closed && found < 0 && first <= INT_MAX - count) {
        snprintf(path, sizeof path, "%s/spawned-%06d", lp_recording.folder, first);
        if (link(note, path) == 0) found = first;
        const int others = found < 0 && errno == EEXIST ? allotted(path) : 0;
        if (found < 0 && (others == 0 || first > INT_MAX - others)) break;
        first += others;
    }
    unlink(note);
    return found;
}
