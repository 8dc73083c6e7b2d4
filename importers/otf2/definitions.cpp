// SPDX-License-Identifier: GPL-3.0-or-later
// Reads global definitions: one callback for each kind, each of which appends a line.
#include "importers/otf2/definitions.h"

#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "importers/otf2/reader.h"

#include <QFileInfo>

#include <cstdlib>

namespace longpole {
namespace {

Otf2Definitions& target(void* user) { return *static_cast<Otf2Definitions*>(user); }

OTF2_CallbackCode onClock(void* user, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length,
                          std::uint64_t realtime)
{
    target(user).ticksPerSecond = resolution;
    target(user).globalOffset = offset;
    target(user).length = length;
    target(user).realtime = realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onString(void* user, OTF2_StringRef self, const char* text)
{
    const QString string = target(user).strings[self] = QString::fromUtf8(text);
    target(user).shortened.erase(self);
    if (string.size() > limits::nameLength.free) target(user).shortened[self] = otf2Name(string);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onNode(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef className,
                         OTF2_SystemTreeNodeRef parent)
{
    target(user).nodes.push_back({self, name, className, parent});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onDomain(void* user, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain)
{
    if (domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY) target(user).hosts.insert(node);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onProcess(void* user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
                            OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator)
{
    target(user).processes.push_back({self, name, type, node, creator});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onLocation(void* user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                             std::uint64_t events, OTF2_LocationGroupRef process)
{
    target(user).locations.push_back({self, name, type, events, process});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onRegion(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                           OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef file,
                           std::uint32_t, std::uint32_t)
{
    target(user).regions.push_back({self, name, file, role, paradigm});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onGroup(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                          OTF2_GroupFlag flags, std::uint32_t count, const std::uint64_t* members)
{
    target(user).groups.push_back({self, type, paradigm, flags, {members, members + count}});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onComm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef,
                         OTF2_CommFlag)
{
    target(user).comms.push_back({self, name, group, OTF2_UNDEFINED_GROUP});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onInterComm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef first,
                              OTF2_GroupRef second, OTF2_CommRef, OTF2_CommFlag)
{
    target(user).comms.push_back({self, name, first, second});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onAttribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_Type type)
{
    Otf2Definitions& definitions = target(user);
    if (type == OTF2_TYPE_UINT64 && definitions.text(name) == QLatin1String("OMPT_PARALLEL_REGION_ID"))
        definitions.parallelId = self;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onMetricMember(void* user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef,
                                 OTF2_MetricType, OTF2_MetricMode mode, OTF2_Type, OTF2_Base base,
                                 std::int64_t exponent, OTF2_StringRef unit)
{
    target(user).metricMembers.push_back({self, name, unit, mode, base, exponent});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onMetricClass(void* user, OTF2_MetricRef self, std::uint8_t count,
                                const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence, OTF2_RecorderKind)
{
    target(user).metricClasses.push_back({self, {members, members + count}});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onMetricInstance(void* user, OTF2_MetricRef self, OTF2_MetricRef metricClass,
                                   OTF2_LocationRef recorder, OTF2_MetricScope scope, std::uint64_t scopeId)
{
    target(user).metricInstances.push_back({self, metricClass, recorder, scope, scopeId});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode onContext(void* user, OTF2_CallingContextRef self, OTF2_RegionRef region, OTF2_SourceCodeLocationRef,
                            OTF2_CallingContextRef parent)
{
    target(user).contexts.push_back({self, region, parent});
    return OTF2_CALLBACK_SUCCESS;
}

std::unique_ptr<OTF2_GlobalDefReaderCallbacks, Otf2Closer> definitionCallbacks()
{
    std::unique_ptr<OTF2_GlobalDefReaderCallbacks, Otf2Closer> callbacks(OTF2_GlobalDefReaderCallbacks_New());
    OTF2_GlobalDefReaderCallbacks* to = callbacks.get();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(to, onClock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(to, onString);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(to, onNode);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(to, onDomain);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(to, onProcess);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(to, onLocation);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(to, onRegion);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(to, onGroup);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(to, onComm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(to, onInterComm);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(to, onAttribute);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(to, onMetricMember);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(to, onMetricClass);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(to, onMetricInstance);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(to, onContext);
    return callbacks;
}

void readAnchor(OTF2_Reader* reader, Otf2Definitions& definitions)
{
    std::uint8_t major = 0;
    std::uint8_t minor = 0;
    std::uint8_t bugfix = 0;
    OTF2_Reader_GetVersion(reader, &major, &minor, &bugfix);
    definitions.version = QStringLiteral("%1.%2.%3").arg(major).arg(minor).arg(bugfix);
    char* machine = nullptr;
    if (OTF2_Reader_GetMachineName(reader, &machine) == OTF2_SUCCESS) definitions.machine = QString::fromUtf8(machine);
    std::free(machine);
}

Error noDefinitions(const Otf2Archive& archive, Otf2Messages& messages)
{
    if (!QFileInfo(archive.definitions).isFile()) {
        return Error{.what = tr("The archive's global definitions are missing."),
                     .where = archive.definitions,
                     .hint = tr("Copy the whole archive: the anchor, the .def beside it, and the folder.")};
    }
    return messages.error(tr("The archive's global definitions cannot be read."), archive.definitions,
                          tr("The run may have been killed before it wrote them."));
}

}  // namespace

QString Otf2Definitions::text(OTF2_StringRef string) const
{
    const auto found = strings.find(string);
    return found == strings.end() ? QString() : found->second;
}

QString Otf2Definitions::name(OTF2_StringRef string) const
{
    const auto found = shortened.find(string);
    return found == shortened.end() ? text(string) : found->second;
}

QString otf2Name(const QString& text) { return text.left(limits::nameLength.free + 1); }

Result<Otf2Definitions> readOtf2Definitions(const Otf2Archive& archive, const Progress& progress)
{
    if (!isPlausibleOtf2Anchor(archive.anchor)) return unreadableOtf2Anchor(archive);
    Otf2Messages messages;
    Result<Otf2ReaderHandle> reader = openOtf2(archive, messages);
    if (!reader) return reader.error();
    Otf2Definitions definitions;
    readAnchor(reader->get(), definitions);
    if (mayNeverEnd(archive.definitions) || !QFileInfo(archive.definitions).isFile())
        return noDefinitions(archive, messages);
    OTF2_GlobalDefReader* global = OTF2_Reader_GetGlobalDefReader(reader->get());
    if (global == nullptr) return noDefinitions(archive, messages);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader->get(), global, definitionCallbacks().get(), &definitions);
    constexpr std::uint64_t batch = 1 << 14;  // definitions between two looks at whether to stop
    std::uint64_t read = batch;
    definitions.isWhole = true;
    while (definitions.isWhole && read == batch && !progress.isCancelled())
        definitions.isWhole = OTF2_Reader_ReadGlobalDefinitions(reader->get(), global, batch, &read) == OTF2_SUCCESS;
    OTF2_Reader_CloseGlobalDefReader(reader->get(), global);
    if (progress.isCancelled()) return cancelledError(archive.anchor);
    if (definitions.locations.empty()) return noDefinitions(archive, messages);
    return definitions;
}

}  // namespace longpole
