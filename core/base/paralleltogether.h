// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that wait for each other, so that all of them must run at once.
#pragma once

#include <cstddef>
#include <functional>

namespace longpole {

// Calls body(0) ... body(count - 1), each on a thread of its own, all at once, and returns when all have returned;
// body(0) on the caller's, whose memory costs the system less.
// False, and nothing was called, if there is no room for so many threads. body must not throw.
bool runTogether(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace longpole
