// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/evidenceplace.h"

#include "views/state/viewstate.h"

namespace longpole {

namespace {

void addProcessors(ViewState& state, const std::vector<ProcessorId>& pes)
{
    if (state.processors().empty()) return;  // all of them show
    std::vector<ProcessorId> shown = state.processors();
    shown.insert(shown.end(), pes.begin(), pes.end());
    state.setProcessors(std::move(shown), false);
}

// To be called after the range is set: the range moves if the task lies outside.
void selectTask(ViewState& state, const std::vector<TaskId>& tasks)
{
    if (!tasks.empty() && tasks.front().isValid()) state.reveal({.task = tasks.front(), .message = {}}, false);
    else state.select({});
}

}  // namespace

void showPlace(ViewState& state, TimeRange range)
{
    if (range.isEmpty()) return;
    state.setMarked(range);
    const TimeRange run = state.fullRange();
    const TimeNs around = range.length();
    const TimeRange wide{saturatingSubtract(range.begin, around), saturatingAdd(range.end, around)};
    state.setRange({std::max(wide.begin, std::min(run.begin, range.begin)),
                    std::min(wide.end, std::max(run.end, range.end))});
}

void showPlace(ViewState& state, const Evidence& evidence)
{
    addProcessors(state, {evidence.pe});
    showPlace(state, evidence.range);
    selectTask(state, evidence.tasks);
}

void showPlace(ViewState& state, const Advice& advice)
{
    std::vector<ProcessorId> pes;
    std::vector<TaskId> tasks;
    TimeRange range = advice.range;
    for (const Evidence& evidence : advice.evidence) {
        pes.push_back(evidence.pe);
        if (tasks.empty()) tasks = evidence.tasks;
    }
    if (range.isEmpty() && !advice.evidence.empty()) range = advice.evidence.front().range;
    addProcessors(state, pes);
    showPlace(state, range);
    // A task that lies elsewhere is not selected: that would move the range away.
    if (!tasks.empty())
        if (const Result<TaskDetail> task = state.store().task(tasks.front());
            !task || !task->range.overlaps(state.range()))
            tasks.clear();
    selectTask(state, tasks);
}

}  // namespace longpole
