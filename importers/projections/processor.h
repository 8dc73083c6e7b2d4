// SPDX-License-Identifier: GPL-3.0-or-later
// Imports the log of one processor: its records become rows, totals, and what matching needs later. Streaming, so that
// memory does not grow with the log.
#pragma once

#include "core/base/limits.h"
#include "core/base/pagedarray.h"
#include "core/trace/trace.h"
#include "core/trace/trackids.h"
#include "importers/common/nesting.h"
#include "importers/common/rowsink.h"
#include "importers/common/timedrows.h"
#include "importers/projections/creations.h"
#include "importers/projections/executions.h"
#include "importers/projections/log.h"
#include "importers/projections/matching.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace longpole {

// What all processors of a run share.
struct ProjectionsRun {
    ProjectionsSymbols symbols;
    RecordLayout layout;
    std::int64_t processors = 0;  // how many there are, with communication threads
    std::int64_t workers = 0;     // how many there are without
    TimeNs begin = 0;             // first BEGIN_PROCESSING
    bool isAmpi = false;
    bool hasBins = true;  // that the timeline draws from afar; false: the rows are for answers only
    std::uint32_t pendingLimit = 65536;
    std::vector<bool> knownEntries;

    bool knows(std::uint32_t entry) const { return entry < knownEntries.size() && knownEntries[entry]; }
    bool isCommThread(std::uint32_t pe) const { return pe >= workers; }
    // Learn from the symbols which processors are communication threads, and which entry methods have names.
    void setProcessors(std::int64_t count);
    void setKnownEntries();
};

// Ids of regions: the kind in the upper four bits, the program's number below. Tracks: below 2^30 PEs by number.
constexpr std::uint32_t regionNumber(RegionKind kind, std::uint32_t number)
{
    return (static_cast<std::uint32_t>(kind) << 28) | (number & 0x0fffffffu);
}

struct ProcessorResult {
    Processor processor;  // all but name, node, process, kind
    TimeNs busy = 0;
    std::array<std::int64_t, recordTypes> counts{};
    std::vector<ProfileRow> profile;
    std::set<std::uint32_t> regions;            // region numbers that rows use
    std::vector<std::uint32_t> unknownEntries;  // ids that rows use though the .sts lacks them
    std::vector<QString> texts;                 // text k has the id (pe << 32) | k
    bool hasUserEventTrack = false;
    bool isBinary = false;
    TimedRows rankIntervals;  // AMPI only
    Creations creations;
    Executions executions;
    std::vector<BroadcastCreation> broadcasts;  // `source` is not set
    std::vector<RecordedMerge> merges;
};

class ProjectionsProcessor final : private NestingSink {
public:
    ProjectionsProcessor(const ProjectionsRun& run, std::uint32_t pe, RowSink& sink, Spill& creationSpill, Spill& spill,
                         ImportLog& log);

    // How large the log is, and how many the run has, so that what is kept of its texts is bounded by that. Else
    // limits::textBytes alone does.
    void setLogBytes(std::int64_t bytes, std::size_t logs);
    void add(const LogRecord& record, std::int64_t line);
    // To be called after the last record.
    ProcessorResult finish(const ProjectionsLog& source);

private:
    using PairKey = std::pair<std::uint32_t, std::int64_t>;  // region, nestedID
    struct Waiting {
        TimeNs begin;
        TimeNs end;
        SpanKind kind;
    };

    void execution(std::uint32_t row, const Execution& execution) override;
    void piece(const Span& span, const Execution& execution) override;
    void busy(TimeNs begin, TimeNs end, std::uint32_t entry) override;
    void span(const Span& span) override;

    TimeNs timeOf(const LogRecord& record, std::int64_t line);
    void handle(const LogRecord& record, TimeNs time, std::int64_t line);
    void handleUser(const LogRecord& record, TimeNs time, std::int64_t line);
    void beginProcessing(const LogRecord& record, TimeNs time, std::int64_t line);
    void creation(const LogRecord& record, TimeNs time, std::int64_t line);
    void hop(const LogRecord& record, TimeNs time);
    void papi(const LogRecord& record, TimeNs time);
    void counter(RegionKind kind, std::uint32_t number, TimeNs time, double value, double userTime);
    void mark(RegionKind kind, std::uint32_t number, TimeNs time, TimeNs duration, std::int64_t value,
              std::string_view text);
    void note(std::string_view text, TimeNs time);
    void openPair(const LogRecord& record, RegionKind kind, TimeNs time, std::int64_t line);
    void closePair(const LogRecord& record, RegionKind kind, TimeNs time, std::int64_t line);
    void pairLine(const LogRecord& record, TimeNs time, std::int64_t line);
    void interval(std::uint32_t region, std::int64_t nestedId, TimeNs begin, TimeNs end);
    void closeOpenPairs();
    void give(TimeNs begin, TimeNs end, SpanKind kind);
    void giveWaiting(TimeNs until);
    void emitUserRows();
    void checkEntry(std::uint32_t entry, std::int64_t line);

    const ProjectionsRun& m_run;
    const std::uint32_t m_pe;
    const TrackId m_track;
    RowSink& m_sink;
    Spill& m_creationSpill;
    Spill& m_spill;
    ImportLog& m_log;
    Nesting m_nesting;
    TileBuilder m_tiles;
    EntryBinBuilder m_entryBins;
    ProcessorResult m_result;
    PagedArray<ProfileRow> m_profile;  // by entry
    std::vector<bool> m_unknownEntries;
    std::vector<Waiting> m_waiting;  // spans that a piece may still cover
    TimeNs m_busyUntil = minTime;

    std::optional<TimeNs> m_first;
    TimeNs m_now = 0;
    bool m_hasEnded = false;

    std::map<PairKey, std::vector<TimeNs>> m_openPairs;  // begins, innermost last
    struct HalfPair {
        std::uint32_t number;
        std::int32_t event;
        TimeNs begin;
    };
    std::int64_t m_textBytes = limits::textBytes.free;  // that may still be kept
    std::optional<HalfPair> m_halfPair;                 // first line of a 100 pair
    TimedRows m_intervals;
    TimedRows m_marks;
};

}  // namespace longpole
