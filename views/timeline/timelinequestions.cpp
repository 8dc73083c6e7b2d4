// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timelinequestions.h"

#include "analysis/results/bytesof.h"
#include "views/state/mpicallwords.h"

namespace longpole {

Result<std::shared_ptr<const SelectionMarks>> SelectionMarksQuestion::compute(Results& results, const Progress&) const
{
    const TraceStore& store = results.store();
    SelectionMarks marks;
    if (selection.task.isValid()) {
        Result<TaskDetail> detail = store.task(selection.task);
        if (detail) marks.task = std::move(*detail);
        if (arrows == ArrowMode::OneStep) marks.arrows = oneStepArrows(store, graph.get(), selection.task);
        else if (arrows == ArrowMode::Chain) marks.arrows = chainArrows(store, graph.get(), selection.task);
    }
    if (selection.call.isValid()) {
        Result<std::optional<MpiCallRow>> row = mpiCall(store, selection.call.rank, selection.call.seq);
        if (row) marks.call = *row;
        if (marks.call && arrows != ArrowMode::None) marks.arrows = culpritArrow(store, *marks.call);
    }
    return std::make_shared<const SelectionMarks>(std::move(marks));
}

std::int64_t SelectionMarksQuestion::bytes(const SelectionMarks& marks)
{
    return bytesOf(marks.arrows.arrows) + (marks.task ? bytesOf(marks.task->pieces) : 0);
}

Result<std::shared_ptr<const QString>> CallSentenceQuestion::compute(Results& results, const Progress&) const
{
    const Result<std::optional<MpiCallRow>> found = mpiCall(results.store(), call.rank, call.seq);
    return std::make_shared<const QString>(found && *found ? callSentence(results.store(), **found) : QString());
}

}  // namespace longpole
