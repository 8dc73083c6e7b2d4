// SPDX-License-Identifier: GPL-3.0-or-later
// Locations of an OTF2 archive as rows: a rank's own thread of control, its other threads, its accelerator streams.
#include "core/base/limits.h"
#include "core/base/translate.h"
#include "importers/otf2/resolve.h"

#include <algorithm>

namespace longpole {
namespace {

using Location = Otf2Definitions::Location;
using Process = Otf2Definitions::Process;

class LocationResolver {
public:
    LocationResolver(const Otf2Definitions& definitions, Otf2Run& run);
    Result<Otf2Ranks> resolve();

private:
    void findHosts();
    Result<> takeMpiRanks();
    void takeOtherProcesses();
    bool isProcessOfRanks(const Process& process) const;
    const Location* masterOf(std::size_t process) const;
    std::uint32_t processOf(const Location& location) const;
    std::uint32_t rankOfProcess(std::uint32_t process) const;
    QString hostOf(std::uint32_t process) const;
    MpiLocation rowOf(const Location& location, std::uint32_t rank) const;
    void addRows();

    const Otf2Definitions& m_definitions;
    Otf2Run& m_run;
    Otf2Index m_processIndex;
    Otf2Index m_locationIndex;
    Otf2Index m_nodeIndex;
    std::vector<std::uint32_t> m_hosts;                 // of each node: the host that it is in or is, by place
    std::vector<std::vector<std::uint32_t>> m_members;  // locations of each process
    std::vector<std::uint32_t> m_rankOfProcess;         // otf2None: of no rank (yet)
    std::vector<std::uint64_t> m_masters;               // location of each rank
    Otf2Ranks m_ranks;
};

LocationResolver::LocationResolver(const Otf2Definitions& definitions, Otf2Run& run)
    : m_definitions(definitions), m_run(run), m_members(definitions.processes.size()),
      m_rankOfProcess(definitions.processes.size(), otf2None)
{
    for (std::uint32_t i = 0; i < definitions.processes.size(); ++i) m_processIndex.add(definitions.processes[i].id, i);
    for (std::uint32_t i = 0; i < definitions.locations.size(); ++i) {
        m_locationIndex.add(definitions.locations[i].id, i);
        const std::uint32_t process = processOf(definitions.locations[i]);
        if (process != otf2None) m_members[process].push_back(i);
    }
    findHosts();
}

// Finds the innermost host around each node of the tree, which may be as deep as it has nodes, or no tree at all.
void LocationResolver::findHosts()
{
    const std::vector<Otf2Definitions::Node>& nodes = m_definitions.nodes;
    m_hosts.assign(nodes.size(), otf2None);
    std::vector<bool> isKnown(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        m_nodeIndex.add(nodes[i].id, i);
        const bool isHost = m_definitions.hosts.contains(nodes[i].id)
                            || m_definitions.text(nodes[i].className) == QLatin1String("node");
        isKnown[i] = isHost;
        if (isHost) m_hosts[i] = i;
    }
    std::vector<std::uint32_t> below;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        std::uint32_t node = i;
        for (; node != otf2None && !isKnown[node]; node = m_nodeIndex[nodes[node].parent]) {
            isKnown[node] = true;
            below.push_back(node);
        }
        for (const std::uint32_t one : below) m_hosts[one] = node == otf2None ? otf2None : m_hosts[node];
        below.clear();
    }
}

std::uint32_t LocationResolver::processOf(const Location& location) const { return m_processIndex[location.process]; }

Result<> LocationResolver::takeMpiRanks()
{
    const auto locations = static_cast<std::int64_t>(m_definitions.locations.size());
    for (const Otf2Definitions::Group& group : m_definitions.groups) {
        if (group.type != OTF2_GROUP_TYPE_COMM_LOCATIONS || group.paradigm != OTF2_PARADIGM_MPI) continue;
        const auto ranks = static_cast<std::int64_t>(group.members.size());
        if (ranks > limits::otf2Ranks.of(locations))
            return impossibleFigure(tr("The archive names %1 ranks").arg(ranks), limits::otf2Ranks, locations,
                                    m_run.names.info.source);
        for (const std::uint64_t location : group.members) {
            const auto rank = static_cast<std::uint32_t>(m_masters.size());
            m_masters.push_back(location);
            m_ranks.masters.emplace(location, rank);
            const std::uint32_t place = m_locationIndex[location];
            if (place == otf2None) continue;
            const std::uint32_t process = processOf(m_definitions.locations[place]);
            if (process != otf2None && m_rankOfProcess[process] == otf2None) m_rankOfProcess[process] = rank;
        }
        return Unit{};
    }
    return Unit{};
}

// Whether a location group is a process of ranks: since OTF2 3.0 devices, and plugins that only measure, have groups of
// their own.
bool LocationResolver::isProcessOfRanks(const Process& process) const
{
    return process.type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR || m_processIndex[process.creator] == otf2None;
}

const Location* LocationResolver::masterOf(std::size_t process) const
{
    const Location* first = nullptr;
    for (const std::uint32_t place : m_members[process]) {
        const Location& location = m_definitions.locations[place];
        if (location.type == OTF2_LOCATION_TYPE_CPU_THREAD) return &location;
        if (first == nullptr && location.type != OTF2_LOCATION_TYPE_METRIC) first = &location;
    }
    return first;
}

void LocationResolver::takeOtherProcesses()
{
    for (std::size_t i = 0; i < m_definitions.processes.size(); ++i) {
        if (m_rankOfProcess[i] != otf2None || !isProcessOfRanks(m_definitions.processes[i])) continue;
        const Location* master = masterOf(i);
        if (master == nullptr) continue;
        m_rankOfProcess[i] = static_cast<std::uint32_t>(m_masters.size());
        m_ranks.masters.emplace(master->id, m_rankOfProcess[i]);
        m_masters.push_back(master->id);
    }
    if (m_masters.empty()) m_masters.push_back(m_definitions.locations.front().id);
    m_ranks.masters.emplace(m_masters.front(), 0);
}

std::uint32_t LocationResolver::rankOfProcess(std::uint32_t process) const
{
    for (int steps = 0; process != otf2None && steps < 4; ++steps) {
        if (m_rankOfProcess[process] != otf2None) return m_rankOfProcess[process];
        process = m_processIndex[m_definitions.processes[process].creator];
    }
    return 0;
}

QString LocationResolver::hostOf(std::uint32_t process) const
{
    if (process == otf2None) return {};
    const std::uint32_t nearest = m_nodeIndex[m_definitions.processes[process].node];
    if (nearest == otf2None) return {};
    const std::uint32_t host = m_hosts[nearest];
    return m_definitions.name(m_definitions.nodes[host == otf2None ? nearest : host].name);
}

MpiLocation LocationResolver::rowOf(const Location& location, std::uint32_t rank) const
{
    const std::uint32_t process = processOf(location);
    const bool isMaster = m_masters[rank] == location.id;
    const bool isStream = location.type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
    MpiLocation row;
    row.name = m_definitions.name(location.name);
    if (isMaster && process != otf2None && !m_members[process].empty() && m_rankOfProcess[process] == rank)
        row.name = m_definitions.name(m_definitions.processes[process].name);
    row.host = hostOf(process);
    row.rank = rank;
    row.kind = isMaster ? TrackKind::Rank : (isStream ? TrackKind::Stream : TrackKind::Thread);
    return row;
}

void LocationResolver::addRows()
{
    for (std::uint32_t rank = 0; rank < m_masters.size(); ++rank) {
        const std::uint32_t place = m_locationIndex[m_masters[rank]];
        // A location that is there for a second rank is read for the first one only.
        if (place == otf2None || m_ranks.ofLocation(m_masters[rank]) != rank) {
            MpiLocation row;
            row.name = QStringLiteral("Rank %1").arg(rank);
            row.rank = rank;
            row.hasEvents = false;
            m_run.names.locations.push_back(row);
            m_run.locations.push_back({m_masters[rank], 0, false});
            continue;
        }
        const Location& location = m_definitions.locations[place];
        m_run.names.locations.push_back(rowOf(location, rank));
        m_run.locations.push_back({location.id, location.events, true});
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  // rank, place
    for (std::uint32_t place = 0; place < m_definitions.locations.size(); ++place) {
        const Location& location = m_definitions.locations[place];
        const bool isOther = m_ranks.ofLocation(location.id) == otf2None;
        if (isOther && m_locationIndex[location.id] == place)
            others.emplace_back(rankOfProcess(processOf(location)), place);
    }
    std::stable_sort(others.begin(), others.end());
    for (const auto& [rank, place] : others) {
        const Location& location = m_definitions.locations[place];
        m_run.names.locations.push_back(rowOf(location, rank));
        m_run.locations.push_back({location.id, location.events, true});
    }
}

Result<Otf2Ranks> LocationResolver::resolve()
{
    if (const Result<> taken = takeMpiRanks(); !taken) return taken.error();
    m_ranks.ofMpi = static_cast<std::uint32_t>(m_masters.size());
    takeOtherProcesses();
    m_ranks.count = static_cast<std::uint32_t>(m_masters.size());
    m_run.names.ranks = m_ranks.count;
    addRows();
    return m_ranks;
}

}  // namespace

Result<Otf2Ranks> resolveOtf2Locations(const Otf2Definitions& definitions, Otf2Run& run)
{
    return LocationResolver(definitions, run).resolve();
}

}  // namespace longpole
