// SPDX-License-Identifier: GPL-3.0-or-later
// Loads rows off the user interface's thread: one request runs, at most one waits, the newest wins.
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

    explicit RowLoader(std::shared_ptr<const TraceStore> store, QObject* parent = nullptr);

    // Replaces what has not been started yet. A slice of about 30 ms that runs is finished and delivered: continuous
    // scrolling always shows something new.
    void request(std::vector<RowRequest> rows);
    bool isBusy() const { return m_job || !m_waiting.empty(); }

Q_SIGNALS:
    void loaded(const std::vector<longpole::RowLoader::Loaded>& rows);

private:
    void start();
    void poll();

    std::shared_ptr<TileSource> m_source;
    std::vector<RowRequest> m_running;  // what the job was given
    std::vector<RowRequest> m_waiting;
    std::unique_ptr<Job<std::vector<Loaded>>> m_job;
    QTimer m_timer;
};

}  // namespace longpole
