// SPDX-License-Identifier: GPL-3.0-or-later
// Maps the numbers that ranks gave to communicators, regions and functions to those of the run, and aligns clocks.
#include "core/base/demangle.h"
#include "core/base/limits.h"
#include "core/base/translate.h"
#include "importers/recording/modules.h"
#include "importers/recording/run.h"
#include "importers/recording/sourcelines.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace longpole {
namespace {

// By MachineCounter.
constexpr std::array<const char*, machineCounters> machineCounterNames{"CPU time (ns)", "Waited for a core (ns)",
                                                                       "Lost its core", "Gave up its core", "Core"};
constexpr std::uint32_t firstWithMachine = 5;  // version of the format

const RecordedRank* firstRank(const RecordingRun& run)
{
    const auto first = std::find_if(run.ranks.begin(), run.ranks.end(),
                                    [](const auto& rank) { return rank.has_value(); });
    return first == run.ranks.end() ? nullptr : &**first;
}

void setNumber(const RecordedRank& rank, std::vector<std::uint32_t>& numbers, std::uint32_t number, std::uint32_t value,
               std::uint32_t none)
{
    if (number >= mostNumbers(rank)) return;
    if (numbers.size() <= number) numbers.resize(number + 1, none);
    numbers[number] = value;
}

// Regions of the run by group and name.
class RegionTable {
public:
    explicit RegionTable(std::vector<MpiRegion>& regions) : m_regions(regions) {}

    std::uint32_t number(const QString& name, const QString& group, MpiRegionKind kind)
    {
        const auto [entry, isNew] = m_known.try_emplace({group, name}, static_cast<std::uint32_t>(m_regions.size()));
        if (isNew) m_regions.push_back({name, group, kind});
        return entry->second;
    }

private:
    std::vector<MpiRegion>& m_regions;
    std::map<std::pair<QString, QString>, std::uint32_t> m_known;
};

// Names are looked up for a recorder that could not, since the program was killed.
std::uint32_t functionNumber(const ModulePlaces& modules, const RecordedFunction& function, SourceLines& lines,
                             RegionTable& table)
{
    const RecordedModule* const module = modules.of(function.address);
    const QString group = module ? QFileInfo(QFile::decodeName(module->path)).fileName() : QString();
    QByteArray name = function.name;
    if (name.isEmpty() && module) name = lines.symbolAt(*module, function.address);
    if (!name.isEmpty()) {
        const QString text = QString::fromUtf8(demangled(name)).left(limits::nameLength.free + 1);
        return table.number(text, group, MpiRegionKind::User);
    }
    const std::uint64_t offset = module ? function.address - module->base : function.address;
    return table.number(QStringLiteral("0x%1").arg(offset, 0, 16), group, MpiRegionKind::User);
}

void nameCalls(RecordingRun& run, RegionTable& table)
{
    run.regions.calls.assign(LP_CALL_COUNT + 1, noRegion);
    std::set<std::uint32_t> used;
    for (const auto& rank : run.ranks) {
        if (!rank) continue;
        for (std::uint32_t call = 0; call < 512; ++call) {
            if ((rank->header.used_calls[call / 64] >> (call % 64) & 1) != 0)
                used.insert(std::min<std::uint32_t>(call, LP_CALL_COUNT));
        }
        for (const RecordedChunk& chunk : rank->chunks) {
            if (chunk.openCall != 0) used.insert(std::min<std::uint32_t>(chunk.openCall - 1, LP_CALL_COUNT));
        }
    }
    // One that no header has, because the header is damaged, is still a call.
    const std::uint32_t other = table.number(QStringLiteral("MPI (unknown call)"), QStringLiteral("MPI"),
                                             MpiRegionKind::Mpi);
    std::fill(run.regions.calls.begin(), run.regions.calls.end(), other);
    for (const std::uint32_t call : used) {
        if (call == LP_CALL_COUNT) continue;
        run.regions.calls[call] = table.number(QString::fromLatin1(recordedCall(call).name), QStringLiteral("MPI"),
                                               MpiRegionKind::Mpi);
    }
}

}  // namespace

// Their tables have as many places, whatever the frames say: the recorder counts from 0.
std::uint32_t mostNumbers(const RecordedRank& rank)
{
    constexpr std::int64_t ever = 1 << 20;
    const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(rank.bytes, ever));
    return static_cast<std::uint32_t>(std::min(ever, limits::recordingNumbers.of(bytes)));
}

