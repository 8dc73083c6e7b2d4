// SPDX-License-Identifier: GPL-3.0-or-later
// The link between long work and whoever waits for it: the work reports the fraction done, the other can ask it to
// stop. Thread-safe.
#pragma once

#include <atomic>

namespace longpole {

class Progress {
public:
    // For the worker: reports how much is done, 0..1, and asks whether to stop.
    void report(double fraction) const { m_fraction.store(fraction, std::memory_order_relaxed); }
    bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

    // For the one who waits.
    double fraction() const { return m_fraction.load(std::memory_order_relaxed); }
    void cancel() const { m_cancelled.store(true, std::memory_order_relaxed); }

private:
    mutable std::atomic<double> m_fraction{0.0};
    mutable std::atomic<bool> m_cancelled{false};
};

}  // namespace longpole
