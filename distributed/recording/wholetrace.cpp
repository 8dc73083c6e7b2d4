// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/recording/wholetrace.h"

#include "core/base/translate.h"
#include "core/store/tracewriter.h"
#include "core/trace/format.h"
#include "distributed/exchange/pack.h"
#include "distributed/recording/keptrows.h"
#include "distributed/recording/passedrows.h"
#include "importers/common/fingerprint.h"

#include <QDir>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace longpole {
namespace {

void copyDefinitions(const HostedTrace& trace, const KeptTrace* kept, TraceWriter& to)
{
    const TraceStore& from = *trace.store;
    const auto add = [&to](const auto& rows) {
        for (const auto& row : rows) to.add(row);
    };
    add(from.tracks());
    add(from.processors());
    add(from.chares());
    add(from.entries());
    add(from.regions());
    add(from.callPaths());
    add(from.issues());
    add(from.counts());
    add(from.profile());
    for (const auto& [id, text] : from.texts()) to.addText(id, text);
    TraceInfo info = from.info();
    if (!trace.files.empty()) info.fingerprint = fingerprintOfFiles(info.source, trace.files);
    if (kept != nullptr) {
        info.part = 1;
        to.setKept(keptRanges(kept->wishes));
        to.setAnswers(kept->answers);
    }
    to.setInfo(info);
}

// `kept`: null of a trace that has all events.
Result<> writeTrace(Transport& transport, const HostedTrace& trace, const KeptTrace* kept, const QString& file,
                    const Progress& progress)
{
    const Hosting& hosting = trace.hosting;
    std::optional<KeptRows> rows;
    if (kept != nullptr)
        rows.emplace(*trace.store, kept->wishes, hosting.first(transport.process()), hosting.last(transport.process()));
    std::unique_ptr<TraceWriter> writer;
    if (transport.isRoot()) {
        Result<std::unique_ptr<TraceWriter>> made = TraceWriter::create(file);
        if (made) writer = std::move(*made);
        else transport.fail(made.error());
    }
    const auto finish = [&] {
        copyDefinitions(trace, kept, *writer);
        return writer->finish(progress);
    };
    return passRows(transport, trace, rows ? &*rows : nullptr, writer.get(), finish, progress);
}

// Whether nobody claims rows that did not come: by such a claim rows that point to others are judged.
bool hasAllRows(const TraceStore& store)
{
    const auto rowsOf = [&store](ChunkKind kind, TrackId track) {
        const std::span<const ChunkRef> chunks = store.chunks(kind, track);
        return chunks.empty() ? std::int64_t{0} : chunks.back().firstRow + chunks.back().rows;
    };
    return std::ranges::all_of(store.processors(), [&](const Processor& one) {
        return one.tasks <= rowsOf(ChunkKind::Task, one.track) && one.messages <= rowsOf(ChunkKind::Message, one.track);
    });
}

std::atomic<std::uint64_t> gatheredTraces{0};  // of all processes that are threads of this one, to name them

// Process 0's wishes, on all.
std::vector<KeptWish> tellWishes(Transport& transport, const HostedTrace& trace, const std::vector<KeptWish>& wishes)
{
    Packer packer;
    packer.putTable(wishes, &KeptWish::rank, &KeptWish::begin, &KeptWish::end);
    const Payload told = transport.broadcast(packer.take());
    Unpacker unpacker(told);
    std::vector<KeptWish> all = unpacker.table<KeptWish>(&KeptWish::rank, &KeptWish::begin, &KeptWish::end);
    const auto isAboutRank = [&trace](const KeptWish& wish) { return wish.rank < trace.hosting.ranks(); };
    if (!unpacker.isWhole() || all.size() >= FirstWish::none || !std::ranges::all_of(all, isAboutRank))
        tellBrokenRows(transport);
    return all;
}

// Whether each rank is wished for from before its first event to behind its last.
bool areWholeRanks(std::span<const KeptWish> wishes, const HostedTrace& trace)
{
    std::vector<bool> isWhole(trace.hosting.ranks(), false);
    for (const KeptWish& wish : wishes)
        if (wish.begin == minTime && wish.end == maxTime) isWhole[wish.rank] = true;
    return std::ranges::find(isWhole, false) == isWhole.end();
}

// How long there may be events of a rank.
KeptWish withinRun(KeptWish wish, const TraceStore& store)
{
    const TimeRange run = store.info().range();
    const Processor* const rank = store.processor(ProcessorId{wish.rank});
    const bool hasRecords = rank != nullptr && rank->hasLog;
    const TimeNs first = hasRecords ? std::min(rank->firstRecord, run.begin) : run.begin;
    const TimeNs last = hasRecords ? std::max(rank->lastRecord, run.end) : run.end;
    return {wish.rank, std::clamp(wish.begin, first, last), std::clamp(wish.end, first, last)};
}

}  // namespace

