// SPDX-License-Identifier: GPL-3.0-or-later
// Definitions of an MPI run, from its names and what its locations turned out to hold.
#include "importers/mpirows/definitions.h"

#include "core/trace/trackids.h"
#include "importers/mpirows/namecount.h"

#include <algorithm>
#include <map>
#include <set>

namespace longpole {
namespace {

QString rankName(std::uint32_t rank) { return QStringLiteral("Rank %1").arg(rank); }

QString locationName(const MpiLocation& location)
{
    if (location.kind == TrackKind::Rank) return rankName(location.rank);
    return location.name.isEmpty() ? QStringLiteral("Thread of rank %1").arg(location.rank) : location.name;
}

// A rank is a process, so that its row stands for both, with its threads and streams below it.
void addTracks(TraceWriter& writer, const MpiLayout& layout)
{
    writer.add(Track{rootTrack, noTrack, TrackKind::Root, QStringLiteral("Run"), std::nullopt});
    const std::vector<QString>& hosts = layout.hosts();
    const bool areNamed = std::any_of(hosts.begin(), hosts.end(), [](const QString& name) { return !name.isEmpty(); });
    for (std::uint32_t host = 0; host < hosts.size(); ++host) {
        const QString unnamed = areNamed ? QStringLiteral("Host not known") : QStringLiteral("Host %1").arg(host);
        const QString& name = hosts[host].isEmpty() ? unnamed : hosts[host];
        writer.add(Track{groupTrack(host), rootTrack, TrackKind::Node, name, std::nullopt});
    }
    for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank) {
        writer.add(Track{layout.rankTrack(rank), groupTrack(layout.hostOf(rank)), TrackKind::Rank, rankName(rank),
                         ProcessorId{rank}});
    }
    const std::vector<MpiLocation>& locations = layout.names().locations;
    for (std::size_t i = 0; i < locations.size(); ++i) {
        if (locations[i].kind == TrackKind::Rank) continue;
        writer.add(Track{layout.track(i), layout.rankTrack(locations[i].rank), locations[i].kind,
                         locationName(locations[i]), ProcessorId{locations[i].rank}});
    }
}

void addProcessors(TraceWriter& writer, const MpiRunResults& run)
{
    std::vector<Processor> processors(run.layout.ranks());
    for (std::uint32_t rank = 0; rank < processors.size(); ++rank) {
        Processor& processor = processors[rank];
        processor.pe = ProcessorId{rank};
        processor.track = run.layout.rankTrack(rank);
        processor.node = run.layout.hostOf(rank);
        processor.process = rank;
        processor.kind = TrackKind::Rank;
        processor.name = rankName(rank);
        processor.hasLog = false;
        processor.messages = run.ranks[rank].messages;
        processor.idle = run.ranks[rank].idle;
    }
    for (std::size_t i = 0; i < run.locations.size(); ++i) {
        const MpiLocationResult& location = run.locations[i];
        Processor& processor = processors[run.layout.names().locations[i].rank];
        processor.records += location.records;  // of its threads and streams too
        if (!location.pieces) continue;
        processor.hasLog = run.layout.names().locations[i].hasEvents;
        processor.firstRecord = location.first;
        processor.lastRecord = location.last;
        processor.tasks = location.pieces->tasks;
        processor.busy = location.pieces->busy;
        processor.flush = location.pieces->flush;
        processor.started = location.pieces->started;
        processor.stopping = location.pieces->stopping;
    }
    for (const Processor& processor : processors) writer.add(processor);
}

// Adds the entry methods that tasks, messages or barriers of threads name, and their groups.
Result<> addEntries(TraceWriter& writer, const MpiRunResults& run)
{
    std::set<EntryId> used;
    for (const MpiLocationResult& location : run.locations) {
        if (!location.pieces) continue;
        for (const ProfileRow& row : location.pieces->profile) used.insert(row.entry);
        for (const std::uint32_t region : location.syncRegions) used.insert(EntryId{region});
    }
    for (std::uint32_t region = 0; region < run.sendsFrom.size(); ++region)
        if (run.sendsFrom[region]) used.insert(EntryId{region});
    std::map<QString, ChareId> groups;
    for (const EntryId entry : used) groups.emplace(run.layout.group(entry), ChareId{});
    std::uint32_t number = 0;
    for (auto& [name, id] : groups) {
        id = ChareId{number++};
        writer.add(Chare{.id = id, .name = name});
    }
    // A name gets its group (a function's file) in front only where others have the same name.
    std::map<QString, int> bearers;
    MpiNameCount count(run.layout.names().info);
    for (const EntryId entry : used) {
        const QString name = run.layout.name(entry);
        ++bearers[name];
        count.add(name);
        if (!count.isPlausible()) return count.verdict();
    }
    for (const EntryId entry : used) {
        const QString name = run.layout.name(entry);
        const QString group = run.layout.group(entry);
        writer.add(Entry{.id = entry,
                         .name = name,
                         .chare = bearers.at(name) > 1 ? group : QString(),
                         .kind = run.layout.kind(entry),
                         .chareId = groups.at(group)});
    }
    return Unit{};
}

void addRegions(TraceWriter& writer, const MpiLayout& layout)
{
    const MpiRunNames& names = layout.names();
    for (std::uint32_t i = 0; i < names.regions.size(); ++i) {
        const bool isCall = names.regions[i].kind == MpiRegionKind::Mpi;
        writer.add(Region{RegionId{i}, isCall ? RegionKind::MpiCall : RegionKind::Function, i, names.regions[i].name});
    }
    for (std::uint32_t i = 0; i < names.communicators.size(); ++i) {
        const MpiCommunicator& communicator = names.communicators[i];
        writer.add(Region{layout.communicator(i), RegionKind::Communicator,
                          static_cast<std::int64_t>(communicator.members.size()),
                          communicator.name.isEmpty() ? QStringLiteral("communicator %1").arg(i) : communicator.name});
    }
    for (std::uint32_t i = 0; i < names.counters.size(); ++i)
        writer.add(Region{layout.counter(i), RegionKind::Counter, i, names.counters[i]});
}

void addCounts(TraceWriter& writer, const MpiRunResults& run)
{
    std::map<QString, std::int64_t> counts;
    for (const MpiLocationResult& location : run.locations)
        for (const auto& [kind, count] : location.counts) counts[QString::fromLatin1(kind)] += count;
    for (const auto& [kind, count] : counts) writer.add(RecordCount{kind, count});
}

}  // namespace

