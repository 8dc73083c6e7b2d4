// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of collective calls go to the processes that own the calls.
#pragma once

#include "distributed/matching/matchingrows.h"
#include "distributed/matching/passes.h"

#include <vector>

namespace longpole {

// All parts that came, those of a call together and by position. All processes call it.
std::vector<GivenPart> takeParts(Transport& transport, const HostedRanks& hosted, MatchingLogs& logs);

}  // namespace longpole
