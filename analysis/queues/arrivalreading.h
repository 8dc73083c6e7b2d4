// SPDX-License-Identifier: GPL-3.0-or-later
// How unknown arrivals of messages are taken.
#pragma once

#include <cstdint>

namespace longpole {

// As early, as likely, as late as the trace allows. Free: after the usual latency, not fitted to the order of the
// record; a replay of the run as it was can fail then.
enum class ArrivalReading : std::uint8_t { Early, Likely, Late, Free };

}  // namespace longpole
