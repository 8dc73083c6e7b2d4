// SPDX-License-Identifier: GPL-3.0-or-later
// What a user asks of a run that is followed, in online.control in the recording's folder: "start", "stop",
// "procedures a,b", and "procedure NAME" for one more, whose name may have commas; a line each. No MPI in here.
#ifndef LONGPOLE_RECORDER_CONTROL_H
#define LONGPOLE_RECORDER_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum lp_control_run { LP_CONTROL_AS_IT_IS, LP_CONTROL_STOP, LP_CONTROL_START };

struct lp_control {
    enum lp_control_run run;
    bool has_procedures;
    char procedures[1024];  // with line breaks between them
    char wrong[64];         // the first line that was not understood, its unprintable bytes as '?'; empty: none
};

// The last word on each matter counts; blank lines and lines that begin with # are left out.
void lp_control_parse(struct lp_control *control, const char *text, size_t length);

// A file that is looked at now and then.
struct lp_control_file {
    char path[1300];
    int64_t looked;  // ns of the clock
    uint64_t inode;
    int64_t changed, size;
};
// Reads it if it is another one than at the last look, which was a second ago at least. False: nothing new. Links,
// devices and files beyond 4 KiB are left alone, as files that cannot be read.
bool lp_control_look(struct lp_control_file *file, int64_t now, struct lp_control *control);

#ifdef __cplusplus
}
#endif

#endif
