// SPDX-License-Identifier: GPL-3.0-or-later
// Names into kind, operation and variable; samples checked, counted and put in order of time.
#include "analysis/scheduling/sharedaccessstats.h"

#include "analysis/base/chunkscan.h"
#include "analysis/scheduling/sharedaccesstable.h"
#include "core/base/drawnhash.h"
#include "core/base/limits.h"
#include "core/store/rows.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::array kindNames{"table", "readonly", "writeonce", "accumulator", "monotonic"};
constexpr std::array operationNames{"insert", "find", "delete", "read", "create", "deref", "add", "collect", "update"};
constexpr std::size_t leftOut = ~std::size_t{0};
constexpr double largestKey = 9007199254740992.0;  // 2^53: beyond, a double does not tell keys apart

bool has(SharedKind kind, SharedOperation operation)
{
    using enum SharedOperation;
    switch (kind) {
    case SharedKind::Table: return operation == Insert || operation == Find || operation == Delete;
    case SharedKind::ReadOnly: return operation == Read;
    case SharedKind::WriteOnce: return operation == Create || operation == Deref;
    case SharedKind::Accumulator: return operation == Add || operation == Collect;
    case SharedKind::Monotonic: return operation == Read || operation == Update;
    }
    return false;
}

template <std::size_t n>
std::optional<std::size_t> find(const std::array<const char*, n>& names, const QString& name)
{
    for (std::size_t i = 0; i < n; ++i)
        if (name == QLatin1String(names[i])) return i;
    return {};
}

struct Stat {
    std::size_t variable = 0;
    SharedOperation operation{};
    bool isTable = false;
    const QString* name = nullptr;
};
using Stats = std::unordered_map<std::int64_t, Stat, DrawnHash>;     // by region
using Issues = std::map<std::pair<QString, QString>, std::int64_t>;  // kind and place

// What one PE recorded.
struct Found {
    std::vector<std::pair<std::size_t, SharedSample>> samples{};  // with their variable
    Issues issues{};
    std::map<std::int64_t, std::int64_t> misnamed{};  // samples by region
};

// Puts right what can be, counts what cannot. False: the sample says nothing.
bool check(const Stat& stat, SharedSample& sample, double user, std::int64_t processors, Issues& issues)
{
    const auto count = [&](const char* kind) { ++issues[{QLatin1String(kind), *stat.name}]; };
    if (stat.isTable) {
        const bool isHome = std::isfinite(user) && user >= 0 && user < static_cast<double>(processors)
                            && user == std::floor(user);
        if (!isHome) count("shared_stat_home");
        sample.user = isHome ? static_cast<std::int64_t>(user) : -1;
        const double key = sample.value;
        const bool isKey = std::isfinite(key) && key >= 0 && key < largestKey && key == std::floor(key);
        if (!isKey) count("shared_stat_key");
        return isKey;
    }
    if (stat.operation == SharedOperation::Update) {
        if (user != 0.0 && user != 1.0) count("shared_stat_accepted");
        sample.user = user == 0.0 ? 0 : 1;  // what is not said to have been rejected counted
        if (!std::isfinite(sample.value)) count("shared_stat_value");
        return std::isfinite(sample.value);
    }
    return true;
}

using PeTrack = std::pair<ProcessorId, TrackId>;

// By PE: the tracks that have samples.
std::vector<PeTrack> tracksWithSamples(const TraceStore& store)
{
    std::vector<PeTrack> tracks;
    for (const Track& track : store.tracks())
        if (track.pe && !store.chunks(ChunkKind::Counter, track.id).empty()) tracks.emplace_back(*track.pe, track.id);
    std::ranges::sort(tracks);
    return tracks;
}

// What to look for and where.
struct Reading {
    const TraceStore& store;
    const Stats& stats;
    const std::vector<std::int64_t>& misnamed;  // regions, sorted
    std::vector<PeTrack> tracks;
};

Result<Found> readProcessor(const Reading& reading, const Processor& processor, const Progress& progress)
{
    Found found;
    const auto visit = [&](const ScannedRows<CounterRow>& scanned) {
        for (const CounterRow& row : scanned.rows) {
            const std::int64_t region = index(row.region());
            const auto stat = reading.stats.find(region);
            if (stat == reading.stats.end()) {
                if (std::ranges::binary_search(reading.misnamed, region)) ++found.misnamed[region];
                continue;
            }
            SharedSample sample{.time = row.time(),
                                .pe = index(processor.pe),
                                .operation = stat->second.operation,
                                .value = row.value()};
            if (check(stat->second, sample, row.userTime(), reading.store.info().processors, found.issues))
                found.samples.emplace_back(stat->second.variable, sample);
        }
    };
    const ScanRequest request{.fields = CounterRow::All};
    const auto isBefore = [](const PeTrack& track, ProcessorId pe) { return track.first < pe; };
    auto track = std::lower_bound(reading.tracks.begin(), reading.tracks.end(), processor.pe, isBefore);
    for (; track != reading.tracks.end() && track->first == processor.pe; ++track)
        if (Result<> scanned = scanRows<CounterRow>(reading.store, track->second, request, progress, visit); !scanned)
            return scanned.error();
    return found;
}

void count(SharedVariable& variable, const SharedSample& sample)
{
    switch (sample.operation) {
    case SharedOperation::Insert:
    case SharedOperation::Create: ++variable.inserts; break;
    case SharedOperation::Find: ++variable.finds; break;
    case SharedOperation::Delete: ++variable.deletes; break;
    case SharedOperation::Read:
    case SharedOperation::Deref:
    case SharedOperation::Collect: ++variable.reads; break;
    case SharedOperation::Add:
    case SharedOperation::Update: ++variable.updates; break;
    }
    if (sample.operation == SharedOperation::Update && sample.user == 1) ++variable.accepted;
    if (sample.pe < variable.accesses.size()) ++variable.accesses[sample.pe];
}

