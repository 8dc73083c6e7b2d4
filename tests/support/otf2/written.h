// SPDX-License-Identifier: GPL-3.0-or-later
// An OTF2 archive that a test writes with the OTF2 library: definitions in the order of the calls, events by location.
#pragma once

#include <otf2/otf2.h>

#include <QString>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace longpole {

class WrittenOtf2 {
public:
    // Writes folder/name.otf2 and the files that belong to it.
    explicit WrittenOtf2(const QString& folder, const QString& name = QStringLiteral("traces"),
                         std::uint64_t chunkBytes = OTF2_CHUNK_SIZE_EVENTS_DEFAULT);
    ~WrittenOtf2() { finish(); }
    WrittenOtf2(const WrittenOtf2&) = delete;
    WrittenOtf2& operator=(const WrittenOtf2&) = delete;

    void clock(std::uint64_t ticksPerSecond, std::uint64_t offset);
    OTF2_StringRef text(const QString& text);
    OTF2_SystemTreeNodeRef host(const QString& name);
    OTF2_LocationGroupRef process(const QString& name, OTF2_SystemTreeNodeRef host,
                                  OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                  OTF2_LocationGroupRef creator = OTF2_UNDEFINED_LOCATION_GROUP);
    void location(OTF2_LocationRef id, OTF2_LocationGroupRef process, const QString& name,
                  OTF2_LocationType type = OTF2_LOCATION_TYPE_CPU_THREAD);
    OTF2_RegionRef region(const QString& name, OTF2_Paradigm paradigm = OTF2_PARADIGM_USER,
                          OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION, const QString& file = {});
    OTF2_GroupRef group(OTF2_GroupType type, const std::vector<std::uint64_t>& members,
                        OTF2_Paradigm paradigm = OTF2_PARADIGM_MPI, OTF2_GroupFlag flags = OTF2_GROUP_FLAG_NONE);
    OTF2_CommRef comm(const QString& name, OTF2_GroupRef group);
    OTF2_CommRef interComm(const QString& name, OTF2_GroupRef first, OTF2_GroupRef second);
    OTF2_MetricMemberRef metricMember(const QString& name, OTF2_MetricMode mode, OTF2_Type type,
                                      const QString& unit = {}, std::int64_t exponent = 0);
    OTF2_MetricRef metricClass(const std::vector<OTF2_MetricMemberRef>& members);
    OTF2_MetricRef metricInstance(OTF2_MetricRef metricClass, OTF2_LocationRef recorder, OTF2_MetricScope scope,
                                  std::uint64_t scopeId);
    OTF2_CallingContextRef context(OTF2_RegionRef region,
                                   OTF2_CallingContextRef parent = OTF2_UNDEFINED_CALLING_CONTEXT);
    void clockOffset(OTF2_LocationRef location, OTF2_TimeStamp time, std::int64_t offset);

    // Processes "MPI Rank r" of one thread each, location r, `perHost` on a host; communicators 0 of all
    // ("MPI_COMM_WORLD") and 1 of each alone ("MPI_COMM_SELF").
    void mpi(std::uint32_t ranks, std::uint32_t perHost = 4);

    OTF2_EvtWriter* events(OTF2_LocationRef location);
    void enter(OTF2_LocationRef location, OTF2_TimeStamp time, OTF2_RegionRef region);
    void leave(OTF2_LocationRef location, OTF2_TimeStamp time, OTF2_RegionRef region);
    // Any other definition.
    using Define = std::function<void(OTF2_GlobalDefWriter*)>;
    void define(Define definition) { m_definitions.push_back(std::move(definition)); }
    // Writes everything that is not written yet.
    void finish();

private:
    struct Offset {
        OTF2_TimeStamp time;
        std::int64_t offset;
    };
    struct Place {
        OTF2_EvtWriter* writer = nullptr;
        std::vector<Offset> offsets;
    };
    void closeEvents();
    void writeOwnDefinitions();

    OTF2_Archive* m_archive = nullptr;
    std::uint64_t m_ticksPerSecond = 1'000'000'000;
    std::uint64_t m_offset = 0;
    std::vector<Define> m_definitions;
    std::map<QString, OTF2_StringRef> m_texts;
    std::map<OTF2_LocationRef, Place> m_locations;
    std::map<OTF2_LocationRef, std::uint64_t> m_counts;  // of events
    std::uint32_t m_hosts = 0;
    std::uint32_t m_processes = 0;
    std::uint32_t m_regions = 0;
    std::uint32_t m_groups = 0;
    std::uint32_t m_comms = 0;
    std::uint32_t m_metricMembers = 0;
    std::uint32_t m_metrics = 0;
    std::uint32_t m_contexts = 0;
};

}  // namespace longpole
