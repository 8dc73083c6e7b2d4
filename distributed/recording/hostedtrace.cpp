// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/recording/hostedtrace.h"

#include "core/base/freedmemory.h"
#include "core/base/translate.h"
#include "distributed/matching/matching.h"
#include "distributed/recording/canbe.h"
#include "distributed/recording/hostedrun.h"
#include "distributed/recording/runcodec.h"
#include "importers/mpirows/definitions.h"
#include "importers/mpirows/namecount.h"
#include "importers/mpirows/rankblock.h"
#include "importers/recording/source.h"

#include <QDir>

#include <atomic>
#include <set>

namespace longpole {
namespace {

std::atomic<std::uint64_t> parts{0};  // of all processes that are threads of this one, to name them

// What the definitions of the trace take of the locations and ranks of all processes.
struct RunResults {
    std::vector<MpiLocationResult> locations;
    std::vector<MpiRankTotals> ranks;
    std::vector<bool> sendsFrom;
    ImportLog log;
    std::set<std::string> kinds;  // of records, which the locations' counts name
};

// Logs in the order in which the importer merges them, each over all processes in turn.
enum LogOf { Collectives, Strangers, Leftovers, OwnThreads, OtherThreads, Ranks, logs };

Payload packResults(const MpiLayout& layout, const MpiRankBlock& ranks, const MatchingLogs& matching)
{
    Packer packer;
    std::vector<ImportLog> all(logs);
    all[Collectives] = matching.collectives;
    all[Strangers] = matching.strangers;
    all[Leftovers] = matching.leftovers;
    for (std::size_t i = 0; i < ranks.locations().size(); ++i) {
        const bool isOwn = layout.names().locations[ranks.locations()[i]].kind == TrackKind::Rank;
        all[isOwn ? OwnThreads : OtherThreads].merge(ranks.logs()[i]);
    }
    for (const ImportLog& log : ranks.rankLogs()) all[Ranks].merge(log);
    for (const ImportLog& log : all) put(packer, log);
    std::vector<std::uint32_t> sends;
    const std::vector<bool> sendsFrom = ranks.sendsFrom();
    for (std::uint32_t region = 0; region < sendsFrom.size(); ++region)
        if (sendsFrom[region]) sends.push_back(region);
    packer.put(sends);
    packer.put(ranks.first());
    packer.put(std::vector<MpiRankTotals>(ranks.totals().begin(), ranks.totals().end()));
    for (std::size_t i = 0; i < ranks.locations().size(); ++i) {
        const MpiLocationResult& result = ranks.results()[i];
        packer.put(static_cast<std::uint64_t>(ranks.locations()[i]));
        packer.put(result.hasEvents);
        packer.put(result.first);
        packer.put(result.last);
        packer.put(result.records);
        packer.put(static_cast<std::uint64_t>(result.counts.size()));
        for (const auto& [kind, count] : result.counts) {
            packer.put(QByteArray(kind));
            packer.put(count);
        }
        packer.put(static_cast<std::uint64_t>(result.texts.size()));
        for (const QString& text : result.texts) packer.put(text);
        packer.put(std::vector<std::uint32_t>(result.syncRegions.begin(), result.syncRegions.end()));
        packer.put(result.pieces.has_value());
        if (!result.pieces) continue;
        const MpiPiecesResult& pieces = *result.pieces;
        packer.put(pieces.tasks);
        for (const TimeNs time : {pieces.end, pieces.busy, pieces.flush, pieces.started, pieces.stopping,
                                  pieces.busyAtStart, pieces.busyAtStop})
            packer.put(time);
        packer.put(pieces.profile);
    }
    return packer.take();
}

bool takeLocation(Unpacker& unpacker, const MpiLayout& layout, RunResults& results)
{
    const auto number = static_cast<std::size_t>(unpacker.value<std::uint64_t>());
    if (number >= results.locations.size()) return false;
    MpiLocationResult& result = results.locations[number];
    result.hasEvents = unpacker.value<bool>();
    result.first = unpacker.value<TimeNs>();
    result.last = unpacker.value<TimeNs>();
    result.records = unpacker.value<std::int64_t>();
    for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left) {
        const auto kind = results.kinds.insert(unpacker.bytes().toStdString()).first;
        result.counts.emplace_back(kind->c_str(), unpacker.value<std::int64_t>());
    }
    for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left)
        result.texts.push_back(unpacker.text());
    const std::vector<std::uint32_t> syncs = unpacker.values<std::uint32_t>();
    result.syncRegions = {syncs.begin(), syncs.end()};
    if (!unpacker.value<bool>()) return unpacker.isWhole() && canBe(result, layout);
    MpiPiecesResult& pieces = result.pieces.emplace();
    pieces.tasks = unpacker.value<std::uint32_t>();
    for (TimeNs* const time : {&pieces.end, &pieces.busy, &pieces.flush, &pieces.started, &pieces.stopping,
                               &pieces.busyAtStart, &pieces.busyAtStop})
        *time = unpacker.value<TimeNs>();
    pieces.profile = unpacker.values<ProfileRow>();
    return unpacker.isWhole() && canBe(result, layout);
}

