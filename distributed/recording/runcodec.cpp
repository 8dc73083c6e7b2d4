// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/recording/runcodec.h"

#include "core/trace/issues.h"

#include <QHash>

namespace longpole {
namespace {

// Every thread once, and every call that was open.
std::vector<RecordedChunk> namedChunks(const std::vector<RecordedChunk>& chunks)
{
    std::vector<RecordedChunk> kept;
    for (const RecordedChunk& chunk : chunks)
        if (kept.empty() || kept.back().thread != chunk.thread || chunk.openCall != 0) kept.push_back(chunk);
    return kept;
}

// Calls each(value) for every value that a list of so many bytes at least may have.
template <typename Each>
void takeEach(Unpacker& unpacker, const Each& each)
{
    for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left) each();
}

// Texts of which many are the same: each travels where it first occurs, and later by its number. So whoever takes them
// has it once, as the process that read it.
class PackedTexts {
public:
    void put(Packer& packer, const QString& text)
    {
        const std::size_t known = static_cast<std::size_t>(m_numbers.size());
        std::uint32_t& number = m_numbers[text];
        const bool isNew = static_cast<std::size_t>(m_numbers.size()) > known;
        if (isNew) number = static_cast<std::uint32_t>(known);
        packer.put(number);
        if (isNew) packer.put(text);
    }

private:
    QHash<QString, std::uint32_t> m_numbers;
};

class TakenTexts {
public:
    QString next(Unpacker& unpacker)
    {
        const auto number = unpacker.value<std::uint32_t>();
        if (number == m_texts.size()) m_texts.push_back(unpacker.text());
        if (number < m_texts.size()) return m_texts[number];
        unpacker.refuse();
        return {};
    }

private:
    std::vector<QString> m_texts;
};

std::optional<IssueKind> issueNamed(const QString& identifier)
{
    for (std::size_t kind = 0; kind < issueKinds; ++kind)
        if (issueIdentifier(static_cast<IssueKind>(kind)) == identifier) return static_cast<IssueKind>(kind);
    return std::nullopt;
}

}  // namespace

void put(Packer& packer, const RecordedRank& rank)
{
    packer.put(rank.path);
    packer.put(rank.header);
    packer.put(rank.bytes);
    packer.put(rank.recorded);
    packer.put(namedChunks(rank.chunks));
    packer.put(static_cast<std::uint64_t>(rank.comms.size()));
    for (const RecordedComm& comm : rank.comms) {
        packer.put(comm.head);
        packer.put(comm.name);
        packer.put(comm.members);
    }
    packer.put(static_cast<std::uint64_t>(rank.neighbours.size()));
    for (const RecordedNeighbours& neighbours : rank.neighbours) {
        packer.put(neighbours.comm);
        packer.put(neighbours.sources);
    }
    packer.put(static_cast<std::uint64_t>(rank.regions.size()));
    for (const auto& [number, name] : rank.regions) {
        packer.put(number);
        packer.put(name);
    }
    packer.put(static_cast<std::uint64_t>(rank.functions.size()));
    for (const auto& [number, function] : rank.functions) {
        packer.put(number);
        packer.put(function.address);
        packer.put(function.name);
    }
    packer.put(static_cast<std::uint64_t>(rank.modules.size()));
    for (const RecordedModule& module : rank.modules) {
        packer.put(module.base);
        packer.put(module.begin);
        packer.put(module.end);
        packer.put(module.path);
        packer.put(module.buildId);
    }
    packer.put(static_cast<std::uint64_t>(rank.stacks.size()));
    for (const auto& [number, addresses] : rank.stacks) {
        packer.put(number);
        packer.put(addresses);
    }
    packer.put(static_cast<std::uint64_t>(rank.places.size()));
    for (const auto& [address, place] : rank.places) {
        packer.put(address);
        packer.put(place.function);
        packer.put(place.file);
        packer.put(place.line);
    }
}

