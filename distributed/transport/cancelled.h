// SPDX-License-Identifier: GPL-3.0-or-later
// Cancel as a failure of the transport: who was cancelled tells all processes, so that none waits for it.
#pragma once

#include "core/base/progress.h"
#include "distributed/transport/transport.h"

namespace longpole {

inline void failIfCancelled(Transport& transport, const Progress& progress)
{
    if (progress.isCancelled() && !transport.failed()) transport.fail(cancelledError());
}

// For loops that compute for long: hears of Cancel and of others' failures; whether there was either.
inline bool isOver(Transport& transport, const Progress& progress)
{
    failIfCancelled(transport, progress);
    transport.pulse();
    return transport.failed();
}

// Whether there is another round, as any process has more for it: all say so in each. A number of rounds that is told
// once might be anything.
inline bool goesOn(Transport& transport, const Progress& progress, bool hasMore)
{
    const auto any = [](std::uint8_t& into, const std::uint8_t& from) { into |= from; };
    return reduceOne(transport, std::uint8_t{hasMore}, any) != 0 && !isOver(transport, progress);
}

}  // namespace longpole