bool takeResults(Unpacker& unpacker, const MpiLayout& layout, std::vector<ImportLog>& all, RunResults& results)
{
    for (ImportLog& log : all) {
        ImportLog part;
        take(unpacker, part);
        log.merge(part);
    }
    for (const std::uint32_t region : unpacker.values<std::uint32_t>())
        if (region < results.sendsFrom.size()) results.sendsFrom[region] = true;
    const auto first = unpacker.value<std::uint32_t>();
    const std::vector<MpiRankTotals> totals = unpacker.values<MpiRankTotals>();
    if (first > results.ranks.size() || totals.size() > results.ranks.size() - first) return false;
    std::copy(totals.begin(), totals.end(), results.ranks.begin() + first);
    while (!unpacker.isAtEnd())
        if (!takeLocation(unpacker, layout, results)) return false;
    return unpacker.isWhole();
}

// Everybody's results, on all processes. `log`: the recording's own, at process 0.
Result<RunResults> shareResults(Transport& transport, const MpiLayout& layout, const MpiRankBlock& ranks,
                                const MatchingLogs& matching, const ImportLog& log)
{
    Packer shared;
    for (const Payload& bytes : transport.gather(packResults(layout, ranks, matching))) shared.put(bytes);
    put(shared, log);
    const Payload told = transport.broadcast(shared.take());
    if (transport.failed()) return transport.failure();
    RunResults results;
    results.locations.resize(layout.names().locations.size());
    results.ranks.resize(layout.ranks());
    results.sendsFrom.resize(layout.names().regions.size());
    std::vector<ImportLog> all(logs);
    Unpacker unpacker(told);
    bool isWhole = true;
    for (int process = 0; process < transport.processes(); ++process) {
        const Payload bytes = unpacker.values<std::byte>();
        Unpacker own(bytes);
        isWhole = isWhole && takeResults(own, layout, all, results);
    }
    ImportLog recording;
    take(unpacker, recording);
    if (!isWhole || !unpacker.isWhole()) {
        transport.fail(Error{tr("The results of another process did not arrive whole."), QString(), QString()});
        return transport.failure();
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i == OwnThreads) results.log.merge(recording);
        results.log.merge(all[i]);
    }
    return results;
}

Result<> addShared(TraceWriter& writer, const MpiLayout& layout, const RunResults& results, const Progress& progress)
{
    const MpiRunResults run{layout, results.locations, results.ranks, results.sendsFrom, results.log};
    if (const Result<> added = addDefinitions(writer, run); !added) return added.error();
    writer.setInfo(traceInfo(run));
    return writer.finish(progress);
}

