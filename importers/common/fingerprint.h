// SPDX-License-Identifier: GPL-3.0-or-later
// The identity of a run that lies in several files (docs/algorithms.md 8).
#pragma once

#include "core/base/progress.h"

#include <QString>

#include <cstdint>
#include <span>

namespace longpole {

enum class FingerprintOf : std::uint8_t {
    Content,  // equal for copies
    Place,  // also of where the files lie, and when anything about them changed last, which whoever packed them cannot
            // choose: the name in the cache, as what no sample meets may differ
};

// Hash of each file's name relative to `folder`, size, time and sampled content (first and last MiB, 64 blocks of 64
// KiB between), hex. A file that cannot be read counts as one without content: it is missing for the import as well.
// Cancelled: of no use.
QString fingerprintOfFiles(const QString& folder, std::span<const QString> paths,
                           FingerprintOf of = FingerprintOf::Content, const Progress& progress = Progress());

}  // namespace longpole
