// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/storedinputs.h"

#include "analysis/mpi/mpiquestions.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/projection/stages.h"
#include "analysis/results/storedresults.h"
#include "core/base/checked.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostKeptStages = 2'000'000;  // of all ranks

using AnswerRow = std::span<const std::int64_t>;

void storeUse(StoredAnswers& answers, const RankInputs& inputs, std::size_t stages, std::span<const ProcessorId> pes)
{
    for (std::size_t pe = 0; pe < pes.size(); ++pe)
        for (std::size_t stage = 0; stage < stages; ++stage) {
            const TimeNs user = inputs.use.user[pe * stages + stage], idle = inputs.use.idle[pe * stages + stage];
            if (user == 0 && idle == 0) continue;
            answers.add(AnswerTable::StageUse,
                        std::array<std::int64_t, StageUseColumn::Count>{index(pes[pe]),
                                                                        static_cast<std::int64_t>(stage), user, idle});
        }
}

void storeLabels(StoredAnswers& answers, const IdleLabels& labels, const ActivityGraph& named)
{
    for (std::size_t stage = 0; stage < labels.byStage.size(); ++stage)
        for (std::size_t cause = 0; cause < idleCauseCount; ++cause) {
            const TimeNs time = labels.byStage[stage][cause];
            if (time == 0) continue;
            const bool isSynchronization = cause == static_cast<std::size_t>(IdleCause::Synchronization);
            const WorkMeanwhile worked = isSynchronization ? labels.synchronizationByStage[stage] : WorkMeanwhile{};
            answers.add(AnswerTable::StageIdle,
                        std::array<std::int64_t, StageIdleColumn::Count>{static_cast<std::int64_t>(stage),
                                                                         static_cast<std::int64_t>(cause), time,
                                                                         worked.none, worked.one, worked.more});
        }
    for (std::size_t code = 0; code < labels.byEntry.size(); ++code)
        for (std::size_t cause = 0; cause < idleCauseCount; ++cause) {
            const TimeNs ended = labels.byEntry[code][cause], sent = labels.blamed[code][cause];
            if (ended == 0 && sent == 0) continue;
            const auto entry = code + 1 < labels.byEntry.size() ? static_cast<std::int64_t>(code) : -1;
            answers.add(AnswerTable::IdleCode,
                        std::array<std::int64_t, IdleCodeColumn::Count>{entry, static_cast<std::int64_t>(cause), ended,
                                                                        sent});
        }
    for (std::size_t cause = 0; cause < idleCauseCount; ++cause)
        for (const LabelledIdle& idle : labels.longest[cause]) {
            const std::uint32_t source = idle.task != noTask ? named.source[idle.task] : noTask;
            const auto of = [](std::uint32_t task, const std::vector<std::uint32_t>& column) {
                return task != noTask ? std::int64_t{column[task]} : -1;
            };
            answers.add(AnswerTable::IdleExample,
                        std::array<std::int64_t, IdleExampleColumn::Count>{
                            static_cast<std::int64_t>(cause), index(idle.pe), idle.range.begin, idle.range.end,
                            of(idle.task, named.taskIndex), of(idle.task, named.entry), of(source, named.pe),
                            of(source, named.taskIndex), of(source, named.entry)});
        }
}

void storeScope(StoredAnswers& answers, const RankInputs& inputs)
{
    for (const TimeRange& period : inputs.scope.periods)
        answers.add(AnswerTable::AdvicePeriod,
                    std::array<std::int64_t, AdvicePeriodColumn::Count>{period.begin, period.end});
    for (const StretchedTask& task : inputs.interrupted)
        answers.add(AnswerTable::Interruption,
                    std::array<std::int64_t, InterruptionColumn::Count>{index(task.task.pe), task.task.index,
                                                                        index(task.entry), task.begin, task.duration,
                                                                        task.lost});
    for (std::size_t call = 0; call < inputs.profile.calls.size(); ++call) {
        const MpiSums sums = inputs.profile.ofCall(call);
        answers.add(AnswerTable::CallTime,
                    std::array<std::int64_t, CallTimeColumn::Count>{index(inputs.profile.calls[call]), sums.calls,
                                                                    sums.time, sums.waitBefore, sums.execution,
                                                                    sums.waitAfter, sums.bytes});
    }
    for (const ObjectLoad& load : inputs.loads)
        answers.add(AnswerTable::BusiestLoad,
                    std::array<std::int64_t, BusiestLoadColumn::Count>{index(load.entry), load.tasks, load.time});
    for (const auto& [entry, more] : inputs.beside.more)
        answers.add(AnswerTable::BesideBusy, std::array<std::int64_t, BesideBusyColumn::Count>{entry, more});
}

