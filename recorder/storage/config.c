// SPDX-License-Identifier: GPL-3.0-or-later
// Reading the settings: variables of the environment, and a file of lines `key = value` (# begins a comment).
#define _GNU_SOURCE
#include "recorder/storage/config.h"

#include "recorder/format/format.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;

enum { smallest_buffer = 64 << 10, default_buffer = 256 << 10 };
#ifdef __x86_64__
enum { default_frames = 32 };
#else
enum { default_frames = 0 };  // stacks.c has no cache there, so that every stack would be unwound anew
#endif
// A net is kept as so many times the denominator: a thousand of a run of a hundred days are 63 bits.
enum { most_frames = 128, most_shares = 64, largest_of_factor = 1000 };

static const int64_t default_sample = 10000000000;  // ns
static const size_t default_online_memory = (size_t)64 << 20, most_online_memory = (size_t)16 << 30;
static const size_t default_online_spill = (size_t)1 << 30, most_online_spill = (size_t)1 << 40;

typedef bool set_value(struct lp_config *config, const char *value);

// A number and a unit out of `units`, which multiply by 1000 or 1024 as `factors` say; nothing else behind.
static bool number(const char *text, const char *const *units, const double *factors, double *value)
{
    char *end;
    errno = 0;
    const double read = strtod(text, &end);
    if (end == text || errno != 0 || !(read >= 0)) return false;
    while (isspace((unsigned char)*end)) ++end;
    for (int i = 0; units[i]; ++i) {
        if (strcasecmp(end, units[i]) != 0) continue;
        *value = read * factors[i];
        return *value < 9e18;
    }
    return false;
}

static bool set_time(int64_t *time, const char *value)
{
    static const char *const units[] = {"", "ns", "us", "ms", "s", NULL};
    static const double factors[] = {1, 1, 1e3, 1e6, 1e9};
    double ns;
    if (!number(value, units, factors, &ns)) return false;
    *time = (int64_t)ns;
    return true;
}

static bool set_threshold(struct lp_config *config, const char *value) { return set_time(&config->threshold, value); }

static bool set_online_from(struct lp_config *config, const char *value)
{
    return set_time(&config->online_from, value);
}

static bool set_online_until(struct lp_config *config, const char *value)
{
    return set_time(&config->online_until, value);
}

static bool set_sample(struct lp_config *config, const char *value) { return set_time(&config->sample, value); }

static bool set_online_memory(struct lp_config *config, const char *value)
{
    static const char *const units[] = {"", "K", "KiB", "KB", "M", "MiB", "MB", NULL};
    static const double factors[] = {1, 1024, 1024, 1024, 1048576, 1048576, 1048576};
    double bytes;
    if (!number(value, units, factors, &bytes) || bytes < smallest_buffer || bytes > (double)most_online_memory)
        return false;
    config->online_memory = (size_t)bytes;
    return true;
}

static bool set_online_spill(struct lp_config *config, const char *value)
{
    static const char *const units[] = {"", "K", "KiB", "KB", "M", "MiB", "MB", "G", "GiB", "GB", NULL};
    static const double factors[] = {1, 1024, 1024, 1024, 1048576, 1048576, 1048576, 0x1p30, 0x1p30, 0x1p30};
    double bytes;
    if (!number(value, units, factors, &bytes) || bytes < 0 || bytes > (double)most_online_spill) return false;
    config->online_spill = (size_t)bytes;
    return true;
}

static bool set_buffer(struct lp_config *config, const char *value)
{
    static const char *const units[] = {"", "K", "KiB", "KB", "M", "MiB", "MB", NULL};
    static const double factors[] = {1, 1024, 1024, 1024, 1048576, 1048576, 1048576};
    double bytes;
    if (!number(value, units, factors, &bytes) || bytes < smallest_buffer || bytes > LP_LARGEST_BUFFER) return false;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    config->buffer = ((size_t)bytes + page - 1) / page * page;
    return true;
}

static bool one_of(const char *value, const char *const *words, int *which)
{
    for (int i = 0; words[i]; ++i) {
        if (strcasecmp(value, words[i]) != 0) continue;
        *which = i;
        return true;
    }
    return false;
}

static bool set_compression(struct lp_config *config, const char *value)
{
    static const char *const words[] = {"off", "min", "max", NULL};
    return one_of(value, words, &config->compression);
}

static bool set_clock(struct lp_config *config, const char *value)
{
    static const char *const words[] = {"auto", "rtt", "barrier", "none", NULL};
    int which;
    if (!one_of(value, words, &which)) return false;
    config->clock = (enum lp_clock_choice)which;
    return true;
}

