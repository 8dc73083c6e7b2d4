// SPDX-License-Identifier: GPL-3.0-or-later
// A block of an MPI run's ranks, all of them or those that one process hosts: reads them, keeps what matching needs,
// and writes their rows.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracewriter.h"
#include "importers/common/spill.h"
#include "importers/mpi/partners.h"
#include "importers/mpi/taskbegins.h"
#include "importers/mpirows/importstop.h"
#include "importers/mpirows/locationrows.h"
#include "importers/mpirows/rankrows.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

class MpiRankBlock {
public:
    // The part of the whole work that a step is.
    struct ProgressRange {
        double from = 0;
        double to = 1;
    };

    // Ranks [first, last) of the layout, which must outlive it. `folder`: where what finds no room in memory goes.
    MpiRankBlock(const MpiLayout& layout, std::uint32_t first, std::uint32_t last, const QString& folder,
                 unsigned threads);

    // Writes the rows of each location as the stream of its number in locations().
    Result<> read(MpiSource& source, TraceWriter& writer, const Progress& progress, double share);
    // Writes the rows of each rank that only matching knows, as the streams after those of the locations.
    Result<> writeRanks(const MpiPartners& partners, TraceWriter& writer, const Progress& progress,
                        ProgressRange range);

    std::uint32_t first() const { return m_first; }
    std::uint32_t size() const { return m_last - m_first; }
    const std::vector<std::size_t>& locations() const { return m_locations; }  // their numbers in the run, ascending
    // By location of the block.
    std::span<const MpiLocationResult> results() const { return m_results; }
    std::span<const ImportLog> logs() const { return m_logs; }
    // By rank of the block.
    std::span<const MpiRank> ranks() const { return m_ranks; }
    std::span<const TaskBegins> begins() const { return m_begins; }
    std::span<const MpiRankTotals> totals() const { return m_totals; }
    std::span<const ImportLog> rankLogs() const { return m_rankLogs; }
    std::vector<bool> sendsFrom() const;  // by region: a message is named after this call

    // Why the work has to stop, if it has to.
    std::optional<Error> stopReason(const Progress& progress) const { return m_stop.reason(progress); }

private:
    static constexpr std::size_t intervalMemory = std::size_t{256} << 20;
    struct Reading {
        MpiSource& source;
        TraceWriter& writer;
        const Progress& progress;
        double share;  // of the whole work
    };

    void readLocation(const Reading& reading, std::size_t location);
    void reportRead(const Reading& reading, double done);
    void joinRank(std::uint32_t rank);
    void hangThreads(std::uint32_t rank);

    const MpiLayout& m_layout;
    const std::uint32_t m_first;
    const std::uint32_t m_last;
    const unsigned m_threads;
    Spill m_spill;
    ImportStop m_stop;
    std::vector<std::size_t> m_locations;
    std::vector<ImportLog> m_logs;                          // by location
    std::vector<MpiLocationResult> m_results;               // by location
    std::vector<std::vector<std::size_t>> m_locationsOf;    // by rank
    std::vector<std::optional<std::size_t>> m_ownLocation;  // by rank: with its tasks
    std::vector<MpiRank> m_ranks;
    std::vector<TaskBegins> m_begins;                       // by rank
    std::vector<TimeRange> m_active;                        // by rank
    std::vector<std::vector<MpiThreadWait>> m_threadWaits;  // by rank
    std::vector<ImportLog> m_rankLogs;
    std::vector<MpiRankTotals> m_totals;
    std::mutex m_mutex;  // m_read
    double m_read = 0;   // locations
};

}  // namespace longpole
