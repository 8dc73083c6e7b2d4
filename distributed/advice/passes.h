// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of messages between the processes, in the search for advice.
#pragma once

#include <cstdint>

namespace longpole {

enum AdvicePassNumber : std::uint16_t { JoinWork = 360, AskForEntries, TellEntries };

}  // namespace longpole
