// SPDX-License-Identifier: GPL-3.0-or-later
// Imports OTF2 archives (of Score-P, TAU, Extrae ...). In a build without the OTF2 library only the import itself is
// missing: it says so.
#pragma once

#include "importers/common/importer.h"

namespace longpole {

bool probeOtf2(const QString& path);

Result<ImportReport> importOtf2(const QString& path, const QString& target, const ImportOptions& options,
                                const Progress& progress);

}  // namespace longpole
