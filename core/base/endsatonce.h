// SPDX-License-Identifier: GPL-3.0-or-later
// Says where a signal to end may end the process at once, as nothing lies about that it would have to tidy up: work
// that only reads, and looks at no Progress.
#pragma once

#include <atomic>

namespace longpole {

class EndsAtOnce {
public:
    EndsAtOnce() { ++s_alive; }
    ~EndsAtOnce() { --s_alive; }
    EndsAtOnce(const EndsAtOnce&) = delete;
    EndsAtOnce& operator=(const EndsAtOnce&) = delete;

    // Whether one lives. Lock-free, for signal handlers.
    static bool applies() { return s_alive > 0; }

private:
    static inline std::atomic<int> s_alive{0};
    static_assert(std::atomic<int>::is_always_lock_free);
};

}  // namespace longpole
