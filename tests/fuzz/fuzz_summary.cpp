// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the readers of .sum and .sumd, parted by the byte ff, and what is made of them: sums that add up.
#include "fuzz/logrun.h"
#include "importers/summary/processor.h"

using namespace longpole;

namespace {

class TileSink final : public RowSink {
public:
    void append(ChunkKind, TrackId, std::span<const std::int64_t>) override {}
    void append(TrackId, const TilePyramid& pyramid) override
    {
        for (const TileLevel& level : pyramid.levels) {
            TileBin sum;
            for (const TileBin& bin : level.bins) {
                require(bin.busy >= 0 && bin.idle >= 0 && bin.tasks >= 0, "no negative sums");
                sum.busy += bin.busy;
                sum.idle += bin.idle;
            }
            busy = sum.busy;
            idle = sum.idle;
        }
    }
    void append(TrackId, const EntryBins& bins) override
    {
        for (std::size_t row = 0; row < bins.rows(); ++row) time += bins.time[row];
        hasBins = true;
    }
    TimeNs busy = 0;
    TimeNs idle = 0;
    TimeNs time = 0;
    bool hasBins = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const QByteArray bytes(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    const qsizetype part = bytes.indexOf('\xff');
    ImportLog log;
    const std::optional<Summary> summary = parseSummary(bytes.left(part), log);
    std::optional<SummaryDetail> detail;
    if (part >= 0) detail = parseSummaryDetail(bytes.mid(part + 1), log);
    if (!summary || summary->intervals > 100'000) return 0;  // slow, not wrong
    SummaryRun run;
    run.end = summary->end();
    run.packEntry = 1;
    run.unpackEntry = 2;
    if (detail) run.run.begin = std::min(firstActivity(*detail, run), run.end);
    TileSink sink;
    SummaryCounts counts;
    const ProcessorResult result = importSummary(run, 0, *summary, detail, sink, log, counts);
    require(sink.busy == result.busy && sink.idle == result.processor.idle, "tiles add up to the totals");
    require(result.busy + result.processor.idle <= run.end - run.run.begin, "no more time than there is");
    TimeNs time = 0;
    for (const ProfileRow& row : result.profile) time += row.exclusive;
    if (sink.hasBins) require(sink.time == time, "entry bins add up to the profile");
    return 0;
}