Result<> writeWholeTrace(Transport& transport, const HostedTrace& trace, const QString& file, const Progress& progress)
{
    return writeTrace(transport, trace, nullptr, file, progress);
}

Result<std::shared_ptr<const TraceStore>> gatheredTrace(Transport& transport, const HostedTrace& trace,
                                                        const QString& scratch, const Progress& progress)
{
    if (transport.processes() == 1) return trace.store;
    const QString folder = scratch.isEmpty() ? QDir::tempPath() : scratch;
    const QString path = QStringLiteral("%1/longpole-run-%2").arg(folder, QString::number(gatheredTraces++));
    std::unique_ptr<TraceWriter> writer;
    if (transport.isRoot()) {
        Result<std::unique_ptr<TraceWriter>> made = TraceWriter::createHeld(path, HeldFor::Answers);
        if (made) writer = std::move(*made);
        else transport.fail(made.error());
    }
    const auto finish = [&] {
        copyDefinitions(trace, nullptr, *writer);
        return writer->finish(progress);
    };
    const Result<> passed = passRows(transport, trace, nullptr, writer.get(), finish, progress);
    if (!passed) return passed.error();
    if (!transport.isRoot()) return std::shared_ptr<const TraceStore>();
    Result<std::shared_ptr<const TraceStore>> whole = TraceStore::openHeld(path);
    if (!whole) transport.fail(whole.error());
    else if (!hasAllRows(**whole)) tellBrokenRows(transport);
    if (transport.failed()) return transport.failure();
    return whole;
}

Result<> writeKeptTrace(Transport& transport, const HostedTrace& trace, const KeptTrace& kept, const QString& file,
                        const Progress& progress)
{
    KeptTrace granted{.wishes = tellWishes(transport, trace, kept.wishes), .answers = kept.answers};
    if (transport.failed()) return transport.failure();
    const int process = transport.process();
    KeptRows rows(*trace.store, granted.wishes, trace.hosting.first(process), trace.hosting.last(process));
    Result<std::vector<std::int64_t>> costs = rows.costs(progress);
    if (!costs) transport.fail(costs.error());
    std::vector<std::int64_t> all = costs ? std::move(*costs) : std::vector<std::int64_t>(granted.wishes.size());
    const auto add = [](std::int64_t& into, const std::int64_t& from) { into = saturatingAdd(into, from); };
    reduceValues(transport, std::span(all), add, Receiver::Root);
    std::uint64_t number = wishesWithRoom(all, kept.bytes);
    if (transport.isRoot() && !transport.failed() && number < kept.asked) {
        std::int64_t needed = 0;
        for (std::size_t i = 0; i < kept.asked; ++i) add(needed, all[i]);
        transport.fail(Error{tr("The events that are to be kept in any case need %1; there is room for %2.")
                                 .arg(formatBytes(needed), formatBytes(kept.bytes)),
                             file, tr("Give --keep a larger size, or name fewer ranks, or PEs, or a shorter range.")});
    }
    Packer packer;
    packer.put(number);
    const Payload told = transport.broadcast(packer.take());
    if (transport.failed()) return transport.failure();
    number = Unpacker(told).value<std::uint64_t>();
    granted.wishes.resize(std::min<std::size_t>(number, granted.wishes.size()));
    if (areWholeRanks(granted.wishes, trace)) return writeWholeTrace(transport, trace, file, progress);
    for (KeptWish& wish : granted.wishes) wish = withinRun(wish, *trace.store);
    return writeTrace(transport, trace, &granted, file, progress);
}

}  // namespace longpole
