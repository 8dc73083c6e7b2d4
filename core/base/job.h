// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a function on a thread of its own, which reports its progress and can be told to stop. The owner polls: the
// worker emits no signal, so there is none to race with. Work whose result may be an Error is one if memory runs out.
#pragma once

#include "core/base/memory.h"
#include "core/base/progress.h"

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

namespace longpole {

template <typename T>
class Job {
public:
    // Starts at once. `work` must look at the progress it is given, or the destructor waits for all of it.
    explicit Job(std::function<T(const Progress&)> work)
        : m_thread([this, run = std::move(work)] {
              m_value.emplace(withinMemory([&] { return run(m_progress); }));
              m_finished.store(true, std::memory_order_release);
          })
    {
    }
    // Cancels and waits for the worker to return.
    ~Job() { cancel(); }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    bool isFinished() const { return m_finished.load(std::memory_order_acquire); }
    double fraction() const { return m_progress.fraction(); }
    void cancel() { m_progress.cancel(); }
    bool isCancelled() const { return m_progress.isCancelled(); }

    // The value; waits for it. To be called once.
    T take()
    {
        if (m_thread.joinable()) m_thread.join();
        return std::move(*m_value);
    }

private:
    Progress m_progress;
    std::optional<T> m_value;
    std::atomic<bool> m_finished{false};
    std::jthread m_thread;  // last: it uses all of the above, and is joined first
};

}  // namespace longpole