// Reads the tables, and refuses what no run can have.
class Reader {
public:
    Reader(const TraceStore& store, std::size_t stages)
        : m_store(store), m_answers(store.answers()), m_stages(stages), m_pes(judgedProcessors(store)),
          m_run(store.info().range())
    {
    }

    Result<StoredInputs> read()
    {
        const bool isSound = m_answers.rows(AnswerTable::Advice) == 1 && m_pes.size() * m_stages <= mostKeptStages
                             && readUse() && readIdle() && readCodes() && readExamples() && readScope() && readTasks()
                             && readBusiest();
        if (!isSound) return damagedAnswers(m_store);
        return std::move(m_found);
    }

private:
    bool isTime(TimeRange range) const
    {
        return range.begin >= m_run.begin && range.begin <= range.end && range.end <= m_run.end;
    }
    // Times are added up: all of them together are a time, too.
    bool isSum(std::int64_t time)
    {
        constexpr TimeNs most = TimeNs{1} << 61;
        m_sum = time >= 0 ? saturatingAdd(m_sum, time) : maxTime;
        return m_sum <= most;
    }
    std::optional<std::size_t> stageOf(std::int64_t stage) const
    {
        if (stage < 0 || stage >= static_cast<std::int64_t>(m_stages)) return {};
        return static_cast<std::size_t>(stage);
    }
    static std::optional<std::size_t> causeOf(std::int64_t cause)
    {
        if (cause < 0 || cause >= static_cast<std::int64_t>(idleCauseCount)) return {};
        return static_cast<std::size_t>(cause);
    }
    std::optional<TaskId> taskOf(std::int64_t pe, std::int64_t number) const
    {
        const auto processor = checked<ProcessorId>(pe);
        const auto task = checked<std::uint32_t>(number);
        if (!processor || !task || m_store.processor(*processor) == nullptr) return {};
        return TaskId{*processor, *task};
    }

    template <typename Take>
    bool eachRow(AnswerTable table, Take take)
    {
        m_sum = 0;
        for (std::size_t i = 0; i < m_answers.rows(table); ++i)
            if (!take(m_answers.row(table, i))) return false;
        return true;
    }

    bool readUse()
    {
        StageUse& use = m_found.inputs.use;
        use.user.resize(m_pes.size() * m_stages);
        use.idle.resize(use.user.size());
        return eachRow(AnswerTable::StageUse, [&](AnswerRow row) {
            const auto stage = stageOf(row[StageUseColumn::Stage]);
            const auto wanted = checked<ProcessorId>(row[StageUseColumn::Pe]);
            if (!stage || !wanted || !isSum(row[StageUseColumn::User]) || !isSum(row[StageUseColumn::Idle]))
                return false;
            const auto pe = std::lower_bound(m_pes.begin(), m_pes.end(), *wanted);
            if (pe == m_pes.end() || *pe != *wanted) return false;
            const std::size_t cell = static_cast<std::size_t>(pe - m_pes.begin()) * m_stages + *stage;
            use.user[cell] = row[StageUseColumn::User];
            use.idle[cell] = row[StageUseColumn::Idle];
            return true;
        });
    }

    bool readIdle()
    {
        IdleLabels& labels = m_found.inputs.labels;
        labels.stageEdges = equalStages(m_run, static_cast<std::int64_t>(m_stages)).edges;
        labels.byStage.resize(labels.stageEdges.size() - 1);
        labels.parallelismByStage.resize(labels.byStage.size());
        labels.synchronizationByStage.resize(labels.byStage.size());
        return eachRow(AnswerTable::StageIdle, [&](AnswerRow row) {
            const auto stage = stageOf(row[StageIdleColumn::Stage]);
            const auto cause = causeOf(row[StageIdleColumn::Cause]);
            const TimeNs time = row[StageIdleColumn::Time];
            const WorkMeanwhile worked{.none = row[StageIdleColumn::NoneWorked],
                                       .one = row[StageIdleColumn::OneWorked],
                                       .more = row[StageIdleColumn::MoreWorked]};
            const bool isSound = stage && *stage < labels.byStage.size() && cause && isSum(time) && isSum(worked.none)
                                 && isSum(worked.one) && isSum(worked.more);
            if (!isSound) return false;
            labels.byStage[*stage][*cause] = time;
            addSaturating(labels.total[*cause], time);
            if (*cause == static_cast<std::size_t>(IdleCause::Synchronization))
                labels.synchronizationByStage[*stage] = worked;
            return true;
        });
    }

