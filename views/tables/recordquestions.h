// SPDX-License-Identifier: GPL-3.0-or-later
// The questions that the log asks: the list of records of a choice, the row of a record in it, a page of it as records
// and as text, and the next record that fits a search.
#pragma once

#include "analysis/results/results.h"
#include "analysis/statistics/recordfields.h"
#include "analysis/statistics/recordsearch.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

struct RecordListQuestion {
    using Answer = RecordList;
    static constexpr const char* id = "record list";

    RecordChoice choice{};

    Result<std::shared_ptr<const RecordList>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const RecordList& list) { return list.bytes(); }
    friend bool operator==(const RecordListQuestion&, const RecordListQuestion&) = default;
};

// A list, and the rows in it of the two records of RecordPlacesQuestion. `kept` is -1 if the list leaves it out or none
// was asked for.
struct RecordPlaces {
    std::shared_ptr<const RecordList> list{};
    std::int64_t upper = 0;
    std::int64_t kept = -1;
};

// Where two records of the old list stand in the list of a new choice: `upper`, the top one in view, for which the row
// after which it would stand is good enough, and `kept`, the selected one.
struct RecordPlacesQuestion {
    using Answer = RecordPlaces;
    static constexpr const char* id = "places in the record list";

    RecordChoice choice{};
    RecordRef upper{};
    std::optional<RecordRef> kept{};

    Result<std::shared_ptr<const RecordPlaces>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const RecordPlaces&) { return sizeof(RecordPlaces); }  // the list is an answer of its own
    friend bool operator==(const RecordPlacesQuestion&, const RecordPlacesQuestion&) = default;
};

// The row of a record in a list; -1 if the list leaves it out.
struct RecordRowQuestion {
    using Answer = std::int64_t;
    static constexpr const char* id = "row of a record";

    RecordChoice choice{};
    ChunkKind kind{};
    TrackId track{};
    std::int64_t row = 0;

    Result<std::shared_ptr<const std::int64_t>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const std::int64_t&) { return sizeof(std::int64_t); }
    friend bool operator==(const RecordRowQuestion&, const RecordRowQuestion&) = default;
};

struct RecordPage {
    std::int64_t first = 0;
    std::vector<Record> records{};
};

struct RecordPageQuestion {
    using Answer = RecordPage;
    static constexpr const char* id = "page of records";

    RecordChoice choice{};
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::shared_ptr<RecordReader> reader{};  // keeps chunks that earlier pages have read; questions equal without it

    Result<std::shared_ptr<const RecordPage>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const RecordPage& page);
    friend bool operator==(const RecordPageQuestion& a, const RecordPageQuestion& b)
    {
        return a.choice == b.choice && a.first == b.first && a.count == b.count;
    }
};

// Rows of the list to copy or to write to a file.
struct LogRowsText {
    QByteArray text{};  // UTF-8
    std::int64_t rows = 0;
};

// CSV with headings, or tab-separated as shown. Errors: more than 100 000 rows, damaged chunks, cancelled.
struct LogRowsQuestion {
    using Answer = LogRowsText;
    static constexpr const char* id = "rows of the log as text";

    RecordChoice choice{};
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool isCsv = false;

    Result<std::shared_ptr<const LogRowsText>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const LogRowsText& rows) { return rows.text.size(); }
    friend bool operator==(const LogRowsQuestion&, const LogRowsQuestion&) = default;
};

struct FoundRecord {
    std::optional<RecordRef> ref{};
    std::int64_t row = -1;
    bool isRound = false;  // found only after the search went on from the other end
};

// The next record that fits `text` (parseRecordQuestion) after `from` or before it, else the first one from the list's
// other end. Errors: a text that is no question, damaged chunks, cancelled.
struct RecordSearchQuestion {
    using Answer = FoundRecord;
    static constexpr const char* id = "found record";

    RecordChoice choice{};
    QString text{};
    std::optional<RecordRef> from{};
    bool forward = true;

    Result<std::shared_ptr<const FoundRecord>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const FoundRecord&) { return sizeof(FoundRecord); }
    friend bool operator==(const RecordSearchQuestion&, const RecordSearchQuestion&) = default;
};

}  // namespace longpole