static bool set_flag(bool *flag, const char *value)
{
    static const char *const words[] = {"0", "1", "off", "on", "no", "yes", "false", "true", NULL};
    int which;
    if (!one_of(value, words, &which)) return false;
    *flag = which % 2 == 1;
    return true;
}

static bool set_summary(struct lp_config *config, const char *value) { return set_flag(&config->summary, value); }
static bool set_trace(struct lp_config *config, const char *value) { return set_flag(&config->trace, value); }

static bool set_inclusive(struct lp_config *config, const char *value) { return set_flag(&config->inclusive, value); }

static bool set_online_clock(struct lp_config *config, const char *value)
{
    static const char *const words[] = {"wall", "cpu", NULL};
    int which;
    if (!one_of(value, words, &which)) return false;
    config->online_clock = (enum lp_path_clock)which;
    return true;
}

// A number that is not too large; `end`: what is behind it.
static bool part_of_factor(const char *text, uint32_t *part, char **end)
{
    const unsigned long read = strtoul(text, end, 10);
    *part = (uint32_t)read;
    return isdigit((unsigned char)text[0]) && read <= largest_of_factor;
}

static bool set_factor(struct lp_config *config, const char *value)
{
    struct lp_factor factor = {0, 1};
    char *end;
    if (!part_of_factor(value, &factor.numerator, &end)) return false;
    if (*end == '/' && !part_of_factor(end + 1, &factor.denominator, &end)) return false;
    if (*end != 0 || factor.denominator == 0) return false;
    config->factor = factor;
    return true;
}

static bool set_zeroing(struct lp_config *config, const char *value) { return set_flag(&config->zeroing, value); }

static bool set_online(struct lp_config *config, const char *value)
{
    static const char *const words[] = {"off", "meet", "carry", "both", NULL};
    int which;
    if (!one_of(value, words, &which)) return false;
    config->online = (enum lp_online)which;
    return true;
}

static bool set_text(char *text, size_t room, const char *value)
{
    if (strlen(value) >= room) return false;
    strcpy(text, value);
    return true;
}

static bool set_procedures(struct lp_config *config, const char *value)
{
    return set_text(config->procedures, sizeof config->procedures, value);
}

static bool set_stack(struct lp_config *config, const char *value)
{
    char *end;
    const unsigned long read = strtoul(value, &end, 10);
    if (!isdigit((unsigned char)value[0]) || *end != 0 || read > most_frames) return false;
    config->stack = (unsigned)read;
    return true;
}

static bool set_top_share(struct lp_config *config, const char *value)
{
    char *end;
    const unsigned long read = strtoul(value, &end, 10);
    if (!isdigit((unsigned char)value[0]) || *end != 0 || read < 2 || read > most_shares) return false;
    config->top_share = (unsigned)read;
    return true;
}

static bool set_output(struct lp_config *config, const char *value)
{
    return value[0] != 0 && set_text(config->output, sizeof config->output, value);
}

static bool set_calls(struct lp_config *config, const char *value)
{
    return set_text(config->calls, sizeof config->calls, value);
}

static const struct {
    const char *name;
    set_value *set;
    const char *expected;
} keys[] = {
    {"threshold", set_threshold, "a time such as 50us"},
    {"compression", set_compression, "off, min or max"},
    {"clock", set_clock, "auto, rtt, barrier or none"},
    {"summary", set_summary, "0 or 1"},
    {"buffer", set_buffer, "a size from 64K to 64M"},
    {"stack", set_stack, "a number of frames from 0 to 128"},
    {"output", set_output, "a folder"},
    {"calls", set_calls, "a file"},
    {"trace", set_trace, "0 or 1"},
    {"online", set_online, "off, meet, carry or both"},
    {"zeroing", set_zeroing, "0 or 1"},
    {"factor", set_factor, "P/Q such as 1/2, with numbers up to 1000"},
    {"inclusive", set_inclusive, "0 or 1"},
    {"online_clock", set_online_clock, "wall or cpu"},
    {"sample", set_sample, "a time such as 10s"},
    {"online_memory", set_online_memory, "a size from 64K to 16384M"},
    {"online_spill", set_online_spill, "a size from 0 to 1024G"},
    {"online_from", set_online_from, "a time such as 60s"},
    {"online_until", set_online_until, "a time such as 120s"},
    {"top_share", set_top_share, "a number from 2 to 64"},
    {"procedures", set_procedures, "names with commas between them"},
};
enum { key_count = sizeof keys / sizeof keys[0] };

