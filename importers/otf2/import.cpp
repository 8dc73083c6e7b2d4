// SPDX-License-Identifier: GPL-3.0-or-later
// The importer of OTF2 archives, as the list of importers calls it.
#include "importers/otf2/import.h"

#include "importers/mpirows/inparts.h"
#include "importers/otf2/archive.h"
#include "importers/otf2/source.h"

namespace longpole {

bool probeOtf2(const QString& path) { return looksLikeOtf2(path); }

Result<ImportReport> importOtf2(const QString& path, const QString& target, const ImportOptions& options,
                                const Progress& progress)
{
    const Result<std::unique_ptr<MpiSource>> source = openOtf2Source(path, options.threads, progress);
    if (!source) return source.error();
    return importMpiRunOfAnyLength(**source, target, options, progress);
}

}  // namespace longpole
