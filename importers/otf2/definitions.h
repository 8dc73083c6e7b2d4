// SPDX-License-Identifier: GPL-3.0-or-later
// The global definitions of an OTF2 archive as they stand in its .def file: references are not resolved.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/otf2/archive.h"

#include <otf2/otf2.h>

#include <QString>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace longpole {

struct Otf2Definitions {
    struct Node {
        OTF2_SystemTreeNodeRef id = 0;
        OTF2_StringRef name = 0;
        OTF2_StringRef className = 0;
        OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
    };
    struct Process {  // location group
        OTF2_LocationGroupRef id = 0;
        OTF2_StringRef name = 0;
        OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_UNKNOWN;
        OTF2_SystemTreeNodeRef node = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
        OTF2_LocationGroupRef creator = OTF2_UNDEFINED_LOCATION_GROUP;
    };
    struct Location {
        OTF2_LocationRef id = 0;
        OTF2_StringRef name = 0;
        OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
        std::uint64_t events = 0;  // as the writer counted them
        OTF2_LocationGroupRef process = OTF2_UNDEFINED_LOCATION_GROUP;
    };
    struct Region {
        OTF2_RegionRef id = 0;
        OTF2_StringRef name = 0;
        OTF2_StringRef file = OTF2_UNDEFINED_STRING;
        OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;
        OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
    };
    struct Group {
        OTF2_GroupRef id = 0;
        OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
        OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
        OTF2_GroupFlag flags = OTF2_GROUP_FLAG_NONE;
        std::vector<std::uint64_t> members;
    };
    struct Comm {
        OTF2_CommRef id = 0;
        OTF2_StringRef name = 0;
        OTF2_GroupRef group = OTF2_UNDEFINED_GROUP;
        OTF2_GroupRef second = OTF2_UNDEFINED_GROUP;  // of an inter-communicator
    };
    struct MetricMember {
        OTF2_MetricMemberRef id = 0;
        OTF2_StringRef name = 0;
        OTF2_StringRef unit = OTF2_UNDEFINED_STRING;
        OTF2_MetricMode mode = OTF2_METRIC_ABSOLUTE_POINT;
        OTF2_Base base = OTF2_BASE_DECIMAL;
        std::int64_t exponent = 0;
    };
    struct MetricClass {
        OTF2_MetricRef id = 0;
        std::vector<OTF2_MetricMemberRef> members;
    };
    struct MetricInstance {
        OTF2_MetricRef id = 0;
        OTF2_MetricRef metricClass = 0;
        OTF2_LocationRef recorder = 0;
        OTF2_MetricScope scope = OTF2_SCOPE_LOCATION;
        std::uint64_t scopeId = 0;
    };
    struct CallingContext {
        OTF2_CallingContextRef id = 0;
        OTF2_RegionRef region = 0;
        OTF2_CallingContextRef parent = OTF2_UNDEFINED_CALLING_CONTEXT;
    };

    QString version;  // of the format, "1.4.0"
    QString machine;
    std::uint64_t ticksPerSecond = 1'000'000'000;
    std::uint64_t globalOffset = 0;
    std::uint64_t length = 0;    // ticks from the offset to the last event; 0: not known
    std::uint64_t realtime = 0;  // ns since 1970 at the offset; 0: not known
    std::map<OTF2_StringRef, QString> strings;
    std::map<OTF2_StringRef, QString> shortened;  // those that are longer than names are shown
    std::vector<Node> nodes;
    std::set<OTF2_SystemTreeNodeRef> hosts;  // nodes whose processes share memory
    std::vector<Process> processes;
    std::vector<Location> locations;
    std::vector<Region> regions;
    std::vector<Group> groups;
    std::vector<Comm> comms;
    std::vector<MetricMember> metricMembers;
    std::vector<MetricClass> metricClasses;
    std::vector<MetricInstance> metricInstances;
    std::vector<CallingContext> contexts;
    std::optional<OTF2_AttributeRef> parallelId;  // says with the enter of an implicit task to which team it belongs
    bool isWhole = true;                          // false: the file ends early, or a record could not be read

    // Empty if it is not defined.
    QString text(OTF2_StringRef string) const;
    // The text as far as a name is shown: others are made of it, for each definition that it names.
    QString name(OTF2_StringRef string) const;
};

// A name as it is kept: no longer than tells the store that it was longer than limits::nameLength.
QString otf2Name(const QString& text);

// Errors: no archive, another substrate, no global definitions, none that could be read.
Result<Otf2Definitions> readOtf2Definitions(const Otf2Archive& archive, const Progress& progress = Progress());

}  // namespace longpole
