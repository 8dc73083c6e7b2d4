// SPDX-License-Identifier: GPL-3.0-or-later
// Definitions of a Projections run, from its symbols and what its logs turned out to use.
#include "importers/projections/definitions.h"

#include "core/trace/trackids.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace longpole {
namespace {

// Chares that Charm++ registers itself (v6.0 to v8.0), sorted.
// clang-format off
constexpr std::string_view systemChares[] = {
    "ArrayBase", "ArrayElement", "BaseLB", "BlockLB", "BlockMap", "CProxy_CkArrayReductionMgr", "CentralLB", "Chare",
    "CkArray", "CkArrayMap", "CkArrayReductionMgr", "CkCheckpointInit", "CkCheckpointMgr", "CkCheckpointStatusMgr",
    "CkCheckpointWriteMgr", "CkGroupInitCallback", "CkGroupReadyCallback", "CkIO", "CkLocCache", "CkLocMgr",
    "CkMapsInit", "CkMemCheckPT", "CkMemCheckPTInit", "CkMulticastMgr", "CkNodeReductionMgr", "CkReductionMgr",
    "CkSyncBarrier", "CkSyncBarrierInit", "CldMap", "ConfigurableRRMap", "DefaultArrayMap", "DistBaseLB",
    "DistributedLB", "DummyLB", "FastArrayMap", "FutureBOC", "FutureInit", "FutureMain", "Group", "HilbertArrayMap",
    "HybridBaseLB", "KMeansBOC", "LBDBInit", "LBDatabase", "LBManager", "LBMgrInit", "MetaBalancer",
    "MetaBalancerInit", "MetaBalancerRedn", "MetaLBInit", "MetisLB", "NborBaseLB", "NodeGroup", "NullLB",
    "PowerManager", "PropMap", "RRMap", "ReadFileMap", "RecBipartLB", "SDAG", "Simple1DFileMap", "TempAwareMaster",
    "TraceAutoPerfBOC", "TraceAutoPerfInit", "TraceControlPointsBOC", "TraceControlPointsInit", "TraceProjectionsBOC",
    "TraceProjectionsInit", "TraceSummaryBOC", "TraceSummaryInit", "TreeLB", "WSLB", "ckcallback_group",
    "ckcallback_main", "dummy_pack_chare", "dummy_thread_chare", "dummy_unpack_chare", "null", "pathHistoryMain",
    "pathHistoryManager", "waitqd_QDChare"};
// clang-format on
static_assert(std::is_sorted(std::begin(systemChares), std::end(systemChares)));

void addTracks(TraceWriter& writer, const ProjectionsRun& run)
{
    // One process: its PEs are at the top level. Several: each process holds its PEs and its comm thread.
    const std::int64_t processes = run.symbols.processes.value_or(1);
    if (processes < 2 || processes > run.processors) return;
    for (std::int64_t process = 0; process < processes; ++process) {
        writer.add(Track{groupTrack(static_cast<std::uint32_t>(process)), noTrack, TrackKind::Process,
                         QStringLiteral("Process %1").arg(process), std::nullopt});
    }
}

// The number of a PE's process; without SMPMODE every PE is a process of its own.
std::int64_t processOf(const ProjectionsRun& run, std::int64_t pe)
{
    if (!run.symbols.pesPerProcess) return pe;
    if (pe >= run.workers) return pe - run.workers;
    return std::min(pe / *run.symbols.pesPerProcess, *run.symbols.processes - 1);
}

void addProcessor(TraceWriter& writer, const ProjectionsRun& run, Processor processor, bool hasUserEvents)
{
    const std::uint32_t pe = index(processor.pe);
    const bool isComm = run.isCommThread(pe);
    const std::int64_t process = processOf(run, pe);
    const bool isGrouped = run.symbols.processes.value_or(1) > 1 && *run.symbols.processes <= run.processors;
    processor.kind = isComm ? TrackKind::CommThread : TrackKind::Pe;
    processor.name = isComm ? QStringLiteral("Comm thread %1").arg(process) : QStringLiteral("PE %1").arg(pe);
    processor.process = static_cast<std::uint32_t>(process);
    processor.node = processor.process;
    processor.track = processorTrack(pe);
    writer.add(processor);
    const TrackId parent = isGrouped ? groupTrack(processor.process) : noTrack;
    writer.add(Track{processor.track, parent, processor.kind, processor.name, processor.pe});
    if (hasUserEvents) {
        writer.add(Track{userEventTrack(pe), processor.track, TrackKind::UserEvents,
                         QStringLiteral("User events of PE %1").arg(pe), processor.pe});
    }
}

void addProcessors(TraceWriter& writer, const ProjectionsRun& run, const std::vector<ProcessorResult>& results)
{
    auto result = results.begin();
    for (std::int64_t pe = 0; pe < run.processors; ++pe) {
        const auto id = static_cast<ProcessorId>(pe);
        if (result != results.end() && result->processor.pe == id) {
            addProcessor(writer, run, result->processor, result->hasUserEventTrack);
            ++result;
        } else {
            Processor missing;
            missing.pe = id;
            missing.hasLog = false;
            addProcessor(writer, run, missing, false);
        }
    }
}

void addEntries(TraceWriter& writer, const ProjectionsRun& run, const std::vector<ProcessorResult>& results)
{
    const ProjectionsSymbols& symbols = run.symbols;
    for (const auto& [id, chare] : symbols.chares) writer.add(Chare{ChareId{id}, chare.name, chare.dimensions});
    for (const auto& [id, entry] : symbols.entries) {
        Entry row{.id = EntryId{id}, .name = entry.name, .chare = {}, .kind = EntryKind::User, .chareId = {}};
        const auto chare = symbols.chares.find(static_cast<std::uint32_t>(entry.chare));
        row.chareId = chare == symbols.chares.end() ? ChareId{0xffffffffu} : ChareId{chare->first};
        if (chare != symbols.chares.end()) row.chare = chare->second.name;
        if (isSystemChare(row.chare)) row.kind = EntryKind::System;
        writer.add(row);
    }
    std::set<std::uint32_t> unknown;
    for (const ProcessorResult& result : results)
        unknown.insert(result.unknownEntries.begin(), result.unknownEntries.end());
    for (const std::uint32_t id : unknown) {
        writer.add(Entry{.id = EntryId{id},
                         .name = QStringLiteral("entry %1").arg(id),
                         .chare = {},
                         .kind = EntryKind::User,
                         .chareId = ChareId{0xffffffffu}});
    }
}

QString regionName(const ProjectionsSymbols& symbols, RegionKind kind, std::uint32_t number)
{
    const auto named = [number](const std::map<std::uint32_t, QString>& names, const char* otherwise) {
        const auto name = names.find(number);
        return name != names.end() && !name->second.isEmpty() ? name->second
                                                              : QString::fromLatin1(otherwise).arg(number);
    };
    switch (kind) {
    case RegionKind::UserEvent: return named(symbols.events, "event %1");
    case RegionKind::Stat: return named(symbols.statistics, "statistic %1");
    case RegionKind::Function: return named(symbols.functions, "function %1");
    case RegionKind::Counter: return named(symbols.counters, "counter %1");
    case RegionKind::Memory: return QStringLiteral("Memory in use");
    case RegionKind::Note: return QStringLiteral("Note");
    case RegionKind::Phase: return QStringLiteral("End of phase %1").arg(number);
    case RegionKind::UserSupplied: return QStringLiteral("User-supplied value");
    default: return QString::number(number);
    }
}

void addRegions(TraceWriter& writer, const ProjectionsRun& run, const std::vector<ProcessorResult>& results,
                const Progress& progress)
{
    std::vector<std::uint32_t> regions;
    for (const auto& [number, name] : run.symbols.events)
        regions.push_back(regionNumber(RegionKind::UserEvent, number));
    for (const auto& [number, name] : run.symbols.statistics) regions.push_back(regionNumber(RegionKind::Stat, number));
    for (const ProcessorResult& result : results)
        regions.insert(regions.end(), result.regions.begin(), result.regions.end());
    std::sort(regions.begin(), regions.end());
    regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
    for (const std::uint32_t id : regions) {
        if (progress.isCancelled()) return;
        const auto kind = static_cast<RegionKind>(id >> 28);
        const std::uint32_t number = id & 0x0fffffffu;
        writer.add(Region{RegionId{id}, kind, number, regionName(run.symbols, kind, number)});
    }
}

void addCounts(TraceWriter& writer, const std::vector<ProcessorResult>& results)
{
    for (std::size_t type = 0; type < recordTypes; ++type) {
        std::int64_t count = 0;
        for (const ProcessorResult& result : results) count += result.counts[type];
        const char* const name = recordName(static_cast<std::uint8_t>(type));
        if (count > 0 && name) writer.add(RecordCount{QString::fromLatin1(name), count});
    }
}

void addTexts(TraceWriter& writer, const std::vector<ProcessorResult>& results)
{
    for (const ProcessorResult& result : results) {
        std::int64_t id = std::int64_t{index(result.processor.pe)} << 32;
        for (const QString& text : result.texts) writer.addText(id++, text);
    }
}

}  // namespace

