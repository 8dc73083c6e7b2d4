// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a .longpole file of an MPI run that grows, and the next one of what is new. The run is cut where all its ranks
// meet and nothing is pending: what is before depends on nothing that comes, and its rows stay as they are. What is
// behind is matched and written each time, until a later meeting is such a place. The file is the one that
// importMpiRun() writes, byte for byte.
#pragma once

#include "importers/mpirows/locationrows.h"
#include "importers/mpirows/rankrows.h"
#include "importers/mpirows/settledrows.h"
#include "importers/mpirows/trace.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

// What an import leaves for the next one: the rows until a place of the run, in the trace that it wrote, and where each
// rank stands there.
struct MpiGrowth {
    struct Rank {
        MpiLocationState reading;
        ImportLog log;
        RowCounts rows{};  // of its location
    };
    QString file;   // the trace
    QString stamp;  // of it
    MpiRunNames names;
    std::vector<Rank> ranks;
    std::vector<RankSoFar> soFar;   // by rank
    std::vector<LaterTiles> tiles;  // by rank
    MpiBefore before;
    std::uint32_t instances = 0;
    std::vector<bool> sendsFrom;  // by region
};

struct GrownImport {
    ImportReport report;
    std::optional<std::size_t> place;   // the source's number of the place from which the next import can go on
    std::unique_ptr<MpiGrowth> growth;  // with a place only
};

// Places of one import are numbered below this.
constexpr std::size_t mostPlaces = 4;
// What is kept at the places of an import together; runs that need more have no places.
constexpr std::int64_t mostKeptBytes = std::int64_t{1} << 30;

// Whether a run with these names goes on from there: everything has the number that it had.
bool goesOn(const MpiGrowth& growth, const MpiRunNames& names);
// Whether it can be known of such a run what is settled: ranks of one thread each, of which no file is missing.
bool canGrow(const MpiRunNames& names);

// `from`: of an import of the same run, from whose place the source reads on; null: it reads from the begin. Errors: as
// importMpiRun(); what `from` says of an earlier trace is not there any more.
Result<GrownImport> importGrowingMpiRun(MpiSource& source, const MpiGrowth* from, const QString& target,
                                        const ImportOptions& options, const Progress& progress);

}  // namespace longpole