    bool readCodes()
    {
        std::size_t entries = synchronizingCalls(m_store).size();
        for (const Entry& entry : m_store.entries())
            entries = std::max<std::size_t>(entries, std::min(index(entry.id) + 1, mostIds));
        IdleLabels& labels = m_found.inputs.labels;
        labels.byEntry.resize(entries + 1);
        labels.blamed.resize(entries + 1);
        return eachRow(AnswerTable::IdleCode, [&](AnswerRow row) {
            const auto cause = causeOf(row[IdleCodeColumn::Cause]);
            const std::int64_t entry = row[IdleCodeColumn::Entry];
            const bool isSound = cause && entry >= -1 && entry < static_cast<std::int64_t>(entries)
                                 && isSum(row[IdleCodeColumn::Ended]) && isSum(row[IdleCodeColumn::Sent]);
            if (!isSound) return false;
            const std::size_t code = entry >= 0 ? static_cast<std::size_t>(entry) : entries;
            labels.byEntry[code][*cause] = row[IdleCodeColumn::Ended];
            labels.blamed[code][*cause] = row[IdleCodeColumn::Sent];
            return true;
        });
    }

    bool readExamples()
    {
        ActivityGraph& named = m_found.inputs.named;
        named.run = m_run;
        named.processors = static_cast<std::uint32_t>(m_store.info().processors);
        named.hasRanks = true;
        const bool isSound = eachRow(AnswerTable::IdleExample, [&](AnswerRow row) {
            const auto cause = causeOf(row[IdleExampleColumn::Cause]);
            const auto pe = checked<ProcessorId>(row[IdleExampleColumn::Pe]);
            const TimeRange range{row[IdleExampleColumn::Begin], row[IdleExampleColumn::End]};
            if (!cause || !pe || m_store.processor(*pe) == nullptr || !isTime(range)) return false;
            LabelledIdle idle{.pe = *pe, .range = range, .cause = static_cast<IdleCause>(*cause)};
            if (row[IdleExampleColumn::Task] >= 0) {
                const auto task = taskOf(row[IdleExampleColumn::Pe], row[IdleExampleColumn::Task]);
                const auto entry = checked<std::uint32_t>(row[IdleExampleColumn::Entry]);
                if (!task || !entry) return false;
                idle.task = addNamed(named, *task, *entry);
            }
            if (row[IdleExampleColumn::SourcePe] >= 0) {
                const auto source = taskOf(row[IdleExampleColumn::SourcePe], row[IdleExampleColumn::SourceTask]);
                const auto entry = checked<std::uint32_t>(row[IdleExampleColumn::SourceEntry]);
                if (!source || !entry || idle.task == noTask) return false;
                named.source[idle.task] = addNamed(named, *source, *entry);
            }
            m_found.inputs.labels.longest[*cause].push_back(idle);
            return m_found.inputs.labels.longest[*cause].size() <= idleExamples;
        });
        const bool hasTasks = m_answers.row(AnswerTable::Advice, 0)[AdviceColumn::HasTasks] != 0;
        if (hasTasks != (named.size() > 0)) {
            if (!hasTasks) return false;
            addNamed(named, {}, index(noEntry));
        }
        finishNamed(named);
        return isSound;
    }

