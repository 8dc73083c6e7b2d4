// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/projections/hostedprojections.h"

#include "core/base/freedmemory.h"
#include "core/base/limits.h"
#include "core/base/parallel.h"
#include "core/base/release.h"
#include "core/base/sortrows.h"
#include "core/base/translate.h"
#include "core/trace/trackids.h"
#include "distributed/projections/creationpass.h"
#include "distributed/projections/folderopening.h"
#include "distributed/projections/processorcodec.h"
#include "distributed/recording/runcodec.h"
#include "distributed/transport/records.h"
#include "importers/common/rowsink.h"
#include "importers/projections/definitions.h"
#include "importers/projections/import.h"
#include "importers/projections/logs.h"
#include "importers/projections/rankcalls.h"

#include <QDir>

#include <algorithm>
#include <atomic>
#include <memory>

namespace longpole {
namespace {

std::atomic<std::uint64_t> folders{0};  // of all processes that are threads of this one, to name their parts

constexpr double readShare = 0.7;

// What the definitions take of the logs of all processes.
struct FolderResults {
    std::vector<ProcessorResult> processors;  // by log
    ImportLog log;                            // of the logs
    std::int64_t matched = 0;                 // messages that were executed
};

class FolderReading {
public:
    FolderReading(Transport& transport, HostedFolder folder, const HostingOptions& options, const Progress& progress)
        : m_transport(transport), m_folder(std::move(folder)), m_options(options), m_progress(progress),
          m_scratch(options.scratch.isEmpty() ? QDir::tempPath() : options.scratch),
          m_creationSpill(m_scratch, ProjectionsLimits{}.creationMemory),
          m_executionSpill(m_scratch, ProjectionsLimits{}.executionMemory),
          m_logs(m_folder.opened, m_folder.firstLog, m_folder.lastLog, {m_creationSpill, m_executionSpill, m_scratch},
                 progress, readShare)
    {
        m_folder.opened.run.hasBins = options.isForTrace;
    }

