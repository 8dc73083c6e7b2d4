// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/projections/rankcalls.h"

#include "core/trace/columns.h"
#include "core/trace/trackids.h"

#include <array>
#include <optional>

namespace longpole {

void emitRankCalls(const std::vector<const TimedRows*>& parts, const Spill& spill, TraceWriter& writer, RowSink& sink)
{
    std::optional<std::uint32_t> rank;
    TimedRows::merge(parts, spill, [&](const TimedRow& row, std::uint32_t depth) {
        if (rank != row.lane) {
            rank = row.lane;
            writer.add(Track{virtualRankTrack(row.lane), noTrack, TrackKind::Rank,
                             QStringLiteral("Rank %1").arg(row.lane), std::nullopt});
        }
        const std::array<std::int64_t, IntervalColumn::Count> values = {row.begin, row.duration, row.extra,
                                                                        depth,     row.region,   row.value};
        sink.append(ChunkKind::Interval, virtualRankTrack(row.lane), values);
    });
}

}  // namespace longpole
