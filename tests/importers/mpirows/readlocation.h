// SPDX-License-Identifier: GPL-3.0-or-later
// One location of an MPI program that a test wrote, read as an import reads it.
#pragma once

#include "core/trace/columns.h"
#include "importers/mpirows/locationrows.h"
#include "support/mpi/mpiprogram.h"

#include <QStringList>

#include <map>
#include <utility>
#include <vector>

namespace longpole::test {

// Keeps rows as text, and what the bins of tiles and entry methods add up to.
class RowRecorder final : public RowSink {
public:
    void append(ChunkKind kind, TrackId track, std::span<const std::int64_t> row) override
    {
        m_rows[{kind, index(track)}].emplace_back(row.begin(), row.end());
    }
    void append(TrackId, const TilePyramid&) override {}
    void append(TrackId, const EntryBins& bins) override { entryBins = bins; }

    const std::vector<std::vector<std::int64_t>>& rows(ChunkKind kind, std::uint32_t track = 0)
    {
        return m_rows[{kind, track}];
    }
    EntryBins entryBins;

private:
    std::map<std::pair<ChunkKind, std::uint32_t>, std::vector<std::vector<std::int64_t>>> m_rows;
};

// What an import makes of one location, with its rows as text.
struct ReadLocation {
    RowRecorder sink;
    ImportLog log;
    MpiLocationResult result;

    explicit ReadLocation(ScriptedMpi& program, std::size_t location = 0, bool keepsAll = false)
        : m_layout(program.names()), m_spill(QString(), std::size_t{1} << 30)
    {
        MpiLocationRows rows(m_layout, location, sink, m_spill, log, keepsAll);
        m_isRead = program.read(location, rows, log, Progress{}).ok();
        result = rows.finish();
    }
    bool isRead() const { return m_isRead; }
    // "begin+duration name", one for each task.
    QStringList tasks()
    {
        QStringList tasks;
        for (const auto& row : sink.rows(ChunkKind::Task)) {
            tasks << QStringLiteral("%1+%2 %3")
                         .arg(row[TaskColumn::Begin])
                         .arg(row[TaskColumn::Duration])
                         .arg(m_layout.name(EntryId{static_cast<std::uint32_t>(row[TaskColumn::Entry])}));
        }
        return tasks;
    }
    QStringList intervals(std::uint32_t track = 0)
    {
        QStringList intervals;
        for (const auto& row : sink.rows(ChunkKind::Interval, track)) {
            intervals << QStringLiteral("%1+%2-%3 depth %4 %5")
                             .arg(row[IntervalColumn::Begin])
                             .arg(row[IntervalColumn::Duration])
                             .arg(row[IntervalColumn::Nested])
                             .arg(row[IntervalColumn::Depth])
                             .arg(m_layout.names().regions[static_cast<std::size_t>(row[IntervalColumn::Region])].name);
        }
        return intervals;
    }
    // "piece hub after begin..end", one for each call.
    QStringList calls() const
    {
        const auto text = [](std::uint32_t row) { return row == noPiece ? QStringLiteral("-") : QString::number(row); };
        QStringList calls;
        for (const MpiCall& call : result.calls.rank.calls)
            calls << text(call.piece) + u' ' + text(call.hub) + u' ' + text(call.after)
                         + QStringLiteral(" %1..%2").arg(call.begin).arg(call.end);
        return calls;
    }
    QString issues() const
    {
        QStringList issues;
        for (const Issue& issue : log.issues())
            issues << issue.kind + (issue.count > 1 ? QStringLiteral("*%1").arg(issue.count) : QString());
        return issues.join(u' ');
    }

private:
    MpiLayout m_layout;
    Spill m_spill;
    bool m_isRead = false;
};

}  // namespace longpole::test
