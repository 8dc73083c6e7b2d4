// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timelinequestions.h"

#include "analysis/results/bytesof.h"
#include "views/drawing/timeline/rowcalls.h"
#include "views/drawing/timeline/tilesource.h"
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

Selection thingInPixel(const RowData& exact, ProcessorId pe, TimeRange pixel, bool tasksOnly)
{
    const RowSummary summary = summarize(exact, pixel);
    const CallInPixel found = tasksOnly ? CallInPixel{} : callIn(exact, pixel);
    if (found.call && found.call->seq >= 0 && static_cast<double>(found.time) > summary.busy)
        return {.call = {index(pe), found.call->seq}};
    return summary.task == noTaskIndex ? Selection{} : Selection{.task = {pe, summary.task}};
}

Result<std::shared_ptr<const Selection>> ThingInPixelQuestion::compute(Results& results, const Progress&) const
{
    constexpr double exactly = 1e-6;  // ns per pixel
    const RowData exact = loadRow(results.store(),
                                  {.track = track, .members = {}, .range = pixel, .resolution = exactly});
    return std::make_shared<const Selection>(thingInPixel(exact, pe, pixel, tasksOnly));
}

Result<std::shared_ptr<const TileLevel>> OverviewQuestion::compute(Results& results, const Progress&) const
{
    Result<TileLevel> overview = overviewTiles(results.store(), pixels);
    if (!overview) return overview.error();
    return std::make_shared<const TileLevel>(std::move(*overview));
}

std::int64_t OverviewQuestion::bytes(const TileLevel& overview) { return bytesOf(overview.bins); }

}  // namespace longpole
