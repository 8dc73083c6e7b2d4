// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at the beginning of each location of an OTF2 archive, to find which can be read, when the run begins and what
// it is called.
#pragma once

#include "core/base/progress.h"
#include "importers/common/importlog.h"
#include "importers/otf2/archive.h"
#include "importers/otf2/run.h"

namespace longpole {

// Fills in the rest of `run`: hasEvents of its locations, the info's begin, program and command line. Soft errors of
// files go to `log`. Errors: no location has events, cancelled.
Result<> surveyOtf2(const Otf2Archive& archive, const Otf2Definitions& definitions, Otf2Run& run, ImportLog& log,
                    unsigned threads, const Progress& progress);

}  // namespace longpole
