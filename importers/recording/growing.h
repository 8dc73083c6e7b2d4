// SPDX-License-Identifier: GPL-3.0-or-later
// A recording whose program still runs, imported again and again: what an import has read is kept for the next one.
#pragma once

#include "importers/common/importer.h"
#include "importers/mpirows/growth.h"
#include "importers/recording/source.h"

#include <memory>
#include <vector>

namespace longpole {

class GrowingRecording final : public KeptImport {
public:
    // Of any recording. Reads only what is new if the recording is the one that was read before and has grown, its
    // ranks have one thread each, and nothing has a new name; else all of it. Errors: as importRecording().
    Result<ImportReport> import(const QString& path, const QString& target, const ImportOptions& options,
                                const Progress& progress);

    // Whether the last import read only what was new. For tests and measurements.
    bool wentOn() const { return m_wentOn; }

private:
    bool isSameRun(const RecordingRun& run) const;
    Result<ImportReport> importFrom(const MpiGrowth* from, RecordingSource& source, const QString& target,
                                    const ImportOptions& options, const Progress& progress);
    void forget();

    std::unique_ptr<MpiGrowth> m_growth;  // null: nothing is kept
    std::vector<RecordingPlace> m_places;
    std::vector<lp_header> m_headers;         // of the files that were read
    std::vector<RecordingNumbers> m_numbers;  // this and what follows by rank
    std::vector<RecordingClock> m_clocks;
    bool m_wentOn = false;
};

}  // namespace longpole
