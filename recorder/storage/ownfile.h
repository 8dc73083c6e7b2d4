// SPDX-License-Identifier: GPL-3.0-or-later
// A descriptor that stays open while the program runs. The program may close all descriptors, as daemons do, and its
// next files get their numbers: whoever writes to the file, cuts, maps or closes it asks first whether it is ours.
#ifndef LONGPOLE_RECORDER_OWNFILE_H
#define LONGPOLE_RECORDER_OWNFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Remembers which folder that is, of which `fd` is open: whoever may write around it could put another one, or a link,
// in its place while files are still to come. 0 or an errno.
int lp_know_folder(const char *folder, int fd);

// open(), through no link, but of a path that begins with that folder only as long as it is the same one. -1: errno
// says why not; ESTALE: another one has its name.
int lp_open_within(const char *path, int flags);

struct lp_own_file {
    int fd;  // -1: there is none
    dev_t device;
    ino_t inode;
    void *held;  // one mapped page, never touched
};

// Of a file that was just opened; the descriptor gets another number. -1: errno says why, as it does if `fd` is -1.
struct lp_own_file lp_own(int fd);

bool lp_is_own(const struct lp_own_file *file);
// If it is not any more, opens it again by its name. False: errno says why not; ESTALE: the name is another file's.
bool lp_is_own_again(struct lp_own_file *file, const char *path);

// Closes it, unless the number is the program's by now.
void lp_disown(struct lp_own_file *file);

// Whether a file may be so many bytes long; asked before one grows, as beyond RLIMIT_FSIZE the system would send
// SIGXFSZ, which ends the program. False: errno is EFBIG.
bool lp_may_reach(uint64_t end);

#ifdef __cplusplus
}
#endif

#endif
