// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the OTF2 importer in a build without the OTF2 library.
#include "core/base/translate.h"
#include "importers/otf2/archive.h"
#include "importers/otf2/import.h"

namespace longpole {

bool probeOtf2(const QString& path) { return looksLikeOtf2(path); }

Result<ImportReport> importOtf2(const QString& path, const QString&, const ImportOptions&, const Progress&)
{
    return Error{.what = tr("This build of Longpole cannot read OTF2 archives."),
                 .where = path,
                 .hint = tr("Install the OTF2 library (Debian: libopen-trace-format2-dev) and build it again.")};
}

}  // namespace longpole
