// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE
#include "recorder/online/control.h"

#include "recorder/storage/ownfile.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_FILE = 4096 };
static const int64_t between_looks = 1000000000;  // ns

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_word(const char *line, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(line, word, length) == 0;
}

// The text behind a word and blanks; null: the line begins with something else.
static const char *behind(const char *line, size_t length, const char *word)
{
    const size_t size = strlen(word);
    if (length < size || memcmp(line, word, size) != 0 || (length > size && !is_blank(line[size]))) return NULL;
    const char *text = line + size;
    while (text < line + length && is_blank(*text)) ++text;
    return text;
}

// False: there is no room.
static bool add_procedures(struct lp_control *control, const char *names, size_t length, bool are_many)
{
    const size_t before = strlen(control->procedures);
    if (before + length + 2 > sizeof control->procedures || memchr(names, 0, length)) return false;
    char *to = control->procedures + before;
    if (before > 0 && length > 0) *to++ = '\n';
    memcpy(to, names, length);
    to[length] = 0;
    for (char *at = to; are_many && *at; ++at)
        if (*at == ',') *at = '\n';
    control->has_procedures = true;
    return true;
}

static bool understands(struct lp_control *control, const char *line, size_t length)
{
    const char *const end = line + length, *names;
    if (is_word(line, length, "start")) control->run = LP_CONTROL_START;
    else if (is_word(line, length, "stop")) control->run = LP_CONTROL_STOP;
    else if ((names = behind(line, length, "procedures")) != NULL) {
        control->procedures[0] = 0;
        return add_procedures(control, names, (size_t)(end - names), true);
    } else if ((names = behind(line, length, "procedure")) != NULL)
        return add_procedures(control, names, (size_t)(end - names), false);
    else return false;
    return true;
}

static void parse_line(struct lp_control *control, const char *line, size_t length)
{
    while (length > 0 && is_blank(line[0])) ++line, --length;
    while (length > 0 && is_blank(line[length - 1])) --length;
    if (length == 0 || line[0] == '#' || understands(control, line, length) || control->wrong[0] != 0) return;
    const size_t shown = length < sizeof control->wrong - 1 ? length : sizeof control->wrong - 1;
    for (size_t at = 0; at < shown; ++at) {
        const unsigned char c = (unsigned char)line[at];
        control->wrong[at] = (char)(c < ' ' || c > '~' ? '?' : c);
    }
    control->wrong[shown] = 0;
}

void lp_control_parse(struct lp_control *control, const char *text, size_t length)
{
    *control = (struct lp_control){0};
    for (const char *end = text + length; text < end;) {
        const char *line = text, *close = memchr(line, '\n', (size_t)(end - line));
        parse_line(control, line, (size_t)((close ? close : end) - line));
        text = close ? close + 1 : end;
    }
}

bool lp_control_look(struct lp_control_file *file, int64_t now, struct lp_control *control)
{
    if (file->looked != 0 && now - file->looked < between_looks) return false;
    file->looked = now;
    const int fd = lp_open_within(file->path, O_RDONLY | O_NONBLOCK);
    if (fd < 0) return false;
    struct stat seen;
    char text[LONGEST_FILE + 1];
    ssize_t length = -1;
    if (fstat(fd, &seen) == 0 && S_ISREG(seen.st_mode) && seen.st_size <= LONGEST_FILE) {
        const int64_t changed = (int64_t)seen.st_mtim.tv_sec * 1000000000 + seen.st_mtim.tv_nsec;
        if (seen.st_ino != file->inode || changed != file->changed || seen.st_size != file->size) {
            file->inode = seen.st_ino;
            file->changed = changed;
            file->size = seen.st_size;
            length = read(fd, text, sizeof text);
        }
    }
    close(fd);
    if (length < 0 || length > LONGEST_FILE) return false;
    lp_control_parse(control, text, (size_t)length);
    return true;
}
