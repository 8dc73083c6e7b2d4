// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles of a run: from the profile table, of MPI runs also from their calls, or by object from the task and message
// chunks.
#include "analysis/statistics/profile.h"

#include "analysis/base/naming.h"
#include "analysis/mpi/callpairs.h"
#include "analysis/mpi/regioncalls.h"
#include "analysis/results/storedresults.h"
#include "core/base/checked.h"
#include "core/base/drawnhash.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace longpole {

namespace {

struct KeyHash {
    std::size_t operator()(const ProfileKey& key) const
    {
        std::uint64_t hash = drawnHash(index(key.pe), drawnHash(index(key.chare), drawnHash(index(key.entry))));
        for (const std::int64_t i : key.objectIndex) hash = drawnHash(static_cast<std::uint64_t>(i), hash);
        return static_cast<std::size_t>(hash);
    }
};

// The figures of a line, without what it is called: there are as many as objects of the run.
struct LineSums {
    std::int64_t count = 0;
    TimeNs time = 0;
    TimeNs exclusive = 0;
    TimeNs inMpi = 0;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
};

using SumsOfKey = std::unordered_map<ProfileKey, LineSums, KeyHash>;

void add(LineSums& sum, const LineSums& part)
{
    sum.count = saturatingAdd(sum.count, part.count);
    sum.time = saturatingAdd(sum.time, part.time);
    sum.exclusive = saturatingAdd(sum.exclusive, part.exclusive);
    sum.messages = saturatingAdd(sum.messages, part.messages);
    sum.bytes = saturatingAdd(sum.bytes, part.bytes);
}

ChareId chareOf(const TraceStore& store, EntryId entry)
{
    const Entry* known = store.entry(entry);
    return known != nullptr ? known->chareId : ChareId{0xffffffffu};
}

SumsOfKey sumTable(const TraceStore& store, ProfileBy by)
{
    SumsOfKey sums;
    if (by == ProfileBy::Pe)
        for (const Processor& processor : store.processors())
            if (processor.kind != TrackKind::CommThread) sums[ProfileKey{.pe = processor.pe}];
    for (const ProfileRow& row : store.profile()) {
        ProfileKey key;
        if (by == ProfileBy::Entry) key.entry = row.entry;
        else if (by == ProfileBy::Pe) key.pe = row.pe;
        else key.chare = chareOf(store, row.entry);
        add(sums[key], {.count = row.count,
                        .time = row.time,
                        .exclusive = row.exclusive,
                        .messages = row.messages,
                        .bytes = row.bytes});
    }
    return sums;
}

// Messages that were created outside of tasks, which the profile table does not have.
Result<> readOutside(const TraceStore& store, const Progress& progress, ProfiledEvents& events)
{
    if (messagesOutside(store) == 0 || store.info().isSummary()) return Unit{};
    for (const Processor& processor : store.processors()) {
        ProfiledEvents::Messages outside;
        auto messages = store.rows<MessageRow>(processor.track, MessageRow::Task | MessageRow::Bytes,
                                               {.progress = &progress});
        for (const MessageRow& message : messages) {
            if (message.task()) continue;
            ++outside.count;
            outside.bytes = saturatingAdd(outside.bytes, message.bytes());
        }
        if (const Result<> read = messages.result(); !read) return read.error();
        if (outside.count > 0) events.outside[processor.pe] = outside;
    }
    return Unit{};
}

// The group of MPI's functions, if any of them is an entry method.
ChareId groupOfMpi(const TraceStore& store)
{
    for (const Region& region : store.regions()) {
        const Entry* known = store.entry(EntryId{index(region.id)});
        if (region.kind == RegionKind::MpiCall && known != nullptr) return known->chareId;
    }
    return ProfileKey{}.chare;
}

// Of regions counts calls instead of pieces of code, and adds the time inside: of MPI calls, which are no tasks, all.
void addCalls(const TraceStore& store, ProfileBy by, const std::map<RegionId, RegionCalls>& regions, SumsOfKey& sums)
{
    std::unordered_map<std::uint32_t, LineSums, DrawnHash> pieces;  // by region
    for (const ProfileRow& row : store.profile())
        add(pieces[index(row.entry)], {.count = row.count, .time = row.time, .exclusive = row.exclusive});
    const ChareId mpi = groupOfMpi(store);
    for (const auto& [region, calls] : regions) {
        const EntryId entry{index(region)};
        const auto known = pieces.find(index(region));
        if (known == pieces.end() && !calls.isMpi && calls.held == 0) continue;  // all its code ran on other threads
        const ChareId chare = store.entry(entry) != nullptr ? chareOf(store, entry) : mpi;
        LineSums& line = sums[by == ProfileBy::Entry ? ProfileKey{.entry = entry} : ProfileKey{.chare = chare}];
        if (known != pieces.end()) {
            line.count = saturatingSubtract(line.count, known->second.count);
            line.time = saturatingSubtract(line.time, known->second.time);
        }
        line.count = saturatingAdd(line.count, calls.calls);
        line.time = saturatingAdd(line.time, calls.inclusive);
        const TimeNs outside = calls.isMpi ? calls.inclusive : calls.held;
        line.exclusive = saturatingAdd(line.exclusive, outside);
        line.inMpi = saturatingAdd(line.inMpi, outside);
    }
}

// Sums one PE's tasks and messages by the object that ran them, or by the calls around them.
Result<SumsOfKey> sumTasks(const TraceStore& store, TrackId track, const std::map<EntryId, ChareId>& chares,
                           ProfileBy by, const Progress& progress)
{
    SumsOfKey sums;
    CallPairs pairs(store, track);
    std::vector<LineSums*> lineOfTask;  // an unordered_map's values stay where they are
    auto tasks = store.rows<TaskRow>(track, TaskRow::Exclusive | TaskRow::Entry | TaskRow::Object,
                                     {.progress = &progress});
    for (const TaskRow& task : tasks) {
        ProfileKey key;
        if (by == ProfileBy::Calls) {
            const Result<CallPair> pair = pairs.of(task.index());
            if (!pair) return pair.error();
            key.objectIndex = {pair->before, pair->after};
        } else {
            const auto entry = chares.find(task.entry());
            if (entry != chares.end()) key.chare = entry->second;
            key.objectIndex = task.objectIndex();
        }
        LineSums& line = sums[key];
        ++line.count;
        addSaturating(line.time, task.duration());
        addSaturating(line.exclusive, task.exclusive());
        lineOfTask.push_back(&line);
    }
    if (const Result<> read = tasks.result(); !read) return read.error();
    auto messages = store.rows<MessageRow>(track, MessageRow::Task | MessageRow::Bytes, {.progress = &progress});
    for (const MessageRow& message : messages) {
        const std::optional<std::int64_t> task = message.task();
        const bool isInTask = task && *task < static_cast<std::int64_t>(lineOfTask.size());
        LineSums& line = isInTask ? *lineOfTask[static_cast<std::size_t>(*task)] : sums[ProfileKey{.isOutside = true}];
        ++line.messages;
        line.bytes = saturatingAdd(line.bytes, message.bytes());
    }
    if (const Result<> read = messages.result(); !read) return read.error();
    return sums;
}

Result<SumsOfKey> sumAllTasks(const TraceStore& store, ProfileBy by, const Progress& progress)
{
    std::map<EntryId, ChareId> chares;
    for (const Entry& entry : store.entries()) chares[entry.id] = entry.chareId;
    SumsOfKey all;
    std::optional<Error> error;
    std::mutex mutex;
    std::size_t done = 0;
    const std::span<const Processor> processors = store.processors();
    parallelFor(processors.size(), [&](std::size_t p) {
        if (progress.isCancelled()) return;
        Result<SumsOfKey> part = sumTasks(store, processors[p].track, chares, by, progress);
        const std::lock_guard lock(mutex);
        if (!part) {
            if (!error) error = part.error();
            return;
        }
        all.merge(*part);
        for (const auto& [key, line] : *part) add(all[key], line);  // what several PEs have
        progress.report(static_cast<double>(++done) / static_cast<double>(processors.size()));
    });
    if (error) return *error;
    if (progress.isCancelled()) return cancelledError();
    return all;
}

}  // namespace

