// SPDX-License-Identifier: GPL-3.0-or-later
// Resolving the definitions of an OTF2 archive: the run as a whole, its clock and its counters.
#include "importers/otf2/run.h"

#include "core/base/limits.h"
#include "core/base/translate.h"
#include "core/file/filedata.h"
#include "importers/otf2/resolve.h"

#include <QDateTime>
#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <limits>

namespace longpole {
namespace {

// Some writers are careless about the length, so only what is both hours and a thousand times later counts as
// impossible.
TimeNs latestTime(const Otf2Definitions& definitions, const Otf2Clock& clock)
{
    constexpr TimeNs hours = 36'000'000'000'000;
    constexpr TimeNs most = std::numeric_limits<TimeNs>::max() / 1000;
    if (definitions.length == 0) return std::numeric_limits<TimeNs>::max();
    const std::uint64_t last = definitions.globalOffset + std::min(definitions.length, ~definitions.globalOffset);
    return std::max(hours, 1000 * std::clamp<TimeNs>(clock.toNs(last), 0, most));
}

TraceInfo infoOf(const Otf2Definitions& definitions, const Otf2Archive& archive)
{
    TraceInfo info;
    info.format = otf2Format;
    info.vocabulary = ProgramKind::Mpi;
    info.version = definitions.version;
    info.program = archive.program;
    info.machine = definitions.machine;
    if (info.machine.isEmpty() && !definitions.nodes.empty())
        info.machine = definitions.text(definitions.nodes.front().name);
    info.source = archive.anchor;
    BytesOfFiles bytes;
    for (const QString& file : archive.files()) bytes.add(file);
    info.sourceBytes = bytes.sum();
    constexpr auto latest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (definitions.realtime != 0 && definitions.realtime <= latest) {
        const auto milliseconds = static_cast<std::int64_t>(definitions.realtime / 1'000'000);
        info.timestamp = QDateTime::fromMSecsSinceEpoch(milliseconds, Qt::UTC).toString(Qt::ISODate);
    }
    return info;
}

// What a counter takes besides its name (limits::mpiNames).
constexpr std::int64_t longer = 64;

class MetricResolver {
public:
    MetricResolver(const Otf2Definitions& definitions, Otf2Run& run) : m_definitions(definitions), m_run(run)
    {
        for (std::uint32_t i = 0; i < definitions.metricMembers.size(); ++i)
            m_memberIndex.add(definitions.metricMembers[i].id, i);
        m_counters.assign(definitions.metricMembers.size(), otf2None);
        for (std::uint32_t i = 0; i < definitions.locations.size(); ++i)
            m_locationIndex.add(definitions.locations[i].id, i);
        for (std::uint32_t i = 0; i < definitions.processes.size(); ++i)
            m_processIndex.add(definitions.processes[i].id, i);
        for (std::uint32_t i = 0; i < definitions.nodes.size(); ++i) m_nodeIndex.add(definitions.nodes[i].id, i);
    }
    Result<> resolve(const Progress& progress);

private:
    QString nameOf(const Otf2Definitions::MetricMember& member) const;
    // The name of what an instance measures, if that is not the row it is recorded on: "node3".
    QString scopeOf(const Otf2Definitions::MetricInstance& instance) const;
    std::uint32_t addCounter(const QString& name);
    std::vector<Otf2Metric> membersOf(const Otf2Definitions::MetricClass& metricClass, const QString& scope);

