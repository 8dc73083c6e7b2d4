// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the measures of one processor, stage by stage.
#pragma once

#include "analysis/base/leastlatencies.h"
#include "analysis/base/sentmessages.h"
#include "analysis/graph/executionparts.h"
#include "analysis/mpi/callwaits.h"
#include "analysis/projection/stagecells.h"
#include "analysis/projection/stageplan.h"
#include "core/store/rows.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace longpole {

// What all processors' counters share.
struct StageContext {
    StageContext(const TraceStore& trace, const StageRequest& asked);

    const TraceStore& store;
    const StageRequest& request;
    StagePlan plan;
    TimeRange counted;                    // the stages' time; open to the sides where the run's ends are theirs
    std::vector<std::uint32_t> nodeOfPe;  // by PE; the largest number: unknown
    std::vector<std::vector<TrackId>> tracksOfPe;  // by PE; none where no measure looks at tracks
    bool hasDeliveries;                            // messages come in rows of their own: an MPI run
    SentMessages sent{};                           // to be read if needsSent()
    std::optional<CallWaits> waits{};              // where StageQuantity::Waited is wanted
    // Steps of the path that compute, by PE, in the order of the path.
    std::vector<std::vector<std::pair<TimeRange, EntryId>>> pathOfPe;

    bool needsSent() const;
    bool needsCalls() const;
    bool needsTracks() const;
    bool isSameNode(std::int64_t pe, std::int64_t other) const;
    // The stage of an instant; empty: it lies outside.
    std::optional<std::size_t> stageOf(TimeNs time) const;
};

struct StageCounts {
    std::vector<std::vector<std::int64_t>> counts;  // [measure][stage]; empty where the measure is real
    std::vector<std::vector<double>> reals;
    bool isEstimated = false;
};

class StageCounter : private ExecutionVisitor {
public:
    StageCounter(const StageContext& context, const Processor& processor);

    // Errors: damaged chunks; cancelled.
    Result<> count(const Progress& progress);
    StageCounts take() { return std::move(m_sums); }

private:
    struct Lost {  // pack, flush or untraced
        TimeNs begin = 0;
        TimeNs end = 0;
        StageQuantity quantity{};
    };

    Result<> tasks(const RowBlock<TaskRow>& rows) override;
    void part(TimeNs begin, TimeNs end, EntryId innermost, bool passes) override;
    Result<> countExecutions(const Progress& progress);
    Result<> countTask(const TaskRow& task);
    Result<> countDeliveries();
    void countDelivery(EntryId entry, std::size_t stage, ProcessorId creator, TimeNs latency, std::int64_t bytes);
    Result<> openLatencies();
    void countWaiting(EntryId entry, TimeNs received, TimeNs begin, std::optional<std::size_t> stage);
    Result<> countIdle();
    Result<> openLost(TimeNs until);
    void takeFromLost(TimeNs begin, TimeNs end);
    Result<> countMessages();
    Result<> countTracks(const Progress& progress);
    Result<> countIntervals(TrackId track);
    Result<> countMarks(TrackId track);
    Result<> countSamples(TrackId track);
    Result<> countMemory(TrackId track);
    Result<> countMpi(const Progress& progress);
    Result<> countCalls(TrackId track, const Progress& progress);
    Result<> countThreadWaits(TrackId track, const Progress& progress);
    void countPath();
    void countLength();
    void spread(std::span<const std::uint32_t> measures, TimeNs begin, TimeNs end, std::int64_t sign = 1);
    void spreadOverlapping(std::span<const std::uint32_t> measures, TimeNs begin, TimeNs end, std::int64_t sign = 1);
    void addOverlaps();
    void add(std::span<const std::uint32_t> measures, std::size_t stage, std::int64_t value);
    std::optional<std::size_t> stageOf(TimeNs time);

    const StageContext& m_context;
    const Processor& m_processor;
    const Stages& m_stages;
    StageCounts m_sums;
    std::size_t m_hint = 0;     // the stage found last
    bool m_countsRows = false;  // executions, not only their time
    std::optional<RowSeeker<TaskSourceRow>> m_sources;
    std::optional<LeastLatencies> m_latencies;
    std::optional<RowScan<OverheadRow>> m_lostRows;
    const OverheadRow* m_lostRow = nullptr;
    std::vector<Lost> m_opened;  // since the part before
    std::vector<Lost> m_lost;    // others that may still meet executions; a heap, the first to end on top
    std::map<StageQuantity, std::int64_t> m_open;  // how many of those
    std::vector<std::vector<std::int64_t>>
        m_covering;                // [measure][stage]: intervals that cover the stage, as differences
    std::optional<Error> m_error;  // met while a part was counted
};

}  // namespace longpole