QString profileName(const TraceStore& store, ProfileBy by, const ProfileKey& key)
{
    if (key.isOutside) return tr("(outside tasks)");
    switch (by) {
    case ProfileBy::Entry: {
        const Entry* entry = store.entry(key.entry);
        const Region* region = store.region(RegionId{index(key.entry)});
        if (entry != nullptr) return entryName(*entry);
        return region != nullptr ? region->name : tr("entry %1").arg(index(key.entry));
    }
    case ProfileBy::Pe: {
        const Processor* processor = store.processor(key.pe);
        return processor != nullptr && !processor->name.isEmpty()
                   ? processor->name
                   : store.words().say(tr("PE %1"), tr("Rank %1")).arg(index(key.pe));
    }
    case ProfileBy::Calls: return callPairName(store, {key.objectIndex[0], key.objectIndex[1]});
    case ProfileBy::Chare:
    case ProfileBy::Object: break;
    }
    const Chare* known = findChare(store, key.chare);
    if (known == nullptr) return store.words().say(tr("unknown chare"), tr("unknown group"));
    return by == ProfileBy::Chare ? known->name : objectName(*known, key.objectIndex);
}

namespace {

std::vector<ProfileLine> linesOf(const TraceStore& store, ProfileBy by, SumsOfKey&& sums)
{
    const TimeNs busy = store.info().busy;
    std::vector<ProfileLine> lines;
    lines.reserve(sums.size());
    while (!sums.empty()) {
        const auto node = sums.extract(sums.begin());  // whose memory the names take
        const ProfileKey& key = node.key();
        const LineSums& sum = node.mapped();
        const TimeNs useful = saturatingSubtract(sum.exclusive, sum.inMpi);
        lines.push_back({.key = key,
                         .name = profileName(store, by, key),
                         .count = sum.count,
                         .time = sum.time,
                         .exclusive = sum.exclusive,
                         .inMpi = sum.inMpi,
                         .share = busy > 0 ? static_cast<double>(useful) / static_cast<double>(busy) : 0,
                         .messages = sum.messages,
                         .bytes = sum.bytes});
    }
    std::sort(lines.begin(), lines.end(), [](const ProfileLine& a, const ProfileLine& b) {
        return std::tie(b.exclusive, a.key) < std::tie(a.exclusive, b.key);
    });
    return lines;
}

bool areSound(const RegionCalls& calls)
{
    return calls.calls >= 0 && calls.inclusive >= 0 && calls.held >= 0 && calls.held <= maxTime;
}

bool hasCalls(const TraceStore& store) { return store.info().hasRanks() && !store.info().isSummary(); }

}  // namespace

