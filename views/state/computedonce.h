// SPDX-License-Identifier: GPL-3.0-or-later
// A value that several workers need: the first one that asks computes it, the others wait for it.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <chrono>
#include <memory>
#include <mutex>

namespace longpole {

template <typename T>
class ComputedOnce {
public:
    using Value = std::shared_ptr<const T>;

    // compute() -> Result<Value>. Errors: its own, which are not kept: who asks next tries again; cancelled.
    template <typename Compute>
    Result<Value> get(const Progress& progress, const Compute& compute)
    {
        std::unique_lock computing(m_computing, std::defer_lock);
        while (!computing.try_lock_for(std::chrono::milliseconds(5)))
            if (progress.isCancelled()) return cancelledError();
        if (Value known = peek()) return known;
        Result<Value> value = compute();
        if (!value.ok()) return value;
        const std::lock_guard lock(m_lock);
        m_value = *value;
        return value;
    }

    // Null while it is not there.
    Value peek() const
    {
        const std::lock_guard lock(m_lock);
        return m_value;
    }
    void forget()
    {
        const std::lock_guard lock(m_lock);
        m_value.reset();
    }

private:
    std::timed_mutex m_computing;  // held while one computes
    mutable std::mutex m_lock;     // of m_value
    Value m_value;
};

}  // namespace longpole
