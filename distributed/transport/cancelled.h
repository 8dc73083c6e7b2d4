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

}  // namespace longpole
