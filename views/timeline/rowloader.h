// SPDX-License-Identifier: GPL-3.0-or-later
// Loads rows off the UI thread: one request runs, at most one waits, and the newest replaces the one that waits.
#pragma once

#include "core/base/job.h"
#include "views/drawing/timeline/tilesource.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace longpole {

class RowLoader : public QObject {
    Q_OBJECT
public:
    struct Loaded {
        RowRequest request;
        std::shared_ptr<const RowData> data;
    };

    explicit RowLoader(Results& results, QObject* parent = nullptr);

    // Replaces what has not been loaded yet. Rows are loaded and delivered in slices of about 30 ms; the one that runs
    // is finished first, so that while the hand scrolls there is always something new to show.
    void request(std::vector<RowRequest> rows);
    bool isBusy() const { return m_job || !m_waiting.empty(); }

Q_SIGNALS:
    void loaded(const std::vector<longpole::RowLoader::Loaded>& rows);

private:
    void start();
    void poll();

    std::shared_ptr<TileSource> m_source;
    std::vector<RowRequest> m_running;  // what the job was given; it loads as many of these as fit into its slice
    std::vector<RowRequest> m_waiting;
    std::unique_ptr<Job<std::vector<Loaded>>> m_job;
    QTimer m_timer;
};

}  // namespace longpole