    const Otf2Definitions& m_definitions;
    Otf2Run& m_run;
    Otf2Index m_memberIndex;
    Otf2Index m_locationIndex;
    Otf2Index m_processIndex;
    Otf2Index m_nodeIndex;
    std::vector<std::uint32_t> m_counters;  // of each member where it is measured on its own row
    std::int64_t m_characters = 0;          // of all counters, as limits::mpiNames counts them
};

QString MetricResolver::nameOf(const Otf2Definitions::MetricMember& member) const
{
    const QString unit = m_definitions.name(member.unit);
    const QString name = m_definitions.name(member.name);
    return unit.isEmpty() || unit == QLatin1String("#") ? name : QStringLiteral("%1 (%2)").arg(name, unit);
}

QString MetricResolver::scopeOf(const Otf2Definitions::MetricInstance& instance) const
{
    const auto nameIn = [&](const auto& list, const Otf2Index& index, std::uint64_t id) {
        const std::uint32_t place = index[id];
        return place == otf2None ? QString() : m_definitions.name(list[place].name);
    };
    switch (instance.scope) {
    case OTF2_SCOPE_LOCATION:
        return instance.scopeId == instance.recorder
                   ? QString()
                   : nameIn(m_definitions.locations, m_locationIndex, instance.scopeId);
    case OTF2_SCOPE_LOCATION_GROUP:
        return nameIn(m_definitions.processes, m_processIndex, static_cast<OTF2_LocationGroupRef>(instance.scopeId));
    case OTF2_SCOPE_SYSTEM_TREE_NODE:
        return nameIn(m_definitions.nodes, m_nodeIndex, static_cast<OTF2_SystemTreeNodeRef>(instance.scopeId));
    default: return {};
    }
}

std::uint32_t MetricResolver::addCounter(const QString& name)
{
    m_run.names.counters.push_back(otf2Name(name));
    m_characters += longer + m_run.names.counters.back().size();
    return static_cast<std::uint32_t>(m_run.names.counters.size()) - 1;
}

std::vector<Otf2Metric> MetricResolver::membersOf(const Otf2Definitions::MetricClass& metricClass, const QString& scope)
{
    std::vector<Otf2Metric> members;
    for (const OTF2_MetricMemberRef ref : metricClass.members) {
        const std::uint32_t place = m_memberIndex[ref];
        if (place == otf2None) {
            members.push_back({.counter = otf2None});
            m_characters += longer;  // takes as much room
            continue;
        }
        const Otf2Definitions::MetricMember& member = m_definitions.metricMembers[place];
        std::uint32_t counter = scope.isEmpty() ? m_counters[place] : otf2None;
        if (counter == otf2None) {
            const QString name = nameOf(member);
            counter = addCounter(scope.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, scope));
            if (scope.isEmpty()) m_counters[place] = counter;
        }
        const double base = member.base == OTF2_BASE_BINARY ? 2.0 : 10.0;
        members.push_back({.counter = counter,
                           .isRelative = (member.mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_RELATIVE,
                           .scale = std::pow(base, static_cast<double>(member.exponent))});
    }
    return members;
}

Result<> MetricResolver::resolve(const Progress& progress)
{
    const std::int64_t bytes = m_run.names.info.sourceBytes;
    Otf2Index classes;
    const auto add = [this](OTF2_MetricRef id, std::vector<Otf2Metric> members) {
        m_run.metricIndex.add(id, static_cast<std::uint32_t>(m_run.metrics.size()));
        m_run.metrics.push_back(std::move(members));
    };
    const auto isPlausible = [&] { return m_characters <= limits::mpiNames.of(bytes); };
    for (const auto& metricClass : m_definitions.metricClasses) {
        if (progress.isCancelled()) return cancelledError();
        if (!isPlausible()) break;
        classes.add(metricClass.id, static_cast<std::uint32_t>(m_run.metrics.size()));
        add(metricClass.id, membersOf(metricClass, {}));
    }
    for (const auto& instance : m_definitions.metricInstances) {
        if (progress.isCancelled()) return cancelledError();
        if (!isPlausible()) break;
        const std::uint32_t place = classes[instance.metricClass];
        const QString scope = scopeOf(instance);
        if (place != otf2None && scope.isEmpty()) m_run.metricIndex.add(instance.id, place);
        else if (place != otf2None) add(instance.id, membersOf(m_definitions.metricClasses[place], scope));
        else add(instance.id, {});
    }
    if (isPlausible()) return Unit{};
    return impossibleFigure(tr("The archive's counters have %1 characters and more").arg(m_characters),
                            limits::mpiNames, bytes, m_run.names.info.source);
}

}  // namespace

void Otf2Index::add(std::uint64_t id, std::uint32_t place)
{
    constexpr std::uint64_t mostDense = 1 << 20;
    if (id >= mostDense) {
        m_sparse.emplace(id, place);
        return;
    }
    if (id >= m_dense.size()) m_dense.resize(id + 1, otf2None);
    m_dense[id] = place;
}

Result<Otf2Run> resolveOtf2(const Otf2Definitions& definitions, const Otf2Archive& archive, const Progress& progress)
{
    Otf2Run run;
    run.names.info = infoOf(definitions, archive);
    run.clock = Otf2Clock(definitions.ticksPerSecond, definitions.globalOffset);
    run.latest = latestTime(definitions, run.clock);
    run.parallelId = definitions.parallelId;
    const Result<Otf2Ranks> ranks = resolveOtf2Locations(definitions, run);
    if (!ranks) return ranks.error();
    if (const Result<> comms = resolveOtf2Comms(definitions, *ranks, run); !comms) return comms.error();
    resolveOtf2Regions(definitions, run);
    if (const Result<> metrics = MetricResolver(definitions, run).resolve(progress); !metrics) return metrics.error();
    if (!run.names.locations.empty()) run.names.info.hostname = run.names.locations.front().host;
    return run;
}

}  // namespace longpole
