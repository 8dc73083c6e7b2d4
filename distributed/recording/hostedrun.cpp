// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/recording/hostedrun.h"

#include "core/base/release.h"
#include "core/base/translate.h"
#include "distributed/recording/canbe.h"
#include "distributed/recording/runcodec.h"

#include <QFileInfo>

#include <algorithm>
#include <map>
#include <utility>

namespace longpole {
namespace {

// The folder is listed once: ten thousand processes that list it would bring a file system down.
struct Listing {
    RecordingFiles files;
    Hosting dealt;  // of the files, in order
    std::vector<QString> paths;
};

void put(Packer& packer, const Listing& listing)
{
    packer.put(listing.files.folder);
    packer.put(listing.files.index);
    packer.put(listing.dealt.borders());
    packer.put(static_cast<std::uint64_t>(listing.files.ranks.size()));
    for (const auto& [number, path] : listing.files.ranks) {
        packer.put(number);
        packer.put(path);
    }
}

// A name that a file may have.
QString takePath(Unpacker& unpacker)
{
    QString path = unpacker.text();
    if (path.contains(QChar(u'\0'))) unpacker.refuse();
    return unpacker.isWhole() ? path : QString();
}

Listing listingFrom(Unpacker& unpacker)
{
    Listing listing;
    listing.files.folder = takePath(unpacker);
    listing.files.index = takePath(unpacker);
    listing.dealt = Hosting(unpacker.values<std::uint32_t>());
    for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left) {
        const auto number = unpacker.value<std::uint32_t>();
        const QString path = takePath(unpacker);
        listing.files.ranks.emplace(number, path);
        listing.paths.push_back(path);
    }
    return listing;
}

Result<Listing> list(Transport& transport, const QString& path)
{
    Packer packer;
    if (transport.isRoot()) {
        Result<RecordingFiles> files = findRecording(path);
        if (!files) {
            transport.fail(files.error());
        } else {
            std::vector<std::uint64_t> bytes;
            for (const auto& [number, file] : files->ranks)
                bytes.push_back(static_cast<std::uint64_t>(QFileInfo(file).size()));
            put(packer, Listing{*files, Hosting::balanced(bytes, transport.processes()), {}});
        }
    }
    const Payload told = transport.broadcast(packer.take());
    if (transport.failed()) return transport.failure();
    Unpacker unpacker(told);
    Listing listing = listingFrom(unpacker);
    const bool fits = unpacker.isWhole() && listing.dealt.isOf(transport.processes())
                      && listing.dealt.ranks() == listing.paths.size();
    if (fits) return listing;
    transport.fail(Error{tr("The list of the recording's files did not arrive whole."), path, QString()});
    return transport.failure();
}

// What process 0 makes of the definitions that all have read.
Result<RecordingRun> join(const Listing& listing, std::vector<Payload>&& gathered, const Progress& progress)
{
    RecordedFiles read;
    for (Payload& packed : gathered) {
        const Payload bytes = std::exchange(packed, {});
        Unpacker unpacker(bytes);
        ImportLog log;
        take(unpacker, log);
        read.log.merge(log);
        if (unpacker.value<bool>()) {
            Error failure;
            failure.what = unpacker.text();
            failure.where = unpacker.text();
            failure.hint = unpacker.text();
            if (!read.failure) read.failure = failure;
        }
        while (!unpacker.isAtEnd()) take(unpacker, read.ranks.emplace_back());
        const bool areRanks = std::all_of(read.ranks.begin(), read.ranks.end(),
                                          [](const RecordedRank& rank) { return canBe(rank); });
        if (!unpacker.isWhole() || !areRanks)
            return Error{tr("What another process read of the recording did not arrive whole."), listing.files.folder,
                         QString()};
    }
    return joinRecording(listing.files, std::move(read), progress);
}

// Everybody's part of the run: what is the same for all, and then for each hosted rank where its file is, its clock and
// its numbers.
Payload toAll(const RecordingRun& run, const Hosting& hosting)
{
    Packer packer;
    packer.put(run.folder);
    packer.put(hosting.borders());
    put(packer, run.names);
    put(packer, run.regions);
    packer.put(run.threadOf);
    return packer.take();
}

std::vector<Payload> toHosts(const RecordingRun& run, const Hosting& hosting)
{
    std::vector<Payload> packed;
    for (int process = 0; process < hosting.processes(); ++process) {
        Packer packer;
        for (std::uint32_t rank = hosting.first(process); rank < hosting.last(process); ++rank) {
            packer.put(run.ranks[rank].has_value());
            packer.put(run.ranks[rank] ? run.ranks[rank]->path : QString());
            packer.put(run.clocks[rank]);
            put(packer, run.numbers[rank]);
        }
        packed.push_back(packer.take());
    }
    return packed;
}

bool takeAll(Unpacker& unpacker, int processes, HostedRun& hosted)
{
    RecordingRun& run = hosted.run;
    run.folder = takePath(unpacker);
    hosted.hosting = Hosting(unpacker.values<std::uint32_t>());
    take(unpacker, run.names);
    take(unpacker, run.regions);
    run.threadOf = unpacker.values<std::uint32_t>();
    if (!unpacker.isWhole() || !hosted.hosting.isOf(processes) || hosted.hosting.ranks() != run.names.ranks
        || run.threadOf.size() != run.names.locations.size() || !canBe(run.names) || !canBe(run.regions, run.names))
        return false;
    run.ranks.resize(run.names.ranks);
    run.clocks.resize(run.names.ranks);
    run.numbers.resize(run.names.ranks);
    return true;
}

// The definitions of hosted ranks, with where their records are: what was read for process 0, or read now.
Result<> takeRanks(Unpacker& unpacker, int process, std::map<QString, RecordedRank>& read, HostedRun& hosted)
{
    for (std::uint32_t rank = hosted.hosting.first(process); rank < hosted.hosting.last(process); ++rank) {
        const bool isThere = unpacker.value<bool>();
        const QString path = takePath(unpacker);
        hosted.run.clocks[rank] = unpacker.value<RecordingClock>();
        take(unpacker, hosted.run.numbers[rank]);
        if (!unpacker.isWhole() || !canBe(hosted.run.numbers[rank], hosted.run.names))
            return Error{tr("The numbers of rank %1 did not arrive whole.").arg(rank), path, QString()};
        if (!isThere) continue;
        if (const auto known = read.find(path); known != read.end()) {
            hosted.run.ranks[rank] = std::move(known->second);
            continue;
        }
        RecordedFiles again = readRecordedFiles({path}, 1, Progress{});
        if (again.failure) return *again.failure;
        hosted.run.ranks[rank] = std::move(again.ranks.front());
    }
    return Unit{};
}

Payload packRead(const RecordedFiles& read)
{
    Packer packer;
    put(packer, read.log);
    packer.put(read.failure.has_value());
    if (read.failure) {
        packer.put(read.failure->what);
        packer.put(read.failure->where);
        packer.put(read.failure->hint);
    }
    for (const RecordedRank& rank : read.ranks) put(packer, rank);
    return packer.take();
}

}  // namespace