std::int64_t messagesOutside(const TraceStore& store)
{
    std::int64_t missing = 0;
    for (const Processor& processor : store.processors()) addSaturating(missing, processor.messages);
    for (const ProfileRow& row : store.profile()) missing = saturatingSubtract(missing, row.messages);
    return missing;
}

Result<ProfiledEvents> profiledEvents(const TraceStore& store, const Progress& progress)
{
    ProfiledEvents events;
    if (const Result<> read = readOutside(store, progress, events); !read) return read.error();
    if (!hasCalls(store)) return events;
    Result<std::map<RegionId, RegionCalls>> calls = regionCalls(store, progress);
    if (!calls) return calls.error();
    events.calls = std::move(*calls);
    return events;
}

std::vector<ProfileLine> profileOf(const TraceStore& store, ProfileBy by, const ProfiledEvents& events)
{
    SumsOfKey sums = sumTable(store, by);
    for (const auto& [pe, messages] : events.outside)
        add(sums[by == ProfileBy::Pe ? ProfileKey{.pe = pe} : ProfileKey{.isOutside = true}],
            {.messages = messages.count, .bytes = messages.bytes});
    if (by != ProfileBy::Pe && hasCalls(store)) addCalls(store, by, events.calls, sums);
    return linesOf(store, by, std::move(sums));
}

void storeProfiled(StoredAnswers& answers, const ProfiledEvents& events)
{
    for (const auto& [region, calls] : events.calls)
        answers.add(AnswerTable::RegionCall,
                    std::array<std::int64_t, RegionCallColumn::Count>{index(region), calls.calls, calls.inclusive,
                                                                      calls.held, calls.isMpi});
    for (const auto& [pe, messages] : events.outside)
        answers.add(AnswerTable::OutsideTasks,
                    std::array<std::int64_t, OutsideTasksColumn::Count>{index(pe), messages.count, messages.bytes});
}

Result<ProfiledEvents> storedProfiled(const TraceStore& store)
{
    if (const Result<> there = requireTables(store, {AnswerTable::RegionCall}); !there) return there.error();
    if (const auto figures = storedFigures(store); !figures) return figures.error();
    const StoredAnswers& answers = store.answers();
    ProfiledEvents events;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::RegionCall); ++i) {
        const auto row = answers.row(AnswerTable::RegionCall, i);
        const auto region = checked<RegionId>(row[RegionCallColumn::Region]);
        const RegionCalls calls{.calls = row[RegionCallColumn::Calls],
                                .inclusive = row[RegionCallColumn::Time],
                                .held = row[RegionCallColumn::Held],
                                .isMpi = row[RegionCallColumn::IsMpi] != 0};
        if (!region || !areSound(calls) || !events.calls.emplace(*region, calls).second) return damagedAnswers(store);
    }
    std::int64_t outside = 0;
    for (std::size_t i = 0; i < answers.rows(AnswerTable::OutsideTasks); ++i) {
        const auto row = answers.row(AnswerTable::OutsideTasks, i);
        const auto pe = checked<ProcessorId>(row[OutsideTasksColumn::Pe]);
        const ProfiledEvents::Messages messages{row[OutsideTasksColumn::Messages], row[OutsideTasksColumn::Bytes]};
        const bool isOne = pe && store.processor(*pe) != nullptr && messages.count > 0
                           && events.outside.emplace(*pe, messages).second;
        if (!isOne) return damagedAnswers(store);
        outside = saturatingAdd(outside, messages.count);
    }
    if (outside != messagesOutside(store)) return damagedAnswers(store);
    return events;
}

Result<std::vector<ProfileLine>> profile(const TraceStore& store, ProfileBy by, const Progress& progress)
{
    if (by == ProfileBy::Object || by == ProfileBy::Calls) {
        Result<SumsOfKey> sums = sumAllTasks(store, by, progress);
        if (!sums) return sums.error();
        return linesOf(store, by, std::move(*sums));
    }
    ProfiledEvents events;
    if (store.info().isPart()) {
        Result<ProfiledEvents> stored = storedProfiled(store);
        if (!stored) return stored.error();
        events = std::move(*stored);
    } else if (by == ProfileBy::Pe) {  // no calls are asked for
        if (const Result<> read = readOutside(store, progress, events); !read) return read.error();
    } else {
        Result<ProfiledEvents> read = profiledEvents(store, progress);
        if (!read) return read.error();
        events = std::move(*read);
    }
    return profileOf(store, by, events);
}

}  // namespace longpole
