// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/analyzedrun.h"

#include "distributed/projections/hostedprojections.h"
#include "importers/common/importer.h"

namespace longpole {
namespace {

bool isOfLogs(const QString& path)
{
    const Importer* const importer = importerFor(path);
    return importer != nullptr && qstrcmp(importer->id, "projections") == 0;
}

}  // namespace

Result<HostedTrace> hostRun(Transport& transport, const QString& path, const HostingOptions& options,
                            const Progress& progress)
{
    const bool isFolder = reduceOne(transport, transport.isRoot() && isOfLogs(path),
                                    [](bool& into, const bool& from) { into = into || from; });
    if (transport.failed()) return transport.failure();
    if (!isFolder) return hostRecording(transport, path, options, progress);
    return hostProjections(transport, path, options, progress);
}

}  // namespace longpole
