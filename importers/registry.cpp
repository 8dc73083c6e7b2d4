// SPDX-License-Identifier: GPL-3.0-or-later
// The list of importers.
#include "importers/common/importer.h"

namespace longpole {

// Each describes itself in its own room.
extern const Importer callTableImporter;
extern const Importer otf2Importer;
extern const Importer projectionsImporter;
extern const Importer projectionsSummaryImporter;
extern const Importer recordingImporter;

namespace {

constexpr const Importer* list[] = {
    &projectionsSummaryImporter,  // first: its .sum.sts looks like the other's .sts
    &projectionsImporter,        &recordingImporter, &callTableImporter, &otf2Importer,
};

}  // namespace

std::span<const Importer* const> importers() { return list; }

const Importer* importerFor(const QString& path)
{
    for (const Importer* importer : list) {
        if (importer->probe(path)) return importer;
    }
    return nullptr;
}

}  // namespace longpole