// What a file says commands no terminal.
static void say(char *line, void (*complain)(const char *line))
{
    for (char *at = line; *at; ++at)
        if (*at < ' ' || *at > '~') *at = '?';
    complain(line);
}

static void set(struct lp_config *config, const char *place, const char *key, const char *value,
                void (*complain)(const char *line))
{
    char line[512];
    for (int i = 0; i < key_count; ++i) {
        if (strcasecmp(key, keys[i].name) != 0) continue;
        if (keys[i].set(config, value)) return;
        snprintf(line, sizeof line, "%s: %s = %.100s is not %s; ignored", place, keys[i].name, value, keys[i].expected);
        say(line, complain);
        return;
    }
    snprintf(line, sizeof line, "%s: there is no setting \"%.100s\"; ignored", place, key);
    say(line, complain);
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text)) ++text;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) --end;
    *end = 0;
    return text;
}

static void parse_file(struct lp_config *config, const char *file_text, void (*complain)(const char *line))
{
    char *copy = strdup(file_text);
    char *rest = copy;
    int number_of_line = 0;
    for (char *line; copy && (line = strsep(&rest, "\n"));) {
        ++number_of_line;
        line[strcspn(line, "#")] = 0;
        char *text = trimmed(line);
        if (*text == 0) continue;
        char place[64];
        snprintf(place, sizeof place, "LONGPOLE_CONFIG, line %d", number_of_line);
        char *value = strchr(text, '=');
        if (value) *value++ = 0;
        set(config, place, trimmed(text), value ? trimmed(value) : text + strlen(text), complain);
    }
    free(copy);
}

void lp_parse_config(struct lp_config *config, const char *file_text, const char *const *variables,
                     void (*complain)(const char *line))
{
    *config = (struct lp_config){.compression = LP_COMPRESSION_MIN,
                                 .buffer = default_buffer,
                                 .stack = default_frames,
                                 .factor = {0, 1},
                                 .sample = default_sample,
                                 .online_memory = default_online_memory,
                                 .online_spill = default_online_spill,
                                 .trace = true};
    if (file_text) parse_file(config, file_text, complain);
    static const char prefix[] = "LONGPOLE_";
    for (; variables && *variables; ++variables) {
        if (strncmp(*variables, prefix, sizeof prefix - 1) != 0) continue;
        const char *name = *variables + sizeof prefix - 1;
        const char *equals = strchr(name, '=');
        if (!equals || strncmp(name, "CONFIG=", sizeof "CONFIG=" - 1) == 0) continue;  // CONFIG: the file's path
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)(equals - name), name);
        char place[96];
        snprintf(place, sizeof place, "LONGPOLE_%s", key);
        set(config, place, key, equals + 1, complain);
    }
}

static struct lp_config the_config;

static void complain_on_stderr(const char *line) { fprintf(stderr, "longpole: %s\n", line); }
static void be_silent(const char *line) { (void)line; }

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) return NULL;
    char *text = calloc(1, (1 << 16) + 1);
    if (text) text[fread(text, 1, 1 << 16, file)] = 0;
    fclose(file);
    return text;
}

// Launchers tell the rank in the environment, before MPI is up. Without a launcher every process counts as the first.
bool lp_is_first_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", NULL};
    for (int i = 0; names[i]; ++i) {
        const char *rank = getenv(names[i]);
        if (rank) return strcmp(rank, "0") == 0;
    }
    return true;
}

static void read_config(void)
{
    void (*const complain)(const char *) = lp_is_first_rank() ? complain_on_stderr : be_silent;
    // Whoever starts a program that has more rights than himself chooses none of its settings.
    static const char *const nothing[] = {NULL};
    const char *const *variables = getauxval(AT_SECURE) ? nothing : (const char *const *)environ;
    const char *path = secure_getenv("LONGPOLE_CONFIG");
    char *text = path && path[0] != 0 ? file_text(path) : NULL;
    if (path && path[0] != 0 && !text) {
        char line[512];
        snprintf(line, sizeof line, "LONGPOLE_CONFIG: %.300s cannot be read: %s", path, strerror(errno));
        complain(line);
    }
    lp_parse_config(&the_config, text, variables, complain);
    if (the_config.output[0] == 0)
        snprintf(the_config.output, sizeof the_config.output, "%.200s.lprec", program_invocation_short_name);
    free(text);
}

const struct lp_config *lp_config(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_config);
    return &the_config;
}
