// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/facts/factquestions.h"

#include "analysis/base/naming.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/projection/stagecells.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "analysis/waiting/idlequestions.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <map>

namespace longpole {

std::vector<ProcessorId> judgedProcessors(const TraceStore& store)
{
    std::vector<ProcessorId> pes;
    for (const Processor& processor : store.processors())
        if (processor.kind != TrackKind::CommThread && processor.hasLog) pes.push_back(processor.pe);
    return pes;
}

Result<StageUse> stageUse(const TraceStore& store, const std::vector<ProcessorId>& pes, std::int64_t stages,
                          const Progress& progress)
{
    StageUse use;
    if (pes.empty()) return use;
    constexpr std::int64_t usual = 100, cells = std::int64_t{1} << 22;  // of thresholds that a stranger may have sent
    if (const std::int64_t most = std::max(usual, cells / std::ssize(pes)); stages > most)
        return Error{tr("%1 stages are too many for a run on %2.")
                         .arg(formatCount(stages), countedProcessors(store.words(), std::ssize(pes))),
                     {},
                     tr("In the thresholds, set stages of [tree] to %1 or less.").arg(formatCount(most))};
    use.user.reserve(pes.size() * static_cast<std::size_t>(stages));
    use.idle.reserve(use.user.capacity());
    constexpr std::size_t together = 4096;  // cells of more would take as much memory again as what is wanted of them
    for (std::size_t first = 0; first < pes.size(); first += together) {
        const auto begin = pes.begin() + static_cast<std::ptrdiff_t>(first);
        const std::size_t count = std::min(together, pes.size() - first);
        const auto counted = stageCells(store,
                                        {.measures = {Measure{StageQuantity::User}, Measure{StageQuantity::Idle}},
                                         .stages = equalStages(store.info().range(), stages),
                                         .pes = {begin, begin + static_cast<std::ptrdiff_t>(count)}},
                                        progress);
        if (!counted) return counted.error();
        for (std::size_t pe = 0; pe < count; ++pe) {
            const auto user = (*counted)->counts(0, pe), idle = (*counted)->counts(1, pe);
            use.user.insert(use.user.end(), user.begin(), user.end());
            use.idle.insert(use.idle.end(), idle.begin(), idle.end());
        }
    }
    return use;
}

Result<std::shared_ptr<const StageUse>> StageUseQuestion::compute(Results& results, const Progress& progress) const
{
    return sharedAnswer(stageUse(results.store(), judgedProcessors(results.store()), stages, progress));
}

std::int64_t StageUseQuestion::bytes(const StageUse& use) { return bytesOf(use.user) + bytesOf(use.idle); }

Result<TimeNs> startAndStop(const TraceStore& store, const Processor& processor, const std::vector<TimeRange>& periods,
                            const Progress& progress)
{
    constexpr std::size_t looksPerReport = std::size_t{1} << 14;
    const TimeRange run = store.info().range();
    const TimeRange active = intersection(run, processor.active());
    TimeNs sum = 0;
    if (!processor.hasLog) return sum;
    std::size_t looked = 0;
    for (const TimeRange side : {TimeRange{run.begin, active.begin}, TimeRange{active.end, run.end}}) {
        std::vector<TimeRange> outside;
        for (const TimeRange period : periods)
            if (const TimeRange part = intersection(period, side); !part.isEmpty()) outside.push_back(part);
        if (outside.empty()) continue;
        for (const TimeRange part : outside) sum = saturatingAdd(sum, part.length());
        auto tasks = store.rows<TaskRow>(processor.track, TaskRow::Range,
                                         {.touching = {outside.front().begin, outside.back().end}});
        for (const TaskRow& task : tasks) {
            if (++looked % looksPerReport == 0 && progress.isCancelled()) return cancelledError();
            sum -= timeInside(outside, task.range());
        }
        if (const Result<> read = tasks.result(); !read) return read.error();
    }
    return sum;
}

Result<std::shared_ptr<const TimeNs>> StartAndStopQuestion::compute(Results& results, const Progress& progress) const
{
    TimeNs sum = 0;
    for (const Processor& processor : results.store().processors()) {
        if (progress.isCancelled()) return cancelledError();
        const Result<TimeNs> time = startAndStop(results.store(), processor, periods, progress);
        if (!time) return time.error();
        sum = saturatingAdd(sum, *time);
    }
    return std::make_shared<const TimeNs>(sum);
}

std::int64_t StartAndStopQuestion::bytes(const TimeNs& time) const
{
    return bytesOf(periods) + std::int64_t{sizeof(time)};
}

Result<std::shared_ptr<const std::vector<ObjectLoad>>> ProcessorLoadsQuestion::compute(Results& results,
                                                                                       const Progress& progress) const
{
    return sharedAnswer(objectLoads(results.store(), std::array{pe}, periods, progress));
}

std::int64_t ProcessorLoadsQuestion::bytes(const std::vector<ObjectLoad>& loads) const
{
    return bytesOf(periods) + bytesOf(loads);
}

void addBusy(std::vector<TimeRange>& busy, TimeRange task)
{
    if (!busy.empty() && busy.back().end >= task.begin) busy.back().end = std::max(busy.back().end, task.end);
    else if (!task.isEmpty()) busy.push_back(task);
}

Result<std::shared_ptr<const BesideBusy>> BesideBusyQuestion::compute(Results& results, const Progress& progress) const
{
    const auto graphAsked = results.ask(GraphQuestion{}, progress);
    if (!graphAsked.ok()) return graphAsked.error();
    const auto idle = results.ask(ProcessorIdleQuestion{}, progress);
    if (!idle.ok()) return idle.error();
    const ActivityGraph& graph = **graphAsked;
    std::vector<TimeRange> busy;
    for (const std::uint32_t task : graph.byProcessor[index(pe)]) addBusy(busy, {graph.begin[task], graph.end(task)});
    const QueuedTime during(common(busy, periods));
    BesideBusy found;
    for (std::size_t other = 0; other < (*idle)->size(); ++other)
        if (other != index(pe))
            for (const TimeRange& range : (**idle)[other]) addSaturating(found.idle, during.inside(range));
    std::map<std::uint32_t, TimeNs> more;
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        const TimeNs time = timeInside(periods, {graph.begin[task], graph.end(task)});
        if (time > 0)
            addSaturating(more[graph.entry[task]],
                          graph.pe[task] == index(pe) ? saturatingMultiply(time, others) : -time);
    }
    found.more.assign(more.begin(), more.end());
    return std::make_shared<const BesideBusy>(std::move(found));
}

std::int64_t BesideBusyQuestion::bytes(const BesideBusy& beside) const
{
    return bytesOf(periods) + bytesOf(beside.more);
}

TimeNs timeInside(const std::vector<TimeRange>& periods, TimeRange range)
{
    TimeNs sum = 0;
    auto period = std::upper_bound(periods.begin(), periods.end(), range.begin,
                                   [](TimeNs time, const TimeRange& one) { return time < one.end; });
    for (; period != periods.end() && period->begin < range.end; ++period) sum += overlap(*period, range);
    return sum;
}

}  // namespace longpole
