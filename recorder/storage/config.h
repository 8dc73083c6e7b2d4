// SPDX-License-Identifier: GPL-3.0-or-later
// The user's settings: variables LONGPOLE_..., and lines `key = value` of the file LONGPOLE_CONFIG; a variable wins.
#ifndef LONGPOLE_RECORDER_CONFIG_H
#define LONGPOLE_RECORDER_CONFIG_H

#include "recorder/replay/pathvalue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where all ranks meet they replay their logs, or messages carry it along; both: and are compared.
enum lp_online { LP_ONLINE_OFF, LP_ONLINE_MEET, LP_ONLINE_CARRY, LP_ONLINE_BOTH };

// What the path's lengths are of: all time between calls, or the thread's processor time.
enum lp_path_clock { LP_PATH_OF_WALL, LP_PATH_OF_CPU };

enum lp_clock_choice { LP_ALIGN_AUTO, LP_ALIGN_RTT, LP_ALIGN_BARRIER, LP_ALIGN_NONE };

struct lp_config {
    int64_t threshold;                  // threshold = 50us (ns, us, ms, s); ns. 0: none
    int compression;                    // compression = off | min | max: enum lp_compression
    enum lp_clock_choice clock;         // clock = auto | rtt | barrier | none
    bool summary;                       // summary = 1 | 0
    enum lp_online online;              // online = meet | carry | both | off: the path is found while the program runs
    bool zeroing;                       // zeroing = 1 | 0: of each procedure also how long the path were without it
    struct lp_factor factor;            // factor = 0/1: what their time is multiplied by for that
    bool inclusive;                     // inclusive = 1 | 0: regions include what they call
    enum lp_path_clock online_clock;    // online_clock = wall | cpu
    int64_t sample;                     // sample = 10s: ns between two lines of online.jsonl, at least
    int64_t online_from, online_until;  // online_from = 0s, online_until = 0s: the part of the run; ns; 0: all
    unsigned top_share;                 // top_share = 10: follow what has more than a tenth of the path; 0: nobody asks
    size_t online_memory;               // online_memory = 64M: bytes of a rank's path log
    size_t online_spill;                // online_spill = 1G: bytes of it on disk where memory is not enough; 0: none
    char procedures[1024];              // procedures = solve,exchange: whose part of the path is followed
    bool trace;                         // trace = 1 | 0: nothing but MPI_Init and MPI_Finalize is recorded
    size_t buffer;                      // buffer = 256K: bytes of a thread's area
    unsigned stack;                     // stack = 32: how many frames of a call's stack are kept; 0: none
    char output[1024];                  // output = run.lprec
    char calls[1024];                   // calls = run.csv: a table with one row per call; empty: none
};

#ifndef __cplusplus  // which has no function of a struct's name
// The settings, which the first call reads. The process of world rank 0 prints what it does not understand on standard
// error, once.
const struct lp_config *lp_config(void);
// Whether this process is rank 0, as far as its launcher says before MPI is up; without one every process is.
bool lp_is_first_rank(void);
#endif

// The same from a file's text and a list of variables "NAME=value" (null-terminated); `complain` gets one line per
// thing that was not understood. For tests.
void lp_parse_config(struct lp_config *config, const char *file_text, const char *const *variables,
                     void (*complain)(const char *line));

#ifdef __cplusplus
}
#endif

#endif
