// SPDX-License-Identifier: GPL-3.0-or-later
// What is assumed about arrivals of messages that the trace leaves unknown.
#pragma once

#include <cstdint>

namespace longpole {

// Early, Likely, Late: at the earliest, most likely or latest time that the trace allows. Free: the usual latency after
// the message was sent, even where the recorded order of tasks contradicts that; a replay of the unchanged run may then
// differ from the record.
enum class ArrivalReading : std::uint8_t { Early, Likely, Late, Free };

}  // namespace longpole