void nameRegions(RecordingRun& run, SourceLines& lines, const Progress& progress)
{
    RegionTable table(run.names.regions);
    nameCalls(run, table);
    run.regions.own = table.number(QStringLiteral("Recorder"), QStringLiteral("Longpole"), MpiRegionKind::Measurement);
    run.names.regions[run.regions.own].isOwnWork = true;
    run.regions.off = table.number(QStringLiteral("Recording off"), QStringLiteral("Longpole"),
                                   MpiRegionKind::Measurement);
    run.regions.unnamed = table.number(QStringLiteral("Region without a name"), QString(), MpiRegionKind::User);
    bool anyPolls = false;
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        if (!run.ranks[i]) continue;
        const RecordedRank& rank = *run.ranks[i];
        std::vector<std::uint32_t>& numbers = run.numbers[i].regions;
        for (const auto& [number, name] : rank.regions) {
            const std::uint32_t region = table.number(QString::fromUtf8(name), QStringLiteral("MPI_Pcontrol"),
                                                      MpiRegionKind::User);
            setNumber(rank, numbers, number, region, run.regions.unnamed);
        }
        const ModulePlaces modules(rank.modules);
        for (const auto& [number, function] : rank.functions) {
            if (progress.isCancelled()) return;
            setNumber(rank, numbers, number, functionNumber(modules, function, lines, table), run.regions.unnamed);
        }
        anyPolls = anyPolls || rank.header.polls > 0;
    }
    if (anyPolls) run.names.counters.push_back(QStringLiteral("Failed polls"));
    run.regions.hasPolls = anyPolls;
    run.regions.hasMachine = std::any_of(run.ranks.begin(), run.ranks.end(), [](const auto& rank) {
        return rank && rank->header.version >= firstWithMachine;
    });
    if (!run.regions.hasMachine) return;
    for (const char* const name : machineCounterNames) run.names.counters.push_back(QString::fromLatin1(name));
}

// The members of a communicator by their world ranks; those of a sequence are listed here only, once for all ranks.
// Ranks that the run has not would be looked through by each thread that moves bytes among them.
std::vector<std::uint32_t> membersOf(const RecordedComm& comm, std::size_t ranks)
{
    std::vector<std::uint32_t> members;
    const auto add = [&](std::int64_t rank) {
        if (rank >= 0 && rank < static_cast<std::int64_t>(ranks)) members.push_back(static_cast<std::uint32_t>(rank));
    };
    if (comm.head.stride == 0) {
        for (const std::int32_t member : comm.members) add(member);
    } else {
        for (std::int64_t i = 0; i < comm.head.size; ++i) add(comm.head.first + i * comm.head.stride);
    }
    return members;
}

// The places of a communicator's members by their world ranks.
class MemberPlaces {
public:
    explicit MemberPlaces(const std::vector<std::uint32_t>& members)
    {
        for (std::uint32_t place = 0; place < members.size(); ++place) m_places.emplace_back(members[place], place);
        std::sort(m_places.begin(), m_places.end());
    }
    std::optional<std::uint32_t> of(std::uint32_t rank) const
    {
        const auto found = std::lower_bound(m_places.begin(), m_places.end(), std::pair(rank, 0u));
        return found != m_places.end() && found->first == rank ? std::optional(found->second) : std::nullopt;
    }

private:
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_places;
};

void nameNeighbours(RecordingRun& run)
{
    struct Listed {
        std::uint32_t comm, rank;
        const RecordedNeighbours* neighbours;
    };
    std::vector<Listed> all;  // by communicator, so that the places of one at a time are kept
    for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
        if (!run.ranks[rank]) continue;
        const std::vector<std::uint32_t>& numbers = run.numbers[rank].comms;
        for (const RecordedNeighbours& neighbours : run.ranks[rank]->neighbours)
            if (neighbours.comm < numbers.size() && numbers[neighbours.comm] != noComm)
                all.push_back({numbers[neighbours.comm], rank, &neighbours});
    }
    std::stable_sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.comm < b.comm; });
    MemberPlaces places({});
    for (std::size_t i = 0; i < all.size(); ++i) {
        MpiCommunicator& comm = run.names.communicators[all[i].comm];
        if (i == 0 || all[i].comm != all[i - 1].comm) places = MemberPlaces(comm.members);
        const std::optional<std::uint32_t> own = places.of(all[i].rank);
        if (!own) continue;
        std::vector<std::uint32_t>& sources = comm.sources[*own];
        sources.clear();
        std::set<std::uint32_t> listed;  // a graph may have an edge twice: each call would look at all of them
        for (const std::int32_t source : all[i].neighbours->sources)
            if (const auto place = places.of(static_cast<std::uint32_t>(source)); place && listed.insert(*place).second)
                sources.push_back(*place);
    }
}

// A rank whose file is damaged where its MPI_COMM_WORLD stands is most likely of the first program.
void fillWorlds(std::vector<RecordingNumbers>& ranks)
{
    const auto known = std::find_if(ranks.begin(), ranks.end(),
                                    [](const RecordingNumbers& numbers) { return numbers.world != noComm; });
    for (RecordingNumbers& numbers : ranks)
        if (numbers.world == noComm && known != ranks.end()) numbers.world = known->world;
}