    bool readScope()
    {
        const AnswerRow row = m_answers.row(AnswerTable::Advice, 0);
        RankInputs& inputs = m_found.inputs;
        ScopeNeeds& scope = inputs.scope;
        scope.window = {row[AdviceColumn::WindowBegin], row[AdviceColumn::WindowEnd]};
        scope.interruptions = row[AdviceColumn::Uneven] != 0;
        scope.others = std::ssize(m_pes) - 1;
        inputs.starting = row[AdviceColumn::StartAndStop];
        inputs.beside.idle = row[AdviceColumn::BesideIdle];
        inputs.noise.interrupted = row[AdviceColumn::Interrupted];
        inputs.noise.interruptedFor = row[AdviceColumn::InterruptedFor];
        inputs.noise.time = row[AdviceColumn::TaskTime];
        m_sum = 0;
        const bool areSums = isSum(inputs.starting) && isSum(inputs.beside.idle) && inputs.noise.interrupted >= 0
                             && isSum(inputs.noise.interruptedFor) && inputs.noise.time >= 0;
        if (!areSums || (!scope.window.isEmpty() && !isTime(scope.window))) return false;
        return eachRow(AnswerTable::AdvicePeriod,
                       [&](AnswerRow period) {
                           const TimeRange range{period[AdvicePeriodColumn::Begin], period[AdvicePeriodColumn::End]};
                           if (!isTime(range) || (!scope.periods.empty() && range.begin < scope.periods.back().end))
                               return false;
                           scope.periods.push_back(range);
                           return true;
                       })
               && eachRow(AnswerTable::AdvicePlace, [&](AnswerRow place) {
                      const auto path = checked<std::uint32_t>(place[AdvicePlaceColumn::CallPath]);
                      if (!path || (*path != noCallPath && m_store.callPath(*path) == nullptr)) return false;
                      m_found.places.push_back(*path);
                      return true;
                  });
    }

    bool readTasks()
    {
        std::vector<MpiCallSums> calls;
        const bool isSound = eachRow(AnswerTable::CallTime, [&](AnswerRow row) {
            const auto call = checked<std::uint32_t>(row[CallTimeColumn::Call]);
            const auto count = row[CallTimeColumn::Calls];
            const auto bytes = row[CallTimeColumn::Bytes];
            const MpiSums sums{.calls = count,
                               .time = row[CallTimeColumn::Time],
                               .waitBefore = row[CallTimeColumn::WaitBefore],
                               .execution = row[CallTimeColumn::Execution],
                               .waitAfter = row[CallTimeColumn::WaitAfter],
                               .bytes = bytes};
            calls.push_back({RegionId{call.value_or(0)}, sums});
            return call && count >= 0 && bytes >= -count && isSum(sums.time) && isSum(sums.waitBefore)
                   && isSum(sums.execution) && isSum(sums.waitAfter);
        });
        m_found.inputs.profile = profileOfCalls(m_found.inputs.scope.window, std::move(calls));
        return isSound && eachRow(AnswerTable::Interruption, [&](AnswerRow row) {
                   const auto task = taskOf(row[InterruptionColumn::Pe], row[InterruptionColumn::Task]);
                   const auto entry = checked<std::uint32_t>(row[InterruptionColumn::Entry]);
                   const TimeNs begin = row[InterruptionColumn::Begin], length = row[InterruptionColumn::Duration];
                   const bool isThere = task && entry && length >= 0 && row[InterruptionColumn::Lost] >= 0
                                        && isTime({begin, saturatingAdd(begin, length)});
                   if (!isThere) return false;
                   m_found.inputs.interrupted.push_back({.task = *task,
                                                         .entry = EntryId{*entry},
                                                         .begin = begin,
                                                         .duration = length,
                                                         .lost = row[InterruptionColumn::Lost],
                                                         .isInterrupted = true});
                   return true;
               });
    }

    bool readBusiest()
    {
        const std::int64_t pe = m_answers.row(AnswerTable::Advice, 0)[AdviceColumn::BusiestPe];
        const auto busiest = checked<ProcessorId>(pe);
        if (pe >= 0) {
            if (!busiest || !std::binary_search(m_pes.begin(), m_pes.end(), *busiest)) return false;
            m_found.inputs.scope.busiest = *busiest;
        }
        return eachRow(AnswerTable::BusiestLoad,
                       [&](AnswerRow row) {
                           const auto entry = checked<std::uint32_t>(row[BusiestLoadColumn::Entry]);
                           if (!entry || row[BusiestLoadColumn::Tasks] < 0 || !isSum(row[BusiestLoadColumn::Time]))
                               return false;
                           m_found.inputs.loads.push_back({.pe = busiest.value_or(ProcessorId{0}),
                                                           .chare = ChareId{0xffffffffu},
                                                           .time = row[BusiestLoadColumn::Time],
                                                           .tasks = row[BusiestLoadColumn::Tasks],
                                                           .entry = EntryId{*entry}});
                           return true;
                       })
               && eachRow(AnswerTable::BesideBusy, [&](AnswerRow row) {
                      const auto entry = checked<std::uint32_t>(row[BesideBusyColumn::Entry]);
                      if (!entry) return false;
                      m_found.inputs.beside.more.emplace_back(*entry, row[BesideBusyColumn::More]);
                      return true;
                  });
    }

