// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the records of one log into lines of a reduced log: all of them, or those in a range of time, with everything
// that was open at its edges cut there. Adds the steps of a path as intervals of a user event. Streaming. The import
// makes of the cut log what it made of the whole one in the range, except where the end of a block is lost: it then
// guesses from what comes before and after, of which a cut log has less.
#pragma once

#include "core/base/timerange.h"
#include "importers/projections/log.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace longpole {

// How to cut a log. The range's ends are whole microseconds; minTime and maxTime leave the start and end of the log as
// they are. Records in [begin, end) stay; at the edges, what ends at `end` stays, what ends at `begin` does not.
struct LogCutting {
    TimeRange range{minTime, maxTime};
    std::span<const TimeRange> path;        // the path's steps on this PE, by end
    std::uint32_t pathEvent = 0;            // the user event as whose intervals they are written
    bool replacesPath = false;              // intervals of that event in the log are left out
    std::int32_t firstPathEventNumber = 0;  // the event number of the first interval; the others count on
    int pathNestedId = 0;                   // -1 in AMPI runs, where a nestedID is the rank
    std::uint32_t pe = 0;
};

class LogCut {
public:
    // Called with the lines, each with its line feed, in order.
    using Sink = std::function<void(std::string_view)>;

    LogCut(const ProjectionsLog& log, const RecordLayout& layout, const LogCutting& cutting, Sink sink);

    // Takes a step of the log; `line` is its line of text (its raw() if the log is text).
    void add(Decoded decoded, const LogRecord& record, std::string_view line);
    void finish();

    std::int64_t lines() const { return m_lines; }
    // Whether all lines were passed on as they are.
    bool isVerbatim() const { return m_isVerbatim; }
    // Whether the lines have times where the log has differences.
    bool isAbsolute() const { return m_isAbsolute; }
    // Event numbers above this one are free on this PE.
    std::int32_t largestEvent() const { return m_largestEvent; }

private:
    struct Open {
        RecordType type{};
        std::uint32_t number = 0;  // entry, user event or function
        std::int64_t key = 0;      // event of a block, nestedID of a pair
        std::string line;
    };
    enum class Phase : std::uint8_t { Before, Inside, After };

    bool isRange() const { return m_cutting.range != TimeRange{minTime, maxTime}; }
    TimeNs advance(Decoded decoded, const LogRecord& record);
    void frame(const LogRecord& record, TimeNs time, std::string_view line);
    void plain(Decoded decoded, const LogRecord& record, TimeNs time, std::string_view line);
    void pair(const LogRecord& record, std::string_view line);
    void note(const LogRecord& record, std::string_view line);
    bool overlaps(TimeNs begin, TimeNs end) const;
    TimeNs clamped(TimeNs time) const;
    void enter();
    void leave();

    // Keep what is open at this place of the log, by the rules of the import (importers/common/nesting.h).
    void track(const LogRecord& record, std::string_view line);
    void trackBegin(const LogRecord& record, std::string_view line);
    void trackEnd(const LogRecord& record);
    bool closesOpen(const LogRecord& record) const;
    std::ptrdiff_t findOpen(RecordType type) const;  // the innermost of a type; -1: none
    std::ptrdiff_t findOpen(const LogRecord& end) const;
    void dropBlocks();

    void give(std::string_view line);  // passes a line on unchanged
    void giveChanged(std::string_view line);
    void giveRecord(const LogRecord& record, std::string_view line);
    void givePath(TimeNs before);

    const RecordLayout& m_layout;
    LogCutting m_cutting;
    Sink m_sink;
    bool m_isAbsolute;  // the log has differences of times, and lines of it are changed
    Phase m_phase;
    TimeNs m_now = 0;
    std::vector<Open> m_open;    // in the order in which they were opened
    bool m_idledInside = false;  // since the innermost block began or went on
    LogRecord m_half;            // first line of a 100 pair
    std::string m_halfLine;      // empty: none
    std::size_t m_pathDone = 0;
    std::int64_t m_lines = 0;
    std::int32_t m_largestEvent = -1;
    bool m_isVerbatim = true;
};

}  // namespace longpole
