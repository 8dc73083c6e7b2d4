// SPDX-License-Identifier: GPL-3.0-or-later
// How long work talks to whoever waits for it: the fraction done goes out, the wish to stop comes in. Safe across
// threads.
#pragma once

#include <atomic>

namespace longpole {

class Progress {
public:
    // The worker: how much is done, 0..1, and whether to stop.
    void report(double fraction) const { m_fraction.store(fraction, std::memory_order_relaxed); }
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

    // The one who waits.
    double fraction() const { return m_fraction.load(std::memory_order_relaxed); }
    void cancel() const { m_cancelled.store(true, std::memory_order_relaxed); }

private:
    mutable std::atomic<double> m_fraction{0.0};
    mutable std::atomic<bool> m_cancelled{false};
};

}  // namespace longpole