Result<HostedRun> openHosted(Transport& transport, const QString& path, unsigned threads, const Progress& progress)
{
    const Result<Listing> listing = list(transport, path);
    if (!listing) return listing.error();
    const int process = transport.process();
    const auto first = listing->paths.begin() + listing->dealt.first(process);
    RecordedFiles read = readRecordedFiles({first, first + listing->dealt.size(process)}, threads, progress);
    std::vector<Payload> gathered = transport.gather(packRead(read));
    HostedRun hosted;
    Payload all;
    std::vector<Payload> each(static_cast<std::size_t>(transport.processes()));
    if (transport.isRoot() && !transport.failed()) {
        Result<RecordingRun> run = join(*listing, std::move(gathered), progress);
        if (!run) {
            transport.fail(run.error());
        } else {
            std::vector<std::uint64_t> bytes;
            for (const auto& rank : run->ranks) bytes.push_back(rank ? rank->bytes : 0);
            const Hosting hosting = Hosting::balanced(bytes, transport.processes());
            all = toAll(*run, hosting);
            each = toHosts(*run, hosting);
            hosted.run.log = std::move(run->log);
            hosted.files = listing->files.all();
        }
    }
    Payload told = transport.broadcast(std::move(all));
    if (transport.failed()) return transport.failure();
    Unpacker unpacker(told);
    if (!takeAll(unpacker, transport.processes(), hosted))
        transport.fail(Error{tr("The names of the run did not arrive whole."), path, QString()});
    release(told);
    std::map<QString, RecordedRank> known;
    for (RecordedRank& rank : read.ranks) known.emplace(rank.path, std::move(rank));
    transport.exchange(RecordingPass::NumberRanks, std::move(each), [&](int, Payload bytes) {
        if (transport.failed()) return;
        Unpacker own(bytes);
        if (const Result<> taken = takeRanks(own, process, known, hosted); !taken) transport.fail(taken.error());
    });
    if (transport.failed()) return transport.failure();
    const EarliestTimes earliest = reduceOne(transport, earliestTimes(hosted.run, threads, progress),
                                             [](EarliestTimes& into, const EarliestTimes& from) {
                                                 into.init = std::min(into.init, from.init);
                                                 into.record = std::min(into.record, from.record);
                                             });
    hosted.run.names.info.begin = earliest.begin();
    if (transport.failed()) return transport.failure();
    return hosted;
}

}  // namespace longpole
