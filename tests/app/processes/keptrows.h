// SPDX-License-Identifier: GPL-3.0-or-later
// A trace that has the events of parts of a run held against that of the whole run, row by row.
#pragma once

#include "core/store/rows.h"
#include "core/store/tracestore.h"
#include "core/trace/columns.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <vector>

namespace longpole::test {

inline std::vector<std::int64_t> rowOf(const Chunk& chunk, std::uint32_t row)
{
    std::vector<std::int64_t> values;
    for (const auto& column : chunk.columns) values.push_back(column[row]);
    return values;
}
inline bool touchesKept(const TraceStore& kept, ProcessorId pe, const ChunkSpec& spec, const Chunk& chunk,
                        std::uint32_t row)
{
    const TimeNs begin = chunk.at(std::size_t(spec.timeColumn), row);
    const TimeNs end = spec.durationColumn < 0 ? begin : begin + chunk.at(std::size_t(spec.durationColumn), row);
    return std::ranges::any_of(kept.kept(), [&](const KeptRange& range) {
        return range.pe == pe && range.begin <= end && range.end >= begin;
    });
}

// Rows of the first are those of the second of the same number, and there where it says so.
inline void compareRows(const TraceStore& kept, const TraceStore& whole)
{
    std::size_t rows = 0;
    for (const ChunkSpec& spec : chunkSpecs()) {
        if (spec.kind == ChunkKind::Tile || spec.kind == ChunkKind::EntryBin || spec.kind == ChunkKind::Latency)
            continue;
        for (const Track& track : whole.tracks()) {
            std::map<std::int64_t, std::vector<std::int64_t>> own;
            for (const ChunkRef& ref : kept.keptChunks(spec.kind, track.id)) {
                const auto chunk = kept.read(ref, 0xffffffffu, Coverage::Kept);
                QVERIFY2(chunk.ok(), chunk ? "" : qPrintable(chunk.error().what));
                for (std::uint32_t row = 0; row < ref.rows; ++row) own.emplace(ref.firstRow + row, rowOf(**chunk, row));
            }
            rows += own.size();
            std::size_t found = 0;
            for (const ChunkRef& ref : whole.chunks(spec.kind, track.id)) {
                const auto chunk = whole.read(ref);
                QVERIFY(chunk.ok());
                for (std::uint32_t row = 0; row < ref.rows; ++row) {
                    const auto same = own.find(ref.firstRow + row);
                    if (same != own.end()) {
                        ++found;
                        QVERIFY(same->second == rowOf(**chunk, row));
                    } else if (track.pe && spec.timeColumn >= 0) {
                        QVERIFY(!touchesKept(kept, *track.pe, spec, **chunk, row));
                    }
                }
            }
            QCOMPARE(found, own.size());
        }
    }
    QCOMPARE(rows == 0, kept.kept().empty());
}

}  // namespace longpole::test
