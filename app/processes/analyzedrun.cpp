// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/analyzedrun.h"

#include "core/base/translate.h"
#include "distributed/projections/hostedprojections.h"
#include "importers/common/importer.h"

#include <utility>

namespace longpole {
namespace {

constexpr std::size_t slackListedOfFolder = 10'000;  // tasks, those with least slack

bool isOfLogs(const QString& path)
{
    const Importer* const importer = importerFor(path);
    return importer != nullptr && qstrcmp(importer->id, "projections") == 0;
}

}  // namespace

Result<HostedTrace> hostRun(Transport& transport, const QString& path, const HostingOptions& options, bool keepsParts,
                            const Progress& progress)
{
    const bool isFolder = reduceOne(transport, transport.isRoot() && isOfLogs(path),
                                    [](bool& into, const bool& from) { into = into || from; });
    if (transport.failed()) return transport.failure();
    if (!isFolder) return hostRecording(transport, path, options, progress);
    if (keepsParts) {
        transport.fail({.what = tr("Parts of a run are kept of recordings only; these are Charm++ logs."),
                        .where = path,
                        .hint = tr("Without --keep, -o writes the whole trace.")});
        return transport.failure();
    }
    return hostProjections(transport, path, options, progress);
}

bool answerFolder(Transport& transport, const HostedTrace& trace, const Progress& progress, AllAnswers& answers)
{
    WorkPass pass(transport, trace, trace.store->info().range(), progress);
    if (!pass.prepare()) return false;
    Result<HostedPath> path = hostedWorkPath(pass, *trace.store, progress);
    if (!path) return false;
    Result<HostedPath> elapsed = hostedElapsedPath(pass, *trace.store, progress);
    if (!elapsed) return false;
    TailPass tails(pass);
    tails.run();
    Result<HostedSlack> slack = hostedSlack(pass, tails, slackListedOfFolder, progress);
    if (!slack) return false;
    Result<HostedNear> near = hostedNearCritical(pass, std::move(tails), *path, *trace.store, NearCriticalOptions{},
                                                 progress);
    if (!near) return false;
    Result<std::vector<WhatIfAnswer>> gains = hostedZeroing(pass, path->path, {0, 1}, progress);
    if (!gains) return false;
    Result<Efficiency> efficiency = hostedEfficiency(pass, trace, progress);
    if (progress.isCancelled()) transport.fail(cancelledError());
    if (!efficiency || transport.failed()) return false;
    if (!transport.isRoot()) return true;
    answers.path = std::move(*path);
    answers.elapsed = std::move(*elapsed);
    answers.slack = std::move(*slack);
    answers.near = std::move(*near);
    answers.gains = std::move(*gains);
    answers.efficiency = std::move(*efficiency);
    return true;
}

}  // namespace longpole
