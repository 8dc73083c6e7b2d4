// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes folders of Projections logs that several processes read: they refuse what the import refuses, keep the rows
// and the issues that it keeps, and find the same paths, gains and slack.
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/slack.h"
#include "analysis/whatif/zeroing.h"
#include "core/store/tracestore.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedslack.h"
#include "distributed/answers/hostedzeroing.h"
#include "distributed/projections/hostedprojections.h"
#include "distributed/transport/threadwire.h"
#include "fuzz/drawnlogs.h"
#include "fuzz/importedtrace.h"
#include "fuzz/require.h"
#include "importers/projections/import.h"

#include <QDir>

#include <atomic>
#include <optional>

using namespace longpole;

namespace {

// The chunks of a PE, one after another: what is stored of it, down to the byte.
std::vector<std::uint64_t> rowsOf(const TraceStore& store, TrackId track)
{
    std::vector<std::uint64_t> hashes;
    for (const ChunkSpec& spec : chunkSpecs())
        for (const ChunkRef& ref : store.chunks(spec.kind))
            if (ref.track == track) hashes.push_back(ref.hash);
    return hashes;
}

struct WantedAnswers {
    CriticalPath path, elapsed;
    std::vector<WhatIfAnswer> gains;
    std::shared_ptr<const Slack> slack;
};

std::optional<WantedAnswers> wantedAnswers(const TraceStore& store)
{
    const auto graph = loadActivityGraph(store, Progress());
    if (!graph) return {};
    const WorkHeads heads = workHeads(**graph, EdgeLevel::Order, Progress());
    auto path = workPath(**graph, heads);
    auto elapsed = elapsedPath(**graph);
    const WhatIfModel model{PathMode::Work, heads.edges};
    auto gains = path ? zeroing(**graph, model, *path, Progress()) : Result<std::vector<WhatIfAnswer>>(path.error());
    auto slack = slackOfTasks(**graph, model, &heads, Progress());
    if (!path || !elapsed || !gains || !slack) return {};
    return WantedAnswers{std::move(*path), std::move(*elapsed), std::move(*gains), std::move(*slack)};
}

bool isSameProfile(const CriticalPath& a, const CriticalPath& b)
{
    return std::equal(a.profile.begin(), a.profile.end(), b.profile.begin(), b.profile.end(),
                      [](const PathProfileRow& one, const PathProfileRow& other) {
                          return one.entry == other.entry && one.count == other.count && one.time == other.time;
                      });
}

void compare(Transport& transport, const HostedTrace& trace, const std::optional<WantedAnswers>& wanted)
{
    const Progress progress;
    WorkPass pass(transport, trace, trace.store->info().range(), progress);
    if (!pass.prepare()) return;
    const Result<HostedPath> path = hostedWorkPath(pass, *trace.store, progress);
    const Result<HostedPath> elapsed = path ? hostedElapsedPath(pass, *trace.store, progress) : path;
    if (!path || !elapsed) return;
    TailPass tails(pass);
    tails.run();
    const auto slack = hostedSlack(pass, tails, 10, progress);
    const auto gains = hostedZeroing(pass, path->path, {0, 1}, progress);
    if (!transport.isRoot() || !slack || !gains || !wanted) return;
    require(path->path.steps == wanted->path.steps && isSameProfile(path->path, wanted->path),
            "work paths are the same");
    require(elapsed->path.steps == wanted->elapsed.steps && isSameProfile(elapsed->path, wanted->elapsed),
            "elapsed paths are the same");
    require(slack->length == wanted->slack->length, "slack is to the same path");
    require(slack->without == std::count(wanted->slack->slack.begin(), wanted->slack->slack.end(), 0),
            "as many tasks have no slack");
    require(gains->size() == wanted->gains.size(), "as many entry methods are left out");
    for (std::size_t i = 0; i < gains->size(); ++i)
        require((*gains)[i].exactNet == wanted->gains[i].exactNet && (*gains)[i].share == wanted->gains[i].share
                    && (*gains)[i].nextCritical == wanted->gains[i].nextCritical,
                "gains are the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    const int processes = 1 + static_cast<int>(choices.below(4));
    const QString folder = fuzzFile("folder");
    QDir(folder).removeRecursively();
    QDir().mkpath(folder);
    drawnlogs::write(choices, folder, 1 + choices.below(4), drawnlogs::Broadcasts::Many);
    const QString target = fuzzFile("imported.longpole");
    const Result<ImportReport> report = importProjections(folder, target, {.symbols = {}, .threads = 1}, Progress());
    const auto whole = report ? TraceStore::open(target) : Result<std::shared_ptr<const TraceStore>>(report.error());
    const std::optional<WantedAnswers> wanted = whole ? wantedAnswers(**whole) : std::nullopt;
    std::atomic<int> hosted = 0;
    const Result<> ran = runOnThreads(processes, [&](Transport& transport) {
        const Result<HostedTrace> trace = hostProjections(transport, folder, {.scratch = fuzzFile("")}, Progress());
        if (!trace) return transport.fail(trace.error());
        ++hosted;
        if (!whole) return;
        for (const Processor& pe : (*whole)->processors())
            if (trace->hosting.hosts(transport.process(), index(pe.pe)))
                require(rowsOf(*trace->store, pe.track) == rowsOf(**whole, pe.track), "all keep the same rows");
        const auto issues = trace->store->issues(), theirs = (*whole)->issues();
        require(std::equal(issues.begin(), issues.end(), theirs.begin(), theirs.end(),
                           [](const Issue& a, const Issue& b) {
                               return a.kind == b.kind && a.count == b.count && a.place == b.place;
                           }),
                "issues are the same");
        require(trace->store->info().messagesMatched == (*whole)->info().messagesMatched, "as many messages match");
        compare(transport, *trace, wanted);
    });
    require((hosted != 0) == whole.ok(), "all refuse the same folders");
    require(!ran || hosted == processes, "all processes read it, or none");
    QFile::remove(target);
    return 0;
}
