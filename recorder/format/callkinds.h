// SPDX-License-Identifier: GPL-3.0-or-later
// The classes and kinds of the recorded calls, by their numbers.
#ifndef LONGPOLE_RECORDER_CALLKINDS_H
#define LONGPOLE_RECORDER_CALLKINDS_H

#include "recorder/format/calls.h"

#include <stdint.h>

static const uint8_t lp_call_classes[] = {
#define LP_ROW(name, class, kind) LP_CLASS_##class,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};
static const uint8_t lp_call_kinds[] = {
#define LP_ROW(name, class, kind) LP_KIND_##kind,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};

#endif