Result<> nameCommunicators(RecordingRun& run)
{
    std::int64_t left = limits::recordingMembers.of(run.names.info.sourceBytes);
    std::map<std::pair<std::int32_t, std::uint32_t>, std::uint32_t> known;
    std::uint32_t self = noComm;
    std::uint32_t worlds = 0;
    std::vector<MpiCommunicator>& comms = run.names.communicators;
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        if (!run.ranks[i]) continue;
        for (const RecordedComm& comm : run.ranks[i]->comms) {
            const bool isSelf = comm.name == "MPI_COMM_SELF";
            const bool isWorld = comm.name == "MPI_COMM_WORLD";
            const auto number = static_cast<std::uint32_t>(comms.size());
            std::uint32_t found = number;
            if (isSelf) {
                if (self == noComm) self = number;
                found = self;
            } else {
                found = known.try_emplace({comm.head.origin, comm.head.serial}, number).first->second;
            }
            if (found == number) {
                left -= isSelf ? 0 : comm.head.size;
                if (left < 0)
                    return impossibleFigure(tr("The recording's communicators have %1 members and more")
                                                .arg(limits::recordingMembers.of(run.names.info.sourceBytes) - left),
                                            limits::recordingMembers, run.names.info.sourceBytes, run.ranks[i]->path);
                MpiCommunicator added{.name = QString::fromUtf8(comm.name), .members = {}, .isSelf = isSelf};
                if (isWorld && worlds++ > 0) added.name += QStringLiteral(" %1").arg(worlds);
                if (!isSelf) added.members = membersOf(comm, run.ranks.size());
                comms.push_back(std::move(added));
            }
            if (isWorld) run.numbers[i].world = found;
            setNumber(*run.ranks[i], run.numbers[i].comms, comm.head.comm, found, noComm);
        }
    }
    fillWorlds(run.numbers);
    nameNeighbours(run);
    return Unit{};
}

void nameLocations(RecordingRun& run)
{
    std::vector<MpiLocation>& locations = run.names.locations;
    const auto hostOf = [](const RecordedRank& rank) { return QString::fromUtf8(rank.header.host); };
    std::set<QString> hosts;
    for (const auto& rank : run.ranks)
        if (rank) hosts.insert(hostOf(*rank));
    // Of a lost rank it is not known, unless all others were on one.
    const QString hostOfLost = hosts.size() == 1 ? *hosts.begin() : QString();
    for (std::uint32_t i = 0; i < run.ranks.size(); ++i) {
        const auto& rank = run.ranks[i];
        locations.push_back({.name = QStringLiteral("Rank %1").arg(i),
                             .host = rank ? hostOf(*rank) : hostOfLost,
                             .rank = i,
                             .kind = TrackKind::Rank,
                             .hasEvents = rank.has_value()});
        run.threadOf.push_back(0);
    }
    for (std::uint32_t i = 0; i < run.ranks.size(); ++i) {
        if (!run.ranks[i]) continue;
        const RecordedRank& rank = *run.ranks[i];
        std::uint32_t last = 0;
        for (const RecordedChunk& chunk : rank.chunks) {
            if (chunk.thread == last) continue;
            last = chunk.thread;
            locations.push_back({.name = QStringLiteral("Thread %1").arg(last),
                                 .host = hostOf(rank),
                                 .rank = i,
                                 .kind = TrackKind::Thread,
                                 .hasEvents = true});
            run.threadOf.push_back(last);
        }
    }
}

void alignClocks(RecordingRun& run, std::span<const lp_index_rank> index)
{
    const RecordedRank& reference = *firstRank(run);
    std::int64_t byDate = 0;
    run.clocks.resize(run.ranks.size());
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        if (!run.ranks[i]) continue;
        const lp_header& header = run.ranks[i]->header;
        const lp_clock_point* const points = header.clock[0].method == LP_CLOCK_UNKNOWN && i < index.size()
                                                 ? index[i].clock
                                                 : header.clock;
        const bool isMeasured = points[0].method != LP_CLOCK_UNKNOWN && points[0].method != LP_CLOCK_NONE;
        const bool isSameHost = std::strcmp(header.boot_id, reference.header.boot_id) == 0;
        if (isMeasured) {
            run.clocks[i] = RecordingClock(points[0], points[1]);
        } else if (!isSameHost) {
            const TimeNs reference0 = saturatingSubtract(reference.header.start_wall, reference.header.start);
            run.clocks[i] = RecordingClock(saturatingSubtract(saturatingSubtract(header.start_wall, header.start),
                                                              reference0));
            ++byDate;
        }
    }
    if (byDate > 0) run.log.addAt(IssueKind::ClockByDate, {}, byDate);
}

}  // namespace longpole
