// SPDX-License-Identifier: GPL-3.0-or-later
// MPI_Pcontrol: (1, "name") and (-1, "name") begin and end a region, 0 and 1 without a name switch recording off and
// on. The standard does not say whether there is a second argument: what is no readable name is none.
#define _GNU_SOURCE
#include "recorder/format/utf8.h"
#include "recorder/wrappers/lifetime.h"
#include "recorder/wrappers/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define LONGEST_NAME 255

// Some containers forbid the first way.
static bool copyPage(const char *from, char *to, size_t bytes)
{
    const struct iovec here = {to, bytes};
    const struct iovec there = {(void *)from, bytes};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes) return true;
    if (errno != EPERM && errno != ENOSYS) return false;
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    const bool isRead = memory >= 0 && pread(memory, to, bytes, (off_t)(uintptr_t)from) == (ssize_t)bytes;
    if (memory >= 0) close(memory);
    return isRead;
}

// Copies what can be read of a text at an address that may be anything; false if it does not end.
static bool copyText(const char *from, char *to, size_t room)
{
    for (size_t copied = 0; copied < room;) {
        const size_t page = 4096 - ((uintptr_t)(from + copied) & 4095);  // all of it can be read, or nothing
        const size_t wanted = page < room - copied ? page : room - copied;
        if (!copyPage(from + copied, to + copied, wanted)) return false;
        if (memchr(to + copied, 0, wanted)) return true;
        copied += wanted;
    }
    return false;
}

// Where the environment lay when the program began: a stray pointer would have a part of it recorded, with whatever is
// secret there.
static struct {
    const char *begin, *end;
} environment;

static __attribute__((constructor)) void findEnvironment(void)
{
    for (char **each = environ; each && *each; ++each) {
        const char *const end = *each + strlen(*each) + 1;
        if (!environment.begin || *each < environment.begin) environment.begin = *each;
        if (end > environment.end) environment.end = end;
    }
}

static bool isOfEnvironment(const char *text) { return text >= environment.begin && text < environment.end; }

// Not control characters, marks of direction, line separators, private use and what is no character.
static bool isPrintable(unsigned character)
{
    if (character < ' ' || (character >= 0x7f && character < 0xa0) || character == 0xad) return false;
    if ((character >= 0x200b && character <= 0x200f) || (character >= 0x2028 && character <= 0x202e)) return false;
    if ((character >= 0x2060 && character <= 0x206f) || character == 0xfeff) return false;
    if (character >= 0xe000 && character <= 0xf8ff) return false;
    return (character & 0xfffe) != 0xfffe && (character < 0xfdd0 || character > 0xfdef) && character < 0xe0000;
}

// Valid UTF-8 of printable characters: what a stray pointer leads to rarely is.
static bool isName(const char *text)
{
    unsigned length;
    for (const unsigned char *at = (const unsigned char *)text; *at; at += length)
        if (!isPrintable(lp_character_at(at, &length))) return false;
    return *text != 0;
}

static void setRecording(bool on)
{
    int was = on ? LP_PAUSED : LP_OPEN;
    if (!atomic_compare_exchange_strong(&lp_gate, &was, on ? LP_OPEN : LP_PAUSED)) return;
    lp_put_own_polls();
    lp_switch(on, lp_now());
}

void lp_control(int level, const char *name)
{
    char text[LONGEST_NAME + 1];
    if (atomic_load(&lp_gate) == LP_CLOSED || lp_depth != 0) return;
    const bool isNamed = (level == 1 || level == -1) && name && !isOfEnvironment(name)
                         && copyText(name, text, sizeof text) && isName(text);
    if (isNamed && lp_is_observing()) lp_put_mark(level == 1, lp_region(text));
    else if (!isNamed && (level == 0 || level == 1)) setRecording(level == 1);
}
