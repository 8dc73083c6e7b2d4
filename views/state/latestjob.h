// SPDX-License-Identifier: GPL-3.0-or-later
// Work off the UI thread of which only the newest counts: one job runs, at most one waits, and the value of a job that
// was replaced is dropped. Lives on the UI thread, where it polls.
#pragma once

#include "core/base/job.h"
#include "core/base/jobturn.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace longpole {

// When a value is given: at once, or not while a menu or a dialog runs a loop of its own. A value that replaces widgets
// would take away those that have opened it.
enum class Handover : std::uint8_t { AtOnce, OutsideMenus };

template <typename T>
class LatestJob {
public:
    using Work = std::function<T(const Progress&)>;
    using Done = std::function<void(T)>;

    LatestJob() : LatestJob(Handover::AtOnce) {}
    explicit LatestJob(Handover handover) : m_handover(handover)
    {
        m_timer.setInterval(4);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { poll(); });
    }

    // Starts `work`; `done` gets its value on the UI thread unless start or cancel is called before.
    void start(Work work, Done done)
    {
        m_done = std::move(done);
        if (m_job) {
            m_job->cancel();
            m_stale = true;
            m_waiting = std::move(work);
            return;
        }
        run(std::move(work));
    }
    // Returns at once; `done` will not be called.
    void cancel()
    {
        m_waiting = nullptr;
        m_done = nullptr;
        if (!m_job) return;
        m_stale = true;
        m_job->cancel();
    }

    bool isRunning() const { return m_job && (!m_stale || m_waiting); }
    double fraction() const { return m_job && !m_stale ? m_job->fraction() : 0.0; }

private:
    void run(Work work)
    {
        m_stale = false;
        m_job = std::make_unique<Job<T>>(std::move(work));
        m_timer.start();
    }
    void poll()
    {
        if (!m_job || !m_job->isFinished()) return;
        if (m_handover == Handover::OutsideMenus && isInNestedLoop()) return;
        const std::unique_ptr<Job<T>> job = std::move(m_job);
        m_timer.stop();
        if (m_waiting) {
            run(std::exchange(m_waiting, nullptr));
            return;
        }
        const Done done = std::exchange(m_done, nullptr);
        if (!m_stale && done) done(job->take());
    }

    Handover m_handover;
    QTimer m_timer;
    Done m_done;
    Work m_waiting;
    bool m_stale = false;
    std::unique_ptr<Job<T>> m_job;
};

}  // namespace longpole
