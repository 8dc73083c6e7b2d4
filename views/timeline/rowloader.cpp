// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/rowloader.h"

#include <chrono>

namespace longpole {

namespace {

constexpr std::chrono::milliseconds slice{30};
constexpr int pollEvery = 3;  // ms

}  // namespace

RowLoader::RowLoader(Results& results, QObject* parent)
    : QObject(parent), m_source(std::make_shared<TileSource>(results))
{
    m_timer.setInterval(pollEvery);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &RowLoader::poll);
}

void RowLoader::request(std::vector<RowRequest> rows)
{
    m_waiting = std::move(rows);
    if (!m_job) start();
}

void RowLoader::start()
{
    if (m_waiting.empty()) {
        m_timer.stop();
        return;
    }
    // The worker loads rows from the front until its time is over; poll() lets the rest wait again.
    m_job = std::make_unique<Job<std::vector<Loaded>>>([source = m_source, rows = m_waiting](const Progress& progress) {
        const auto end = std::chrono::steady_clock::now() + slice;
        std::vector<Loaded> loaded;
        for (const RowRequest& row : rows) {
            if (progress.isCancelled()) break;
            loaded.push_back({row, source->row(row)});
            if (std::chrono::steady_clock::now() > end) break;
        }
        return loaded;
    });
    m_running = std::move(m_waiting);
    m_waiting.clear();
    m_timer.start();
}

void RowLoader::poll()
{
    if (!m_job || !m_job->isFinished()) return;
    const std::vector<Loaded> rows = m_job->take();
    m_job.reset();
    if (m_waiting.empty() && !rows.empty())  // none: there was no memory for the first one
        m_waiting.assign(m_running.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), m_running.size())),
                         m_running.end());
    m_running.clear();
    start();
    Q_EMIT loaded(rows);
}

}  // namespace longpole