Result<> addDefinitions(TraceWriter& writer, const MpiRunResults& run)
{
    addTracks(writer, run.layout);
    addProcessors(writer, run);
    if (const Result<> added = addEntries(writer, run); !added) return added.error();
    addRegions(writer, run.layout);
    for (const CallPath& path : run.layout.names().callPaths) writer.add(path);
    addCounts(writer, run);
    for (std::size_t i = 0; i < run.locations.size(); ++i) {
        std::int64_t id = static_cast<std::int64_t>(i) << 32;
        for (const QString& text : run.locations[i].texts) writer.addText(id++, text);
        if (!run.locations[i].pieces) continue;
        for (const ProfileRow& row : run.locations[i].pieces->profile) writer.add(row);
    }
    for (const Issue& issue : run.log.issues()) writer.add(issue);
    return Unit{};
}

TraceInfo traceInfo(const MpiRunResults& run)
{
    TraceInfo info = run.layout.names().info;
    info.processors = run.layout.ranks();
    info.end = info.begin;
    TimeNs first = info.begin;
    for (const MpiLocationResult& location : run.locations) {
        info.records += location.records;
        if (!location.hasEvents) continue;
        first = std::min(first, location.first);
        info.end = std::max(info.end, location.last);
        if (!location.pieces) continue;
        info.tasks += location.pieces->tasks;
        info.busy = saturatingAdd(info.busy, location.pieces->busy);
    }
    for (const MpiRankTotals& rank : run.ranks) {
        info.messages += rank.messages;
        info.messagesMatched += rank.messagesMatched;
        info.executionsUnmatched += rank.receivesUnmatched;
        info.idle = saturatingAdd(info.idle, rank.idle);
    }
    info.before = saturatingSubtract(info.begin, first);
    for (const MpiLocationResult& location : run.locations) {
        if (!location.pieces) continue;
        const MpiPiecesResult& pieces = *location.pieces;
        if (pieces.started != minTime) {
            const TimeNs all = overlap({minTime, pieces.started}, info.range());
            info.startup = saturatingAdd(info.startup, all - pieces.busyAtStart);
        }
        if (pieces.stopping != maxTime) {
            const TimeNs all = overlap({pieces.stopping, maxTime}, info.range());
            info.shutdown = saturatingAdd(info.shutdown, all - (pieces.busy - pieces.busyAtStop));
        }
    }
    return info;
}

}  // namespace longpole
