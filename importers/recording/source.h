// SPDX-License-Identifier: GPL-3.0-or-later
// A recording as a source of MPI events: each rank's threads are locations.
#pragma once

#include "importers/mpi/source.h"
#include "importers/recording/run.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

// Where the reading of a rank stands between two records of its own thread.
struct RecordingPlace {
    std::uint32_t seq = 0;     // of the chunk
    std::size_t offset = 0;    // in its records
    std::uint64_t before = 0;  // checksum of the numbers and lengths of the chunks before it
    std::uint64_t inside = 0;  // of the types and times of its records before the place
    RecordingEventsState events;
    ImportLog log;
};

class RecordingSource final : public MpiSource {
public:
    // As openRecording.
    static Result<std::unique_ptr<RecordingSource>> open(const QString& path, unsigned threads,
                                                         const Progress& progress);
    explicit RecordingSource(RecordingRun&& run) : m_run(std::move(run)) {}

    const RecordingRun& run() const { return m_run; }
    // From here on read() begins there, by rank; empty: at the begin. Of runs with one thread a rank only. False, and
    // nothing has changed: not all of what was read until there lies there any more.
    bool goOnFrom(const std::vector<RecordingPlace>& places);
    // Chooses the places that read() tells of: behind the last calls in which all ranks may have met.
    void choosePlaces(unsigned threads, const Progress& progress);
    // Where read() stood at a place, by rank. All ranks have been read, and have told of it.
    std::vector<RecordingPlace> takePlaces(std::size_t place);

    const MpiRunNames& names() const override { return m_run.names; }
    Result<> read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress) override;
    std::unique_ptr<MpiReading> begin(std::size_t location, MpiEvents& events, ImportLog& log) override;
    std::int64_t expectedCalls() const override;
    const ImportLog& log() const override { return m_run.log; }

private:
    struct Chosen {
        std::size_t place = 0;
        std::uint32_t seq = 0;
        std::size_t offset = 0;
    };
    class Reading;

    RecordingRun m_run;
    std::vector<RecordingPlace> m_from;                                // by rank, or empty
    std::vector<std::vector<Chosen>> m_chosen;                         // by rank, in order, or empty
    std::vector<std::vector<std::optional<RecordingPlace>>> m_places;  // by place, then rank
};

}  // namespace longpole