void countKeys(RecordedVariable& variable)
{
    variable.entries = tableEntries(variable.samples);
    variable.counts.keys = static_cast<std::int64_t>(variable.entries.size());
    for (const TableEntry& entry : variable.entries)
        if (entry.home >= 0) ++variable.counts.homes[static_cast<std::size_t>(entry.home)];
}

// Variables of all stats that fit, ordered; which stat is which. Beyond the limit they are left out as those that do
// not.
std::vector<RecordedVariable> variablesOf(const TraceStore& store, Stats& stats, std::vector<std::int64_t>& misnamed)
{
    std::map<std::pair<SharedKind, QString>, std::size_t> order;
    std::vector<std::pair<const Region*, SharedStatName>> known;
    for (const Region& region : store.regions()) {
        if (region.kind != RegionKind::Stat || !isSharedStatName(region.name)) continue;
        const std::optional<SharedStatName> name = parseSharedStatName(region.name);
        if (!name) misnamed.push_back(index(region.id));
        else known.emplace_back(&region, *name);
        if (name) order[{name->kind, name->variable}];
    }
    const auto most = static_cast<std::size_t>(std::min(limits::sharedNames.free,
                                                        limits::sharedVariables.free
                                                            / std::max<std::int64_t>(store.info().processors, 1)));
    std::vector<RecordedVariable> variables;
    for (auto& [key, place] : order) {
        if (variables.size() == most) {
            place = leftOut;
            continue;
        }
        place = variables.size();
        SharedVariable counts{.name = key.second, .kind = key.first};
        counts.accesses.resize(static_cast<std::size_t>(store.info().processors));
        if (key.first == SharedKind::Table) counts.homes.resize(counts.accesses.size());
        variables.push_back({std::move(counts)});
    }
    for (const auto& [region, name] : known) {
        if (order[{name.kind, name.variable}] == leftOut) misnamed.push_back(index(region->id));
        else
            stats[index(region->id)] = {order[{name.kind, name.variable}], name.operation,
                                        name.kind == SharedKind::Table, &region->name};
    }
    std::ranges::sort(misnamed);
    return variables;
}

}  // namespace

bool isSharedStatName(const QString& name) { return name.startsWith(QLatin1String("shared/"), Qt::CaseInsensitive); }

std::optional<SharedStatName> parseSharedStatName(const QString& name)
{
    const QStringList parts = name.split(QLatin1Char('/'));
    if (parts.size() < 4 || parts[0] != QLatin1String("shared")) return {};
    const std::optional<std::size_t> kind = find(kindNames, parts[1]);
    const std::optional<std::size_t> operation = find(operationNames, parts[2]);
    const QString variable = name.section(QLatin1Char('/'), 3).trimmed();
    if (!kind || !operation || variable.isEmpty()) return {};
    if (!has(static_cast<SharedKind>(*kind), static_cast<SharedOperation>(*operation))) return {};
    return SharedStatName{static_cast<SharedKind>(*kind), static_cast<SharedOperation>(*operation), variable};
}

Result<RecordedVariables> readSharedStats(const TraceStore& store, const Progress& progress)
{
    RecordedVariables result;
    Stats stats;
    std::vector<std::int64_t> misnamed;
    result.variables = variablesOf(store, stats, misnamed);
    result.isRecorded = !result.variables.empty();
    if (stats.empty() && misnamed.empty()) return result;

    const std::vector<const Processor*> processors = processorsToScan(store, {}, false);
    const Reading reading{store, stats, misnamed, tracksWithSamples(store)};
    std::vector<Found> found(processors.size());
    const auto read = [&](std::size_t, const Processor& processor) -> Result<> {
        Result<Found> one = readProcessor(reading, processor, progress);
        if (!one) return one.error();
        const auto place = std::ranges::lower_bound(processors, processor.pe, {}, &Processor::pe) - processors.begin();
        found[static_cast<std::size_t>(place)] = std::move(*one);
        return Unit{};
    };
    if (Result<> scanned = scanProcessors(processors, progress, read); !scanned) return scanned.error();

    Issues issues;
    for (const std::int64_t region : misnamed) {
        std::int64_t samples = 0;
        for (const Found& one : found)
            if (const auto known = one.misnamed.find(region); known != one.misnamed.end()) samples += known->second;
        const Region* const named = store.region(RegionId{static_cast<std::uint32_t>(region)});
        const bool isSound = parseSharedStatName(named->name).has_value();
        issues[{isSound ? QStringLiteral("shared_stat_left_out") : QStringLiteral("shared_stat_name"), named->name}] +=
            std::max<std::int64_t>(samples, 1);
    }
    for (const Found& one : found) {
        for (const auto& [issue, times] : one.issues) issues[issue] += times;
        for (const auto& [variable, sample] : one.samples) result.variables[variable].samples.push_back(sample);
    }
    for (RecordedVariable& variable : result.variables) {
        std::ranges::stable_sort(variable.samples, {}, &SharedSample::time);
        for (const SharedSample& sample : variable.samples) count(variable.counts, sample);
        if (variable.counts.kind == SharedKind::Table) countKeys(variable);
    }
    for (const auto& [issue, times] : issues) result.issues.push_back({issue.first, times, issue.second});
    return result;
}

}  // namespace longpole
