// SPDX-License-Identifier: GPL-3.0-or-later
// A recording as a source of MPI events: each rank's threads are locations.
#pragma once

#include "importers/mpi/source.h"
#include "importers/recording/run.h"

#include <memory>

namespace longpole {

class RecordingSource final : public MpiSource {
public:
    // As openRecording.
    static Result<std::unique_ptr<RecordingSource>> open(const QString& path, unsigned threads,
                                                         const Progress& progress);
    explicit RecordingSource(RecordingRun&& run) : m_run(std::move(run)) {}

    const MpiRunNames& names() const override { return m_run.names; }
    Result<> read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress) override;
    const ImportLog& log() const override { return m_run.log; }

private:
    RecordingRun m_run;
};

}  // namespace longpole
