// SPDX-License-Identifier: GPL-3.0-or-later
// Computes the answer and keeps it.
#include "views/state/expertsource.h"

#include "views/state/viewstate.h"

namespace longpole {

ExpertSource::ExpertSource(ViewState& state, Compute compute, QObject* parent)
    : QObject(parent), m_state(state), m_compute(std::move(compute))
{
    connect(&m_state, &ViewState::graphChanged, this, &ExpertSource::drop);
}

bool ExpertSource::want()
{
    if (m_expert || isComputing()) return true;
    const std::shared_ptr<const ActivityGraph> graph = m_state.graph();
    if (!graph) return false;
    m_error.reset();
    m_job.start([store = m_state.sharedStore(), graph, compute = m_compute, thresholds = m_thresholds](
                    const Progress& progress) { return compute(store, graph, thresholds, progress); },
                [this](Answer answer) { accept(std::move(answer)); });
    Q_EMIT changed();
    return true;
}

void ExpertSource::accept(Answer answer)
{
    if (answer) m_expert = std::move(*answer);
    else m_error = answer.error();
    Q_EMIT changed();
}

void ExpertSource::cancel()
{
    if (!isComputing()) return;
    m_job.cancel();
    m_error = Error{tr("Not computed."), {}, {}};
    Q_EMIT changed();
}

void ExpertSource::drop()
{
    m_job.cancel();
    m_expert.reset();
    m_error.reset();
    Q_EMIT changed();
}

Result<> ExpertSource::setThresholdsFile(const QString& file)
{
    Thresholds thresholds;
    if (!file.isEmpty()) {
        Result<Thresholds> read = readThresholds(file);
        if (!read) return read.error();
        thresholds = *read;
    }
    m_thresholds = thresholds;
    m_file = file;
    drop();
    Q_EMIT thresholdsChanged();
    return Unit{};
}

}  // namespace longpole