    Result<HostedTrace> read()
    {
        HostedTrace trace;
        trace.hosting = m_folder.hosting;
        const QString path = QStringLiteral("%1/longpole-folder-%2").arg(m_scratch, QString::number(folders++));
        const auto use = m_options.isForTrace ? HeldFor::Trace : HeldFor::Answers;
        Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::createHeld(path, use);
        if (!writer) return told(writer.error());
        if (const Result<> written = write(**writer, trace); !written) return written.error();
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

    Result<> write(TraceWriter& writer, HostedTrace& trace)
    {
        if (const Result<> read = readLogs(writer); !read) return read.error();
        const std::vector<RecordedMerge> merges = shareMerges();
        std::vector<Creations> creations;
        for (ProcessorResult& result : m_logs.results()) creations.push_back(std::move(result.creations));
        const Result<std::int64_t> matched = match(writer, creations, merges);
        if (!matched) return matched.error();
        numberStreams(writer, trace);
        const Result<FolderResults> results = shareResults(*matched);
        if (!results) return results.error();
        if (const Result<> finished = finish(writer, *results); !finished) return told(finished.error());
        return Unit{};
    }

    Result<> readLogs(TraceWriter& writer)
    {
        const RunBegins first = reduceOne(m_transport, m_logs.firstTimes(m_options.threads),
                                          [](RunBegins& into, const RunBegins& from) {
                                              into.task = std::min(into.task, from.task);
                                              into.record = std::min(into.record, from.record);
                                          });
        if (m_transport.failed()) return m_transport.failure();
        m_folder.opened.run.begin = first.begin();
        if (const Result<> read = m_logs.read(writer, m_options.threads); !read) return told(read.error());
        struct Read {
            std::int64_t inflated, logs;
        };
        const Read all = reduceOne(m_transport, Read{m_logs.inflated(), m_logs.isAnyRead() ? 1 : 0},
                                   [](Read& into, const Read& from) {
                                       into.inflated = saturatingAdd(into.inflated, from.inflated);
                                       into.logs = saturatingAdd(into.logs, from.logs);
                                   });
        const OpenedProjections& opened = m_folder.opened;
        if (all.inflated > limits::inflated.of(opened.logBytes)) return told(tooFarInflated(opened.files.folder));
        if (all.logs == 0) return told(noneRead(opened));
        return m_transport.failed() ? Result<>(m_transport.failure()) : Result<>(Unit{});
    }

    // Those of all logs, and of the file beside them, on all processes.
    std::vector<RecordedMerge> shareMerges()
    {
        const TimeNs last = reduceOne(m_transport, lastRecordOf(m_logs.results()),
                                      [](TimeNs& into, const TimeNs& from) { into = std::max(into, from); });
        std::vector<RecordedMerge> merges;
        for (ProcessorResult& result : m_logs.results()) {
            merges.insert(merges.end(), result.merges.begin(), result.merges.end());
            release(result.merges);
        }
        const std::vector<Payload> gathered = m_transport.gather(toBytes(merges));
        if (m_transport.isRoot()) {
            leaveOutEarlierMerges(m_folder.opened, last);
            merges = std::move(m_folder.opened.merges.edges);
        }
        for (const Payload& bytes : gathered) {
            const auto some = recordsOf<RecordedMerge>(m_transport, bytes);
            merges.insert(merges.end(), some.begin(), some.end());
        }
        sortRows(merges, m_progress);
        if (m_progress.isCancelled()) m_transport.fail(cancelledError());
        merges.erase(std::unique(merges.begin(), merges.end()), merges.end());
        const Payload all = m_transport.broadcast(m_transport.isRoot() ? toBytes(merges) : Payload());
        return recordsOf<RecordedMerge>(m_transport, all);
    }

    // How many messages of hosted PEs were executed.
    Result<std::int64_t> match(TraceWriter& writer, const std::vector<Creations>& creations,
                               const std::vector<RecordedMerge>& merges)
    {
        std::vector<ProcessorResult>& results = m_logs.results();
        const OwnLogs own{results, creations, m_creationSpill, m_executionSpill};
        const auto asked = askForCreations(m_transport, m_folder, own, merges, m_progress);
        if (!asked) return m_transport.failure();
        ToldExecutions executions(m_folder, own);
        Matching matching(m_folder.opened.pes, asked->broadcasts(), merges, m_executionSpill,
                          m_folder.opened.run.processors, executions, m_progress);
        parallelFor(
            results.size(),
            [&](std::size_t log) {
                StreamSink sink(writer.stream(static_cast<std::uint32_t>(results.size() + log)));
                if (m_progress.isCancelled()) return;
                const std::unique_ptr<CreationLookup> known = asked->view();
                matching.match(static_cast<std::uint32_t>(m_folder.firstLog + log), results[log].executions, *known,
                               sink, m_logs.issues()[log], m_progress);
                results[log].executions = {};
            },
            m_options.threads);
        if (const std::optional<Error> reason = m_logs.stopReason()) m_transport.fail(*reason);
        shareFoundMerges(matching);
        tellExecutions(m_transport, m_folder, own, executions);
        return emitCounts(writer, executions.own());
    }

    // A merge belongs to some execution of any process; process 0 counts those that belong to none.
    void shareFoundMerges(Matching& matching)
    {
        if (matching.merges().empty()) return;
        reduceValues(
            m_transport, matching.mergesFound(),
            [](std::uint8_t& into, const std::uint8_t& from) { into = std::max(into, from); }, Receiver::Root);
        if (m_transport.isRoot()) matching.reportUnmatchedMerges(m_folder.opened.log);
    }

    Result<std::int64_t> emitCounts(TraceWriter& writer, const ExecutionCounts& counts)
    {
        const std::size_t logs = m_folder.lastLog - m_folder.firstLog;
        std::atomic<std::int64_t> matched{0};
        parallelFor(
            logs,
            [&](std::size_t log) {
                StreamSink sink(writer.stream(static_cast<std::uint32_t>(2 * logs + log)));
                const TrackId track = processorTrack(m_folder.opened.pes[m_folder.firstLog + log]);
                matched += counts.emit(static_cast<std::uint32_t>(log), track, sink);
            },
            m_options.threads);
        if (m_transport.failed()) return m_transport.failure();
        return matched.load();
    }

    // As the importer has them: all logs, then what is matched of all, then what is counted of all, and then at process
    // 0 the calls of AMPI's ranks.
    void numberStreams(TraceWriter& writer, HostedTrace& trace)
    {
        constexpr std::size_t passes = 3;
        const std::size_t logs = m_folder.opened.pes.size(), own = m_folder.lastLog - m_folder.firstLog;
        for (std::size_t pass = 0; pass < passes; ++pass)
            for (std::size_t log = m_folder.firstLog; log < m_folder.lastLog; ++log)
                trace.streams.push_back(static_cast<std::uint32_t>(pass * logs + log));
        const std::vector<Payload> calls = gatheredCalls();
        if (m_transport.isRoot()) {
            StreamSink sink(writer.stream(static_cast<std::uint32_t>(passes * own)));
            emitCalls(calls, writer, sink);
            trace.streams.push_back(static_cast<std::uint32_t>(passes * logs));
        }
        trace.streamEnds = writer.streamEnds();
    }

    // A rank may have run on PEs of several processes: its calls come to process 0. They are no part of any answer.
    std::vector<Payload> gatheredCalls()
    {
        if (!m_options.isForTrace || !m_folder.opened.run.isAmpi) return {};
        std::vector<const TimedRows*> parts;
        for (const ProcessorResult& result : m_logs.results()) parts.push_back(&result.rankIntervals);
        std::vector<TimedRow> rows;
        TimedRows::merge(parts, m_executionSpill,
                         [&rows](const TimedRow& row, std::uint32_t /*depth*/) { rows.push_back(row); });
        return m_transport.gather(toBytes(rows));
    }

    void emitCalls(const std::vector<Payload>& calls, TraceWriter& writer, RowSink& sink)
    {
        std::vector<TimedRows> merged(calls.size());
        std::vector<const TimedRows*> parts;
        for (std::size_t process = 0; process < calls.size(); ++process) {
            forEachRecord<TimedRow>(m_transport, calls[process],
                                    [&](const TimedRow& row) { merged[process].add(row, m_executionSpill); });
            merged[process].finish(m_executionSpill);
            parts.push_back(&merged[process]);
        }
        emitRankCalls(parts, m_executionSpill, writer, sink);
    }

    // Everybody's results, on all processes.
    Result<FolderResults> shareResults(std::int64_t matched)
    {
        Packer packer;
        ImportLog issues;
        for (const ImportLog& log : m_logs.issues()) issues.merge(log);
        put(packer, issues);
        packer.put(matched);
        for (ProcessorResult& result : m_logs.results()) {
            if (!m_options.isForTrace) release(result.texts);  // no answer shows one
            put(packer, result);
        }
        Packer shared;
        for (const Payload& bytes : m_transport.gather(packer.take())) shared.put(bytes);
        if (m_transport.isRoot()) {
            addMissingLogs(m_folder.opened, m_folder.opened.log);
            put(shared, m_folder.opened.log);
        }
        const Payload all = m_transport.broadcast(shared.take());
        if (m_transport.failed()) return m_transport.failure();
        FolderResults results;
        Unpacker unpacker(all);
        std::vector<ImportLog> logs(static_cast<std::size_t>(m_transport.processes()));
        bool isWhole = true;
        for (ImportLog& log : logs) {
            const Payload bytes = unpacker.values<std::byte>();
            Unpacker own(bytes);
            take(own, log);
            results.matched = saturatingAdd(results.matched, own.value<std::int64_t>());
            while (!own.isAtEnd() && own.isWhole()) take(own, results.processors.emplace_back());
            isWhole = isWhole && own.isWhole();
        }
        take(unpacker, results.log);
        for (const ImportLog& log : logs) results.log.merge(log);
        if (!isWhole || !unpacker.isWhole() || !areOfRun(results.processors))
            return told(Error{tr("The results of another process did not arrive whole."), QString(), QString()});
        return results;
    }

    bool areOfRun(const std::vector<ProcessorResult>& results) const
    {
        return std::equal(results.begin(), results.end(), m_folder.opened.pes.begin(), m_folder.opened.pes.end(),
                          [](const ProcessorResult& result, std::uint32_t pe) {
                              return index(result.processor.pe) == pe;
                          });
    }

    Result<> finish(TraceWriter& writer, const FolderResults& results)
    {
        const OpenedProjections& opened = m_folder.opened;
        addDefinitions(writer, opened.run, results.processors, results.log, m_progress);
        if (m_progress.isCancelled()) return cancelledError();
        TraceInfo info = traceInfo(opened.run, opened.files, results.processors, results.log);
        info.messagesMatched = results.matched;
        if (m_options.isForTrace && m_transport.isRoot()) {
            const Result<QString> fingerprint = fingerprintOf(opened.files, FingerprintOf::Content, m_progress);
            if (!fingerprint) return fingerprint.error();
            info.fingerprint = *fingerprint;
        }
        writer.setInfo(info);
        return writer.finish(m_progress);
    }

    Transport& m_transport;
    HostedFolder m_folder;
    const HostingOptions& m_options;
    const Progress& m_progress;
    QString m_scratch;
    Spill m_creationSpill;
    Spill m_executionSpill;
    ProjectionsLogs m_logs;
};

}  // namespace

Result<HostedTrace> hostProjections(Transport& transport, const QString& path, const HostingOptions& options,
                                    const Progress& progress)
{
    Result<HostedFolder> folder = openFolder(transport, path, progress);
    if (!folder) return folder.error();
    Result<HostedTrace> trace = FolderReading(transport, std::move(*folder), options, progress).read();
    if (!trace) return trace.error();
    // Nobody goes on before all have come: an error that one meets last stops the others here.
    reduceOne(transport, 0, [](int&, const int&) {});
    if (transport.failed()) return transport.failure();
    giveFreedMemoryBack();
    return trace;
}

}  // namespace longpole
