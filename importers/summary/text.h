// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing the text of summary files: .sum (utilization per interval, totals per entry method) and .sumd (both
// together). docs/formats/projections.md 8; what is cut or cannot be read is counted and left out.
#pragma once

#include "core/base/progress.h"
#include "core/base/timerange.h"
#include "importers/common/importlog.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

constexpr std::int64_t mostIntervals = std::int64_t{1} << 20;       // +bincount is 60 000 unless somebody asks for more
constexpr std::int64_t mostSummaryEntries = std::int64_t{1} << 16;  // as entry methods have 16 bits in logs
constexpr std::size_t mostSummaryCells = std::size_t{1} << 23;      // intervals of entry methods that hold something

// "v+n" of the files: a value that stands n times.
struct Repeated {
    std::int64_t value = 0;
    std::int64_t count = 0;
};

struct Summary {
    struct Mark {
        TimeNs time = 0;
        std::uint32_t type = 0;
    };
    QString version;              // as written, "7.1"
    std::int64_t processors = 0;  // of the run
    std::int64_t intervals = 0;   // 1..mostIntervals
    TimeNs width = 0;             // of an interval, ns, at least 1; intervals x width fits into TimeNs
    std::int64_t phases = 0;
    std::vector<Repeated> busy;  // per cent of each interval, 0..100, together `intervals` or fewer
    std::vector<Repeated> idle;
    bool hasIdle = false;
    std::vector<std::int64_t> times;  // us by entry
    std::vector<std::int64_t> calls;  // by entry
    std::vector<Mark> marks;

    TimeNs end() const { return intervals * width; }
};

// Nothing if the first line is no summary's: that is counted, like everything else that is wrong. Once cancelled it
// reads no further.
std::optional<Summary> parseSummary(const QByteArray& text, ImportLog& log, const Progress& progress = {},
                                    std::size_t files = 1);

struct SummaryDetail {
    // What an entry method did in an interval; at least one of the numbers is not 0.
    struct Cell {
        std::uint32_t interval = 0;
        std::uint16_t entry = 0;
        std::uint32_t time = 0;  // us
        std::uint32_t calls = 0;
    };
    std::int64_t intervals = 0;
    TimeNs width = 0;
    std::vector<Cell> cells;  // by interval, then entry
};

std::optional<SummaryDetail> parseSummaryDetail(const QByteArray& text, ImportLog& log, const Progress& progress = {},
                                                std::size_t files = 1);

}  // namespace longpole
