// SPDX-License-Identifier: GPL-3.0-or-later
// Which files belong to one OTF2 archive, given its anchor file, one of its .def or .evt files, or a folder.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/fingerprint.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

struct Otf2Archive {
    QString anchor;       // absolute, "dir/NAME.otf2"
    QString definitions;  // "dir/NAME.def"
    QString folder;       // "dir/NAME": <location>.def and <location>.evt
    QString program;      // a name for the run if the archive gives none: that of the anchor or of the folder around it

    QString eventsOf(std::uint64_t location) const;
    QString definitionsOf(std::uint64_t location) const;
    // All files that are there: the anchor, the definitions, then the locations' by number.
    std::vector<QString> files() const;
};

// Errors: nothing there, not readable, no anchor file, several archives in one folder.
Result<Otf2Archive> findOtf2Archive(const QString& path);

// Whether a file or a folder's content looks like an OTF2 archive; reads at most the head of a file.
bool looksLikeOtf2(const QString& path);

Result<QString> fingerprintOtf2(const QString& path, FingerprintOf of);
Result<QString> fingerprintOtf2(const QString& path, FingerprintOf of,
                                const Progress& progress);  // cancelled: of no use

}  // namespace longpole
