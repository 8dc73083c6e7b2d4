// SPDX-License-Identifier: GPL-3.0-or-later
// A made program as a source of MPI events: its ranks are made when they are read, by the process that hosts them, and
// lie in no file.
#pragma once

#include "distributed/simulation/madeprogram.h"
#include "importers/mpi/source.h"

#include <memory>
#include <mutex>

namespace longpole {

class MadeSource final : public MpiSource {
public:
    explicit MadeSource(const SimulatedRun& run);

    const MpiRunNames& names() const override { return m_names; }
    Result<> read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress) override;
    const ImportLog& log() const override { return m_log; }

    const MadeProgram& program() const { return *m_program; }
    // What is planted in the ranks that were read from here, added up.
    PlantedRank planted() const;

private:
    SimulatedRun m_run;
    std::unique_ptr<MadeProgram> m_program;
    MpiRunNames m_names;
    ImportLog m_log;
    mutable std::mutex m_mutex;  // m_planted
    PlantedRank m_planted;
};

}  // namespace longpole
