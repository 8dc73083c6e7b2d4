// SPDX-License-Identifier: GPL-3.0-or-later
// The expert's answer about the open trace: computed once, when a view first asks for it, for all views together;
// dropped when the graph or the thresholds change. Lives on the UI thread.
#pragma once

#include "analysis/expert/expert.h"
#include "core/base/result.h"
#include "views/state/latestjob.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace longpole {

class ViewState;

class ExpertSource : public QObject {
    Q_OBJECT
public:
    using Answer = Result<std::shared_ptr<const Expert>>;
    // Called on a worker.
    using Compute = std::function<Answer(const std::shared_ptr<const TraceStore>& store,
                                         const std::shared_ptr<const ActivityGraph>& graph,
                                         const Thresholds& thresholds, const Progress& progress)>;

    // `state` outlives it.
    ExpertSource(ViewState& state, Compute compute, QObject* parent = nullptr);

    // Begins if there is no answer and none under way. False: it cannot yet, the tasks are not loaded.
    bool want();
    void cancel();
    bool isComputing() const { return m_job.isRunning(); }
    double fraction() const { return m_job.fraction(); }
    // Null while there is none.
    const std::shared_ptr<const Expert>& expert() const { return m_expert; }
    // Why there is none: it failed or was cancelled.
    const std::optional<Error>& error() const { return m_error; }

    const Thresholds& thresholds() const { return m_thresholds; }
    QString thresholdsFile() const { return m_file; }  // empty: the defaults
    // Reads them and drops the answer, also when it is the same file: it may have been edited. Empty: the defaults.
    // Errors: of readThresholds; nothing is changed then.
    Result<> setThresholdsFile(const QString& file);

Q_SIGNALS:
    void changed();  // an answer came, went or failed, or is asked for
    void thresholdsChanged();

private:
    void drop();
    void accept(Answer answer);

    ViewState& m_state;
    Compute m_compute;
    Thresholds m_thresholds;
    QString m_file;
    std::shared_ptr<const Expert> m_expert;
    std::optional<Error> m_error;
    LatestJob<Answer> m_job;
};

}  // namespace longpole