    const TraceStore& m_store;
    const StoredAnswers& m_answers;
    const std::size_t m_stages;
    const std::vector<ProcessorId> m_pes;
    const TimeRange m_run;
    TimeNs m_sum = 0;
    StoredInputs m_found;
};

}  // namespace

void storeInputs(StoredAnswers& answers, const TraceStore& store, const RankInputs& inputs, std::int64_t stages,
                 const std::vector<std::uint32_t>& places)
{
    const ScopeNeeds& scope = inputs.scope;
    if (inputs.use.user.size() > mostKeptStages) return;
    answers.add(AnswerTable::Advice,
                std::array<std::int64_t, AdviceColumn::Count>{
                    stages, inputs.named.size() > 0, scope.window.begin, scope.window.end, inputs.starting,
                    scope.busiest ? std::int64_t{index(*scope.busiest)} : -1, inputs.beside.idle, scope.interruptions,
                    inputs.noise.interrupted, inputs.noise.interruptedFor, inputs.noise.time});
    for (const std::uint32_t place : places)
        answers.add(AnswerTable::AdvicePlace, std::array<std::int64_t, AdvicePlaceColumn::Count>{place});
    storeUse(answers, inputs, static_cast<std::size_t>(stages), judgedProcessors(store));
    storeLabels(answers, inputs.labels, inputs.named);
    storeScope(answers, inputs);
}

Result<StoredInputs> storedInputs(Results& results, const Thresholds& thresholds, const Progress& progress)
{
    const TraceStore& store = results.store();
    if (const Result<> there = requireTables(store, {AnswerTable::Advice}); !there) return there.error();
    const StoredAnswers& answers = store.answers();
    const auto stages = static_cast<std::int64_t>(thresholds.tree.stages);
    if (answers.rows(AnswerTable::Advice) == 0 || answers.row(AnswerTable::Advice, 0)[AdviceColumn::Stages] != stages)
        return requireEvents(store).error();
    Result<StoredInputs> found = Reader(store, static_cast<std::size_t>(stages)).read();
    if (!found) return found.error();
    const auto waits = results.ask(WaitsQuestion::of(store), progress);
    if (!waits) return waits.error();
    const auto work = results.ask(PathQuestion{}, progress);
    if (!work) return work.error();
    const auto elapsed = results.ask(PathQuestion{.mode = PathMode::Elapsed}, progress);
    if (!elapsed) return elapsed.error();
    found->inputs.waits = **waits;
    found->inputs.work = *work;
    found->inputs.elapsed = *elapsed;
    return found;
}

Result<std::shared_ptr<const Expert>> expertOfParts(Results& results, const Thresholds& thresholds,
                                                    const Progress& progress)
{
    const Result<StoredInputs> stored = storedInputs(results, thresholds, progress);
    if (!stored) return stored.error();
    const auto judged = expertOfRanks(results.sharedStore(), stored->inputs, thresholds, progress);
    const bool hasPlaces = !results.store().callPaths().empty()
                           && !results.store().answers().lacks(AnswerTable::AdvicePlace);
    if (!judged || !hasPlaces) return judged;
    // Of other thresholds other advice follows, whose places are not known.
    auto expert = std::make_shared<Expert>(**judged);
    if (expert->advice.size() != stored->places.size() || thresholds != Thresholds{})
        return requireEvents(results.store()).error();
    for (std::size_t i = 0; i < expert->advice.size(); ++i) expert->advice[i].place = stored->places[i];
    return std::shared_ptr<const Expert>(std::move(expert));
}

}  // namespace longpole
