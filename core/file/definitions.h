// SPDX-License-Identifier: GPL-3.0-or-later
// Everything in a trace but its event rows, as one value: the content of the plain tables, written and read only here.
#pragma once

#include "core/base/result.h"
#include "core/file/schema.h"
#include "core/file/sqlite.h"
#include "core/trace/kinds.h"
#include "core/trace/storedanswers.h"
#include "core/trace/trace.h"

#include <QString>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

struct Definitions {
    TraceInfo info;
    std::vector<Track> tracks;
    std::vector<Processor> processors;
    std::vector<Chare> chares;
    std::vector<Entry> entries;
    std::vector<Region> regions;
    std::vector<CallPath> callPaths;
    std::vector<std::pair<std::int64_t, QString>> texts;
    std::vector<ProfileRow> profile;
    std::vector<Issue> issues;
    std::vector<RecordCount> counts;
    std::vector<KeptRange> kept;
    StoredAnswers answers;
    std::vector<ChunkRef> directory;
    QString stamp;  // filled by reading
};

// Sorts by ids. Of several definitions with one id the first stays; profile rows, issues and counts with one key are
// added up.
void normalize(Definitions& definitions);

// The order of the directory but for first rows, as one number: passes over many tracks look each of them up often.
constexpr std::uint64_t placeInDirectory(ChunkKind kind, TrackId track, int level)
{
    return std::uint64_t{static_cast<std::uint8_t>(kind)} << 48 | std::uint64_t{index(track)} << 8
           | static_cast<std::uint8_t>(level);
}
// By kind, track, level and first row.
void sortDirectory(Definitions& definitions);

// Fills the plain tables of an empty schema, to which those of parts are added if the trace has parts of the events,
// and last the stamp, which is computed from them. Returns the stamp.
Result<QString> writeDefinitions(Database& database, const Definitions& definitions);

// Reads the plain tables, which are `from`, by full scans and verifies the stamp. The directory is sorted by kind,
// track, level and first row. Errors: damaged, unfinished. `older`: the schema of a file that is none of today's, whose
// tables `from` are.
Result<Definitions> readDefinitions(Database& database, std::span<const TableSpec> from,
                                    const OlderSchema* older = nullptr);

}  // namespace longpole
