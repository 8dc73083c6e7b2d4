// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the logs of a Projections run, all or a span of them, several at once: their rows, and what matching and the
// run's totals need of each.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracewriter.h"
#include "importers/common/importlog.h"
#include "importers/common/spill.h"
#include "importers/projections/log.h"
#include "importers/projections/opening.h"
#include "importers/projections/processor.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace longpole {

// When a run begins: with its first task; without one, with its first record.
struct RunBegins {
    TimeNs task = maxTime;
    TimeNs record = maxTime;
    TimeNs begin() const
    {
        if (task != maxTime) return task;
        return record != maxTime ? record : 0;
    }
};

class ProjectionsLogs {
public:
    struct Room {  // for what is needed again later
        Spill& creations;
        Spill& executions;
        QString folder;  // that they are in
    };
    // Logs [first, last) of the run. What is given must outlive this. `share`: of the progress, for reading.
    ProjectionsLogs(const OpenedProjections& opened, std::size_t first, std::size_t last, Room room,
                    const Progress& progress, double share);

    // A log is left as soon as its time is later than one found in another log.
    RunBegins firstTimes(unsigned threads);

    // Log i goes to the writer's stream i - first; run.begin is known by now. Errors: cancelled, full disk, a log that
    // no tracer makes.
    Result<> read(TraceWriter& writer, unsigned threads);
    // Why to stop, if there is a reason.
    std::optional<Error> stopReason() const;

    // By log - first, after read().
    std::vector<ProcessorResult>& results() { return m_results; }
    std::vector<ImportLog>& issues() { return m_issues; }
    // Whether any log could be read.
    bool isAnyRead() const;
    // How many bytes the logs that were read have without compression.
    std::int64_t inflated() const { return m_bytesInflated; }

private:
    void findFirst(std::size_t number);
    void readToFirst(ProjectionsLog& log);
    void readOne(std::size_t number, TraceWriter& writer);
    void stop(const Error& error);
    struct ReadSoFar {
        std::int64_t consumed = 0;
        std::int64_t inflated = 0;
    };
    void reportRead(const ProjectionsLog& log, ReadSoFar& before);

    const OpenedProjections& m_opened;
    const std::size_t m_first;
    Room m_room;
    const Progress& m_progress;
    const double m_share;
    std::int64_t m_bytes = 0;  // of these logs
    std::vector<ProcessorResult> m_results;
    std::vector<ImportLog> m_issues;
    std::atomic<std::int64_t> m_bytesRead{0};
    std::atomic<std::int64_t> m_bytesInflated{0};
    std::atomic<std::int64_t> m_inflatedFirst{0};  // likewise, while the first times are looked for
    std::atomic<TimeNs> m_firstTask{maxTime};
    std::atomic<TimeNs> m_firstRecord{maxTime};
    std::atomic<bool> m_stopped{false};
    mutable std::mutex m_mutex;  // m_error
    std::optional<Error> m_error;
};

// For logs that expand further than any trace does.
Error tooFarInflated(const QString& folder);
// For a run of whose logs not one can be read.
Error noneRead(const OpenedProjections& opened);

}  // namespace longpole
