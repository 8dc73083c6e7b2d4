// SPDX-License-Identifier: GPL-3.0-or-later
// Divides waits among their causes, each where the rank is hosted that was waited for: there is its code, and there are
// its own waits, which get their part. A wait is divided once all waits that may hand time to it are.
#pragma once

#include "analysis/mpi/commonsyncs.h"
#include "analysis/mpi/delayparts.h"
#include "analysis/mpi/waitchoice.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "distributed/answers/causerecords.h"
#include "distributed/matching/hosting.h"
#include "distributed/transport/transport.h"

#include <vector>

namespace longpole {

// What hosted ranks cost others by their code: of all processes together what delayCosts() finds. `meetings`: by hosted
// rank and wait. All processes call it. Errors: cancelled, at all of them.
Result<std::vector<CodeCost>> hostedDelayCosts(Transport& transport, const Hosting& hosting,
                                               const CauseRecords& records,
                                               const std::vector<std::vector<CommonSync>>& meetings,
                                               const WaitChoice& choice, const Progress& progress,
                                               const Limit& most = limits::waitCauses);

}  // namespace longpole