void take(Unpacker& unpacker, RecordedRank& rank)
{
    rank.path = unpacker.text();
    if (rank.path.contains(QChar(u'\0'))) unpacker.refuse();  // no file has such a name
    rank.header = unpacker.value<lp_header>();
    rank.bytes = unpacker.value<std::uint64_t>();
    rank.recorded = unpacker.value<std::uint64_t>();
    rank.chunks = unpacker.values<RecordedChunk>();
    takeEach(unpacker, [&] {
        RecordedComm& comm = rank.comms.emplace_back();
        comm.head = unpacker.value<lp_comm>();
        comm.name = unpacker.bytes();
        comm.members = unpacker.values<std::int32_t>();
    });
    takeEach(unpacker, [&] {
        RecordedNeighbours& neighbours = rank.neighbours.emplace_back();
        neighbours.comm = unpacker.value<std::uint32_t>();
        neighbours.sources = unpacker.values<std::int32_t>();
    });
    takeEach(unpacker, [&] {
        const auto number = unpacker.value<std::uint32_t>();
        rank.regions[number] = unpacker.bytes();
    });
    takeEach(unpacker, [&] {
        RecordedFunction& function = rank.functions[unpacker.value<std::uint32_t>()];
        function.address = unpacker.value<std::uint64_t>();
        function.name = unpacker.bytes();
    });
    takeEach(unpacker, [&] {
        RecordedModule& module = rank.modules.emplace_back();
        module.base = unpacker.value<std::uint64_t>();
        module.begin = unpacker.value<std::uint64_t>();
        module.end = unpacker.value<std::uint64_t>();
        module.path = unpacker.bytes();
        module.buildId = unpacker.bytes();
    });
    takeEach(unpacker, [&] {
        const auto number = unpacker.value<std::uint32_t>();
        rank.stacks[number] = unpacker.values<std::uint64_t>();
    });
    takeEach(unpacker, [&] {
        RecordedPlace& place = rank.places[unpacker.value<std::uint64_t>()];
        place.function = unpacker.bytes();
        place.file = unpacker.bytes();
        place.line = unpacker.value<int>();
    });
}

void put(Packer& packer, const TraceInfo& info)
{
    for (const QString* const text : {&info.format, &info.version, &info.program, &info.commandline, &info.machine,
                                      &info.hostname, &info.timestamp, &info.source, &info.fingerprint})
        packer.put(*text);
    packer.put(info.vocabulary.kind());
    packer.put(info.begin);
    packer.put(info.sourceBytes);
    packer.put(info.cores);
    packer.put(info.cpu);
    packer.put(info.withoutCore);
    packer.put(info.withoutCoreMost);
}

void take(Unpacker& unpacker, TraceInfo& info)
{
    for (QString* const text : {&info.format, &info.version, &info.program, &info.commandline, &info.machine,
                                &info.hostname, &info.timestamp, &info.source, &info.fingerprint})
        *text = unpacker.text();
    info.vocabulary = Vocabulary(unpacker.choice(ProgramKind::Mpi));
    info.begin = unpacker.value<TimeNs>();
    info.sourceBytes = unpacker.value<std::int64_t>();
    info.cores = unpacker.value<std::int64_t>();
    info.cpu = unpacker.value<TimeNs>();
    info.withoutCore = unpacker.value<TimeNs>();
    info.withoutCoreMost = unpacker.value<std::int64_t>();
}

void put(Packer& packer, const MpiRunNames& names)
{
    PackedTexts texts;
    put(packer, names.info);
    packer.put(names.ranks);
    packer.put(static_cast<std::uint64_t>(names.regions.size()));
    for (const MpiRegion& region : names.regions) {
        texts.put(packer, region.name);
        texts.put(packer, region.group);
        packer.put(region.kind);
        packer.put(region.sync);
        packer.put(region.isOwnWork);
    }
    packer.put(static_cast<std::uint64_t>(names.communicators.size()));
    for (const MpiCommunicator& comm : names.communicators) {
        texts.put(packer, comm.name);
        packer.put(comm.members);
        packer.put(comm.isSelf);
        packer.put(static_cast<std::uint64_t>(comm.sources.size()));
        for (const auto& [place, sources] : comm.sources) {
            packer.put(place);
            packer.put(sources);
        }
    }
    packer.put(static_cast<std::uint64_t>(names.locations.size()));
    for (const MpiLocation& location : names.locations) {
        texts.put(packer, location.name);
        texts.put(packer, location.host);
        packer.put(location.rank);
        packer.put(location.kind);
        packer.put(location.hasEvents);
    }
    packer.put(static_cast<std::uint64_t>(names.counters.size()));
    for (const QString& counter : names.counters) texts.put(packer, counter);
    packer.put(static_cast<std::uint64_t>(names.callPaths.size()));
    for (const CallPath& path : names.callPaths) {
        packer.put(path.id);
        packer.put(path.parent);
        packer.put(path.isPlace);
        texts.put(packer, path.function);
        texts.put(packer, path.file);
        packer.put(path.line);
        texts.put(packer, path.module);
    }
}

