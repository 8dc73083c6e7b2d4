// SPDX-License-Identifier: GPL-3.0-or-later
// Says where a signal to end may end the process at once, as nothing lies about that it would have to tidy up: work
// that only reads, and looks at no Progress; and what is left to free when all that was written is removed again.
#pragma once

#include <atomic>

namespace longpole {

class EndsAtOnce {
public:
    // Does not return where a signal has come already.
    EndsAtOnce()
    {
        ++s_alive;
        endIfAsked();
    }
    ~EndsAtOnce() { --s_alive; }
    EndsAtOnce(const EndsAtOnce&) = delete;
    EndsAtOnce& operator=(const EndsAtOnce&) = delete;

    // Whether one lives. Lock-free, for signal handlers.
    static bool applies() { return s_alive > 0; }
    // What ends the process if a signal has come; null, as at first: nothing.
    static void setEnd(void (*end)()) { s_end = end; }

private:
    static void endIfAsked()
    {
        if (void (*const end)() = s_end) end();
    }
    static inline std::atomic<int> s_alive{0};
    static inline std::atomic<void (*)()> s_end{nullptr};
    static_assert(std::atomic<int>::is_always_lock_free);
};

}  // namespace longpole
