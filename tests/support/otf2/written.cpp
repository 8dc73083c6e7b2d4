// SPDX-License-Identifier: GPL-3.0-or-later
// Archives through the OTF2 writer; definitions wait until the numbers of events are known.
#include "support/otf2/written.h"

#include <QDir>
#include <QFile>

#include <numeric>

namespace longpole {
namespace {

OTF2_FlushType onFlush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

}  // namespace

WrittenOtf2::WrittenOtf2(const QString& folder, const QString& name, std::uint64_t chunkBytes)
{
    QDir().mkpath(folder);
    m_archive = OTF2_Archive_Open(QFile::encodeName(folder).constData(), name.toUtf8().constData(), OTF2_FILEMODE_WRITE,
                                  chunkBytes, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                                  OTF2_COMPRESSION_NONE);
    static const OTF2_FlushCallbacks flush{onFlush, nullptr};
    OTF2_Archive_SetFlushCallbacks(m_archive, &flush, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(m_archive);
    OTF2_Archive_SetCreator(m_archive, "Longpole's tests");
    OTF2_Archive_OpenEvtFiles(m_archive);
    text({});
}

void WrittenOtf2::clock(std::uint64_t ticksPerSecond, std::uint64_t offset)
{
    m_ticksPerSecond = ticksPerSecond;
    m_offset = offset;
}

OTF2_StringRef WrittenOtf2::text(const QString& text)
{
    const auto [place, isNew] = m_texts.emplace(text, static_cast<OTF2_StringRef>(m_texts.size()));
    const OTF2_StringRef id = place->second;
    const QByteArray bytes = text.toUtf8();
    if (isNew) m_definitions.push_back([=](auto* to) { OTF2_GlobalDefWriter_WriteString(to, id, bytes.constData()); });
    return id;
}

OTF2_SystemTreeNodeRef WrittenOtf2::host(const QString& name)
{
    const OTF2_StringRef nameText = text(name);
    const OTF2_StringRef kind = text(QStringLiteral("node"));
    const std::uint32_t id = m_hosts++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteSystemTreeNode(to, id, nameText, kind, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(to, id, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    });
    return id;
}

OTF2_LocationGroupRef WrittenOtf2::process(const QString& name, OTF2_SystemTreeNodeRef host,
                                           OTF2_LocationGroupType type, OTF2_LocationGroupRef creator)
{
    const OTF2_StringRef nameText = text(name);
    const std::uint32_t id = m_processes++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteLocationGroup(to, id, nameText, type, host, creator);
    });
    return id;
}

void WrittenOtf2::location(OTF2_LocationRef id, OTF2_LocationGroupRef process, const QString& name,
                           OTF2_LocationType type)
{
    const OTF2_StringRef nameText = text(name);
    m_locations[id] = {};
    m_definitions.push_back([=, this](auto* to) {
        OTF2_GlobalDefWriter_WriteLocation(to, id, nameText, type, m_counts[id], process);
    });
}

OTF2_RegionRef WrittenOtf2::region(const QString& name, OTF2_Paradigm paradigm, OTF2_RegionRole role,
                                   const QString& file)
{
    const OTF2_StringRef nameText = text(name);
    const OTF2_StringRef fileText = file.isEmpty() ? OTF2_UNDEFINED_STRING : text(file);
    const std::uint32_t id = m_regions++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteRegion(to, id, nameText, nameText, 0, role, paradigm, OTF2_REGION_FLAG_NONE, fileText,
                                         0, 0);
    });
    return id;
}

OTF2_GroupRef WrittenOtf2::group(OTF2_GroupType type, const std::vector<std::uint64_t>& members, OTF2_Paradigm paradigm,
                                 OTF2_GroupFlag flags)
{
    const std::uint32_t id = m_groups++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteGroup(to, id, 0, type, paradigm, flags, static_cast<std::uint32_t>(members.size()),
                                        members.data());
    });
    return id;
}

OTF2_CommRef WrittenOtf2::comm(const QString& name, OTF2_GroupRef group)
{
    const OTF2_StringRef nameText = text(name);
    const std::uint32_t id = m_comms++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteComm(to, id, nameText, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    });
    return id;
}

OTF2_CommRef WrittenOtf2::interComm(const QString& name, OTF2_GroupRef first, OTF2_GroupRef second)
{
    const OTF2_StringRef nameText = text(name);
    const std::uint32_t id = m_comms++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteInterComm(to, id, nameText, first, second, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    });
    return id;
}