bool isSystemChare(const QString& name)
{
    const QByteArray utf8 = name.toUtf8();
    return std::binary_search(std::begin(systemChares), std::end(systemChares),
                              std::string_view(utf8.constData(), static_cast<std::size_t>(utf8.size())));
}

void addDefinitions(TraceWriter& writer, const ProjectionsRun& run, const std::vector<ProcessorResult>& results,
                    const ImportLog& log, const Progress& progress)
{
    addTracks(writer, run);
    addProcessors(writer, run, results);
    addEntries(writer, run, results);
    addRegions(writer, run, results, progress);
    addCounts(writer, results);
    addTexts(writer, results);
    for (const ProcessorResult& result : results) {
        for (const ProfileRow& row : result.profile) writer.add(row);
    }
    for (const Issue& issue : log.issues()) writer.add(issue);
}

TraceInfo traceInfo(const ProjectionsRun& run, const ProjectionsFiles& files,
                    const std::vector<ProcessorResult>& results, const ImportLog& log)
{
    const ProjectionsSymbols& symbols = run.symbols;
    TraceInfo info;
    const bool isBinary = std::any_of(results.begin(), results.end(), [](const auto& r) { return r.isBinary; });
    info.format = isBinary ? QStringLiteral("projections-binary") : QStringLiteral("projections");
    info.version = symbols.version;
    info.program = files.base;
    info.commandline = symbols.commandline;
    info.machine = symbols.machine;
    info.hostname = symbols.hostname;
    info.timestamp = symbols.timestamp;
    info.charmVersion = symbols.charmVersion;
    info.source = files.source();
    info.sourceBytes = files.bytes();
    info.processors = run.workers;
    info.executionsUnmatched = log.count(IssueKind::UnmatchedExecution);
    info.begin = run.begin;
    info.end = run.begin;
    TimeNs first = run.begin;
    for (const ProcessorResult& result : results) {
        const Processor& processor = result.processor;
        info.tasks += processor.tasks;
        info.messages += processor.messages;
        info.records += processor.records;
        if (processor.records == 0) continue;
        first = std::min(first, processor.firstRecord);
        if (run.isCommThread(index(processor.pe))) continue;
        info.end = std::max(info.end, processor.lastRecord);
        info.busy = saturatingAdd(info.busy, processor.busy);
        info.idle = saturatingAdd(info.idle, processor.idle);
    }
    info.startup = info.begin - first;
    return info;
}

}  // namespace longpole
