// SPDX-License-Identifier: GPL-3.0-or-later
// The files: "spawn-PID-N.open" of who starts a program, "spawn-PID-N.here-HOST-PID" of each program that may be the
// one that was started, and "spawned-000004" with how many ranks follow from 4 on, which link() makes with its content
// at once.
#define _GNU_SOURCE
#include "recorder/storage/spawnfiles.h"

#include "recorder/storage/folder.h"
#include "recorder/storage/ownfile.h"
#include "recorder/storage/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_answers = 16, most_looked_at = 64, path_room = 1400 };

static _Thread_local char own[path_room];          // without its ending; empty: none
static char answered[most_answers][NAME_MAX + 1];  // without their endings
static int answered_in[most_answers];              // descriptors of their folders, each its own
static int answers;

bool lp_may_join(void)
{
    const struct lp_config *config = lp_config();
    return config->trace && config->online == LP_ONLINE_OFF && !config->summary && config->calls[0] == 0;
}

static bool is_made(int fd)
{
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static bool make(const char *path) { return is_made(lp_open_within(path, O_WRONLY | O_CREAT | O_EXCL)); }

static bool with_ending(char *path, const char *stem, const char *ending)
{
    const int length = snprintf(path, path_room, "%s%s", stem, ending);
    return length > 0 && length < path_room;
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

static uint32_t host_number(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return (uint32_t)lp_checksum(name, strlen(name), 0);
}

// The ending of this process's answers.
static void ending_of_answer(char *ending, size_t room)
{
    snprintf(ending, room, ".here-%08x-%d", host_number(), (int)getpid());
}

// Whether a file is an answer to this thread's own one. `host`, `pid`: of who has laid it.
static bool is_answer(const char *name, unsigned *host, int *pid)
{
    const char *slash = strrchr(own, '/');
    const char *stem = slash ? slash + 1 : own;
    const size_t length = strlen(stem);
    return strncmp(name, stem, length) == 0 && sscanf(name + length, ".here-%x-%d", host, pid) == 2 && *pid > 0;
}

// Goes through the answers to this thread's own file until `take` says that it is enough. Returns whether it did.
static bool any_answer(bool (*take)(const char *path, unsigned host, int pid))
{
    DIR *entries = own[0] != 0 ? opendir(lp_recording.folder) : NULL;
    if (!entries) return false;
    bool found = false;
    for (const struct dirent *entry; !found && (entry = readdir(entries));) {
        unsigned host = 0;
        int pid = 0;
        char path[path_room];
        if (!is_answer(entry->d_name, &host, &pid)) continue;
        const int length = snprintf(path, sizeof path, "%s/%s", lp_recording.folder, entry->d_name);
        found = length > 0 && length < path_room && take(path, host, pid);
    }
    closedir(entries);
    return found;
}

// One that has ended greets nobody.
static bool may_greet(const char *path, unsigned host, int pid)
{
    (void)path;
    return host != host_number() || kill(pid, 0) == 0 || errno != ESRCH;
}

static bool take_away(const char *path, unsigned host, int pid)
{
    (void)host;
    (void)pid;
    unlink(path);
    return false;
}

bool lp_is_spawn_answered(void) { return any_answer(may_greet); }

void lp_close_spawn(void)
{
    if (own[0] == 0) return;
    char path[path_room];
    if (with_ending(path, own, ".open")) unlink(path);
    any_answer(take_away);
    own[0] = 0;
}

// A folder of this user's own, which no link leads to; -1: it is none. What is made and removed there goes by the
// descriptor: another folder may get its name.
static int own_folder(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    if (folder < 0 || (fstat(folder, &status) == 0 && status.st_uid == geteuid())) return folder;
    close(folder);
    return -1;
}

static void answer_in(int folder)
{
    const int listed = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR *entries = listed >= 0 ? fdopendir(listed) : NULL;
    if (!entries) {
        if (listed >= 0) close(listed);
        return;
    }
    char ending[64];
    ending_of_answer(ending, sizeof ending);
    for (const struct dirent *entry; answers < most_answers && (entry = readdir(entries));) {
        const size_t length = strlen(entry->d_name);
        const size_t stem = length < 5 ? 0 : length - 5;
        if (strncmp(entry->d_name, "spawn-", 6) != 0 || strcmp(entry->d_name + stem, ".open") != 0) continue;
        char *to = answered[answers];
        snprintf(to, sizeof answered[0], "%.*s", (int)stem, entry->d_name);
        char name[path_room];
        if (!with_ending(name, to, ending)) continue;
        const int made = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (!is_made(made) && errno != EEXIST) continue;
        answered_in[answers] = fcntl(folder, F_DUPFD_CLOEXEC, 0);
        if (answered_in[answers] >= 0) ++answers;
        else unlinkat(folder, name, 0);
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
        const int opened = own_folder(folder);
        if (opened < 0) continue;
        answer_in(opened);
        close(opened);
    }
    return answers;
}

void lp_withdraw_answers(void)
{
    char ending[64], name[path_room];
    ending_of_answer(ending, sizeof ending);
    for (; answers > 0; --answers) {
        if (with_ending(name, answered[answers - 1], ending)) unlinkat(answered_in[answers - 1], name, 0);
        close(answered_in[answers - 1]);
    }
}

bool lp_is_spawn_open(void)
{
    for (int i = 0; i < answers; ++i) {
        char name[path_room];
        struct stat status;
        if (with_ending(name, answered[i], ".open") && fstatat(answered_in[i], name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            return true;
    }
    return false;
}

// How many ranks the file stands for; 0: it is not there, or says nothing.
static int allotted(const char *path)
{
    char text[16] = "";
    const int fd = lp_open_within(path, O_RDONLY | O_NONBLOCK);
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
    const int fd = lp_open_within(note, O_WRONLY | O_CREAT | O_EXCL);
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