OTF2_MetricMemberRef WrittenOtf2::metricMember(const QString& name, OTF2_MetricMode mode, OTF2_Type type,
                                               const QString& unit, std::int64_t exponent)
{
    const OTF2_StringRef nameText = text(name);
    const OTF2_StringRef unitText = text(unit);
    const std::uint32_t id = m_metricMembers++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteMetricMember(to, id, nameText, 0, OTF2_METRIC_TYPE_OTHER, mode, type,
                                               OTF2_BASE_DECIMAL, exponent, unitText);
    });
    return id;
}

OTF2_MetricRef WrittenOtf2::metricClass(const std::vector<OTF2_MetricMemberRef>& members)
{
    const std::uint32_t id = m_metrics++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteMetricClass(to, id, static_cast<std::uint8_t>(members.size()), members.data(),
                                              OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    });
    return id;
}

OTF2_MetricRef WrittenOtf2::metricInstance(OTF2_MetricRef metricClass, OTF2_LocationRef recorder,
                                           OTF2_MetricScope scope, std::uint64_t scopeId)
{
    const std::uint32_t id = m_metrics++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteMetricInstance(to, id, metricClass, recorder, scope, scopeId);
    });
    return id;
}

OTF2_CallingContextRef WrittenOtf2::context(OTF2_RegionRef region, OTF2_CallingContextRef parent)
{
    const std::uint32_t id = m_contexts++;
    m_definitions.push_back([=](auto* to) {
        OTF2_GlobalDefWriter_WriteCallingContext(to, id, region, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, parent);
    });
    return id;
}

void WrittenOtf2::clockOffset(OTF2_LocationRef location, OTF2_TimeStamp time, std::int64_t offset)
{
    m_locations.at(location).offsets.push_back({time, offset});
}

void WrittenOtf2::mpi(std::uint32_t ranks, std::uint32_t perHost)
{
    std::vector<std::uint64_t> members(ranks);
    std::iota(members.begin(), members.end(), 0u);
    OTF2_SystemTreeNodeRef node = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        if (rank % perHost == 0) node = host(QStringLiteral("host%1").arg(rank / perHost));
        location(rank, process(QStringLiteral("MPI Rank %1").arg(rank), node), QStringLiteral("Master thread"));
    }
    group(OTF2_GROUP_TYPE_COMM_LOCATIONS, members);
    comm(QStringLiteral("MPI_COMM_WORLD"), group(OTF2_GROUP_TYPE_COMM_GROUP, members));
    comm(QStringLiteral("MPI_COMM_SELF"), group(OTF2_GROUP_TYPE_COMM_SELF, {}));
}

OTF2_EvtWriter* WrittenOtf2::events(OTF2_LocationRef location)
{
    OTF2_EvtWriter*& writer = m_locations.at(location).writer;
    if (writer == nullptr) writer = OTF2_Archive_GetEvtWriter(m_archive, location);
    return writer;
}

void WrittenOtf2::enter(OTF2_LocationRef location, OTF2_TimeStamp time, OTF2_RegionRef region)
{
    OTF2_EvtWriter_Enter(events(location), nullptr, time, region);
}

void WrittenOtf2::leave(OTF2_LocationRef location, OTF2_TimeStamp time, OTF2_RegionRef region)
{
    OTF2_EvtWriter_Leave(events(location), nullptr, time, region);
}

void WrittenOtf2::closeEvents()
{
    for (auto& [id, place] : m_locations) {
        if (place.writer == nullptr) continue;
        OTF2_EvtWriter_GetNumberOfEvents(place.writer, &m_counts[id]);
        OTF2_Archive_CloseEvtWriter(m_archive, place.writer);
    }
    OTF2_Archive_CloseEvtFiles(m_archive);
}

void WrittenOtf2::writeOwnDefinitions()
{
    OTF2_Archive_OpenDefFiles(m_archive);
    for (const auto& [id, place] : m_locations) {
        OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(m_archive, id);
        for (const Offset& offset : place.offsets)
            OTF2_DefWriter_WriteClockOffset(writer, offset.time, offset.offset, 0);
        OTF2_Archive_CloseDefWriter(m_archive, writer);
    }
    OTF2_Archive_CloseDefFiles(m_archive);
}

void WrittenOtf2::finish()
{
    if (m_archive == nullptr) return;
    closeEvents();
    writeOwnDefinitions();
    OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(m_archive);
    OTF2_GlobalDefWriter_WriteClockProperties(writer, m_ticksPerSecond, m_offset, 0, OTF2_UNDEFINED_TIMESTAMP);
    for (const Define& define : m_definitions) define(writer);
    OTF2_Archive_Close(m_archive);
    m_archive = nullptr;
}

}  // namespace longpole
