// SPDX-License-Identifier: GPL-3.0-or-later
// The samples of a run's critical path that its recorder writes while it runs (online.jsonl), read as they come.
#pragma once

#include "analysis/base/json.h"
#include "analysis/base/rational.h"
#include "core/base/result.h"
#include "core/base/timerange.h"

#include <QFile>
#include <QString>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

struct OnlineProcedure {
    QString name;
    TimeNs share = 0;                   // of the path
    std::optional<TimeNs> net{};        // length of the path without it; empty unless it was asked for
    std::optional<TimeNs> inclusive{};  // of the path, with what it calls; empty unless it was asked for
    TimeNs netSince = 0;                // what it did before that time of the run counts as on the path
    TimeNs cpu = 0;                     // of all ranks
};

struct OnlineRank {
    std::int64_t rank = 0;
    TimeNs share = 0;  // of the path
};

struct OnlineSample {
    TimeNs time = 0;     // since the run's begin
    TimeNs length = 0;   // of the path
    TimeNs covered = 0;  // time of the run that the figures are about
    std::int64_t meetings = 0;
    std::vector<OnlineProcedure> procedures{};  // most of the path first
    TimeNs rest = 0;                            // of the path, in procedures that are not listed
    TimeNs restCpu = 0;                         // of all ranks, in these
    std::vector<OnlineRank> ranks{};            // most of the path first
    TimeNs own = 0;                             // the recorder's own, of all ranks
    std::int64_t messages = 0;
    std::int64_t late = 0;         // messages whose sender had no note of them
    std::int64_t ambiguous = 0;    // receives of which was not known in time which message they took
    std::int64_t ahead = 0;        // messages that were received before the meeting that their sender had passed
    std::int64_t mistraced = 0;    // batches whose parts by procedure and rank do not add up to their length
    TimeNs paused = 0;             // time of the run in which it was stopped
    TimeNs lost = 0;               // time of the run without notes, for want of memory
    std::int64_t differences = 0;  // batches after which two carriers differed, if there were two
    // Batches after which they were compared, also by the parts of procedures, and after which they were not, since one
    // of them was in doubt; nothing before that was written.
    std::optional<std::int64_t> compared{}, comparedShares{}, notCompared{};
    Rational factor{0, 1};  // of its time that a procedure takes in its net
    bool isOfCpu = false;   // the path is of processor time
    bool isStopped = false;
    bool isBetween = false;  // meetings: of values that ranks have told one after the other
    bool isFinal = false;
    JsonValue json{};  // the line itself
};

// Error: not a line of a version that is known.
Result<OnlineSample> parseSample(const QByteArray& line);

class OnlineSamples {
public:
    // `run`: a recording's folder, or the file in it. Errors: none is there, or no file with samples in it.
    static Result<OnlineSamples> open(const QString& run);

    // The samples that were added since, as many as begin within so many bytes; a line that is not whole yet is left
    // for the next time. Errors: the file cannot be read, became shorter, has something else in it.
    Result<std::vector<OnlineSample>> read(qint64 mostBytes = std::numeric_limits<qint64>::max());
    bool isBehind() const { return m_isBehind; }  // the last read ended at its bytes: there may be more

    QString folder() const;  // of the recording

private:
    explicit OnlineSamples(QString file) : m_file(std::move(file)) {}

    QString m_file;
    qint64 m_read = 0;   // bytes, whole lines
    qint64 m_lines = 0;  // read so far
    bool m_isBehind = false;
};

}  // namespace longpole
