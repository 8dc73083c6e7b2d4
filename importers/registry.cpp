// The list of importers.
#include "importers/importer.h"
#include "importers/projectionsimport.h"

namespace longpole {
namespace {

constexpr Importer list[] = {
    {.id = "projections",
     .title = QT_TRANSLATE_NOOP("longpole", "Charm++ Projections traces"),
     .patterns = "*.sts *.log *.log.gz",
     .version = 3,
     .probe = probeProjections,
     .fingerprint = fingerprintProjections,
     .import = importProjections},
};

}  // namespace

std::span<const Importer> importers() { return list; }

const Importer* importerFor(const QString& path)
{
    for (const Importer& importer : list) {
        if (importer.probe(path)) return &importer;
    }
    return nullptr;
}

}  // namespace longpole
