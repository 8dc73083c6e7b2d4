// SPDX-License-Identifier: GPL-3.0-or-later
// Where hosted ranks last met those they waited for, of which other processes know the collective calls: these get the
// last few of the rank's before the wait, which mostly is enough, or else all.
#pragma once

#include "analysis/mpi/commonsyncs.h"
#include "core/base/progress.h"
#include "distributed/answers/causerecords.h"
#include "distributed/matching/hosting.h"
#include "distributed/transport/transport.h"

#include <vector>

namespace longpole {

// What commonSyncs() finds in the records of all ranks, by hosted rank and wait. All processes call it. Errors:
// cancelled, at all of them.
Result<std::vector<std::vector<CommonSync>>> causeMeetings(Transport& transport, const Hosting& hosting,
                                                           const CauseRecords& records, const Progress& progress);

}  // namespace longpole