void take(Unpacker& unpacker, MpiRunNames& names)
{
    TakenTexts texts;
    take(unpacker, names.info);
    names.ranks = unpacker.value<std::uint32_t>();
    takeEach(unpacker, [&] {
        MpiRegion& region = names.regions.emplace_back();
        region.name = texts.next(unpacker);
        region.group = texts.next(unpacker);
        region.kind = unpacker.choice(MpiRegionKind::Measurement);
        region.sync = unpacker.choice(MpiSyncKind::Device);
        region.isOwnWork = unpacker.value<bool>();
    });
    takeEach(unpacker, [&] {
        MpiCommunicator& comm = names.communicators.emplace_back();
        comm.name = texts.next(unpacker);
        comm.members = unpacker.values<std::uint32_t>();
        comm.isSelf = unpacker.value<bool>();
        takeEach(unpacker, [&] {
            const auto place = unpacker.value<std::uint32_t>();
            comm.sources[place] = unpacker.values<std::uint32_t>();
        });
    });
    takeEach(unpacker, [&] {
        MpiLocation& location = names.locations.emplace_back();
        location.name = texts.next(unpacker);
        location.host = texts.next(unpacker);
        location.rank = unpacker.value<std::uint32_t>();
        location.kind = unpacker.choice(TrackKind::UserEvents);
        location.hasEvents = unpacker.value<bool>();
        if (location.rank >= names.ranks) unpacker.refuse();
    });
    takeEach(unpacker, [&] { names.counters.push_back(texts.next(unpacker)); });
    takeEach(unpacker, [&] {
        CallPath& path = names.callPaths.emplace_back();
        path.id = unpacker.value<std::uint32_t>();
        path.parent = unpacker.value<std::uint32_t>();
        path.isPlace = unpacker.value<bool>();
        path.function = texts.next(unpacker);
        path.file = texts.next(unpacker);
        path.line = unpacker.value<int>();
        path.module = texts.next(unpacker);
    });
}

void put(Packer& packer, const RecordingRegions& regions)
{
    packer.put(regions.calls);
    packer.put(regions.own);
    packer.put(regions.off);
    packer.put(regions.unnamed);
    packer.put(regions.hasPolls);
    packer.put(regions.hasMachine);
}

void take(Unpacker& unpacker, RecordingRegions& regions)
{
    regions.calls = unpacker.values<std::uint32_t>();
    regions.own = unpacker.value<std::uint32_t>();
    regions.off = unpacker.value<std::uint32_t>();
    regions.unnamed = unpacker.value<std::uint32_t>();
    regions.hasPolls = unpacker.value<bool>();
    regions.hasMachine = unpacker.value<bool>();
}

void put(Packer& packer, const RecordingNumbers& numbers)
{
    packer.put(numbers.comms);
    packer.put(numbers.regions);
    packer.put(numbers.stacks);
    packer.put(numbers.world);
}

void take(Unpacker& unpacker, RecordingNumbers& numbers)
{
    numbers.comms = unpacker.values<std::uint32_t>();
    numbers.regions = unpacker.values<std::uint32_t>();
    numbers.stacks = unpacker.values<std::uint32_t>();
    numbers.world = unpacker.value<std::uint32_t>();
}

void put(Packer& packer, const ImportLog& log)
{
    const std::vector<Issue> issues = log.issues();
    packer.put(static_cast<std::uint64_t>(issues.size()));
    for (const Issue& issue : issues) {
        packer.put(issue.kind);
        packer.put(issue.count);
        packer.put(issue.place);
    }
}

void take(Unpacker& unpacker, ImportLog& log)
{
    takeEach(unpacker, [&] {
        const std::optional<IssueKind> kind = issueNamed(unpacker.text());
        const auto count = unpacker.value<std::int64_t>();
        const QString place = unpacker.text();
        if (kind) log.addAt(*kind, place, count);
        else unpacker.refuse();
    });
}

}  // namespace longpole
