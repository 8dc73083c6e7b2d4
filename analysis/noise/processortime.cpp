// SPDX-License-Identifier: GPL-3.0-or-later
// First how wrong the CPU clock may be, then which tasks were not running.
#include "analysis/noise/processortime.h"

#include "analysis/base/chunkscan.h"
#include "core/base/drawnhash.h"
#include "core/store/rows.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::size_t mostListed = 100;

// What the readings say of the clock.
struct ClockReadings {
    TimeNs excess = 0;           // largest CPU time beyond the wall time
    std::int64_t exceeding = 0;  // tasks that have such
    std::int64_t judged = 0;     // tasks long enough for a clock of microseconds to have moved ...
    std::int64_t moved = 0;      // ... and it had
    TimeNs busy = 0, cpu = 0;
    bool isLogged = false;

    void add(TimeNs wall, TimeNs time)
    {
        constexpr TimeNs visible = 20'000;
        isLogged = true;
        busy = saturatingAdd(busy, wall);
        cpu = saturatingAdd(cpu, time);
        excess = std::max(excess, saturatingSubtract(time, wall));
        if (time > wall) ++exceeding;
        if (wall < visible) return;
        ++judged;
        if (time > 0) ++moved;
    }
    void add(const ClockReadings& other)
    {
        excess = std::max(excess, other.excess);
        exceeding += other.exceeding;
        judged += other.judged;
        moved += other.moved;
        busy = saturatingAdd(busy, other.busy);
        cpu = saturatingAdd(cpu, other.cpu);
        isLogged = isLogged || other.isLogged;
    }
    // A clock that stands still in most tasks is known by the tasks that it jumped in; a few of them do not tell how
    // far it may jump.
    CpuClock clock() const
    {
        constexpr std::int64_t fewest = 5, fewestJudged = 20;
        if (!isLogged) return CpuClock::Absent;
        const bool isFine = judged >= fewestJudged && 2 * moved >= judged;
        return cpu > 0 && (isFine || exceeding >= fewest) ? CpuClock::Usable : CpuClock::Coarse;
    }
    // A quarter more than what was seen, as the largest jump need not be among it; logs round to microseconds.
    TimeNs error() const { return saturatingAdd(excess, excess / 4 + 2'000); }
};

struct EntryReadings {
    std::int64_t tasks = 0, notRunningTasks = 0;
    TimeNs busy = 0, cpu = 0, notRunning = 0;

    void add(const EntryReadings& other)
    {
        tasks += other.tasks;
        notRunningTasks += other.notRunningTasks;
        busy = saturatingAdd(busy, other.busy);
        cpu = saturatingAdd(cpu, other.cpu);
        notRunning = saturatingAdd(notRunning, other.notRunning);
    }
    bool isOfSleepers() const { return notRunning > 0 && 10 * notRunningTasks >= 9 * tasks && cpu < busy / 8; }
};

// What one thread has found.
struct CpuFound {
    std::unordered_map<EntryId, EntryReadings, DrawnHash> entries;  // whose ids may be far apart
    std::array<PeProcessorTime, ProcessorTime::parts> over{};
    std::vector<TaskNotRunning> longest;
};

bool isLonger(const TaskNotRunning& a, const TaskNotRunning& b)
{
    return a.notRunning != b.notRunning ? a.notRunning > b.notRunning : a.task < b.task;
}

void addReading(PeProcessorTime& sum, TimeNs busy, TimeNs cpu, TimeNs notRunning)
{
    sum.busy = saturatingAdd(sum.busy, busy);
    sum.cpu = saturatingAdd(sum.cpu, cpu);
    sum.notRunning = saturatingAdd(sum.notRunning, notRunning);
}

template <typename Visit>
Result<> scanCpu(const TraceStore& store, const Processor& processor, const Progress& progress, const Visit& visit)
{
    const ScanRequest scan{.fields = TaskRow::Begin | TaskRow::Exclusive | TaskRow::Entry | TaskRow::Cpu};
    return scanRows<TaskRow>(store, processor.track, scan, progress, [&](const ScannedRows<TaskRow>& chunk) {
        for (const TaskRow& task : chunk.rows)
            if (const std::optional<TimeNs> cpu = task.cpu()) visit(task, *cpu);
    });
}

std::size_t partOf(TimeRange run, TimeNs time)
{
    const double whole = double(std::max<TimeNs>(run.length(), 1));
    const double part = double(saturatingSubtract(time, run.begin)) / whole * double(ProcessorTime::parts);
    return std::min(ProcessorTime::parts - 1, static_cast<std::size_t>(std::max(part, 0.0)));
}

void judgeTask(const ProcessorTime& time, const TaskRow& task, TimeNs cpu, TimeRange run, PeProcessorTime& pe,
               CpuFound& found)
{
    const TimeNs busy = task.exclusive();
    const TimeNs notRunning = time.notRunningOf(busy, cpu);
    addReading(pe, busy, cpu, notRunning);
    addReading(found.over[partOf(run, task.begin())], busy, cpu, notRunning);
    if (task.entry() != noEntry) found.entries[task.entry()].add({1, notRunning > 0 ? 1 : 0, busy, cpu, notRunning});
    if (notRunning == 0) return;
    found.longest.push_back({{pe.pe, task.index()}, task.entry(), task.range(), busy, cpu, notRunning});
    if (found.longest.size() < 2 * mostListed) return;
    std::sort(found.longest.begin(), found.longest.end(), isLonger);
    found.longest.resize(mostListed);
}

void sumUp(ProcessorTime& time, const std::vector<CpuFound>& found)
{
    std::map<EntryId, EntryReadings> entries;
    for (const CpuFound& part : found) {
        for (const auto& [entry, readings] : part.entries) entries[entry].add(readings);
        for (std::size_t p = 0; p < time.over.size(); ++p)
            addReading(time.over[p], part.over[p].busy, part.over[p].cpu, part.over[p].notRunning);
        time.longest.insert(time.longest.end(), part.longest.begin(), part.longest.end());
    }
    std::sort(time.longest.begin(), time.longest.end(), isLonger);
    if (time.longest.size() > mostListed) time.longest.resize(mostListed);
    for (const auto& [entry, readings] : entries) {
        time.tasksNotRunning += readings.notRunningTasks;
        if (index(entry) >= mostIds || !readings.isOfSleepers()) continue;
        time.sleeps.resize(index(entry) + std::size_t{1});
        time.sleeps[index(entry)] = true;
        time.sleeping = saturatingAdd(time.sleeping, readings.notRunning);
    }
    for (const PeProcessorTime& pe : time.pes) {
        time.notRunning = saturatingAdd(time.notRunning, pe.notRunning);
        if (pe.busy > 0) time.cores += double(pe.cpu) / double(pe.busy);
    }
}

}  // namespace

TimeNs ProcessorTime::notRunningOf(TimeNs wall, TimeNs time) const
{
    if (clock != CpuClock::Usable || time < 0) return 0;
    const TimeNs ran = saturatingAdd(time, error);
    const TimeNs rest = saturatingSubtract(wall, ran);
    return ran < rest ? rest : 0;
}

bool ProcessorTime::surelyRan(TimeNs wall, TimeNs time) const
{
    return clock == CpuClock::Usable && time >= 0 && saturatingSubtract(time, error) > wall / 2;
}

Result<ProcessorTime> processorTime(const TraceStore& store, const Progress& progress)
{
    const std::vector<const Processor*> processors = processorsToScan(store, {}, false);
    std::vector<ClockReadings> readings(scanWorkers(processors.size()));
    Result<> scanned = scanProcessors(processors, progress, [&](std::size_t worker, const Processor& processor) {
        return scanCpu(store, processor, progress,
                       [&](const TaskRow& task, TimeNs cpu) { readings[worker].add(task.exclusive(), cpu); });
    });
    if (!scanned) return scanned.error();
    ClockReadings all;
    for (const ClockReadings& part : readings) all.add(part);
    ProcessorTime time;
    time.clock = all.clock();
    time.busy = all.busy;
    time.cpu = all.cpu;
    time.error = all.error();
    if (time.clock == CpuClock::Absent) return time;
    for (const Processor* processor : processors) time.pes.push_back({.pe = processor->pe});  // ascending
    std::vector<CpuFound> found(readings.size());
    scanned = scanProcessors(processors, progress, [&](std::size_t worker, const Processor& processor) {
        const auto pe = std::lower_bound(time.pes.begin(), time.pes.end(), processor.pe,
                                         [](const PeProcessorTime& one, ProcessorId wanted) {
                                             return one.pe < wanted;
                                         });
        return scanCpu(store, processor, progress, [&](const TaskRow& task, TimeNs cpu) {
            judgeTask(time, task, cpu, store.info().range(), *pe, found[worker]);
        });
    });
    if (!scanned) return scanned.error();
    sumUp(time, found);
    return time;
}

}  // namespace longpole