class Reading {
public:
    Reading(Transport& transport, const HostingOptions& options, const Progress& progress)
        : m_transport(transport), m_options(options), m_progress(progress)
    {
    }

    Result<HostedTrace> read(MpiSource& source, const Hosting& hosting)
    {
        HostedTrace trace;
        trace.hosting = hosting;
        const QString folder = m_options.scratch.isEmpty() ? QDir::tempPath() : m_options.scratch;
        const QString path = QStringLiteral("%1/longpole-part-%2").arg(folder, QString::number(parts++));
        const auto use = m_options.isForTrace ? HeldFor::Trace : HeldFor::Answers;
        Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::createHeld(path, use);
        if (!writer) return told(writer.error());
        if (const Result<> written = write(source, **writer, folder, trace); !written) return written.error();
        Result<std::shared_ptr<const TraceStore>> store = TraceStore::openHeld(path);
        if (!store) return told(store.error());
        trace.store = std::move(*store);
        return trace;
    }

private:
    // Tells all of an error of this process.
    Error told(const Error& error)
    {
        m_transport.fail(error);
        return m_transport.failure();
    }

    Result<> write(MpiSource& source, TraceWriter& writer, const QString& folder, HostedTrace& trace)
    {
        constexpr double readShare = 0.6;
        constexpr double rowShare = 0.98;
        const int process = m_transport.process();
        const Hosting& hosting = trace.hosting;
        const MpiLayout layout(source.names(), m_options.isForTrace ? MpiBins::Made : MpiBins::LeftOut);
        MpiRankBlock ranks(layout, hosting.first(process), hosting.last(process), folder, m_options.threads);
        if (const Result<> read = ranks.read(source, writer, m_progress, readShare); !read) return told(read.error());
        MatchingLogs logs;
        const HostedRanks hosted{layout.names(), hosting, ranks.ranks(), ranks.begins()};
        const auto partners = exchangePartners(m_transport, hosted, logs);
        if (!partners) return partners.error();
        const Result<> written = ranks.writeRanks(**partners, writer, m_progress, {readShare, rowShare});
        if (!written) return told(written.error());
        trace.streams.assign(ranks.locations().begin(), ranks.locations().end());
        for (std::uint32_t rank = hosting.first(process); rank < hosting.last(process); ++rank)
            trace.streams.push_back(static_cast<std::uint32_t>(layout.names().locations.size()) + rank);
        trace.streamEnds = writer.streamEnds();
        const Result<RunResults> results = shareResults(m_transport, layout, ranks, logs, source.log());
        if (!results) return results.error();
        const Result<> finished = addShared(writer, layout, *results, m_progress);
        if (!finished) return told(finished.error());
        return Unit{};
    }

    Transport& m_transport;
    const HostingOptions& m_options;
    const Progress& m_progress;
};

}  // namespace

Result<HostedTrace> hostRecording(Transport& transport, const QString& path, const HostingOptions& options,
                                  const Progress& progress)
{
    Result<HostedRun> opened = openHosted(transport, path, options.threads, progress);
    if (!opened) return opened.error();
    const Hosting hosting = opened->hosting;
    RecordingSource source(std::move(opened->run));
    if (const Result<> plausible = checkNames(source.names()); !plausible) {
        transport.fail(plausible.error());
        return transport.failure();
    }
    Result<HostedTrace> trace = hostSource(transport, source, hosting, options, progress);
    if (trace) trace->files = std::move(opened->files);
    return trace;
}

Result<HostedTrace> hostSource(Transport& transport, MpiSource& source, const Hosting& hosting,
                               const HostingOptions& options, const Progress& progress)
{
    Result<HostedTrace> trace = Reading(transport, options, progress).read(source, hosting);
    if (!trace) return trace.error();
    // Nobody goes on before all have come: an error that one meets last stops the others here.
    reduceOne(transport, 0, [](int&, const int&) {});
    if (transport.failed()) return transport.failure();
    giveFreedMemoryBack();
    return trace;
}

}  // namespace longpole
