// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which waits of all ranks are divided among their causes, the latest first, where that takes more than
// what one process knows: process 0 puts them in order as one process would that knows all.
#pragma once

#include "core/base/drawnhash.h"
#include "core/base/limits.h"
#include "core/base/timerange.h"
#include "distributed/answers/causerecords.h"
#include "distributed/transport/transport.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace longpole {

// A wait of any rank, by its place among the rank's waits.
inline std::uint64_t keyOfWait(std::uint32_t rank, std::uint32_t place) { return std::uint64_t{rank} << 32u | place; }
using WaitSet = std::unordered_set<std::uint64_t, DrawnHash>;
using WaitPlaces = std::unordered_map<std::uint64_t, std::uint32_t, DrawnHash>;

struct CountedCauses {
    std::uint64_t wait = 0;
    std::uint32_t causes = 0;
};

// Where waits have more causes than they may have together, those that go beyond the limit, in the order in which they
// are divided. `causes`: as far as this process knows them. All processes call it, as the next one.
WaitSet waitsBeyond(Transport& transport, const CauseRecords& records, const std::vector<CountedCauses>& causes,
                    const Limit& most);

// Which comes when of the waits that end at these times, or at those that another process names. Empty where no process
// names any, and if the transport failed.
WaitPlaces orderOfTies(Transport& transport, const CauseRecords& records, std::vector<TimeNs> instants);

}  // namespace longpole
